"""Keyed pseudonyms: the key is made once, kept in a file beside the database, and never changed.

A pseudonym is the first 12 characters of HMAC-SHA256(key, "namespace\\x1fname") in base 32: 60 bits, so that among a
million annotators two collide with a probability of 4·10⁻⁷. Without the key a pseudonym cannot be traced back; with
another key the same annotator would get another pseudonym.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import sqlalchemy as sa
from pydantic import SecretStr
from sqlmodel import Session, col, select

from aggregation import spelling
from aggregation.findings import Finding
from annotation import input_files
from annotation.errors import BadInput, Conflict, Where, explain_disk
from annotation.settings import Settings
from annotation.store import journal, models
from annotation.vocabulary import Event

LEAST_SECRET, LEAST_ID = 6, 5
"""The least lengths of codes and of ids that are searched for: shorter ones stand in any text."""


class Identity(NamedTuple):
    """What a value is, in words, the value, and whether it is a secret, which may stand inside a longer word."""

    kind: str
    value: str
    is_secret: bool = False


def list_identities(session: Session) -> tuple[Identity, ...]:
    """The ids of people and chats in Telegram and Label Studio, and the invitation codes, of the whole database."""
    return tuple(sorted(set(_walk_identities(session))))


def _walk_identities(session: Session) -> Iterator[Identity]:
    ids = (
        select(models.Annotator.telegram_id).where(col(models.Annotator.telegram_id).is_not(None)),
        select(models.Inbox.telegram_id).where(col(models.Inbox.telegram_id).is_not(None)).distinct(),
        select(models.Outbox.chat_id).distinct(),
        select(models.ChatPause.chat_id),
        select(models.ToldGroup.chat_id),
    )
    accounts = (select(models.LabelStudioAccount.user_id), select(models.LabelStudioSetAside.user_id))
    for kind, queries in (("the Telegram id of a person or chat", ids), ("the id of a Label Studio account", accounts)):
        for query in queries:
            for number in session.exec(query):
                written = str(abs(number or 0))
                if len(written) >= LEAST_ID:
                    yield Identity(kind, written)
    for code in session.exec(select(models.Invitation.code)):
        if len(code) >= LEAST_SECRET:
            yield Identity("an invitation code", code)


def list_secrets(settings: Settings) -> tuple[Identity, ...]:
    """The tokens of the settings, the key of the pseudonyms, and the password of the database."""
    secrets = [
        secret.get_secret_value()
        for secret in (
            settings.telegram_token,
            *settings.telegram_tokens,
            settings.label_studio_token,
            settings.dashboard_token,
        )
        if isinstance(secret, SecretStr)
    ]
    named = dict.fromkeys(secrets, "a token of the settings")
    if settings.key_file.is_file():
        named[settings.key_file.read_text("utf-8", "replace").strip()] = "the key of the pseudonyms"
    url = sa.make_url(settings.database_url)
    passwords = [url.password, *(value for name, value in url.query.items() if name == "password")]
    for password in passwords:
        if password:
            named |= dict.fromkeys((str(password), quote_plus(str(password))), "the password of the database")
    return tuple(Identity(kind, value, is_secret=True) for value, kind in named.items() if len(value) >= LEAST_SECRET)


KEPT_REASON = Finding("kept")
"""The reason of a suspension, and of a standing in a project, that holds again because the annotator returned."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What still holds for an erased annotator who returns.

    `projects` maps names of projects to `status`, `stage`, `attempt` and `retry_at` of a participation. `detached` says
    that they were detached and not erased then; `erased` is when they had been erased before (ISO 8601), if ever.
    """

    suspended: bool = False
    projects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    detached: bool = False
    erased: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The standing as the table stores it; empty where nothing holds."""
        projects = {name: dict(values) for name, values in sorted(self.projects.items())}
        held = {"suspended": self.suspended, "projects": projects, "detached": self.detached, "erased": self.erased}
        return {name: value for name, value in held.items() if value}


def compute_mark(pseudonym: str) -> str:
    """The mark of an annotator with this pseudonym: 64 hexadecimal digits."""
    return hashlib.sha256(f"erased annotator\x1f{pseudonym}".encode()).hexdigest()


def find_mark(session: Session, pseudonym: str) -> models.ErasedAnnotator | None:
    """The mark of an annotator who had this pseudonym and was erased; None where nobody was."""
    return session.get(models.ErasedAnnotator, compute_mark(pseudonym))


