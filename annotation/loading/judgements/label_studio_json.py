"""Reads votes from Label Studio's JSON: tasks with `data` and `annotations`, or JSON_MIN with one flat object per vote.

Drafts and predictions are no answers and are ignored; skipped tasks have an exclusion. Annotations of our own tasks are
read as they are when they are pulled: of several by one person the latest answer, from the regions of its controls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation import input_files
from annotation.campaigns.project_file import VotesSection
from annotation.campaigns.questions import (
    ChoiceQuestion,
    ChoicesQuestion,
    EditQuestion,
    Question,
    QuestionContent,
    ScaleQuestion,
    SpanQuestion,
    TextQuestion,
    question_base,
)
from annotation.errors import BadInput, Where
from annotation.loading.items import formats
from annotation.loading.judgements import label_studio_csv
from annotation.loading.judgements.label_studio_values import (
    ADDED_COLUMNS,
    ControlAnswer,
    add_answers,
    find_exclusion,
    parse_control,
    parse_lead_time,
    read_classes,
    require_control,
)
from annotation.loading.judgements.raw_votes import RawVote, get_annotator, get_item_key
from annotation.vocabulary import SKIPPED

ASSIGNMENT_KEY = "hromada"
"""The data key of our assignment id, since Label Studio has ids of its own only."""
ITEM_KEY = "item"
"""The data key of the item's id."""
SECOND_PASS_KEY = "second"  # noqa: S105  # no password, a pass over the items
"""The data key of the HTML of the second pass: first answers, right answers, the explanation."""
SKIP_REASON = "skipped in Label Studio"
PUSH_AGAIN_REMEDY = "Push the project again; its configuration was changed in Label Studio."


def list_pass_questions(questions: Sequence[Question], *, second_pass: bool) -> tuple[Question, ...]:
    """The questions of a pass: those of step 1; in the second pass those of later steps, or else all."""
    later = tuple(question for question in questions if question.step > 1)
    if not second_pass:
        return tuple(question for question in questions if question.step == 1)
    return later or tuple(questions)


def get_none_control(question: SpanQuestion) -> str:
    """The name of the checkbox for "nothing to mark"."""
    return f"{question.name}:none"


