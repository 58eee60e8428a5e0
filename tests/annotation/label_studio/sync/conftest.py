"""Campaigns, people with accounts, and a way to answer in Label Studio as the browser does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _command import Hromada
from sqlmodel import Session, col, select

from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.label_studio.sync import task_upload
from annotation.store import invariants, queries
from annotation.store.database import Database
from annotation.store.models import Annotator, Assignment, Item, Judgement, LabelStudioBatch, LabelStudioTask
from annotation.workflow.annotators import registration
from annotation.workflow.lifecycle import projects, transitions

if TYPE_CHECKING:
    from _label_studio import Account, Studio

YES, NO = "так", "ні"


@pytest.fixture(autouse=True)
def settle_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait as long for requests that may still be at work as a server at the other end of the world needs."""
    monkeypatch.setattr(task_upload, "SETTLE_SECONDS", 3)


def clock() -> datetime:
    """The time: a server with a clock of its own is at the other end."""
    return datetime.now(UTC)


@dataclass
class Workspace:
    """A database, a server, and the people who work at both."""

    db: Database
    folder: Path
    studio: Studio
    client: Client
    accounts: Mapping[str, Account]
    people: dict[str, str] = field(default_factory=dict)
    """Pseudonyms by name."""

    def campaign(self, name: str = "p", *, items: int = 10, **keys: Any) -> str:
        """Load and start a project; `keys` go into its file."""
        rows = [{"id": f"{name}-{n}", "text": f"Речення {n}.", "gold": YES} for n in range(1, items + 1)]
        (self.folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        whole: dict[str, Any] = {
            "project": name,
            "title": name,
            "language": "uk",
            "instructions": "Читайте.",
            "question": {"type": "choice", "text": "Так?", "options": [YES, NO]},
            "items": {"file": f"{name}.jsonl", "id": "id", "show": ["text"], "gold": "gold"},
            "overlap": 2,
        }
        file = self.folder / f"{name}.yaml"
        file.write_text(json.dumps(whole | keys, ensure_ascii=False), "utf-8")
        with self.db.transaction() as session:
            projects.load_project_file(session, file, now=clock())
            transitions.start_project(session, project=queries.get_project(session, name), now=clock())
        return name

    def person(self, name: str, *, linked: bool = True) -> str:
        """Make an annotator, linked to the account of that name; the pseudonym."""
        with self.db.transaction() as session:
            made = registration.register_telegram_annotator(
                session, telegram_id=len(self.people) + 1, language="uk", key=b"k" * 32, now=clock()
            )
            self.people[name] = made.pseudonym
        if linked:
            self.link(name)
        return self.people[name]

    def link(self, name: str) -> None:
        """Say whose the account of that name is."""
        with self.db.transaction() as session:
            person = session.exec(select(Annotator).where(Annotator.pseudonym == self.people[name])).one()
            sync.link_account(session, server=self.client.server_id, user_id=self.accounts[name].id, annotator=person)

    def push(self, name: str, number: int = 5, *, project: str = "p", **more: Any) -> sync.PushResult:
        """Fill the batch of an annotator."""
        order = sync.PushOrder(project=project, annotator=self.people[name], number=number, **more)
        return sync.push_batch(self.db, self.client, order, clock=clock)

    def pull(self, **more: Any) -> sync.PullResult:
        """Pull all batches; the result of the first."""
        return sync.pull_batches(self.db, self.client, clock=clock, **more)[0]

    def batch(self, number: int = 0) -> LabelStudioBatch:
        """A batch as it is stored."""
        with self.db.reading() as session:
            return session.exec(select(LabelStudioBatch).order_by(col(LabelStudioBatch.id))).all()[number]

    def tasks(self, number: int = 0) -> list[int]:
        """The tasks of a batch, as the server has them."""
        remote = self.batch(number).remote_id
        assert remote is not None
        return [task.id for page in self.client.list_task_pages(remote) for task in page]

    def say(self, name: str, task: int, label: str = YES, *, seconds: float = 4.5) -> int:
        """Answer a task as the browser does; the annotation's id."""
        return self._post(name, task, {"result": said(label), "lead_time": seconds})

    def skip(self, name: str, task: int) -> int:
        """Skip a task as the browser does."""
        return self._post(name, task, {"result": [], "was_cancelled": True, "lead_time": 1.0})

    def change(self, annotation: int, label: str) -> None:
        """Update an annotation."""
        with self.studio.api() as api:
            answer = api.patch(f"/api/annotations/{annotation}/", json={"result": said(label)})
            assert answer.status_code == 200, answer.text

    def delete(self, annotation: int) -> None:
        """Delete an annotation."""
        with self.studio.api() as api:
            assert api.delete(f"/api/annotations/{annotation}/").status_code == 204

    def _post(self, name: str, task: int, body: dict[str, Any]) -> int:
        with self.studio.api(self.accounts[name].token) as api:
            answer = api.post(f"/api/tasks/{task}/annotations/", json=body)
            assert answer.status_code == 201, answer.text
            return int(answer.json()["id"])

    def draft(self, name: str, task: int, label: str = NO) -> None:
        """Begin an answer, and do not hand it in."""
        with self.studio.api(self.accounts[name].token) as api:
            answer = api.post(f"/api/tasks/{task}/drafts", json={"result": said(label), "lead_time": 1.0})
            assert answer.status_code == 201, answer.text

    def answers(self) -> list[tuple[str, str, int, str, str | None, str | None]]:
        """Person, item, revision, response, reason of a skip, of an exclusion; all that is stored, in a fixed order."""
        names = {code: name for name, code in self.people.items()}
        with self.db.reading() as session:
            rows = session.exec(
                select(Judgement, Assignment, Item, Annotator)
                .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
                .join(Item, col(Item.id) == col(Assignment.item_id))
                .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
            ).all()
        return sorted(
            (names[who.pseudonym], item.external_id, one.revision, one.response, one.skip_reason, one.excluded_reason)
            for one, _, item, who in rows
        )

    def items(self) -> dict[int, str]:
        """Items by the numbers of their tasks."""
        with self.db.reading() as session:
            return dict(_pairs(session))

    def well(self) -> None:
        """Every task is there once, known under its number, and nothing in the database is broken."""
        with self.db.reading() as session:
            assert invariants.list_violations(session) == ()
            rows = session.exec(
                select(LabelStudioTask, LabelStudioBatch).join(
                    LabelStudioBatch, col(LabelStudioBatch.id) == col(LabelStudioTask.batch_id)
                )
            ).all()
        for batch in {batch.id: batch for _, batch in rows}.values():
            assert batch.remote_id is not None
            there = [task for page in self.client.list_task_pages(batch.remote_id) for task in page]
            ours = {row.assignment_id: row.remote_id for row, other in rows if other.id == batch.id}
            assert len({task.data["hromada"] for task in there}) == len(there), "a task is there twice"
            assert all(ours[task.data["hromada"]] == task.id for task in there)


@dataclass(frozen=True)
class Command:
    """The command in a folder of its own, told of the server; a call that does not end as it should fails the test."""

    hromada: Hromada
    studio: Studio

    @property
    def folder(self) -> Path:
        """Where it runs."""
        return self.hromada.folder

    def __call__(self, *arguments: str, code: int = 0, **env: str) -> str:
        """Run it; what it printed, or complained of where it is to fail."""
        done = self.hromada(*arguments, env=env)
        assert done.code == code, (arguments, done.out, done.err)
        return done.out if code != 2 else done.err

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Its output as JSON."""
        return json.loads(self("label-studio", *arguments, "--json", code=code))


def _pairs(session: Session) -> Sequence[tuple[int, str]]:
    chosen = select(LabelStudioTask.remote_id, Item.external_id).join(
        Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id)
    )
    return [(task, item) for task, item in session.exec(chosen.join(Item)).all() if task is not None]


def said(label: str) -> list[dict[str, Any]]:
    """The result of an annotation that chooses a label."""
    value = {"choices": [label]}
    return [{"from_name": "answer", "to_name": "item:shown", "type": "choices", "value": value}]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def backend(request: pytest.FixtureRequest) -> str:
    """What a server and we say to each other is the same on both; what runs at once names BOTH_DATABASES."""
    found: str = request.param
    return found


@pytest.fixture(scope="session")
def accounts(label_studio: Studio) -> Mapping[str, Account]:
    """Three people's accounts."""
    return {name: label_studio.sign_up(name) for name in ("olha", "taras", "ivan")}


@pytest.fixture
def workspace(
    db: Database, tmp_path: Path, label_studio: Studio, accounts: Mapping[str, Account]
) -> Iterator[Workspace]:
    """A database without campaigns, and the server."""
    with Client(label_studio.url, label_studio.token) as client:
        yield Workspace(db, tmp_path, label_studio, client, accounts)


@pytest.fixture(scope="session")
def command(label_studio: Studio) -> Callable[[Path], Command]:
    """The command in a folder."""
    told = {"HROMADA_LABEL_STUDIO_URL": label_studio.url, "HROMADA_LABEL_STUDIO_TOKEN": label_studio.token}
    return lambda folder: Command(Hromada(folder, variables=told), label_studio)
