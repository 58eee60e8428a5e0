"""Corrections of texts, one per answer, and the rows of stories.csv that are made of them.

A *story* is an item with a question of the type `edit` and all its corrections. Its *text* is what annotators are asked
to correct. A correction is a *pair* if it has a corrected text, changed or not, and it is known which text was
corrected. Only pairs have a difference and numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from aggregation.text_difference import DiffPart, EditMeasures, compute_difference, measure_edits, normalize_text
from exports import writers
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.joint_answers import JointAnswer, JointAnswers, QuestionSpec
from exports.pages.localization import mark_text

STORY_COLUMNS: writers.ColumnTypes = MappingProxyType(
    {
        "dataset": "text", "question": "text", "item_id": "text", "item_revision": "integer", "group": "text",
        "annotator": "text", "status": "text", "reasons": "texts", "original": "text", "corrected": "text",
        "difference": "pairs", "cer": "number", "wer": "number", "chrf": "number", "words_kept": "number",
        "characters_changed": "integer", "words_changed": "integer", "most_dropped": "boolean", "seconds": "number",
        "other_answers": "object", "adjudicated": "text",
    }
)  # fmt: skip

Decision = Literal["gold", "right", "other", "broken"]
"""What adjudicators decided about a correction: it is the published text, it is also correct, or neither (`other`).

