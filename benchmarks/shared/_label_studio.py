"""A Label Studio of one's own, from `make servers`, for the time that tests, benchmarks and pictures need it."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import socket
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from annotation.campaigns.project_file import ProjectFile
from annotation.label_studio import configs, local_server

PROGRAM = "HROMADA_LABEL_STUDIO"
HERE = Path(__file__).parents[1] / "build/label-studio/bin/label-studio"
OWNER, PASSWORD = "owner@example.org", "Secret-123"
TOKEN = "0123456789abcdef0123456789abcdef01234567"  # noqa: S105  # of a server that lives for one test run
SAMPLING = "Sequential sampling"

SETTINGS: Mapping[str, str] = {
    "LABEL_STUDIO_USERNAME": OWNER,
    "LABEL_STUDIO_PASSWORD": PASSWORD,
    "LABEL_STUDIO_USER_TOKEN": TOKEN,
    "SECRET_KEY": "for-the-time-of-a-test-run-0123456789abcdef0123456789",
}
"""What a server of a test is told beside what every server is (`local_server.SETTINGS`)."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """Somebody who can log in; `token` is for the interface of programs, `id` what annotations are completed by."""

    email: str
    password: str
    token: str
    id: int


@dataclass(frozen=True, kw_only=True)
class Studio:
    """A server at work."""

    url: str
    token: str = TOKEN
    folder: Path

    def api(self, token: str | None = None, *, timeout: float = 60) -> httpx.Client:
        """Speaks to its interface for programs, as the owner or as somebody else."""
        headers = {"Authorization": f"Token {token or self.token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=timeout)

    def sign_up(self, name: str) -> Account:
        """A new account, through the form behind an invitation, as people make theirs."""
        with self.api() as api:
            invitation = api.get("/api/invite").json()["token"]
        email, page = f"{name}@example.org", f"/user/signup/?token={invitation}"
        with httpx.Client(base_url=self.url, timeout=60) as visitor:
            visitor.get(page)
            form = {"email": email, "password": PASSWORD, "csrfmiddlewaretoken": visitor.cookies["csrftoken"]}
            answer = visitor.post(page, data=form, headers={"Referer": self.url})
            if answer.status_code != 302:
                raise RuntimeError(f"Label Studio did not take {email}: {answer.status_code}")
            token = visitor.get("/api/current-user/token").json()["token"]
            number = visitor.get("/api/current-user/whoami").json()["id"]
        return Account(email=email, password=PASSWORD, token=token, id=number)

    def project(
        self, definition: ProjectFile, tasks: Sequence[Mapping[str, Any]], *, second_pass: bool = False
    ) -> tuple[int, list[int]]:
        """A project of a definition and its tasks; its number there, and theirs."""
        instructions = configs.render_instructions(definition, second_pass=second_pass)
        words = {"title": definition.title, "expert_instruction": instructions}
        config = configs.render_label_config(definition, second_pass=second_pass)
        settings = {"label_config": config, "enable_empty_annotation": True, "sampling": SAMPLING}
        with self.api() as api:
            made = api.post("/api/projects", json=words | settings)
            if made.status_code != 201:
                raise RuntimeError(f"Label Studio did not take the project: {made.text[:500]}")
            number: int = made.json()["id"]
            taken = api.post(f"/api/projects/{number}/import?return_task_ids=true", json=list(tasks))
            if taken.status_code != 201:
                raise RuntimeError(f"Label Studio did not take the tasks: {taken.text[:500]}")
        return number, taken.json()["task_ids"]

    def stream(self, number: int) -> str:
        """Where a project's tasks come one after the other."""
        return f"{self.url}/projects/{number}/data?labeling=1"


def program() -> Path | None:
    """The server's program: the one that the variable names, else that of `make servers`; None without it."""
    named = os.environ.get(PROGRAM)
    path = Path(named) if named else HERE
    return path if path.is_file() else None


@contextmanager
def server(path: Path, folder: Path, *, database: Mapping[str, str] | None = None) -> Iterator[Studio]:
    """A server on a free port of this machine, its data in the folder.

    `database` are its variables for PostgreSQL. On SQLite the database that its migrations made is kept in the cache,
    so that the next start takes 5 seconds instead of 30. The server ends with the process that started it, also when
    that process is killed, if the machine has `setpriv`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept, file = cached(path), folder / "label_studio.sqlite3"
    if database is None and kept.exists():
        _copy(kept, file)
    chosen = {**SETTINGS, **(database or {"DJANGO_DB": "sqlite"})}
    bound = _bind_to_this_process(path, folder)
    with local_server.start_program(bound, folder, host="127.0.0.1", port=_free_port(), settings=chosen) as (url, _):
        if database is None and not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            _copy(file, made := kept.with_suffix(f".{os.getpid()}"))
            made.replace(kept)
        yield Studio(url=url, folder=folder)


def cached(path: Path) -> Path:
    """Where a migrated database is kept, by the server's version and our settings."""
    found = sorted(path.parents[1].glob("lib/python*/site-packages/label_studio-*.dist-info"))
    version = re.sub(r"^label_studio-|\.dist-info$", "", found[0].name) if found else "unknown"
    digest = hashlib.sha256(repr(sorted({**local_server.SETTINGS, **SETTINGS}.items())).encode()).hexdigest()[:8]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "hromada" / f"label-studio-{version}-{digest}.sqlite3"


def _bind_to_this_process(path: Path, folder: Path) -> Path:
    """A program that is the given one, and that the kernel ends when the thread that starts it is no more."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return path
    script = folder / "bound"
    words = shlex.join([setpriv, "--pdeathsig", "TERM", "--", str(path)])
    script.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
    script.chmod(0o755)
    return script


def _free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port: int = asking.getsockname()[1]
        return port


def _copy(source: Path, target: Path) -> None:
    """A copy of a database as it is now, also while a process has it open."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
