"""Each answer to a question of the type `edit` as a pair of texts, or with the reason why there is no pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from aggregation.text_difference import (
    DiffPart,
    EditMeasures,
    compute_difference,
    measure_edits,
    normalize_text,
)
from exports import writers
from exports.benchmark_items.answer_spaces import ANSWER_SPACES
from exports.full_responses import FullResponse, FullResponses, QuestionSpec
from exports.pages.translation import mark_text

STORY_COLUMNS: writers.ColumnTypes = MappingProxyType(
    {
        "dataset": "text", "question": "text", "item_id": "text", "item_revision": "integer", "group": "text",
        "annotator": "text", "status": "text", "reasons": "texts", "original": "text", "corrected": "text",
        "difference": "pairs", "cer": "number", "wer": "number", "chrf": "number", "words_kept": "number",
        "characters_changed": "integer", "words_changed": "integer", "seconds": "number", "other_answers": "object",
        "adjudicated": "text",
    }
)  # fmt: skip

Verdict = Literal["gold", "right", "other", "broken"]
"""What adjudicators made of a correction: the published text, right as well, neither, or that the item is broken."""
VERDICTS: Mapping[Verdict, str] = MappingProxyType(
    {
        "gold": mark_text("adjudicated: the published text"),
        "right": mark_text("adjudicated: right as well"),
        "other": mark_text("adjudicated: not chosen"),
        "broken": mark_text("adjudicated: the item is broken"),
    }
)
"""The same in words for a page."""
CorrectionStatus = Literal["corrected", "unchanged", "unusable", "not answered", "skipped", "text changed"]
STATUSES: Mapping[CorrectionStatus, str] = MappingProxyType(
    {
        "corrected": "the text was changed",
        "unchanged": "the text was confirmed as it stood",
        "unusable": "an earlier answer said that there is nothing to correct; its reasons stand beside it",
        "not answered": "the question was asked and left empty",
        "skipped": "the item was skipped",
        "text changed": "the item was changed after the answer, so the text that was corrected is not known any more",
    }
)


@dataclass(frozen=True, kw_only=True)
class Correction:
    """One annotator's correction of one text; `parts` and `edits` are set where the status is corrected or unchanged.

    `reasons` are the labels given for an unusable text, or the reason of a skip; `other_answers` are the annotator's
    answers to all other questions, and `marks` those of them that were ticked in a box that stands alone, like "worth
    attention". `adjudicated` is None where no adjudicator decided on the story, and without a
    correction that they could have judged.
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
    adjudicated: Verdict | None = None

    @property
    def row(self) -> writers.DataRow:
        """The correction as a row of the columns STORY_COLUMNS."""
        edits = self.edits
        return {
            "dataset": self.dataset, "question": self.question, "item_id": self.item_id,
            "item_revision": self.item_revision, "group": self.group, "annotator": self.annotator,
            "status": self.status, "reasons": list(self.reasons), "original": self.original,
            "corrected": self.corrected, "difference": [list(part) for part in self.parts] if edits else None,
            "cer": edits and edits.cer, "wer": edits and edits.wer, "chrf": edits and edits.chrf,
            "words_kept": edits and edits.words_kept, "characters_changed": edits and edits.characters_changed,
            "words_changed": edits and edits.words_changed, "seconds": self.seconds,
            "other_answers": dict(self.other_answers), "adjudicated": self.adjudicated,
        }  # fmt: skip


def list_edit_questions(responses: FullResponses) -> tuple[QuestionSpec, ...]:
    """The questions that ask for a corrected text."""
    return tuple(question for question in responses.questions if question.answer_type.revises_text)


def list_reason_questions(responses: FullResponses, edit: QuestionSpec) -> tuple[QuestionSpec, ...]:
    """The questions that ask why a text is unusable: boxes or options asked after answers that skip the edit."""
    return tuple(
        question
        for question in responses.questions
        if ANSWER_SPACES[question.kind].names_reasons
        and any(
            name in edit.show_if and not set(values) & set(edit.show_if[name])
            for name, values in question.show_if.items()
        )
    )


def list_mark_questions(responses: FullResponses) -> tuple[QuestionSpec, ...]:
    """The questions with a single box to tick, by which annotators mark what somebody should look at."""
    boxes = (one for one in responses.questions if one.answer_type.has_options and not one.answer_type.is_label)
    return tuple(question for question in boxes if len(question.options or ()) == 1)


def get_original(responses: FullResponses, edit: QuestionSpec, item_id: str) -> str:
    """The text that is corrected, normalized; empty where the item has none."""
    return normalize_text(responses.contents[item_id].fields.get(edit.field or "", ""))


def list_corrections(responses: FullResponses, edit: QuestionSpec) -> Iterator[Correction]:
    """One correction for each response that counts, by item and annotator."""
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
    responses: FullResponses, edit: QuestionSpec, item_id: str, corrected: str | None
) -> Verdict | None:
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
    responses: FullResponses, edit: QuestionSpec, response: FullResponse, original: str, *, current: bool
) -> CorrectionStatus:
    """The status of a response; `current` says that the item has not changed since it."""
    answer = response.answers.get(edit.name)
    if answer is not None:
        return "text changed" if not current else "unchanged" if normalize_text(answer) == original else "corrected"
    if response.skip_reason is not None:
        return "skipped"
    return "not answered" if responses.was_asked(edit.name, response.answers) else "unusable"


def _list_reasons(
    responses: FullResponses, questions: Sequence[QuestionSpec], response: FullResponse, *, status: CorrectionStatus
) -> tuple[str, ...]:
    if status == "skipped":
        return (str(response.skip_reason),)
    if status != "unusable":
        return ()
    return tuple(label for question in questions for label in responses.list_labels(question.name, response.answers))


def _list_other_answers(
    responses: FullResponses, excluded: Sequence[QuestionSpec], response: FullResponse
) -> dict[str, str]:
    """The answers to all questions but the excluded ones, as stored, in the order of the questions."""
    names = {question.name for question in excluded}
    return {
        question.name: response.answers[question.name]
        for question in responses.questions
        if question.name in response.answers and question.name not in names
    }
