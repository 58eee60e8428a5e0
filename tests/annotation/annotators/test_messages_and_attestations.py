"""What people say besides answers: questions to the organisers, and which tools helped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.campaigns.project_file import parse_definition
from annotation.campaigns.sections.annotators import AttestationSection
from annotation.errors import BadInput, Conflict, NotFound, Stale
from annotation.store import database, models, queries
from annotation.workflow import participations
from annotation.workflow.annotators import consents, erasure, registration, support_messages

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
KEY = b"k" * 32
MARKER = "СЛІД"
TELEGRAM_ID = 987654321
Load = Callable[..., None]


def test_people_ask_and_organisers_answer(people: People, load: Load) -> None:
    """A question with its item, listed until it is answered, delivered once."""
    load("words", n=1)
    with people.db.transaction() as session:
        project = people.ready(session, "words")
        person, other = people.joined(session, 1).id or 0, people.joined(session, 2).id or 0
        item = people.assigned(session, person, "words-1").id
        asked = support_messages.store_message(
            session, annotator_id=person, text=" Чому? ", now=NOW, assignment_id=item
        )
        assert (asked.text, asked.project_id) == ("Чому?", project.id)
        support_messages.store_message(session, annotator_id=other, text="Коли?", now=NOW)
        for wrong in ("", "  ", "я" * 3501):
            with pytest.raises(BadInput):
                support_messages.store_message(session, annotator_id=person, text=wrong, now=NOW)
        with pytest.raises(Stale):
            support_messages.store_message(session, annotator_id=other, text="Чому?", now=NOW, assignment_id=item)
        assert [one.text for one in support_messages.list_messages(session, project_id=project.id)] == ["Чому?"]
        support_messages.answer_message(session, message_id=1, text="Бо так.", now=NOW)
        support_messages.answer_message(session, message_id=1, text="Бо воно довше.", now=LATER)
        assert [one.text for one in support_messages.list_messages(session, include_answered=False)] == ["Коли?"]
        [waiting] = support_messages.list_undelivered_answers(session)
        assert (waiting.message_id, waiting.text, waiting.answer) == (1, "Чому?", "Бо воно довше.")
        for _ in range(2):
            support_messages.mark_delivered(session, message_id=1, now=LATER)
        assert (asked.delivered_at, list(support_messages.list_undelivered_answers(session))) == (LATER, [])
        with pytest.raises(Conflict):
            support_messages.answer_message(session, message_id=1, text="Ще.", now=LATER)
        with pytest.raises(NotFound):
            support_messages.answer_message(session, message_id=9, text="Ще.", now=LATER)
        erasure.erase_annotator(session, annotator_id=other, pseudonym="stranger", now=LATER)
        with pytest.raises(Conflict):
            support_messages.answer_message(session, message_id=2, text="Завтра.", now=LATER)


def test_an_answer_waits_for_whoever_cannot_be_reached(people: People, load: Load) -> None:
    """Until they unblock the bot; it is listed with where and in which language to send it."""
    load("words", n=1)
    with people.db.transaction() as session:
        people.ready(session, "words")
        person = people.joined(session, 1)
        support_messages.store_message(session, annotator_id=person.id or 0, text="Чому?", now=NOW)
        support_messages.answer_message(session, message_id=1, text="Бо так.", now=NOW)
        [waiting] = support_messages.list_undelivered_answers(session)
        assert (waiting.telegram_id, waiting.language) == (person.telegram_id, person.language)
        registration.mark_unreachable(session, telegram_id=person.telegram_id or 0, now=LATER)
        assert list(support_messages.list_undelivered_answers(session)) == []
        registration.mark_reachable(session, annotator=person)
        assert list(support_messages.list_undelivered_answers(session)) == [waiting]


@pytest.mark.parametrize(
    ("work_session", "minutes", "attested", "answered", "due"),
    [
        (0, None, (), None, None),
        (1, 29, (), 29, None),
        (1, 30, (), 30, 1),
        (1, 30, (), None, None),
        (1, 30, (1,), 30, None),
        (2, 5, (), 50, 1),
        (2, 5, (), 4, None),
        (2, 5, (1,), 50, None),
        (3, 40, (1, 2), 40, 3),
        (3, 40, (1, 2), 90, None),
    ],
)
def test_a_work_session_is_attested_once_it_is_over(
    people: People,
    load: Load,
    work_session: int,
    minutes: int | None,
    attested: tuple[int, ...],
    answered: int | None,
    due: int | None,
) -> None:
    """After half an hour of rest, or in the next work session; what was said, or had no answer, is not asked again."""
    load("words", n=1)
    with people.db.transaction() as session:
        project, person = queries.get_project(session, "words"), people.joined(session, 1).id or 0
        section = AttestationSection(text="Чи допомагало щось?", options=("ні", "словник"))
        project.definition = (
            parse_definition(project.definition).model_copy(update={"attestation": section}).model_dump(mode="json")
        )
        project.definition_sha256 = "0" * 64
        row = participations.get_or_create_participation(
            database.lock_annotator(session, person), project=project, now=NOW
        )
        last_at = None if minutes is None else NOW - timedelta(minutes=minutes)
        models.PARTICIPATIONS.update(
            session, row, work_session=work_session, work_session_since=last_at, last_at=last_at
        )
        if answered is not None:
            done = people.assigned(session, person, "words-1", answer="ні")
            [judgement] = session.exec(select(models.Judgement).where(models.Judgement.assignment_id == done.id))
            judgement.answered_at = NOW - timedelta(minutes=answered)
        definition = parse_definition(project.definition)
        for number in attested:
            for used in ("словник", "ні"):
                found = consents.save_attestation(
                    session,
                    annotator_id=person,
                    project=project,
                    work_session=number,
                    used=used,
                    now=NOW - timedelta(minutes=60 if number < work_session else 20),
                )
            assert found.used == "ні"
        assert consents.get_due_work_session(session, definition=definition, participation=row, now=NOW) == due
        if work_session > 0:
            with pytest.raises(BadInput, match="'ні', 'словник'"):
                consents.save_attestation(
                    session, annotator_id=person, project=project, work_session=1, used="?", now=NOW
                )
        with pytest.raises(Stale):
            consents.save_attestation(
                session, annotator_id=person, project=project, work_session=work_session + 1, used="ні", now=NOW
            )
