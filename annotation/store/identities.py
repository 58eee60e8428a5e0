"""Everything real by which a person could be recognised or impersonated: none of it may stand in a published file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote_plus

import sqlalchemy as sa
from pydantic import SecretStr
from sqlmodel import Session, col, select

from annotation.settings import Settings
from annotation.store.models import (
    Annotator,
    ChatPause,
    Inbox,
    Invitation,
    LabelStudioAccount,
    LabelStudioSetAside,
    Outbox,
    ToldGroup,
)

LEAST_SECRET, LEAST_ID = 6, 5
"""The least lengths of codes and of ids that are searched for: shorter ones stand in any text."""


class Identity(NamedTuple):
    """What a value is, in words, the value, and whether it is a secret, which may stand inside a longer word."""

    kind: str
    value: str
    is_secret: bool = False


def list_identities(session: Session) -> tuple[Identity, ...]:
    """The ids of people and chats in Telegram and Label Studio, and the invitation codes, of the whole database."""
    return tuple(sorted(set(_walk_identities(session))))


def _walk_identities(session: Session) -> Iterator[Identity]:
    ids = (
        select(Annotator.telegram_id).where(col(Annotator.telegram_id).is_not(None)),
        select(Inbox.telegram_id).where(col(Inbox.telegram_id).is_not(None)).distinct(),
        select(Outbox.chat_id).distinct(),
        select(ChatPause.chat_id),
        select(ToldGroup.chat_id),
    )
    accounts = (select(LabelStudioAccount.user_id), select(LabelStudioSetAside.user_id))
    for kind, queries in (("the Telegram id of a person or chat", ids), ("the id of a Label Studio account", accounts)):
        for query in queries:
            for number in session.exec(query):
                written = str(abs(number or 0))
                if len(written) >= LEAST_ID:
                    yield Identity(kind, written)
    for code in session.exec(select(Invitation.code)):
        if len(code) >= LEAST_SECRET:
            yield Identity("an invitation code", code)


def list_secrets(settings: Settings) -> tuple[Identity, ...]:
    """The tokens of the settings, the key of the pseudonyms, and the password of the database."""
    found = [
        secret.get_secret_value()
        for secret in (settings.telegram_token, settings.label_studio_token, settings.dashboard_token)
        if isinstance(secret, SecretStr)
    ]
    named = dict.fromkeys(found, "a token of the settings")
    if settings.key_file.is_file():
        named[settings.key_file.read_text("utf-8", "replace").strip()] = "the key of the pseudonyms"
    url = sa.make_url(settings.database_url)
    passwords = [url.password, *(value for name, value in url.query.items() if name == "password")]
    for password in passwords:
        if password:
            named |= dict.fromkeys((str(password), quote_plus(str(password))), "the password of the database")
    return tuple(Identity(kind, value, is_secret=True) for value, kind in named.items() if len(value) >= LEAST_SECRET)
