"""Failures of Label Studio as errors with a remedy; the content of its responses is never shown."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import httpx
from pydantic import ValidationError

from annotation.errors import BadInput, Conflict, HromadaError, NotFound, Unavailable, Where

URL_SETTING = "HROMADA_LABEL_STUDIO_URL"
TOKEN_SETTING = "HROMADA_LABEL_STUDIO_TOKEN"  # noqa: S105  # the name of a setting
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
            "This is no web address.", where=Where(field=URL_SETTING), remedy="Write it like http://localhost:8080."
        )
    if isinstance(failure, httpx.LocalProtocolError):
        return BadInput(
            "This token cannot be sent.", where=Where(field=TOKEN_SETTING), remedy="Copy it once more, whole."
        )
    if isinstance(failure, ValidationError | ValueError | TypeError):
        remedy = "This hromada knows Label Studio 1.23; `hromada label-studio doctor` says which one runs there."
        return BadInput("Label Studio answered in a form that is not known.", where=where, remedy=remedy)
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
        return BadInput(f"This token may not open {what}.", where=where, remedy="Use one of the organisation's owner.")
    if status in {429, 502, 503, 504} or status >= 500:
        return Unavailable(f"Label Studio failed (status {status}).", where=where, remedy=RETRY_REMEDY)
    return Conflict(
        f"Label Studio refused {what} (status {status}).",
        where=where,
        remedy="`hromada label-studio doctor` looks for the cause.",
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
