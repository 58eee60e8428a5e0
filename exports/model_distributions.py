"""The probabilities that a model gives to the options of an item, checked as they are read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from aggregation import spelling
from aggregation.errors import HromadaError, Where

KEY = "distribution"
"""The key of a row of answers that has the probabilities; `answer` can be such an object too."""
SUM_TOLERANCE = 0.001
"""How far the sum of rounded probabilities can be from 1."""
EXAMPLE = f'Write "{KEY}": {{"yes": 0.7, "no": 0.3}}.'


def read_distribution(written: object, options: Sequence[str] | None, where: Where) -> dict[str, float]:
    """The probability of each option in the order of the options, with the sum 1.

    `options` are those that the item offers; none are checked for an item that the project does not have (None).
    Raises HromadaError with the place for what is no object of numbers from 0 to 1, for a sum that is not 1, and for
    an option that is missing, unknown, or named twice.
    """
    where = replace(where, field=KEY)
    if not isinstance(written, Mapping) or not written:
        raise HromadaError("The distribution is not an object of options.", remedy=EXAMPLE, where=where)
    numbers = {str(label): _read_number(label, number, where) for label, number in written.items()}
    total = sum(numbers.values())
    if abs(total - 1) > SUM_TOLERANCE + 1e-9:
        raise HromadaError(
            f"The probabilities add up to {total:.6g}, not to 1.", remedy="Divide each by their sum.", where=where
        )
    if options is None:
        return {label: number / total for label, number in numbers.items()}
    named: dict[str, float] = {}
    for label, number in numbers.items():
        option = spelling.find_name(label, options)
        if option is None or option in named:
            problem = "is not an option of this item" if option is None else "is named twice"
            raise HromadaError(
                f"{spelling.quote_word(label)} {problem}.",
                remedy=f"Name each once: {spelling.list_words(options)}.",
                where=where,
            )
        named[option] = number / total
    missing = [option for option in options if option not in named]
    if missing:
        raise HromadaError(
            f"The distribution lacks the option {spelling.quote_word(missing[0])}.",
            remedy="Give each option of the item a probability, 0 too.",
            where=where,
        )
    return {option: named[option] for option in options}


def choose_likeliest(distribution: Mapping[str, float]) -> str:
    """The option with the largest probability, the first of equal ones."""
    return max(distribution, key=lambda option: distribution[option])


def find_written(row: Mapping[str, Any], *, is_label: bool) -> object:
    """The distribution as a row has it; None without one."""
    if row.get(KEY) is not None:
        return row[KEY]
    answer = row.get("answer")
    return answer if is_label and isinstance(answer, Mapping) else None


def _read_number(label: object, number: object, where: Where) -> float:
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number) or number < 0:
        raise HromadaError(
            f"The probability of {spelling.quote_word(str(label))} is {number!r}.",
            remedy="Write a number from 0 to 1.",
            where=where,
        )
    return float(number)
