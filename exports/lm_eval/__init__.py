"""Tasks of the lm-evaluation-harness, people replayed through it, and its result files read as tables."""

from __future__ import annotations

from exports.lm_eval.replay import Recording, ReplayedPeople, list_recordings, replay_people
from exports.lm_eval.results import (
    ANSWER_COLUMNS,
    DIFFERENCE_COLUMNS,
    SCORE_COLUMNS,
    HarnessResults,
    build_result_files,
    read_results,
)
from exports.lm_eval.run_files import (
    PROMPT_COLUMNS,
    HarnessRun,
    build_prompt_rows,
    find_results,
    read_run,
    read_samples,
)
from exports.lm_eval.task_files import build_task_files

__all__ = [
    "ANSWER_COLUMNS",
    "DIFFERENCE_COLUMNS",
    "PROMPT_COLUMNS",
    "SCORE_COLUMNS",
    "HarnessResults",
    "HarnessRun",
    "Recording",
    "ReplayedPeople",
    "build_prompt_rows",
    "build_result_files",
    "build_task_files",
    "find_results",
    "list_recordings",
    "read_results",
    "read_run",
    "read_samples",
    "replay_people",
]
