"""The watch: polls, is woken by calls that carry the secret, and outlives a server that is down."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from aiohttp.test_utils import TestClient, TestServer
from sqlmodel import Session

from annotation.errors import BadInput, HromadaError, SchemaMismatch
from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject
from annotation.label_studio.sync.watch import MAX_BODY_BYTES, SECRET_HEADER, create_webhook_app
from annotation.store import migrations
from annotation.store.database import Database
from annotation.store.models import Annotator, LabelStudioBatch, Project

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace
    from tests.conftest import LaterRelease


def _now() -> datetime:
    return datetime.now(UTC)


def _failed(failure: HromadaError) -> None:
    raise failure


def _hooks(workspace: Workspace, remote: int) -> int:
    with workspace.studio.api() as api:
        return len(api.get("/api/webhooks/", params={"project": remote}).json())


def _a_batch(session: Session, *, server: str) -> None:
    project = Project(
        name="p", title="p", language="uk", instructions="", instructions_sha256="", definition={},
        definition_sha256="", source="", created_at=_now(),
    )  # fmt: skip
    person = Annotator(pseudonym="a", created_at=_now())
    session.add_all([project, person])
    session.flush()
    batch = LabelStudioBatch(
        project_id=project.id or 0, annotator_id=person.id or 0, server=server, mark="m", remote_id=1, created_at=_now()
    )
    session.add(batch)


@pytest.fixture
def backend() -> str:
    """One database is enough here."""
    return "sqlite"


@pytest.mark.parametrize(
    ("headers", "status", "woken"),
    [
        ({SECRET_HEADER: "right"}, 204, True),
        ({SECRET_HEADER: "wrong"}, 403, False),
        ({SECRET_HEADER: "ключ"}, 403, False),
        ({}, 403, False),
    ],
)
async def test_only_a_call_with_the_secret_wakes(headers: dict[str, str], status: int, woken: bool) -> None:
    """What stands in the call is not read."""
    wake = asyncio.Event()
    async with TestClient(TestServer(create_webhook_app("right", wake))) as caller:
        answer = await caller.post("/", data=b"not JSON at all", headers=headers)
        assert (answer.status, wake.is_set()) == (status, woken)


async def test_a_long_call_is_refused() -> None:
    """Even a caller who knows the secret cannot fill the memory."""
    wake = asyncio.Event()
    async with TestClient(TestServer(create_webhook_app("right", wake))) as caller:
        answer = await caller.post("/", data=io.BytesIO(b"x" * (MAX_BODY_BYTES + 1)), headers={SECRET_HEADER: "right"})
        assert (answer.status, wake.is_set()) == (413, False)


async def test_an_answer_there_wakes_the_watch(workspace: Workspace) -> None:
    """The server calls, the watch pulls long before its time, and takes its webhook away when it ends."""
    workspace.campaign(items=2)
    workspace.person("olha")
    remote = workspace.push("olha", 2).remote_id
    stop, answered = asyncio.Event(), asyncio.Event()

    def told(found: Sequence[sync.PullResult]) -> None:
        if any(one.answered for one in found):
            answered.set()

    watch = asyncio.create_task(
        sync.watch_batches(
            workspace.db, workspace.client, clock=_now, stop=stop, on_results=told, on_failure=_failed, every=600,
            receiver=sync.WebhookListener(host="127.0.0.1", port=0),
        )
    )  # fmt: skip
    async with asyncio.timeout(60):
        while not await asyncio.to_thread(_hooks, workspace, remote):
            await asyncio.sleep(0.2)
        await asyncio.to_thread(workspace.say, "olha", workspace.tasks()[0])
        await answered.wait()
        stop.set()
        await watch
    assert _hooks(workspace, remote) == 0
    workspace.well()


async def test_a_server_that_is_down_is_told_of_and_tried_again(db: Database) -> None:
    """It goes on until it is stopped."""
    stop = asyncio.Event()
    failures: list[HromadaError] = []

    def failed(failure: HromadaError) -> None:
        failures.append(failure)
        if len(failures) == 3:
            stop.set()

    with Client("http://127.0.0.1:1", "0" * 40) as client:
        with db.transaction() as session:
            _a_batch(session, server=client.server_id)
        async with asyncio.timeout(30):
            await sync.watch_batches(
                db, client, clock=_now, stop=stop, on_results=lambda _: None, on_failure=failed, every=0.01
            )
    assert {str(one).partition(": ")[2][:31] for one in failures} == {"Label Studio does not answer. S"}


async def test_a_proxy_that_fails_for_a_while_does_not_end_the_watch(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong token at the start ends it; the same later is told, and it goes on."""
    workspace.campaign(items=1)
    workspace.person("olha")
    workspace.push("olha", 1)
    stop, times = asyncio.Event(), 0
    failures: list[HromadaError] = []
    problems: list[str | None] = []
    ask = workspace.client.get_project

    def project(remote_id: int) -> RemoteProject:
        nonlocal times
        times += 1
        if times == 2:
            raise BadInput("A web page answered.")
        return ask(remote_id)

    def told(results: Sequence[sync.PullResult]) -> None:
        problems.extend(result.problem for result in results)
        if times > 2:
            stop.set()

    monkeypatch.setattr(workspace.client, "get_project", project)
    async with asyncio.timeout(60):
        await sync.watch_batches(
            workspace.db,
            workspace.client,
            clock=_now,
            stop=stop,
            on_results=told,
            on_failure=failures.append,
            every=0.01,
        )
    assert failures == []
    assert [problem for problem in problems if problem] == ["A web page answered."]
    with Client(workspace.studio.url, "f" * 40) as stranger:
        stranger.server_id = workspace.client.server_id
        with pytest.raises(BadInput, match="does not know this token"):
            await sync.watch_batches(
                workspace.db,
                stranger,
                clock=_now,
                stop=asyncio.Event(),
                on_results=told,
                on_failure=failures.append,
                every=0.01,
            )


async def test_a_watch_whose_database_is_upgraded_ends(db: Database, later_release: LaterRelease) -> None:
    """Other failures are told, and it goes on; after this one nothing is pulled any more."""
    failures: list[HromadaError] = []

    def failed(failure: HromadaError) -> None:
        failures.append(failure)
        if len(failures) == 2:
            with later_release.installed():
                migrations.upgrade_schema(db.engine)

    with Client("http://127.0.0.1:1", "0" * 40) as client:
        with db.transaction() as session:
            _a_batch(session, server=client.server_id)
        async with asyncio.timeout(30):
            with pytest.raises(SchemaMismatch, match="of a newer hromada"):
                await sync.watch_batches(
                    db, client, clock=_now, stop=asyncio.Event(), on_results=lambda _: None, on_failure=failed,
                    every=0.01,
                )  # fmt: skip
    assert len(failures) == 2
