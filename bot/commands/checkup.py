"""What `doctor` looks at."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib import metadata

from annotation.errors import HromadaError
from annotation.settings import Settings, settings
from annotation.store import pseudonyms
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
    return (
        _python(),
        _packages(),
        Finding("settings", well=True, says="read"),
        _database(),
        _key(chosen),
        _token(chosen),
    )


def _python() -> Finding:
    return Finding("Python", well=True, says=platform.python_version())


def _packages() -> Finding:
    return Finding("packages", well=True, says=", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES))


def _database() -> Finding:
    try:
        with session.opened() as database, database.transaction():
            return Finding("database", well=True, says=database.engine.url.render_as_string())
    except HromadaError as failure:
        return Finding("database", well=False, says=str(failure))


def _key(chosen: Settings) -> Finding:
    """Refuse a key that is not the database's; making one is left to the command that first needs it."""
    try:
        with session.opened() as database, database.transaction() as transaction:
            if not chosen.key_file.exists() and not pseudonyms.recorded(transaction):
                return Finding("key of the pseudonyms", well=True, says="will be made at first use")
            pseudonyms.key(transaction, file=chosen.key_file, now=session.now())
    except HromadaError as failure:
        return Finding("key of the pseudonyms", well=False, says=str(failure))
    return Finding("key of the pseudonyms", well=True, says=f"{chosen.key_file} is the one of this database")


def _token(chosen: Settings) -> Finding:
    if chosen.telegram_token is None:
        return Finding("Telegram token", well=True, says="none; only `hromada bot` needs one")
    return Finding("Telegram token", well=True, says="set (never shown)")
