"""What is locked and loaded of an annotator is a value: it ends with its transaction, and belongs to one annotator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session

from annotation.errors import NotFound, Stale
from annotation.store import database
from annotation.store.models import Participation
from annotation.vocabulary import ParticipationStatus
from annotation.workflow import assignments, participations
from annotation.workflow.participations import NothingAssigned

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario


def test_a_lock_ends_with_its_transaction(scenario: Scenario) -> None:
    """After the commit neither the annotator nor an opened item can be worked on, also where the session goes on."""
    scenario.project()
    who = scenario.person()
    assigned = scenario.assign(who)
    with scenario.db.transaction() as session:
        opened = scenario.open(session, who, assigned.assignment_id)
    with pytest.raises(LookupError, match="transaction"):
        assignments.submit_judgement(opened, revision=0, answers={"answer": "так"}, now=scenario.now)
    with Session(scenario.db.engine) as session:
        transaction = assignments.lock_annotator(session, who)
        session.commit()
        with pytest.raises(LookupError, match="transaction"):
            assignments.assign_next_item(transaction, now=scenario.now)
    assert scenario.judgements(assigned) == []


def test_a_lock_that_is_rolled_back_is_none(scenario: Scenario) -> None:
    """A savepoint that ends gives the lock up; after it the annotator has to be locked again."""
    scenario.project()
    who = scenario.person()
    with scenario.db.transaction() as session:
        savepoint = session.begin_nested()
        transaction = assignments.lock_annotator(session, who)
        assert transaction.session is session
        savepoint.rollback()
        with pytest.raises(LookupError, match="transaction"):
            assignments.assign_next_item(transaction, now=scenario.now)
        again = assignments.lock_annotator(session, who)
        assert isinstance(assignments.assign_next_item(again, now=scenario.now), assignments.AssignedItem)


def test_two_annotators_in_one_session_have_each_their_own(scenario: Scenario) -> None:
    """Nothing that was loaded of one is taken for the other's, and neither can open the other's item."""
    project = scenario.project(overlap=1)
    one, other = scenario.person(1), scenario.person(2)
    with scenario.db.transaction() as session:
        mine, theirs = assignments.lock_annotator(session, one), assignments.lock_annotator(session, other)
        first = assignments.assign_next_item(mine, now=scenario.now, project_id=project)
        second = assignments.assign_next_item(theirs, now=scenario.now, project_id=project)
        assert isinstance(first, assignments.AssignedItem)
        assert isinstance(second, assignments.AssignedItem)
        assert first.item != second.item
        assert mine.contexts[project].participation.annotator_id == one
        assert theirs.contexts[project].participation.annotator_id == other
        with pytest.raises(Stale, match="not yours"):
            assignments.open_assignment(mine, assignment_id=second.assignment_id, now=scenario.now)


def test_a_participation_that_was_read_before_the_lock_is_read_again(scenario: Scenario, backend: str) -> None:
    """What another process changed between the two is seen; on SQLite nobody can change it between them."""
    project = scenario.project()
    who = scenario.person()
    scenario.answer(who)
    with scenario.db.transaction() as session:
        participation = session.get_one(Participation, (who, project))
        assert participation.status is ParticipationStatus.ACTIVE
        if backend == "postgresql":
            with scenario.db.transaction() as other:
                other.get_one(Participation, (who, project)).status = ParticipationStatus.EXCLUDED
        locked = database.lock_annotator(session, who)
        found = participations.get_participation(locked, project_id=project)
        assert found is not None
        assert found.status is (ParticipationStatus.EXCLUDED if backend == "postgresql" else ParticipationStatus.ACTIVE)


def test_an_unknown_annotator_cannot_be_locked(scenario: Scenario) -> None:
    """The store says that there is none, an annotator's own tap is stale."""
    with scenario.db.transaction() as session:
        with pytest.raises(NotFound):
            database.lock_annotator(session, 99)
        with pytest.raises(Stale):
            assignments.lock_annotator(session, 99)


def test_the_counts_of_a_last_answer_are_stored(scenario: Scenario) -> None:
    """They wait for the next item, and are stored at the end where there is none."""
    project = scenario.project(items=1)
    who = scenario.person()
    assigned = scenario.assign(who)
    with scenario.db.transaction() as session:
        opened = scenario.open(session, who, assigned.assignment_id)
        with opened.transaction.collect_changes():
            assignments.submit_judgement(opened, revision=0, answers={"answer": "так"}, now=scenario.now)
            following = assignments.assign_next_item(opened.transaction, now=scenario.now)
            assert isinstance(following, NothingAssigned)
    stored = scenario.participation(who, project)
    assert (stored.answered, stored.answered_today, stored.shown, stored.last_at) == (1, 1, 1, scenario.now)


@pytest.mark.parametrize("in_savepoint", [False, True], ids=["transaction", "savepoint"])
def test_the_counts_of_an_answer_are_rolled_back_with_it(scenario: Scenario, *, in_savepoint: bool) -> None:
    """Neither the answer nor its counts are stored, and the answer counts once when it is given again."""
    project = scenario.project(items=1)
    who = scenario.person()
    assigned = scenario.assign(who)

    def fail(session: Session) -> None:
        opened = scenario.open(session, who, assigned.assignment_id)
        with opened.transaction.collect_changes():
            assignments.submit_judgement(opened, revision=0, answers={"answer": "так"}, now=scenario.now)
            raise ZeroDivisionError

    if in_savepoint:
        with scenario.db.transaction() as session, pytest.raises(ZeroDivisionError), session.begin_nested():
            fail(session)
    else:
        with pytest.raises(ZeroDivisionError), scenario.db.transaction() as session:
            fail(session)
    assert (scenario.participation(who, project).answered, scenario.judgements(assigned)) == (0, [])
    scenario.submit(who, assigned)
    assert scenario.participation(who, project).answered == 1
