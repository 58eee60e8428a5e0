"""Changes of the answers in a draft where an item has several questions: one of them asked anew, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.campaigns.questions import question_base
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft


def is_begun(draft: AnswerDraft) -> bool:
    """Whether anything was answered or entered."""
    return bool(draft.answers or draft.entry or draft.aside)


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
            stored_answers[shown.name] = conversation_state.encode_answer(kept[shown.name])
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
