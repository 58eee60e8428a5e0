"""The proof of a release: everything is computed again from its raw files, and compared with its folder."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from aggregation.errors import HromadaError, Where
from aggregation.intervals.resampling import Progress
from exports.benchmark_items import task_functions
from exports.foreign_files import list_files
from exports.lm_eval import ReplayedPeople
from exports.lm_eval.replay import get_harness_version
from exports.lm_eval.results import MANIFEST
from exports.release.folder import BENCHMARK, KEY, KIND, RESULTS, build_release_folder, hash_content
from exports.release.raw_inputs import INPUTS, read_inputs

PICTURES = f"{BENCHMARK}/lm_eval/{task_functions.PICTURES}/"
"""Where the pictures of items are in a release."""
SHOWN = 60
"""How many characters of a value are shown."""
KEY_CELLS = 3
"""How many cells of a row are shown to name it."""


def describe_difference(path: str, found: bytes, expected: bytes) -> str:
    """A sentence on the first difference between what stands in a file and what follows from the raw files.

    Tables are compared by row and column, JSON by the path of the value, other texts by line.
    """
    try:
        if path.endswith(".csv"):
            return _compare_tables(found.decode(), expected.decode())
        if path.endswith(".json"):
            return _compare_json(json.loads(found), json.loads(expected))
        if path.endswith(".parquet"):
            return _compare_parquet(found, expected)
        return _compare_lines(found.decode(), expected.decode())
    except (ValueError, csv.Error, OSError):
        return "its content is of another form than follows"


def _compare_tables(found: str, expected: str) -> str:
    rows, others = (list(csv.reader(io.StringIO(text, newline=""), strict=True)) for text in (found, expected))
    if rows[:1] != others[:1]:
        return f"the columns are {_show(rows[:1])}, and {_show(others[:1])} follow"
    for number, (row, other) in enumerate(zip_longest(rows[1:], others[1:]), start=1):
        if row is None or other is None:
            return f"{len(rows) - 1} rows are there, {len(others) - 1} follow"
        for name, cell, right in zip_longest(rows[0], row, other):
            if cell != right:
                return f"row {number} ({', '.join(other[:KEY_CELLS])}), column {name}: {_contrast(cell, right)}"
    return _compare_lines(found, expected)


def _compare_json(found: Any, expected: Any) -> str:
    for place, value, right in _walk_differences(found, expected, ""):
        return f"{place or 'the whole'}: {_contrast(value, right)}"
    return "only its layout differs"


def _walk_differences(found: Any, expected: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted({*found, *expected}):
            yield from _walk_differences(found.get(key), expected.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(found, list) and isinstance(expected, list):
        for number, (one, other) in enumerate(zip_longest(found, expected)):
            yield from _walk_differences(one, other, f"{place}[{number}]")
    elif found != expected or type(found) is not type(expected):
        yield place, found, expected


def _compare_parquet(found: bytes, expected: bytes) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table, other = (pq.read_table(io.BytesIO(content)) for content in (found, expected))
    except pa.ArrowException:
        return "it cannot be read as a Parquet file"
    if table.schema != other.schema or table.num_rows != other.num_rows:
        return f"{table.num_rows} rows of {table.num_columns} columns are there, others follow"
    for name in table.column_names:
        for number, (cell, right) in enumerate(zip(table[name].to_pylist(), other[name].to_pylist(), strict=True)):
            if cell != right:
                return f"row {number + 1}, column {name}: {_contrast(cell, right)}"
    return "only its layout differs"


def _compare_lines(found: str, expected: str) -> str:
    lines, others = found.split("\n"), expected.split("\n")
    for number, (line, other) in enumerate(zip_longest(lines, others), start=1):
        if line != other:
            return f"line {number}: {_contrast(line, other)}"
    return "only its layout differs"


def _contrast(found: object, expected: object) -> str:
    if isinstance(found, str) and isinstance(expected, str):
        start = next((place for place, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1]), 0)
        begin = max(0, start - SHOWN // 2)
        if max(len(found), len(expected)) > SHOWN:
            found, expected = ("…" * bool(begin) + text[begin : begin + SHOWN] for text in (found, expected))
    return f"{_show(found)} is there, {_show(expected)} follows"


def _show(value: object) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"“{text if len(text) <= SHOWN + 1 else text[:SHOWN] + '…'}”"


@dataclass(frozen=True, kw_only=True)
class FileProblem:
    """A file of the folder that is not what it should be, and what is wrong with it, in a sentence."""

    file: str
    problem: str


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What was found wrong, file by file, how many files were compared, and notes on what could not be recomputed.

    `ignored` are files and folders of other programs, `converted` the files whose line ends were LF and are CRLF now:
    nothing else differs in them, so they are no finding. `is_recomputed` is false of a build, which has no raw files.
    """

    findings: tuple[FileProblem, ...]
    n_files: int
    notes: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    converted: tuple[str, ...] = ()
    is_recomputed: bool = True


