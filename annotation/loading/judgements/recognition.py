"""Recognises the files of other tools by names that only they write, so that nobody has to know what wrote a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from annotation.loading.judgements import arrow_folders, potato, prolific

PROLIFIC = "prolific"
"""The export of the submissions to Prolific, which is named beside the votes."""

_COLUMNS: Mapping[str, tuple[frozenset[str], ...]] = {
    "toloka": (frozenset({"ASSIGNMENT:worker_id"}),),
    "mturk": (frozenset({"HITId", "WorkerId", "AssignmentStatus"}),),
    "crowdtruth": (frozenset({"_unit_id", "_worker_id"}),),
    "prodigy": (frozenset({"_task_hash", "answer"}), frozenset({"_input_hash", "answer"})),
    "label-studio": (frozenset({"annotations", "data"}), frozenset({"annotator", "annotation_id"})),
    "potato": (frozenset({"instance_id", "user_id"}), frozenset({"label_annotations", "displayed_text"})),
    "doccano": (frozenset({"id", "text", "label", "Comments"}), frozenset({"id", "text", "entities", "relations"})),
    "ua-cbt": (frozenset({"context", "question", "options", "storyId", "taskType"}),),
    PROLIFIC: (frozenset({"Submission id", prolific.PERSON, prolific.STATUS}),),
    "argilla": (frozenset({"fields", "responses"}),),
}
"""Columns of which a file has all, by the word under `format`."""
_FOLDERS: Mapping[str, str] = {"brat": "**/*.ann", "potato": f"**/{potato.STATE}", "inception": "annotation/*/*"}
_ANSWER_FIELDS = frozenset({"humanAnswer", "human_answer", "human_title"})


def recognise_rows(rows: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the format of rows of votes or items, or None for a table of anybody."""
    for values in rows:
        for name, signatures in _COLUMNS.items():
            if any(signature <= values.keys() for signature in signatures):
                return name
        if any(column.endswith(".responses.users") for column in values):
            return "argilla"
        return None
    return None


def recognise_instances(rows: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the format of a JSON file with `instances`: votes of HumanResponseBot, LMES items, or None."""
    first = next(iter(rows), {})
    if any(name in first for name in _ANSWER_FIELDS):
        return "human-response-bot"
    return "lmes" if {"question", "correctAnswer"} <= first.keys() else None


def recognise_folder(folder: Path) -> str | None:
    """Return the format of votes in a folder that a tool wrote, or None."""
    if any((folder / name).exists() for name in (arrow_folders.INFO, arrow_folders.SPLITS)):
        return "datasets"
    for name, pattern in _FOLDERS.items():
        if next(folder.glob(pattern), None) is not None:
            return name
    return "doccano" if next(folder.glob("*.jsonl"), None) is not None else None
