"""Connections to PostgreSQL whose every wait has a limit: to connect, for a statement, for a server that stands still.

The server ends a statement that takes too long, and a transaction in which nothing happens. Where neither server nor
network answers at all, as for a stopped process or a cable that was pulled, the connection itself gives up and is
closed. See https://www.postgresql.org/docs/current/runtime-config-client.html and
https://www.postgresql.org/docs/current/libpq-connect.html.
"""

from __future__ import annotations

import logging
from typing import Any, TypeVar

import psycopg
import sqlalchemy as sa
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus
from sqlalchemy import event

log = logging.getLogger(__name__)
Result = TypeVar("Result")
CONNECT_SECONDS = 5
"""Seconds to connect."""
SLACK_SECONDS = 1.0
"""Seconds that the connection waits longer than the server works on a statement, which ends it first if it can."""
IDLE_TIMES = 6
"""How many times longer than a statement may take a transaction may stand still, before the server ends it."""
LOCK_SECONDS = 30
"""Seconds that a statement waits for a lock, where it may take that long."""
UNACKNOWLEDGED = 30_000
"""Milliseconds for which what was sent may stay unacknowledged by the network."""
KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""After half a minute without traffic the other side is asked for a sign of life, after another one it is given up."""


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that waits `answer_seconds` at most for the answer to a statement, and is closed then."""

    answer_seconds: float

    def wait(self, gen: PQGen[Result], interval: float = 0.1, timeout: float | None = None) -> Result:
        """Wait for the server; raises OperationalError where it does not answer in time."""
        try:
            return super().wait(gen, interval, self.answer_seconds if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                log.warning("PostgreSQL was silent for %.0f seconds; a connection is given up.", self.answer_seconds)
                self.close()  # what the server does with the statement is not known
            raise


def limit_waiting(engine: sa.Engine, *, answer_seconds: float) -> None:
    """Limit every wait of the engine's connections; what the address itself says of them holds in place of that."""
    milliseconds = int(answer_seconds * 1000)
    settings = {
        "statement_timeout": milliseconds,
        "lock_timeout": LOCK_SECONDS * 1000,
        "idle_in_transaction_session_timeout": IDLE_TIMES * milliseconds,
        **{f"tcp_{name}": value for name, value in KEEPALIVES.items()},
    }
    server_side = " ".join(f"-c {name}={value}" for name, value in settings.items())
    limits = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": min(milliseconds, UNACKNOWLEDGED), **KEEPALIVES}

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: object, _record: object, arguments: list[Any], options: dict[str, Any]) -> LimitedConnection:
        both = f"{server_side} {options.get('options', '')}"  # of two values the server takes the last
        connection = LimitedConnection.connect(*arguments, **(limits | options | {"options": both}))
        connection.answer_seconds = answer_seconds + SLACK_SECONDS
        return connection
