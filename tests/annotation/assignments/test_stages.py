"""Pilot, training, qualification, main: each in its turn."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store import overlap_counts
from annotation.store.models import Item, Journal, Project
from annotation.vocabulary import Event, ParticipationStatus, Pool, Stage, UnassignedReason
from annotation.workflow.annotators import withdrawal
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.participations import NothingAssigned

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"


def stages(scenario: Scenario, **sections: Any) -> dict[str, Any]:
    """Sections of stages, each with a pool of four items in a file of its own."""
    return {"stages": {name: {"pool": {"file": scenario.items(name, 4)}} | keys for name, keys in sections.items()}}


def test_a_person_goes_through_every_stage(scenario: Scenario) -> None:
    """Two pilot items, all training items, three of the qualification, then the main ones."""
    keys = stages(scenario, pilot={"number": 2}, training={}, qualification={"number": 3, "pass_mark": "3 of 3"})
    project = scenario.project(items=2, **keys)
    who = scenario.person()
    came = scenario.all(who, project=project)
    assert [name.split("-")[0] for name in came] == ["pilot"] * 2 + ["training"] * 4 + ["qualification"] * 3 + ["p"] * 2
    assert len(set(came)) == len(came)
    assert scenario.participation(who, project).stage is Stage.MAIN
    scenario.check_counts()


def test_a_pilot_without_a_place_is_passed(scenario: Scenario) -> None:
    """Where everybody's pilot places are taken, the next person goes on to what follows."""
    project = scenario.project(items=1, overlap=1, **stages(scenario, pilot={}))
    first, second = scenario.person(1), scenario.person(2)
    assert len(scenario.answers(first, 4, project=project)) == 4
    assert scenario.answer(second, project=project) == "p-m-1"


def test_pilot_places_that_wait_for_newcomers_are_told(scenario: Scenario) -> None:
    """Both are past the pilot when one of them leaves: the place is counted, and a newcomer takes it."""
    project = scenario.project(items=1, **stages(scenario, pilot={"number": 4}))
    first, second = scenario.person(1), scenario.person(2)
    for who in (first, second):
        scenario.answers(who, 5, project=project)
    with scenario.db.transaction() as session:
        loaded = session.get_one(Project, project)
        assert campaign_status.get_campaign_status(session, loaded).pilot == campaign_status.PilotCounts(
            number=4, done=4, free=0, newcomers=0
        )
        withdrawal.withdraw_annotator(session, annotator_id=first, project=loaded, now=scenario.now)
        assert campaign_status.get_campaign_status(session, loaded).pilot == campaign_status.PilotCounts(
            number=4, done=0, free=4, newcomers=0
        )
    assert scenario.wait(second, project).reason is UnassignedReason.NOTHING_LEFT
    third = scenario.person(3)
    scenario.answers(third, 3, project=project)
    with scenario.db.transaction() as session:
        pilot = campaign_status.get_campaign_status(session, session.get_one(Project, project)).pilot
    assert pilot == campaign_status.PilotCounts(number=4, done=3, free=1, newcomers=1)


@pytest.mark.parametrize(("explain", "why"), [(True, "why"), (False, None)])
def test_training_tells_what_was_right_and_is_not_taken_back(
    scenario: Scenario, explain: bool, why: str | None
) -> None:
    """After the answer, and never with the assigned item; the explanation where the project explains."""
    project = scenario.project(**stages(scenario, training={"explain": explain}))
    who = scenario.person()
    assigned = scenario.assign(who, project)
    assert "why" not in repr(assigned)
    saved = scenario.submit(who, assigned, NO)
    assert saved.feedback is not None
    assert (saved.feedback.right, saved.feedback.gold) == (False, {"answer": YES})
    assert (saved.feedback.explanation or "").split(" ")[0] == (why or "")
    assert scenario.submit(who, assigned, NO).feedback == saved.feedback
    with pytest.raises(Stale):
        scenario.undo(who, assigned)


def test_the_order_of_training_is_a_persons_own(scenario: Scenario) -> None:
    """Ten people do not all begin with the same item."""
    project = scenario.project(**stages(scenario, training={}))
    assert len({scenario.assign(scenario.person(number), project).item for number in range(10)}) > 1


@pytest.mark.parametrize(
    ("right", "mark", "passed"),
    [(4, "3 of 4", True), (3, "3 of 4", True), (2, "3 of 4", False), (3, "75 %", True), (2, "75 %", False)],
)
def test_the_pass_mark_is_over_all(scenario: Scenario, right: int, mark: str, passed: bool) -> None:
    """All four are asked whatever the first answers were; the interval goes into the journal."""
    project = scenario.project(**stages(scenario, qualification={"pass_mark": mark}))
    who = scenario.person()
    decisions = []
    for number in range(4):
        assigned = scenario.assign(who, project)
        assert assigned.stage is Stage.QUALIFICATION
        saved = scenario.submit(who, assigned, YES if number < right else NO)
        assert saved.feedback is None
        decisions.append(saved.decision)
    assert decisions[:3] == [None] * 3
    last = decisions[3]
    assert last is not None
    assert (last.passed, last.n_right, last.n_answered) == (passed, right, 4)
    event = Event.QUALIFICATION_PASSED if passed else Event.QUALIFICATION_FAILED
    with scenario.db.transaction() as session:
        written = session.exec(select(Journal.data).where(Journal.event == event.value)).one()
    assert (written["right"], written["of"], written["attempt"]) == (right, 4, 1)
    if passed:
        assert scenario.assign(who, project).stage is Stage.MAIN
    else:
        assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.FAILED, project="p")


