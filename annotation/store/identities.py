"""Everything real by which a person could be recognised or impersonated: none of it may stand in a published file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import SecretStr
from sqlmodel import Session, col, select

from annotation.settings import Settings
from annotation.store.models import Annotator, ChatPause, Inbox, Invitation, Outbox

LEAST_SECRET, LEAST_ID = 6, 5
"""The least lengths of codes and of ids that are searched for: shorter ones stand in any text."""


class Identity(NamedTuple):
    """What a value is, in words, and the value."""

    kind: str
    value: str


def list_identities(session: Session) -> tuple[Identity, ...]:
    """The Telegram ids of annotators, chats and waiting updates, and the invitation codes, of the whole database."""
    return tuple(sorted(set(_walk_identities(session))))


def _walk_identities(session: Session) -> Iterator[Identity]:
    ids = (
        select(Annotator.telegram_id).where(col(Annotator.telegram_id).is_not(None)),
        select(Inbox.telegram_id).where(col(Inbox.telegram_id).is_not(None)).distinct(),
        select(Outbox.chat_id).distinct(),
        select(ChatPause.chat_id),
    )
    for query in ids:
        for number in session.exec(query):
            written = str(abs(number or 0))
            if len(written) >= LEAST_ID:
                yield Identity("the Telegram id of a person or chat", written)
    for code in session.exec(select(Invitation.code)):
        if len(code) >= LEAST_SECRET:
            yield Identity("an invitation code", code)


def list_secrets(settings: Settings) -> tuple[Identity, ...]:
    """The tokens of the settings, the key of the pseudonyms, and the password of the database."""
    found = [
        Identity(kind, secret.get_secret_value())
        for kind, secret in (
            ("the bot's token", settings.telegram_token),
            ("the token of Label Studio", settings.label_studio_token),
        )
        if isinstance(secret, SecretStr)
    ]
    if settings.key_file.is_file():
        found.append(Identity("the key of the pseudonyms", settings.key_file.read_text("utf-8", "replace").strip()))
    password = settings.database_url.partition("://")[2].rpartition("@")[0].partition(":")[2]
    if password:
        found.append(Identity("the password of the database", password))
    return tuple(one for one in found if len(one.value) >= LEAST_SECRET)
