"""The client of Label Studio's server, the only importer of its SDK, which takes two seconds to import.

No request is retried: a repeated write would be stored twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from annotation import settings
from annotation.errors import BadInput, Conflict, NotFound, Where
from annotation.label_studio import server_models
from annotation.label_studio.server_models import ChangedTask, RemoteProject, RemoteTask, RemoteUser, RemoteWebhook

if TYPE_CHECKING:
    from label_studio_sdk import LabelStudio

TIMEOUT, IMPORT_TIMEOUT = 60.0, 240.0
TASKS_PER_PAGE, FIRST_TASKS = 500, 50
"""How many tasks a page has at most, and the first one, when their size is not known."""
RESPONSE_CHARACTERS = 20_000_000
"""How many characters of tasks a page has, about."""
Model = TypeVar("Model")


class Client:
    """A connection to one server. All methods raise Unavailable, BadInput, NotFound or Conflict, with a remedy."""

    def __init__(self, url: str, token: str | None, *, timeout: float = TIMEOUT) -> None:
        """`token` is a legacy token or a personal access token."""
        if not token:
            raise server_models.explain_missing_token()
        if not token.isascii():
            raise server_models.explain_failure(httpx.LocalProtocolError("not ASCII"), url=url)
        self.url = url.rstrip("/")
        self.server_id = compute_server_id(self.url)
        self.server_time: datetime | None = None
        """The time of the server in its last answer, to the second; None where the answer had none."""
        self._token = token.strip()
        self._http = httpx.Client(timeout=timeout, event_hooks={"response": [self._record_server_time]})
        self._sdk: LabelStudio | None = None

    def __enter__(self) -> Client:
        """The client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._http.close()

    def build_work_address(self, remote_id: int) -> str:
        """Where the tasks of a project come one after the other."""
        return build_work_address(self.url, remote_id)

    def get_own_account(self) -> RemoteUser:
        """The account of the token."""
        return self._fetch(RemoteUser, lambda sdk: sdk.users.whoami(), what="the account")

    def get_version(self) -> str:
        """The release of the server."""
        response = self._call(lambda sdk: sdk.versions.get(), what="its version")
        return str(_to_dict(response).get("release") or "unknown")

    def list_accounts(self) -> list[RemoteUser]:
        """All accounts on the server."""
        response = self._call(lambda sdk: [*map(_to_dict, sdk.users.list())], what="the accounts")
        return self._parse(list[RemoteUser], response)

    def get_project(self, remote_id: int) -> RemoteProject:
        """A project; raises NotFound where it was deleted."""
        return self._fetch(RemoteProject, lambda sdk: sdk.projects.get(id=remote_id), what=f"the project {remote_id}")

    def find_project(self, mark: str, *, title: str = "") -> RemoteProject | None:
        """The project with this mark in its description, and this in its title, if there is one."""
        response = self._call(lambda sdk: [*map(_to_dict, sdk.projects.list(title=title))], what="the projects")
        projects = self._parse(list[RemoteProject], response)
        return next((project for project in projects if mark in (project.description or "")), None)

    def create_project(self, *, title: str, mark: str, config: str, instructions: str) -> RemoteProject:
        """Create a project with one annotation a task, where skipped tasks are not shown again.

        Submit is never grey: without `enable_empty_annotation` it is until Label Studio has stored a value, which it
        does with a typed text only at Submit. What is missing is named by the controls that are required.
        """
        return self._fetch(
            RemoteProject,
            lambda sdk: sdk.projects.create(
                title=title, description=mark, label_config=config, expert_instruction=instructions,
                show_instruction=True, maximum_annotations=1, sampling="Sequential sampling",
                enable_empty_annotation=True, skip_queue="IGNORE_SKIPPED",
            ),
            what="the new project",
        )  # fmt: skip

    def update_project(self, remote_id: int, *, config: str, instructions: str) -> RemoteProject:
        """Set the configuration of a project; raises Conflict where its answers do not fit it."""
        try:
            return self._fetch(
                RemoteProject,
                lambda sdk: sdk.projects.update(
                    id=remote_id, label_config=config, expert_instruction=instructions, show_instruction=True,
                    enable_empty_annotation=True,
                ),
                what=f"the project {remote_id}",
            )  # fmt: skip
        except Conflict:
            raise Conflict(
                "Answers that are in Label Studio do not fit the questions as they are now.",
                where=Where(file=server_models.strip_credentials(self.url), field=f"project {remote_id}"),
                remedy="Pull them first, then push with --anew: the project is made again beside the old one.",
            ) from None

    def import_tasks(self, remote_id: int, tasks: Sequence[dict[str, Any]]) -> list[int]:
        """Send tasks; their ids on the server, in the same order. Tasks that are sent twice are stored twice.

        Raises Unavailable where the outcome is not known, also where the server answered that it took them, but not
        readably which; any other error means that it took none.
        """
        request: list[Any] = list(tasks)
        response = self._call(
            lambda sdk: sdk.projects.import_tasks(
                id=remote_id,
                request=request,
                return_task_ids=True,
                request_options={"timeout_in_seconds": int(IMPORT_TIMEOUT), "max_retries": 0},
            ),
            what=f"the project {remote_id}",
            writes=True,
        )
        return _read_task_ids(response, n_tasks=len(tasks), url=self.url)

    def list_begun_tasks(self, remote_id: int) -> frozenset[int]:
        """The ids of a project's tasks of which somebody has a draft that was not submitted."""
        return frozenset(task.id for page in self.list_task_pages(remote_id, begun=True) for task in page)

    def list_task_pages(
        self,
        remote_id: int,
        *,
        since: datetime | None = None,
        after: int = 0,
        page: int = TASKS_PER_PAGE,
        begun: bool = False,
    ) -> Iterator[list[RemoteTask]]:
        """Pages of tasks with their annotations, by id: those changed later than `since`, with ids above `after`.

        With `begun` only those with a draft. Each page asks for ids above the last one, so that no change is missed.
        A page has fewer than `page` tasks where they are large, as with pictures.
        """
        most, page = page, min(page, FIRST_TASKS)
        while True:
            ask = partial(
                _list_tasks_page,
                remote_id=remote_id,
                query=_build_query(since=since, after=after, begun=begun),
                page=page,
            )
            response = self._call(ask, what=f"the project {remote_id}")
            tasks = self._parse(list[RemoteTask], response)
            if tasks:
                yield tasks
            if len(tasks) < page:
                return
            after, page = tasks[-1].id, _fit_page([task.data for task in tasks], most)

    def list_task_ids(self, remote_id: int) -> Iterator[int]:
        """The ids of all tasks of a project."""
        after: int | None = 0
        page = min(FIRST_TASKS, TASKS_PER_PAGE)
        while after is not None:
            ask = partial(
                _list_tasks_page,
                remote_id=remote_id,
                query=_build_query(since=None, after=after),
                page=page,
                fields="task_only",
            )
            tasks = self._call(ask, what=f"the project {remote_id}")
            ids = self._parse(list[int], [task.get("id") for task in tasks])
            yield from ids
            after = ids[-1] if len(ids) == page else None
            page = _fit_page([task.get("data") for task in tasks], TASKS_PER_PAGE)

    def update_task(self, task_id: int, task: dict[str, Any]) -> None:
        """Replace what a task shows; raises NotFound where it was deleted."""
        what = f"the task {task_id}"
        self._call(lambda sdk: sdk.tasks.update(id=str(task_id), data=task["data"], meta=task["meta"]), what=what)
        if "predictions" in task:
            self._call(partial(_replace_predictions, task_id=task_id, predictions=task["predictions"]), what=what)

    def close_task(self, task_id: int, *, closed: bool = True) -> datetime:
        """Have a task not offered any more, or again; when it was changed, by the server's clock. Raises NotFound.

        Who has a closed task on the screen can still submit it.
        """
        what = f"the task {task_id}"
        return self._fetch(
            ChangedTask, lambda sdk: sdk.tasks.update(id=str(task_id), is_labeled=closed), what=what
        ).updated_at

    def delete_task(self, task_id: int) -> None:
        """Delete a task with its annotations; raises NotFound where it was deleted already."""
        self._call(lambda sdk: sdk.tasks.delete(id=str(task_id)), what=f"the task {task_id}")

    def delete_project(self, remote_id: int) -> None:
        """Delete a project with its tasks and annotations; raises NotFound where it was deleted already."""
        self._call(lambda sdk: sdk.projects.delete(id=remote_id), what=f"the project {remote_id}")

    def delete_annotation(self, annotation_id: int) -> None:
        """Delete an annotation; raises NotFound where it was deleted already."""
        self._call(lambda sdk: sdk.annotations.delete(id=annotation_id), what=f"the annotation {annotation_id}")

    def find_task(self, task_id: int) -> RemoteTask | None:
        """A task with its annotations, None if it was deleted."""
        try:
            return self._fetch(RemoteTask, lambda sdk: sdk.tasks.get(id=str(task_id)), what=f"the task {task_id}")
        except NotFound:
            return None

    def list_annotations(self, task_id: int, *, by: int) -> list[int]:
        """The numbers of an account's annotations of a task; none where the task was deleted."""
        task = self.find_task(task_id)
        annotations = [] if task is None else task.annotations
        return [annotation.id for annotation in annotations if annotation.completed_by == by]

    def has_annotations(self, task_id: int) -> bool:
        """Whether a task has annotations; False where it was deleted."""
        task = self.find_task(task_id)
        return task is not None and bool(task.annotations)

    def create_webhook(self, remote_id: int, *, url: str, secret: dict[str, str]) -> RemoteWebhook:
        """Create a webhook that calls `url` for all events of a project."""
        return self._fetch(
            RemoteWebhook,
            lambda sdk: sdk.webhooks.create(url=url, project=remote_id, send_for_all_actions=True, headers=secret),
            what=f"{server_models.WEBHOOK} {server_models.strip_credentials(url)}",
        )

    def delete_webhook(self, webhook_id: int) -> None:
        """Delete a webhook."""
        self._call(lambda sdk: sdk.webhooks.delete(id=webhook_id), what="the webhook")

    def _fetch(self, model: type[Model], ask: Callable[[LabelStudio], Any], *, what: str) -> Model:
        return self._parse(model, _to_dict(self._call(ask, what=what)))

    def _call(self, ask: Callable[[LabelStudio], Any], *, what: str, writes: bool = False) -> Any:
        sdk = self._get_sdk()
        with self._translate_errors(what, writes=writes):
            return ask(sdk)

    def _parse(self, model: type[Model], value: Any) -> Model:
        try:
            return TypeAdapter(model).validate_python(value)
        except ValidationError as failure:
            raise server_models.explain_failure(failure, url=self.url) from None

    def _get_sdk(self) -> LabelStudio:
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

    def _record_server_time(self, response: httpx.Response) -> None:
        try:
            self.server_time = parsedate_to_datetime(response.headers["date"]).astimezone(UTC)
        except (KeyError, ValueError):
            self.server_time = None

    @contextmanager
    def _translate_errors(self, what: str, *, writes: bool = False) -> Iterator[None]:
        """Translate all failures into our errors; the body of a response is never shown, it may hold answers.

        What was written when the answer cannot be read is not known.
        """
        try:
            yield
        except (ValidationError, ValueError, TypeError) as failure:  # the SDK trips over another kind of JSON
            explained = server_models.explain_failure(failure, url=self.url)
            raise (server_models.explain_unknown_outcome(self.url) if writes else explained) from None
        except (httpx.HTTPError, httpx.InvalidURL) as failure:
            raise server_models.explain_failure(failure, url=self.url) from None
        except _get_api_error() as failure:
            status, body = getattr(failure, "status_code", None), getattr(failure, "body", None)
            if writes and status is not None and 200 <= status < 300:
                raise server_models.explain_unknown_outcome(self.url) from None
            raise server_models.explain_refusal(status, body, url=self.url, what=what) from None


