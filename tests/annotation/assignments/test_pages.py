"""Hidden control items, pages, and repeats of a person's own items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from annotation.vocabulary import UnassignedReason

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room


def controls(room: Room, number: int, **keys: Any) -> dict[str, Any]:
    """A section of control items in a file of their own."""
    return {"pool": {"file": room.items("control", number)}} | keys


def taken(room: Room, who: int, project: int, number: int) -> list[tuple[int, bool]]:
    """The page of each of the next items, and whether it is a control item."""
    found = []
    for _ in range(number):
        assigned = room.assign(who, project)
        kept = room.assignment(assigned)
        assert assigned.page is not None
        found.append((assigned.page.number, kept.is_control))
        room.submit(who, assigned)
    return found


def test_each_page_has_its_control_item_at_a_place_of_its_own(room: Room) -> None:
    """Ten pages of four hold one control item each, not always at the same place, never the same one twice."""
    project = room.project(items=40, pages={"items": 4}, controls=controls(room, 10, per_page=1))
    came = taken(room, room.person(), project, 40)
    assert [page for page, _ in came] == [page for page in range(1, 11) for _ in range(4)]
    places = [[is_control for _, is_control in came[start : start + 4]] for start in range(0, 40, 4)]
    assert [sum(page) for page in places] == [1] * 10
    assert len({page.index(True) for page in places}) > 1
    room.sound()


def test_pages_go_on_when_a_persons_control_items_are_used_up(room: Room) -> None:
    """Of three pages only two have a control item; the third is counted."""
    project = room.project(items=12, pages={"items": 4}, controls=controls(room, 2, per_page=1))
    who = room.person()
    came = taken(room, who, project, 12)
    assert [sum(is_control for page, is_control in came if page == number) for number in (1, 2, 3)] == [1, 1, 0]
    assert room.standing(who, project).missed_controls == 1


@pytest.mark.parametrize(("rate", "low", "high"), [(0.0, 0, 0), (0.3, 5, 25), (1.0, 50, 50)])
def test_control_items_come_at_a_rate(room: Room, rate: float, low: int, high: int) -> None:
    """Of fifty items about so many are control items."""
    project = room.project(items=50, controls=controls(room, 50, rate=rate))
    came = room.answers(room.person(), 50, project=project)
    assert low <= sum(name.startswith("control") for name in came) <= high
    assert len(set(came)) == 50


def test_a_control_item_of_a_group_she_knows_does_not_come_in_a_baseline(room: Room) -> None:
    """The annotator answered the group elsewhere; the page goes on without it."""
    room.project("before", items=["control-1"])
    who = room.person()
    room.answer(who)
    project = room.project(kind="baseline", items=3, controls=controls(room, 1, rate=1.0))
    assert {name.split("-")[0] for name in room.all(who, project=project)} == {"p"}


def test_repeats_come_a_day_later_and_count_nowhere(room: Room) -> None:
    """All four items come once more after 24 hours, not before, each once, and take no places."""
    project = room.project(items=4, repeats={"share": 1.0, "after": "24 h"})
    who = room.person()
    first = room.all(who, project=project)
    room.later(hours=23)
    assert room.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    room.later(hours=2)
    again = []
    for _ in range(4):
        assigned = room.assign(who, project)
        kept = room.assignment(assigned)
        assert (kept.is_repeat, kept.holds_place, kept.occasion) == (True, False, 1)
        again.append(assigned.item)
        room.submit(who, assigned)
    assert sorted(again) == sorted(first)
    room.later(days=2)
    assert room.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    assert {room.item(name).n_done for name in first} == {1}
    room.sound()


def test_a_repeat_whose_lease_ran_out_comes_again(room: Room) -> None:
    """The same assignment, not a third one."""
    project = room.project(items=1, repeats={"share": 1.0})
    who = room.person()
    room.answer(who, project=project)
    room.later(days=1)
    assigned = room.assign(who, project)
    room.later(hours=1)
    assert room.expire() == 1
    assert room.assign(who, project).assignment_id == assigned.assignment_id
    room.sound()


def test_a_repeat_waits_while_its_item_is_paused(room: Room) -> None:
    """Enough people reported it: it comes to nobody, not as a repeat either."""
    project = room.project(items=1, repeats={"share": 1.0}, reports={"threshold": 1})
    who = room.person()
    assigned = room.assign(who, project)
    room.submit(who, assigned)
    assert room.report(who, assigned).paused
    room.later(days=2)
    assert room.wait(who, project).reason is UnassignedReason.NOTHING_LEFT


def test_a_repeat_comes_a_day_after_the_last_correction(room: Room) -> None:
    """An answer that was mended twenty hours later is four hours old at the end of the day."""
    project = room.project(items=1, repeats={"share": 1.0, "after": "24 h"})
    who = room.person()
    assigned = room.assign(who, project)
    room.submit(who, assigned)
    room.later(hours=20)
    room.submit(who, room.undo(who, assigned), "ні")
    room.later(hours=5)
    assert room.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    room.later(hours=20)
    assert room.assignment(room.assign(who, project)).is_repeat
