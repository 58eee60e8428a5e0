"""Every query that looks for an item reads its rows by the index that was made for it, on both databases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from annotation.store import claims
from annotation.store.claims import Seeker
from annotation.vocabulary import Cause, Pool
from annotation.workflow.work import leases

if TYPE_CHECKING:
    from tests.annotation.serving.conftest import Room

SEEKER = Seeker(
    annotator_id=1, project_id=1, pool=Pool.MAIN, cause=Cause.ANSWERED, start=0.5, here=0.5, blind=True,
    exceptions=(2,), bins=(-1, 3),
)  # fmt: skip
WINDOW = {"low": 0, "high": 100, "size": 16, "before": 15, "here": 5, "seq": 0, "cause": "answered"}
BY = {
    "top": (claims._TOP, {"ix_item_open"}),
    "ring": (claims._ring(SEEKER), {"ix_item_open", "uq_assignment_item_annotator_occasion", "pk_exposure"}),
    "last": (claims._LAST, {"ix_item_open"}),
    "started": (claims._started(SEEKER), {"ix_item_started"}),
    "returned": (claims._returned(SEEKER), {"ix_reopened_project_id_pool"}),
    "lapsed": (claims._lapsed(SEEKER), {"ix_assignment_expired"}),
    "overdue": (leases._OVERDUE, {"ix_assignment_lease_until"}),
}


def plan(session: Session, statement: sa.TextClause) -> str:
    """How the database means to answer, in its own words."""
    given = {"project": 1, "pool": "main", "who": 1, "exceptions": (2,), "bins": (-1, 3), "but": 0, "most": 8} | WINDOW
    names = {*statement.compile().params, *statement._bindparams}
    postgresql = session.get_bind().dialect.name == "postgresql"
    explained = sa.text(f"EXPLAIN {'' if postgresql else 'QUERY PLAN '}{statement.text}").bindparams(
        *(one for one in statement._bindparams.values() if one.expanding)
    )
    if "now" in names:
        given["now"] = "2026-11-21 12:00:00+00:00"
    if postgresql:
        session.connection().execute(claims._BY_INDEX)
    rows = session.connection().execute(explained, {name: given[name] for name in names})
    return "\n".join(" ".join(map(str, row)) for row in rows)


@pytest.mark.parametrize("name", BY)
def test_a_search_reads_by_its_index(room: Room, backend: str, name: str) -> None:
    """Nothing is looked through whole, and nothing is sorted that an index has in order."""
    room.project(items=40, kind="baseline")
    who = room.person()
    room.answers(who, 3)
    statement, indexes = BY[name]
    with room.db.transaction() as session:
        found = plan(session, statement)
    for index in indexes:
        known = index if backend == "postgresql" or not index.startswith(("uq_", "pk_")) else "sqlite_autoindex_"
        assert known in found, found
    assert "Seq Scan" not in found
    assert re.search(r"SCAN (item|a|e|r|i|x)\b", found) is None, found
