"""Updates that come and calls that go: what the bot reads of an update, what it sends, and the data of its buttons."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from annotation.errors import Stale
from annotation.workflow.monitoring.machine import MachineFacts

MAX_TEXT = 4096
"""How many characters of a message are read. Telegram never sends more, but a forged update might; a longer text comes
in parts, by UTF-16 units (`text_parts`)."""


PAGE_QUERY = "page"
"""Stands for the id of a tap on the answer page."""


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
    or of the message with the tapped button. `reply_to` is the id of the message to which that is a reply. `data` (of
    the button) and `query_id` (to acknowledge the tap) are set for taps only. A text that came in several messages has
    `parts`; its id and time are those of the first. It is never stored so.

    What somebody does on the answer page is a tap too, with `on_page`; `entered` is the answer that is sent with it:
    any JSON value, None for a button that carries all. It is handled at once, and never stored.
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
    on_page: bool = False
    entered: Any = None


@dataclass(frozen=True)
class InlineButton:
    """A button under a message: its label, callback data of at most 64 bytes, and what may be typed instead of a tap.

    `typed` are texts, or names of sets of words (`views/typed_words`); the label may always be typed. A button with
    `page`, an address, has no data: it opens this page in Telegram.
    """

    label: str
    data: str
    typed: tuple[str, ...] = ()
    page: str = ""


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
    unasked for, so that it can be taken back; it is not sent at `send_before` or later. It replies to the message
    `reply_to`, or to the one that is sent so many calls before it (`replies_above`): a tap on the quote leads there.
    `of_item` says that it shows an item, or a part of one, which the answer page shows in its own way.
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
    reply_to: int | None = None
    replies_above: int = 0
    of_item: bool = False


@dataclass(frozen=True, kw_only=True)
class NewPhoto:
    """A new message with a stored picture, by its name; `caption` is plain text.

    It illustrates the item message of the assignment, if it is one of an item, and is sent with it, again if it is.
    """

    chat_id: int
    picture: str
    caption: str
    protect: bool = True
    assignment_id: int | None = None


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


TelegramCall = TapAcknowledgement | MessageEdit | NewMessage | NewPhoto | NewDocument | CommandMenu
TelegramCalls = tuple[TelegramCall, ...]


@dataclass(frozen=True, kw_only=True)
class ConversationSettings:
    """The settings of the deployment that the conversation needs.

    `key` is the key that pseudonyms are derived with. `simulated` marks new annotators as simulated. `label_studio_url`
    is the address that annotators open, None where there is none. `organisers` are the Telegram ids of the organisers,
    `time_zone` is that of people who have not told theirs. `bot_name` is the bot's user name, None where it is unknown.
    `look_at_machine` says how the disk and the backups of this machine are, None if that is not looked at.
    `page_url` is the address of the answer page, None where it is not offered.
    """

    key: bytes
    simulated: bool = False
    label_studio_url: str | None = None
    organisers: frozenset[int] = frozenset()
    time_zone: str = "Europe/Kyiv"
    bot_name: str | None = None
    look_at_machine: Callable[[], MachineFacts] | None = None
    page_url: str | None = None


MAX_BYTES = 64
"""The most bytes that Telegram takes as the data of a button."""
MAX_NUMBER = 2**31 - 1
"""The largest id that a database column holds."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PATTERN = re.compile(
    r"([A-Za-z]):([0-9a-z]{1,6}):((?:[0-9a-z]{1,6}(?:\.[0-9a-z]{1,6}){0,3})?):([A-Za-z0-9_+/-]{0,32})", re.ASCII
)