def test_another_attempt_waits_for_its_time_and_prefers_new_items(scenario: Scenario) -> None:
    """Two of four items in the first attempt, the other two in the second, the first again in the third."""
    section = {"number": 2, "pass_mark": "2 of 2", "attempts": 3, "cool_down": "1 d"}
    project = scenario.project(**stages(scenario, qualification=section))
    who = scenario.person()
    attempts = []
    for _ in range(2):
        attempts.append(scenario.answers(who, 2, NO, project=project))
        until = scenario.now + timedelta(days=1)
        assert scenario.wait(who, project) == NothingAssigned(
            reason=UnassignedReason.COOL_DOWN, project="p", until=until
        )
        scenario.later(days=1)
    assert len({*attempts[0], *attempts[1]}) == 4
    again = scenario.assign(who, project)
    assert scenario.assignment(again).occasion == 1
    scenario.submit(who, again, YES)
    scenario.answer(who, NO, project=project)
    assert scenario.wait(who, project).reason is UnassignedReason.FAILED
    assert scenario.participation(who, project).status is ParticipationStatus.FAILED


def test_a_skip_in_the_qualification_is_not_right(scenario: Scenario) -> None:
    """It takes one of the answers."""
    project = scenario.project(**stages(scenario, qualification={"number": 1, "pass_mark": "1 of 1"}))
    who = scenario.person()
    saved = scenario.skip(who, scenario.assign(who, project))
    assert saved.decision is not None
    assert (saved.decision.passed, saved.decision.n_right, saved.decision.n_answered) == (False, 0, 1)


def test_the_qualification_can_be_mended_until_it_is_decided(scenario: Scenario) -> None:
    """A slip in the first answer is undone; after the last answer nothing is."""
    project = scenario.project(**stages(scenario, qualification={"number": 2, "pass_mark": "2 of 2"}))
    who = scenario.person()
    first = scenario.assign(who, project)
    scenario.submit(who, first, NO)
    scenario.submit(who, scenario.undo(who, first), YES)
    last = scenario.assign(who, project)
    decision = scenario.submit(who, last, YES).decision
    assert decision is not None
    assert decision.passed
    for assigned in (first, last):
        with pytest.raises(Stale):
            scenario.undo(who, assigned)


@pytest.mark.parametrize(("right", "mark", "passed"), [(3, "3 of 4", True), (2, "3 of 4", False), (2, "60 %", False)])
def test_who_misses_the_mark_of_the_training_goes_no_further(
    scenario: Scenario, right: int, mark: str, passed: bool
) -> None:
    """Judged when all of it is answered; the result is in the journal, and a failure says its reason."""
    project = scenario.project(**stages(scenario, training={"pass_mark": mark}))
    who = scenario.person()
    for number in range(4):
        assigned = scenario.assign(who, project)
        assert assigned.stage is Stage.TRAINING
        scenario.submit(who, assigned, YES if number < right else NO)
    if passed:
        assert scenario.assign(who, project).stage is Stage.MAIN
    else:
        assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.FAILED, project="p")
        assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.FAILED, project="p")
        assert scenario.participation(who, project).reason == f"training: {right} of 4 right"
    event = Event.QUALIFICATION_PASSED if passed else Event.QUALIFICATION_FAILED
    with scenario.db.transaction() as session:
        written = session.exec(select(Journal.data).where(Journal.event == event.value)).one()
    assert (written["stage"], written["right"], written["of"]) == ("training", right, 4)


@pytest.mark.parametrize("paused", [2, 4])
def test_nobody_fails_for_items_that_are_paused(scenario: Scenario, paused: int) -> None:
    """With fewer items than the mark speaks of the attempt waits, and goes on when they are back."""
    project = scenario.project(**stages(scenario, qualification={"pass_mark": "3 of 4"}))
    who = scenario.person()
    with scenario.db.transaction() as session:
        chosen = select(Item.id).where(Item.pool == Pool.QUALIFICATION).order_by(col(Item.id))
        out = [one or 0 for one in session.exec(chosen.limit(paused))]
        for one in out:
            overlap_counts.pause_item(session, item_id=one)
    scenario.answers(who, 4 - paused, project=project)
    assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.NOTHING_LEFT, project="p")
    assert scenario.participation(who, project).status is ParticipationStatus.ACTIVE
    with scenario.db.transaction() as session:
        for one in out:
            overlap_counts.resume_item(session, item_id=one, now=scenario.now)
    scenario.answers(who, paused, project=project)
    assert scenario.assign(who, project).stage is Stage.MAIN
