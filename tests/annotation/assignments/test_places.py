"""Items that get more places as answers come, and groups that an allocation keeps for other projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.store import invariants
from annotation.store.models import Item, Project
from annotation.vocabulary import ProjectStatus
from annotation.workflow.allocation import group_allocation

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"


@pytest.mark.parametrize(("said", "answers"), [([YES, YES], 2), ([YES, NO, YES, YES], 4), ([YES, NO, YES, NO, NO], 5)])
def test_an_item_asks_on_until_it_is_sure(scenario: Scenario, said: list[str], answers: int) -> None:
    """From two answers on, each place more is opened by the answer that left doubt, up to five; people whose skill is
    known by four right control items each are believed at once where they agree."""
    project = scenario.project(
        items=1,
        overlap={"min": 2, "max": 5, "confidence": 0.95},
        controls={"pool": {"file": scenario.items("k", 4)}, "rate": 1.0},
    )
    for number, label in enumerate(said, 1):
        who = scenario.person(number)
        for _ in range(4):
            assert scenario.answer(who, project=project).startswith("k-")
        assert scenario.item("p-m-1").free == (2 if number == 1 else 1)
        assert scenario.answer(who, label, project=project) == "p-m-1"
    found = scenario.item("p-m-1")
    assert (found.free, found.n_live, found.n_done) == (0, answers, answers)
    assert all(came.startswith("k-") for came in scenario.all(scenario.person(9), project=project))
    with scenario.db.reading() as view:
        assert invariants.list_violations(view) == ()


def test_an_allocation_keeps_groups_for_the_other_project(scenario: Scenario) -> None:
    """Two baselines share eight groups; every annotator meets each of them in one project at most."""
    groups = [f"g{number}" for number in range(8)]
    ids = [scenario.project(name, items=groups, kind="baseline", overlap=2) for name in ("one", "two")]
    with scenario.db.transaction() as session:
        both = [session.get_one(Project, one) for one in ids]
        for project in both:
            project.status = ProjectStatus.LOADED
        session.flush()
        group_allocation.allocate_groups(session, projects=both, annotators=6, seed=1, now=scenario.now)
        for project in both:
            project.status = ProjectStatus.RUNNING
    people = [scenario.person(number) for number in range(6)]
    met: dict[int, list[str]] = {who: [] for who in people}
    for who in people:
        for identity in ids:
            with scenario.db.transaction() as session:
                mine = group_allocation.assign_allowed_bins(session, annotator_id=who, project_id=identity)
            came = scenario.all(who, project=identity)
            assert mine is not None
            assert {scenario.item(name).bin for name in came} <= set(mine)
            met[who] += [scenario.item(name).group_id for name in came]
    assert all(len(set(found)) == len(found) for found in met.values())
    with scenario.db.reading() as view:
        assert [one.external_id for one in view.exec(select(Item).where(Item.free > 0))] == []
        assert invariants.list_violations(view) == ()
