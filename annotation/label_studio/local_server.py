"""A Label Studio server on this machine: the program that `make servers` installs, told nothing but what it needs.

`docs/reference/label-studio.md` says why each of its settings is as it is.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from sqlmodel import Session

from annotation.errors import BadInput, Conflict, NotFound, Unavailable, Where
from annotation.label_studio import server_models
from annotation.label_studio.client import Client
from annotation.label_studio.sync import adoption, batches, queues, remote_projects
from annotation.label_studio.sync.pull import EVERYBODY
from annotation.label_studio.sync.remote_projects import map_accounts_to_pseudonyms
from annotation.store.database import Database
from annotation.store.models import Annotator, LabelStudioBatch, Project
from annotation.vocabulary import BatchWork

STATE_WELL = "well"


@dataclass(frozen=True, kw_only=True)
class ServerExamination:
    """The state of a server. `accounts` are (number, name there, pseudonym or None), `batches` (project, annotator,
    pass, number of the project there, number of tasks, state).
    """

    url: str
    version: str
    accounts: tuple[tuple[int, str, str | None], ...]
    batches: tuple[tuple[str, str, int | str, int | None, int, str], ...]

    @property
    def version_warning(self) -> str | None:
        """Why this release may not work; None where it does."""
        return server_models.explain_version(self.version)

    @property
    def well(self) -> bool:
        """Whether nothing has to be mended."""
        return all(state == STATE_WELL for *_, state in self.batches)

    def as_json(self) -> dict[str, Any]:
        """The state with the keys of `--json`, where batches stand under `desks`, their old name."""
        keys = ("project", "annotator", "pass", "remote_id", "tasks", "is")
        return {
            "url": self.url,
            "version": self.version,
            "version_warning": self.version_warning,
            "accounts": [dict(zip(("account", "name", "annotator"), row, strict=True)) for row in self.accounts],
            "desks": [dict(zip(keys, row, strict=True)) for row in self.batches],
        }


def examine_server(database: Database, client: Client) -> ServerExamination:
    """Examine a server; raises the errors of the client where it does not answer, or refuses the token."""
    client.get_own_account()
    remote_projects.adopt_server(database, client)
    with database.reading() as session:
        pseudonyms = map_accounts_to_pseudonyms(session, server=client.server_id)
        rows = [
            (batch, project, annotator, batches.count_tasks(session, batch), _count_unsent(session, batch))
            for batch, project, annotator in batches.list_batches(session, server=client.server_id)
        ]
        adopted = [
            (batch, project, adoption.count_items(session, batch))
            for batch, project in adoption.list_adopted(session, server=client.server_id)
        ]
    return ServerExamination(
        url=server_models.strip_credentials(client.url),
        version=client.get_version(),
        accounts=tuple(
            (account.id, account.name, pseudonyms.get(account.id))
            for account in sorted(client.list_accounts(), key=lambda account: account.id)
        ),
        batches=(
            *(_examine_batch(client, *row, linked=row[2].pseudonym in pseudonyms.values()) for row in rows),
            *(_examine_adopted(client, *row) for row in adopted),
        ),
    )


def _examine_adopted(
    client: Client, batch: LabelStudioBatch, project: Project, items: int
) -> tuple[str, str, int | str, int | None, int, str]:
    state = STATE_WELL
    try:
        remote = client.get_project(batch.remote_id or 0)
    except NotFound:
        state = "deleted there: what was pulled is kept"
    else:
        if batch.config_sha256 != batches.compute_config_digest(remote.label_config):
            state = "its questions were changed there: correct the project file, adopt again"
    return project.name, EVERYBODY, batch.work.value, batch.remote_id, items, state


def _count_unsent(session: Session, batch: LabelStudioBatch) -> int:
    """How many assigned items have no task there: those of deleted tasks, or of a push that was broken off."""
    return len(queues.list_unsent_items(session, batch.id or 0)) if batch.work is BatchWork.ANSWERS else 0


def _examine_batch(
    client: Client,
    batch: LabelStudioBatch,
    project: Project,
    annotator: Annotator,
    tasks: int,
    unsent: int,
    *,
    linked: bool,
) -> tuple[str, str, int | str, int | None, int, str]:
    state = STATE_WELL if linked else "no account is linked to this annotator"
    if annotator.is_gone:
        state = f"its annotator was {'detached' if annotator.detached else 'forgotten'}: pull erases it"
    elif batch.remote_id is None:
        state = "not pushed yet: push again"
    else:
        try:
            remote = client.get_project(batch.remote_id)
        except NotFound:
            state = "deleted there: push with --anew"
        else:
            if batch.config_sha256 != batches.compute_config_digest(remote.label_config):
                state = "its questions were changed there: push again"
            elif (remote.task_number or 0) < tasks:
                state = f"{tasks - (remote.task_number or 0)} of its tasks were deleted there"
            elif unsent:
                state = f"{unsent} of its items were deleted there, or never sent: push again"
    return (
        project.name,
        annotator.pseudonym,
        batches.describe_work(batch.work, second=batch.second),
        batch.remote_id,
        tasks,
        state,
    )


INSTALLED = Path("build/label-studio/bin/label-studio")
"""Where `make servers` installs the program, from the folder of the checkout."""
DATABASE = "label_studio.sqlite3"
ACCOUNT_FILE = "account.json"
LOG_FILE = "server.log"
TELL_SECONDS = 30
"""Seconds between two reports that a server is still starting; a first start usually takes as long, one of a slow
machine minutes.
"""
HEALTH_SECONDS, WATCH_SECONDS = 0.5, 1.0
"""Seconds between two questions whether the server is up, and between two looks whether it is still there."""
STOP_SECONDS = 20
BANNED_SUBNETS = (
    "0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24,192.0.2.0/24,192.88.99.0/24,"
    "192.168.0.0/16,198.18.0.0/15,198.51.100.0/24,203.0.113.0/24,224.0.0.0/4,240.0.0.0/4,::/128,::ffff:0:0/96,"
    "::ffff:0:0:0/96,64:ff9b::/96,64:ff9b:1::/48,100::/64,2001::/32,2001:20::/28,2001:db8::/32,2002::/16,fc00::/7,"
    "fe80::/10,ff00::/8"
)
"""The private and reserved addresses that the server refuses by itself, without those of this machine."""
SETTINGS: Mapping[str, str] = {
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
    "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
    "LABEL_STUDIO_SSRF_PROTECTION_ENABLED": "true",
    "LABEL_STUDIO_USE_DEFAULT_BANNED_SUBNETS": "false",  # they hold this machine, whose `watch` its webhooks wake
    "LABEL_STUDIO_USER_ADDITIONAL_BANNED_SUBNETS": BANNED_SUBNETS,
    "LABEL_STUDIO_SENTRY_DSN": "",
    "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
    "fflag_feat_all_leap_1081_reviewer_flow_updates": "false",  # else Update is grey while the cursor is in a text
    "https_proxy": "http://127.0.0.1:9",  # tips for its pages come from outside, and there is no other switch
    "no_proxy": "127.0.0.1,localhost",
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True, kw_only=True)
class StartReport:
    """A server that is still starting: the seconds until now, what `/health` says, and the last line of its log."""

    seconds: int
    health: str
    log_line: str


def wait_silently(report: StartReport) -> None:
    """Wait on, and say nothing."""


@dataclass(frozen=True, kw_only=True)
class OwnerAccount:
    """The first account of a server, which may open everything; `token` is for programs."""

    email: str
    password: str
    token: str


@dataclass(frozen=True, kw_only=True)
class LocalServer:
    """A server at work; `is_new` says that its account was made at this start."""

    url: str
    account: OwnerAccount
    is_new: bool
    process: subprocess.Popen[bytes]
    log: Path

    def wait(self, ended: threading.Event) -> None:
        """Wait until the event is set; raises Unavailable where the program ends before."""
        while not ended.wait(WATCH_SECONDS):
            if self.process.poll() is not None and not ended.is_set():
                raise _explain_end("Label Studio has ended by itself.", self.process, self.log)

    def get_invitation(self) -> str:
        """The address where whoever opens it makes an account; raises Unavailable where the server does not say it."""
        headers = {"Authorization": f"Token {self.account.token}"}
        try:
            answer = httpx.get(f"{self.url}/api/invite", headers=headers, timeout=60).raise_for_status()
            return f"{self.url}/user/signup/?token={answer.json()['token']}"
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            raise Unavailable(
                "Label Studio does not say how to invite people.", remedy="See Organization → Invite Members there."
            ) from None


def find_program(named: Path | None = None) -> Path:
    """The server's program: the named one, else that of `make servers`; raises NotFound where there is none."""
    beside = Path(sys.prefix).parent  # the checkout, where hromada runs from its .venv
    candidates = [named] if named is not None else [INSTALLED, beside / INSTALLED]
    executable = next((path for path in candidates if path.is_file()), None)
    if executable is None:
        raise NotFound(
            f"There is no Label Studio at {candidates[0]}.",
            remedy="Install it in the checkout of hromada: `make servers`; or start it with Docker, as "
            "docker/compose.yaml says: `docker compose --profile label-studio up`.",
        )
    return executable.absolute()


