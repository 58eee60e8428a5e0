"""Numbers with fixed decimals, for the cells of published tables and for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from aggregation.agreement.table import Coefficient

DIGITS = 6  # decimals; more would differ between machines
VALUE_COLUMNS = (
    "value", "ci_low", "ci_high", "se", "df", "item_only_low", "item_only_high", "ci_method", "n_items", "n_annotators",
    "n_answers", "warning", "reason",
)  # fmt: skip
"""How each row with a value and its intervals ends."""


def format_fixed(number: float | None, digits: int) -> str | None:
    """Format a number with fixed decimals; None for None and nan, and never a minus before zero."""
    return None if number is None or number != number else f"{round(number, digits) + 0.0:.{digits}f}"  # noqa: PLR0124


def format_fields(record: object, names: Iterable[str], *, digits: int = 4) -> dict[str, str | None]:
    """The numbers of a record that have these names, each formatted with `format_fixed`."""
    return {name: format_fixed(getattr(record, name), digits) for name in names}


def format_percent(share: float | None) -> str | None:
    """Format a share in percent, with two decimals."""
    return None if share is None else format_fixed(100 * share, 2)


def format_column(numbers: pd.Series[float], *, digits: int) -> pd.Series[Any]:
    """Format each number of a column with `format_fixed`."""
    return pd.Series([format_fixed(number, digits) for number in numbers], index=numbers.index, dtype=object)


def round_number(number: float | None) -> float | None:
    """Round a number to DIGITS decimals, for JSON."""
    return None if number is None else round(float(number), DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0


def round_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with its fractions rounded as by `round_number`; None for nan."""
    return {
        name: (None if value != value else round_number(value)) if isinstance(value, float) else value  # noqa: PLR0124
        for name, value in row.items()
    }


def serialize_coefficient(coefficient: Coefficient) -> dict[str, Any]:
    """A coefficient as an object for JSON: value, intervals, counts, and how it was computed."""
    return {
        "name": coefficient.name,
        "of": coefficient.of,
        "level": coefficient.level,
        "value": round_number(coefficient.value),
        "low": round_number(coefficient.low),
        "high": round_number(coefficient.high),
        "new_people_low": round_number(coefficient.new_people_low),
        "new_people_high": round_number(coefficient.new_people_high),
        "n_items": coefficient.n_items,
        "n_votes": coefficient.n_votes,
        "n_annotators": coefficient.n_annotators,
        "how": coefficient.how,
        "reason": coefficient.reason,
        "new_people_reason": coefficient.new_people_reason,
        "undefined_resamples": coefficient.undefined_resamples,
        "classes_are_positions": coefficient.positions,
        "basis": coefficient.basis,
    }
