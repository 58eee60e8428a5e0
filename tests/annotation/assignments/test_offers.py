"""What somebody can still get in each project, or why they get nothing there: the same as what is handed out then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import item_queue, queries
from annotation.store.models import Assignment, Participation, Project
from annotation.vocabulary import ParticipationStatus, ProjectStatus
from annotation.workflow import assignments
from annotation.workflow.annotators import withdrawal
from annotation.workflow.assignments import AssignedItem, Offer, Refusal
from tests.annotation.assignments.conftest import NO, Scenario

Prepare = Callable[[Scenario, int], object]


def list_offers(scenario: Scenario, who: int) -> tuple[Offer, ...]:
    with scenario.db.transaction() as session:
        before = count_rows(session)
        offers = assignments.list_offers(assignments.lock_annotator(session, who), now=scenario.now)
        assert count_rows(session) == before  # nothing is entered by looking
        return offers


def count_rows(session: Session) -> list[int]:
    counts = [sa.select(sa.func.count()).select_from(table) for table in (Participation, Assignment)]
    return [session.connection().execute(count).scalar_one() for count in counts]


def answer_all(scenario: Scenario, who: int) -> None:
    scenario.project(items=6, overlap=3)
    assert len(scenario.all(who)) == 6


def answer_some(scenario: Scenario, who: int) -> None:
    scenario.project(items=6, overlap=3)
    scenario.answers(who, 2)
    scenario.answers(scenario.person(2), 3)


def hold_one(scenario: Scenario, who: int) -> None:
    scenario.project(items=3)
    scenario.answer(who)
    scenario.assign(who)


def let_a_lease_expire(scenario: Scenario, who: int) -> None:
    scenario.project(items=3)
    scenario.assign(who)
    scenario.later(days=2)


def take_every_place(scenario: Scenario, who: int) -> None:
    scenario.project(items=3, overlap=1)
    scenario.answer(who)
    scenario.all(scenario.person(2))


def meet_groups_elsewhere(scenario: Scenario, who: int) -> None:
    made = scenario.project("b", items=["g1", "g2"], kind="baseline")
    scenario.project("c", items=["g1", "g2"])
    scenario.status(made, ProjectStatus.LOADED)
    scenario.all(who)
    scenario.status(made, ProjectStatus.RUNNING)


def ask_of_one_group(scenario: Scenario, who: int) -> None:
    scenario.project(items=["g", "g", "h"], kind="baseline")


def fail_training(scenario: Scenario, who: int) -> None:
    stages = {"training": {"pool": {"file": scenario.items("t", 2)}, "pass_mark": "2 of 2", "attempts": 1}}
    scenario.project(items=4, stages=stages)
    scenario.answers(who, 2, NO)
    scenario.wait(who)


def pass_training_next(scenario: Scenario, who: int) -> None:
    scenario.project(items=4, stages={"training": {"pool": {"file": scenario.items("t", 2)}}})
    scenario.answer(who)


def reach_the_day(scenario: Scenario, who: int) -> None:
    scenario.project(items=4, caps={"items_per_day": 1})
    scenario.answer(who)


def reach_the_cap(scenario: Scenario, who: int) -> None:
    scenario.project(items=4, caps={"items": 1})
    scenario.answer(who)


def near_the_cap(scenario: Scenario, who: int) -> None:
    scenario.project(items=6, caps={"items": 3})
    scenario.answer(who)


def stop(status: ProjectStatus) -> Prepare:
    def prepare(scenario: Scenario, who: int) -> None:
        made = scenario.project(items=4)
        scenario.answer(who)
        scenario.status(made, status)

    return prepare


def exclude(scenario: Scenario, who: int) -> None:
    made = scenario.project(items=4)
    scenario.answer(who)
    with scenario.db.transaction() as session:
        participation = session.get_one(Participation, (who, made))
        participation.status = ParticipationStatus.EXCLUDED
        session.add(participation)


def leave(scenario: Scenario, who: int) -> None:
    made = scenario.project(items=4)
    scenario.answer(who)
    with scenario.db.transaction() as session:
        project = queries.get_project(session, session.get_one(Project, made).name)
        withdrawal.withdraw_annotator(session, annotator_id=who, project=project, now=scenario.now)


def hide_items(scenario: Scenario, who: int) -> None:
    controls = {"pool": {"file": scenario.items("k", 4)}, "rate": "25%"}
    scenario.project(items=6, overlap=3, controls=controls)
    scenario.answers(who, 2)


@pytest.mark.parametrize(
    ("prepare", "expected"),
    [
        (answer_all, Refusal.ANSWERED),
        (answer_some, 4),
        (hold_one, 2),
        (let_a_lease_expire, 3),
        (take_every_place, Refusal.TAKEN),
        (meet_groups_elsewhere, Refusal.MET),
        (ask_of_one_group, 2),
        (fail_training, Refusal.FAILED),
        (pass_training_next, 4),
        (reach_the_day, Refusal.LATER),
        (reach_the_cap, Refusal.QUOTA),
        (near_the_cap, 2),
        (stop(ProjectStatus.PAUSED), Refusal.PAUSED),
        (stop(ProjectStatus.CLOSED), Refusal.CLOSED),
        (exclude, Refusal.STOPPED),
        (leave, Refusal.LEFT),
        (hide_items, 6),
    ],
)
def test_what_is_offered(scenario: Scenario, prepare: Prepare, expected: int | Refusal) -> None:
    """Each state of a project and of somebody in it, after which they get as much as it says."""
    who = scenario.person()
    prepare(scenario, who)
    offer = list_offers(scenario, who)[0]
    assert (offer.refusal or offer.left) == expected
    if isinstance(expected, Refusal):
        assert offer.left == 0
        assert not isinstance(scenario.request_item(who, None), AssignedItem) or prepare is meet_groups_elsewhere
    elif prepare not in {pass_training_next, hide_items}:
        assert len(scenario.all(who)) == expected


def test_an_offer_names_when_it_opens_again(scenario: Scenario) -> None:
    """Of a programme the first time; of a day the next midnight."""
    who = scenario.person()
    reach_the_day(scenario, who)
    (offer,) = list_offers(scenario, who)
    assert offer.until is not None
    assert timedelta() < offer.until - scenario.now <= timedelta(days=1)


def test_very_many_items_are_not_counted(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above so many there is no number; somebody who has not entered a project sees it too."""
    made = scenario.project(items=3)
    who = scenario.person()
    assert [offer.left for offer in list_offers(scenario, who)] == [3]
    monkeypatch.setattr(item_queue, "MOST_COUNTED", 2)
    monkeypatch.setattr("annotation.workflow.assignments.offers._MANY", 2)
    assert [offer.left for offer in list_offers(scenario, who)] == [None]
    with scenario.db.reading() as view:
        assert queries.get_project(view, "p").id == made