class ButtonAction(StrEnum):
    """What a button does, in one letter. Buttons stay in chats for a long time, so a letter never changes its meaning.

    On an assignment, whose id is the row: ANSWER chooses an option, TOGGLE ticks or clears a box, DONE takes the ticked
    boxes or what was entered as the answer, ENTRY changes what was entered, LEAVE_UNANSWERED leaves an optional
    question without an answer, UNDO opens an answered item for another answer, KEEP closes it with the old answer,
    CHANGE asks one of its answered questions again, SKIP and REPORT ask for a reason or take one, MORE shows the
    buttons for what is done seldom, UP leads to the first message of an item that has several, ASK asks for a question
    to the organisers, TASK shows the task card again, PAUSE stops work, BACK leads from other buttons to those of the
    item, and with the numbers of a question to the one before.

    On a project, whose id is the row: CONSENT, PROFILE and WARNING answer a question before the first item, CARD marks
    the task card as read, ENTER begins work on the project or programme, ATTEST answers the question about aids,
    WITHDRAW leaves the project, INVITE shows the link for friends.

    On an adjudication case, whose id is the row: CASE shows it (without a row: the first that waits), BOXES shows it
    with boxes to tick, DECIDE stores what is right, BROKEN asks what is wrong with the item, LATER leaves it for now,
    REOPEN takes the decision back, STOP ends the work on cases.

    Without a row: LANGUAGE and ZONE (time zone; with row 1 to be written to by day) set what the word names, FORGET
    erases the annotator's data, UNITE makes one account of two, GO_ON shows the current screen, NOTICE sets what the
    bot writes first, as its word says, SESSION begins a session of so many items, 0 for no end; on a task card it marks
    the card as read, as CARD does.

    ORGANISE does for an organiser what its word says; the row and the numbers are what that is about.
    """

    ANSWER = "a"
    TOGGLE = "b"
    DONE = "d"
    ENTRY = "y"
    LEAVE_UNANSWERED = "o"
    UNDO = "u"
    KEEP = "v"
    CHANGE = "j"
    SKIP = "k"
    REPORT = "r"
    MORE = "n"
    UP = "U"
    ASK = "q"
    TASK = "i"
    PAUSE = "z"
    BACK = "h"
    LANGUAGE = "l"
    CONSENT = "c"
    PROFILE = "p"
    ZONE = "t"
    WARNING = "w"
    CARD = "s"
    ENTER = "m"
    ATTEST = "e"
    WITHDRAW = "x"
    FORGET = "f"
    GO_ON = "g"
    CASE = "C"
    BOXES = "A"
    DECIDE = "D"
    BROKEN = "B"
    LATER = "L"
    REOPEN = "R"
    STOP = "S"
    NOTICE = "N"
    SESSION = "E"
    INVITE = "I"
    ORGANISE = "O"
    UNITE = "M"


BUTTON_ACTIONS = frozenset(ButtonAction)
REVISION, QUESTION_INDEX, OPTION_INDEX, TICK = range(4)
"""The indices of the numbers in the data of ANSWER, TOGGLE, DONE and LEAVE_UNANSWERED.

These are the revision of the answer, the index of the question in the item, the index of the option as shown, and for
TOGGLE 1 to tick the box or 0 to clear it. DONE, LEAVE_UNANSWERED, CHANGE and BACK have the first two, ANSWER the
first three. ENTRY has the first two, then what it does and to which part: the input of the question knows what these
mean. Its word may tell on which screen it stood.

LEAVE_UNANSWERED has a third number, 1, where in the second pass nothing is wrong with the item: it leaves all.

CASE, BOXES, DECIDE, BROKEN and REOPEN have the numbers of `CASE_NUMBER` below, and but for REOPEN the version of what
was shown as their word.

CONSENT has one number, 1 to agree or 0 to decline; PROFILE the index of the option, and a second number for "I would
rather not say"; WARNING a number only to decline; their words are the beginning
of the sha256 of the text or of the field. ATTEST has the number of the work session, the index of the option, and the
`AttestationMoment`.
"""
CASE_NUMBER, PICKED, FIRST = range(3)
"""The indices of the numbers in the data of buttons of a case.

These are the number of its decision, a number with a bit for each candidate that is right, and the index of the one
among them that is the gold.
"""


@dataclass(frozen=True)
class CallbackData:
    """The decoded data of a button; what `row_id`, `numbers` and `word` mean depends on the action."""

    action: ButtonAction
    row_id: int = 0
    numbers: tuple[int, ...] = ()
    word: str = ""

    def get_number(self, index: int) -> int:
        """The number at an index; raises Stale where there is none."""
        if index >= len(self.numbers):
            raise Stale("This button is not ours.")
        return self.numbers[index]

    def choose(self, options: Sequence[str], index: int) -> str:
        """The option whose number stands at an index; raises Stale where there is none."""
        number = self.get_number(index)
        if number >= len(options):
            raise Stale("There is no such option.")
        return options[number]


def encode_callback(callback: CallbackData) -> str:
    """Encode the data of a button; raises ValueError for data that does not fit the format."""
    data = (
        f"{callback.action}:{_to_base36(callback.row_id)}:{'.'.join(map(_to_base36, callback.numbers))}:{callback.word}"
    )
    fits = len(data) <= MAX_BYTES and max((callback.row_id, *callback.numbers)) <= MAX_NUMBER
    if not fits or _PATTERN.fullmatch(data) is None:
        raise ValueError(f"A button cannot carry {callback}")
    return data


def decode_callback(data: str | None) -> CallbackData | None:
    """Decode the data of a tapped button; None for data that this bot did not write."""
    match = _PATTERN.fullmatch(data or "")
    if match is None or match[1] not in BUTTON_ACTIONS:
        return None
    numbers = tuple(int(digits, 36) for digits in match[3].split(".")) if match[3] else ()
    callback = CallbackData(ButtonAction(match[1]), int(match[2], 36), numbers, match[4])
    encoded = f"{callback.action}:{_to_base36(callback.row_id)}:{'.'.join(map(_to_base36, numbers))}:{callback.word}"
    return callback if encoded == data and max((callback.row_id, *numbers)) <= MAX_NUMBER else None


def _to_base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
