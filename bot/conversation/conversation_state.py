"""The state of a conversation beside the work itself: which input is expected, and incomplete answers."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns.questions import ChoicesQuestion, question_base
from annotation.campaigns.sections.annotators import ExamplesSection
from annotation.store import annotator_locks
from annotation.store.models import Annotator, Conversation
from annotation.workflow.assignments import AssignedItem, ShownQuestion
from bot.conversation.texts import Texts
from bot.conversation.views import questions
from bot.conversation.views.items import ItemProgress

MAX_DRAFTS = 4
_STORED_KEYS = {
    "subject_id": "about",
    "profile_field": "field",
    "entry": "door",
    "read_cards": "cards",
    "exhausted_entries": "spent",
}
"""Fields of ConversationState by their keys in the database."""


class ConversationStep(StrEnum):
    """What the next text of an annotator means."""

    NONE = ""
    LANGUAGE = "language"
    PROFILE = "profile"
    ZONE = "zone"
    SKIP = "skip"
    REPORT = "report"
    ASK = "ask"


@dataclass(frozen=True, kw_only=True)
class AnswerDraft:
    """Incomplete answers to an item: for each question name the indices of the chosen options, in the order shown."""

    assignment_id: int
    revision: int
    answers: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    ticked: list[int] = dataclasses.field(default_factory=list)
    """The ticked boxes of the question that is on the screen."""


@dataclass(frozen=True, kw_only=True)
class ConversationState:
    """The state of one conversation.

    `subject_id` is the id that the step is about (a project or an assignment), `profile_field` the field that is being
    asked. `entry` is the key of the menu entry that was chosen, `exhausted_entries` are the keys of entries that had no
    item at the last search. `read_cards` holds the version of the task card that was read, by project id.
    """

    step: ConversationStep = ConversationStep.NONE
    subject_id: int = 0
    profile_field: str = ""
    entry: int = 0
    exhausted_entries: tuple[int, ...] = ()
    read_cards: dict[str, str] = dataclasses.field(default_factory=dict)
    drafts: tuple[AnswerDraft, ...] = ()

    def get_draft(self, assignment_id: int, revision: int) -> AnswerDraft:
        """The draft for a revision of an item; an empty one where none is stored."""
        for draft in self.drafts:
            if (draft.assignment_id, draft.revision) == (assignment_id, revision):
                return draft
        return AnswerDraft(assignment_id=assignment_id, revision=revision)

    def with_draft(self, draft: AnswerDraft | None, *, assignment_id: int) -> ConversationState:
        """The state with this draft in place of an earlier one of the item; the oldest of many drafts are dropped."""
        others = tuple(other for other in self.drafts if other.assignment_id != assignment_id)
        return replace(self, drafts=(*others, *((draft,) if draft else ()))[-MAX_DRAFTS:])

    def with_step(self, step: ConversationStep, *, subject_id: int = 0, profile_field: str = "") -> ConversationState:
        """The state at another step."""
        return replace(self, step=step, subject_id=subject_id, profile_field=profile_field)


@dataclass
class ConversationRecord:
    """The state of an annotator's conversation as it is stored, read once per update."""

    annotator_id: int
    state: ConversationState

    def save(self, session: Session, state: ConversationState, *, now: datetime) -> None:
        """Store a new state, if it differs."""
        if state != self.state:
            save_state(session, annotator_id=self.annotator_id, state=state, now=now)
            self.state = state


def find_conversation(session: Session, *, telegram_id: int) -> tuple[Annotator, ConversationRecord] | None:
    """Lock and return an annotator with their conversation; None for an unknown Telegram id."""
    row = session.execute(_FIND_CONVERSATION, {"telegram": telegram_id}).first()
    if row is None:
        return None
    annotator_locks.remember_locked(session, row[0])
    return row[0], ConversationRecord(row[0].id or 0, _parse_state(row[1]))


