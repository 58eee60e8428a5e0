"""What comes next for a person, and what becomes of her answers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session, select

from annotation.errors import Stale
from annotation.store import frames, pseudonyms, queries
from annotation.store.database import Database
from annotation.store.models import Item, Judgement
from annotation.workflow import work
from annotation.workflow.people import joining

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32


def joined(session: Session, number: int) -> int:
    """The database id of the person with this Telegram id."""
    return joining.join(session, telegram_id=number, language="uk", key=KEY, now=NOW).id or 0


def answer(session: Session, person: int, *, option: int = 1, now: datetime = NOW) -> work.Saved | None:
    """Take the next item and answer it."""
    offer = work.next_item(session, annotator_id=person, now=now)
    if offer is None:
        return None
    return work.submit(
        session, annotator_id=person, assignment_id=offer.assignment_id, revision=0, option=option, now=now
    )


def test_projects_come_one_after_another_and_end(db: Database, load: Callable[..., None]) -> None:
    """A person gets every item of the first project, then of the second, then nothing."""
    load("first", n=2)
    load("second", n=1)
    with db.transaction() as session:
        person = joined(session, 1)
        numbers = []
        while (offer := work.next_item(session, annotator_id=person, now=NOW)) is not None:
            numbers.append((offer.number, offer.left, offer.stimulus))
            work.submit(session, annotator_id=person, assignment_id=offer.assignment_id, revision=0, option=0, now=NOW)
    assert numbers == [(1, 2, "підказка 1"), (2, 1, "підказка 2"), (1, 1, "підказка 1")]


def test_the_item_with_the_fewest_answers_comes_first(db: Database, load: Callable[..., None]) -> None:
    """After one person answered the first item, the next person begins with the second."""
    load("words", n=2)
    with db.transaction() as session:
        answer(session, joined(session, 1))
        offer = work.next_item(session, annotator_id=joined(session, 2), now=NOW)
        assert offer is not None
        assert offer.stimulus == "підказка 2"


def test_an_item_with_its_overlap_is_served_to_nobody_else(db: Database, load: Callable[..., None]) -> None:
    """With overlap 2 a third person finds nothing left."""
    load("words", n=1, overlap=2)
    with db.transaction() as session:
        for number in (1, 2):
            assert answer(session, joined(session, number)) is not None
        assert work.next_item(session, annotator_id=joined(session, 3), now=NOW) is None


def test_asking_again_gives_the_same_live_item(db: Database, load: Callable[..., None]) -> None:
    """Until it is answered, every way back leads to the very same assignment."""
    load("words")
    with db.transaction() as session:
        person = joined(session, 1)
        first = work.next_item(session, annotator_id=person, now=NOW)
        assert first == work.next_item(session, annotator_id=person, now=NOW + timedelta(days=3))


def test_the_same_tap_twice_stores_once(db: Database, load: Callable[..., None]) -> None:
    """A repeated tap is told so; another option on an answered item is refused."""
    load("words")
    with db.transaction() as session:
        person = joined(session, 1)
        offer = work.next_item(session, annotator_id=person, now=NOW)
        assert offer is not None
        tap = {"annotator_id": person, "assignment_id": offer.assignment_id, "revision": 0, "now": NOW}
        assert not work.submit(session, option=1, **tap).repeated  # type: ignore[arg-type]
        assert work.submit(session, option=1, **tap).repeated  # type: ignore[arg-type]
        with pytest.raises(Stale):
            work.submit(session, option=0, **tap)  # type: ignore[arg-type]
        assert session.exec(select(Judgement.response)).all() == ["собака"]


@pytest.mark.parametrize(
    "wrong", [{"option": 2}, {"option": -1}, {"assignment_id": 999}, {"annotator_id": 999}, {"revision": 1}]
)
def test_a_forged_tap_changes_nothing(db: Database, load: Callable[..., None], wrong: dict[str, int]) -> None:
    """An option, an assignment, a person or a revision that does not belong is refused."""
    load("words")
    with db.transaction() as session:
        person = joined(session, 1)
        offer = work.next_item(session, annotator_id=person, now=NOW)
        assert offer is not None
        tap = {"annotator_id": person, "assignment_id": offer.assignment_id, "revision": 0, "option": 1} | wrong
        with pytest.raises(Stale):
            work.submit(session, now=NOW, **tap)
        assert session.exec(select(Judgement)).all() == []
        assert {item.n_done for item in session.exec(select(Item)).all()} == {0}


def test_a_person_is_known_by_a_pseudonym(db: Database, load: Callable[..., None]) -> None:
    """Joining twice makes one person, whose pseudonym does not contain the Telegram id."""
    load("words")
    with db.transaction() as session:
        assert joined(session, 123456789) == joined(session, 123456789)
        found = queries.annotator_by_telegram(session, 123456789)
        assert found is not None
        assert found.pseudonym == pseudonyms.pseudonym(KEY, namespace="telegram", name="123456789")


def test_the_frames_say_how_each_answer_came_about(db: Database, load: Callable[..., None]) -> None:
    """Position, sitting, seconds, hashes and option order are there; half an hour's pause begins another sitting."""
    load("words", n=3)
    with db.transaction() as session:
        person = joined(session, 1)
        for minutes in (0, 10, 50):
            work.next_item(session, annotator_id=person, now=NOW + timedelta(minutes=minutes))
            answer(session, person, now=NOW + timedelta(minutes=minutes, seconds=4))
        found = frames.responses(session, queries.project(session, "words"))
    assert found["position"].tolist() == [1, 2, 3]
    assert found["session"].tolist() == [1, 1, 2]
    assert found["seconds"].tolist() == [4.0, 4.0, 4.0]
    assert found["option_order"].tolist() == ["[0, 1]"] * 3
    assert found["response"].tolist() == ["собака"] * 3
    assert found["stimulus_sha256"].nunique() == 3
    assert found["excluded_reason"].tolist() == [None] * 3
