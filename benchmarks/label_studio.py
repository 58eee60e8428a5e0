"""How fast batches are filled and read: 10,000 tasks pushed, nothing new, 50 changes. Goals in seconds, real server."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, show
from _label_studio import Studio, program, server

from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.label_studio.sync.pull import MARGIN
from annotation.store import database, queries
from annotation.workflow.annotators import registration
from annotation.workflow.lifecycle import projects, transitions

ITEMS = int(os.environ.get("ITEMS", "10000"))
CHANGED = 50
TEXT = "Жили-були дід та баба, і була в них курочка ряба. " * 20
SAID = {"from_name": "answer", "to_name": "item:shown", "type": "choices", "value": {"choices": ["так"]}}


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def loaded(db: database.Database, folder: Path, *, items: int) -> None:
    """A running project of that many items, and a person linked to the server's owner."""
    rows = (json.dumps({"id": f"i{n}", "text": f"{n}. {TEXT}"}, ensure_ascii=False) for n in range(items))
    (folder / "items.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    whole = {
        "project": "batches",
        "title": "batches",
        "language": "uk",
        "instructions": "Читайте.",
        "question": {"type": "choice", "text": "Так?", "options": ["так", "ні"]},
        "items": {"file": "items.jsonl", "id": "id", "show": ["text"]},
        "overlap": 1,
    }
    file = folder / "batches.yaml"
    file.write_text(json.dumps(whole, ensure_ascii=False), "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, file, now=now())
        transitions.start_project(session, project=queries.get_project(session, "batches"), now=now())


def timed(step: Callable[[], Any]) -> tuple[float, Any]:
    """How long a step took, and what it gave."""
    begun = time.perf_counter()
    made = step()
    return time.perf_counter() - begun, made


def answer(studio: Studio, tasks: list[int]) -> None:
    """Answer tasks as the browser does."""

    def one(task: int) -> None:
        with studio.api() as api:
            api.post(f"/api/tasks/{task}/annotations/", json={"result": [SAID], "lead_time": 3.0}).raise_for_status()

    with ThreadPoolExecutor(4) as people:
        list(people.map(one, tasks))


def run(studio: Studio, folder: Path) -> list[Figure]:
    """Every step once, and the empty pull five times."""
    with (
        database.open_database(f"sqlite:///{folder / 'batches.db'}") as db,
        Client(studio.url, studio.token) as client,
    ):
        loaded(db, folder, items=ITEMS)
        with db.transaction() as session:
            person = registration.register_telegram_annotator(
                session, telegram_id=1, language="uk", key=b"k" * 32, now=now()
            )
            sync.link_account(session, server=client.server_id, user_id=client.get_own_account().id, annotator=person)
            order = sync.PushOrder(project="batches", annotator=person.pseudonym, number=ITEMS)
        pushing, pushed = timed(lambda: sync.push_batch(db, client, order, clock=now))
        if pushed.sent != ITEMS:
            raise SystemExit(f"Not everything was pushed: {pushed}")
        time.sleep(MARGIN.total_seconds())
        whole, _ = timed(lambda: sync.pull_batches(db, client, clock=now))
        empty = min(timed(lambda: sync.pull_batches(db, client, clock=now))[0] for _ in range(5))
        first = next(client.list_task_pages(pushed.remote_id, page=CHANGED))
        answer(studio, [task.id for task in first])
        some, (found,) = timed(lambda: sync.pull_batches(db, client, clock=now))
        if found.answered != CHANGED:
            raise SystemExit(f"Not every change was pulled: {found}")
    return [
        figure("push", pushing, goal=60),
        figure("first pull of all", whole),
        figure("pull of nothing new", empty, goal=0.5),
        figure(f"pull of {CHANGED} changes", some, goal=2),
    ]


def figure(name: str, seconds: float, *, goal: float | None = None) -> Figure:
    """A time with its goal."""
    return Figure(name, seconds, "s", None if goal is None else f"< {goal:g}", None if goal is None else seconds < goal)


def main() -> None:
    """Measure and show; without a server there is nothing to measure."""
    path = program()
    if path is None:
        print("Label Studio is not here: make servers")
        return
    with tempfile.TemporaryDirectory() as folder, server(path, Path(folder) / "server") as studio:
        figures = run(studio, Path(folder))
    show(f"Label Studio batches, {ITEMS:,} tasks", figures)


if __name__ == "__main__":
    main()