def save_state(session: Session, *, annotator_id: int, state: ConversationState, now: datetime) -> None:
    """Insert or update the stored state; default values are left out."""
    row = session.get(Conversation, annotator_id) or Conversation(annotator_id=annotator_id, step="", at=now)
    values = {key: getattr(state, name) for name, key in _STORED_KEYS.items()}
    data: dict[str, Any] = {key: value for key, value in values.items() if value}
    if state.drafts:
        data["drafts"] = [
            {
                "assignment_id": draft.assignment_id,
                "revision": draft.revision,
                "given": draft.answers,
                "on": draft.ticked,
            }
            for draft in state.drafts
        ]
    row.step, row.data, row.at = state.step.value, data, now
    session.add(row)
    session.flush()


def compute_card_version(instructions: str, examples: ExamplesSection | None) -> str:
    """A digest of the task card, so that a changed card is shown again."""
    text = instructions + ("" if examples is None else examples.model_dump_json())
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _parse_state(row: Conversation | None) -> ConversationState:
    if row is None:
        return ConversationState()
    drafts = tuple(
        AnswerDraft(
            assignment_id=draft["assignment_id"],
            revision=draft["revision"],
            answers=draft["given"],
            ticked=draft["on"],
        )
        for draft in row.data.get("drafts", ())
    )
    values = {name: row.data[key] for name, key in _STORED_KEYS.items() if key in row.data}
    values["exhausted_entries"] = tuple(values.get("exhausted_entries", ()))
    return ConversationState(step=ConversationStep(row.step), drafts=drafts, **values)


_FIND_CONVERSATION = annotator_locks.add_annotator_lock(
    sa.select()
    .add_columns(Annotator, Conversation)
    .select_from(Annotator)
    .outerjoin(Conversation, col(Conversation.annotator_id) == col(Annotator.id))
    .where(col(Annotator.telegram_id) == sa.bindparam("telegram"))
)


LEFT_UNANSWERED = -1
"""In place of an option index: an optional question was left without an answer."""


def find_next_question(item: AssignedItem, draft: AnswerDraft) -> int | None:
    """The index of the question to ask next; None when every question that `show_if` lets through is answered."""
    stored: dict[str, str] = {}
    for index, shown in enumerate(item.questions):
        if shown.name in draft.answers:
            stored |= _encode_options(shown, draft.answers[shown.name])
        elif question_base.is_asked(shown.question, stored):
            return index
    return None


def record_options(draft: AnswerDraft, shown: ShownQuestion, options: list[int]) -> AnswerDraft:
    """The draft with the options chosen for one more question."""
    return replace(draft, answers=draft.answers | {shown.name: options}, ticked=[])


def collect_answers(item: AssignedItem, draft: AnswerDraft) -> dict[str, object]:
    """The answers by question name, as the workflow takes them: a label, or a list of labels for `choices`."""
    collected: dict[str, object] = {}
    for shown in item.questions:
        options = draft.answers.get(shown.name)
        if options is None or options == [LEFT_UNANSWERED]:
            continue
        labels = [shown.labels[index] for index in options]
        collected[shown.name] = labels if isinstance(shown.question, ChoicesQuestion) else labels[0]
    return collected


def build_item_progress(item: AssignedItem, draft: AnswerDraft, translate: Texts) -> ItemProgress:
    """The part of the item that is on the screen: the question to answer, and the answers before it in words."""
    next_index = find_next_question(item, draft) or 0
    answered = []
    for shown in item.questions[:next_index]:
        stored = _encode_options(shown, draft.answers.get(shown.name, [LEFT_UNANSWERED])).get(shown.name)
        if stored is not None:
            answered.append((shown.text, questions.format_answer(shown, stored, translate, language=item.language)))
    return ItemProgress(index=next_index, ticked=tuple(draft.ticked), answered=tuple(answered))


def _encode_options(shown: ShownQuestion, options: list[int]) -> dict[str, str]:
    """The chosen options as they are stored in a judgement, by question name; empty for a question left open."""
    if options == [LEFT_UNANSWERED]:
        return {}
    labels = [shown.labels[index] for index in options]
    if isinstance(shown.question, ChoicesQuestion):
        return {shown.name: json.dumps(labels, ensure_ascii=False)}
    return {shown.name: labels[0]}
