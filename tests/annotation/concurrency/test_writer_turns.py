"""The threads of a process write to SQLite in the order in which they asked; none gives up while others get on."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest
import sqlalchemy as sa

from annotation.store import database
from annotation.store.database import WriterTurns

HOLDING = 0.1
"""Seconds that a thread keeps its turn."""


def test_a_thread_that_asks_again_comes_after_those_who_wait() -> None:
    """The order is that of the questions, however busy a thread is."""
    turns, order = WriterTurns(), list[int]()

    def write(number: int) -> None:
        assert turns.take(patience=20)
        order.append(number)
        turns.pass_on(succeeded=True)

    assert turns.take(patience=0)
    with ThreadPoolExecutor(3) as pool:
        for number in range(3):
            pool.submit(write, number)
            wait_for_queue(turns, number + 1)
        turns.pass_on(succeeded=True)
        write(3)
    assert order == [0, 1, 2, 3]


def test_a_turn_that_does_not_come_is_given_up_and_lost_to_nobody() -> None:
    """The queue is empty again, and the next thread gets its turn at once."""
    turns = WriterTurns()
    assert turns.take(patience=0)
    assert not turns.take(patience=0.05)
    assert not turns.waiting
    turns.pass_on(succeeded=True)
    assert turns.take(patience=0)


def test_a_thread_that_is_interrupted_leaves_the_queue() -> None:
    """Ctrl+C while it waits; and where its turn came at that moment, it is passed on."""

    class Interrupted(WriterTurns):
        def _wait(self, mine: Lock, patience: float) -> bool:
            if not patience:
                self.pass_on(succeeded=True)
            assert mine.locked() is bool(patience)
            raise KeyboardInterrupt

    turns = Interrupted()
    assert turns.take(patience=1)
    for patience in (1, 0):
        with pytest.raises(KeyboardInterrupt):
            turns.take(patience=patience)
        assert not turns.waiting
    assert turns.take(patience=1)


def test_nobody_finds_the_database_locked_while_others_get_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen threads each write for a tenth of a second, and none waits for another process."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.5)
    with database.open_database(f"sqlite:///{tmp_path}/one.db") as db, ThreadPoolExecutor(16) as pool:

        def write(number: int) -> None:
            with db.transaction() as session:
                session.connection().execute(sa.text("INSERT INTO heartbeat (name, at) VALUES (:n, :n)"), {"n": number})
                time.sleep(HOLDING)

        for done in [pool.submit(write, number) for number in range(16)]:
            done.result()


def wait_for_queue(turns: WriterTurns, length: int) -> None:
    """Until so many threads wait."""
    until = time.monotonic() + 20
    while len(turns.waiting) < length:
        assert time.monotonic() < until
        time.sleep(0.001)
