"""What goes wrong on the way to Label Studio, as sentences with a remedy; what it answered is never shown."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

import httpx
from pydantic import ValidationError

from annotation.errors import BadInput, Conflict, HromadaError, NotFound, Unavailable, Where

URL = "HROMADA_LABEL_STUDIO_URL"
TOKEN = "HROMADA_LABEL_STUDIO_TOKEN"  # noqa: S105  # the name of a setting
AGAIN = "Try again later: what was done is kept, and the rest is made up for."


def shown(url: str) -> str:
    """An address without user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def unreachable(failure: Exception, *, url: str) -> HromadaError:
    """For whatever httpx raises, and for answers in a form that is not known."""
    where = Where(file=shown(url))
    if isinstance(failure, httpx.TimeoutException):
        return Unavailable("Label Studio took too long to answer.", where=where, remedy=AGAIN)
    if isinstance(failure, httpx.ConnectError):
        return Unavailable(
            "Label Studio does not answer.", where=where, remedy=f"Start it, or correct {URL}; then run this again."
        )
    if isinstance(failure, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return BadInput(
            "This is no web address.", where=Where(field=URL), remedy="Write it like http://localhost:8080."
        )
    if isinstance(failure, httpx.LocalProtocolError):
        return BadInput("This token cannot be sent.", where=Where(field=TOKEN), remedy="Copy it once more, whole.")
    if isinstance(failure, ValidationError | ValueError):
        remedy = "This hromada knows Label Studio 1.23; `hromada label-studio doctor` says which one runs there."
        return BadInput("Label Studio answered in a form that is not known.", where=where, remedy=remedy)
    return Unavailable("The connection to Label Studio broke.", where=where, remedy=AGAIN)


def refused(status: int | None, body: object, *, url: str, what: str) -> HromadaError:
    """For an answer that says no; `what` was asked for, like "the project 7"."""
    where = Where(file=shown(url))
    if status is None or status == 401:
        return BadInput(
            "Label Studio does not know this token.",
            where=Where(field=TOKEN),
            remedy="Copy it from Account & Settings there; legacy tokens are switched on in its Organization page.",
        )
    if not isinstance(body, dict | list):
        return _page(status, url=url)
    if status == 404:
        remedy = "It was deleted there; `hromada label-studio push --anew` makes it again. What was pulled is kept."
        return NotFound(f"Label Studio has no longer {what}.", where=where, remedy=remedy)
    if status == 403:
        return BadInput(f"This token may not open {what}.", where=where, remedy="Use one of the organisation's owner.")
    if status in {429, 502, 503, 504} or status >= 500:
        return Unavailable(f"Label Studio failed (status {status}).", where=where, remedy=AGAIN)
    return Conflict(
        f"Label Studio refused {what} (status {status}).",
        where=where,
        remedy="`hromada label-studio doctor` looks for the cause.",
    )


def _page(status: int, *, url: str) -> HromadaError:
    """An answer that is no JSON: a proxy's page, or another program at this address."""
    where = Where(file=shown(url))
    if status >= 500:
        return Unavailable(f"Label Studio, or a proxy before it, failed (status {status}).", where=where, remedy=AGAIN)
    return BadInput(
        "A web page answered in place of Label Studio's interface.", where=where, remedy=f"Correct {URL} or the proxy."
    )
