"""Who gets which item: exposure, exceptions, caps, order, one live item."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from annotation.store import item_queue
from annotation.store.models import Annotator, Item, Project
from annotation.vocabulary import UNSAID_TIME_ZONE, ParticipationStatus, ProjectStatus, UnassignedReason
from annotation.workflow import assignments, participations
from annotation.workflow.annotators import withdrawal
from annotation.workflow.lifecycle import transitions
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.participations import NothingAssigned

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_one_live_item_across_all_projects(scenario: Scenario) -> None:
    """Whichever project is asked for, the live item is assigned until it is answered."""
    first, second = scenario.project("one", items=1), scenario.project("two", items=1)
    who = scenario.person()
    assigned = scenario.assign(who, second)
    assert scenario.assign(who, first).assignment_id == assigned.assignment_id
    assert scenario.assign(who).assignment_id == assigned.assignment_id
    scenario.submit(who, assigned)
    assert scenario.assign(who, second if assigned.project == "one" else first).assignment_id != assigned.assignment_id


@pytest.mark.parametrize(
    ("cells", "again", "closed"),
    [
        (None, 3, 0),
        (["", "", ""], 3, 0),
        (["story", "", "story"], 1, 2),
    ],
)
def test_items_with_equal_ids_close_each_other_by_a_named_group_alone(
    scenario: Scenario, cells: list[str] | None, again: int, closed: int
) -> None:
    """Whoever answered everything in one baseline gets the items with the same ids in an unrelated one.

    An empty cell of the group counts as no column. What is closed, and why, is in the status.
    """
    section: dict[str, Any] = {"file": scenario.items("both", cells or 3), "id": "id", "show": ["text"], "gold": "gold"}
    section |= {} if cells is None else {"group": "group"}
    first, second = (scenario.project(name, kind="baseline", section=section) for name in ("first", "second"))
    who = scenario.person()
    assert len(scenario.all(who, project=first)) == (2 if closed else 3)
    assert len(scenario.all(who, project=second)) == again
    with scenario.db.transaction() as session:
        status = campaign_status.get_campaign_status(session, session.get_one(Project, second), with_closed=True)
        pseudonym = session.get_one(Annotator, who).pseudonym
    found = () if status.closed is None else status.closed
    assert [(one.annotator, one.words) for one in found] == (
        [(pseudonym, "2 items (met in first: 2)")] if closed else []
    )


@pytest.mark.parametrize(
    ("kind", "exceptions", "came", "exposed"),
    [
        ("baseline", None, ["p-m-2"], [False]),
        ("baseline", ["before"], ["p-m-1", "p-m-2"], [True, False]),
        ("annotation", None, ["p-m-1", "p-m-2"], [False, False]),
    ],
)
def test_exposure_across_projects(
    scenario: Scenario, kind: str, exceptions: list[str] | None, came: list[str], exposed: list[bool]
) -> None:
    """A group met in another project does not come in a baseline, unless that project is listed; then it is marked."""
    before = scenario.project("before", items=["story"])
    who = scenario.person()
    scenario.answer(who, project=before)
    keys: dict[str, Any] = {} if exceptions is None else {"exposure": {"exceptions": exceptions}}
    project = scenario.project(items=["story", "other"], kind=kind, **keys)
    found = {}
    while isinstance(assigned := scenario.request_item(who, project), assignments.AssignedItem):
        found[assigned.item] = scenario.assignment(assigned).exposed
        scenario.submit(who, assigned)
    assert sorted(found.items()) == list(zip(came, exposed, strict=True))


def test_a_baseline_shows_one_item_of_a_group(scenario: Scenario) -> None:
    """Six items of three groups: three for each person, and the other people get their share."""
    project = scenario.project(items=["a", "a", "b", "b", "c", "c"], kind="baseline")
    for number in range(4):
        came = scenario.all(scenario.person(number), project=project)
        assert len({scenario.item(name).group_id for name in came}) == len(came) == 3
    scenario.check_counts()
    assert {scenario.item(f"p-m-{number}").free for number in range(1, 7)} == {0}


def test_an_expired_item_of_a_baseline_comes_back_to_its_owner_alone(scenario: Scenario) -> None:
    """Having met the group by that very item does not exclude the annotator; having met it elsewhere does."""
    project = scenario.project(items=["story"], kind="baseline", overlap=1)
    one, other = scenario.person(1), scenario.person(2)
    for who in (one, other):
        assigned = scenario.assign(who, project)
        scenario.later(hours=1)
        assert scenario.expire() == 1
        scenario.check_counts()
    elsewhere = scenario.project("elsewhere", items=["story"])
    scenario.answer(other, project=elsewhere)
    assert scenario.wait(other, project).reason is UnassignedReason.NOTHING_LEFT
    again = scenario.assign(one, project)
    assert (again.item, again.number) == (assigned.item, 1)
    scenario.check_counts()


@pytest.mark.parametrize(
    ("zone", "default", "until"),
    [
        (None, "UTC", datetime(2026, 11, 22, tzinfo=UTC)),
        (None, "Europe/Kyiv", datetime(2026, 11, 21, 22, tzinfo=UTC)),
        (UNSAID_TIME_ZONE, "Europe/Kyiv", datetime(2026, 11, 21, 22, tzinfo=UTC)),
        ("Europe/Kyiv", "UTC", datetime(2026, 11, 21, 22, tzinfo=UTC)),
        ("America/New_York", "Europe/Kyiv", datetime(2026, 11, 22, 5, tzinfo=UTC)),
        ("Nowhere/Land", "Europe/Kyiv", datetime(2026, 11, 22, tzinfo=UTC)),
    ],
)
def test_a_days_cap_ends_at_midnight_in_the_annotators_time_zone(
    scenario: Scenario, zone: str | None, default: str, until: datetime
) -> None:
    """Two items a day, the day being that of the annotator's own time zone, or that of the organisers."""
    scenario.db = replace(scenario.db, engine=scenario.db.engine.execution_options(organisers_time_zone=default))
    project = scenario.project(items=5, caps={"items_per_day": 2})
    who = scenario.person(time_zone=zone)
    scenario.answers(who, 2, project=project)
    assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.CAP, project="p", until=until)
    scenario.now = until
    scenario.answers(who, 2, project=project)
    assert scenario.wait(who, project).reason is UnassignedReason.CAP


