"""Numbers with fixed decimals, as the cells of published tables have them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from aggregation.agreement import Coefficient

DIGITS = 6  # decimals; more would differ between machines


def fixed(number: float | None, digits: int) -> str | None:
    """The number with fixed decimals, None for nan; never a minus before zero."""
    return None if number is None or number != number else f"{round(number, digits) + 0.0:.{digits}f}"  # noqa: PLR0124


def percent(share: float | None) -> str | None:
    """A share in percent with two decimals."""
    return None if share is None else fixed(100 * share, 2)


def column(numbers: pd.Series[float], *, digits: int) -> pd.Series[Any]:
    """A column of such cells."""
    return pd.Series([fixed(number, digits) for number in numbers], index=numbers.index, dtype=object)


def rounded(number: float | None) -> float | None:
    """The number with DIGITS decimals, for JSON."""
    return None if number is None else round(float(number), DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0


def coefficient(row: Coefficient) -> dict[str, Any]:
    """A coefficient with its interval, and what it rests on, for JSON."""
    return {
        "name": row.name,
        "of": row.of,
        "value": rounded(row.value),
        "low": rounded(row.low),
        "high": rounded(row.high),
        "n_items": row.n_items,
        "n_votes": row.n_votes,
        "n_annotators": row.n_annotators,
        "how": row.how,
        "reason": row.reason,
        "undefined_resamples": row.undefined_resamples,
        "classes_are_positions": row.positions,
        "basis": row.basis,
    }
