"""Files that Git, file managers, editors and caches leave in a published folder; none of them is a part of it."""

from __future__ import annotations

import os
from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import Path

GIT_ATTRIBUTES = ".gitattributes"
NO_CONVERSION = "* -text\n"
"""What `.gitattributes` of a published folder says: Git converts no line end in it, whatever `core.autocrlf` is."""
FOREIGN_NAMES = (
    ".git", GIT_ATTRIBUTES, ".gitignore", ".gitkeep", ".gitmodules", ".hg", ".svn",
    ".DS_Store", "._*", "__MACOSX", "Thumbs.db", "desktop.ini", ".directory",
    "*~", ".*.sw[a-p]", "#*#", ".#*", ".idea", ".vscode",
    "__pycache__", ".ipynb_checkpoints", ".cache",
)  # fmt: skip
"""Names of files, or of folders with all that is in them, as patterns."""


def is_foreign(name: str) -> bool:
    """Whether a file or a folder of this name is of another program."""
    return any(fnmatchcase(name, pattern) for pattern in FOREIGN_NAMES)


def list_files(folder: Path, *, own: Collection[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The files in a folder, by path, and the foreign files and folders, which end with a slash.

    Files of its `own` are never foreign. Foreign folders are not entered.
    """
    kept = {parent.as_posix() for path in own for parent in Path(path).parents}
    files: set[str] = set()
    foreign: list[str] = []
    for place, folders, names in os.walk(folder):
        base = Path(place).relative_to(folder)
        for name in sorted(folders):
            path = (base / name).as_posix()
            if is_foreign(name) and path not in kept:
                folders.remove(name)
                foreign.append(f"{path}/")
        for name in names:
            path = (base / name).as_posix()
            if is_foreign(name) and path not in own:
                foreign.append(path)
            else:
                files.add(path)
    return frozenset(files), tuple(sorted(foreign))
