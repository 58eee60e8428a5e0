"""A temporary PostgreSQL server from Debian's programs, for tests and benchmarks."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEBIAN = Path("/usr/lib/postgresql")
SORTED_BY_LANGUAGE = ("--locale-provider=icu", "--icu-locale=uk", "--locale=C.UTF-8")
ON_A_SOCKET = "-c listen_addresses='' -c max_connections=100"
QUICK = "-c fsync=off -c full_page_writes=off"


def binaries() -> Path | None:
    """The folder of the newest version's programs; None where Debian's postgresql is not installed."""
    return max(DEBIAN.glob("*/bin"), key=lambda path: int(path.parent.name), default=None)


@contextmanager
def server(programs: Path, *, options: str = QUICK) -> Iterator[str]:
    """Run a server as an ordinary user, reachable by a socket only, and yield its address; delete its data at the end.

    It sorts texts by language, not by code point as SQLite does, so that a dependence on the order is found.
    """
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="hromada-pg-", dir="/tmp"))  # a socket's path must be short
    if user:
        shutil.chown(folder, "postgres")

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [*user, programs / program, "-D", folder / "data", *arguments],
            check=True,
            cwd="/",
            stdout=subprocess.DEVNULL,
        )

    try:
        run("initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync", *SORTED_BY_LANGUAGE)
        run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", f"-k {folder} {ON_A_SOCKET} {options}", "start")
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
