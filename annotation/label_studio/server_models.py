"""Models of the responses of Label Studio that we read; those of its SDK are not validated, and differ by call."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit, urlunsplit

import httpx
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from annotation.errors import BadInput, Conflict, HromadaError, NotFound, Unavailable, Where

UNREADABLE_REASON = "The annotation has an unknown form"
"""Why an annotation is no answer that does not fit its model."""
UNSTORABLE_REASON = "It has a character that cannot be stored (NUL, or half a character)"
"""Why an annotation is no answer that holds what no database stores as text."""


class _ServerModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class RemoteProject(_ServerModel):
    """A project on the server."""

    id: int
    title: str = ""
    description: str | None = None
    label_config: str = ""
    expert_instruction: str | None = None
    enable_empty_annotation: bool = True
    task_number: int | None = None


class RemoteAnnotation(_ServerModel):
    """An annotation of a task; `was_cancelled` is a skip, `completed_by` the number of the account.

    `problem` is why it cannot be an answer, whatever is asked; then `result` is empty.
    """

    id: int
    completed_by: int | None = None
    result: list[dict[str, Any]] = Field(default_factory=list)
    was_cancelled: bool = False
    lead_time: Annotated[float, Field(allow_inf_nan=False)] | None = None
    ground_truth: bool = False
    problem: str | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime

    @field_validator("completed_by", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        """The number of the account; the server sends the whole account where a single task is requested."""
        return value.get("id") if isinstance(value, dict) else value

    @field_validator("result", mode="before")
    @classmethod
    def _regions(cls, value: Any) -> Any:
        return [] if value is None else value


class RemoteTask(_ServerModel):
    """A task on the server with its annotations; of drafts it is only known whether there is one, of anybody."""

    id: int
    draft_exists: bool = False
    data: dict[str, Any] = Field(default_factory=dict)
    updated_at: AwareDatetime
    total_predictions: int | None = None
    annotations: list[RemoteAnnotation] = Field(default_factory=list)

    @field_validator("draft_exists", mode="before")
    @classmethod
    def _read_flag(cls, value: Any) -> Any:
        return value is True

    @field_validator("annotations", mode="before")
    @classmethod
    def _read_annotations(cls, value: Any, info: ValidationInfo) -> Any:
        """The annotations, each read alone: one that cannot be read does not stop the others."""
        if not isinstance(value, list) or "updated_at" not in info.data:
            return value
        return [_read_annotation(annotation, changed_at=info.data["updated_at"]) for annotation in value]


def _read_annotation(value: Any, *, changed_at: datetime) -> Any:
    """The annotation, or what identifies it with its problem; unchanged where not even its id can be read."""
    identity = value if isinstance(value, dict) else {}
    try:
        annotation = RemoteAnnotation.model_validate({**identity, "problem": None})
    except ValidationError:
        problem = UNREADABLE_REASON
    else:
        if _is_storable(annotation.result):
            return annotation
        problem = UNSTORABLE_REASON
    times = {"created_at": changed_at, "updated_at": changed_at}
    kept = {name: identity[name] for name in ("id", "completed_by") if name in identity}
    return {**kept, **times, "problem": problem}


def _is_storable(value: Any) -> bool:
    """Whether all texts in a JSON value can be stored by a database."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return all(_is_storable(key) and _is_storable(inner) for key, inner in value.items())
    return not isinstance(value, list) or all(map(_is_storable, value))


class ChangedTask(_ServerModel):
    """A task on the server, as the answer to a change of it has it: without its annotations."""

    id: int
    updated_at: AwareDatetime


class RemoteUser(_ServerModel):
    """An account on the server; its name is shown to organisers, and never stored."""

    id: int
    email: str = ""
    first_name: str = ""
    last_name: str = ""

    @property
    def name(self) -> str:
        """The full name, or the e-mail where there is none."""
        return f"{self.first_name} {self.last_name}".strip() or self.email


class RemoteWebhook(_ServerModel):
    """A webhook on the server."""

    id: int
    url: str = ""


OLDEST_VERSION, NEWEST_VERSION = (1, 20), (1, 23)
"""The first and the last release, without its third number, that hromada is tried with (`make test-studios`)."""
VERSION_RANGE = "1.20 to 1.23"


def explain_version(version: str) -> str | None:
    """Why a release may not work with hromada, as a sentence; None for one of the range, and for an unknown one."""
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None or OLDEST_VERSION <= (int(found[1]), int(found[2])) <= NEWEST_VERSION:
        return None
    return f"hromada is tried with Label Studio {VERSION_RANGE}, and this is {version}: some things may not work."


