"""Stress tests of five thousand steps by many threads, on SQLite in one process, on PostgreSQL in four."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import _stress
import _stress_checks
import pytest
import sqlalchemy as sa

from annotation.store.database import Database

ANNOTATORS, STEPS, ITEMS = 40, 5_000, 200
SECONDS = 540
"""A test that has not done all its steps after this many seconds has failed."""


@pytest.fixture
def stress(db: Database, url: str, backend: str, tmp_path: Path) -> _stress.StressPlan:
    """The plan of a stress test, on a database where both campaigns have started."""
    running = _stress.prepare_database(db, tmp_path, items=ITEMS, annotators=ANNOTATORS)
    processes, threads = (1, 20) if backend == "sqlite" else (4, 8)
    started = time.time()
    return _stress.StressPlan(
        url=url,
        projects=running,
        annotators=ANNOTATORS,
        processes=processes,
        threads=threads,
        steps=STEPS,
        seed=1,
        started=started,
        until=started + SECONDS,
    )


def test_a_stress_test_leaves_a_sound_database_and_every_answer(db: Database, stress: _stress.StressPlan) -> None:
    """What was acknowledged is stored once and as it was given, nothing else is; overlap and exposure hold. And when
    everybody has taken all items that they can get, no place is left that somebody could have had. All steps are taken,
    and each kind of step did what its name says.
    """
    log = _stress.run_stress(stress)
    assert len(log.durations) == STEPS
    assert [kind for kind in _stress.STEPS if not log.done[kind]] == []
    assert len(log.answers) > STEPS / 10
    with db.reading() as view:
        assert _stress_checks.list_violations(view, log) == []
    log.add(_stress.take_remaining(stress, db, annotators=range(1, ANNOTATORS + 1)))
    with db.reading() as view:
        assert _stress_checks.list_violations(view, log) == []
        assert _stress_checks.list_missed_items(view) == []


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM judgement WHERE assignment_id = 1", "answer (1, 0) is lost"),
        ("UPDATE judgement SET response = '?' WHERE assignment_id = 1", "answer (1, 0) is (5, '?'), and was"),
        ("UPDATE item SET group_id = 'one'", "was shown"),
    ],
)
def test_what_a_stress_test_breaks_would_be_found(
    db: Database, stress: _stress.StressPlan, statement: str, says: str
) -> None:
    """A lost answer, another answer, a group met twice: each is found after a small stress test."""
    small = replace(stress, processes=1, threads=1, annotators=5, steps=200)
    log = _stress.run_stress(small)
    with db.transaction() as session:
        session.connection().execute(sa.text(statement))
    with db.reading() as view:
        violations = _stress_checks.list_violations(view, log)
    assert [violation for violation in violations if says in violation], violations
