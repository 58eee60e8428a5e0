"""Votes as Label Studio's JSON: a list of tasks with `data` and `annotations`, or JSON_MIN, one flat object a vote.

Drafts and predictions are nobody's answers and are passed over; skipped tasks come with the reason why they do not
count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation import files
from annotation.campaigns.project import VotesSection
from annotation.errors import BadInput
from annotation.loading.items import nested
from annotation.loading.judgements import label_studio_csv
from annotation.loading.judgements.label_studio_values import (
    OWN,
    SKIPPED,
    Answer,
    answer,
    excluded,
    need_one,
    seconds,
    with_answers,
)
from annotation.loading.judgements.raw import RawVote, annotator_of, key_of

REMEDY = "Export the project from Label Studio as JSON."


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """One person's work on one task; `row` is what Label Studio's CSV would have, less the controls."""

    row: files.Row
    results: tuple[Mapping[str, Any], ...]
    skipped: bool

    def values(self, control: str) -> list[Any]:
        """What the control holds, once a region."""
        return [result.get("value") for result in self.results if result.get("from_name") == control]


def read(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """One vote an annotation, in file order."""
    rows = list(nested.rows(path))
    if rows and not any("annotations" in row.values for row in rows):
        yield from label_studio_csv.flat(rows, section)
        return
    found = [annotation for row in rows for annotation in _annotations(row)]
    controls = tuple(section.answers.values()) or (section.answer or _only_control(found, path),)
    if section.answers:
        need_one(controls, _controls(found), row=files.Row(path, 1, {}))
    columns = section.item or ("id",)
    for number, one in enumerate(found):
        if number == 0:
            files.need(columns, one.row, key="votes.item")
        said = {control: _answered(one, control) for control in controls}
        yield RawVote(
            key=key_of(one.row, columns),
            annotator=annotator_of(one.row, section.annotator or "annotator"),
            row=with_answers(one.row, said) if section.answers else one.row,
            seconds=seconds(one.row.values.get("lead_time"), row=one.row),
            answer=said[controls[0]].text,
            excluded=SKIPPED if one.skipped else excluded(said.values()),
        )


def _answered(one: Annotation, control: str) -> Answer:
    fields = [value for name, value in one.row.values.items() if name not in OWN]
    values = one.values(control)
    return answer(values, originals=fields, path=one.row.file) if values else Answer(text="")


def _controls(found: Sequence[Annotation]) -> tuple[str, ...]:
    named = (str(result["from_name"]) for one in found for result in one.results if "from_name" in result)
    return tuple(dict.fromkeys(named))


def _annotations(task: files.Row) -> Iterator[Annotation]:
    data, annotations = task.values.get("data"), task.values.get("annotations")
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise BadInput("The task has no `data` or no list of `annotations`.", where=task.where(), remedy=REMEDY)
    for one in annotations:
        results = one.get("result") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(results, list):
            raise BadInput("The annotation has no `result`.", where=task.where("annotations"), remedy=REMEDY)
        own = {
            "id": task.values.get("id"),
            "annotator": _person(one.get("completed_by")),
            "annotation_id": one.get("id"),
            **{name: one.get(name) for name in ("lead_time", "created_at", "updated_at")},
        }
        yield Annotation(
            row=files.Row(task.file, task.line, {**data, **own}),
            results=tuple(result for result in results if isinstance(result, dict)),
            skipped=bool(one.get("was_cancelled")),
        )


def _person(completed_by: Any) -> Any:
    """A number in exports, the whole user in some answers of the server."""
    if isinstance(completed_by, dict):
        return completed_by.get("id") or completed_by.get("email")
    return completed_by


def _only_control(found: Sequence[Annotation], path: Path) -> str:
    names = _controls(found)
    if len(names) == 1:
        return names[0]
    raise BadInput(
        f"The file has answers of {len(names)} controls{': ' * bool(names)}{', '.join(names)}.",
        where=files.Row(path, 1, {}).where("votes.answer"),
        remedy="Name the one that counts as `votes.answer`, or those of several questions as `votes.answers`.",
    )