def connect_server(*, timeout: float = TIMEOUT) -> Client:
    """A client for the server that the settings name; a request may take `timeout` seconds."""
    configured = settings.read_settings()
    token = configured.label_studio_token
    return Client(configured.label_studio_url, None if token is None else token.get_secret_value(), timeout=timeout)


def compute_server_id(url: str) -> str:
    """What a server is called in the database: a hash of its address, without a slash at the end."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]


def build_work_address(url: str, remote_id: int) -> str:
    """Where the tasks of a project come one after the other; `url` is the address of the server."""
    return f"{url}/projects/{remote_id}/data?labeling=1"


def build_task_address(url: str, remote_id: int, task_id: int) -> str:
    """Where one task of a project is; `url` is the address of the server."""
    return f"{url}/projects/{remote_id}/data?task={task_id}"


def _read_task_ids(response: Any, *, n_tasks: int, url: str) -> list[int]:
    """The ids in the answer to an import, ascending; raises Unavailable unless there is one for each task."""
    try:
        ids = TypeAdapter(list[int]).validate_python(_to_dict(response).get("task_ids"))
    except (ValidationError, AttributeError, TypeError, ValueError):
        ids = []
    if len(set(ids)) != n_tasks:
        raise server_models.explain_unknown_outcome(url)
    return sorted(ids)


def _get_api_error() -> type[Exception]:
    """The exception of the SDK; imported only when something was raised."""
    from label_studio_sdk.core.api_error import ApiError

    return ApiError


def _list_tasks_page(
    sdk: LabelStudio, *, remote_id: int, query: str, page: int, fields: Literal["all", "task_only"] = "all"
) -> list[dict[str, Any]]:
    pager: Any = sdk.tasks.list(project=remote_id, page=1, page_size=page, query=query, fields=fields)
    return [_to_dict(task) for task in pager.items or []]


def _fit_page(data: Sequence[Any], most: int) -> int:
    """How many tasks the next page has, so that a response with tasks as large as these stays small."""
    fields = [value for values in data if isinstance(values, dict) for value in values.values()]
    size = sum(len(value) for value in fields if isinstance(value, str))
    return min(most, max(1, RESPONSE_CHARACTERS * len(data) // max(size, 1)))


def _build_query(*, since: datetime | None, after: int, begun: bool = False) -> str:
    """A filter of the Data Manager; the server fails on times in any other form."""
    items: list[dict[str, Any]] = [
        {"filter": "filter:tasks:id", "operator": "greater", "type": "Number", "value": after}
    ]
    if begun:
        items.append({"filter": "filter:tasks:draft_exists", "operator": "equal", "type": "Boolean", "value": True})
    if since is not None:
        moment = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        items.append({"filter": "filter:tasks:updated_at", "operator": "greater", "type": "Datetime", "value": moment})
    return json.dumps({"filters": {"conjunction": "and", "items": items}, "ordering": ["tasks:id"]})


def _to_dict(model: Any) -> dict[str, Any]:
    """A model of the SDK as a dictionary."""
    return model if isinstance(model, dict) else dict(model.model_dump(mode="python"))


def _replace_predictions(sdk: LabelStudio, *, task_id: int, predictions: Sequence[Mapping[str, Any]]) -> None:
    """Make these the predictions of a task; the controls of an annotation that is begun later begin with them."""
    for old in sdk.predictions.list(task=task_id):
        sdk.predictions.delete(id=old.id or 0)
    for new in predictions:
        sdk.predictions.create(task=task_id, model_version=new["model_version"], result=new["result"])