def get_standing(session: Session, pseudonym: str) -> Standing:
    """What holds for an annotator with this pseudonym from before their data were erased."""
    erased = find_mark(session, pseudonym)
    return Standing() if erased is None else Standing(**erased.standing)


def list_former_pseudonyms(session: Session, annotator_id: int) -> list[str]:
    """The pseudonyms of accounts that were united with the annotator's: earlier exports and backups know them."""
    united = select(models.Journal.data).where(
        models.Journal.event == Event.ACCOUNTS_UNITED, models.Journal.annotator_id == annotator_id
    )
    return [data["pseudonym"] for data in session.exec(united.order_by(col(models.Journal.id))) if "pseudonym" in data]


def find_successor(session: Session, former: str) -> str | None:
    """The pseudonym of the annotator with whose account the one of this pseudonym was united; None for any other."""
    united = select(models.Annotator.pseudonym, models.Journal.data).join(models.Journal)
    rows = session.exec(united.where(models.Journal.event == Event.ACCOUNTS_UNITED)).all()
    return next((pseudonym for pseudonym, data in rows if data.get("pseudonym") == former), None)


def record_erasure(session: Session, *, pseudonym: str, standing: Standing, now: datetime) -> None:
    """Record that the annotator is erased.

    Where they were erased before, what they did not touch since their return stays as it was.
    """
    erased = find_mark(session, pseudonym)
    if erased is None:
        erased = models.ErasedAnnotator(mark=compute_mark(pseudonym), erased_at=now, standing=standing.as_json())
    else:
        erased.erased_at, erased.standing = now, standing.as_json()
    session.add(erased)
    session.flush()


def record_detachment(session: Session, suspended: Mapping[str, bool], *, now: datetime) -> None:
    """Record that these annotators are detached, by pseudonym whether they are suspended, and no project of theirs.

    What holds from an earlier erasure stays, with its time. The marks are stored in their own order, so that the order
    of the rows does not tell whose they are.
    """
    for mark, is_suspended in sorted((compute_mark(pseudonym), held) for pseudonym, held in suspended.items()):
        row = session.get(models.ErasedAnnotator, mark)
        standing = Standing() if row is None else Standing(**row.standing)
        erased = standing.erased if row is None or standing.detached else row.erased_at.isoformat()
        standing = replace(standing, suspended=is_suspended, detached=True, erased=erased)
        if row is None:
            session.add(models.ErasedAnnotator(mark=mark, erased_at=now, standing=standing.as_json()))
        else:
            row.erased_at, row.standing = now, standing.as_json()
    session.flush()


def list_marks(connection: sa.Connection) -> dict[str, dict[str, Any]]:
    """All marks with `erased_at` (ISO 8601) and `standing`; empty where the database has no table of them."""
    if not sa.inspect(connection).has_table(models.ErasedAnnotator.__tablename__):
        return {}
    table = sa.select(models.ErasedAnnotator.mark, models.ErasedAnnotator.erased_at, models.ErasedAnnotator.standing)  # type: ignore[call-overload]
    rows = connection.execute(table.order_by(col(models.ErasedAnnotator.mark)))
    return {mark: {"erased_at": erased_at.isoformat(), "standing": standing} for mark, erased_at, standing in rows}