@contextmanager
def run_server(
    program: Path,
    folder: Path,
    *,
    host: str,
    port: int,
    email: str,
    on_wait: Callable[[StartReport], None] = wait_silently,
) -> Iterator[LocalServer]:
    """A server with its data in the folder, until the block ends; at the first start its account is made.

    Raises BadInput where the folder holds a server whose account is not known, Conflict where something listens at the
    address already, and Unavailable if the server ends while it starts. `on_wait` is called while it starts.
    """
    _refuse_taken_address(host, port)
    account, is_new = _ensure_account(folder, email=email)
    settings = {
        "LABEL_STUDIO_USERNAME": account.email,
        "LABEL_STUDIO_PASSWORD": account.password,
        "LABEL_STUDIO_USER_TOKEN": account.token,
        "DJANGO_DB": "sqlite",
    }
    with start_program(program, folder, host=host, port=port, settings=settings, on_wait=on_wait) as (url, process):
        yield LocalServer(url=url, account=account, is_new=is_new, process=process, log=folder / LOG_FILE)


@contextmanager
def start_program(
    program: Path,
    folder: Path,
    *,
    host: str,
    port: int,
    settings: Mapping[str, str],
    on_wait: Callable[[StartReport], None] = wait_silently,
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run the program until the block ends; yields its address and process. Raises Unavailable if it does not come up.

    However long it takes, the process is waited for while it is there; `on_wait` is called every TELL_SECONDS, and can
    end the wait by an exception. `settings` are added to what every server is told; any other variable of this machine
    might be one of its settings, and is kept from it.
    """
    folder = folder.absolute()
    placed = {"PATH": os.environ["PATH"], "HOME": str(folder), "LABEL_STUDIO_BASE_DATA_DIR": str(folder)}
    log = folder / LOG_FILE
    # --debug lets it fail where the port is taken, instead of taking the next one
    command = [str(program), "start", "--no-browser", "--debug", "--internal-host", host, "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603
            command,
            env={**SETTINGS, **placed, **settings},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C reaches hromada only, which ends it
        )
        try:
            url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104
            _wait_until_up(process, url, log, on_wait)
            yield url, process
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _refuse_taken_address(host: str, port: int) -> None:
    """Raise Conflict where nothing new can listen at the address."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind((host, port))
    except OSError as failure:
        try:
            is_studio = httpx.get(f"http://{host}:{port}/health", timeout=2).json() == {"status": "UP"}
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            is_studio = False
        another = f"--listen 127.0.0.1:{port + 1}"
        if is_studio:
            raise Conflict(
                f"A Label Studio is at work at {host}:{port} already.",
                where=Where(field="--listen"),
                remedy="Use it: its address and token are in .env where it was started. Another one needs a port and "
                f"a folder of its own: `{another} --data FOLDER`.",
            ) from None
        raise Conflict(
            f"Nothing can listen at {host}:{port}: {failure.strerror}.",
            where=Where(field="--listen"),
            remedy=f"End what listens there, or choose another port: `{another}`.",
        ) from None


def _ensure_account(folder: Path, *, email: str) -> tuple[OwnerAccount, bool]:
    """The account that is stored in the folder, else a new one; and whether it is new."""
    file = folder / ACCOUNT_FILE
    try:
        return OwnerAccount(**json.loads(file.read_text("utf-8"))), False
    except FileNotFoundError:
        pass
    except (OSError, ValueError, TypeError):
        raise BadInput("The account cannot be read.", where=Where(file=file), remedy="Name another folder.") from None
    if (folder / DATABASE).exists():
        raise BadInput(
            f"The folder holds a server that was made otherwise: it has no {ACCOUNT_FILE}.",
            where=Where(file=folder),
            remedy="Name another folder by --data, or start that server yourself (docs/reference/label-studio.md in"
            " hromada’s repository).",
        )
    account = OwnerAccount(email=email, password=secrets.token_urlsafe(12), token=secrets.token_hex(20))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.touch(mode=0o600)
    file.write_text(json.dumps(vars(account), indent=1) + "\n", "utf-8")
    return account, True


def _wait_until_up(
    process: subprocess.Popen[bytes], url: str, log: Path, on_wait: Callable[[StartReport], None]
) -> None:
    """Wait until the server says that it is well, by asking it twice a second, as long as its process is there.

    Another answer than 200 (it is making its database) is waited out like none.
    """
    start, told = time.monotonic(), 0
    while True:
        health = "does not answer yet"
        with suppress(httpx.HTTPError):
            status = httpx.get(f"{url}/health", timeout=2).status_code
            if status == 200:
                return
            health = f"answers {status}"
        with suppress(subprocess.TimeoutExpired):
            process.wait(HEALTH_SECONDS)
            raise _explain_end("Label Studio ended while it was starting.", process, log)
        seconds = int(time.monotonic() - start)
        if seconds // TELL_SECONDS > told:
            told = seconds // TELL_SECONDS
            on_wait(StartReport(seconds=seconds, health=health, log_line=_read_last_line(log)))


def _read_last_line(log: Path) -> str:
    """The last line of the log, cut after 200 characters; "nothing" for an empty log."""
    lines = log.read_text("utf-8", "replace").strip().splitlines() or ["nothing"]
    return lines[-1].strip()[:200]


def _explain_end(problem: str, process: subprocess.Popen[bytes], log: Path) -> Unavailable:
    """The error for a server that ended, with the last line of its log and what to do."""
    code = process.poll()
    ended = "" if code is None else f" (exit code {code})" if code >= 0 else f" (signal {-code})"
    again = "Start again: `hromada label-studio up`; its data are kept."
    return Unavailable(
        f"{problem.removesuffix('.')}{ended}.",
        where=Where(file=log),
        remedy=f"{again} Its log ends: {_read_last_line(log)}",
    )
