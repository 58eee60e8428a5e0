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
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from aggregation import spelling
from annotation import input_files
from annotation.errors import BadInput, Conflict, Where, explain_disk
from annotation.store import journal
from annotation.vocabulary import Event

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
            "The key of the pseudonyms is gone, and this database was filled with one.",
            where=where,
            remedy="Restore it from your backup; with a new one every annotator would get another pseudonym.",
        )
    key = read_key(file)
    if recorded is not None and recorded.data["fingerprint"] != fingerprint_key(key):
        raise Conflict(
            "The key of the pseudonyms is not the one that this database was filled with.",
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
