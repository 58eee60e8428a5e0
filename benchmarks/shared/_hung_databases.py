"""Databases that hang: a proxy before PostgreSQL that swallows bytes, stopped backends, a lock on SQLite."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


@dataclass
class Proxy:
    """A relay to PostgreSQL's socket; while it `swallows`, nothing of what comes reaches the other side."""

    url: str
    swallows: bool = False
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what comes, or swallow it."""
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            while data := await reader.read(65536):
                if not self.swallows:
                    writer.write(data)
                    await writer.drain()
        writer.close()


@asynccontextmanager
async def swallowing_proxy(url: str) -> AsyncIterator[Proxy]:
    """A proxy on loopback before the server of an address; its `url` goes through it."""
    address = sa.make_url(url)
    folder = str(address.query["host"])
    tasks: set[asyncio.Task[None]] = set()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_server = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
        for one, other in ((reader, to_server[1]), (to_server[0], writer)):
            tasks.add(asyncio.create_task(proxy.relay(one, other)))

    server = await asyncio.start_server(connect, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    through = sa.URL.create(
        "postgresql", username=address.username, host="127.0.0.1", port=port, database=address.database
    )
    proxy = Proxy(through.render_as_string(hide_password=False))
    try:
        yield proxy
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass
class Backends:
    """The backends of one database, which are stopped and let go on by their process ids."""

    engine: sa.Engine
    stopped: list[int] = field(default_factory=list)

    def stop(self) -> None:
        """Stop all that are there now, but for the one that is asked."""
        listed = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        with self.engine.connect() as connection:
            self.stopped += connection.execute(sa.text(listed)).scalars()
        for process_id in self.stopped:
            os.kill(process_id, signal.SIGSTOP)

    def resume(self) -> None:
        """Let them go on."""
        for process_id in self.stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGCONT)
        self.stopped.clear()


@contextmanager
def stoppable_backends(url: str) -> Iterator[Backends]:
    """The backends of the database with this address; they go on at the end."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    backends = Backends(engine)
    try:
        yield backends
    finally:
        backends.resume()
        engine.dispose()


FIND_NO_ROOM = """
CREATE FUNCTION find_no_room() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$
"""
ON_INSERT = "CREATE TRIGGER no_room BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION find_no_room()"
FILLED = ("inbox", "judgement")
"""The tables that do not grow on a full disk; each is locked by itself, or those who work would meet a deadlock."""


def fill_server_disk(engine: sa.Engine) -> None:
    """Let the server of PostgreSQL answer as it does when its disk is full; the engine commits each statement."""
    with engine.connect() as connection:
        for statement in (FIND_NO_ROOM, *map(ON_INSERT.format, FILLED)):
            connection.exec_driver_sql(statement)


def free_server_disk(engine: sa.Engine) -> None:
    """Undo `fill_server_disk`."""
    with engine.connect() as connection:
        for table in FILLED:
            connection.exec_driver_sql(f"DROP TRIGGER no_room ON {table}")
        connection.exec_driver_sql("DROP FUNCTION find_no_room()")


def limit_files(process_id: int, size: int | None) -> None:
    """Let no file of a process grow beyond so many bytes, as on a broken disk; None ends this."""
    _, hard = resource.prlimit(process_id, resource.RLIMIT_FSIZE)
    resource.prlimit(process_id, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


@contextmanager
def locked_file(file: Path) -> Iterator[None]:
    """Another process holds the lock for writing on a SQLite database while the block runs."""
    process = subprocess.Popen([sys.executable, "-c", LOCK, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        yield
    finally:
        process.kill()
        process.communicate()
