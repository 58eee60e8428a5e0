"""What the trials in this folder share: podman as build.sh has set it up, and people at the local Telegram."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build/images"
NAMES = Path("/run/containers/networks/aardvark-dns")
"""A file for each network with the names of its containers, and the number of the process that reads them."""
ENVIRONMENT = {
    "CONTAINERS_CONF": str(WORK / "containers.conf"),
    "CONTAINERS_STORAGE_CONF": str(WORK / "storage.conf"),
    "DISABLE_HC_SYSTEMD": "true",  # podman leaves the times of health checks to systemd; the trials call them
}
TOKEN = "7000000001:of-a-try"  # noqa: S105  # opens nothing but the local Telegram
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 3
"""
ITEMS = 3000
ASK = """\
import sys, urllib.error as e, urllib.request as r
try: print(r.urlopen(r.Request('http://127.0.0.1:8090' + sys.argv[2], method=sys.argv[1]), timeout=500).read().decode())
except e.HTTPError as refused: print(refused.read().decode())
"""


class TrialFailed(Exception):
    """What was expected did not come."""


def run(*words: str, check: bool = True, folder: Path = WORK, **variables: str) -> str:
    """Run a program. Its output comes back, without `check` with its errors and exit code; with it a failure raises."""
    env = {**os.environ, **ENVIRONMENT, **variables}
    ran = subprocess.run(words, capture_output=True, text=True, env=env, cwd=folder, check=False)  # noqa: S603
    told = f"{ran.stdout}{ran.stderr}"
    if check and ran.returncode:
        raise TrialFailed(f"{' '.join(words)} ended with {ran.returncode}:\n{told[-4000:]}")
    return ran.stdout if check else f"{told}\nexit code {ran.returncode}"


def execute(container: str, *words: str, check: bool = True) -> str:
    """Run a program in a container that runs."""
    return run("podman", "exec", container, *words, check=check)


def wait(condition: Callable[[], object], what: str, *, seconds: float = 600) -> float:
    """Wait until it is true, and return the seconds that it took; raises TrialFailed with what did not come."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise TrialFailed(f"not within {seconds:.0f} seconds: {what}")
        time.sleep(0.5)
    return time.monotonic() - began


def forget_names(network: str) -> None:
    """Remove what a trial that was interrupted left at the name server: it would go on to listen on an old address."""
    for names in NAMES.glob(f"{network}*"):
        names.unlink()
    server = NAMES / "aardvark.pid"
    if server.exists() and list(NAMES.iterdir()) == [server]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(server.read_text()), signal.SIGTERM)
        server.unlink()


def ask_telegram(container: str, method: str, path: str, *, python: str = "python") -> dict[str, Any]:
    """Ask the local Telegram of a container, which local_telegram.py runs."""
    told: dict[str, Any] = json.loads(execute(container, python, "-c", ASK, method, path))
    if "difference" in told:
        raise TrialFailed(f"screens and database differ: {told['difference']}")
    return told


def wait_for_answers(container: str, number: int, *, python: str = "python") -> float:
    """Wait until so many more answers were shown as saved; the seconds that it took."""

    def count() -> int:
        marks: int = ask_telegram(container, "GET", "/marks", python=python)["marks"]
        return marks

    before = count()
    return wait(lambda: count() >= before + number, f"{number} more answers")


def write_project(folder: Path) -> None:
    """A project that eight people do not finish."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "project.yaml").write_text(PROJECT, "utf-8")
    rows = "".join(f"{number},слово {number}\n" for number in range(ITEMS))
    (folder / "items.csv").write_text(f"id,text\n{rows}", "utf-8")
