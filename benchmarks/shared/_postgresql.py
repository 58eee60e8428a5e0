"""A temporary PostgreSQL server from Debian's programs, for tests and benchmarks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import _guardian
from _scratch import DISK, choose_scratch_folder

START_SECONDS = 60
DEBIAN = Path("/usr/lib/postgresql")
SORTED_BY_LANGUAGE = ("--locale-provider=icu", "--icu-locale=uk", "--locale=C.UTF-8")
ON_A_SOCKET = "-c listen_addresses= -c max_connections=200"
QUICK = "-c fsync=off -c full_page_writes=off"


def binaries() -> Path | None:
    """The folder of the newest version's programs; None where Debian's postgresql is not installed."""
    return max(DEBIAN.glob("*/bin"), key=lambda path: int(path.parent.name), default=None)


@contextmanager
def server(programs: Path, *, options: str = QUICK) -> Iterator[str]:
    """Run a server as an ordinary user, reachable by a socket only, and yield its address; delete its data at the end.

    It ends with the process that started it, whatever ends that. A quick one lives in memory where it can. It sorts
    texts by language, not by code point as SQLite does, so that a dependence on the order is found.
    """
    user: list[str | Path] = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    place = choose_scratch_folder() if options == QUICK else DISK
    folder = Path(tempfile.mkdtemp(prefix="hromada-pg-", dir=place))
    if user:
        shutil.chown(folder, "postgres")
    make = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync", *SORTED_BY_LANGUAGE]
    command = [*user, programs / "initdb", "-D", folder / "data", *make]
    subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL)
    words = [*user, programs / "postgres", "-D", folder / "data", "-k", folder, *f"{ON_A_SOCKET} {options}".split()]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, _guardian.__file__, folder, *words], stdin=subprocess.PIPE, stdout=log, stderr=log, cwd="/"
        ) as guardian,
    ):
        _wait_until_up(programs, folder, guardian)
        yield f"postgresql://postgres@/postgres?host={folder}"


def _wait_until_up(programs: Path, folder: Path, guardian: subprocess.Popen[bytes]) -> None:
    """Return when the server answers; raise RuntimeError with its log when it ends or takes too long."""
    until = time.monotonic() + START_SECONDS
    asked: list[str | Path] = [programs / "pg_isready", "-q", "-h", folder]
    while subprocess.run(asked, check=False).returncode != 0:
        if guardian.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"PostgreSQL did not start: {(folder / 'log').read_text('utf-8')}")
        time.sleep(0.05)
