"""Assignment of the next item, and submission of its answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session, select

from annotation.errors import Stale
from annotation.store import frames, pseudonyms, queries
from annotation.store.database import Database
from annotation.store.models import Item, Judgement
from annotation.vocabulary import UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from annotation.workflow.participations import NothingAssigned

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32


def joined(session: Session, number: int) -> int:
    """The database id of the person with this Telegram id."""
    return (
        registration.register_telegram_annotator(session, telegram_id=number, language="uk", key=KEY, now=NOW).id or 0
    )


def answer(session: Session, person: int, *, option: int = 1, now: datetime = NOW) -> assignments.SavedJudgement | None:
    """Take the next item and answer it."""
    offer = assignments.assign_next_item(assignments.lock_annotator(session, person), now=now)
    if not isinstance(offer, assignments.AssignedItem):
        return None
    return tapped(session, person, offer.assignment_id, option=option, now=now)


def tapped(
    session: Session, person: int, assignment_id: int, *, option: int = 1, revision: int = 0, now: datetime = NOW
) -> assignments.SavedJudgement:
    """A tap on the option at this place of the order shown."""
    transaction = assignments.lock_annotator(session, person)
    opened = assignments.open_assignment(transaction, assignment_id=assignment_id, now=now)
    (asked,) = assignments.get_shown_questions(opened)
    answers = {asked.name: asked.labels[option]}
    return assignments.submit_judgement(opened, revision=revision, answers=answers, now=now)


def test_projects_come_one_after_another_and_end(db: Database, load: Callable[..., None]) -> None:
    """A person gets every item of the first project, then of the second, then nothing."""
    load("first", n=2)
    load("second", n=1)
    with db.transaction() as session:
        person = joined(session, 1)
        numbers = []
        while isinstance(
            offer := assignments.assign_next_item(assignments.lock_annotator(session, person), now=NOW),
            assignments.AssignedItem,
        ):
            numbers.append((offer.number, offer.stimulus))
            tapped(session, person, offer.assignment_id)
    assert numbers == [(1, "підказка 1"), (2, "підказка 2"), (1, "підказка 1")]


def test_the_item_with_the_fewest_places_left_comes_first(db: Database, load: Callable[..., None]) -> None:
    """Of three items, one was answered twice and one once: the next person gets the first of these."""
    load("words", n=3, overlap=3)
    with db.transaction() as session:
        answer(session, joined(session, 1))
        answer(session, joined(session, 1))
        answer(session, joined(session, 2))
        first = session.exec(select(Item).where(Item.free == 1)).one()
        offer = assignments.assign_next_item(assignments.lock_annotator(session, joined(session, 3)), now=NOW)
        assert isinstance(offer, assignments.AssignedItem)
        assert offer.item == first.external_id


def test_an_item_with_its_overlap_is_assigned_to_nobody_else(db: Database, load: Callable[..., None]) -> None:
    """With overlap 2 a third person finds nothing left."""
    load("words", n=1, overlap=2)
    with db.transaction() as session:
        for number in (1, 2):
            assert answer(session, joined(session, number)) is not None
        nothing = assignments.assign_next_item(assignments.lock_annotator(session, joined(session, 3)), now=NOW)
        assert nothing == NothingAssigned(reason=UnassignedReason.NOTHING_LEFT, project="words")


def test_asking_again_gives_the_same_live_item(db: Database, load: Callable[..., None]) -> None:
    """Until it is answered, every way back leads to the very same assignment."""
    load("words")
    with db.transaction() as session:
        person = joined(session, 1)
        first = assignments.assign_next_item(assignments.lock_annotator(session, person), now=NOW)
        assert first == assignments.assign_next_item(
            assignments.lock_annotator(session, person), now=NOW + timedelta(days=3)
        )


def test_the_same_tap_twice_stores_once(db: Database, load: Callable[..., None]) -> None:
    """A repeated tap is told so; another option on an answered item is refused."""
    load("words")
    with db.transaction() as session:
        person = joined(session, 1)
        offer = assignments.assign_next_item(assignments.lock_annotator(session, person), now=NOW)
        assert isinstance(offer, assignments.AssignedItem)
        assert not tapped(session, person, offer.assignment_id).repeated
        assert tapped(session, person, offer.assignment_id).repeated
        with pytest.raises(Stale):
            tapped(session, person, offer.assignment_id, option=0)
        assert session.exec(select(Judgement.response)).all() == ["собака"]


@pytest.mark.parametrize("wrong", [{"assignment_id": 999}, {"person": 999}, {"revision": 1}])
def test_a_forged_tap_changes_nothing(db: Database, load: Callable[..., None], wrong: dict[str, int]) -> None:
    """An assignment, a person or a revision that does not belong is refused; options are the surface's to check."""
    load("words")
    with db.transaction() as session:
        person = joined(session, 1)
        offer = assignments.assign_next_item(assignments.lock_annotator(session, person), now=NOW)
        assert isinstance(offer, assignments.AssignedItem)
        with pytest.raises(Stale):
            tapped(session, **{"person": person, "assignment_id": offer.assignment_id} | wrong)  # type: ignore[arg-type]
        assert session.exec(select(Judgement)).all() == []
        assert {item.n_done for item in session.exec(select(Item)).all()} == {0}


def test_a_person_is_known_by_a_pseudonym(db: Database, load: Callable[..., None]) -> None:
    """Joining twice makes one person, whose pseudonym does not contain the Telegram id."""
    load("words")
    with db.transaction() as session:
        assert joined(session, 123456789) == joined(session, 123456789)
        found = queries.find_annotator(session, 123456789)
        assert found is not None
        assert found.pseudonym == pseudonyms.make_pseudonym(KEY, namespace="telegram", name="123456789")


def test_the_frames_say_how_each_answer_came_about(db: Database, load: Callable[..., None]) -> None:
    """Position, work session, seconds, hashes, option order are there; half an hour's pause begins another session."""
    load("words", n=3)
    with db.transaction() as session:
        person = joined(session, 1)
        for minutes in (0, 10, 50):
            assignments.assign_next_item(
                assignments.lock_annotator(session, person), now=NOW + timedelta(minutes=minutes)
            )
            answer(session, person, now=NOW + timedelta(minutes=minutes, seconds=4))
        found = frames.read_responses(session, queries.get_project(session, "words"))
    assert found["position"].tolist() == [1, 2, 3]
    assert found["session"].tolist() == [1, 1, 2]
    assert found["seconds"].tolist() == [4.0, 4.0, 4.0]
    assert found["option_order"].tolist() == [[0, 1]] * 3
    assert found["response"].tolist() == ["собака"] * 3
    assert found["stimulus_sha256"].nunique() == 3
    assert found["excluded_reason"].tolist() == [None] * 3
