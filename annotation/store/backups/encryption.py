"""Encryption of backups to a public key by the program `age`; only the owner of the identity can read them.

The machine that makes backups has the public key alone, so a stolen backup, or a stolen disk of backups, is unreadable.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from annotation.errors import BadInput, Unavailable, Where

BEGINNING = b"age-encryption.org/v1"
PREFIX = ".hromada-plain-"
"""Private folders with what is not encrypted yet, or decrypted for a restore, begin like this."""
ABANDONED_SECONDS = 86_400
"""A private folder that is older than this was left by a process that was killed."""


def is_encrypted(file: Path) -> bool:
    """Whether a file begins as `age` writes it; False if it cannot be read."""
    try:
        with file.open("rb") as source:
            return source.read(len(BEGINNING)) == BEGINNING
    except OSError:
        return False


def check_public_key(public_key: str) -> None:
    """Raise BadInput unless `age` can encrypt to this key, Unavailable if the program is missing."""
    if public_key.upper().startswith("AGE-SECRET-KEY-"):
        raise BadInput(
            "This is a secret key, which does not belong on this machine.",
            where=Where(field="--to-key"),
            remedy="Give the public key, age1…: age-keygen -y IDENTITY_FILE",
        )
    failure = _run_age(["-r", public_key, "-o", os.devnull, os.devnull])
    if failure is not None:
        raise BadInput(
            f"age cannot encrypt to the key {public_key!r}.",
            where=Where(field="--to-key"),
            remedy="Give a public key, age1…; age-keygen makes one.",
        )


def encrypt_file(source: Path, to: Path, *, public_key: str) -> None:
    """Encrypt a file; raise OSError if the disk is full, Unavailable if `age` fails otherwise."""
    failure = _run_age(["-r", public_key, "-o", str(to), str(source)])
    if failure is None:
        return
    _raise_full_disk(failure, to)
    raise Unavailable(f"age failed, and no backup was made: {failure}.", remedy="Fix that, then try again.")


@contextmanager
def open_plain(file: Path, *, identity: Path | None, near: Path | None) -> Iterator[Path]:
    """Yield the path of the backup without encryption: the file itself, or a copy that is deleted afterwards.

    `identity` is the file of the secret key; the copy is made in a private folder in `near`, by default in that of
    temporary files. Raises BadInput if the backup is encrypted and the identity is missing or another one.
    """
    if not is_encrypted(file):
        yield file
        return
    if identity is None:
        remedy = "Add --identity FILE, the file of the secret key that age-keygen wrote."
        raise BadInput("The backup is encrypted.", where=Where(file=file), remedy=remedy)
    if not identity.is_file():
        raise BadInput("There is no such file.", where=Where(file=identity), remedy="Name the file of the secret key.")
    with make_private_folder(near) as folder:
        plain = folder / "backup"
        failure = _run_age(["-d", "-i", str(identity), "-o", str(plain), str(file)])
        if failure is not None:
            _raise_full_disk(failure, plain)
            problem = f"This identity does not open {file}: {failure}."
            raise BadInput(problem, where=Where(file=identity), remedy="Name the file of the right secret key.")
        yield plain


@contextmanager
def make_private_folder(near: Path | None) -> Iterator[Path]:
    """Make a folder that only its owner can read and delete it afterwards; also delete those of killed processes."""
    parent = near or Path(tempfile.gettempdir())
    for left in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or deleted by another process just now
            if time.time() - left.stat().st_mtime > ABANDONED_SECONDS:
                shutil.rmtree(left)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as folder:
        yield Path(folder)


def _run_age(arguments: Sequence[str]) -> str | None:
    """Run `age`; return why it failed in its words, or None. Raises Unavailable if it is not installed."""
    program = shutil.which("age")
    if program is None:
        remedy = "Install age (Debian: apt-get install age)."
        raise Unavailable("The program age, which encrypts and opens backups, is not here.", remedy=remedy)
    ran = subprocess.run(  # noqa: S603  # a program found on PATH, with arguments of our own
        [program, *arguments], capture_output=True, text=True, errors="replace", check=False
    )
    if ran.returncode == 0:
        return None
    said = next((line for line in ran.stderr.splitlines() if "error:" in line), "it did not say why")
    return said.removeprefix("age: ").removeprefix("error: ").strip().rstrip(".")


def _raise_full_disk(failure: str, file: Path) -> None:
    if os.strerror(errno.ENOSPC).lower() in failure.lower():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))
