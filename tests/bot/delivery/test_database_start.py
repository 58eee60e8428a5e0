"""The start of a bot whose database does not answer yet: it waits with one line, unless waiting heals nothing."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sqlite3
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from annotation.errors import BadInput, HromadaError, NotWritable, SchemaMismatch, Unavailable
from annotation.store import database
from bot import application
from bot.commands import database_session
from bot.delivery import database_start
from bot.delivery.webhook import HEALTH_PATH, ListenAddress

if TYPE_CHECKING:
    from _command import Hromada

SILENT = Unavailable("The database does not answer.", remedy="Check that it runs.")
FULL = NotWritable("The disk of the database is full.", remedy="Make room.")


@pytest.fixture(autouse=True)
def signals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Attempts follow each other at once; what signals do in this process is as before."""
    monkeypatch.setattr(database_start, "MIN_WAIT", 0.01)
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def fail_first(*failures: HromadaError, then: Callable[[], object] = lambda: "opened") -> Callable[[], object]:
    """A function that raises these one after another, and then returns what `then` does."""
    left = list(failures)

    def open_or_raise() -> object:
        if left:
            raise left.pop(0)
        return then()

    return open_or_raise


@pytest.mark.parametrize("failures", [(), (SILENT,), (SILENT, SILENT, FULL), (FULL, SILENT)])
def test_a_bot_waits_for_a_database_that_will_answer(
    caplog: pytest.LogCaptureFixture, failures: tuple[HromadaError, ...]
) -> None:
    """With a line at the beginning and one at the end, however often it is tried; with none if it answers at once."""
    caplog.set_level(logging.INFO)
    assert database_start.open_when_available(fail_first(*failures), health=None) == "opened"
    lines = [line.getMessage() for line in caplog.records]
    expected = [f"The bot waits for its database, and starts by itself: {failures[0]}"] if failures else []
    assert lines == [*expected, *(["The database answers; the bot starts."] if failures else [])]


@pytest.mark.parametrize("failure", [BadInput("The server refuses this user or password."), SchemaMismatch("Older.")])
def test_a_bot_ends_if_waiting_heals_nothing(failure: HromadaError) -> None:
    """A wrong password and another schema are raised, at the first attempt and at a later one."""
    for failures in ((failure,), (SILENT, failure)):
        with pytest.raises(type(failure)):
            database_start.open_when_available(fail_first(*failures), health=None)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_bot_that_waits_ends_on_a_signal(caplog: pytest.LogCaptureFixture, number: signal.Signals) -> None:
    """Without an error, and without another attempt."""
    caplog.set_level(logging.INFO)

    def end() -> None:
        os.kill(os.getpid(), number)
        raise SILENT

    assert database_start.open_when_available(fail_first(SILENT, then=end), health=None) is None
    assert caplog.records[-1].getMessage() == "The bot ends."


def test_a_bot_that_waits_is_no_reason_to_start_it_again() -> None:
    """GET /health responds 200 and says what the bot waits for, already before the bot is there."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    seen: list[tuple[int, dict[str, Any]]] = []

    def look() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{HEALTH_PATH}", timeout=30) as response:
            seen.append((response.status, json.load(response)))
        return "opened"

    health = ListenAddress(host="127.0.0.1", port=port, field="HROMADA_HEALTH_LISTEN")
    assert database_start.open_when_available(fail_first(SILENT, then=look), health=health) == "opened"
    assert seen == [(200, {"well": False, "silent": [], "problem": SILENT.problem})]


def test_the_command_waits_for_a_locked_database(hromada: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program holds the lock until the third attempt; with --exit-when-stuck the command ends with 2."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    run: list[bool] = []
    monkeypatch.setattr(application, "run_application", lambda *_, exit_when_stuck, **__: run.append(exit_when_stuck))
    env = {"HROMADA_TELEGRAM_TOKEN": "123:secret"}
    assert hromada("bot", env=env).code == 0
    file = hromada.folder / "hromada.db"
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("UPDATE alembic_version SET version_num = version_num")
        ran = hromada("bot", "--exit-when-stuck", env=env)
        assert (ran.code, "The database is locked by another process." in ran.err) == (2, True), ran.err
        attempts, open_database = [], database_session.open_database

        def open_or_wait(**options: Any) -> Any:
            attempts.append(options)
            if len(attempts) == 3:
                other.execute("ROLLBACK")
            return open_database(**options)

        monkeypatch.setattr(database_session, "open_database", open_or_wait)
        ran = hromada("bot", env=env)
    assert (ran.code, len(attempts), run) == (0, 3, [False, False]), ran.err
    assert ran.err.count("The bot waits for its database, and starts by itself: ") == 1
    assert ran.err.count("The database answers; the bot starts.") == 1