def test_a_cap_in_all_has_no_end(scenario: Scenario) -> None:
    """Nothing lifts it, and undoing an answer is no other answer."""
    project = scenario.project(items=5, caps={"items": 2})
    who = scenario.person()
    scenario.answer(who, project=project)
    assigned = scenario.assign(who, project)
    scenario.submit(who, assigned)
    scenario.submit(who, scenario.undo(who, assigned), "ні")
    assert scenario.wait(who, project) == NothingAssigned(reason=UnassignedReason.CAP, project="p")


def test_a_work_session_ends_with_its_cap_and_begins_after_a_pause(scenario: Scenario) -> None:
    """After twenty minutes of work comes a rest of thirty; asking meanwhile does not lengthen the pause."""
    project = scenario.project(items=9, caps={"sitting": "20 min"})
    who = scenario.person()
    for _ in range(2):
        scenario.answer(who, project=project)
        scenario.later(minutes=10)
    last = scenario.now - NOON
    waiting = scenario.wait(who, project)
    assert (waiting.reason, waiting.until) == (UnassignedReason.CAP, NOON.replace(minute=40))
    assert last.total_seconds() == 1200
    scenario.later(minutes=19)
    assert scenario.wait(who, project) == waiting
    scenario.later(minutes=1)
    scenario.answer(who, project=project)
    assert scenario.participation(who, project).work_session == 2


def test_what_keeps_a_person_from_a_project_is_said(scenario: Scenario) -> None:
    """A project that does not run, and a person who was excluded; the next project is offered all the same."""
    paused, other = scenario.project("one", items=1), scenario.project("two", items=1)
    who = scenario.person()
    scenario.status(paused, ProjectStatus.PAUSED)
    assert scenario.wait(who, paused) == NothingAssigned(reason=UnassignedReason.NOT_RUNNING, project="one")
    assert scenario.assign(who).project == "two"
    with scenario.db.transaction() as session:
        participation = scenario.participation(who, other)
        participation.status = ParticipationStatus.EXCLUDED
        session.add(participation)
    assert scenario.wait(who) == NothingAssigned(reason=UnassignedReason.EXCLUDED, project="two")
    assert scenario.item("two-m-1").n_live == 0


def test_items_begun_come_before_new_ones(scenario: Scenario) -> None:
    """Sixteen people answer two items each of forty: the places of few items are taken, not one of each."""
    project = scenario.project(items=40, overlap=4)
    for number in range(16):
        scenario.answers(scenario.person(number), 2, project=project)
    with scenario.db.transaction() as session:
        counted = sa.select(sa.func.count()).select_from(Item).where(sa.text("n_live > 0"))
        assert session.connection().execute(counted).scalar_one() <= 11
    scenario.check_counts()


def test_a_person_gets_every_item_of_a_large_pool_once(scenario: Scenario) -> None:
    """Four hundred items, in windows of sixteen and more, and then nothing, at the second asking too."""
    project = scenario.project(items=400, overlap=1)
    who = scenario.person()
    came = scenario.all(who, project=project)
    assert len(came) == len(set(came)) == 400
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.check_counts()


