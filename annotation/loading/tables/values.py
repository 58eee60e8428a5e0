"""Converts values of typed tables, Parquet and spreadsheets, to those that JSON has."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from annotation.errors import BadInput


def convert_value(value: Any) -> Any:  # noqa: PLR0911  # one return for each type
    """Convert a value to JSON: times as ISO 8601, decimals as text, NaN and infinity as null.

    Raises BadInput, without the place, for a value that cannot be stored.
    """
    match value:
        case None | bool() | int():
            return value
        case str():
            return _check_storable(value)
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple():
            return [convert_value(element) for element in value]
        case dict():
            return {_check_storable(str(key)): convert_value(element) for key, element in value.items()}
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | timedelta():
            return str(value)
    raise BadInput("This column holds neither text nor numbers.", remedy="Leave pictures and other bytes out.")


def _check_storable(text: str) -> str:
    if "\0" in text:
        raise BadInput("The character U+0000 cannot be stored.", remedy="Take it out.")
    return text
