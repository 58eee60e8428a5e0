"""What every prompt of a build has to be like, whatever it asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from exports.benchmark_items import task_functions

LISTS = {"A": "lettered lines", "1": "numbered lines", "-": "as a list"}


def check_prompts(docs: Sequence[dict[str, Any]], task: Mapping[str, Any]) -> None:
    """Nothing is left to fill in, no line occurs twice, and each option has a line with the mark that is declared."""
    for doc in docs:
        prompt = task_functions.build_prompt(doc)
        assert "{" not in prompt, prompt
        assert "None" not in prompt, prompt
        lines = [line for line in prompt.splitlines() if line.strip()]
        assert len(lines) == len(set(lines)), prompt
        options = doc.get("options") or []
        plain = ["-"] * len(options) if "labels" in doc else [f"{number}." for number in range(1, len(options) + 1)]
        marks = [f"{mark}." for mark in doc["marks"]] if "marks" in doc else plain
        for mark, option in zip(marks, options, strict=True):
            assert f"{mark} {option}" in lines, prompt
        if "labels" in doc:
            assert LISTS[marks[0].rstrip(".")] in task["differences"][0], task["differences"]
