"""What can go wrong on the way: a sentence with a remedy, nothing lost, and the next time it goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from annotation.errors import BadInput, HromadaError, NotFound, Unavailable
from annotation.label_studio import sync
from annotation.label_studio.client import Client

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace

YES = "так"


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


PAGE = b"<!DOCTYPE html><html><body>SECRET " + b"x" * 100_000 + b"</body></html>"


@pytest.fixture
def backend() -> str:
    """What a server says has nothing to do with the database."""
    return "sqlite"


@contextmanager
def answering(status: int, body: bytes, *, kind: str = "text/html", seconds: float = 0) -> Iterator[str]:
    """Another program at the address, which says the same to everything."""

    class Says(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(seconds)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PATCH = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Says)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "body", "error", "says"),
    [
        (200, PAGE, BadInput, "A web page answered|Unexpected response"),
        (404, PAGE, BadInput, "A web page answered"),
        (502, PAGE, Unavailable, "a proxy before it, failed \\(status 502\\)"),
        (503, b'{"detail": "SECRET"}', Unavailable, "failed \\(status 503\\)"),
        (401, b'{"detail": "Invalid token. SECRET"}', BadInput, "does not know this token"),
        (403, b'{"detail": "SECRET"}', BadInput, "has no access to"),
        (200, b'{"unknown": "SECRET"}', BadInput, "Unexpected response"),
    ],
)
def test_what_another_program_answers_is_a_sentence_and_never_shown(
    status: int, body: bytes, error: type[HromadaError], says: str
) -> None:
    """Proxies and other programs: the sentence says what to correct, and holds nothing of the body."""
    kind = "application/json" if body.startswith(b"{") else "text/html"
    with answering(status, body, kind=kind) as url, Client(url, "0" * 40) as client:
        with pytest.raises(error, match=says) as raised:
            client.get_own_account()
        assert "SECRET" not in str(raised.value)
        assert raised.value.remedy
        assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("url", "token", "error", "says"),
    [
        ("http://127.0.0.1:1", "0" * 40, Unavailable, "does not answer"),
        ("http://user:secret@127.0.0.1:1", "0" * 40, Unavailable, "http://127.0.0.1:1: Label Studio does not answer"),
        ("localhost", "0" * 40, BadInput, "Invalid web address"),
        ("http://127.0.0.1:1", None, BadInput, "no token"),
        ("http://127.0.0.1:1", "ключ", BadInput, "invalid characters"),
    ],
)
def test_what_is_written_wrongly_in_the_settings(
    url: str, token: str | None, error: type[HromadaError], says: str
) -> None:
    """Each names the setting; passwords stay unsaid."""

    def ask() -> None:
        with Client(url, token) as client:
            client.get_own_account()

    with pytest.raises(error, match=says) as raised:
        ask()
    assert "secret" not in str(raised.value)


def test_a_slow_server_is_waited_for_no_longer_than_said() -> None:
    """Then it is a sentence."""
    with answering(200, b"{}", seconds=1) as url, Client(url, "0" * 40, timeout=0.2) as client:
        with pytest.raises(Unavailable, match="took too long"):
            client.get_own_account()
        time.sleep(1)


def test_a_token_that_the_server_does_not_know(workspace: Workspace) -> None:
    """The batch is left as it was."""
    workspace.campaign(items=2)
    workspace.person("olha")
    with Client(workspace.studio.url, "f" * 40) as stranger:
        order = sync.PushOrder(project="p", annotator=workspace.people["olha"], number=2)
        with pytest.raises(BadInput, match="does not know this token"):
            sync.push_batch(workspace.db, stranger, order, clock=now)
    assert workspace.push("olha", 2).sent == 2
    workspace.well()


def test_a_server_that_is_down_in_the_middle_is_made_up_for(workspace: Workspace) -> None:
    """Items that were assigned wait, and go with the next push; answers wait there."""
    workspace.campaign(items=2)
    workspace.person("olha")
    workspace.push("olha", 1)
    with Client("http://127.0.0.1:1", "0" * 40) as down:
        down.server_id = workspace.client.server_id
        order = sync.PushOrder(project="p", annotator=workspace.people["olha"], number=2)
        for step in (
            lambda: sync.push_batch(workspace.db, down, order, clock=now),
            lambda: sync.pull_batches(workspace.db, down, clock=now),
        ):
            _refused(step, "does not answer")
    assert workspace.push("olha", 2).in_hand == 2
    workspace.well()


def test_a_project_that_was_deleted_there_is_made_again(workspace: Workspace) -> None:
    """What was pulled stays; the rest is sent to a new project when somebody says so."""
    workspace.campaign(items=3)
    workspace.person("olha")
    remote = workspace.push("olha", 3).remote_id
    workspace.say("olha", workspace.tasks()[0])
    workspace.pull()
    with workspace.studio.api() as api:
        assert api.delete(f"/api/projects/{remote}/").status_code == 204
    problem = workspace.pull().problem
    assert problem is not None
    assert "push --anew" in problem
    with pytest.raises(NotFound, match="push --anew"):
        workspace.push("olha", 3)
    made = workspace.push("olha", 2, anew=True)
    assert (made.in_hand, made.sent) == (2, 2)
    assert made.remote_id != remote
    workspace.say("olha", workspace.tasks()[0])
    assert workspace.pull().answered == 1
    assert [row[3] for row in workspace.answers()] == [YES, YES]
    workspace.well()


def test_questions_that_were_changed_there_stop_the_pull_until_they_are_put_back(workspace: Workspace) -> None:
    """Answers could mean something else; nothing is lost by waiting."""
    workspace.campaign(items=1)
    workspace.person("olha")
    remote = workspace.push("olha").remote_id
    ours = workspace.client.get_project(remote).label_config
    with workspace.studio.api() as api:
        changed = ours.replace('value="ні"', 'value="хтозна"')
        assert api.patch(f"/api/projects/{remote}/", json={"label_config": changed}).status_code == 200
    workspace.say("olha", workspace.tasks()[0])
    found = workspace.pull()
    assert found.answered == 0
    assert "were changed in Label Studio" in (found.problem or "")
    workspace.push("olha")
    assert workspace.client.get_project(remote).label_config == ours
    found = workspace.pull()
    assert (found.answered, found.problem) == (1, None)
    workspace.well()


def _refused(step: Callable[[], object], says: str) -> None:
    with pytest.raises(Unavailable, match=says):
        step()
