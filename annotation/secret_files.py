"""Files that no project may publish: settings, the key of the pseudonyms, the database and its backups.

A project file names files that annotators are shown, and may come from somebody else. Whatever names one of these
files, its content is not read as that of a campaign.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from annotation.settings import SECRETS, read_file_settings

ENV_FILE = Path(".env")
DATABASE_COMPANIONS = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite writes beside a database."""
HEAD_BYTES = 400
BEGINNINGS = (
    (b"SQLite format 3\0", "is a database of SQLite, or a backup of one"),
    (b"\x37\x7f\x06\x82", "is the log of a database of SQLite"),
    (b"\x37\x7f\x06\x83", "is the log of a database of SQLite"),
    (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "is the journal of a database of SQLite"),
    (b"PGDMP", "is a backup of PostgreSQL"),
    (b"--\n-- PostgreSQL database", "is a backup of PostgreSQL"),
    (b"age-encryption.org/v1", "is an encrypted file, as backups are"),
)
"""How databases and their backups begin, and what such a file is."""
_MANIFEST = re.compile(rb'\s*\{\s*"kind":\s*"\w+",\s*"hromada":\s*"[^"]*",\s*"made_at":')
RENAME = "Name another file, or a copy without the dot if annotators may read it."
NAME_ANOTHER = "Name another file."


class SecretFile(NamedTuple):
    """Why a file is not read, as the end of a sentence that begins with the file, and the remedy."""

    reason: str
    remedy: str = NAME_ANOTHER


def find_secret(path: Path) -> SecretFile | None:
    """Return why the file may not be read as part of a campaign, or None if it may; links are followed.

    A file whose name begins with a dot may not, whether it exists or not; nor may one of the files of the settings, a
    file with a container's secrets, or a backup, which is known by how it begins. Folders whose names begin with a dot
    are ordinary ones.
    """
    resolved = Path(os.path.realpath(path))
    if os.path.isdir(resolved):  # noqa: PTH112  # no error for a name that is too long
        return None
    if resolved.name.startswith("."):
        return SecretFile("has a name that begins with a dot, as files with settings and tokens have", RENAME)
    if resolved.is_relative_to(os.path.realpath(SECRETS)):
        return SecretFile(f"is in {SECRETS}, where containers find their secrets")
    for secret, reason in _list_own_files():
        if resolved == Path(os.path.realpath(secret)) or _is_same_file(resolved, secret):
            return SecretFile(reason)
    return _find_backup(resolved)


def _list_own_files() -> Iterator[tuple[Path, str]]:
    """The files of the settings of this folder and environment, with what each is."""
    key_file, database = _read_paths(*_get_sources())
    yield ENV_FILE, "holds the settings"
    yield key_file, "is the key of the pseudonyms (HROMADA_KEY_FILE)"
    if database is not None:
        yield database, "is the database (HROMADA_DATABASE_URL)"
        for ending in DATABASE_COMPANIONS:
            yield database.with_name(database.name + ending), "belongs to the database (HROMADA_DATABASE_URL)"


def _get_sources() -> tuple[str, tuple[tuple[str, str], ...], tuple[int, int] | None]:
    """All that the paths in the settings depend on: the folder, the environment, and the state of .env."""
    variables = tuple(sorted(pair for pair in os.environ.items() if pair[0].upper().startswith("HROMADA_")))
    try:
        state = ENV_FILE.stat()
    except OSError:
        return str(Path.cwd()), variables, None
    return str(Path.cwd()), variables, (state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _read_paths(_folder: str, _variables: object, _state: object) -> tuple[Path, Path | None]:
    """The key and the file of the database; None for a server. The settings are read anew if their sources change."""
    settings = read_file_settings()
    scheme, _, address = settings.database_url.partition(":///")
    if not scheme.startswith("sqlite") or not address:
        return settings.key_file, None
    return settings.key_file, Path(address.partition("?")[0].removeprefix("file:"))


def _is_same_file(one: Path, other: Path) -> bool:
    """Whether both names lead to one file, by a hard link, say."""
    try:
        return one.samefile(other)
    except OSError:
        return False


def _find_backup(file: Path) -> SecretFile | None:
    """Why a file is not read that begins like a database, a backup, or the manifest of one, or that has a manifest."""
    head = _read_head(file)
    for beginning, reason in BEGINNINGS:
        if head.startswith(beginning):
            return SecretFile(reason)
    if _MANIFEST.match(head):
        return SecretFile("describes a backup of the database")
    if _MANIFEST.match(_read_head(file.with_name(f"{file.name}.json"))):
        return SecretFile("is a backup of the database")
    return None


def _read_head(file: Path) -> bytes:
    """The first bytes of an ordinary file; none of any other, or of one that cannot be read."""
    try:
        if not file.is_file():
            return b""
        with file.open("rb") as source:
            return source.read(HEAD_BYTES)
    except (OSError, ValueError):
        return b""
