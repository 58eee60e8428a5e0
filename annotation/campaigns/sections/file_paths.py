"""Paths of files as project and programme files write them, and which of them are refused.

A project file may come from somebody else, and annotators are shown what it names: a consent of `/etc/passwd`, say.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ValidationInfo

from annotation.campaigns.sections.base import Text

ALLOW_OUTSIDE = "--allow-outside"
"""The option of the commands that read a project file whose paths lead outside."""


@dataclass(frozen=True, kw_only=True)
class AllowedFolders:
    """Where the files of a project file may lie, given to its validation as `context`.

    `start` is the folder of the file, from which its paths start; `folders` are resolved, without symbolic links.
    """

    start: Path
    folders: tuple[Path, ...]

    def contains(self, path_in_file: str) -> bool:
        """Whether the file lies in one of the folders once symbolic links and `..` are resolved."""
        target = Path(os.path.realpath(self.start / path_in_file))
        return any(target.is_relative_to(folder) for folder in self.folders)


def find_allowed_folders(file: Path) -> AllowedFolders:
    """The folder of a project or programme file, and the folder where the command runs unless that is the root."""
    start = Path(os.path.realpath(file.parent))
    current = Path(os.path.realpath(Path.cwd()))
    return AllowedFolders(start=file.parent, folders=(start,) if current == Path(current.anchor) else (start, current))


def _refuse_outside(path_in_file: str, info: ValidationInfo) -> str:
    """Refuse a path outside the allowed folders; a definition from the database is parsed without any."""
    allowed = info.context
    if isinstance(allowed, AllowedFolders) and not allowed.contains(path_in_file):
        raise ValueError(
            f"The file {path_in_file!r} lies outside the folder of this file and outside the current folder:"
            f" copy it beside this file, or add {ALLOW_OUTSIDE} if you trust who wrote it"
        )
    return path_in_file


PathInFile = Annotated[Text, AfterValidator(_refuse_outside)]
"""The path of a file, from the folder of the project or programme file that names it."""