def merge_marks(*sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The marks of several lists; of a mark that is in more than one, the latest erasure."""
    merged: dict[str, Mapping[str, Any]] = {}
    for source in sources:
        for mark, values in source.items():
            earlier = merged.get(mark)
            if earlier is None or _parse_time(earlier) < _parse_time(values):
                merged[mark] = values
    return merged


def add_marks(connection: sa.Connection, marks: Mapping[str, Mapping[str, Any]]) -> None:
    """Store the marks, in place of older ones of the same annotators; nothing where there is no table of them."""
    if not marks or not sa.inspect(connection).has_table(models.ErasedAnnotator.__tablename__):
        return
    merged = merge_marks(list_marks(connection), marks)
    connection.execute(sa.delete(models.ErasedAnnotator))
    rows = [
        {"mark": mark, "erased_at": _parse_time(values), "standing": values["standing"]}
        for mark, values in sorted(merged.items())
    ]
    connection.execute(sa.insert(models.ErasedAnnotator), rows)


class Revived(NamedTuple):
    """An annotator whom a restored backup has brought back; `is_detached` says that their answers are to be kept."""

    annotator: models.Annotator
    is_detached: bool


def list_revived_annotators(session: Session) -> Sequence[Revived]:
    """Annotators with the mark of an erased or detached one: a backup that was restored has brought them back.

    Annotators who came after that are new ones. Where nobody was ever erased, no annotator is read.
    """
    marks = {mark.mark: mark for mark in session.exec(select(models.ErasedAnnotator))}
    if not marks:
        return []
    revived = []
    for annotator in session.exec(select(models.Annotator).where(models.IS_KNOWN).order_by(col(models.Annotator.id))):
        mark = marks.get(compute_mark(annotator.pseudonym))
        if mark is not None and annotator.created_at < mark.erased_at:
            standing = Standing(**mark.standing)
            erased = datetime.fromisoformat(standing.erased) if standing.erased else None
            is_detached = standing.detached and (erased is None or annotator.created_at >= erased)
            revived.append(Revived(annotator, is_detached))
    return revived


def _parse_time(values: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(values["erased_at"])


SIMULATED_PREFIX = "SIMULATED-"
KEY_BYTES = 32


def make_pseudonym(key: bytes, *, namespace: str, name: str, simulated: bool = False) -> str:
    """The pseudonym of `name` in `namespace` (`telegram`, `toloka`, a project); simulated ones have a prefix.

    A name in another Unicode form, or with blanks around it, has the same pseudonym (`spelling.build_key`).
    """
    digest = hmac.new(key, f"{namespace}\x1f{spelling.build_key(name)}".encode(), hashlib.sha256).digest()
    text = base64.b32encode(digest).decode()[:12].lower()
    return f"{SIMULATED_PREFIX if simulated else ''}{text}"


def make_random_pseudonym(*, simulated: bool = False) -> str:
    """A pseudonym that comes from no name and no key, for an annotator who is erased."""
    text = base64.b32encode(secrets.token_bytes(8)).decode()[:12].lower()
    return f"{SIMULATED_PREFIX if simulated else ''}{text}"


def ensure_key(session: Session, *, file: Path, now: datetime) -> bytes:
    """The key of this database, made and recorded at first use; raises Conflict where it is missing or another one."""
    key = find_key(session, file=file)
    if key is None:
        _write_key(file)
        key = read_key(file)
    record_key(session, key, now=now)
    return key


def record_key(session: Session, key: bytes, *, now: datetime) -> None:
    """Record the fingerprint of the key in the journal, unless one is recorded."""
    if journal.get_first_event(session, Event.KEY_MADE) is None:
        journal.record_event(session, Event.KEY_MADE, now=now, data={"fingerprint": fingerprint_key(key)})


def find_key(session: Session, *, file: Path) -> bytes | None:
    """The key in the file, None where neither file nor database has one yet; writes nothing.

    Raises Conflict where the file is missing or is not the key that the database was filled with.
    """
    recorded = journal.get_first_event(session, Event.KEY_MADE)
    where = Where(file=file, field="HROMADA_KEY_FILE")
    if not input_files.file_exists(file):
        if recorded is None:
            return None
        raise Conflict(
            "The pseudonym key of this database is missing.",
            where=where,
            remedy="Restore it from your backup: a new key would give every annotator a new pseudonym.",
        )
    key = read_key(file)
    if recorded is not None and recorded.data["fingerprint"] != fingerprint_key(key):
        raise Conflict(
            "This is not the pseudonym key of this database.",
            where=where,
            remedy="Put the first key back; without it the same pseudonyms cannot be made again.",
        )
    return key


def fingerprint_key(key: bytes) -> str:
    """A fingerprint that may be shown: 16 hexadecimal digits of an HMAC with the key."""
    return hmac.new(key, b"fingerprint", hashlib.sha256).hexdigest()[:16]


def read_key(file: Path) -> bytes:
    """The key in a file; raises BadInput where there is none."""
    try:
        key = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise BadInput(
            f"This is not a key of {2 * KEY_BYTES} hexadecimal digits that you may read.",
            where=Where(file=file, field="HROMADA_KEY_FILE"),
            remedy="Restore it from your backup.",
        )
    return key


def _write_key(file: Path) -> None:
    """Write a new key; a file that is not whole is removed, because a later command would take it for the key."""
    is_made = False
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        is_made = True
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(secrets.token_hex(KEY_BYTES) + "\n")
    except OSError as failure:
        if is_made:
            file.unlink(missing_ok=True)
        where = Where(file=file, field="HROMADA_KEY_FILE")
        problem = f"The key of the pseudonyms cannot be written: {failure.strerror}."
        refusal = BadInput(problem, where=where, remedy="Name a folder that you may write to.")
        raise (explain_disk(failure, where=where) or refusal) from None
