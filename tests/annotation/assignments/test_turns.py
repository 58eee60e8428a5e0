"""Who gets which item: exposure, exceptions, caps, order, one live item."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from annotation.store import item_queue
from annotation.store.models import Item, Project
from annotation.vocabulary import ParticipationStatus, ProjectStatus, UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.lifecycle import transitions
from annotation.workflow.participations import NothingAssigned

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES, NO = "так", "ні"
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_one_live_item_across_all_projects(room: Room) -> None:
    """Whichever project is asked for, the live item is assigned until it is answered."""
    first, second = room.project("one", items=1), room.project("two", items=1)
    who = room.person()
    assigned = room.assign(who, second)
    assert room.assign(who, first).assignment_id == assigned.assignment_id
    assert room.assign(who).assignment_id == assigned.assignment_id
    room.submit(who, assigned)
    assert room.assign(who, second if assigned.project == "one" else first).assignment_id != assigned.assignment_id


@pytest.mark.parametrize(
    ("kind", "exceptions", "came", "exposed"),
    [
        ("baseline", None, ["p-m-2"], [False]),
        ("baseline", ["before"], ["p-m-1", "p-m-2"], [True, False]),
        ("annotation", None, ["p-m-1", "p-m-2"], [False, False]),
    ],
)
def test_exposure_across_projects(
    room: Room, kind: str, exceptions: list[str] | None, came: list[str], exposed: list[bool]
) -> None:
    """A group met in another project does not come in a baseline, unless that project is listed; then it is marked."""
    before = room.project("before", items=["story"])
    who = room.person()
    room.answer(who, project=before)
    keys: dict[str, Any] = {} if exceptions is None else {"exposure": {"exceptions": exceptions}}
    project = room.project(items=["story", "other"], kind=kind, **keys)
    found = {}
    while isinstance(assigned := room.look(who, project), assignments.AssignedItem):
        found[assigned.item] = room.assignment(assigned).exposed
        room.submit(who, assigned)
    assert sorted(found.items()) == list(zip(came, exposed, strict=True))


def test_a_baseline_shows_one_item_of_a_group(room: Room) -> None:
    """Six items of three groups: three for each person, and the other people get their share."""
    project = room.project(items=["a", "a", "b", "b", "c", "c"], kind="baseline")
    for number in range(4):
        came = room.all(room.person(number), project=project)
        assert len({room.item(name).group_id for name in came}) == len(came) == 3
    room.sound()
    assert {room.item(f"p-m-{number}").free for number in range(1, 7)} == {0}


def test_an_expired_item_of_a_baseline_comes_back_to_its_owner_alone(room: Room) -> None:
    """Having met the group by that very item does not exclude the annotator; having met it elsewhere does."""
    project = room.project(items=["story"], kind="baseline", overlap=1)
    one, other = room.person(1), room.person(2)
    for who in (one, other):
        assigned = room.assign(who, project)
        room.later(hours=1)
        assert room.expire() == 1
        room.sound()
    elsewhere = room.project("elsewhere", items=["story"])
    room.answer(other, project=elsewhere)
    assert room.wait(other, project).reason is UnassignedReason.NOTHING_LEFT
    again = room.assign(one, project)
    assert (again.item, again.number) == (assigned.item, 1)
    room.sound()


@pytest.mark.parametrize(
    ("zone", "until"),
    [
        (None, datetime(2026, 11, 22, tzinfo=UTC)),
        ("Europe/Kyiv", datetime(2026, 11, 21, 22, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 11, 22, 5, tzinfo=UTC)),
        ("Nowhere/Land", datetime(2026, 11, 22, tzinfo=UTC)),
    ],
)
def test_a_days_cap_ends_at_midnight_where_she_is(room: Room, zone: str | None, until: datetime) -> None:
    """Two items a day, the day being that of the annotator's own time zone."""
    project = room.project(items=5, caps={"items_per_day": 2})
    who = room.person(time_zone=zone)
    room.answers(who, 2, project=project)
    assert room.wait(who, project) == NothingAssigned(reason=UnassignedReason.CAP, project="p", until=until)
    room.now = until
    room.answers(who, 2, project=project)
    assert room.wait(who, project).reason is UnassignedReason.CAP


def test_a_cap_in_all_has_no_end(room: Room) -> None:
    """Nothing lifts it, and undoing an answer is no other answer."""
    project = room.project(items=5, caps={"items": 2})
    who = room.person()
    room.answer(who, project=project)
    assigned = room.assign(who, project)
    room.submit(who, assigned)
    room.submit(who, room.undo(who, assigned), "ні")
    assert room.wait(who, project) == NothingAssigned(reason=UnassignedReason.CAP, project="p")


def test_a_sitting_ends_with_its_cap_and_begins_after_a_pause(room: Room) -> None:
    """After twenty minutes of work comes a rest of thirty; asking meanwhile does not lengthen the pause."""
    project = room.project(items=9, caps={"sitting": "20 min"})
    who = room.person()
    for _ in range(2):
        room.answer(who, project=project)
        room.later(minutes=10)
    last = room.now - NOON
    waiting = room.wait(who, project)
    assert (waiting.reason, waiting.until) == (UnassignedReason.CAP, NOON.replace(minute=40))
    assert last.total_seconds() == 1200
    room.later(minutes=19)
    assert room.wait(who, project) == waiting
    room.later(minutes=1)
    room.answer(who, project=project)
    assert room.standing(who, project).work_session == 2


