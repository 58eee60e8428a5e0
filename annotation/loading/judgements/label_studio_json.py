"""Reads votes from Label Studio's JSON: tasks with `data` and `annotations`, or JSON_MIN with one flat object per vote.

Drafts and predictions are nobody's answers and are only counted; skipped tasks have an exclusion. Annotations of our
own tasks are read as they are when they are pulled: of several by one person the latest answer, from the regions of its
controls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.errors import BadInput, Where
from annotation.label_studio_controls import span_control
from annotation.loading.judgements import label_studio_values
from annotation.loading.judgements.label_studio_values import ASSIGNMENT_KEY, ITEM_KEY, SECOND_PASS_KEY
from annotation.loading.judgements.other_tools import RawVote, Region, get_annotator, get_item_key
from annotation.loading.tables import json_rows
from annotation.vocabulary import DRAFT, PREDICTION, SKIPPED

SKIP_REASON = "skipped in Label Studio"
REMEDY = "Export the project from Label Studio as JSON."


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """One annotation of a task; `row` is its row in Label Studio's CSV without the controls."""

    row: input_files.FileRow
    results: tuple[Mapping[str, Any], ...]
    skipped: bool

    def values(self, control: str) -> list[Any]:
        """The values of a control, one per region."""
        return [result.get("value") for result in self.results if result.get("from_name") == control]


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per annotation, in file order."""
    rows = list(json_rows.read_json_objects(path, under=section.path, encoding=section.encoding))
    if rows and not any("annotations" in row.values for row in rows):
        yield from label_studio_values.read_flat_rows(rows, section)
        return
    own = [row for row in rows if _is_own_task(row)]
    if own:
        if len(own) < len(rows):
            other = next(row for row in rows if not _is_own_task(row))
            place = label_studio_values.name_annotation(other).where()
            raise BadInput("The task is not ours, and others in the file are.", where=place, remedy=REMEDY)
        yield from _list_other_answers(rows)
        yield from _read_own_votes(own, section)
        return
    yield from _list_other_answers(rows)
    annotations = [annotation for row in rows for annotation in _list_annotations(row)]
    controls = tuple(section.answers.values()) or (section.answer or _get_only_control(annotations, path),)
    if section.answers:
        label_studio_values.require_control(controls, _list_controls(annotations), path=path)
    columns = section.item or ("id",)
    for number, annotation in enumerate(annotations):
        if number == 0:
            input_files.require_columns({"votes.item": columns}, annotation.row)
        yield _build_vote(annotation, section, controls)


def read_task_votes(task: input_files.FileRow, section: VotesSection) -> list[RawVote]:
    """Read the annotations of one task as votes, whatever controls they are of; `section` names those that count."""
    controls = tuple(section.answers.values()) or (section.answer or "",)
    return [_build_vote(annotation, section, controls) for annotation in _list_annotations(task)]


def _build_vote(annotation: Annotation, section: VotesSection, controls: Sequence[str]) -> RawVote:
    answers = {control: _parse_answer(annotation, control) for control in controls}
    return RawVote(
        key=get_item_key(annotation.row, section.item or ("id",)),
        annotator=get_annotator(annotation.row, section.annotator or "annotator"),
        row=label_studio_values.add_answers(annotation.row, answers) if section.answers else annotation.row,
        seconds=label_studio_values.parse_lead_time(annotation.row.values.get("lead_time"), row=annotation.row),
        answer=answers[controls[0]].text,
        exclusion=SKIPPED if annotation.skipped else label_studio_values.find_exclusion(answers.values()),
        regions=tuple(_list_places(annotation, controls)),
        objects=dict(_list_compared(annotation)),
    )


def _list_other_answers(tasks: Iterable[input_files.FileRow]) -> Iterator[RawVote]:
    """What is nobody's answer: the drafts and predictions of the tasks, for their number."""
    for task in tasks:
        for key, exclusion in (("drafts", DRAFT), ("predictions", PREDICTION)):
            listed = task.values.get(key)
            for _ in listed if isinstance(listed, list) else ():
                yield RawVote(key=(), annotator="", answer="", row=task, exclusion=exclusion)


def _list_places(annotation: Annotation, controls: Sequence[str]) -> Iterator[Region]:
    """Where the marked parts of an annotation are, and the ids of their regions."""
    for result in annotation.results:
        place = span_control.read_place(result.get("value"))
        if place is not None and result.get("from_name") in controls and isinstance(result.get("id"), str):
            yield Region(*place, name=result["id"])


