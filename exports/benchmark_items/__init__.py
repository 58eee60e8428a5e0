"""The items of a benchmark: what models are asked, from the same gold, stimuli and answers as every published file."""

from __future__ import annotations

from exports.benchmark_items.forms import TaskForm
from exports.benchmark_items.rows import BenchmarkTask, build_tasks
from exports.benchmark_items.sources import (
    HUMAN_RESPONSES,
    ITEM_TEXT_COLUMNS,
    BuildOptions,
    BuildSource,
    TaskSource,
    UnfitQuestion,
)

__all__ = [
    "HUMAN_RESPONSES",
    "ITEM_TEXT_COLUMNS",
    "BenchmarkTask",
    "BuildOptions",
    "BuildSource",
    "TaskForm",
    "TaskSource",
    "UnfitQuestion",
    "build_tasks",
]
