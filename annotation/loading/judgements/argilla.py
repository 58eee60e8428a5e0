"""Reads Argilla's records: responses by question or by person, as JSON, or flattened for a data set.

Submitted responses are votes, discarded ones skips; drafts and suggestions are nobody's answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from annotation.campaigns.sections.sources import VotesSection
from annotation.errors import BadInput
from annotation.input_files import FileRow
from annotation.loading.judgements import arrow_folders, tool_rows
from annotation.loading.judgements.tool_rows import ToolRow
from annotation.vocabulary import DRAFT, PREDICTION, SKIPPED

ANNOTATOR = "user_id"
_FLAT = ".responses"
_REMEDY = "Export the records with `to_json` or `to_datasets`."


class _Response(NamedTuple):
    person: str
    status: str
    values: dict[str, Any]


def read_argilla(path: Path, section: VotesSection) -> Iterator[ToolRow]:
    """Read one row per record and person; raises BadInput for a record without responses."""
    rows = [_name_record(row) for row in arrow_folders.read_rows(path, section)]
    found = [list(_list_responses(row)) for row in rows]
    answers = tuple(dict.fromkeys(name for some in found for response in some for name in response.values))
    for row, responses in zip(rows, found, strict=True):
        fields = _list_fields(row)
        for response in responses:
            values = {**fields, **response.values, ANNOTATOR: response.person}
            vote = ToolRow(row._replace(values=values), answers=answers)
            match response.status:
                case "draft":
                    yield vote._replace(exclusion=DRAFT, is_vote=False)
                case "discarded":
                    yield vote._replace(exclusion=SKIPPED)
                case _:
                    yield vote
        for _ in range(_count_suggestions(row.values)):
            yield ToolRow(row, answers=answers, exclusion=PREDICTION, is_vote=False)


def _name_record(row: FileRow) -> FileRow:
    """The row with its id as its place, since a file of records is one line."""
    is_line = row.file.suffix.lower() != ".json" or row.values.get("id") is None
    return row if is_line else row._replace(place=f"record {row.values['id']}")


def _list_responses(row: FileRow) -> Iterator[_Response]:
    """The responses of a record, in one of four forms."""
    responses, flat = row.values.get("responses"), [name for name in row.values if name.endswith(_FLAT)]
    if isinstance(responses, list):
        yield from (_read_person(one, row) for one in tool_rows.list_objects(responses, row, "responses"))
    elif isinstance(responses, Mapping):
        yield from _join(
            (name, one) for name, some in responses.items() for one in tool_rows.list_objects(some, row, "responses")
        )
    elif flat:
        yield from _join(pair for name in flat for pair in _list_flat(row, name))
    elif "annotation" in row.values:
        yield from _read_first_version(row.values)
    elif "responses" not in row.values:
        raise BadInput("The record has no responses.", where=row.where("responses"), remedy=_REMEDY)


def _read_person(response: Mapping[str, Any], row: FileRow) -> _Response:
    """A person's response to all questions, as the server and Argilla 1 write it."""
    values = tool_rows.require_mapping(response.get("values") or {}, row, "values")
    given = {name: value.get("value") if isinstance(value, Mapping) else value for name, value in values.items()}
    return _Response(_name(response.get("user_id")), str(response.get("status") or ""), given)


def _join(found: Iterator[tuple[str, Mapping[str, Any]]]) -> Iterator[_Response]:
    """The responses by person of those by question."""
    people: dict[str, _Response] = {}
    for name, one in found:
        person, status = _name(one.get("user_id")), str(one.get("status") or "")
        response = people.setdefault(person, _Response(person, status, {}))
        response.values[name] = one.get("value")
        if status and not response.status:
            people[person] = response._replace(status=status)
    yield from people.values()


def _list_flat(row: FileRow, column: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The responses to a question in the columns of a data set: values, users and states side by side."""
    values, people = row.values[column] or [], row.values.get(f"{column}.users") or []
    states = row.values.get(f"{column}.status")
    columns = [values, people] if not states else [values, people, states]
    if not all(isinstance(some, list) for some in columns) or len({*map(len, columns)}) > 1:
        raise BadInput("Responses, users and states differ in number.", where=row.where(column), remedy=_REMEDY)
    for value, person, status in zip(values, people, states or [None] * len(people), strict=True):
        yield column.removesuffix(_FLAT), {"value": value, "user_id": person, "status": status}


def _read_first_version(values: Mapping[str, Any]) -> Iterator[_Response]:
    """The annotation of a record of Argilla before version 1.6, and of Rubrix; a record has one."""
    if values.get("annotation") is None and values.get("status") != "Discarded":
        return
    status = "discarded" if values.get("status") == "Discarded" else ""
    yield _Response(_name(values.get("annotation_agent")), status, {"annotation": values.get("annotation")})


def _name(person: object) -> str:
    return tool_rows.UNKNOWN_PERSON if person is None else str(person)


def _list_fields(row: FileRow) -> dict[str, Any]:
    """The columns of a record: its id, its fields and its metadata."""
    values = row.values
    own = {name: value for name, value in values.items() if name not in {"fields", "metadata", "responses"}}
    metadata, fields = values.get("metadata"), values.get("fields")
    return {
        **(metadata if isinstance(metadata, Mapping) else {}),
        **own,
        **(fields if isinstance(fields, Mapping) else {}),
    }


def _count_suggestions(values: Mapping[str, Any]) -> int:
    """The number of answers of models that came with a record."""
    suggestions = values.get("suggestions")
    if isinstance(suggestions, Mapping | list):
        return len(suggestions)
    flat = sum(name.endswith(".suggestion") and value is not None for name, value in values.items())
    return flat + bool(values.get("prediction"))
