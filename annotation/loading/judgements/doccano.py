"""Reads doccano's exports: a folder with one file per annotator, or one file of a project that all share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation.campaigns.sections.sources import VotesSection
from annotation.input_files import FileRow
from annotation.loading import tables
from annotation.loading.judgements import tool_rows
from annotation.loading.judgements.tool_rows import ToolRow

ANNOTATOR = "annotator"
_ANSWERS = ("label", "labels", "cats", "entities")
_ENDINGS = (".jsonl", ".json", ".csv")


def read_doccano(path: Path, section: VotesSection) -> Iterator[ToolRow]:
    """Read one row per example and annotator, who is named as the file; raises BadInput with its place."""
    tool_rows.refuse_archive(path)
    files = tool_rows.list_files(path, *_ENDINGS) if path.is_dir() else [path]
    rows = [row for file in files for row in _read_file(file, section)]
    answers = tuple(name for name in _ANSWERS if any(name in row.values for row in rows))
    for row in rows:
        yield ToolRow(row, answers=answers)


def _read_file(path: Path, section: VotesSection) -> Iterator[FileRow]:
    for row in tables.read_rows(path, section):
        annotations = row.values.get("annotations")
        if not isinstance(annotations, list):
            yield row._replace(values={**row.values, ANNOTATOR: path.stem})
            continue
        for person, labels in _group_by_person(row, annotations).items():
            yield row._replace(values={**row.values, ANNOTATOR: person, "label": labels})


def _group_by_person(row: FileRow, annotations: list[Any]) -> dict[str, list[Any]]:
    """The labels of an example by annotator, as doccano before 1.5 writes them: with the numbers of its users."""
    people: dict[str, list[Any]] = {}
    for annotation in tool_rows.list_objects(annotations, row, "annotations"):
        labels = people.setdefault(str(annotation.get("user", row.file.stem)), [])
        labels.append(_read_label(annotation))
    return people


def _read_label(annotation: Mapping[str, Any]) -> Any:
    if "start_offset" in annotation:
        return {**annotation, "label": str(annotation.get("label"))}
    label = annotation.get("label", annotation.get("text"))
    return label if isinstance(label, str) else str(label)
