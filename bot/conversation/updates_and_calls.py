"""Values that go between Telegram and the conversation: updates reduced to what is needed, and the calls to make.

Both are plain values: an update waits in the inbox and a call in the outbox as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_TEXT = 4096
"""How many characters of a message are read. Telegram never sends more, but a forged update might."""


class UpdateKind(StrEnum):
    """The kind of an update."""

    MESSAGE = "message"
    EDITED = "edited"
    TAP = "tap"
    BLOCKED = "blocked"
    UNBLOCKED = "unblocked"
    MIGRATED = "migrated"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True)
class IncomingUpdate:
    """An update without names. `media` is the type of a message that has no text; `message_id` is the id of the
    message, or of the message under the tapped button; `data` and `query_id` are set for taps.
    """

    update_id: int
    at: datetime
    kind: UpdateKind
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
class InlineButton:
    """A button under a message: its label, and callback data of at most 64 bytes."""

    label: str
    data: str


ButtonRows = tuple[tuple[InlineButton, ...], ...]


@dataclass(frozen=True, kw_only=True)
class TapAcknowledgement:
    """Ends the loading state of a tapped button, with a toast of at most 200 characters or an alert to close."""

    query_id: str
    text: str = ""
    alert: bool = False


@dataclass(frozen=True, kw_only=True)
class AssignmentMessage:
    """The message that shows an assignment, wherever it is in the chat."""

    assignment_id: int


@dataclass(frozen=True, kw_only=True)
class MessageEdit:
    """Replaces the text and buttons of a message; a missing or unchanged message is not a failure."""

    chat_id: int
    message: int | AssignmentMessage
    html: str
    buttons: ButtonRows = ()


@dataclass(frozen=True, kw_only=True)
class NewMessage:
    """A new message. `input_hint` asks for a typed answer and is shown in the input field.

    `assignment_id` is the assignment that the message shows: its place in the chat and the time shown are stored once
    it is sent. `answered_message_id` is the annotator's question that it answers: if the message is lost, that question
    counts as unanswered again. `repeatable` messages may be sent twice when nobody knows whether the first attempt
    arrived. `protect` prevents forwarding and saving.
    """

    chat_id: int
    html: str
    buttons: ButtonRows = ()
    silent: bool = True
    input_hint: str | None = None
    assignment_id: int | None = None
    answered_message_id: int | None = None
    repeatable: bool = True
    protect: bool = True


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """A new message with a file."""

    chat_id: int
    name: str
    content: bytes
    caption: str


@dataclass(frozen=True, kw_only=True)
class CommandMenu:
    """The command menu of one chat in its new language: descriptions by command."""

    chat_id: int
    language: str
    commands: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class BotProfile:
    """What users of one language see of the bot before they write to it; `language` is empty for all other languages.

    `description` is shown in an empty chat, at most 512 characters; `about` in the profile, at most 120.
    """

    language: str
    commands: Mapping[str, str]
    description: str
    about: str


TelegramCall = TapAcknowledgement | MessageEdit | NewMessage | NewDocument | CommandMenu
TelegramCalls = tuple[TelegramCall, ...]


@dataclass(frozen=True, kw_only=True)
class ConversationSettings:
    """The settings of the deployment that the conversation needs: the pseudonym key.

    `simulated` marks new annotators as simulated.
    """

    key: bytes
    simulated: bool = False
