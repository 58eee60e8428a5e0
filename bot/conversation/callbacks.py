"""The data of inline buttons: an action, a row id, numbers and a word, in at most 64 bytes; never a text.

The format is `ACTION:ROW:NUMBERS:WORD`, with numbers in base 36 joined by dots. Data that differs from it in a single
byte was not written by this bot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.errors import Stale

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
    buttons for what is done seldom, ASK asks for a question to the organisers, TASK shows the task card again, PAUSE
    stops work, BACK leads from other buttons to those of the item, and with the numbers of a question to the one
    before.

    On a project, whose id is the row: CONSENT, PROFILE and WARNING answer a question before the first item, CARD marks
    the task card as read, ENTER begins work on the project or programme, ATTEST answers the question about aids,
    WITHDRAW leaves the project.

    On an adjudication case, whose id is the row: CASE shows it (without a row: the first that waits), BOXES shows it
    with boxes to tick, DECIDE stores what is right, BROKEN asks what is wrong with the item, LATER leaves it for now,
    REOPEN takes the decision back, STOP ends the work on cases.

    Without a row: LANGUAGE and ZONE (time zone; with row 1 to be written to by day) set what the word names, FORGET
    erases the annotator's data, GO_ON shows the current screen, NOTICE sets what the bot writes first, as its word
    says, SESSION begins a session of so many items, 0 for no end; on a task card it marks the card as read, as CARD
    does.

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
    ORGANISE = "O"


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
