"""What is wrong in Label Studio with one batch, one annotation or one answer stays with it."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from annotation.errors import BadInput, Unavailable
from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.label_studio.sync import remote_projects

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.annotation.label_studio.sync.conftest import Workspace


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def change_answers(client: Client, change: Callable[[httpx.Request, httpx.Response], httpx.Response]) -> None:
    """Have the answers of the server changed on their way to a client."""
    pool = client._http._transport
    send = pool.handle_request

    def handle(request: httpx.Request) -> httpx.Response:
        response = send(request)
        response.read()
        return change(request, response)

    pool.handle_request = handle  # type: ignore[method-assign]


def test_one_batch_that_may_not_be_read_stops_no_other(workspace: Workspace) -> None:
    """Refused with 403: told of with its reason, in `watch` too, while the other batch is read."""
    workspace.campaign()
    for name in ("olha", "taras"):
        workspace.person(name)
        workspace.push(name, 2)
    workspace.say("taras", workspace.tasks(1)[0])
    closed = f"/api/projects/{workspace.batch(0).remote_id}"

    def refuse(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if request.url.path.rstrip("/") == closed:
            return httpx.Response(403, json={"detail": "no"}, request=request)
        return response

    change_answers(workspace.client, refuse)
    seen: list[Any] = []

    async def watch() -> None:
        stop = asyncio.Event()

        def take(results: Any) -> None:
            seen.extend(results)
            stop.set()

        await sync.watch_batches(
            workspace.db, workspace.client, clock=now, stop=stop, on_results=take, on_failure=seen.append
        )

    asyncio.run(watch())
    assert [(one.answered, one.problem is None) for one in seen] == [(0, False), (1, True)]
    assert "has no access to the project" in seen[0].problem


def test_a_token_that_is_not_known_is_still_the_whole_pulls_end(workspace: Workspace) -> None:
    """What is wrong with all batches is one error."""
    workspace.campaign()
    workspace.person("olha")
    workspace.push("olha", 1)
    with Client(workspace.client.url, "0" * 40) as client, pytest.raises(BadInput, match="does not know this token"):
        sync.pull_batches(workspace.db, client, clock=now)


def choose(value: object) -> list[dict[str, Any]]:
    """The result of an annotation with this in place of its chosen labels."""
    return [{"from_name": "answer", "to_name": "item:shown", "type": "choices", "value": {"choices": value}}]


IMPOSSIBLE: list[tuple[Any, str]] = [
    (choose(5), "no control writes"),
    (choose(["\ud800"]), "cannot be stored"),
    (choose(["a\0b"]), "cannot be stored"),
    ([5], "an unknown form"),
    ({"choices": 5}, "an unknown form"),
]


@pytest.mark.parametrize(("result", "says"), IMPOSSIBLE, ids=["number", "half", "nul", "no region", "no list"])
def test_one_impossible_annotation_is_set_aside(workspace: Workspace, result: Any, says: str) -> None:
    """With its reason, at every pull until it is corrected; the others of the same page are stored."""
    workspace.campaign()
    workspace.person("olha")
    workspace.push("olha", 3)
    first, second, _ = workspace.tasks()
    bad = workspace.say("olha", first)
    workspace.say("olha", second)

    def spoil(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if request.url.path.rstrip("/") != "/api/tasks" or b'"annotations"' not in response.content:
            return response
        content = response.json()
        for task in content["tasks"]:
            for annotation in task["annotations"]:
                if annotation["id"] == bad and spoiled:
                    annotation["result"] = result
        return httpx.Response(200, content=json.dumps(content).encode(), headers=KIND, request=request)

    spoiled = True
    change_answers(workspace.client, spoil)
    pulled = workspace.pull()
    assert (pulled.answered, pulled.problem) == (1, None)
    assert [number for _, number in pulled.set_aside] == [1]
    assert says in pulled.set_aside[0][0]
    assert pulled.set_aside_items == {pulled.set_aside[0][0]: (workspace.items()[first],)}
    assert workspace.pull(everything=True).set_aside == pulled.set_aside
    spoiled = False
    pulled = workspace.pull(everything=True)
    assert (pulled.answered, pulled.set_aside) == (1, ())


KIND = {"content-type": "application/json"}
UNREADABLE = [
    b"<html>", b"{}", b'{"task_ids": 5}', b'{"task_ids": [1, "x"]}', b'{"task_ids": []}', b"[]", b'{"task_ids": [1',
]  # fmt: skip


@pytest.mark.parametrize("body", UNREADABLE)
def test_a_success_that_cannot_be_read_is_looked_up(workspace: Workspace, body: bytes) -> None:
    """The tasks were taken, the answer does not say so: none is sent twice."""
    workspace.campaign()
    workspace.person("olha")
    garbled = True

    def garble(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if garbled and request.url.path.endswith("/import"):
            return httpx.Response(201, content=body, headers=KIND, request=request)
        return response

    change_answers(workspace.client, garble)
    with pytest.raises(Unavailable, match="does not say which"):
        workspace.push("olha", 5)
    assert len(workspace.tasks()) == 5
    garbled = False
    pushed = workspace.push("olha", 5)
    assert (pushed.sent, pushed.recovered, pushed.in_hand) == (0, 5, 5)
    assert len(workspace.tasks()) == 5


def test_another_address_of_the_same_server_keeps_its_batches(workspace: Workspace) -> None:
    """Batches and accounts are found again by their marks; nothing is pushed twice, and answers come."""
    workspace.campaign()
    workspace.person("olha")
    workspace.push("olha", 3)
    before = workspace.batch()
    workspace.say("olha", workspace.tasks()[0])
    alias = workspace.client.url.replace("127.0.0.1", "localhost")
    assert alias != workspace.client.url
    with Client(alias, workspace.studio.token) as client:
        assert client.server_id != workspace.client.server_id
        (pulled,) = sync.pull_batches(workspace.db, client, clock=now)
        assert (pulled.answered, pulled.remote_id) == (1, before.remote_id)
        order = sync.PushOrder(project="p", annotator=workspace.people["olha"], number=2)
        pushed = sync.push_batch(workspace.db, client, order, clock=now)
        assert (pushed.remote_id, pushed.sent, pushed.linked) == (before.remote_id, 0, True)
        assert workspace.batch().server == client.server_id
    assert workspace.pull().remote_id == before.remote_id  # and back


def test_another_server_adopts_nothing(workspace: Workspace) -> None:
    """A project of the same number without our mark, or none, is another server's."""
    workspace.campaign()
    workspace.person("olha")
    workspace.push("olha", 1)

    def answer_otherwise(request: httpx.Request, response: httpx.Response) -> httpx.Response:
        if not request.url.path.startswith("/api/projects/"):
            return response
        (status,) = answers
        content = response.json() | {"description": "another one"} if status == 200 else {"detail": "no"}
        return httpx.Response(status, json=content, request=request)

    answers: list[int] = []
    with Client(workspace.client.url.replace("127.0.0.1", "localhost"), workspace.studio.token) as client:
        change_answers(client, answer_otherwise)
        for status in (200, 403, 404):
            answers[:] = [status]
            remote_projects.adopt_server(workspace.db, client)
            assert workspace.batch().server == workspace.client.server_id
