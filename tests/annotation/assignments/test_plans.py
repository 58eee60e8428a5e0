"""Every query that looks for an item reads its rows by the index that was made for it, on both databases."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import database, item_queue
from annotation.store.item_queue import PanelQuota, QueueQuery
from annotation.vocabulary import ExposureCause, Pool
from annotation.workflow.assignments import leases, next_item

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
QUERY = QueueQuery(
    annotator_id=1, project_id=1, pool=Pool.MAIN, cause=ExposureCause.ANSWERED, cursor_start=0.5, window_start=0.5,
    blind=True, exceptions=(2,), bins=(-1, 3),
)  # fmt: skip
WINDOW = {"low": 0, "high": 100, "size": 16, "before": 15, "window_start": 5, "salt": 7, "seq": 0, "cause": "answered"}
STATEMENTS: dict[str, tuple[str | sa.Executable, set[str]]] = {
    "queue state": (item_queue.QUEUE_STATE, {"ix_item_open", "ix_assignment_expired", "pk_queue_cursor"}),
    "in order": (item_queue.IN_ORDER, {"ix_item_open", "uq_assignment_item_annotator_occasion", "pk_exposure"}),
    "last of window": (item_queue.LAST_OF_WINDOW, {"ix_item_open"}),
    "started": (item_queue.STARTED, {"ix_item_started"}),
    "anywhere or in order": (item_queue.ANYWHERE_OR_IN_ORDER, {"ix_item_open", "pk_exposure"}),
    "anywhere or requeued": (item_queue.ANYWHERE_OR_REQUEUED, {"ix_item_open", "ix_requeued_item_project_id_pool"}),
    "started or in order": (item_queue.STARTED_OR_IN_ORDER, {"ix_item_started", "ix_item_open", "pk_exposure"}),
    "requeued": (item_queue.REQUEUED, {"ix_requeued_item_project_id_pool"}),
    "started or requeued": (
        item_queue.STARTED_OR_REQUEUED,
        {"ix_item_started", "ix_requeued_item_project_id_pool"},
    ),
    "expired": (item_queue.EXPIRED, {"ix_assignment_expired"}),
    "live and overdue": (
        next_item._LIVE_AND_OVERDUE,
        {"uq_assignment_one_live_in_telegram", "ix_assignment_lease_until"},
    ),
    "overdue leases": (leases._OVERDUE_LEASES, {"ix_assignment_lease_until"}),
}


QUEUE_SEARCHES = (item_queue.IN_ORDER, item_queue.STARTED_OR_IN_ORDER, item_queue.EXPIRED)


def plan(session: Session, statement: sa.Executable) -> str:
    """The query plan of a statement, as the database prints it."""
    given = {
        "project": 1,
        "pool": "main",
        "annotator": 1,
        "exceptions": (2,),
        "bins": (-1, 3),
        "except": 0,
        "limit": 8,
        "most": 8,
        "panel": "lay",
        "panel_votes": 2,
    } | WINDOW
    connection = session.connection()
    asked: list[tuple[str, Any]] = []

    def listen(_connection: object, _cursor: object, sent: str, parameters: Any, *_rest: object) -> None:
        asked.append((sent, parameters))

    sa.event.listen(connection, "before_cursor_execute", listen)
    connection.execute(statement, given | {"now": NOW})
    sa.event.remove(connection, "before_cursor_execute", listen)
    ((sent, parameters),) = asked
    word = "EXPLAIN" if connection.dialect.name == "postgresql" else "EXPLAIN QUERY PLAN"
    return "\n".join(" ".join(map(str, row)) for row in connection.exec_driver_sql(f"{word} {sent}", parameters))


@pytest.mark.parametrize("name", [name for name, (statement, _) in STATEMENTS.items() if statement in QUEUE_SEARCHES])
def test_a_search_for_a_panel_reads_by_its_index(scenario: Scenario, backend: str, name: str) -> None:
    """Also the answers of a panel that an item has."""
    check_plan(scenario, backend, *STATEMENTS[name], replace(QUERY, quota=PanelQuota("lay", 2)))


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_search_reads_by_its_index(scenario: Scenario, backend: str, name: str) -> None:
    """No table is read whole, and nothing is sorted that an index has in order."""
    check_plan(scenario, backend, *STATEMENTS[name], QUERY)


def check_plan(
    scenario: Scenario, backend: str, statement: str | sa.Executable, indexes: set[str], query: QueueQuery
) -> None:
    """The plan of a statement for this query names these indexes, and reads no table whole."""
    scenario.project(items=40, kind="baseline")
    who = scenario.person()
    scenario.answers(who, 3)
    with scenario.db.transaction() as session:
        database.lock_annotator(session, who)
        found = plan(session, item_queue.build_statement(statement, query) if isinstance(statement, str) else statement)
    for index in indexes:
        unnamed = backend == "sqlite" and index.startswith(("uq_assignment_item", "pk_"))
        assert ("sqlite_autoindex_" if unnamed else index) in found, found
    assert "Seq Scan" not in found
    assert re.search(r"SCAN (item|assignment|a|e|r|i|x|q|m)\b", found) is None, found


def test_nothing_is_compiled_for_a_person(scenario: Scenario, backend: str) -> None:
    """PostgreSQL would compile, at every call, what reads a table without an index while others are to be used."""
    if backend == "sqlite":
        return
    who = scenario.person()
    with scenario.db.transaction() as session:
        database.lock_annotator(session, who)
        said = session.connection().execute(sa.text("SELECT current_setting('jit'), current_setting('enable_seqscan')"))
        assert said.one() == ("off", "off")