def test_that_nothing_is_left_is_found_in_steps_and_kept(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred items of a known group: each call reads some windows and asks to be called again; when all were read,
    the next call says so at once; the one item that is allowed is found when its place is free again.
    """
    monkeypatch.setattr(item_queue, "WINDOWS", (2, 4, 8))
    monkeypatch.setattr(item_queue, "MOST_WINDOWS", 2)
    before = scenario.project("before", items=["story"])
    project = scenario.project(items=[*["story"] * 99, "new"], kind="baseline", overlap=1)
    who, other = scenario.person(1), scenario.person(2)
    for person in (who, other):
        scenario.answer(person, project=before)
    taken = scenario.assign(other, project)
    reasons = [asked(scenario, who, project)]
    while reasons[-1] is UnassignedReason.SEARCHING:
        reasons.append(asked(scenario, who, project))
    assert len(reasons) > 10
    assert reasons[-1] is UnassignedReason.NOTHING_LEFT
    assert asked(scenario, who, project) is UnassignedReason.NOTHING_LEFT
    scenario.later(hours=1)
    assert scenario.assign(who, project).item == taken.item
    scenario.check_counts()


def asked(scenario: Scenario, who: int, project: int) -> UnassignedReason:
    """What one call says of why there is no item."""
    with scenario.db.transaction() as session:
        found = assignments.assign_next_item(
            assignments.lock_annotator(session, who), now=scenario.now, project_id=project
        )
    assert isinstance(found, NothingAssigned)
    return found.reason


def test_a_place_that_comes_back_is_found_by_whom_nothing_was_left(scenario: Scenario) -> None:
    """Another annotator's lease ends after the whole queue was read."""
    project = scenario.project(items=1, overlap=1)
    one, other = scenario.person(1), scenario.person(2)
    scenario.assign(one, project)
    assert scenario.wait(other, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.later(hours=1)
    scenario.assign(other, project)
    scenario.check_counts()


@pytest.mark.parametrize("late", [True, False])
def test_a_group_met_after_the_lease_expired_is_scored_apart(scenario: Scenario, late: bool) -> None:
    """By an exception; whether the late answer comes first or the item is assigned again."""
    project = scenario.project(items=["story"], kind="baseline", exposure={"exceptions": ["elsewhere"]})
    elsewhere = scenario.project("elsewhere", items=["story"])
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.later(hours=1)
    scenario.expire()
    scenario.answer(who, project=elsewhere)
    scenario.submit(who, assigned if late else scenario.assign(who, project))
    assert (scenario.assignment(assigned).holds_place, scenario.assignment(assigned).exposed) == (True, True)


def test_an_extended_maximum_holds_at_once(scenario: Scenario) -> None:
    """Where the definition was read before, as in a bot that runs on: two unsure items more, not one."""
    project = scenario.project(items=1, overlap={"min": 1, "max": 2, "confidence": 0.99})
    for number, label in enumerate((YES, NO), 1):
        scenario.answer(scenario.person(number), label, project=project)
    with scenario.db.transaction() as session:
        transitions.extend_project(session, project=session.get_one(Project, project), now=scenario.now, max_overlap=4)
    for number, label in enumerate((YES, NO), 3):
        scenario.answer(scenario.person(number), label, project=project)
    assert scenario.item("p-m-1").n_done == 4
    assert scenario.wait(scenario.person(9), project).reason is UnassignedReason.NOTHING_LEFT


def test_the_projects_of_an_annotator(scenario: Scenario) -> None:
    """In the order of loading, with or without those they left; the latest is where they worked last."""
    made = [scenario.project(name) for name in ("one", "two", "three")]
    who = scenario.person()

    def joined(*, include_withdrawn: bool = True) -> list[str]:
        with scenario.db.transaction() as session:
            found = participations.list_joined_projects(session, annotator_id=who, include_withdrawn=include_withdrawn)
            return [project.name for project in found]

    def latest() -> int | None:
        with scenario.db.transaction() as session:
            return participations.find_latest_project(session, annotator_id=who)

    assert (joined(), latest()) == ([], None)
    for project in (made[1], made[0]):
        scenario.answer(who, project=project)
        scenario.now += timedelta(minutes=1)
    assert (joined(), latest()) == (["one", "two"], made[0])
    with scenario.db.transaction() as session:
        withdrawal.withdraw_annotator(
            session, annotator_id=who, project=session.get_one(Project, made[0]), now=scenario.now
        )
    assert (joined(), joined(include_withdrawn=False)) == (["one", "two"], ["two"])
