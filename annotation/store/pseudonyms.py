"""Keyed pseudonyms: the key is made once, kept in a file beside the database, and never changed.

A pseudonym is the first 12 characters of HMAC-SHA256(key, "namespace\\x1fname") in base 32: 60 bits, so that a million
people collide with a chance of 4·10⁻⁷. Without the key nobody can go back; with another key nobody is recognised.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from annotation import files
from annotation.errors import BadInput, Conflict, Where
from annotation.store import journal
from annotation.vocabulary import Event

SIMULATED = "SIMULATED-"
KEY_BYTES = 32


def pseudonym(key: bytes, *, namespace: str, name: str, simulated: bool = False) -> str:
    """The pseudonym of `name`, unique in `namespace` (`telegram`, `toloka`, a project); simulated people say so."""
    digest = hmac.new(key, f"{namespace}\x1f{name}".encode(), hashlib.sha256).digest()
    text = base64.b32encode(digest).decode()[:12].lower()
    return f"{SIMULATED if simulated else ''}{text}"


def stranger(*, simulated: bool = False) -> str:
    """A pseudonym that belongs to no name and comes from no key: for whoever is forgotten."""
    text = base64.b32encode(secrets.token_bytes(8)).decode()[:12].lower()
    return f"{SIMULATED if simulated else ''}{text}"


def key(session: Session, *, file: Path, now: datetime) -> bytes:
    """The key of this database, made and recorded at first use; raises Conflict where it is missing or another one."""
    found = known(session, file=file)
    if found is None:
        _make(file)
        found = read(file)
    record(session, found, now=now)
    return found


def record(session: Session, found: bytes, *, now: datetime) -> None:
    """Remember the fingerprint of the first key that a database is filled with."""
    if journal.first(session, Event.KEY_MADE) is None:
        journal.record(session, Event.KEY_MADE, now=now, data={"fingerprint": fingerprint(found)})


def known(session: Session, *, file: Path) -> bytes | None:
    """The key in the file if it may be used with this database, None where neither has one yet; writes nothing."""
    recorded = journal.first(session, Event.KEY_MADE)
    where = Where(file=file, field="HROMADA_KEY_FILE")
    if not files.there(file):
        if recorded is None:
            return None
        raise Conflict(
            "The key of the pseudonyms is gone, and this database was filled with one.",
            where=where,
            remedy="Restore it from your backup; a new one would make every person a stranger.",
        )
    found = read(file)
    if recorded is not None and recorded.data["fingerprint"] != fingerprint(found):
        raise Conflict(
            "The key of the pseudonyms is not the one that this database was filled with.",
            where=where,
            remedy="Put the first key back; the pseudonyms of people could not be made again otherwise.",
        )
    return found


def fingerprint(found: bytes) -> str:
    """What may be known of a key: 16 hexadecimal digits of an HMAC with it."""
    return hmac.new(found, b"fingerprint", hashlib.sha256).hexdigest()[:16]


def read(file: Path) -> bytes:
    """The key in a file; raises BadInput where it is none."""
    try:
        found = bytes.fromhex(file.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        found = b""
    if len(found) != KEY_BYTES:
        raise BadInput(
            f"This is not a key of {2 * KEY_BYTES} hexadecimal digits that you may read.",
            where=Where(file=file, field="HROMADA_KEY_FILE"),
            remedy="Restore it from your backup.",
        )
    return found


def _make(file: Path) -> None:
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as failure:
        raise BadInput(
            f"The key of the pseudonyms cannot be written: {failure.strerror}.",
            where=Where(file=file, field="HROMADA_KEY_FILE"),
            remedy="Name a folder that you may write to.",
        ) from None
    with os.fdopen(handle, "w", encoding="ascii") as out:
        out.write(secrets.token_hex(KEY_BYTES) + "\n")
