"""The base class of sections of the project file, and the types of values: names, durations, shares, counts."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from annotation import secret_files
from annotation.campaigns.yaml_document import KeyPath

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)?")
_SECONDS_BY_UNIT = {None: 1.0, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
MAX_SECONDS = 100 * 365.25 * 86_400
"""A hundred years in seconds: the longest duration that can be added to any date."""
MAX_INTEGER = 2**31 - 1
"""The largest integer that a column of any database holds."""
_SHARE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(%)?")


def wrap_in_list(value: object) -> object:
    """Wrap a single text in a list, so that it may be written without brackets."""
    return [value] if isinstance(value, str) else value


def refuse_none(value: object) -> object:
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
        raise ValueError(f"{value!r} is not a language code: write it like uk, en or ru")
    return value


def _parse_share(value: object) -> object:
    """Parse `60 %` or `0.6` into the number 0.6; a number, as the database stores it, is kept."""
    if not isinstance(value, str):
        return value
    match = _SHARE.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{value!r} is not a share; write it like 60 % or 0.6")
    return float(match[1]) / 100 if match[2] else float(match[1])


def parse_duration(value: object) -> object:
    """Parse `30 s`, `5 min`, `2 h` or `1 d` into seconds; without a unit the number is in seconds."""
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{value!r} is not a duration; write it like 30 s, 5 min or 2 h")
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


Text = Annotated[str, BeforeValidator(refuse_none), Field(min_length=1)]
Column = Annotated[str, BeforeValidator(refuse_none)]
"""The name of a column; `""` is the column without a name."""
Columns = Annotated[tuple[Column, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]
"""Names of columns, at least one; a single name needs no brackets."""
Values = Annotated[tuple[Text, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]
"""Answers or other values, at least one; a single value needs no brackets."""
Texts = Annotated[tuple[Text, ...], BeforeValidator(wrap_in_list)]
"""Any number of texts; a single text needs no brackets."""
Name = Annotated[str, BeforeValidator(refuse_none), Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
ProjectName = Annotated[str, BeforeValidator(refuse_none), AfterValidator(_check_name)]
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


ALLOW_OUTSIDE = "--allow-outside"
"""The option of the commands that read a project file whose paths lead outside."""


@dataclass(frozen=True, kw_only=True)
class AllowedFolders:
    """Where the files of a project file may lie, given to its validation as `context`.

    `start` is the folder of the file, from which its paths start; `folders` are resolved, without symbolic links, and
    None where files may lie anywhere.
    """

    start: Path
    folders: tuple[Path, ...] | None

    def contains(self, path_in_file: str) -> bool:
        """Whether the file lies in one of the folders once symbolic links and `..` are resolved."""
        target = Path(os.path.realpath(self.start / path_in_file))
        return self.folders is None or any(target.is_relative_to(folder) for folder in self.folders)


def find_allowed_folders(file: Path, *, allow_outside: bool) -> AllowedFolders:
    """The folder of a project or programme file, and the folder where the command runs unless that is the root."""
    if allow_outside:
        return AllowedFolders(start=file.parent, folders=None)
    start = Path(os.path.realpath(file.parent))
    current = Path(os.path.realpath(Path.cwd()))
    return AllowedFolders(start=file.parent, folders=(start,) if current == Path(current.anchor) else (start, current))


def _refuse_forbidden(path_in_file: str, info: ValidationInfo) -> str:
    """Refuse a path outside the allowed folders, and a secret file in any folder.

    A definition from the database is parsed without folders; its files are still refused when they are read
    (`input_files`).
    """
    allowed = info.context
    if not isinstance(allowed, AllowedFolders):
        return path_in_file
    if not allowed.contains(path_in_file):
        raise ValueError(
            f"The file {path_in_file!r} is outside the folder of this file and outside the current folder:"
            f" copy it beside this file, or add {ALLOW_OUTSIDE} if you trust who wrote it"
        )
    if secret := secret_files.find_secret(allowed.start / path_in_file):
        remedy = secret.remedy[0].lower() + secret.remedy[1:].rstrip(".")
        raise ValueError(f"The file {path_in_file!r} {secret.reason}: {remedy}")
    return path_in_file


PathInFile = Annotated[Text, AfterValidator(_refuse_forbidden)]
"""The path of a file, from the folder of the project or programme file that names it."""
