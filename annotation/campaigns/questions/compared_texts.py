"""How compared texts are laid out on a phone: in one message, or each in one of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotation.campaigns.questions.question_base import count_units

MAX_SIDE_UNITS, MESSAGE_UNITS = 1500, 3900
"""The longest text that shares a message with another one, and how much of a message texts can fill, in UTF-16 units:
4,096 less the header of an item, letters, and lines between texts."""
_GENDERS = {
    "masculine": {"кращий", "найкращий", "lepszy", "najlepszy"},
    "feminine": {"краща", "найкраща", "lepsza", "najlepsza"},
}
MAX_MESSAGES = 4
"""In more messages than this nobody compares texts on a phone."""


def fit_one_message(sides: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one message has room for the sides, and for the other texts of an item: its stimulus and its question."""
    units = list(map(count_units, sides))
    return max(units) <= MAX_SIDE_UNITS and sum(units) + sum(map(count_units, others)) <= MESSAGE_UNITS


def count_messages(sides: Sequence[str], *, above: str, below: str) -> int:
    """How many messages an item needs: the stimulus `above` the first side, the question `below` the last."""
    if fit_one_message(sides, (above, below)):
        return 1
    parts = [above + sides[0], *sides[1:-1], sides[-1] + below]
    return sum(-(-count_units(part) // MESSAGE_UNITS) for part in parts)


def find_gender(question: str) -> str:
    """The gender in which a Ukrainian or Polish question asks for the better text: neuter where neither is named."""
    asked = {*re.findall(r"\w+", question.casefold())}
    return next((gender for gender, words in _GENDERS.items() if words & asked), "neuter")
