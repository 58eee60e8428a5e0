"""Storms of ten thousand steps by many threads, on SQLite in one process, on PostgreSQL in four."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import _ledger
import _storm
import pytest
import sqlalchemy as sa

from annotation.store.database import Database

PEOPLE, STEPS, ITEMS = 40, 10_000, 200
SECONDS = 90
"""On a machine that is busy elsewhere a storm ends after so long, however many steps are done."""


@pytest.fixture
def storm(db: Database, url: str, backend: str, tmp_path: Path) -> _storm.Plan:
    """A storm to come, on a database where both campaigns have started."""
    running = _storm.prepare(db, tmp_path, items=ITEMS, people=PEOPLE)
    processes, threads = (1, 20) if backend == "sqlite" else (4, 8)
    begun = time.time()
    return _storm.Plan(
        url=url,
        projects=running,
        people=PEOPLE,
        processes=processes,
        threads=threads,
        steps=STEPS,
        seed=1,
        begun=begun,
        until=begun + SECONDS,
    )


def test_a_storm_leaves_a_sound_database_and_every_answer(db: Database, storm: _storm.Plan) -> None:
    """What was acknowledged is stored once and as it was given, nothing else is; overlap and exposure hold. And when
    everybody has taken all that she can get, no place is left that somebody could have had."""
    told = _storm.blow(storm)
    assert len(told.taken) > STEPS / 20
    assert len(told.answers) > len(told.taken) / 10
    with db.reading() as view:
        assert _ledger.breaches(view, told) == []
    told.add(_storm.exhaust(storm, db, who=range(1, PEOPLE + 1)))
    with db.reading() as view:
        assert _ledger.breaches(view, told) == []
        assert _ledger.missed(view) == []


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM judgement WHERE assignment_id = 1", "answer (1, 0) is lost"),
        ("UPDATE judgement SET response = '?' WHERE assignment_id = 1", "answer (1, 0) is (5, '?'), and was"),
        ("UPDATE item SET group_id = 'one'", "was shown"),
    ],
)
def test_what_a_storm_breaks_would_be_found(db: Database, storm: _storm.Plan, statement: str, says: str) -> None:
    """A lost answer, another answer, a group met twice: each is among the breaches after a small storm."""
    small = replace(storm, processes=1, threads=1, people=5, steps=200)
    told = _storm.blow(small)
    with db.transaction() as session:
        session.connection().execute(sa.text(statement))
    with db.reading() as view:
        found = _ledger.breaches(view, told)
    assert [one for one in found if says in one], found
