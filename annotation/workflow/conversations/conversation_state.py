"""The state of a conversation that no other table holds: which input is expected, and incomplete answers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns.questions import question_base
from annotation.errors import UnknownVersion
from annotation.store import database
from annotation.store.database import LockedAnnotator
from annotation.store.models import (
    Annotator,
    Conversation,
)
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import FIRST_PAGE_ID
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from annotation.workflow.assignments import AnnotatorTransaction, ShownQuestion

MAX_DRAFTS = 12
"""How many incomplete answers are kept for one annotator."""
_STORED_KEYS = {
    "subject_id": "about", "profile_field": "field", "entry": "door", "read_cards": "cards",
    "exhausted_entries": "spent", "replied_at": "replied", "prompt": "prompt",
    "session_goal": "goal", "session_done": "done", "session_since": "since", "long_text": "long",
}  # fmt: skip
"""Fields of ConversationState by their keys in the database."""


class ConversationStep(StrEnum):
    """What the bot has asked for; it decides how the annotator's next text is read. The values are stored.

    SKIP and REPORT stand for a typed reason, ASK for a question to the organisers, NONE for an answer to the item.
    CHOICE is one of the buttons of a message, REASON one of the reasons under an item, CASE one of the buttons of an
    adjudication case, and COMMENT stands for what is wrong with its item. ORGANISER stands for a text of an organiser:
    an answer, a message to all, a reason.
    """

    NONE = ""
    LANGUAGE = "language"
    PROFILE = "profile"
    ZONE = "zone"
    SKIP = "skip"
    REPORT = "report"
    ASK = "ask"
    CHOICE = "choice"
    REASON = "reason"
    CASE = "case"
    COMMENT = "comment"
    ORGANISER = "organiser"


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


@dataclass(frozen=True, kw_only=True)
class ConversationState:
    """The state of one conversation.

    `subject_id` is the id of the project (step PROFILE), assignment (SKIP, REPORT, ASK) or case that the step is about,
    or 0, 1 where ZONE is for notices; `profile_field` the name of the profile field that is asked for. `entry` is the
    `ProjectChoice.key` of the chosen menu entry, 0 for none; `exhausted_entries` had no item at the last search.
    `read_cards` holds the version of the task card that the annotator read last, by project id. `asked_by` is the id of
    the update that made the bot ask for the step, `asked_in` that of the message in which it asks, once it is sent.
    `prompt` is what that message says and offers; empty where nothing can be chosen. `replied_at` says when replies
    that change nothing were last made, in seconds since 1970 by reply name. `session_goal` is how many items the
    annotator wants to do in this session, `session_done` how many they have done, and `session_since` when it began, in
    seconds since 1970; all are 0 where they chose no number. `long_text` is about the message before, if it may have a
    rest: when its last part was sent, its UTF-16 units, the id of the message, and that of the one it replies to, or 0.
    """

    step: ConversationStep = ConversationStep.NONE
    subject_id: int = 0
    profile_field: str = ""
    entry: int = 0
    exhausted_entries: tuple[int, ...] = ()
    read_cards: dict[str, str] = dataclasses.field(default_factory=dict)
    drafts: tuple[AnswerDraft, ...] = ()
    asked_by: int | None = None
    asked_in: int | None = None
    replied_at: dict[str, int] = dataclasses.field(default_factory=dict)
    prompt: dict[str, Any] = dataclasses.field(default_factory=dict)
    session_goal: int = 0
    session_done: int = 0
    session_since: int = 0
    long_text: tuple[int, int, int, int] | None = None

    def get_draft(self, assignment_id: int, revision: int) -> AnswerDraft:
        """The draft for a revision of an item; an empty one where none is stored."""
        for draft in self.drafts:
            if (draft.assignment_id, draft.revision) == (assignment_id, revision):
                return draft
        return AnswerDraft(assignment_id=assignment_id, revision=revision)

    def with_draft(self, draft: AnswerDraft | None, *, assignment_id: int) -> ConversationState:
        """The state with this draft as the only one for the assignment; with None, without any.

        At most MAX_DRAFTS are kept, the latest.
        """
        others = tuple(other for other in self.drafts if other.assignment_id != assignment_id)
        return replace(self, drafts=(*others, *((draft,) if draft else ()))[-MAX_DRAFTS:])

    def with_step(
        self,
        step: ConversationStep,
        *,
        subject_id: int = 0,
        profile_field: str = "",
        asked_by: int | None = None,
        prompt: dict[str, Any] | None = None,
    ) -> ConversationState:
        """The state with another step, which is not asked for on the screen yet."""
        new_state = replace(self, step=step, subject_id=subject_id, profile_field=profile_field)
        return replace(new_state, asked_by=asked_by, asked_in=None, prompt=prompt or {})

    def without_prompt(self) -> ConversationState:
        """The state in which nothing is waited for; the message that asked last is kept, so that it stays known."""
        return replace(self, step=ConversationStep.NONE, subject_id=0, profile_field="", prompt={})

    def with_reply(self, name: str, *, now: datetime) -> ConversationState:
        """The state after a reply that is made once in a while only."""
        return replace(self, replied_at=self.replied_at | {name: int(now.timestamp())})

    def get_reply_wait(self, name: str, *, interval: timedelta, now: datetime) -> timedelta:
        """How long until a reply is made again that is made once in an interval; 0 where it is made now."""
        since = timedelta(seconds=int(now.timestamp()) - self.replied_at.get(name, 0))
        return interval - since if timedelta(0) <= since < interval else timedelta(0)

    def awaits_input(self, message_id: int) -> bool:
        """Whether the message was sent when what the step asks for was on the screen."""
        return self.asked_in is not None and self.asked_in < message_id


@dataclass
class ConversationRecord:
    """The stored state of an annotator's conversation; it is read once per update."""

    annotator_id: int
    state: ConversationState

    def save(self, session: Session, state: ConversationState, *, now: datetime) -> None:
        """Store a new state, unless it is equal to the stored one."""
        if state != self.state:
            save_state(session, annotator_id=self.annotator_id, state=state, now=now)
            self.state = state


