"""What `hromada doctor` looks at around the database: secrets, disk, clocks, backups, SQLite's log, the webhook.

Each check says what to do where something is to be mended. None takes longer than it takes to ask once.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import HromadaError
from annotation.settings import Settings, list_secret_names, read_settings
from annotation.store import processes
from annotation.workflow.monitoring import machine, needs
from annotation.workflow.monitoring.machine import MachineFacts
from annotation.workflow.monitoring.needs import Need
from bot.commands import database_session, local_times
from bot.commands.system_checks import SystemFinding

ENV_FILE = Path(".env")
MAX_LOG_BYTES = 64 * 1024**2
"""Bytes of SQLite's log above which something keeps it from being emptied; it usually stays near 4 MB."""
MAX_CLOCK_SECONDS = 2.0
"""Seconds by which the clocks of this machine and of the database may differ."""
WEBHOOK_SECONDS = 3.0
"""Seconds that Telegram has to say how the webhook is."""
MANY_PENDING = 100
"""Updates that wait at Telegram, from which on nobody seems to take them."""


def check_machine() -> tuple[SystemFinding, ...]:
    """Check everything; what needs settings or a database that cannot be read is left to the check that says so."""
    try:
        settings = read_settings()
    except HromadaError:
        return ()
    facts = machine.read_machine_facts(settings)
    state = _check_state(settings, facts)
    return (*_check_modes(settings), _check_disk(facts), *state, *_check_webhook(settings))


def list_needs() -> tuple[Need, ...]:
    """What needs the organisers; nothing where settings or database cannot be read, which the checks say."""
    try:
        settings = read_settings()
        with database_session.open_database() as opened, opened.reading() as view:
            return needs.list_needs(
                view,
                now=processes.get_database_time(view),
                default_zone=settings.time_zone,
                machine=machine.read_machine_facts(settings),
            )
    except HromadaError:
        return ()


def _check_modes(settings: Settings) -> Iterator[SystemFinding]:
    """Check that no other account of the machine can read the key, or an .env with a secret."""
    secret_files = [settings.key_file, *([ENV_FILE] if _has_secret(ENV_FILE) else [])]
    for file in secret_files if os.name == "posix" else ():
        try:
            mode = file.stat().st_mode & 0o777
        except OSError:
            continue
        well = not mode & 0o077
        remedy = "" if well else f": others on this machine may read it. Close it: chmod 600 {file}"
        yield SystemFinding(f"mode of {file}", well=well, says=f"{mode:04o}{remedy}")