def test_what_keeps_a_person_from_a_project_is_said(room: Room) -> None:
    """A project that does not run, and a person who was excluded; the next project is offered all the same."""
    paused, other = room.project("one", items=1), room.project("two", items=1)
    who = room.person()
    room.status(paused, ProjectStatus.PAUSED)
    assert room.wait(who, paused) == NothingAssigned(reason=UnassignedReason.NOT_RUNNING, project="one")
    assert room.assign(who).project == "two"
    with room.db.transaction() as session:
        standing = room.standing(who, other)
        standing.status = ParticipationStatus.EXCLUDED
        session.add(standing)
    assert room.wait(who) == NothingAssigned(reason=UnassignedReason.EXCLUDED, project="two")
    assert room.item("two-m-1").n_live == 0


def test_items_begun_come_before_new_ones(room: Room) -> None:
    """Sixteen people answer two items each of forty: the places of few items are taken, not one of each."""
    project = room.project(items=40, overlap=4)
    for number in range(16):
        room.answers(room.person(number), 2, project=project)
    with room.db.transaction() as session:
        counted = sa.select(sa.func.count()).select_from(Item).where(sa.text("n_live > 0"))
        assert session.connection().execute(counted).scalar_one() <= 11
    room.sound()


def test_a_person_gets_every_item_of_a_large_pool_once(room: Room) -> None:
    """Four hundred items, in windows of sixteen and more, and then nothing, at the second asking too."""
    project = room.project(items=400, overlap=1)
    who = room.person()
    came = room.all(who, project=project)
    assert len(came) == len(set(came)) == 400
    assert room.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    room.sound()


def test_the_proof_of_nothing_left_is_made_in_steps_and_kept(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred items of a known group: each call reads some windows and asks to be called again; when all were read,
    the next call says so at once; the one item that is allowed is found when its place is free again."""
    monkeypatch.setattr(item_queue, "WINDOWS", (2, 4, 8))
    monkeypatch.setattr(item_queue, "MOST_WINDOWS", 2)
    before = room.project("before", items=["story"])
    project = room.project(items=[*["story"] * 99, "new"], kind="baseline", overlap=1)
    who, other = room.person(1), room.person(2)
    for person in (who, other):
        room.answer(person, project=before)
    taken = room.assign(other, project)
    reasons = [asked(room, who, project)]
    while reasons[-1] is UnassignedReason.SEARCHING:
        reasons.append(asked(room, who, project))
    assert len(reasons) > 10
    assert reasons[-1] is UnassignedReason.NOTHING_LEFT
    assert asked(room, who, project) is UnassignedReason.NOTHING_LEFT
    room.later(hours=1)
    assert room.assign(who, project).item == taken.item
    room.sound()


def asked(room: Room, who: int, project: int) -> UnassignedReason:
    """What one call says of why there is no item."""
    with room.db.transaction() as session:
        found = assignments.assign_next_item(session, annotator_id=who, now=room.now, project_id=project)
    assert isinstance(found, NothingAssigned)
    return found.reason


def test_a_place_that_comes_back_is_found_by_whom_nothing_was_left(room: Room) -> None:
    """Another annotator's lease ends after the whole queue was read."""
    project = room.project(items=1, overlap=1)
    one, other = room.person(1), room.person(2)
    room.assign(one, project)
    assert room.wait(other, project).reason is UnassignedReason.NOTHING_LEFT
    room.later(hours=1)
    room.assign(other, project)
    room.sound()


@pytest.mark.parametrize("late", [True, False])
def test_a_group_met_while_the_item_was_out_of_her_hands_is_scored_apart(room: Room, late: bool) -> None:
    """By an exception; whether the late answer comes first or the item is assigned again."""
    project = room.project(items=["story"], kind="baseline", exposure={"exceptions": ["elsewhere"]})
    elsewhere = room.project("elsewhere", items=["story"])
    who = room.person()
    assigned = room.assign(who, project)
    room.later(hours=1)
    room.expire()
    room.answer(who, project=elsewhere)
    room.submit(who, assigned if late else room.assign(who, project))
    assert (room.assignment(assigned).holds_place, room.assignment(assigned).exposed) == (True, True)


def test_an_extended_maximum_holds_at_once(room: Room) -> None:
    """Where the definition was read before, as in a bot that runs on: two unsure items more, not one."""
    project = room.project(items=1, overlap={"min": 1, "max": 2, "confidence": 0.99})
    for number, label in enumerate((YES, NO), 1):
        room.answer(room.person(number), label, project=project)
    with room.db.transaction() as session:
        transitions.extend_project(session, project=session.get_one(Project, project), now=room.now, max_overlap=4)
    for number, label in enumerate((YES, NO), 3):
        room.answer(room.person(number), label, project=project)
    assert room.item("p-m-1").n_done == 4
    assert room.wait(room.person(9), project).reason is UnassignedReason.NOTHING_LEFT