def find_conversation(session: Session, *, telegram_id: int) -> tuple[LockedAnnotator, ConversationRecord] | None:
    """Lock and return an annotator with their conversation; None for an unknown Telegram id."""
    row = database.read_locked(session, _FIND_CONVERSATION, {"telegram": telegram_id})
    if row is None:
        return None
    locked, stored = row
    return locked, ConversationRecord(locked.annotator_id, _parse_state(*stored))


def open_conversation(
    session: Session,
    *,
    telegram_id: int,
    language: str,
    key: bytes,
    now: datetime,
    simulated: bool = False,
    registers: bool = True,
) -> tuple[AnnotatorTransaction, ConversationRecord]:
    """Lock the annotator who wrote, and return them with their conversation; who is new is asked for a language first.

    `language` is that of somebody new until they have chosen one, `key` the key of their pseudonym. Unless it
    `registers` them, raises UnknownAnnotator for somebody new, and for anybody suspended.
    """
    conversation = find_conversation(session, telegram_id=telegram_id)
    if not registers and (conversation is None or conversation[0].annotator.suspended_at is not None):
        raise registration.UnknownAnnotator
    if conversation is not None:
        locked, record = conversation
        if locked.annotator.unreachable_at is not None and telegram_id < FIRST_PAGE_ID:
            registration.mark_reachable(session, annotator=locked.annotator)
        return AnnotatorTransaction(locked=locked), record
    annotator = registration.register_telegram_annotator(
        session, telegram_id=telegram_id, language=language, key=key, now=now, simulated=simulated
    )
    record = ConversationRecord(annotator.id or 0, ConversationState())
    record.save(session, ConversationState(step=ConversationStep.LANGUAGE), now=now)
    return assignments.lock_annotator(session, record.annotator_id), record


def save_state(session: Session, *, annotator_id: int, state: ConversationState, now: datetime) -> None:
    """Insert or update the stored state; default values are left out."""
    values = {key: getattr(state, name) for name, key in _STORED_KEYS.items()}
    data: dict[str, Any] = {key: value for key, value in values.items() if value}
    if state.drafts:
        data["drafts"] = [dataclasses.asdict(draft) for draft in state.drafts]
    stored = {"step": state.step.value, "data": data, "at": now, "asked_by": state.asked_by, "asked_in": state.asked_in}
    key = {"annotator": annotator_id}
    session.flush()
    if session.connection().execute(_UPDATE_CONVERSATION, stored | key).rowcount != 1:
        session.connection().execute(_INSERT_CONVERSATION, stored | {"annotator_id": annotator_id})


def reset_state(session: Session, *, telegram_id: int) -> None:
    """Empty the stored state of an annotator's conversation; nothing that was submitted is lost."""
    annotator_id = sa.select(col(Annotator.id)).where(col(Annotator.telegram_id) == telegram_id).scalar_subquery()
    session.connection().execute(sa.delete(Conversation).where(col(Conversation.annotator_id) == annotator_id))


def _parse_state(step: str | None, data: Any, asked_by: int | None, asked_in: int | None) -> ConversationState:
    """The state as it is stored; raises UnknownVersion where this program cannot read it."""
    if step is None:
        return ConversationState()
    try:
        drafts = tuple(AnswerDraft(**draft) for draft in data.get("drafts", ()))
        values = {name: data[key] for name, key in _STORED_KEYS.items() if key in data}
        values |= {name: tuple(values[name]) for name in ("exhausted_entries", "long_text") if name in values}
        return ConversationState(
            step=ConversationStep(step), drafts=drafts, asked_by=asked_by, asked_in=asked_in, **values
        )
    except (KeyError, TypeError, ValueError, AttributeError) as failure:
        raise UnknownVersion("The state of the conversation was stored by another version.") from failure


_INSERT_CONVERSATION = sa.insert(Conversation)
_UPDATE_CONVERSATION = (
    sa.update(Conversation)
    .where(col(Conversation.annotator_id) == sa.bindparam("annotator"))
    .values({name: sa.bindparam(name) for name in ("step", "data", "at", "asked_by", "asked_in")})
)
_FIND_CONVERSATION = (
    database.build_locking_select(Conversation.step, Conversation.data, Conversation.asked_by, Conversation.asked_in)
    .outerjoin(Conversation, col(Conversation.annotator_id) == col(Annotator.id))
    .where(col(Annotator.telegram_id) == sa.bindparam("telegram"))
)


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
    return bool(draft.answers or draft.aside or (draft.entry and has_entry(draft)))


def has_entry(draft: AnswerDraft) -> bool:
    """Whether anything was entered for the question that is asked now; a number is the stored answer, as above."""
    return draft.entry is not None and not isinstance(draft.entry, int)


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


def mark_told(session: Session, *, chat_id: int, now: datetime) -> bool:
    """Store that a group is told where the bot speaks; False where it was told before, by whatever process."""
    return session.connection().execute(_TELL, {"chat": chat_id, "now": now}).rowcount == 1


_TELL = sa.text("INSERT INTO told_group (chat_id, at) VALUES (:chat, :now) ON CONFLICT DO NOTHING").bindparams(
    sa.bindparam("now", type_=UtcDateTime())
)
