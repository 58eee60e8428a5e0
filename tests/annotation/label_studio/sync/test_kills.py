"""Pushes and pulls that are killed at any point: the next run does the rest, once."""

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
    from tests.annotation.label_studio.sync.conftest import Workspace

YES, NO = "так", "ні"
CHILD = """
import sys
from datetime import UTC, datetime
from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.label_studio.sync import annotation_import, task_upload
from annotation.store import database

what, url, studio, token, person, number = sys.argv[1:]

class Told(Client):
    def import_tasks(self, remote_id, tasks):
        print("sending", flush=True)
        made = super().import_tasks(remote_id, tasks)
        print("sent", flush=True)
        return made

task_upload.TASKS_PER_REQUEST = 100
task_upload.SETTLE_SECONDS = 3
before = annotation_import.import_task
def take(*given, **more):
    found = before(*given, **more)
    print("taken", flush=True)
    return found
annotation_import.import_task = take

now = lambda: datetime.now(UTC)
with database.open_database(url) as db, Told(studio, token) as client:
    print("begun", flush=True)
    if what == "push":
        order = sync.PushOrder(project="p", annotator=person, number=int(number))
        sync.push_batch(db, client, order, clock=now)
    else:
        sync.pull_batches(db, client, clock=now)
"""


def killed(workspace: Workspace, url: str, what: str, *, after: str, lines: int, delay: float) -> None:
    """Start a process and kill it so many seconds after it said something so many times; it must still be alive."""
    script, said = workspace.folder / "child.py", workspace.folder / "child.err"
    script.write_text(CHILD, "utf-8")
    given = [what, url, workspace.studio.url, workspace.studio.token, workspace.people["olha"], "150"]
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
        pytest.param("begun", 1, 0.4, marks=pytest.mark.slow),
        ("sending", 1, 0.15),
        pytest.param("sent", 1, 0.0, marks=pytest.mark.slow),
        pytest.param("sending", 2, 0.0, marks=pytest.mark.slow),
    ],
)
@pytest.mark.process
def test_a_push_that_was_killed_is_made_up_for(
    workspace: Workspace, url: str, after: str, lines: int, delay: float
) -> None:
    """While it assigns, before a request, in it, after it: every item is there once in the end."""
    workspace.campaign(items=150)
    workspace.person("olha")
    killed(workspace, url, "push", after=after, lines=lines, delay=delay)
    made = workspace.push("olha", 150)
    assert made.in_hand == 150
    assert len(workspace.tasks()) == 150
    assert workspace.push("olha", 150).sent == 0
    workspace.well()


@pytest.mark.process
@pytest.mark.slow
def test_pulls_that_were_killed_lose_and_double_nothing(workspace: Workspace, url: str) -> None:
    """Killed after the first answer, and again and again, until one comes through."""
    workspace.campaign(items=40)
    workspace.person("olha")
    workspace.push("olha", 40)
    tasks = workspace.tasks()
    with ThreadPoolExecutor(4) as people:
        made = list(people.map(lambda task: workspace.say("olha", task), tasks))
    for lines in (1, 7, 20):
        killed(workspace, url, "pull", after="taken", lines=lines, delay=0.0)
    for annotation in made[:5]:
        workspace.change(annotation, NO)
    workspace.delete(made[5])
    killed(workspace, url, "pull", after="taken", lines=5, delay=0.0)
    workspace.pull()
    items = workspace.items()
    final = {item: (response, excluded) for _, item, _, response, _, excluded in workspace.answers()}
    wanted = {items[task]: (YES, None) for task in tasks} | {items[task]: (NO, None) for task in tasks[:5]}
    assert final == wanted | {items[tasks[5]]: (YES, "deleted in Label Studio")}
    assert len(workspace.answers()) <= 45
    workspace.well()


def test_a_request_whose_answer_is_lost_is_looked_up(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server took the tasks, and the connection broke: they are found again, and not sent twice."""
    workspace.campaign(items=6)
    workspace.person("olha")
    send = workspace.client.import_tasks

    def broken(remote_id: int, tasks: list[dict[str, object]]) -> list[int]:
        send(remote_id, tasks)
        with workspace.client._translate_errors("the project"):
            raise httpx.ReadTimeout("slow")

    monkeypatch.setattr(workspace.client, "import_tasks", broken)
    with pytest.raises(Unavailable, match="took too long"):
        workspace.push("olha", 6)
    monkeypatch.undo()
    made = workspace.push("olha", 6)
    assert (made.recovered, made.sent, made.in_hand) == (6, 0, 6)
    workspace.well()


def test_a_project_that_was_made_and_never_written_down_is_found_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By our own mark in it: there is one project, not two."""
    workspace.campaign(items=2)
    code = workspace.person("olha")

    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batches, "update_batch", broken)
    with pytest.raises(KeyboardInterrupt):
        workspace.push("olha", 2)
    monkeypatch.undo()
    assert workspace.push("olha", 2).sent == 2
    with workspace.studio.api() as api:
        named = api.get("/api/projects", params={"title": workspace.people["olha"]}).json()["results"]
    mark = workspace.batch().mark
    assert [code in one["title"] for one in named if mark in (one["description"] or "")] == [True]
    workspace.well()


def test_an_answer_is_found_though_the_push_never_heard_of_its_task(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People begin at once; the pull knows the task by our number."""
    workspace.campaign(items=2)
    workspace.person("olha")
    monkeypatch.setattr(task_upload.TaskUpload, "_store_remote_ids", lambda *_: None)
    workspace.push("olha", 2)
    monkeypatch.undo()
    workspace.say("olha", workspace.tasks()[0])
    assert workspace.pull().answered == 1
    workspace.push("olha", 2)
    workspace.well()
