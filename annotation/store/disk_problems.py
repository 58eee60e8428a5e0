"""The disk of a database that takes nothing more, as an error of its own: it is full, read-only, or reports errors."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from annotation.errors import NotWritable, Where

Words = tuple[str, str]
"""A problem and its remedy."""
FULL: Words = ("The disk of the database is full.", "Make room on it, and on that of temporary files; then try again.")
READ_ONLY: Words = (
    "The disk of the database is read-only.",
    "Make it writable; a system makes disks with errors read-only, so look into its log.",
)
FAILING: Words = ("The disk of the database reports an error.", "Look into the log of the system, and at a backup.")
FORBIDDEN: Words = ("The database may not be written.", "Give yourself write permission.")
WORDS_BY_CODE: dict[int, Words | None] = {
    # SQLite's primary result code: what is said where the disk itself does not show more; None for nothing
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_IOERR: FAILING,
    sqlite3.SQLITE_READONLY: FORBIDDEN,
    sqlite3.SQLITE_CANTOPEN: None,
}


def explain_sqlite_disk(failure: BaseException, *, file: str | Path | None) -> NotWritable | None:
    """Return the error of a disk that takes nothing more, or None if SQLite failed for another reason.

    SQLite reports a full disk as such only while it writes; where it cannot make the files beside the database, or the
    disk is read-only, its state decides (statvfs).
    """
    code = getattr(failure, "sqlite_errorcode", 0) & 0xFF
    if code not in WORDS_BY_CODE:
        return None
    words = WORDS_BY_CODE[code] if code == sqlite3.SQLITE_FULL else _examine_disk(file) or WORDS_BY_CODE[code]
    return None if words is None else NotWritable(words[0], where=Where(file=file), remedy=words[1])


def _examine_disk(file: str | Path | None) -> Words | None:
    """What is wrong with the disk of a file as a whole: it is read-only, or has no room; None where it is well."""
    try:
        state = os.statvfs(Path(file or "").parent)
    except OSError:
        return None
    if state.f_flag & os.ST_RDONLY:
        return READ_ONLY
    is_full = (state.f_blocks and not state.f_bavail) or (state.f_files and not state.f_favail)
    return FULL if is_full else None
