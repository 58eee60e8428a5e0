"""Answers that come late, or from excluded annotators: kept, with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store.models import Annotator, Item, Participation, Project
from annotation.vocabulary import AssignmentStatus, ItemStatus, ParticipationStatus
from annotation.workflow.annotators import roster, withdrawal
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.quality import enforcement

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"
REASON = "the organisers know why"


def excluded(scenario: Scenario, who: int, project: int) -> None:
    """Excluded from the project, as by a rule."""
    with scenario.db.transaction() as session:
        participation = session.get_one(Participation, (who, project))
        participation.status, participation.reason = ParticipationStatus.EXCLUDED, REASON
        session.add(participation)


def gone(scenario: Scenario, who: int, project: int, how: str) -> None:
    """Out of the project in one way or another."""
    if how == "excluded":
        excluded(scenario, who, project)
        return
    with scenario.db.transaction() as session:
        if how == "withdrawn":
            withdrawal.withdraw_annotator(
                session, annotator_id=who, project=session.get_one(Project, project), now=scenario.now
            )
        else:
            person = session.get_one(Annotator, who)
            roster.suspend_annotator(session, annotator=person, reason=REASON, now=scenario.now)


def test_a_late_answer_of_an_excluded_annotator_is_kept_with_the_reason(scenario: Scenario) -> None:
    """It takes no place; after a readmission it counts, as all other answers do."""
    project = scenario.project(items=1, overlap=1)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.later(hours=1)
    scenario.expire()
    excluded(scenario, who, project)
    scenario.submit(who, assigned, NO)
    assert scenario.judgements(assigned) == [(0, NO, None, REASON)]
    assert (scenario.item(assigned.item).free, scenario.assignment(assigned).holds_place) == (1, False)
    assert scenario.submit(who, assigned, NO).repeated
    with pytest.raises(Stale):
        scenario.undo(who, assigned)
    scenario.check_counts()
    with scenario.db.transaction() as session:
        assert enforcement.readmit_annotator(session, annotator_id=who, project_id=project, now=scenario.now) == 1
    assert (scenario.item(assigned.item).free, scenario.assignment(assigned).holds_place) == (0, True)
    scenario.check_counts()


def test_a_late_answer_of_somebody_who_withdrew_is_refused(scenario: Scenario) -> None:
    """The annotator withdrew with all answers, and gives no more."""
    project = scenario.project(items=1, overlap=1)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    gone(scenario, who, project, "withdrawn")
    with pytest.raises(Stale):
        scenario.submit(who, assigned)
    assert scenario.judgements(assigned) == []


def test_a_repeat_that_is_answered_late_takes_no_place(scenario: Scenario) -> None:
    """As one in time."""
    project = scenario.project(items=2, overlap=1, repeats={"share": "100 %", "after": "24 h"})
    who = scenario.person()
    scenario.answers(who, 2, project=project)
    scenario.later(days=2)
    repeat = scenario.assign(who, project)
    assert scenario.assignment(repeat).is_repeat
    scenario.later(hours=1)
    scenario.expire()
    scenario.submit(who, repeat)
    assert (scenario.assignment(repeat).status, scenario.assignment(repeat).holds_place) == (
        AssignmentStatus.DONE,
        False,
    )
    scenario.check_counts()


@pytest.mark.parametrize("how", ["withdrawn", "excluded", "suspended"])
def test_reports_of_people_who_are_out_pause_nothing(scenario: Scenario, how: str) -> None:
    """Two annotators' reports pause an item: this one is kept, and not counted."""
    project = scenario.project(items=1, overlap=3)
    people = [scenario.person(number) for number in (1, 2, 3)]
    assigned_items = [scenario.assign(who, project) for who in people]
    assert not scenario.report(people[0], assigned_items[0]).paused
    gone(scenario, people[0], project, how)
    assert not scenario.report(people[1], assigned_items[1]).paused
    assert scenario.report(people[2], assigned_items[2]).paused
    with scenario.db.reading() as view:
        assert view.exec(select(col(Item.status))).one() is ItemStatus.PAUSED


def test_a_control_item_whose_lease_expired_is_asked_once_and_first(scenario: Scenario) -> None:
    """It comes back at its old place, the page goes on where it was: two pages of three have two control items."""
    controls = {"pool": {"file": scenario.items("controls", 9)}, "per_page": 1}
    project = scenario.project(items=12, controls=controls, pages={"items": 3})
    who = scenario.person()
    seen: list[AssignedItem] = []
    while len(seen) < 6:
        assigned = scenario.assign(who, project)
        if scenario.assignment(assigned).is_control and assigned.assignment_id not in {
            one.assignment_id for one in seen
        }:
            scenario.later(hours=1)
            scenario.expire()
            assert scenario.assign(who, project).assignment_id == assigned.assignment_id
        scenario.submit(who, assigned)
        seen.append(assigned)
    stored = [scenario.assignment(one) for one in seen]
    assert [one.is_control for one in stored].count(True) == 2
    assert [(one.page, one.position) for one in stored] == [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (2, 6)]


def test_an_expired_control_item_of_a_group_met_elsewhere_does_not_return(scenario: Scenario) -> None:
    """In a baseline the annotator would know it; another comes in its place, if there is one."""
    controls = {"pool": {"file": scenario.items("controls", ["story", "other"])}, "rate": "100 %"}
    project = scenario.project(items=3, kind="baseline", controls=controls)
    who = scenario.person()
    assigned_items = [scenario.assign(who, project)]
    scenario.later(hours=1)
    scenario.expire()
    group = scenario.item(assigned_items[0].item).group_id
    elsewhere = scenario.project("elsewhere", items=[group])
    scenario.answer(who, project=elsewhere)
    after = scenario.assign(who, project)
    assert scenario.assignment(after).is_control
    assert after.item != assigned_items[0].item
