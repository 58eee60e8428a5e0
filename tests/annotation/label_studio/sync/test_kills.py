"""Pushers and pullers that are killed, wherever they are: what comes after them makes up for it, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import httpx
import pytest

from annotation.errors import Unavailable
from annotation.label_studio.sync import batches, task_upload

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Office

YES, NO = "так", "ні"
CHILD = """
import sys
from datetime import UTC, datetime
from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.label_studio.sync import sending, taking
from annotation.store import database

what, url, studio, token, person, number = sys.argv[1:]

class Told(Client):
    def import_tasks(self, remote_id, tasks):
        print("sending", flush=True)
        made = super().import_tasks(remote_id, tasks)
        print("sent", flush=True)
        return made

sending.BATCH = 100
before = taking.take
def take(*given, **more):
    found = before(*given, **more)
    print("taken", flush=True)
    return found
taking.take = take

now = lambda: datetime.now(UTC)
with database.opened(url) as db, Told(studio, token) as client:
    print("begun", flush=True)
    if what == "push":
        order = sync.Order(project="p", person=person, number=int(number))
        sync.push(db, client, order, clock=now, settle=3)
    else:
        sync.pull(db, client, clock=now)
"""


def killed(office: Office, url: str, what: str, *, after: str, lines: int, delay: float) -> None:
    """Start a process and kill it so many seconds after it said something so many times; it must still be alive."""
    script, said = office.folder / "child.py", office.folder / "child.err"
    script.write_text(CHILD, "utf-8")
    given = [what, url, office.studio.url, office.studio.token, office.people["olha"], "150"]
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.environ["PATH"]}
    with (
        said.open("w") as errors,
        subprocess.Popen(
            [sys.executable, script, *given], stdout=subprocess.PIPE, stderr=errors, env=path, text=True
        ) as process,
    ):
        seen = 0
        for line in process.stdout or ():
            seen += line.strip() == after
            if seen == lines:
                break
        time.sleep(delay)
        alive = process.poll() is None
        process.send_signal(signal.SIGKILL)
    assert alive, said.read_text("utf-8")


@pytest.fixture
def backend() -> str:
    """The kills are the server's and the process's business: the file database is enough, and the hardest."""
    return "sqlite"


@pytest.mark.parametrize(
    ("after", "lines", "delay"),
    [
        ("begun", 1, 0.4),
        ("sending", 1, 0.0),
        ("sending", 1, 0.15),
        ("sending", 1, 0.4),
        ("sent", 1, 0.0),
        ("sending", 2, 0.0),
    ],
)
def test_a_push_that_was_killed_is_made_up_for(office: Office, url: str, after: str, lines: int, delay: float) -> None:
    """While it hands out, before a request, in it, after it: every item is there once in the end."""
    office.campaign(items=150)
    office.person("olha")
    killed(office, url, "push", after=after, lines=lines, delay=delay)
    made = office.push("olha", 150)
    assert made.in_hand == 150
    assert len(office.tasks()) == 150
    assert office.push("olha", 150).sent == 0
    office.well()


def test_pulls_that_were_killed_lose_and_double_nothing(office: Office, url: str) -> None:
    """Killed after the first answer, and again and again, until one comes through."""
    office.campaign(items=40)
    office.person("olha")
    office.push("olha", 40)
    tasks = office.tasks()
    with ThreadPoolExecutor(4) as people:
        made = list(people.map(lambda task: office.say("olha", task), tasks))
    for lines in (1, 7, 20):
        killed(office, url, "pull", after="taken", lines=lines, delay=0.0)
    for annotation in made[:5]:
        office.change(annotation, NO)
    office.delete(made[5])
    killed(office, url, "pull", after="taken", lines=5, delay=0.0)
    office.pull()
    items = office.items()
    final = {item: (response, excluded) for _, item, _, response, _, excluded in office.answers()}
    wanted = {items[task]: (YES, None) for task in tasks} | {items[task]: (NO, None) for task in tasks[:5]}
    assert final == wanted | {items[tasks[5]]: (YES, "deleted in Label Studio")}
    assert len(office.answers()) <= 45
    office.well()


def test_a_request_whose_answer_is_lost_is_looked_up(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server took the tasks, and the connection broke: they are found again, and not sent twice."""
    office.campaign(items=6)
    office.person("olha")
    send = office.client.import_tasks

    def broken(remote_id: int, tasks: list[dict[str, object]]) -> list[int]:
        send(remote_id, tasks)
        with office.client._translated("the project"):
            raise httpx.ReadTimeout("slow")

    monkeypatch.setattr(office.client, "import_tasks", broken)
    with pytest.raises(Unavailable, match="took too long"):
        office.push("olha", 6)
    monkeypatch.undo()
    made = office.push("olha", 6)
    assert (made.recovered, made.sent, made.in_hand) == (6, 0, 6)
    office.well()


def test_a_project_that_was_made_and_never_written_down_is_found_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By our own mark in it: there is one project, not two."""
    office.campaign(items=2)
    code = office.person("olha")

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batches, "remember", broken)
    with pytest.raises(KeyboardInterrupt):
        office.push("olha", 2)
    monkeypatch.undo()
    assert office.push("olha", 2).sent == 2
    with office.studio.api() as api:
        named = api.get("/api/projects", params={"title": office.desk().mark[:8]}).json()["results"]
    assert [code in one["title"] for one in named] == [True]
    office.well()


def test_an_answer_is_found_though_the_push_never_heard_of_its_task(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People begin at once; the pull knows the task by our number."""
    office.campaign(items=2)
    office.person("olha")
    monkeypatch.setattr(task_upload.Line, "_store", lambda *_: None)
    office.push("olha", 2)
    monkeypatch.undo()
    office.say("olha", office.tasks()[0])
    assert office.pull().answered == 1
    office.push("olha", 2)
    office.well()
