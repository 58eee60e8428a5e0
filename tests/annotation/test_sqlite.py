"""SQLite: the options of its connections, writers beside each other, and a database that does not exist."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from annotation.errors import BadInput, NotFound
from annotation.store import database


@pytest.fixture
def backend() -> str:
    """Only this one."""
    return "sqlite"


def test_connections_to_sqlite_have_their_options(db: database.Database) -> None:
    """Write-ahead log, foreign keys, a busy timeout, NORMAL unless FULL is asked for."""
    with db.engine.connect() as connection:
        names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
        found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names}
    assert found == {"journal_mode": "wal", "foreign_keys": 1, "busy_timeout": 5000, "synchronous": 1}
    full = database.create_engine(db.engine.url.render_as_string(), synchronous="FULL")
    with full.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    full.dispose()


def test_concurrent_read_then_write_loses_nothing(db: database.Database) -> None:
    """Eight threads that each read a number and write it back plus one, 25 times, end at 200."""
    with db.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE number (value INTEGER)"))
        connection.execute(sa.text("INSERT INTO number VALUES (0)"))

    def count() -> None:
        for _ in range(25):
            with db.transaction() as session:
                value = session.connection().execute(sa.text("SELECT value FROM number")).scalar_one()
                session.connection().execute(sa.text("UPDATE number SET value = :v"), {"v": value + 1})

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.engine.connect() as connection:
        assert connection.execute(sa.text("SELECT value FROM number")).scalar_one() == 200


def test_a_database_that_is_not_there_is_made_only_when_asked(tmp_path: Path) -> None:
    """Reading commands do not make an empty database; an address that is none is refused by the setting's name."""
    url = f"sqlite:///{tmp_path / 'none.db'}"
    with pytest.raises(NotFound, match="no database yet"), database.open_database(url, create=False):
        pass
    assert not (tmp_path / "none.db").exists()
    for wrong in ("nonsense", "sqlite+nodriver:///x.db", f"sqlite:///{tmp_path}/no/folder/x.db"):
        with pytest.raises(BadInput), database.open_database(wrong):
            pass
