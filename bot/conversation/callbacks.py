"""What a button carries: the assignment, its revision and the option, in at most 64 bytes; never a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST_BYTES = 64
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TAP = re.compile(r"a:([0-9a-z]{1,13}):([0-9]{1,4}):([0-9]{1,3})", re.ASCII)


@dataclass(frozen=True)
class Tap:
    """A tap on an option: `option` is its index in the order shown."""

    assignment_id: int
    revision: int
    option: int


def encode(tap: Tap) -> str:
    """`a:ASSIGNMENT in base 36:REVISION:OPTION`."""
    number, digits = tap.assignment_id, ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return f"a:{digits}:{tap.revision}:{tap.option}"


def decode(data: str | None) -> Tap | None:
    """The tap that a button carried; None for anything that this bot did not write."""
    found = _TAP.fullmatch(data or "")
    return Tap(int(found[1], 36), int(found[2]), int(found[3])) if found else None