def list_option_texts(question: Question, own: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The texts of the options, in the order of the project file."""
    if isinstance(question, ChoiceQuestion | ChoicesQuestion):
        return question.get_options(own)
    return question.options if isinstance(question, ScaleQuestion) else ()


def list_option_labels(question: Question, own: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The labels under which the options are stored, by us and, as aliases, by Label Studio."""
    return question.get_labels(own) if isinstance(question, ChoiceQuestion) else list_option_texts(question, own)


def read_answers(
    questions: Sequence[Question],
    result: Sequence[Mapping[str, Any]],
    content: QuestionContent,
    *,
    first: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """The raw answers by question of an annotation, as the answer parser of `questions` takes them.

    In the second pass `first` are the annotator's stored first answers, which stay where a question is not asked again.
    Answers to questions that were hidden at the end are left out. Raises BadInput for unknown controls and options, and
    for several texts where one is asked for.
    """
    asked = list_pass_questions(questions, second_pass=first is not None)
    given = _read_results(asked, result, content, first=first or {})
    return select_visible_answers(questions, {**(first or {}), **given}, content)


def describe_answers(
    questions: Sequence[Question], raw: Mapping[str, object], parsed: Mapping[str, str], content: QuestionContent
) -> str:
    """What is kept of an annotation as it was received: the option's text or the answer; of several questions JSON."""
    if len(questions) > 1:
        return json.dumps(dict(raw), ensure_ascii=False, default=str)
    question, answer = questions[0], parsed.get(questions[0].name, "")
    texts = list_option_texts(question, content.options)
    return dict(zip(list_option_labels(question, content.options), texts, strict=True)).get(answer, answer)


def _read_results(
    questions: Sequence[Question],
    result: Sequence[Mapping[str, Any]],
    content: QuestionContent,
    *,
    first: Mapping[str, str],
) -> dict[str, object]:
    """The answers by question; controls that were not touched have none."""
    by_control = {question.name: question for question in questions}
    by_control |= {get_none_control(question): question for question in questions if isinstance(question, SpanQuestion)}
    values: dict[str, list[Any]] = {}
    for region in result:
        name = str(region.get("from_name"))
        if name not in by_control:
            raise BadInput(
                f"Label Studio has an answer of {name!r}, which the project does not ask.",
                where=Where(field=name),
                remedy=PUSH_AGAIN_REMEDY,
            )
        values.setdefault(name, []).append(region.get("value"))
    answers = {question.name: _read_answer(question, values, content, first) for question in questions}
    return {name: answer for name, answer in answers.items() if answer is not None}


def select_visible_answers(
    questions: Sequence[Question], raw: Mapping[str, object], content: QuestionContent
) -> dict[str, object]:
    """The answers to the questions that were visible at the end; no ticked box is an answer where that is allowed."""
    encoded: dict[str, str] = {}
    kept: dict[str, object] = {}
    for question in questions:
        if not question_base.is_asked(question, encoded):
            continue
        given = raw.get(question.name)
        if given is None and isinstance(question, ChoicesQuestion) and question.required and question.least == 0:
            given = []
        if question.is_unanswered(given):
            continue
        kept[question.name] = given
        encoded[question.name] = question.encode_answer(question.parse_answer(given, content))
    return kept


def _read_answer(
    question: Question, values: Mapping[str, list[Any]], content: QuestionContent, first: Mapping[str, str]
) -> object:
    given = values.get(question.name, [])
    match question:
        case ChoiceQuestion() | ScaleQuestion():
            chosen = _read_labels(question, given, content)
            return None if not chosen else chosen[0] if len(chosen) == 1 else _refuse_several(question, chosen)
        case ChoicesQuestion():
            return _read_labels(question, given, content) or None
        case EditQuestion():
            written = _read_texts(question, given)
            filled = {(first.get(question.name) or content.fields.get(question.field, "")).strip()}
            return _take_single_text(question, [text for text in written if text.strip() not in filled] or written[:1])
        case TextQuestion():
            return _take_single_text(question, _read_texts(question, given))
        case SpanQuestion():
            nothing = bool(values.get(get_none_control(question)))
            return _read_spans(question, given, content, nothing=nothing)
    return None


def _read_labels(question: Question, given: Sequence[Any], content: QuestionContent) -> list[str]:
    """The chosen labels, in the order of the result."""
    labels = list_option_labels(question, content.options)
    chosen: list[str] = []
    for value in given:
        listed = value.get("choices") if isinstance(value, Mapping) else value
        for one in _read_list(question, listed):
            label = one[0] if isinstance(one, list) and len(one) == 1 else one
            if label not in labels:
                raise question.build_refusal(f"has {label!r} in Label Studio, which is no option.", PUSH_AGAIN_REMEDY)
            chosen.append(label)
    return list(dict.fromkeys(chosen))


def _read_texts(question: Question, given: Sequence[Any]) -> list[str]:
    """Every text once: a TextArea returns "…", ["…"] or {"text": …} of either."""
    texts: list[str] = []
    for value in given:
        inner = value.get("text") if isinstance(value, Mapping) else value
        texts += [str(text) for text in _read_list(question, inner)]
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _read_list(question: Question, value: Any) -> list[Any]:
    """A value of a control as a list: one text is a list of one, nothing an empty list."""
    if isinstance(value, str):
        return [value]
    if value is not None and not isinstance(value, list):
        raise question.build_refusal("has a value in Label Studio that no control writes.", "Answer the task anew.")
    return value or []


def _take_single_text(question: Question, texts: Sequence[str]) -> str | None:
    return None if not texts else texts[0] if len(texts) == 1 else _refuse_several(question, texts)


def _refuse_several(question: Question, answers: Sequence[str]) -> str:
    raise question.build_refusal(
        f"has {len(answers)} answers in Label Studio: {' · '.join(answer[:40] for answer in answers)}.",
        "Open the task there and leave one.",
    )


def _read_spans(question: SpanQuestion, given: Sequence[Any], content: QuestionContent, *, nothing: bool) -> object:
    text = content.fields.get(question.field, "")
    spans = [
        span | ({"label": label} if question.labels is not None and label else {})
        for value in given
        for span in [_read_span(question, value, text)]
        for label in read_classes(value if isinstance(value, Mapping) else {}) or [""]
    ]
    if spans and nothing:
        raise question.build_refusal(
            "is marked and said not to be there, in Label Studio.", "Open the task, leave one."
        )
    return spans or (question.none if nothing else None)


def _read_span(question: SpanQuestion, value: Any, text: str) -> dict[str, object]:
    """A span; Label Studio counts characters as we do, and writes line breaks of the marked text as `\\n`."""
    value = value if isinstance(value, Mapping) else {}
    offsets = value.get("globalOffsets") or value
    offsets = offsets if isinstance(offsets, Mapping) else {}
    start, end = offsets.get("start"), offsets.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        raise question.build_refusal("has a part without a place in Label Studio.", "Open the task and mark it again.")
    marked_text = value.get("text")
    if isinstance(marked_text, str) and marked_text.replace("\\n", "\n") != text[start:end].replace("\\n", "\n"):
        raise question.build_refusal(
            f"has {marked_text!r} marked in Label Studio, where the item says {text[start:end]!r}.",
            "The item was changed; push it again.",
        )
    return {"start": start, "end": end, "text": text[start:end]}


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
    rows = list(formats.read_json_objects(path))
    if rows and not any("annotations" in row.values for row in rows):
        yield from label_studio_csv.read_flat_rows(rows, section)
        return
    own = [row for row in rows if _is_own_task(row)]
    if own:
        if len(own) < len(rows):
            other = next(row for row in rows if not _is_own_task(row))
            raise BadInput("The task is not ours, and others in the file are.", where=other.where(), remedy=REMEDY)
        yield from _read_own_votes(own, section)
        return
    annotations = [annotation for row in rows for annotation in _list_annotations(row)]
    controls = tuple(section.answers.values()) or (section.answer or _get_only_control(annotations, path),)
    if section.answers:
        require_control(controls, _list_controls(annotations), row=input_files.FileRow(path, 1, {}))
    columns = section.item or ("id",)
    for number, annotation in enumerate(annotations):
        if number == 0:
            input_files.require_columns({"votes.item": columns}, annotation.row)
        answers = {control: _parse_answer(annotation, control) for control in controls}
        yield RawVote(
            key=get_item_key(annotation.row, columns),
            annotator=get_annotator(annotation.row, section.annotator or "annotator"),
            row=add_answers(annotation.row, answers) if section.answers else annotation.row,
            seconds=parse_lead_time(annotation.row.values.get("lead_time"), row=annotation.row),
            answer=answers[controls[0]].text,
            exclusion=SKIPPED if annotation.skipped else find_exclusion(answers.values()),
        )


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
                seconds=parse_lead_time(annotation.row.values.get("lead_time"), row=annotation.row),
                exclusion=SKIPPED if annotation.skipped else None,
                result=annotation.results,
                second_pass=SECOND_PASS_KEY in annotation.row.values,
            )


def _get_place_in_time(annotation: Annotation) -> tuple[bool, str, int]:
    """What annotations of one task are sorted by: skips first, then by the time of the last change."""
    values = annotation.row.values
    number = values.get("annotation_id")
    return not annotation.skipped, str(values.get("updated_at") or ""), number if isinstance(number, int) else 0


def _parse_answer(annotation: Annotation, control: str) -> ControlAnswer:
    fields = [value for name, value in annotation.row.values.items() if name not in ADDED_COLUMNS]
    values = annotation.values(control)
    return parse_control(values, originals=fields, path=annotation.row.file) if values else ControlAnswer(text="")


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
            where=task.where("annotations" if isinstance(data, dict) else "data"),
            remedy=REMEDY,
        )
    for annotation in annotations:
        results = annotation.get("result") if isinstance(annotation, dict) else None
        if not isinstance(annotation, dict) or not isinstance(results, list):
            raise BadInput("The annotation has no `result`.", where=task.where("annotations"), remedy=REMEDY)
        own = {
            "id": task.values.get("id"),
            "annotator": _get_annotator_id(annotation.get("completed_by")),
            "annotation_id": annotation.get("id"),
            **{name: annotation.get(name) for name in ("lead_time", "created_at", "updated_at")},
        }
        yield Annotation(
            row=input_files.FileRow(task.file, task.line, {**data, **own}),
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
        f"The file has answers of {len(names)} controls{': ' * bool(names)}{', '.join(names)}.",
        where=input_files.FileRow(path, 1, {}).where("votes.answer"),
        remedy="Name the one that counts as `votes.answer`, or those of several questions as `votes.answers`.",
    )
