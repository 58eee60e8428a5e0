"""People whose leases are over come back at the same moment: no transaction waits for one that waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from annotation.workflow import assignments
from annotation.workflow.assignments import annotator_context

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room


@pytest.fixture
def backend() -> str:
    """Only PostgreSQL locks rows; on SQLite one writes at a time."""
    return "postgresql"


def test_nobody_ends_the_lease_of_a_person_who_is_at_work_herself(room: Room) -> None:
    """Each leaves the other's item live, though both leases are over, and goes on with their own."""
    project = room.project(items=["a", "b"], overlap=1)
    first, second = room.person(1), room.person(2)
    mine, other_item = room.assign(first, project), room.assign(second, project)
    room.later(days=1)
    with room.db.transaction() as one, room.db.transaction() as other:
        annotator_context.lock_annotator(one, first)
        annotator_context.lock_annotator(other, second)
        assert assignments.expire_leases(one, now=room.now, except_annotator_id=first) == 0
        assert assignments.expire_leases(other, now=room.now, except_annotator_id=second) == 0
        kept = assignments.assign_next_item(one, annotator_id=first, now=room.now)
        kept_too = assignments.assign_next_item(other, annotator_id=second, now=room.now)
    assert isinstance(kept, assignments.AssignedItem)
    assert isinstance(kept_too, assignments.AssignedItem)
    assert [kept.assignment_id, kept_too.assignment_id] == [mine.assignment_id, other_item.assignment_id]
    room.later(days=1)
    with room.db.transaction() as one:
        assert assignments.expire_leases(one, now=room.now, except_annotator_id=first) == 1
    room.sound()