class _Folder:
    """A published folder with its manifest: its files, and what differs from the manifest."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise HromadaError(
                "There is no such folder.",
                remedy="Name the folder of a release or a build.",
                where=Where(file=folder),
            )
        self._folder = folder
        self.manifest = _read_manifest(folder)
        listed: Mapping[str, str] = self.manifest["files"]
        self.paths, self.ignored = list_files(folder, own=listed.keys())
        self.converted: set[str] = set()
        self.findings = dict.fromkeys(sorted(listed.keys() - self.paths), "it is missing")
        self.findings |= dict.fromkeys(sorted(self.paths - listed.keys() - {MANIFEST}), "the manifest does not list it")
        for path in sorted(listed.keys() & self.paths):
            content = (folder / path).read_bytes()
            if hash_content(content) == listed[path]:
                continue
            if hash_content(_restore_line_ends(content)) == listed[path]:
                self.converted.add(path)
            else:
                self.findings[path] = "it was changed: its SHA-256 is not that of the manifest"

    def read(self, path: str) -> bytes:
        """The content of a file, with its line ends as the manifest has them."""
        content = (self._folder / path).read_bytes()
        return _restore_line_ends(content) if path in self.converted else content

    def compare(self, rebuilt: Mapping[str, bytes]) -> None:
        """Add what differs from the files that follow from the raw ones."""
        for path in sorted({*rebuilt, *self.paths}):
            if path not in rebuilt:
                self.findings.setdefault(path, "it does not belong to the release")
            elif path not in self.paths:
                self.findings.setdefault(path, "it is missing")
            elif path != MANIFEST or not self.findings:
                content = self.read(path)
                if path == MANIFEST and _restore_line_ends(content) == rebuilt[path] != content:
                    self.converted.add(path)
                elif content != rebuilt[path]:
                    self.findings[path] = describe_difference(path, content, rebuilt[path])

    def conclude(self, notes: tuple[str, ...], *, is_recomputed: bool = True) -> Verification:
        """All that was found."""
        return Verification(
            findings=tuple(FileProblem(file=path, problem=problem) for path, problem in sorted(self.findings.items())),
            n_files=len(self.paths),
            notes=notes,
            ignored=self.ignored,
            converted=tuple(sorted(self.converted)),
            is_recomputed=is_recomputed,
        )


def _restore_line_ends(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def verify_folder(folder: Path, *, progress: Progress | None = None) -> Verification:
    """Verify a release: its files against the manifest, and every file against what follows from `inputs/`.

    Of a build, which has no `inputs/`, the files are compared with the manifest only. `progress` is called with the
    share done, 0 to 1. Raises HromadaError for a folder that is neither.
    """
    found = _Folder(folder)
    if found.manifest.get("kind") != KIND:
        return found.conclude((), is_recomputed=False)
    notes: tuple[str, ...] = ()
    try:
        names = [path for path in found.paths if path.startswith(f"{INPUTS}/")]
        raw = {path: found.read(path).decode(errors="replace") for path in names}
        inputs = read_inputs(raw, dict(_read_pictures(found)))
        notes, recorded = _find_recorded(found, inputs.facts.harness)
        rebuilt = build_release_folder(
            inputs, draft=found.manifest.get("draft") is True, recorded=recorded, progress=progress
        ).files
    except HromadaError as failure:
        place = str(failure.where.file) if failure.where is not None and failure.where.file is not None else INPUTS
        found.findings.setdefault(place, f"nothing can be computed from it: {failure.problem}")
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as failure:
        found.findings.setdefault(INPUTS, f"the raw files contradict each other ({type(failure).__name__}: {failure})")
    else:
        found.compare(rebuilt)
    return found.conclude(notes)


def _read_pictures(found: _Folder) -> Iterator[tuple[str, bytes]]:
    """The pictures by name; raises HromadaError for one whose name, which the raw files have, is not its hash."""
    for path in sorted(path for path in found.paths if path.startswith(PICTURES)):
        name, content = path.rpartition("/")[2], found.read(path)
        if hash_content(content) != name.partition(".")[0]:
            raise HromadaError("The name of a picture is not its SHA-256.", where=Where(file=path))
        yield name, content


def _read_manifest(folder: Path) -> Mapping[str, Any]:
    """The manifest of a release, or of a build, which has no kind."""
    try:
        manifest: Mapping[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        if manifest.get("kind") not in (KIND, None) or not isinstance(manifest["files"], dict):
            raise ValueError(MANIFEST)
    except (AttributeError, KeyError, OSError, TypeError, ValueError):
        raise HromadaError(
            "This folder is not a release, or its manifest.json cannot be read.",
            remedy="Name a folder that `hromada release` or `hromada build` wrote.",
            where=Where(file=folder),
        ) from None
    return manifest


def _find_recorded(
    found: _Folder, harness: str
) -> tuple[tuple[str, ...], tuple[ReplayedPeople, ReplayedPeople] | None]:
    """The harness's files of the folder, where another version of it or none is installed, and a note that says so."""
    if not harness or get_harness_version() == harness:
        return (), None
    recorded = tuple(
        ReplayedPeople(
            files={
                path.removeprefix(f"{part}/{RESULTS}"): found.read(path)
                for path in sorted(found.paths)
                if path.startswith(f"{part}/{RESULTS}")
            },
            version=harness,
        )
        for part in (BENCHMARK, KEY)
    )
    note = (
        f"People were replayed by lm-eval {harness}, which is not installed here: its files in {BENCHMARK}/{RESULTS}"
        " were compared with the manifest alone."
    )
    return (note,), (recorded[0], recorded[1])
