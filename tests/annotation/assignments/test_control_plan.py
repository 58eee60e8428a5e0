"""However many items an annotator has answered, only their control items are read to select another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from annotation.workflow import assignments

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario


@pytest.fixture
def backend() -> str:
    """SQLite alone: it takes a partial index only where the condition stands in the query as it stands in the index."""
    return "sqlite"


def test_an_annotators_control_items_are_found_by_their_partial_index(scenario: Scenario) -> None:
    """What expired, then what is new: each is explained."""
    controls = {"pool": {"file": scenario.items("c", 9)}, "rate": "100 %"}
    project = scenario.project(items=30, controls=controls)
    who = scenario.person()
    asked: list[tuple[str, Any]] = []
    engine = scenario.db.engine

    @sa.event.listens_for(engine, "before_cursor_execute")
    def listen(_connection: object, _cursor: object, statement: str, given: Any, *_rest: object) -> None:
        if "is_control" in statement and statement.startswith("SELECT assignment.item_id"):
            asked.append((statement, given))

    with scenario.db.transaction() as session:
        assignments.assign_next_item(assignments.lock_annotator(session, who), now=scenario.now, project_id=project)
    sa.event.remove(engine, "before_cursor_execute", listen)
    with engine.connect() as connection:
        plans = [str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {one}", given).all()) for one, given in asked]
    assert len(plans) == 2
    assert "ix_assignment_expired" in plans[0], plans
    assert "ix_assignment_control" in plans[1], plans
