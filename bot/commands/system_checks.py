"""The checks of `hromada doctor` and `hromada database check`."""

from __future__ import annotations

import difflib
import platform
from dataclasses import dataclass
from importlib import metadata

import sqlalchemy as sa
from sqlmodel import Session

from annotation.errors import BadInput, HromadaError, NotFound
from annotation.settings import Settings, list_misspelt_names, read_settings
from annotation.store import database, driver_errors, erasure_log, invariants, migrations, pseudonyms
from annotation.store.database import make_read_engine
from bot.commands import added_texts, database_session, local_times
from bot.conversation import texts

PACKAGES = ("hromada", "python-telegram-bot", "crowd-kit", "pandas", "scikit-learn", "sqlmodel")


@dataclass(frozen=True)
class SystemFinding:
    """The result of one check: its subject, whether it is well, and a sentence."""

    what: str
    well: bool
    says: str


def check_system() -> tuple[SystemFinding, ...]:
    """Check everything; a check that fails does not stop the others."""
    try:
        settings = read_settings()
    except HromadaError as failure:
        return (_check_python(), SystemFinding("settings", well=False, says=str(failure)))
    return (
        _check_python(),
        SystemFinding("packages", well=True, says=", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)),
        _check_names(),
        *_check_texts(settings),
        *_check_connection(settings),
        _check_token(settings),
    )


def _check_python() -> SystemFinding:
    return SystemFinding("Python", well=True, says=platform.python_version())


def _check_names() -> SystemFinding:
    """Check the names in .env and of files with secrets: a misspelt one would be passed over without a word."""
    sentences = []
    for name, place in list_misspelt_names():
        known = [f"HROMADA_{field.upper()}" for field in Settings.model_fields]
        near = difflib.get_close_matches(name.upper(), known, n=1)
        sentences.append(f"{name} in {place} is not a setting." + (f" Did you mean {near[0]}?" if near else ""))
    return SystemFinding("settings", well=not sentences, says=" ".join(sentences) or "read")


def _check_texts(settings: Settings) -> tuple[SystemFinding, ...]:
    """Check the languages that were added, if any."""
    if settings.texts is None:
        return ()
    try:
        added_texts.use_added_texts()
    except HromadaError as failure:
        return (SystemFinding("texts", well=False, says=str(failure)),)
    return (
        SystemFinding("texts", well=True, says=f"{settings.texts}; languages: {', '.join(texts.list_languages())}"),
    )


def _check_connection(settings: Settings) -> tuple[SystemFinding, ...]:
    """Check the database and its key without writing; it is well where the database is not there yet."""
    try:
        with database_session.open_database() as opened, opened.reading() as view:
            address = driver_errors.format_url(opened.engine.url)
            return (_check_erased(view, address), *_check_log(view), _check_key(view, settings))
    except NotFound as absence:
        return (SystemFinding("database", well=True, says=str(absence)),)
    except HromadaError as failure:
        return (SystemFinding("database", well=False, says=str(failure)),)


def _check_erased(view: Session, address: str) -> SystemFinding:
    """Check that no restored backup has brought an erased annotator back."""
    revived = len(pseudonyms.list_revived_annotators(view))
    if not revived:
        return SystemFinding("database", well=True, says=address)
    who = "1 annotator who was erased is" if revived == 1 else f"{revived} annotators who were erased are"
    return SystemFinding("database", well=False, says=f"{address}: {who} back. Erase again: hromada database upgrade.")


def _check_log(view: Session) -> tuple[SystemFinding, ...]:
    """Check that the log of SQLite holds nothing that was erased, where something was."""
    since = erasure_log.find_erasure(view)
    if since is None:
        return ()
    return (
        SystemFinding(
            "log of the database", well=False, says=erasure_log.describe_wait(local_times.format_moment(since))
        ),
    )


def _check_key(view: Session, settings: Settings) -> SystemFinding:
    """Check that the key belongs to the database; a missing key is made by the first command that needs it."""
    try:
        key = pseudonyms.find_key(view, file=settings.key_file)
    except HromadaError as failure:
        return SystemFinding("key of the pseudonyms", well=False, says=str(failure))
    says = "will be made at first use" if key is None else f"{settings.key_file} can be used with this database"
    return SystemFinding("key of the pseudonyms", well=True, says=says)


def check_database(engine: sa.Engine) -> tuple[invariants.IntegrityFinding, ...]:
    """Check the file, the schema, the rows, and that the pseudonyms were made with the key."""
    with database.translate_errors(engine.url):
        findings = invariants.check_database(engine)
        with make_read_engine(engine).connect() as connection:
            has_revision = migrations.get_revision(connection) is not None
        if not has_revision:
            return findings
        with Session(make_read_engine(engine)) as view:
            key = _check_key(view, read_settings())
    says = () if key.well else (key.says,)
    return (
        *findings,
        invariants.IntegrityFinding(rule="the key is that of the pseudonyms", wrong=len(says), examples=says),
    )


def _check_token(settings: Settings) -> SystemFinding:
    try:
        tokens = settings.bot_tokens
    except BadInput as failure:
        return SystemFinding("Telegram token", well=False, says=str(failure))
    if not tokens:
        return SystemFinding("Telegram token", well=True, says="none; only `hromada bot` needs one")
    if len(tokens) > 1:
        return SystemFinding("Telegram tokens", well=True, says=f"{len(tokens)} set (never shown)")
    return SystemFinding("Telegram token", well=True, says="set (never shown)")
