"""Numbers with fixed decimals, as the cells of published tables have them."""

from __future__ import annotations

from typing import Any

import pandas as pd


def fixed(number: float | None, digits: int) -> str | None:
    """The number with fixed decimals, None for nan; never a minus before zero."""
    return None if number is None or number != number else f"{round(number, digits) + 0.0:.{digits}f}"  # noqa: PLR0124


def percent(share: float | None) -> str | None:
    """A share in percent with two decimals."""
    return None if share is None else fixed(100 * share, 2)


def column(numbers: pd.Series[float], *, digits: int) -> pd.Series[Any]:
    """A column of such cells."""
    return pd.Series([fixed(number, digits) for number in numbers], index=numbers.index, dtype=object)
