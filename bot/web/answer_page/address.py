"""Where the answer page is: its path, its public address, and links to it."""

from __future__ import annotations

from urllib.parse import urlsplit

from annotation.errors import BadInput, Where

PAGE_PATH = "/answer/"
"""The path below the public address; the page's own requests are relative to it."""


def build_page_url(public_url: str | None) -> str:
    """The address of the page below HROMADA_PUBLIC_URL; raises BadInput for one that is missing or not https."""
    url = urlsplit(public_url or "")
    if url.scheme != "https" or not url.hostname or url.query or url.fragment:
        raise BadInput(
            "Telegram opens no page at this address." if public_url else "The answer page has no address.",
            where=Where(field="HROMADA_PUBLIC_URL"),
            remedy="Write it like https://bot.example.org; a proxy there passes it on to HROMADA_WEBHOOK_LISTEN.",
        )
    return f"{url.geturl().rstrip('/')}{PAGE_PATH}"


def format_invitation(code: str, *, url: str) -> str:
    """The link by which people join without Telegram: the code is behind `#`, so that no server or proxy logs it."""
    return f"{url}#join={code}"
