"""A campaign whose overlap has a sample: both parts get their answers, and annotators cannot tell which is which."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from sqlmodel import select

from annotation.store.models import Assignment, Item, Judgement
from annotation.workflow import assignments

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

SAMPLED: Any = {"overlap": {"sample": "30 %", "of": 3}, "reward": {"countdown": True}, "lease": "1 h"}
GROUPS = [f"g{number % 10}" for number in range(15)]  # five groups have two items


def list_places(scenario: Scenario) -> dict[str, tuple[str, int, int, int]]:
    """Group, places, taken places and answers of each item."""
    with scenario.db.transaction() as session:
        items = session.exec(select(Item)).all()
        return {i.external_id: (i.group_id, i.free + i.held + i.n_live, i.n_live, i.n_done) for i in items}


def test_people_who_come_and_go_fill_both_parts(scenario: Scenario) -> None:
    """Whole groups are drawn; no walk gives an item too many answers, or one twice to anybody; at the end all is done.

    Six people answer, skip, undo, and leave items until their lease is over, in a random order.
    """
    chance = random.Random(7)  # noqa: S311  # whose turn it is
    project = scenario.project(items=GROUPS, **SAMPLED)
    drawn = list_places(scenario)
    assert {places for _, places, _, _ in drawn.values()} == {1, 3}
    sampled = {group for group, places, _, _ in drawn.values() if places == 3}
    assert sampled == {group for group, _, _, _ in drawn.values()} - {g for g, p, _, _ in drawn.values() if p == 1}
    assert len(sampled) == 3
    people = {scenario.person(number) for number in range(1, 7)}
    while people:
        who = chance.choice(sorted(people))
        found = scenario.request_item(who, project)
        scenario.later(minutes=1)
        if not isinstance(found, assignments.AssignedItem):
            scenario.expire()
            people -= {who} if all(live == done for _, _, live, done in list_places(scenario).values()) else set()
            scenario.later(minutes=20)
            continue
        match chance.random():
            case move if move < 0.1:
                scenario.later(hours=2)
                scenario.expire()
            case move if move < 0.2:
                scenario.skip(who, found)
            case move if move < 0.3:
                scenario.submit(who, found)
                opened = scenario.undo(who, found)
                scenario.submit(who, opened, "ні")
            case _:
                scenario.submit(who, found)
        for name, (_, places, live, done) in list_places(scenario).items():
            assert done <= live <= places == drawn[name][1], name
    assert all(done == places for _, places, _, done in list_places(scenario).values())
    with scenario.db.transaction() as session:
        answered = session.exec(
            select(Assignment.item_id, Assignment.annotator_id).join(Judgement).where(Judgement.revision == 0)
        ).all()
    assert len(answered) == len(set(answered))


def test_numbers_and_order_do_not_tell_the_sample(scenario: Scenario) -> None:
    """The countdown falls by one with each answer, whichever part it is of, and started items do not come first."""
    project = scenario.project(items=30, **SAMPLED)
    sampled = {name for name, (_, places, _, _) in list_places(scenario).items() if places == 3}
    orders = []
    for number in (1, 2, 3):
        who, shown = scenario.person(number), []
        for turn in range(10):
            found = scenario.assign(who, project)
            assert found.countdown is not None
            shown.append((found.item, found.countdown.total, found.countdown.answered))
            assert found.number == turn + 1
            scenario.submit(who, found)
        orders.append([item for item, _, _ in shown])
        assert len({total for _, total, _ in shown}) == 1, shown
        answers = [answered or 0 for _, _, answered in shown]
        assert answers == list(range(answers[0], answers[0] + 10))
    met = sampled & set(orders[0])
    assert met, "the first person met items of the sample"
    assert set(orders[1][: len(met)]) != met