`broken` is about the item: no correction of it is correct.
"""
DECISIONS: Mapping[Decision, str] = MappingProxyType(
    {
        "gold": mark_text("adjudicated: the published text"),
        "right": mark_text("adjudicated: right as well"),
        "other": mark_text("adjudicated: not chosen"),
        "broken": mark_text("adjudicated: the item is broken"),
    }
)
"""The same in words, for a page."""
CorrectionStatus = Literal["corrected", "unchanged", "unusable", "not answered", "skipped", "text changed"]
STATUSES: Mapping[CorrectionStatus, str] = MappingProxyType(
    {
        "corrected": "the text was changed",
        "unchanged": "the text was confirmed as it is",
        "unusable": "an earlier answer said that the text is unusable, so the question was not asked",
        "not answered": "the question was asked and left empty",
        "skipped": "the item was skipped",
        "text changed": "the item was changed after the answer, so the text that was corrected is no longer known",
    }
)
"""What each status means."""


@dataclass(frozen=True, kw_only=True)
class Correction:
    """One annotator's answer about one story, with any status.

    `original` is the present text of the item; if the status is "text changed", the annotator corrected an earlier one.
    `corrected` is None if there is no corrected text. `parts` and `edits` are set only for a pair, whose status is
    "corrected" or "unchanged".

    `reasons` are the labels given for an unusable text, or the reason of a skip. `other_answers` are the answers to all
    other questions, except those that ask for these reasons. `marks` are the ticked labels of questions with a single
    checkbox, like "worth attention".

    `adjudicated` is None if no adjudicator decided about the story. If they found the item broken, it is "broken" for
    each of its corrections. Otherwise it is None for corrections that are not a pair.
    """

    dataset: str
    question: str
    item_id: str
    item_revision: int
    group: str
    annotator: str
    status: CorrectionStatus
    original: str
    reasons: tuple[str, ...] = ()
    corrected: str | None = None
    parts: tuple[DiffPart, ...] = ()
    edits: EditMeasures | None = None
    seconds: float | None = None
    other_answers: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    adjudicated: Decision | None = None

    @property
    def row(self) -> writers.DataRow:
        """The correction as a row with the columns STORY_COLUMNS."""
        values = vars(self) | (vars(self.edits) if self.edits else {})
        values |= {"reasons": list(self.reasons), "other_answers": dict(self.other_answers)}
        values["difference"] = [list(part) for part in self.parts] if self.edits else None
        return {column: values.get(column) for column in STORY_COLUMNS}


def list_edit_questions(responses: JointAnswers) -> tuple[QuestionSpec, ...]:
    """Return the questions that ask for a corrected text."""
    return tuple(question for question in responses.questions if question.answer_type.revises_text)


def list_reason_questions(responses: JointAnswers, edit: QuestionSpec) -> tuple[QuestionSpec, ...]:
    """Return the questions that ask why a text is unusable.

    These are the `choice` and `choices` questions that are shown only after an answer with which `edit` is not asked.
    """
    return tuple(
        question
        for question in responses.questions
        if ANSWER_SPACES[question.kind].names_reasons
        and any(
            name in edit.show_if and not set(values) & set(edit.show_if[name])
            for name, values in question.show_if.items()
        )
    )


def list_mark_questions(responses: JointAnswers) -> tuple[QuestionSpec, ...]:
    """Return the questions with a single checkbox, by which annotators mark what somebody should look at."""
    return tuple(
        question
        for question in responses.questions
        if question.answer_type.has_options and not question.answer_type.is_label and len(question.options or ()) == 1
    )


def get_original(responses: JointAnswers, edit: QuestionSpec, item_id: str) -> str:
    """Return the present text of the item that `edit` asks to correct, normalized; empty if the item has none."""
    return normalize_text(responses.contents[item_id].fields.get(edit.field or "", ""))


def list_corrections(responses: JointAnswers, edit: QuestionSpec) -> Iterator[Correction]:
    """Yield a correction for each response that counts, skips included, sorted by item and annotator."""
    items = responses.data.items
    revisions = dict(zip(items["item_id"], items["item_revision"], strict=True))
    groups = dict(zip(items["item_id"], items["group"], strict=True))
    reason_questions, marks = list_reason_questions(responses, edit), list_mark_questions(responses)
    for response in responses.list_counted():
        original = get_original(responses, edit, response.item_id)
        answer = response.answers.get(edit.name)
        current = response.item_revision == revisions[response.item_id]
        status = _get_status(responses, edit, response, original, current=current)
        corrected = None if answer is None else normalize_text(answer)
        is_pair = corrected is not None and status in {"corrected", "unchanged"}
        parts = compute_difference(original, corrected) if is_pair and corrected is not None else ()
        yield Correction(
            dataset=responses.data.name,
            question=edit.name,
            item_id=response.item_id,
            item_revision=response.item_revision,
            group=str(groups[response.item_id]),
            annotator=response.annotator,
            status=status,
            original=original,
            reasons=_list_reasons(responses, reason_questions, response, status=status),
            corrected=corrected,
            parts=parts,
            edits=measure_edits(original, corrected, parts) if is_pair and corrected is not None else None,
            seconds=response.seconds,
            other_answers=_list_other_answers(responses, (edit, *reason_questions), response),
            marks=tuple(
                label for question in marks for label in responses.list_labels(question.name, response.answers)
            ),
            adjudicated=_judge_correction(responses, edit, response.item_id, corrected if is_pair else None),
        )


def _judge_correction(
    responses: JointAnswers, edit: QuestionSpec, item_id: str, corrected: str | None
) -> Decision | None:
    """Return what adjudicators decided about a correction; `corrected` is None if it is not a pair."""
    decided = responses.adjudicated.get(edit.name, {}).get(item_id)
    if decided is None:
        return None
    if decided.gold is None:
        return "broken"
    if corrected is None:
        return None
    right = [normalize_text(label) for label in decided.labels]
    return "gold" if corrected == right[0] else "right" if corrected in right else "other"


def _get_status(
    responses: JointAnswers, edit: QuestionSpec, response: JointAnswer, original: str, *, current: bool
) -> CorrectionStatus:
    """Return the status of a response; `current` says that the item has not changed since it was answered."""
    answer = response.answers.get(edit.name)
    if answer is not None:
        return "text changed" if not current else "unchanged" if normalize_text(answer) == original else "corrected"
    if response.skip_reason is not None:
        return "skipped"
    return "not answered" if responses.was_asked(edit.name, response.answers) else "unusable"


def _list_reasons(
    responses: JointAnswers, questions: Sequence[QuestionSpec], response: JointAnswer, *, status: CorrectionStatus
) -> tuple[str, ...]:
    """Return the reason of a skip, or the labels that say why a text is unusable; empty for any other status."""
    if status == "skipped":
        return (str(response.skip_reason),)
    if status != "unusable":
        return ()
    return tuple(label for question in questions for label in responses.list_labels(question.name, response.answers))


def _list_other_answers(
    responses: JointAnswers, excluded: Sequence[QuestionSpec], response: JointAnswer
) -> dict[str, str]:
    """Return the answers to all questions except the excluded ones, as stored, in the order of the questions."""
    names = {question.name for question in excluded}
    return {
        question.name: response.answers[question.name]
        for question in responses.questions
        if question.name in response.answers and question.name not in names
    }
