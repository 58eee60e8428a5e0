"""The state of a conversation: what is stored of it, what is read back, and which answers are incomplete."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from annotation.store import database
from annotation.store.database import LockedAnnotator
from annotation.store.models import Conversation
from annotation.workflow.annotators import registration
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import (
    MAX_DRAFTS,
    AnswerDraft,
    ConversationRecord,
    ConversationState,
    ConversationStep,
)

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DRAFT = AnswerDraft(
    assignment_id=5,
    revision=1,
    answers={"first": "кіт", "second": None},
    entry=[0, 3],
    aside={"fourth": [1]},
    messages={"first": [70]},
)
STORED_DRAFT = {
    "assignment_id": 5,
    "revision": 1,
    "answers": {"first": "кіт", "second": None},
    "entry": [0, 3],
    "aside": {"fourth": [1]},
    "messages": {"first": [70]},
    "is_below": False,
    "page": None,
}
STORED: list[tuple[ConversationState, str, dict[str, Any]]] = [
    (ConversationState(), "", {}),
    (ConversationState(step=ConversationStep.LANGUAGE), "language", {}),
    (
        ConversationState().with_step(ConversationStep.PROFILE, subject_id=3, profile_field="age"),
        "profile",
        {"about": 3, "field": "age"},
    ),
    (
        ConversationState(entry=-2, exhausted_entries=(1, -4), read_cards={"1": "aabbccdd"}),
        "",
        {"door": -2, "spent": [1, -4], "cards": {"1": "aabbccdd"}},
    ),
    (
        ConversationState(drafts=(DRAFT,)),
        "",
        {"drafts": [STORED_DRAFT]},
    ),
]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[database.Database]:
    """A database with one annotator."""
    with database.open_database(f"sqlite:///{tmp_path / 'state.db'}") as found:
        with found.transaction() as session:
            registration.register_telegram_annotator(session, telegram_id=7, language="uk", key=b"k" * 32, now=NOW)
        yield found


def find(session: Session) -> tuple[LockedAnnotator, ConversationRecord]:
    """The annotator, locked, with their conversation."""
    found = conversation_state.find_conversation(session, telegram_id=7)
    assert found is not None
    return found


@pytest.mark.parametrize(("state", "step", "data"), STORED)
def test_a_state_is_stored_so_and_read_back(
    db: database.Database, state: ConversationState, step: str, data: dict[str, Any]
) -> None:
    """Databases hold these words and keys: what an earlier version stored is understood."""
    with db.transaction() as session:
        locked, record = find(session)
        assert record.state == ConversationState()
        conversation_state.save_state(session, annotator_id=locked.annotator_id, state=state, now=NOW)
    with db.transaction() as session:
        row = session.get_one(Conversation, 1)
        assert (row.step, row.data, row.at) == (step, data, NOW)
        assert find(session)[1].state == state


def test_a_state_that_has_not_changed_is_not_stored(db: database.Database) -> None:
    """Each update saves its state; most leave it as it is."""
    with db.transaction() as session:
        locked, record = find(session)
        record.save(session, ConversationState(), now=NOW)
        assert session.get(Conversation, locked.annotator_id) is None
        record.save(session, ConversationState(entry=1), now=NOW)
        assert session.get_one(Conversation, locked.annotator_id).data == {"door": 1}


def test_whoever_is_found_is_locked(db: database.Database) -> None:
    """The lock comes with the conversation, in one statement; nobody is found by an unknown number."""
    with db.transaction() as session:
        assert conversation_state.find_conversation(session, telegram_id=8) is None
        locked, _ = find(session)
        assert (locked.annotator_id, locked.session) == (1, session)
    with pytest.raises(LookupError, match="not the current one"):
        _ = locked.session


def test_somebody_new_is_registered_and_asked_for_a_language(db: database.Database) -> None:
    """Once: whoever wrote before is found as they are, and can be reached again."""

    def open_(number: int) -> tuple[int | None, str | None, bool, ConversationStep]:
        with db.transaction() as session:
            transaction, record = conversation_state.open_conversation(
                session, telegram_id=number, language="en", key=b"k" * 32, now=NOW
            )
            annotator = transaction.annotator
            return annotator.id, annotator.language, annotator.unreachable_at is None, record.state.step

    assert open_(8) == open_(8) == (2, "en", True, ConversationStep.LANGUAGE)
    with db.transaction() as session:
        registration.mark_unreachable(session, telegram_id=7, now=NOW)
    assert open_(7) == (1, "uk", True, ConversationStep.NONE)


def test_only_the_latest_drafts_are_kept() -> None:
    """One for each assignment, MAX_DRAFTS in all."""
    state = ConversationState()
    for number in (*range(10, 10 + MAX_DRAFTS), 1, 2, 3, 1, 4, 5):
        state = state.with_draft(AnswerDraft(assignment_id=number, revision=0, entry=[number]), assignment_id=number)
    assert [draft.assignment_id for draft in state.drafts] == [*range(15, 10 + MAX_DRAFTS), 2, 3, 1, 4, 5]
    assert state.get_draft(1, 0).entry == [1]
    assert state.get_draft(1, 1) == AnswerDraft(assignment_id=1, revision=1)
    assert [draft.assignment_id for draft in state.with_draft(None, assignment_id=1).drafts][-4:] == [2, 3, 4, 5]
