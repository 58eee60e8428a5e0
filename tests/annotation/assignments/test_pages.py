"""Hidden control items, pages, and repeats of a person's own items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from annotation.vocabulary import UnassignedReason

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario


def controls(scenario: Scenario, number: int, **keys: Any) -> dict[str, Any]:
    """A section of control items in a file of their own."""
    return {"pool": {"file": scenario.items("control", number)}} | keys


def taken(scenario: Scenario, who: int, project: int, number: int) -> list[tuple[int, bool]]:
    """The page of each of the next items, and whether it is a control item."""
    found = []
    for _ in range(number):
        assigned = scenario.assign(who, project)
        kept = scenario.assignment(assigned)
        assert assigned.page is not None
        found.append((assigned.page.number, kept.is_control))
        scenario.submit(who, assigned)
    return found


def test_each_page_has_its_control_item_at_a_place_of_its_own(scenario: Scenario) -> None:
    """Ten pages of four hold one control item each, not always at the same place, never the same one twice."""
    project = scenario.project(items=40, pages={"items": 4}, controls=controls(scenario, 10, per_page=1))
    came = taken(scenario, scenario.person(), project, 40)
    assert [page for page, _ in came] == [page for page in range(1, 11) for _ in range(4)]
    places = [[is_control for _, is_control in came[start : start + 4]] for start in range(0, 40, 4)]
    assert [sum(page) for page in places] == [1] * 10
    assert len({page.index(True) for page in places}) > 1
    scenario.check_counts()


def test_pages_go_on_when_a_persons_control_items_are_used_up(scenario: Scenario) -> None:
    """Of three pages only two have a control item; the third is counted."""
    project = scenario.project(items=12, pages={"items": 4}, controls=controls(scenario, 2, per_page=1))
    who = scenario.person()
    came = taken(scenario, who, project, 12)
    assert [sum(is_control for page, is_control in came if page == number) for number in (1, 2, 3)] == [1, 1, 0]
    assert scenario.participation(who, project).missed_controls == 1


@pytest.mark.parametrize(("rate", "low", "high"), [(0.0, 0, 0), (0.3, 5, 25), (1.0, 50, 50)])
def test_control_items_come_at_a_rate(scenario: Scenario, rate: float, low: int, high: int) -> None:
    """Of fifty items about so many are control items."""
    project = scenario.project(items=50, controls=controls(scenario, 50, rate=rate))
    came = scenario.answers(scenario.person(), 50, project=project)
    assert low <= sum(name.startswith("control") for name in came) <= high
    assert len(set(came)) == 50


def test_a_control_item_of_a_known_group_does_not_come_in_a_baseline(scenario: Scenario) -> None:
    """The annotator answered the group elsewhere; the page goes on without it."""
    scenario.project("before", items=["control-1"])
    who = scenario.person()
    scenario.answer(who)
    project = scenario.project(kind="baseline", items=3, controls=controls(scenario, 1, rate=1.0))
    assert {name.split("-")[0] for name in scenario.all(who, project=project)} == {"p"}


def test_repeats_come_a_day_later_and_count_nowhere(scenario: Scenario) -> None:
    """All four items come once more after 24 hours, not before, each once, and take no places."""
    project = scenario.project(items=4, repeats={"share": 1.0, "after": "24 h"})
    who = scenario.person()
    first = scenario.all(who, project=project)
    scenario.later(hours=23)
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.later(hours=2)
    again = []
    for _ in range(4):
        assigned = scenario.assign(who, project)
        kept = scenario.assignment(assigned)
        assert (kept.is_repeat, kept.holds_place, kept.occasion) == (True, False, 1)
        again.append(assigned.item)
        scenario.submit(who, assigned)
    assert sorted(again) == sorted(first)
    scenario.later(days=2)
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    assert {scenario.item(name).n_done for name in first} == {1}
    scenario.check_counts()


def test_a_repeat_whose_lease_ran_out_comes_again(scenario: Scenario) -> None:
    """The same assignment, not a third one."""
    project = scenario.project(items=1, repeats={"share": 1.0})
    who = scenario.person()
    scenario.answer(who, project=project)
    scenario.later(days=1)
    assigned = scenario.assign(who, project)
    scenario.later(hours=1)
    assert scenario.expire() == 1
    assert scenario.assign(who, project).assignment_id == assigned.assignment_id
    scenario.check_counts()


def test_a_repeat_waits_while_its_item_is_paused(scenario: Scenario) -> None:
    """Enough people reported it: it comes to nobody, not as a repeat either."""
    project = scenario.project(items=1, repeats={"share": 1.0}, reports={"threshold": 1})
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.submit(who, assigned)
    assert scenario.report(who, assigned).paused
    scenario.later(days=2)
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT


def test_a_repeat_comes_a_day_after_the_last_correction(scenario: Scenario) -> None:
    """An answer that was mended twenty hours later is four hours old at the end of the day."""
    project = scenario.project(items=1, repeats={"share": 1.0, "after": "24 h"})
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.submit(who, assigned)
    scenario.later(hours=20)
    scenario.submit(who, scenario.undo(who, assigned), "ні")
    scenario.later(hours=5)
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.later(hours=20)
    assert scenario.assignment(scenario.assign(who, project)).is_repeat
