"""Values that go between Telegram and the conversation: updates reduced to what is needed, and the calls to make.

Both are stored as JSON until they are handled: updates in the inbox, calls in the outbox. So the names of the fields of
`IncomingUpdate` are stored too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_TEXT = 4096
"""How many characters of a message are read. Telegram never sends more, but a forged update might; a longer text comes
in parts, by UTF-16 units (`text_parts`)."""


class UpdateKind(StrEnum):
    """The kind of an update. The values are stored.

    MESSAGE is a new message, EDITED an edited one, TAP a tap on an inline button. BLOCKED and UNBLOCKED: the user has
    stopped or started the bot. MIGRATED: a group has another chat id now. OTHER needs no answer. FLOODED is a note of
    delivery, without content: the user sent more than is read, and this is the first update that was not.
    """

    MESSAGE = "message"
    EDITED = "edited"
    TAP = "tap"
    BLOCKED = "blocked"
    UNBLOCKED = "unblocked"
    MIGRATED = "migrated"
    OTHER = "other"
    FLOODED = "flooded"


@dataclass(frozen=True, kw_only=True)
class TextParts:
    """The messages of one text: how many there are, and the length in UTF-16 units and the time of the last."""

    number: int
    last_units: int
    last_at: datetime


@dataclass(frozen=True, kw_only=True)
class IncomingUpdate:
    """An update of Telegram without names of people.

    `at` is when it was sent, `telegram_id` the id of the user who sent it; `private` says whether the chat is a private
    one. `media` is the type of a photo, sticker or other media in the message. `message_id` is the id of the message,
    or of the message with the tapped button. `reply_to` is the id of the message that it replies to. `data` (of the
    button) and `query_id` (to acknowledge the tap) are set for taps only. A text that came in several messages has
    `parts`; its id and time are those of the first. It is never stored so.
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
    parts: TextParts | None = None


@dataclass(frozen=True)
class InlineButton:
    """A button under a message: its label, callback data of at most 64 bytes, and what may be typed instead of a tap.

    `typed` are texts, or names of sets of words (`views/typed_words`); the label may always be typed.
    """

    label: str
    data: str
    typed: tuple[str, ...] = ()


ButtonRows = tuple[tuple[InlineButton, ...], ...]


@dataclass(frozen=True, kw_only=True)
class TapAcknowledgement:
    """Ends the loading state of a tapped button, with a toast of at most 200 characters or an alert to close."""

    query_id: str
    text: str = ""
    alert: bool = False


@dataclass(frozen=True, kw_only=True)
class AssignmentMessage:
    """The item message of an assignment; its message id is looked up when the call is stored."""

    assignment_id: int


@dataclass(frozen=True, kw_only=True)
class MessageEdit:
    """Replaces the text and buttons of a message; if it is missing or unchanged, the call counts as made.

    `redraws` is the assignment of which it asks something else now.
    """

    chat_id: int
    message: int | AssignmentMessage
    html: str
    buttons: ButtonRows = ()
    redraws: int | None = None


@dataclass(frozen=True, kw_only=True)
class NewMessage:
    """A new message. `input_hint` asks for a typed answer and is shown in the input field.

    `silent` messages make no sound. `assignment_id` is the assignment that the message shows: once it is sent, its
    message id and the time are stored. `answered_message_id` is the id of the support message that it answers: if the
    answer is lost, the question counts as unanswered again. `prompt` is set where it asks for a step of the
    conversation: the id of the annotator, and of the update that made the bot ask. A `repeatable` message is sent again
    where it is not known whether it arrived. `protect` prevents forwarding and saving. `notice` names what is sent
    unasked for, so that it can be taken back; it is not sent at `send_before` or later.
    """

    chat_id: int
    html: str
    buttons: ButtonRows = ()
    silent: bool = True
    input_hint: str | None = None
    assignment_id: int | None = None
    answered_message_id: int | None = None
    prompt: tuple[int, int] | None = None
    repeatable: bool = True
    protect: bool = True
    notice: str | None = None
    send_before: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """A new message with a file: its name, bytes and caption."""

    chat_id: int
    name: str
    content: bytes
    caption: str


@dataclass(frozen=True, kw_only=True)
class CommandMenu:
    """Sets the command menu of one chat after a change of language: descriptions by command."""

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


@dataclass(frozen=True, kw_only=True)
class ExportFailure:
    """Why the files that an organiser asked for are not there.

    `kind` is "failed", for the `reason` that the command gave, "too-large" (so many `megabytes`), "too-slow", or
    "given-up" after several attempts over which processes ended.
    """

    kind: str
    reason: str = ""
    megabytes: int = 0


TelegramCall = TapAcknowledgement | MessageEdit | NewMessage | NewDocument | CommandMenu
TelegramCalls = tuple[TelegramCall, ...]


@dataclass(frozen=True, kw_only=True)
class ConversationSettings:
    """The settings of the deployment that the conversation needs.

    `key` is the key that pseudonyms are derived with. `simulated` marks new annotators as simulated. `label_studio_url`
    is the address that annotators open, None where there is none. `organisers` are the Telegram ids of the organisers,
    `time_zone` is that of people who have not told theirs. `bot_name` is the bot's user name, None where it is unknown.
    """

    key: bytes
    simulated: bool = False
    label_studio_url: str | None = None
    organisers: frozenset[int] = frozenset()
    time_zone: str = "Europe/Kyiv"
    bot_name: str | None = None
