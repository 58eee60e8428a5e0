"""People whose leases are over come back at the same moment: nobody waits for somebody who waits for her."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from annotation.workflow import assignments
from annotation.workflow.assignments import annotator_context

if TYPE_CHECKING:
    from tests.annotation.serving.conftest import Room


@pytest.fixture
def backend() -> str:
    """Only PostgreSQL locks rows; on SQLite one writes at a time."""
    return "postgresql"


def test_nobody_ends_the_lease_of_a_person_who_is_at_work_herself(room: Room) -> None:
    """Each passes over the other's item, though both leases are over, and goes on with her own; afterwards it ends."""
    project = room.project(items=["a", "b"], overlap=1)
    first, second = room.person(1), room.person(2)
    mine, hers = room.offer(first, project), room.offer(second, project)
    room.later(days=1)
    with room.db.transaction() as one, room.db.transaction() as other:
        annotator_context.locked(one, first)
        annotator_context.locked(other, second)
        assert assignments.expire(one, now=room.now, but=first) == 0
        assert assignments.expire(other, now=room.now, but=second) == 0
        kept = assignments.next_item(one, annotator_id=first, now=room.now)
        kept_too = assignments.next_item(other, annotator_id=second, now=room.now)
    assert isinstance(kept, assignments.Offer)
    assert isinstance(kept_too, assignments.Offer)
    assert [kept.assignment_id, kept_too.assignment_id] == [mine.assignment_id, hers.assignment_id]
    room.later(days=1)
    with room.db.transaction() as one:
        assert assignments.expire(one, now=room.now, but=first) == 1
    room.sound()
