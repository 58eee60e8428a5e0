"""What every part of a project file is made of: frozen sections, and the words that numbers are written in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from annotation.campaigns.document import KeyPath

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)?")
_SECONDS = {None: 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
LONGEST = 100 * 365.25 * 86_400
"""Seconds in a hundred years: any date can be put off by as much."""
MOST = 2**31 - 1
"""What a column of numbers holds in any database."""
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*(%)?")


def as_list(value: object) -> object:
    """One value may be written without brackets."""
    return [value] if isinstance(value, str) else value


def _text(value: object) -> object:
    """A key without a value is a mistake where text is asked for; pydantic's own sentence would speak of None."""
    if value is None:
        raise ValueError("It is empty")
    return value


def _name(value: str) -> str:
    """A project's name stands in file names, columns and commands."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", value):
        raise ValueError(f"{value!r} cannot be a name: use Latin letters, digits, `-`, `_` and `.`, 64 at the most")
    if value.endswith((".yaml", ".yml")):
        raise ValueError(f"{value!r} would be taken for a file: leave the ending out")
    return value


def _language(value: str) -> str:
    """The code of a language without a country."""
    if not re.fullmatch(r"[a-z]{2,3}", value):
        raise ValueError(f"{value!r} is no code of a language: write it like uk, en or ru")
    return value


def _share(value: object) -> object:
    """`60 %` and `0.6` are the same share; a number from the database stays what it is."""
    if not isinstance(value, str):
        return value
    found = _SHARE.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"{value!r} is no share; write it like 60 % or 0.6")
    return float(found[1]) / 100 if found[2] else float(found[1])


def seconds(value: object) -> object:
    """`30 s`, `5 min`, `2 h`; a bare number is seconds."""
    if not isinstance(value, str):
        return value
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"{value!r} is no length of time; write it like 30 s, 5 min or 2 h")
    return float(found[1]) * _SECONDS[found[2]]


CONTRADICTION = "contradiction"


@dataclass(frozen=True)
class Contradiction:
    """Two parts of a file that do not agree: one sentence without a full stop, and the key to look at."""

    says: str
    at: KeyPath

    @property
    def failure(self) -> PydanticCustomError:
        """What a validator of the whole file raises, so that the place survives pydantic."""
        return PydanticCustomError(CONTRADICTION, "{says}", {"says": self.says, "at": self.at})


Text = Annotated[str, BeforeValidator(_text), Field(min_length=1)]
Columns = Annotated[tuple[Text, ...], BeforeValidator(as_list), Field(min_length=1)]
Words = Annotated[tuple[Text, ...], BeforeValidator(as_list)]
Name = Annotated[str, BeforeValidator(_text), Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
ProjectName = Annotated[str, BeforeValidator(_text), AfterValidator(_name)]
Language = Annotated[str, AfterValidator(_language)]
Share = Annotated[float, BeforeValidator(_share), Field(ge=0, le=1)]
Seconds = Annotated[float, BeforeValidator(seconds), Field(gt=0, le=LONGEST)]
Count = Annotated[int, Field(ge=1, le=MOST)]
Comparison = Literal["<", "<="]


def part(share: float, of: int) -> Fraction:
    """The share of a number as it was written: 0.55 of 20 is 11, and not the 11.000000000000002 of floats."""
    return Fraction(repr(share)) * of


class Section(BaseModel):
    """A part of the file: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)
