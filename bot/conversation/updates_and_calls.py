"""What goes between Telegram and the conversation: updates stripped to what is needed, and the calls that follow.

Both are plain values: an update waits in the inbox, and a call in the outbox, as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MOST_TEXT = 4096
"""How much of a message is read, in characters: Telegram sends no longer one, a forger might."""


class Kind(StrEnum):
    """What an update is."""

    MESSAGE = "message"
    EDITED = "edited"
    TAP = "tap"
    BLOCKED = "blocked"
    UNBLOCKED = "unblocked"
    MIGRATED = "migrated"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """An update without names. `media` says what a message is that has no text; `message_id` is that of the message,
    or of the one under the tapped button; `data` and `query_id` are of a tap.
    """

    update_id: int
    at: datetime
    kind: Kind
    telegram_id: int
    chat_id: int
    private: bool
    language_code: str | None = None
    text: str | None = None
    media: str | None = None
    data: str | None = None
    query_id: str | None = None
    message_id: int | None = None
    reply_to: int | None = None


@dataclass(frozen=True)
class Button:
    """A button under a message: what it says, and what it carries back in at most 64 bytes."""

    label: str
    data: str


Rows = tuple[tuple[Button, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Acknowledge:
    """Stop the spinning of a tapped button, with a toast of at most 200 characters, or a box to close."""

    query_id: str
    text: str = ""
    alert: bool = False


@dataclass(frozen=True, kw_only=True)
class OfAssignment:
    """The message that shows an assignment, wherever it is in the chat now."""

    assignment_id: int


@dataclass(frozen=True, kw_only=True)
class Edit:
    """Put another text and other buttons into a message; what is not there or not changed is no failure."""

    chat_id: int
    message: int | OfAssignment
    html: str
    buttons: Rows = ()


@dataclass(frozen=True, kw_only=True)
class Send:
    """A new message. `reply` asks for a typed answer, with that hint in the field.

    `remember` is the assignment that it shows: where it is, and when it was shown, are noted once it is sent.
    `answers` is the person's question that it answers: should it be lost, that is known not to be answered yet.
    `repeatable` says that a second one does no harm, where nobody knows whether the first was sent. `protect` keeps it
    from being forwarded and saved.
    """

    chat_id: int
    html: str
    buttons: Rows = ()
    silent: bool = True
    reply: str | None = None
    remember: int | None = None
    answers: int | None = None
    repeatable: bool = True
    protect: bool = True


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file."""

    chat_id: int
    name: str
    content: bytes
    caption: str


@dataclass(frozen=True, kw_only=True)
class Commands:
    """The menu of commands of one chat, which speaks that language now: descriptions by command."""

    chat_id: int
    language: str
    commands: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Introduction:
    """What people of one language see of the bot before they write to it; of all others where `language` is empty.

    `description` stands in an empty chat, at most 512 characters; `about` in the profile, at most 120.
    """

    language: str
    commands: Mapping[str, str]
    description: str
    about: str


Call = Acknowledge | Edit | Send | Document | Commands
Calls = tuple[Call, ...]


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What every conversation needs to know of where it runs: the key of the pseudonyms.

    `simulated` marks people as made up.
    """

    key: bytes
    simulated: bool = False
