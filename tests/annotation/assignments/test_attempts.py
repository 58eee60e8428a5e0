"""Attempts at training and qualification: how often, after how long, and what a fix of an item does to them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import col, select

from annotation.campaigns import project_file as project_files
from annotation.loading import campaign as loading
from annotation.store import judgements
from annotation.store.models import Journal
from annotation.vocabulary import Event, ParticipationStatus, Stage, UnassignedReason
from annotation.workflow.lifecycle import item_fixes
from annotation.workflow.participations import NothingAssigned

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"


def stage(scenario: Scenario, name: str, items: int, *, mark: str, **keys: Any) -> dict[str, Any]:
    """One stage with a pool of so many items."""
    return {name: {"pool": {"file": scenario.items(name, items)}, "pass_mark": mark} | keys}


def fix(scenario: Scenario, project: str, item: str, *, gold: str) -> None:
    """The gold of an item of a pool is another one."""
    file = scenario.folder / f"{item.rpartition('-')[0]}.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    changed = [row | ({"gold": gold} if row["id"] == item else {}) for row in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in changed), "utf-8")
    read = project_files.read_project(scenario.folder / f"{project}.yaml")
    contents = loading.read_contents(read)
    with scenario.db.transaction() as session:
        item_fixes.fix_item(session, read, contents, item=item, cosmetic=False, now=scenario.now)


def decisions(scenario: Scenario) -> list[tuple[str, str, int, int, int]]:
    """What the journal says of attempts: event, stage, attempt, right, of."""
    wanted = col(Journal.event).in_((Event.QUALIFICATION_PASSED.value, Event.QUALIFICATION_FAILED.value))
    with scenario.db.reading() as view:
        rows = view.exec(select(Journal).where(wanted).order_by(col(Journal.id))).all()
    return [(row.event, *(row.data[key] for key in ("stage", "attempt", "right", "of"))) for row in rows]


def test_a_training_may_be_tried_again_after_its_cool_down(scenario: Scenario) -> None:
    """The second attempt asks new items first, and then leads into a qualification with all attempts."""
    section: dict[str, Any] = {"number": 2, "mark": "2 of 2", "attempts": 2, "cool_down": "2 h"}
    marks: dict[str, Any] = {"mark": "2 of 2", "attempts": 2}
    stages = stage(scenario, "training", 4, **section) | stage(scenario, "qualification", 2, **marks)
    project = scenario.project(items=1, stages=stages)
    who = scenario.person()
    first = scenario.answers(who, 2, NO, project=project)
    until = scenario.now + timedelta(hours=2)
    assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.COOL_DOWN, project="p", until=until)
    scenario.later(hours=2)
    second = scenario.answers(who, 2, YES, project=project)
    assert len({*first, *second}) == 4
    assert scenario.assign(who, project).stage is Stage.QUALIFICATION
    assert scenario.participation(who, project).attempt == 1
    assert decisions(scenario) == [
        ("qualification failed", "training", 1, 0, 2),
        ("qualification passed", "training", 2, 2, 2),
    ]
    scenario.answers(who, 2, NO, project=project)
    assert scenario.assign(who, project).stage is Stage.QUALIFICATION
    assert scenario.participation(who, project).attempt == 2


def test_the_last_attempt_at_a_training_is_the_last(scenario: Scenario) -> None:
    """The same two items come again, as there are no others; what is right then is no proof of skill."""
    stages = stage(scenario, "training", 2, mark="2 of 2", attempts=2)
    project = scenario.project(items=1, stages=stages)
    who = scenario.person()
    first = scenario.answers(who, 2, NO, project=project)
    again = scenario.assign(who, project)
    assert again.item in first
    assert scenario.assignment(again).occasion == 1
    scenario.submit(who, again, YES)
    scenario.answer(who, NO, project=project)
    assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.FAILED, project="p")
    participation = scenario.participation(who, project)
    assert (participation.status, participation.reason) == (ParticipationStatus.FAILED, "training: 1 of 2 right")
    with scenario.db.reading() as view:
        known = judgements.list_gold_answers(view, annotator_id=who, project_id=project, training=True)
    assert [one.response for one in known] == [NO, NO]


def test_a_training_item_whose_lease_expired_is_the_same_attempt(scenario: Scenario) -> None:
    """It comes back as it was, before any other."""
    project = scenario.project(stages=stage(scenario, "training", 4, mark="4 of 4", attempts=2))
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.later(hours=1)
    scenario.expire()
    assert scenario.assign(who, project).assignment_id == assigned.assignment_id


@pytest.mark.parametrize("name", ["training", "qualification"])
def test_an_answer_to_gold_that_was_wrong_is_asked_for_anew(scenario: Scenario, name: str) -> None:
    """The answer was «ні» where the gold said «так»: after the fix another item is asked, or, where there is none, the
    fixed one, and the decision is by the answers to the gold as it is."""
    project = scenario.project(items=1, stages=stage(scenario, name, 2, mark="2 of 2"))
    who = scenario.person()
    first = scenario.assign(who, project)
    scenario.submit(who, first, NO)
    fix(scenario, "p", first.item, gold=NO)
    assert scenario.judgements(first)[0][3] == "the item was changed: revision 2"
    other = scenario.answer(who, YES, project=project)
    assert other != first.item
    again = scenario.assign(who, project)
    assert (again.item, scenario.assignment(again).occasion) == (first.item, 1)
    scenario.submit(who, again, NO)
    assert scenario.assign(who, project).stage is Stage.MAIN
    assert decisions(scenario) == [("qualification passed", name, 1, 2, 2)]


def test_a_live_item_that_was_fixed_does_not_end_the_attempt(scenario: Scenario) -> None:
    """It is taken back, and the attempt goes on without waiting for an answer that cannot come."""
    project = scenario.project(items=1, stages=stage(scenario, "qualification", 2, mark="2 of 2"))
    who = scenario.person()
    first = scenario.assign(who, project)
    fix(scenario, "p", first.item, gold=NO)
    scenario.answer(who, YES, project=project)
    again = scenario.assign(who, project)
    assert again.item == first.item
    decision = scenario.submit(who, again, NO).decision
    assert decision is not None
    assert (decision.passed, decision.n_answered) == (True, 2)


def test_what_is_decided_stays_decided(scenario: Scenario) -> None:
    """A fix after the qualification takes nobody back."""
    project = scenario.project(items=1, stages=stage(scenario, "qualification", 2, mark="2 of 2"))
    who = scenario.person()
    asked = scenario.answers(who, 2, YES, project=project)
    fix(scenario, "p", asked[0], gold=NO)
    assert scenario.assign(who, project).stage is Stage.MAIN


def test_a_paused_item_does_not_come_back_to_whom_it_had_left(scenario: Scenario) -> None:
    """Its lease ran out, then two people reported it: the attempt asks another."""
    project = scenario.project(stages=stage(scenario, "qualification", 3, number=2, mark="2 of 2"))
    who, *others = (scenario.person(number) for number in (1, 2, 3))
    mine = scenario.assign(who, project)
    scenario.later(hours=1)
    scenario.expire()
    for other in others:
        while (assigned := scenario.assign(other, project)).item != mine.item:
            scenario.submit(other, assigned)
        scenario.report(other, assigned)
    assert scenario.assign(who, project).item != mine.item