def _list_compared(annotation: Annotation) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The controls Pairwise of an annotation, with the names of the texts that they compare."""
    for result in annotation.results:
        names = result.get("to_name")
        if result.get("type") == "pairwise" and isinstance(names, list):
            yield str(result.get("from_name")), tuple(map(str, names))


def _is_own_task(task: input_files.FileRow) -> bool:
    """Whether `hromada label-studio push` made the task."""
    data = task.values.get("data")
    return isinstance(data, dict) and {ASSIGNMENT_KEY, ITEM_KEY} <= data.keys()


def _read_own_votes(tasks: Sequence[input_files.FileRow], section: VotesSection) -> Iterator[RawVote]:
    """Read one vote per task and person: the latest answer, else the latest skip."""
    for task in tasks:
        latest: dict[str, Annotation] = {}
        for annotation in sorted(_list_annotations(task), key=_get_place_in_time):
            latest[get_annotator(annotation.row, section.annotator or "annotator")] = annotation
        for annotator, annotation in latest.items():
            yield RawVote(
                key=get_item_key(annotation.row, section.item or (ITEM_KEY,)),
                annotator=annotator,
                answer="",
                row=annotation.row,
                seconds=label_studio_values.parse_lead_time(annotation.row.values.get("lead_time"), row=annotation.row),
                exclusion=SKIPPED if annotation.skipped else None,
                result=annotation.results,
                second_pass=SECOND_PASS_KEY in annotation.row.values,
            )


def _get_place_in_time(annotation: Annotation) -> tuple[bool, str, int]:
    """What annotations of one task are sorted by: skips first, then by the time of the last change."""
    values = annotation.row.values
    number = values.get("annotation_id")
    return not annotation.skipped, str(values.get("updated_at") or ""), number if isinstance(number, int) else 0


def _parse_answer(annotation: Annotation, control: str) -> label_studio_values.ControlAnswer:
    fields = [value for name, value in annotation.row.values.items() if name not in label_studio_values.ADDED_COLUMNS]
    values = annotation.values(control)
    return (
        label_studio_values.parse_control(values, originals=fields, row=annotation.row, name=control)
        if values
        else label_studio_values.ControlAnswer(text="")
    )


def _list_controls(annotations: Sequence[Annotation]) -> tuple[str, ...]:
    named = (
        str(result["from_name"]) for annotation in annotations for result in annotation.results if "from_name" in result
    )
    return tuple(dict.fromkeys(named))


def _list_annotations(task: input_files.FileRow) -> Iterator[Annotation]:
    data, annotations = task.values.get("data"), task.values.get("annotations")
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise BadInput(
            "The task has no `data` or no list of `annotations`.",
            where=label_studio_values.name_annotation(task).where("annotations" if isinstance(data, dict) else "data"),
            remedy=REMEDY,
        )
    for annotation in annotations:
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(annotation, dict) or not isinstance(results, list):
            place = label_studio_values.name_annotation(task).where("annotations")
            raise BadInput("The annotation has no `result`.", where=place, remedy=REMEDY)
        own = {
            "id": task.values.get("id"),
            "annotator": _get_annotator_id(annotation.get("completed_by")),
            "annotation_id": annotation.get("id"),
            **{name: annotation.get(name) for name in ("lead_time", "created_at", "updated_at")},
        }
        yield Annotation(
            row=label_studio_values.name_annotation(task._replace(values={**data, **own})),
            results=tuple(result for result in results if isinstance(result, dict)),
            skipped=bool(annotation.get("was_cancelled")),
        )


def _get_annotator_id(completed_by: Any) -> Any:
    """The annotator's id: a number in exports, a user object in some answers of the server."""
    if isinstance(completed_by, dict):
        return completed_by.get("id") or completed_by.get("email")
    return completed_by


def _get_only_control(annotations: Sequence[Annotation], path: Path) -> str:
    names = _list_controls(annotations)
    if len(names) == 1:
        return names[0]
    raise BadInput(
        f"The file has answers of {len(names)} controls{': ' * bool(names)}{input_files.format_columns(names)}.",
        where=Where(file=path, field="votes.answer"),
        remedy="Name the one that counts as `votes.answer`, or those of several questions as `votes.answers`.",
    )
