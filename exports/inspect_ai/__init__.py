"""The folder `inspect_ai` of a build: its tasks for Inspect AI, and people's scores for `precomputed_scores()`."""

from __future__ import annotations

from exports.inspect_ai.people_scores import build_people_files
from exports.inspect_ai.task_file import build_task_files

__all__ = ["build_people_files", "build_task_files"]
