"""What a button carries back: what it does, to which row, with which numbers and word; never a text, at most 64 bytes.

`VERB:ROW:NUMBERS:WORD`, numbers in base 36 with dots between them. Anything that is not written so, to the byte, was
not written here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from annotation.errors import Stale

MOST_BYTES = 64
MOST = 2**31 - 1
"""The largest id that a table has room for."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PRESS = re.compile(
    r"([a-z]):([0-9a-z]{1,6}):((?:[0-9a-z]{1,6}(?:\.[0-9a-z]{1,6}){0,3})?):([A-Za-z0-9_+/-]{0,32})", re.ASCII
)


class Verb(StrEnum):
    """What a button does. The row is an assignment's for all that is done to an item, else a project's or none."""

    ANSWER = "a"
    TOGGLE = "b"
    DONE = "d"
    OPEN = "o"
    UNDO = "u"
    KEEP = "v"
    SKIP = "k"
    REPORT = "r"
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


VERBS = frozenset(Verb)


@dataclass(frozen=True)
class Press:
    """A pressed button."""

    verb: Verb
    row: int = 0
    numbers: tuple[int, ...] = ()
    word: str = ""

    def number(self, place: int) -> int:
        """The number at that place; raises Stale where there is none."""
        if place >= len(self.numbers):
            raise Stale("This button is not ours.")
        return self.numbers[place]


def encode(press: Press) -> str:
    """The data of a button; raises ValueError for what does not fit."""
    data = f"{press.verb}:{_base36(press.row)}:{'.'.join(map(_base36, press.numbers))}:{press.word}"
    fits = len(data) <= MOST_BYTES and max((press.row, *press.numbers)) <= MOST
    if not fits or _PRESS.fullmatch(data) is None:
        raise ValueError(f"A button cannot carry {press}")
    return data


def decode(data: str | None) -> Press | None:
    """What a button carried; None for anything that this bot did not write."""
    found = _PRESS.fullmatch(data or "")
    if found is None or found[1] not in VERBS:
        return None
    numbers = tuple(int(one, 36) for one in found[3].split(".")) if found[3] else ()
    made = Press(Verb(found[1]), int(found[2], 36), numbers, found[4])
    plain = f"{made.verb}:{_base36(made.row)}:{'.'.join(map(_base36, numbers))}:{made.word}"
    return made if plain == data and max((made.row, *numbers)) <= MOST else None


def _base36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
