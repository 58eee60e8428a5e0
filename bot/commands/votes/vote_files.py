"""Files of votes without a project: which files there are, and which columns hold items, annotators and answers."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from annotation.errors import BadInput, Where
from annotation.loading.project_drafts.column_names import Role, find_role

if TYPE_CHECKING:
    from aggregation.relations.engines import FileKind

KINDS: Mapping[str, FileKind] = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".csv.gz": "csv",
    ".arrow": "arrow",
}
"""The endings of files of votes."""
SNIFFED = 65_536
"""So many characters of a file tell what separates its cells."""
ROLES = (Role.ITEM, Role.ANNOTATOR, Role.ANSWER)


def find_files(given: Sequence[Path]) -> tuple[list[Path], FileKind]:
    """The files, and those in the folders that are given, sorted; raises BadInput if they are of several kinds."""
    files: list[Path] = []
    for path in given:
        if not path.exists():
            raise BadInput("There is no such file or folder.", where=Where(file=path), remedy="Check its name.")
        found = (
            [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file() and _find_kind(one))
        )
        if not found:
            raise BadInput(
                "The folder has no file of votes.",
                where=Where(file=path),
                remedy=f"Files of votes end in {', '.join(KINDS)}.",
            )
        files += found
    kinds = {path: _find_kind(path) for path in files}
    first = kinds[files[0]]
    for path, kind in kinds.items():
        if kind is None:
            raise BadInput(
                "This is not a file of votes.", where=Where(file=path), remedy=f"Name a file in {', '.join(KINDS)}."
            )
        if kind != first:
            raise BadInput(
                f"This file is {kind}, and {files[0].name} is {first}.",
                where=Where(file=path),
                remedy="Name files of one kind.",
            )
    return files, first or "csv"


def _find_kind(path: Path) -> FileKind | None:
    name = path.name.lower()
    return next((kind for ending, kind in KINDS.items() if name.endswith(ending)), None)


def choose_columns(columns: Sequence[str], chosen: Mapping[str, tuple[str, ...]], *, file: Path) -> dict[str, str]:
    """The columns of item, annotator and answer: those that `--as` names, else those known by their names.

    Raises BadInput where a column is missing or where several could be meant.
    """
    listed = ", ".join(columns)
    found: dict[str, str] = {}
    for role in ROLES:
        named = chosen.get(role.value, ())
        candidates = [*named] or [name for name in columns if find_role(name) is role]
        exact = [name for name in candidates if name == role.value]
        candidates = exact or candidates
        for name in named:
            if name not in columns:
                raise BadInput(
                    f"There is no column {name!r}.",
                    where=Where(file=file, field="--as"),
                    remedy=f"The columns are {listed}.",
                )
        if len(candidates) != 1:
            several = f"Several columns could be the {role.value}: {', '.join(candidates)}."
            raise BadInput(
                several if candidates else f"No column is known to hold the {role.value}.",
                where=Where(file=file),
                remedy=f"Name it: --as {role.value}=COLUMN. The columns are {listed}.",
            )
        found[role.value] = candidates[0]
    return found


def find_empty_cell(files: Sequence[Path], *, role: str, column: str) -> Where:
    """The position of the first vote with an empty cell in a column: file and line of CSV, else the first file."""
    for path in files:
        if path.suffix.lower() not in {".csv", ".tsv"}:
            continue
        with path.open(encoding="utf-8-sig", newline="") as opened:
            dialect = csv.Sniffer().sniff(opened.read(SNIFFED), delimiters=",;\t")
            opened.seek(0)
            for row in (reader := csv.DictReader(opened, dialect=dialect)):
                if not row.get(column):
                    return Where(file=path, line=reader.line_num, field=role)
    return Where(file=files[0], field=role)
