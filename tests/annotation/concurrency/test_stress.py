"""Stress tests by many threads: 5,000 steps, on SQLite in one process, on PostgreSQL in four; or 300 steps."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import _stress
import _stress_checks
import _stress_log
import pytest
import sqlalchemy as sa

from annotation.store.database import Database

ANNOTATORS, STEPS, ITEMS = 40, 5_000, 200
SECONDS = 540
"""A test that has not done all its steps after this many seconds has failed."""


@pytest.fixture
def stress(db: Database, url: str, backend: str, tmp_path: Path) -> _stress.StressPlan:
    """The plan of a stress test, on a database where both campaigns have started."""
    processes, threads = (1, 20) if backend == "sqlite" else (4, 8)
    return plan(
        db, url, tmp_path, items=ITEMS, annotators=ANNOTATORS, steps=STEPS, processes=processes, threads=threads
    )


@pytest.fixture
def short(db: Database, url: str, tmp_path: Path) -> _stress.StressPlan:
    """The plan of a short one."""
    return plan(db, url, tmp_path, items=30, annotators=8, steps=300, processes=1, threads=8)


def plan(
    db: Database, url: str, folder: Path, *, items: int, annotators: int, steps: int, processes: int, threads: int
) -> _stress.StressPlan:
    """Start both campaigns; the plan of a stress test of them."""
    running = _stress.prepare_database(db, folder, items=items, annotators=annotators)
    started = time.time()
    return _stress.StressPlan(
        url=url,
        projects=running,
        annotators=annotators,
        processes=processes,
        threads=threads,
        steps=steps,
        seed=1,
        started=started,
        until=started + SECONDS,
    )


@pytest.mark.process
@pytest.mark.slow
def test_a_stress_test_leaves_a_sound_database_and_every_answer(db: Database, stress: _stress.StressPlan) -> None:
    """What was acknowledged is stored once and as it was given, nothing else is; overlap and exposure hold. And when
    everybody has taken all items that they can get, no place is left that somebody could have had. All steps are taken,
    and each kind of step did what its name says.
    """
    log = run_stress(db, stress)
    assert [kind for kind in _stress.STEPS if not log.done[kind]] == []


@pytest.mark.slow
def test_a_short_stress_test_leaves_a_sound_database_and_every_answer(db: Database, short: _stress.StressPlan) -> None:
    """The same of 300 steps by 8 threads in one process, on both databases."""
    run_stress(db, short)


def run_stress(db: Database, stress: _stress.StressPlan) -> _stress_log.StressLog:
    """Run a stress test and look after it; then let everybody take all that is left, and look once more."""
    log = _stress.run_stress(stress)
    assert len(log.durations) == stress.steps
    assert len(log.answers) > stress.steps / 10
    with db.reading() as view:
        assert _stress_checks.list_violations(view, log) == []
    log.add(_stress.take_remaining(stress, db, annotators=range(1, stress.annotators + 1)))
    with db.reading() as view:
        assert _stress_checks.list_violations(view, log) == []
        assert _stress_checks.list_missed_items(view) == []
    return log


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM judgement WHERE assignment_id = 1", "answer (1, 0) is lost"),
        ("UPDATE judgement SET response = '?' WHERE assignment_id = 1", "answer (1, 0) is (5, '?'), and was"),
        ("UPDATE item SET group_id = 'one'", "was shown"),
    ],
)
@pytest.mark.slow_on("postgresql")
def test_what_a_stress_test_breaks_would_be_found(
    db: Database, short: _stress.StressPlan, statement: str, says: str
) -> None:
    """A lost answer, another answer, a group met twice: each is found after a small stress test."""
    small = replace(short, threads=1, annotators=5, steps=200)
    log = _stress.run_stress(small)
    with db.transaction() as session:
        session.connection().execute(sa.text(statement))
    with db.reading() as view:
        violations = _stress_checks.list_violations(view, log)
    assert [violation for violation in violations if says in violation], violations