URL_SETTING = "HROMADA_LABEL_STUDIO_URL"
TOKEN_SETTING = "HROMADA_LABEL_STUDIO_TOKEN"  # noqa: S105  # the name of a setting
WEBHOOK = "the webhook"
"""What is refused where a webhook is; its address follows."""
RETRY_REMEDY = "Try again later: what was done is kept, and the rest is done then."


def strip_credentials(url: str) -> str:
    """A URL without user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def explain_failure(failure: Exception, *, url: str) -> HromadaError:
    """The error for an exception of httpx, or for a response in an unknown form."""
    where = Where(file=strip_credentials(url))
    if isinstance(failure, httpx.TimeoutException):
        return Unavailable("Label Studio took too long to answer.", where=where, remedy=RETRY_REMEDY)
    if isinstance(failure, httpx.ConnectError):
        return Unavailable(
            "Label Studio does not answer.",
            where=where,
            remedy=f"Start it (here: `hromada label-studio up`), or correct {URL_SETTING}; then run this again.",
        )
    if isinstance(failure, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return BadInput(
            "Invalid web address.", where=Where(field=URL_SETTING), remedy="Write, for example, http://localhost:8080."
        )
    if isinstance(failure, httpx.LocalProtocolError):
        return BadInput(
            "The token has invalid characters.", where=Where(field=TOKEN_SETTING), remedy="Copy the whole token again."
        )
    if isinstance(failure, ValidationError | ValueError | TypeError):
        remedy = f"hromada knows Label Studio {VERSION_RANGE}; `hromada label-studio doctor` says which one runs there."
        return BadInput("Unexpected response from Label Studio.", where=where, remedy=remedy)
    return Unavailable("The connection to Label Studio broke.", where=where, remedy=RETRY_REMEDY)


def explain_missing_token() -> HromadaError:
    """The error where the settings hold no token."""
    return BadInput(
        "There is no token for Label Studio.",
        where=Where(field=TOKEN_SETTING),
        remedy="Work where `hromada label-studio up` wrote .env, or copy one from Account & Settings there into .env.",
    )


def explain_unknown_outcome(url: str) -> HromadaError:
    """The error for a success that does not say readably what was stored."""
    return Unavailable(
        "Label Studio took the tasks, or some of them, and its answer does not say which.",
        where=Where(file=strip_credentials(url)),
        remedy="Run this again: it looks up what is there before it sends anything.",
    )


def explain_refusal(status: int | None, body: object, *, url: str, what: str) -> HromadaError:
    """The error for a response that refuses the request; `what` is its object, like "the project 7"."""
    where = Where(file=strip_credentials(url))
    if status is None or status == 401:
        return BadInput(
            "Label Studio does not know this token.",
            where=Where(field=TOKEN_SETTING),
            remedy="Copy it from Account & Settings there; legacy tokens are switched on in its Organization page.",
        )
    if not isinstance(body, dict | list):
        return _explain_web_page(status, url=url)
    if status == 404:
        remedy = "It was deleted there; `hromada label-studio push --anew` makes it again. What was pulled is kept."
        return NotFound(f"Label Studio has no longer {what}.", where=where, remedy=remedy)
    if status == 403:
        return _explain_forbidden(body, what=what, where=where)
    if status in {429, 502, 503, 504} or status >= 500:
        return Unavailable(f"Label Studio failed (status {status}).", where=where, remedy=RETRY_REMEDY)
    return Conflict(
        f"Label Studio refused {what} (status {status}).",
        where=where,
        remedy="`hromada label-studio doctor` looks for the cause.",
    )


def _explain_forbidden(body: object, *, what: str, where: Where) -> HromadaError:
    """The error for what is forbidden: to the account of the token, or a webhook whose address is private."""
    detail = str(body.get("detail", "")) if isinstance(body, dict) else ""
    if not what.startswith(WEBHOOK):
        return BadInput(
            f"This token has no access to {what}.", where=where, remedy="Use a token of the organisation's owner."
        )
    if "reserved" in detail:
        return BadInput(
            f"Label Studio calls no private address, so it refuses {what}.",
            where=where,
            remedy="Start it by `hromada label-studio up`, or with SSRF_PROTECTION_ENABLED=false. `watch` still pulls.",
        )
    return BadInput(
        f"The account of this token has no permission to make {what}.",
        where=where,
        remedy="Use a token of the organisation's owner. `watch` still pulls.",
    )


def _explain_web_page(status: int, *, url: str) -> HromadaError:
    """The error for a response that is no JSON: the page of a proxy, or another program at this address."""
    where = Where(file=strip_credentials(url))
    if status >= 500:
        return Unavailable(
            f"Label Studio, or a proxy before it, failed (status {status}).", where=where, remedy=RETRY_REMEDY
        )
    return BadInput(
        "A web page answered in place of Label Studio's interface.",
        where=where,
        remedy=f"Correct {URL_SETTING} or the proxy.",
    )
