"""People whose leases are over come back at the same moment: no transaction waits for one that waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from annotation.workflow import assignments
from annotation.workflow.assignments import annotator_context

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario


@pytest.fixture
def backend() -> str:
    """Only PostgreSQL locks rows; on SQLite one writes at a time."""
    return "postgresql"


def test_nobody_ends_the_lease_of_an_annotator_who_is_at_work(scenario: Scenario) -> None:
    """Each leaves the other's item live, though both leases are over, and goes on with their own."""
    project = scenario.project(items=["a", "b"], overlap=1)
    first, second = scenario.person(1), scenario.person(2)
    mine, other_item = scenario.assign(first, project), scenario.assign(second, project)
    scenario.later(days=1)
    with scenario.db.transaction() as one, scenario.db.transaction() as other:
        annotator_context.lock_annotator(one, first)
        annotator_context.lock_annotator(other, second)
        assert assignments.expire_leases(one, now=scenario.now, except_annotator_id=first) == 0
        assert assignments.expire_leases(other, now=scenario.now, except_annotator_id=second) == 0
        kept = assignments.assign_next_item(assignments.lock_annotator(one, first), now=scenario.now)
        kept_too = assignments.assign_next_item(assignments.lock_annotator(other, second), now=scenario.now)
    assert isinstance(kept, assignments.AssignedItem)
    assert isinstance(kept_too, assignments.AssignedItem)
    assert [kept.assignment_id, kept_too.assignment_id] == [mine.assignment_id, other_item.assignment_id]
    scenario.later(days=1)
    with scenario.db.transaction() as one:
        assert assignments.expire_leases(one, now=scenario.now, except_annotator_id=first) == 1
    scenario.check_counts()
