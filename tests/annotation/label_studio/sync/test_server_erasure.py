"""What Label Studio holds of a forgotten annotator goes too, also when the server cannot be reached at that moment."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.errors import BadInput, Unavailable
from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.store import parked
from annotation.store.models import Annotator, Assignment, Judgement, LabelStudioAccount, LabelStudioBatch, Project
from annotation.workflow.annotators import detachment, erasure
from annotation.workflow.lifecycle import transitions

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def forget(workspace: Workspace, name: str) -> None:
    """Erase an annotator, as the bot does, without the server."""
    with workspace.db.transaction() as session:
        found = session.exec(select(Annotator).where(Annotator.pseudonym == workspace.people[name])).one()
        erasure.erase_annotator(session, annotator_id=found.id or 0, now=now())


def count_pending(workspace: Workspace) -> int:
    """What is still to be erased there."""
    with workspace.db.reading() as session:
        return parked.count_copies(session)


def list_answers(workspace: Workspace, name: str) -> list[str]:
    """What an annotator answered, as it is stored."""
    with workspace.db.reading() as session:
        answers = select(Judgement.response).join(Assignment).join(Annotator)
        return sorted(session.exec(answers.where(Annotator.pseudonym == workspace.people[name])).all())


def test_projects_and_answers_there_are_erased(workspace: Workspace) -> None:
    """The batch with its title, and an answer in another's batch; what others answered stays, here and there."""
    workspace.campaign(overlap=3)
    for name in ("olha", "taras"):
        workspace.person(name)
        workspace.push(name, 2)
    own, others = workspace.tasks(0), workspace.tasks(1)
    workspace.say("olha", own[0])
    workspace.say("taras", own[1])
    borrowed = workspace.say("olha", others[0])
    kept = workspace.say("taras", others[1])
    workspace.pull()
    project = workspace.batch(0).remote_id
    before = list_answers(workspace, "taras")
    forget(workspace, "olha")
    assert count_pending(workspace) == 2
    with Client("http://127.0.0.1:1", workspace.studio.token) as away, pytest.raises(Unavailable):
        sync.pull_batches(workspace.db, away, clock=now)
    assert count_pending(workspace) == 2
    sync.pull_batches(workspace.db, workspace.client, clock=now)
    assert sync.erase_copies(workspace.db, workspace.client) == 2
    assert count_pending(workspace) == 0
    assert sync.erase_copies(workspace.db, workspace.client) == 0
    with workspace.studio.api() as api:
        assert api.get(f"/api/projects/{project}/").status_code == 404
        assert api.get(f"/api/annotations/{borrowed}/").status_code == 404
        assert api.get(f"/api/annotations/{kept}/").status_code == 200
    with workspace.db.reading() as session:
        assert len(session.exec(select(LabelStudioBatch)).all()) == 1
        accounts = session.exec(select(LabelStudioAccount.user_id).order_by(col(LabelStudioAccount.user_id))).all()
        assert accounts == [workspace.accounts["taras"].id]
    assert list_answers(workspace, "taras") == before != []
    (pulled,) = sync.pull_batches(workspace.db, workspace.client, clock=now, everything=True)
    assert (pulled.problem, pulled.set_aside) == (None, ())


def test_of_detached_people_nothing_is_left_there_and_the_answers_stay_here(workspace: Workspace) -> None:
    """Project and account go; a later pull takes nothing back."""
    workspace.campaign()
    workspace.person("olha")
    workspace.push("olha", 1)
    workspace.say("olha", workspace.tasks(0)[0])
    workspace.pull()
    with workspace.db.transaction() as session:
        project = session.exec(select(Project)).one()
        transitions.close_project(session, project=project, now=now())
        assert len(detachment.detach_people(session, project, now=now()).annotator_ids) == 1
    assert count_pending(workspace) == 2
    sync.erase_copies(workspace.db, workspace.client)
    assert count_pending(workspace) == 0
    sync.pull_batches(workspace.db, workspace.client, clock=now, everything=True)
    with workspace.db.reading() as session:
        assert len(session.exec(select(Judgement.response).where(col(Judgement.excluded_kind).is_(None))).all()) == 1
        assert session.exec(select(LabelStudioAccount)).all() == []


def test_a_project_whose_number_was_not_stored_is_found(workspace: Workspace) -> None:
    """A push was killed after it made the project: its mark is in the title."""
    workspace.campaign()
    workspace.person("olha")
    workspace.push("olha", 1)
    project = workspace.batch().remote_id
    with workspace.db.transaction() as session:
        session.exec(select(LabelStudioBatch)).one().remote_id = None
    forget(workspace, "olha")
    assert sync.erase_copies(workspace.db, workspace.client) == 1
    with workspace.studio.api() as api:
        assert api.get(f"/api/projects/{project}/").status_code == 404


def test_a_copy_that_may_not_be_erased_stops_no_other(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused: told of once, also by the watch, which goes on; the copies of the others are erased, and a late answer
    of somebody who is forgotten is not stored.
    """
    workspace.campaign()
    for name in ("olha", "taras"):
        workspace.person(name)
        workspace.push(name, 2)
    closed, project = (workspace.batch(number).remote_id for number in (0, 1))
    workspace.say("olha", workspace.tasks(0)[0])
    for name in ("olha", "taras"):
        forget(workspace, name)
    delete = workspace.client.delete_project

    def refuse(remote_id: int) -> None:
        if remote_id == closed:
            raise BadInput(f"This token has no access to the project {remote_id}.")
        delete(remote_id)

    monkeypatch.setattr(workspace.client, "delete_project", refuse)
    pulls: list[int] = []
    failures: list[str] = []

    async def watch() -> None:
        stop = asyncio.Event()

        def take(results: Sequence[sync.PullResult]) -> None:
            pulls.append(len(results))
            if len(pulls) == 3:
                stop.set()

        await sync.watch_batches(
            workspace.db, workspace.client, clock=now, stop=stop, on_results=take, every=0.01,
            on_failure=lambda failure: failures.append(str(failure)),
        )  # fmt: skip

    asyncio.run(watch())
    assert pulls == [2, 1, 1]
    assert failures == [f"This token has no access to the project {closed}."]
    with workspace.db.reading() as session:
        assert session.exec(select(Judgement)).all() == []
    with workspace.studio.api() as api:
        assert [api.get(f"/api/projects/{number}/").status_code for number in (closed, project)] == [200, 404]
