"""The base class of sections of the project file, and the types of values: names, durations, shares, counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from annotation.campaigns.yaml_document import KeyPath

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)?")
_SECONDS_BY_UNIT = {None: 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
MAX_SECONDS = 100 * 365.25 * 86_400
"""A hundred years in seconds: the longest duration that can be added to any date."""
MAX_INTEGER = 2**31 - 1
"""The largest integer that a column of any database holds."""
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*(%)?")


def wrap_in_list(value: object) -> object:
    """Wrap a single text in a list, so that it may be written without brackets."""
    return [value] if isinstance(value, str) else value


def _refuse_none(value: object) -> object:
    """Refuse a key without a value; pydantic's own message would mention None."""
    if value is None:
        raise ValueError("It is empty")
    return value


def _check_name(value: str) -> str:
    """Check a project name, which is used in file names, columns and commands."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", value):
        raise ValueError(f"{value!r} cannot be a name: use Latin letters, digits, `-`, `_` and `.`, 64 at the most")
    if value.endswith((".yaml", ".yml")):
        raise ValueError(f"{value!r} would be taken for a file: leave the ending out")
    return value


def _check_language(value: str) -> str:
    """Check the code of a language without a country."""
    if not re.fullmatch(r"[a-z]{2,3}", value):
        raise ValueError(f"{value!r} is no code of a language: write it like uk, en or ru")
    return value


def _parse_share(value: object) -> object:
    """Parse `60 %` or `0.6` into the number 0.6; a number, as the database stores it, is kept."""
    if not isinstance(value, str):
        return value
    match = _SHARE.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{value!r} is no share; write it like 60 % or 0.6")
    return float(match[1]) / 100 if match[2] else float(match[1])


def parse_duration(value: object) -> object:
    """Parse `30 s`, `5 min`, `2 h` or `1 d` into seconds; without a unit the number is in seconds."""
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{value!r} is no length of time; write it like 30 s, 5 min or 2 h")
    return float(match[1]) * _SECONDS_BY_UNIT[match[2]]


CONTRADICTION = "contradiction"
"""The type of the pydantic error that carries a `Contradiction`."""


@dataclass(frozen=True)
class Contradiction:
    """Two parts of a project file that contradict each other."""

    message: str
    """One sentence without a full stop."""
    key_path: KeyPath
    """The key to correct."""


def build_validation_error(contradictions: Sequence[Contradiction]) -> PydanticCustomError:
    """The pydantic error that a validator of the whole file raises; it carries them all, each with its key path."""
    return PydanticCustomError(CONTRADICTION, "{found}", {"found": tuple(contradictions)})


Text = Annotated[str, BeforeValidator(_refuse_none), Field(min_length=1)]
Columns = Annotated[tuple[Text, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]
"""Names of columns, at least one; a single name needs no brackets."""
Values = Columns
"""Answers or other values, at least one; a single value needs no brackets."""
Texts = Annotated[tuple[Text, ...], BeforeValidator(wrap_in_list)]
"""Any number of texts; a single text needs no brackets."""
Name = Annotated[str, BeforeValidator(_refuse_none), Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
ProjectName = Annotated[str, BeforeValidator(_refuse_none), AfterValidator(_check_name)]
Language = Annotated[str, AfterValidator(_check_language)]
Share = Annotated[float, BeforeValidator(_parse_share), Field(ge=0, le=1)]
"""A share from 0 to 1."""
Seconds = Annotated[float, BeforeValidator(parse_duration), Field(gt=0, le=MAX_SECONDS)]
Count = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
Comparison = Literal["<", "<="]


def multiply_share(share: float, of: int) -> Fraction:
    """Multiply a number by a share, taken as it was written: 0.55 of 20 is 11, where floats give 11.000000000000002."""
    return Fraction(repr(share)) * of


class Section(BaseModel):
    """A section of the project file: unknown keys are refused, and values cannot be changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)
