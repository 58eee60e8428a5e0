"""The only way to Label Studio's server, and the only importer of its SDK, which takes two seconds to import.

Nothing is tried twice by itself: a write that is repeated blindly is there twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.label_studio import server_errors
from annotation.label_studio.server_models import RemoteProject, RemoteTask, RemoteUser, RemoteWebhook

if TYPE_CHECKING:
    from label_studio_sdk import LabelStudio

TIMEOUT = 60.0
IMPORT_TIMEOUT = 240.0
PAGE = 500
"""How many tasks are asked for at once."""
Read = TypeVar("Read")


class Client:
    """A connection to one server. Every method raises Unavailable, BadInput, NotFound or Conflict, with a remedy."""

    def __init__(self, url: str, token: str | None, *, timeout: float = TIMEOUT) -> None:
        """`token` is a legacy token or a personal access token."""
        if not token:
            remedy = "Copy one from Account & Settings in Label Studio into .env."
            raise BadInput("There is no token for Label Studio.", where=Where(field=server_errors.TOKEN), remedy=remedy)
        if not token.isascii():
            raise server_errors.unreachable(httpx.LocalProtocolError("not ASCII"), url=url)
        self.url = url.rstrip("/")
        self.server = hashlib.sha256(self.url.encode()).hexdigest()[:16]
        self.clock: datetime | None = None
        """What the server's clock said in its last answer, to the second."""
        self._token = token.strip()
        self._http = httpx.Client(timeout=timeout, event_hooks={"response": [self._look_at_the_clock]})
        self._sdk: LabelStudio | None = None

    def __enter__(self) -> Client:
        """Use it, then close it."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the connections."""
        self._http.close()

    def whoami(self) -> RemoteUser:
        """The account of the token."""
        return self._one(RemoteUser, lambda sdk: sdk.users.whoami(), what="the account")

    def version(self) -> str:
        """The release that runs there."""
        found = self._asked(lambda sdk: sdk.versions.get(), what="its version")
        return str(_plain(found).get("release") or "unknown")

    def users(self) -> list[RemoteUser]:
        """Every account there."""
        found = self._asked(lambda sdk: [*map(_plain, sdk.users.list())], what="the accounts")
        return self._parsed(list[RemoteUser], found)

    def project(self, remote_id: int) -> RemoteProject:
        """A project there; raises NotFound where it was deleted."""
        return self._one(RemoteProject, lambda sdk: sdk.projects.get(id=remote_id), what=f"the project {remote_id}")

    def find_project(self, mark: str) -> RemoteProject | None:
        """The project with this mark in its description, if there is one."""
        found = self._asked(lambda sdk: [*map(_plain, sdk.projects.list(title=mark[:8]))], what="the projects")
        read = self._parsed(list[RemoteProject], found)
        return next((one for one in read if mark in (one.description or "")), None)

    def create_project(self, *, title: str, mark: str, config: str, instructions: str) -> RemoteProject:
        """Make a project: one annotation a task, and what is skipped does not come back."""
        return self._one(
            RemoteProject,
            lambda sdk: sdk.projects.create(
                title=title, description=mark, label_config=config, expert_instruction=instructions,
                show_instruction=True, maximum_annotations=1, sampling="Sequential sampling",
                enable_empty_annotation=False, skip_queue="IGNORE_SKIPPED",
            ),
            what="the new project",
        )  # fmt: skip

    def update_project(self, remote_id: int, *, config: str, instructions: str) -> RemoteProject:
        """Give a project this configuration; raises Conflict where answers that are there do not fit it."""
        try:
            return self._one(
                RemoteProject,
                lambda sdk: sdk.projects.update(
                    id=remote_id, label_config=config, expert_instruction=instructions, show_instruction=True
                ),
                what=f"the project {remote_id}",
            )
        except Conflict:
            raise Conflict(
                "Answers that are in Label Studio do not fit the questions as they are now.",
                where=Where(file=server_errors.shown(self.url), field=f"project {remote_id}"),
                remedy="Pull them first, then push with --anew: the project is made again beside the old one.",
            ) from None

    def import_tasks(self, remote_id: int, tasks: Sequence[dict[str, Any]]) -> list[int]:
        """Send tasks; their ids there, in the same order. Sent twice they are there twice."""
        request: list[Any] = list(tasks)
        found = self._asked(
            lambda sdk: sdk.projects.import_tasks(
                id=remote_id,
                request=request,
                return_task_ids=True,
                request_options={"timeout_in_seconds": int(IMPORT_TIMEOUT), "max_retries": 0},
            ),
            what=f"the project {remote_id}",
        )
        return self._parsed(list[int], sorted(_plain(found).get("task_ids") or []))

    def tasks(
        self, remote_id: int, *, since: datetime | None = None, after: int = 0, page: int = PAGE
    ) -> Iterator[list[RemoteTask]]:
        """Tasks with their annotations, in pages by id: those changed later than `since`, with an id beyond `after`.

        Each page asks for ids beyond the last one, so that what changes meanwhile is never passed over.
        """
        while True:
            ask = partial(_first_page, remote_id=remote_id, query=_query(since=since, after=after), page=page)
            found = self._asked(ask, what=f"the project {remote_id}")
            read = self._parsed(list[RemoteTask], found)
            if read:
                yield read
            if len(read) < page:
                return
            after = read[-1].id

    def change_task(self, task_id: int, task: dict[str, Any]) -> None:
        """Show something else in a task; raises NotFound where it was deleted."""
        what = f"the task {task_id}"
        self._asked(lambda sdk: sdk.tasks.update(id=str(task_id), data=task["data"], meta=task["meta"]), what=what)

    def remove_task(self, task_id: int) -> None:
        """Delete a task with all that was answered there; raises NotFound where it was deleted already."""
        self._asked(lambda sdk: sdk.tasks.delete(id=str(task_id)), what=f"the task {task_id}")

    def answered(self, task_id: int) -> bool:
        """Whether anybody handed anything in there; not where the task was deleted."""
        try:
            found = self._one(RemoteTask, lambda sdk: sdk.tasks.get(id=str(task_id)), what=f"the task {task_id}")
        except NotFound:
            return False
        return bool(found.annotations)

    def add_webhook(self, remote_id: int, *, url: str, secret: dict[str, str]) -> RemoteWebhook:
        """Let the server call an address whenever something happens in a project."""
        return self._one(
            RemoteWebhook,
            lambda sdk: sdk.webhooks.create(url=url, project=remote_id, send_for_all_actions=True, headers=secret),
            what="the webhook",
        )

    def remove_webhook(self, webhook_id: int) -> None:
        """Let the server call no more."""
        self._asked(lambda sdk: sdk.webhooks.delete(id=webhook_id), what="the webhook")

    def _one(self, model: type[Read], ask: Callable[[LabelStudio], Any], *, what: str) -> Read:
        return self._parsed(model, _plain(self._asked(ask, what=what)))

    def _asked(self, ask: Callable[[LabelStudio], Any], *, what: str) -> Any:
        with self._translated(what):
            return ask(self._connected())

    def _parsed(self, form: type[Read], value: Any) -> Read:
        try:
            return TypeAdapter(form).validate_python(value)
        except ValidationError as failure:
            raise server_errors.unreachable(failure, url=self.url) from None

    def _connected(self) -> LabelStudio:
        if self._sdk is None:
            try:
                from label_studio_sdk import LabelStudio
            except ImportError:
                remedy = 'Install it: pip install "hromada[label-studio]".'
                raise BadInput("The SDK of Label Studio is not installed.", remedy=remedy) from None
            self._sdk = LabelStudio(  # type: ignore[no-untyped-call]
                base_url=self.url, api_key=self._token, httpx_client=self._http, max_retries=0
            )
        return self._sdk

    def _look_at_the_clock(self, response: httpx.Response) -> None:
        try:
            self.clock = parsedate_to_datetime(response.headers["date"]).astimezone(UTC)
        except (KeyError, ValueError):
            self.clock = None

    @contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        """Every failure as a sentence; the body of an answer is never shown, it may be a page or somebody's answers."""
        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL, ValidationError, ValueError, UnicodeError) as failure:
            raise server_errors.unreachable(failure, url=self.url) from None
        except _refusals() as failure:
            status, body = getattr(failure, "status_code", None), getattr(failure, "body", None)
            raise server_errors.refused(status, body, url=self.url, what=what) from None


def _refusals() -> type[Exception]:
    """What the SDK raises; asked for only once something was raised."""
    from label_studio_sdk.core.api_error import ApiError

    return ApiError


def _first_page(sdk: LabelStudio, *, remote_id: int, query: str, page: int) -> list[dict[str, Any]]:
    pager: Any = sdk.tasks.list(project=remote_id, page=1, page_size=page, query=query)
    return [_plain(one) for one in pager.items or []]


def _query(*, since: datetime | None, after: int) -> str:
    """A filter of the Data Manager; times must look exactly like this, or the server fails."""
    items = [{"filter": "filter:tasks:id", "operator": "greater", "type": "Number", "value": after}]
    if since is not None:
        moment = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        items.append({"filter": "filter:tasks:updated_at", "operator": "greater", "type": "Datetime", "value": moment})
    return json.dumps({"filters": {"conjunction": "and", "items": items}, "ordering": ["tasks:id"]})


def _plain(model: Any) -> dict[str, Any]:
    """A model of the SDK as plain values, whatever class it came in."""
    return model if isinstance(model, dict) else dict(model.model_dump(mode="python"))
