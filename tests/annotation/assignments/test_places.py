"""Items that get more places as answers come, and groups that an allotment keeps for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.store import invariants
from annotation.store.models import Item, Project
from annotation.vocabulary import ProjectStatus
from annotation.workflow.allocation import group_allocation

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES, NO = "так", "ні"


@pytest.mark.parametrize(("said", "answers"), [([YES, YES], 2), ([YES, NO, YES, YES], 4), ([YES, NO, YES, NO, NO], 5)])
def test_an_item_asks_on_until_it_is_sure(room: Room, said: list[str], answers: int) -> None:
    """From two answers on, each place more is opened by the answer that left doubt, up to five; people whose skill is
    known by four right control items each are believed at once where they agree."""
    project = room.project(
        items=1,
        overlap={"min": 2, "max": 5, "confidence": 0.95},
        controls={"pool": {"file": room.items("k", 4)}, "rate": 1.0},
    )
    for number, label in enumerate(said, 1):
        who = room.person(number)
        for _ in range(4):
            assert room.answer(who, project=project).startswith("k-")
        assert room.item("p-m-1").free == (2 if number == 1 else 1)
        assert room.answer(who, label, project=project) == "p-m-1"
    found = room.item("p-m-1")
    assert (found.free, found.n_live, found.n_done) == (0, answers, answers)
    assert all(came.startswith("k-") for came in room.all(room.person(9), project=project))
    with room.db.reading() as view:
        assert invariants.list_violations(view) == ()


def test_an_allotment_keeps_groups_for_the_other_project(room: Room) -> None:
    """Two baselines share eight groups; every annotator meets each of them in one project at most."""
    groups = [f"g{number}" for number in range(8)]
    ids = [room.project(name, items=groups, kind="baseline", overlap=2) for name in ("one", "two")]
    with room.db.transaction() as session:
        both = [session.get_one(Project, one) for one in ids]
        for project in both:
            project.status = ProjectStatus.LOADED
        session.flush()
        group_allocation.allocate_groups(session, projects=both, annotators=6, seed=1, now=room.now)
        for project in both:
            project.status = ProjectStatus.RUNNING
    people = [room.person(number) for number in range(6)]
    met: dict[int, list[str]] = {who: [] for who in people}
    for who in people:
        for identity in ids:
            with room.db.transaction() as session:
                mine = group_allocation.get_allowed_bins(session, annotator_id=who, project_id=identity)
            came = room.all(who, project=identity)
            assert mine is not None
            assert {room.item(name).bin for name in came} <= set(mine)
            met[who] += [room.item(name).group_id for name in came]
    assert all(len(set(found)) == len(found) for found in met.values())
    with room.db.reading() as view:
        assert [one.external_id for one in view.exec(select(Item).where(Item.free > 0))] == []
        assert invariants.list_violations(view) == ()