def _has_secret(file: Path) -> bool:
    """Whether a file of settings gives a secret: a token, or an address with a password."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    named = "|".join(list_secret_names())
    is_secret = re.compile(rf"\s*(?:export\s+)?(?:(?:{named})\s*=\s*\S|\w+\s*=\s*\S*://\S+:\S+@)")
    return any(is_secret.match(line) for line in text.splitlines())


def _check_disk(facts: MachineFacts) -> SystemFinding:
    """Check that the disk has room for a copy of the database and for what comes."""
    if not facts.is_disk_full:
        return SystemFinding("disk", well=True, says=f"{_format_bytes(facts.free)} free")
    says = f"{_format_bytes(facts.free)} free, {_format_bytes(facts.needed)} needed for a backup and what comes."
    return SystemFinding("disk", well=False, says=f"{says} Make room.")


def _check_state(settings: Settings, facts: MachineFacts) -> Iterator[SystemFinding]:
    """Check what a database says of itself that can be opened."""
    try:
        with database_session.open_database() as opened, opened.reading() as view:
            yield _describe_version(view)
            if opened.engine.dialect.name != "sqlite":
                yield _check_clock(view)
            yield from _check_backups(view, facts)
    except HromadaError:
        return
    file = machine.find_database_file(settings)
    if file is not None:
        yield from _check_log(file.with_name(f"{file.name}-wal"))


def _describe_version(view: Session) -> SystemFinding:
    """The version of the database, on PostgreSQL that of the server and of its driver."""
    if view.get_bind().dialect.name == "sqlite":
        return SystemFinding("SQLite", well=True, says=sqlite3.sqlite_version)
    server = view.connection().execute(sa.text("SHOW server_version")).scalar_one()
    return SystemFinding("PostgreSQL", well=True, says=f"{server}, psycopg {metadata.version('psycopg')}")


def _check_clock(view: Session) -> SystemFinding:
    """Check the clock of this machine against that of the database, by which all processes go."""
    asked, told = datetime.now(UTC), processes.get_database_time(view)
    off = max(asked - told, told - datetime.now(UTC), timedelta(0)).total_seconds()
    if off <= MAX_CLOCK_SECONDS:
        return SystemFinding("clock", well=True, says="that of the database")
    says = (
        f"{off:.0f} seconds from that of the database. Let both machines set theirs by NTP (timedatectl set-ntp true)."
    )
    return SystemFinding("clock", well=False, says=says)


def _check_backups(view: Session, facts: MachineFacts) -> Iterator[SystemFinding]:
    """Check that what people answered is in a backup, in one of the folders where commands write them."""
    now, words = processes.get_database_time(view), "Make one: hromada database backup FILE"
    is_due = facts.is_backup_due(view, now=now)
    if facts.backup_at is not None:
        remedy = f"; people have answered since. {words}." if is_due else ""
        says = f"{facts.backup}, {_format_age(now - facts.backup_at)} old{remedy}"
        yield SystemFinding("backup", well=not is_due, says=says)
    elif is_due:
        says = f"none in this folder or in backups. {words}; keep it elsewhere."
        yield SystemFinding("backup", well=False, says=says)


def _check_log(log: Path) -> Iterator[SystemFinding]:
    """Check that SQLite could empty its log of late."""
    size = log.stat().st_size if log.is_file() else 0
    if size <= MAX_LOG_BYTES:
        return
    remedy = "Something reads an old state of the database: end long commands, and programs that have the file open."
    yield SystemFinding("log of the database", well=False, says=f"{log} has {_format_bytes(size)}. {remedy}")


def _check_webhook(settings: Settings) -> Iterator[SystemFinding]:
    """Ask Telegram how each webhook is, if the settings have one; the address, which has the token, is never shown."""
    tokens = (settings.telegram_token, *settings.telegram_tokens)
    for token in tokens if settings.webhook_url is not None else ():
        if token is not None:
            yield _ask_for_webhook(settings, token.get_secret_value(), settings.webhook_url or "")


def _ask_for_webhook(settings: Settings, token: str, webhook_url: str) -> SystemFinding:
    """Ask Telegram how the webhook of one bot is."""
    import httpx

    url = f"{settings.telegram_url}{token}/getWebhookInfo"
    try:
        answer = httpx.post(url, timeout=WEBHOOK_SECONDS).json()
    except (httpx.HTTPError, ValueError):
        says = "Telegram cannot be asked. Check the network, and HROMADA_TELEGRAM_URL."
        return SystemFinding("webhook", well=False, says=says)
    if not isinstance(answer, dict) or not answer.get("ok"):
        return SystemFinding(
            "webhook", well=False, says="Telegram does not know this token. Copy it again from @BotFather."
        )
    state = answer["result"]
    problem = _find_webhook_problem(state, webhook_url)
    unset = "not set; `hromada bot --webhook` sets it"
    says = problem or (f"set; updates that wait: {state['pending_update_count']}" if state["url"] else unset)
    return SystemFinding("webhook", well=not problem, says=says)


def _find_webhook_problem(state: dict[str, Any], url: str) -> str:
    """What is wrong with a webhook, with the remedy; empty where nothing is, and where none is set."""
    pending, failure = state["pending_update_count"], state.get("last_error_message")
    if state["url"] and not state["url"].startswith(f"{url.rstrip('/')}/"):
        return (
            "Telegram calls another address, which another program has set. End that, or correct HROMADA_WEBHOOK_URL."
        )
    if pending and failure:
        at = datetime.fromtimestamp(state.get("last_error_date", 0), UTC)
        what = f"{pending} updates wait; Telegram could not bring one at {local_times.format_moment(at)}: {failure}."
        return f"{what} Check the proxy, its certificate, and that the bot runs."
    if pending >= MANY_PENDING:
        return (
            f"{pending} updates wait at Telegram. Check that the bot runs, and how many wait for it (hromada status)."
        )
    return ""


def _format_bytes(size: int) -> str:
    return f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size / 1024**2:.0f} MB"


def _format_age(age: timedelta) -> str:
    hours = max(0, int(age.total_seconds() // 3600))
    return f"{hours // 24} days" if hours >= 48 else f"{hours} hours"
