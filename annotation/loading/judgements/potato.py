"""Reads Potato's files: the state of every annotator, the older `annotated_instances`, or an exported table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput
from annotation.input_files import FileRow
from annotation.loading import json_text, tables
from annotation.loading.judgements import tool_rows
from annotation.loading.judgements.tool_rows import ToolRow

ITEM, ANNOTATOR = "instance_id", "user_id"
STATE = "user_state.json"
_ENDINGS = (STATE, "annotated_instances.jsonl", "annotations.jsonl", "annotations.csv", "annotations.tsv")
_SPANS = "._spans"
_REMEDY = "Name the folder `annotation_output`, or an export of `python -m potato.export`."


def read_potato(path: Path, section: VotesSection) -> Iterator[ToolRow]:
    """Read one row per instance and annotator, with a column per scheme; raises BadInput with the place."""
    tool_rows.refuse_archive(path)
    files = tool_rows.list_files(path, *_ENDINGS) if path.is_dir() else [path]
    states = [file for file in files if file.name == STATE]
    rows = [row for file in states or files for row in _read_file(file, section)]
    own = {ITEM, ANNOTATOR, "displayed_text"}
    answers = tuple(dict.fromkeys(name for row in rows for name in row.values if name not in own))
    for row in rows:
        yield ToolRow(row, answers=answers)


def _read_file(path: Path, section: VotesSection) -> Iterator[FileRow]:
    if path.name == STATE:
        yield from _read_state(path)
        return
    for row in tables.read_rows(path, section):
        values = row.values
        if "label_annotations" in values:
            own = {ITEM: values.get("id"), ANNOTATOR: path.parent.name, "displayed_text": values.get("displayed_text")}
            given = _join_labels(row, values["label_annotations"], values.get("span_annotations"))
        elif "labels" in values or "spans" in values:
            own = {ITEM: values.get(ITEM), ANNOTATOR: values.get(ANNOTATOR)}
            given = _join_labels(row, values.get("labels"), values.get("spans"))
        else:
            input_files.require_columns({"votes.item": (ITEM,), "votes.annotator": (ANNOTATOR,)}, row)
            own = {ITEM: values[ITEM], ANNOTATOR: values[ANNOTATOR]}
            given = _read_table(row)
        yield row._replace(values={**given, **own})


def _read_state(path: Path) -> Iterator[FileRow]:
    """The answers in the state of an annotator: pairs of a label and its value by instance."""
    written: Any = json_text.parse_json(input_files.read_text(path), path=path, remedy=_REMEDY)
    row = FileRow(path, 1, {})
    state = tool_rows.require_mapping(written, row, STATE)
    labels = tool_rows.require_mapping(state.get("instance_id_to_label_to_value") or {}, row, "labels")
    spans = tool_rows.require_mapping(state.get("instance_id_to_span_to_value") or {}, row, "spans")
    for item in dict.fromkeys([*labels, *spans]):
        row = row._replace(place=f"instance {item}")
        given = _join_labels(row, labels.get(item), spans.get(item))
        yield row._replace(values={**given, ITEM: item, ANNOTATOR: state.get("user_id") or path.parent.name})


def _join_labels(row: FileRow, labels: Any, spans: Any) -> dict[str, Any]:
    """The answers by scheme: the chosen labels, the values of all others, and the marked parts."""
    given: dict[str, list[Any]] = {}
    for scheme, label, value in _list_labels(labels, row):
        given.setdefault(scheme, []).append(label if value is True or value in ("true", "True", label) else value)
    for scheme, part in _list_spans(spans, row):
        given.setdefault(scheme, []).append(part)
    return dict(given)


def _list_labels(labels: Any, row: FileRow) -> Iterator[tuple[str, str, Any]]:
    """Scheme, label and value of each label that has a value: objects of objects, or pairs of an object and a value."""
    if isinstance(labels, Mapping):
        for scheme, values in labels.items():
            inner = values.get("labels", values) if isinstance(values, Mapping) else {"": values}
            for label, value in tool_rows.require_mapping(inner, row, scheme).items():
                if _is_given(value):
                    yield scheme, str(label), value
        return
    for pair, value in _list_pairs(labels, row):
        if _is_given(value):
            yield str(pair.get("schema")), str(pair.get("name")), value


def _is_given(value: Any) -> bool:
    return value is not None and value is not False and value not in ("", "false")


def _list_spans(spans: Any, row: FileRow) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(spans, Mapping):
        for scheme, parts in spans.items():
            yield from ((scheme, part) for part in tool_rows.list_objects(parts, row, scheme))
        return
    for part in spans if isinstance(spans, list) else ():
        found = part[0] if isinstance(part, list) and part else part
        found = tool_rows.require_mapping(found, row, "spans")
        yield str(found.get("schema", "spans")), found


def _list_pairs(pairs: Any, row: FileRow) -> Iterable[tuple[Mapping[str, Any], Any]]:
    for pair in pairs if isinstance(pairs, list) else ():
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], Mapping):
            raise BadInput("A label is not a pair of its name and its value.", where=row.where(), remedy=_REMEDY)
        yield pair[0], pair[1]


def _read_table(row: FileRow) -> dict[str, Any]:
    """The answers by scheme of an exported table, whose columns are `scheme.label`."""
    labels: dict[str, dict[str, Any]] = {}
    given: dict[str, Any] = {}
    for column, value in row.values.items():
        scheme, point, label = column.partition(".")
        if column in {ITEM, ANNOTATOR} or value in (None, ""):
            continue
        if column.endswith(_SPANS):
            parts = json_text.parse_json(str(value), path=row.file, line=row.line, remedy=_REMEDY)
            given[column.removesuffix(_SPANS)] = parts or []
        elif point and not label.startswith("_"):
            labels.setdefault(scheme, {})[label] = value
        elif not point:
            given[column] = value
    return _join_labels(row, {name: found for name, found in labels.items() if name not in given}, {}) | given
