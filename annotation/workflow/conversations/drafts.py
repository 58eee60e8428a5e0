"""Incomplete answers to an item, and the question of it that is asked next."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.campaigns.questions import question_base
from annotation.workflow.assignments import ShownQuestion


@dataclass(frozen=True, kw_only=True)
class AnswerDraft:
    """Incomplete answers to an item.

    `answers` holds the finished answers by question name, as `submit_judgement` takes them; None stands for an optional
    question that was left without an answer. `entry` is what was entered so far for the question that is asked now: any
    JSON value, None for nothing. `messages` holds the ids of the annotator's messages by the question that they answer.
    With `is_below` the question is asked in a message of its own below the item. `aside` are the entries of questions
    that were left for an earlier one, by question name. `page` is what was entered on the answer page: see `PageDraft`.
    """

    assignment_id: int
    revision: int
    answers: dict[str, Any] = dataclasses.field(default_factory=dict)
    entry: Any = None
    aside: dict[str, Any] = dataclasses.field(default_factory=dict)
    messages: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    is_below: bool = False
    page: dict[str, Any] | None = None

    @property
    def given_answers(self) -> dict[str, Any]:
        """The answers without the questions that were left without one."""
        return {name: answer for name, answer in self.answers.items() if answer is not None}


@dataclass(frozen=True, kw_only=True)
class AskedQuestion:
    """The question of an item that is asked now: its index, and the draft with what was answered and entered before.

    `language` is that of the project, `stimulus` the text of the item.
    """

    shown: ShownQuestion
    index: int
    draft: AnswerDraft
    language: str
    stimulus: str = ""

    @property
    def address(self) -> tuple[int, int, int]:
        """The assignment, the revision and the index of the question: how the data of its buttons begins."""
        return self.draft.assignment_id, self.draft.revision, self.index

    def with_entry(self, entry: Any) -> AnswerDraft:
        """The draft with another entry; the question is still asked."""
        return replace(self.draft, entry=entry)

    def with_answer(self, answer: Any) -> AnswerDraft:
        """The draft with the answer to the question; None leaves it without an answer."""
        return replace(self.draft, answers=self.draft.answers | {self.shown.name: answer}, entry=None)


def find_asked_question(
    questions: Sequence[ShownQuestion], draft: AnswerDraft, *, language: str, stimulus: str = ""
) -> AskedQuestion | None:
    """The question to ask next: the first one without an answer whose `show_if` holds. None where none is left."""
    stored_answers: dict[str, str] = {}
    for index, shown in enumerate(questions):
        if shown.name not in draft.answers:
            if question_base.is_asked(shown.question, stored_answers):
                return AskedQuestion(shown=shown, index=index, draft=draft, language=language, stimulus=stimulus)
        elif draft.answers[shown.name] is not None:
            stored_answers[shown.name] = encode_answer(draft.answers[shown.name])
    return None


def encode_answer(answer: Any) -> str:
    """An answer of a draft as a judgement stores it."""
    return answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)


def is_begun(draft: AnswerDraft) -> bool:
    """Whether anything was answered or entered; a number is the stored answer that is to be changed, as it is shown."""
    return bool(draft.answers or draft.aside or (draft.entry and not isinstance(draft.entry, int)))


def remove_answer(draft: AnswerDraft, name: str, *, entry: Any = None) -> AnswerDraft:
    """The draft without the answer to a question, so that it is asked again; `entry` is entered for it already."""
    answers = {other: answer for other, answer in draft.answers.items() if other != name}
    return replace(draft, answers=answers, entry=entry)


def set_entry_aside(draft: AnswerDraft, name: str) -> AnswerDraft:
    """The draft with what was entered for a question kept for later, while an earlier one is asked."""
    return draft if draft.entry is None else replace(draft, entry=None, aside=draft.aside | {name: draft.entry})


def resume_entry(draft: AnswerDraft, name: str) -> AnswerDraft:
    """The draft with what was entered for a question before it was left for an earlier one."""
    if draft.entry is not None or name not in draft.aside:
        return draft
    aside = {other: entry for other, entry in draft.aside.items() if other != name}
    return replace(draft, entry=draft.aside[name], aside=aside)


def settle_answers(questions: Sequence[ShownQuestion], draft: AnswerDraft) -> AnswerDraft:
    """The draft without answers to questions that the answers before them do not ask.

    Optional boxes of which none was ticked are left without an answer, as they are in Label Studio.
    """
    kept: dict[str, Any] = {}
    stored_answers: dict[str, str] = {}
    for shown in questions:
        if shown.name not in draft.answers or not question_base.is_asked(shown.question, stored_answers):
            continue
        is_empty = draft.answers[shown.name] == [] and not shown.question.required
        kept[shown.name] = None if is_empty else draft.answers[shown.name]
        if kept[shown.name] is not None:
            stored_answers[shown.name] = encode_answer(kept[shown.name])
    return draft if kept == draft.answers else replace(draft, answers=kept)


def restore_draft(
    questions: Sequence[ShownQuestion], stored_answers: Mapping[str, str], *, assignment_id: int, revision: int
) -> AnswerDraft:
    """The draft with all stored answers, for a change of some of them.

    Questions that were asked and left without an answer are in it too, with None.
    """
    answers = {
        shown.name: stored_answers.get(shown.name)
        for shown in questions
        if question_base.is_asked(shown.question, stored_answers)
    }
    return AnswerDraft(assignment_id=assignment_id, revision=revision, answers=answers)


def find_previous_question(questions: Sequence[ShownQuestion], draft: AnswerDraft, *, index: int) -> str | None:
    """The name of the last question before this index that the draft has an answer to; None where there is none."""
    return next((shown.name for shown in reversed(questions[:index]) if shown.name in draft.answers), None)
