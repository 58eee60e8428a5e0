"""What `doctor` and `database check` look at."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata

import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import HromadaError, NotFound
from annotation.settings import Settings, settings
from annotation.store import driver_errors, integrity, migrations, pseudonyms
from annotation.store import invariants as rules
from annotation.store.database import reader
from bot.commands import session

PACKAGES = ("hromada", "python-telegram-bot", "crowd-kit", "pandas", "scikit-learn", "sqlmodel")


@dataclass(frozen=True)
class Finding:
    """One thing looked at: whether it is well, and what it says."""

    what: str
    well: bool
    says: str


def findings() -> tuple[Finding, ...]:
    """Look at everything; a check that fails does not keep the others from being made."""
    try:
        chosen = settings()
    except HromadaError as failure:
        return (_python(), Finding("settings", well=False, says=str(failure)))
    read = Finding("settings", well=True, says="read")
    return (_python(), _packages(), read, *_database(chosen), _token(chosen))


def _python() -> Finding:
    return Finding("Python", well=True, says=platform.python_version())


def _packages() -> Finding:
    return Finding("packages", well=True, says=", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES))


def _database(chosen: Settings) -> tuple[Finding, ...]:
    """The database and its key, looked at without writing either; not being there yet is well."""
    try:
        with session.opened() as database, database.reading() as view:
            address = driver_errors.shown(database.engine.url)
            return (Finding("database", well=True, says=address), _key(view, chosen))
    except NotFound as absence:
        return (Finding("database", well=True, says=str(absence)),)
    except HromadaError as failure:
        return (Finding("database", well=False, says=str(failure)),)


def _key(view: Session, chosen: Settings) -> Finding:
    """Refuse a key that is not the database's; making one is left to the command that first needs it."""
    try:
        found = pseudonyms.known(view, file=chosen.key_file)
    except HromadaError as failure:
        return Finding("key of the pseudonyms", well=False, says=str(failure))
    says = "will be made at first use" if found is None else f"{chosen.key_file} can be used with this database"
    return Finding("key of the pseudonyms", well=True, says=says)


def soundness(engine: sa.Engine) -> tuple[rules.Finding, ...]:
    """The file, the schema, the rows, and whether the key is the one that the pseudonyms were made with."""
    with driver_errors.translated(engine.url):
        found = integrity.findings(engine)
        with reader(engine).connect() as connection:
            known = migrations.current(connection) is not None
        if not known:
            return found
        with Session(reader(engine)) as view:
            key = _key(view, settings())
    says = () if key.well else (key.says,)
    return (*found, rules.Finding(rule="the key is that of the pseudonyms", wrong=len(says), examples=says))


def _token(chosen: Settings) -> Finding:
    if chosen.telegram_token is None:
        return Finding("Telegram token", well=True, says="none; only `hromada bot` needs one")
    return Finding("Telegram token", well=True, says="set (never shown)")
