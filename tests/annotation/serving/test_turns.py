"""Who gets which item: exposure, exceptions, caps, order, one live item."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from annotation.store import item_queue
from annotation.store.models import Item, Project
from annotation.vocabulary import Hindrance, ParticipationStatus, ProjectStatus
from annotation.workflow import assignments
from annotation.workflow.lifecycle import transitions
from annotation.workflow.waiting import Waiting

if TYPE_CHECKING:
    from tests.annotation.serving.conftest import Room

YES, NO = "так", "ні"
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_one_live_item_across_all_projects(room: Room) -> None:
    """Whichever project is asked for, the item in her hands is what she gets until it is answered."""
    first, second = room.project("one", items=1), room.project("two", items=1)
    who = room.person()
    offer = room.offer(who, second)
    assert room.offer(who, first).assignment_id == offer.assignment_id
    assert room.offer(who).assignment_id == offer.assignment_id
    room.say(who, offer)
    assert room.offer(who, second if offer.project == "one" else first).assignment_id != offer.assignment_id


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
    while isinstance(offer := room.look(who, project), assignments.Offer):
        found[offer.item] = room.assignment(offer).exposed
        room.say(who, offer)
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
    """That she met its group by that very item does not keep her from it; meeting it elsewhere does."""
    project = room.project(items=["story"], kind="baseline", overlap=1)
    one, other = room.person(1), room.person(2)
    for who in (one, other):
        offer = room.offer(who, project)
        room.later(hours=1)
        assert room.expire() == 1
        room.sound()
    elsewhere = room.project("elsewhere", items=["story"])
    room.answer(other, project=elsewhere)
    assert room.wait(other, project).reason is Hindrance.NOTHING_LEFT
    again = room.offer(one, project)
    assert (again.item, again.number) == (offer.item, 1)
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
    """Two items a day, the day being that of her own time zone."""
    project = room.project(items=5, caps={"items_per_day": 2})
    who = room.person(time_zone=zone)
    room.answers(who, 2, project=project)
    assert room.wait(who, project) == Waiting(reason=Hindrance.CAP, project="p", until=until)
    room.now = until
    room.answers(who, 2, project=project)
    assert room.wait(who, project).reason is Hindrance.CAP


def test_a_cap_in_all_has_no_end(room: Room) -> None:
    """Nothing lifts it, and undoing an answer is no other answer."""
    project = room.project(items=5, caps={"items": 2})
    who = room.person()
    room.answer(who, project=project)
    offer = room.offer(who, project)
    room.say(who, offer)
    room.say(who, room.undo(who, offer), "ні")
    assert room.wait(who, project) == Waiting(reason=Hindrance.CAP, project="p")


def test_a_sitting_ends_with_its_cap_and_begins_after_a_pause(room: Room) -> None:
    """After twenty minutes of work she has to rest for thirty; asking meanwhile does not lengthen the pause."""
    project = room.project(items=9, caps={"sitting": "20 min"})
    who = room.person()
    for _ in range(2):
        room.answer(who, project=project)
        room.later(minutes=10)
    last = room.now - NOON
    waiting = room.wait(who, project)
    assert (waiting.reason, waiting.until) == (Hindrance.CAP, NOON.replace(minute=40))
    assert last.total_seconds() == 1200
    room.later(minutes=19)
    assert room.wait(who, project) == waiting
    room.later(minutes=1)
    room.answer(who, project=project)
    assert room.standing(who, project).sitting == 2


def test_what_keeps_a_person_from_a_project_is_said(room: Room) -> None:
    """A project that does not run, and a person who was excluded; the next project is offered all the same."""
    paused, other = room.project("one", items=1), room.project("two", items=1)
    who = room.person()
    room.status(paused, ProjectStatus.PAUSED)
    assert room.wait(who, paused) == Waiting(reason=Hindrance.NOT_RUNNING, project="one")
    assert room.offer(who).project == "two"
    with room.db.transaction() as session:
        standing = room.standing(who, other)
        standing.status = ParticipationStatus.EXCLUDED
        session.add(standing)
    assert room.wait(who) == Waiting(reason=Hindrance.EXCLUDED, project="two")
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
    assert room.wait(who, project).reason is Hindrance.NOTHING_LEFT
    room.sound()


def test_the_proof_of_nothing_left_is_made_in_steps_and_kept(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred items of a group that she knows: each call looks at some windows and says that it looks on; when all
    were seen, the next call says so at once; the one item that she may have is found when its place comes back."""
    monkeypatch.setattr(item_queue, "WINDOWS", (2, 4, 8))
    monkeypatch.setattr(item_queue, "STEPS", 2)
    before = room.project("before", items=["story"])
    project = room.project(items=[*["story"] * 99, "new"], kind="baseline", overlap=1)
    who, other = room.person(1), room.person(2)
    for person in (who, other):
        room.answer(person, project=before)
    taken = room.offer(other, project)
    reasons = [asked(room, who, project)]
    while reasons[-1] is Hindrance.SEARCHING:
        reasons.append(asked(room, who, project))
    assert len(reasons) > 10
    assert reasons[-1] is Hindrance.NOTHING_LEFT
    assert asked(room, who, project) is Hindrance.NOTHING_LEFT
    room.later(hours=1)
    assert room.offer(who, project).item == taken.item
    room.sound()


def asked(room: Room, who: int, project: int) -> Hindrance:
    """What one call says of why there is no item."""
    with room.db.transaction() as session:
        found = assignments.next_item(session, annotator_id=who, now=room.now, project_id=project)
    assert isinstance(found, Waiting)
    return found.reason


def test_a_place_that_comes_back_is_found_by_whom_nothing_was_left(room: Room) -> None:
    """Another person's lease ends after she had gone round."""
    project = room.project(items=1, overlap=1)
    one, other = room.person(1), room.person(2)
    room.offer(one, project)
    assert room.wait(other, project).reason is Hindrance.NOTHING_LEFT
    room.later(hours=1)
    room.offer(other, project)
    room.sound()


@pytest.mark.parametrize("late", [True, False])
def test_a_group_met_while_the_item_was_out_of_her_hands_is_scored_apart(room: Room, late: bool) -> None:
    """By an exception; whether her late answer comes first or the item comes back to her."""
    project = room.project(items=["story"], kind="baseline", exposure={"exceptions": ["elsewhere"]})
    elsewhere = room.project("elsewhere", items=["story"])
    who = room.person()
    offer = room.offer(who, project)
    room.later(hours=1)
    room.expire()
    room.answer(who, project=elsewhere)
    room.say(who, offer if late else room.offer(who, project))
    assert (room.assignment(offer).holds, room.assignment(offer).exposed) == (True, True)


def test_an_extended_maximum_holds_at_once(room: Room) -> None:
    """Where the definition was read before, as in a bot that runs on: two unsure items more, not one."""
    project = room.project(items=1, overlap={"min": 1, "max": 2, "confidence": 0.99})
    for number, label in enumerate((YES, NO), 1):
        room.answer(room.person(number), label, project=project)
    with room.db.transaction() as session:
        transitions.extend(session, project=session.get_one(Project, project), now=room.now, most=4)
    for number, label in enumerate((YES, NO), 3):
        room.answer(room.person(number), label, project=project)
    assert room.item("p-m-1").n_done == 4
    assert room.wait(room.person(9), project).reason is Hindrance.NOTHING_LEFT
