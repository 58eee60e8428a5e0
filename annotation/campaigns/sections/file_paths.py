"""Paths of files as project and programme files write them, and which of them are refused.

A project file may come from somebody else, and annotators are shown what it names: a consent of `/etc/passwd` or
instructions from `.env`, say.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, ValidationInfo

from annotation import secret_files
from annotation.campaigns.sections.base import Text

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
            f"The file {path_in_file!r} lies outside the folder of this file and outside the current folder:"
            f" copy it beside this file, or add {ALLOW_OUTSIDE} if you trust who wrote it"
        )
    if secret := secret_files.find_secret(allowed.start / path_in_file):
        remedy = secret.remedy[0].lower() + secret.remedy[1:].rstrip(".")
        raise ValueError(f"The file {path_in_file!r} {secret.reason}: {remedy}")
    return path_in_file


PathInFile = Annotated[Text, AfterValidator(_refuse_forbidden)]
"""The path of a file, from the folder of the project or programme file that names it."""
