"""Reads the text and CSV files of organisers; every problem is a BadInput with the place in the file."""

from __future__ import annotations

import ast
import codecs
import csv
import hashlib
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from annotation import secret_files
from annotation.errors import BadInput, Where, combine_errors

DELIMITERS = ",;\t"
MAX_CELL_CHARACTERS = 10_000_000
JSON_LINES_ENDINGS = {".jsonl", ".ndjson"}
YAML_ENDINGS = {".yaml", ".yml"}
MAX_LIST_CHARACTERS = 1_000_000
_ELEMENT = (
    r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?|None|True|False)"""
)
_LIST = re.compile(rf"\[\s*(?:{_ELEMENT}(?:\s*,\s*{_ELEMENT})*\s*,?\s*)?\]")


class FileRow(NamedTuple):
    """One row of a file, with the line on which it begins; `values` maps columns to cells.

    `place` says where the row is in a file that may be one long line, such as `task 7, annotation 2`.
    """

    file: Path
    line: int
    values: Mapping[str, Any]
    place: str = ""

    @property
    def position(self) -> str:
        """The place of the row in words."""
        return self.place or f"line {self.line}"

    def where(self, column: str | None = None) -> Where:
        """The place of the row, or of one of its columns."""
        if not self.place:
            return Where(file=self.file, line=self.line, field=column)
        return Where(file=self.file, field=", ".join(filter(None, (self.place, column))))


def read_text(path: Path, *, of_campaign: bool = True) -> str:
    """Return the text of a UTF-8 file, without its BOM.

    Raises BadInput for any other or an empty file, and for a secret file (`secret_files`) unless `of_campaign` is
    false: what people write for a campaign is shown to annotators, or published.
    """
    with _readable(path, of_campaign=of_campaign):
        raw = path.read_bytes()
    return _decode(raw, path)


def require_file(path: Path, *, of_campaign: bool = True) -> None:
    """Raise BadInput unless the file can be opened and is not empty, and for secret files as `read_text`."""
    with _readable(path, of_campaign=of_campaign), path.open("rb") as source:
        if not source.read(1):
            raise BadInput("The file is empty.", where=Where(file=path), remedy="Is it the right one?")


@contextmanager
def _readable(path: Path, *, of_campaign: bool) -> Iterator[None]:
    """Turn the errors of opening and reading a file into BadInput; refuse a secret one before it is opened."""
    try:
        if of_campaign and (secret := secret_files.find_secret(path)):
            raise BadInput(f"This file {secret.reason}.", where=Where(file=path), remedy=secret.remedy)
        yield
    except FileNotFoundError:
        raise BadInput("There is no such file.", where=Where(file=path), remedy="Check the path.") from None
    except IsADirectoryError:
        raise BadInput("This is a folder, not a file.", where=Where(file=path), remedy="Name a file in it.") from None
    except PermissionError:
        raise BadInput(
            "You may not read this file.", where=Where(file=path), remedy="Change its permissions."
        ) from None
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise BadInput(
            f"The file cannot be read: {reason}.", where=Where(file=path), remedy="Check the path."
        ) from None


def _decode(raw: bytes, path: Path) -> str:
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInput("The file is in UTF-16.", where=_locate_byte(raw, 0, path), remedy="Save it as UTF-8.")
    if b"\0" in raw:
        remedy = "Save it as text in UTF-8." if path.suffix.lower() in YAML_ENDINGS else "Export it as CSV or JSONL."
        raise BadInput(
            "This is a binary file, not text.", where=_locate_byte(raw, raw.index(b"\0"), path), remedy=remedy
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        position = failure.start + (len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0)
        raise BadInput(
            "The file is not UTF-8.", where=_locate_byte(raw, position, path), remedy="Save it as UTF-8."
        ) from None
    if not text.strip():
        raise BadInput("The file is empty.", where=Where(file=path), remedy="Is it the right one?")
    return text


def _locate_byte(raw: bytes, position: int, path: Path) -> Where:
    """The line of an invalid byte, and its number in the file from 1."""
    return Where(file=path, line=raw.count(b"\n", 0, position) + 1, field=f"byte {position + 1}")


def file_exists(path: Path) -> bool:
    """Whether the file exists; raises BadInput where its folder may not be read."""
    try:
        return path.exists()
    except PermissionError:
        raise BadInput(
            "You may not look into this folder.", where=Where(file=path), remedy="Change its permissions."
        ) from None


def compute_sha256(path: Path) -> str:
    """Return the sha256 of a file as 64 hexadecimal digits; raises BadInput as `read_text`."""
    with _readable(path, of_campaign=True):
        return hashlib.sha256(path.read_bytes()).hexdigest()


def read_delimited(path: Path) -> Iterator[FileRow]:
    """Yield the rows of a file with a header, separated by comma, semicolon or tab.

    Quoted cells may hold line breaks; empty lines are skipped. Raises BadInput with the line.
    """
    text = read_text(path)
    csv.field_size_limit(MAX_CELL_CHARACTERS)  # the limit is global in the csv module, and stories are long
    delimiter = _detect_delimiter(text, path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    line = 1
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                if header:
                    yield _build_row(cells, header=header, path=path, line=line)
                else:
                    header = _read_header(cells, path)
            line = reader.line_num + 1
    except csv.Error as failure:
        cell = _count_sound_cells(text, line=line, delimiter=delimiter)
        place = Where(file=path, line=line, field=_name_cell(header, cell))
        raise BadInput(f"The row cannot be read: {failure}.", where=place, remedy="Check its quotes.") from None


def _count_sound_cells(text: str, *, line: int, delimiter: str) -> int:
    """The number of cells before the first one with a broken quote, in the row that begins on a line."""
    rows = "".join(io.StringIO(text, newline="").readlines()[line - 1 :])
    cell = re.compile(rf'(?:"(?:[^"]|"")*"|[^"{delimiter}\r\n][^{delimiter}\r\n]*)?{delimiter}')
    count = position = 0
    while match := cell.match(rows, position):
        count, position = count + 1, match.end()
    return count


def _name_cell(header: Sequence[str], index: int) -> str:
    """The name of the column of a cell; its number where the header has none."""
    return (header[index] if index < len(header) else "") or f"cell {index + 1}"


def _detect_delimiter(text: str, path: Path) -> str:
    """The separator that splits the header into the most cells."""
    header = text.lstrip().splitlines()[0]
    try:
        return max(DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter))))
    except csv.Error as failure:
        place = Where(file=path, line=1, column=1)
        raise BadInput(f"The header cannot be read: {failure}.", where=place, remedy="Is it the right file?") from None


def _read_header(cells: Sequence[str], path: Path) -> list[str]:
    names = [cell.strip() for cell in cells]
    for name in names:
        if names.count(name) > 1:
            place = Where(file=path, line=1, field=name or "(no name)")
            raise BadInput("Two columns have the same name.", where=place, remedy="Rename one.")
    return names


def _build_row(cells: Sequence[str], *, header: Sequence[str], path: Path, line: int) -> FileRow:
    if len(cells) != len(header):
        raise BadInput(
            f"The row has {len(cells)} cells, the header {len(header)}.",
            where=Where(file=path, line=line, field=_name_cell(header, min(len(cells), len(header)))),
            remedy="Quote cells that hold a separator or a line break.",
        )
    return FileRow(path, line, dict(zip(header, cells, strict=True)))


def require_columns(needed: Mapping[str, Sequence[str]], row: FileRow) -> None:
    """Raise BadInput for all columns that the row has not; `needed` are the columns by the key that names them."""
    missing = [
        BadInput(
            f"There is no column {column!r}, which the project file names under `{key}`.",
            where=Where(file=row.file, line=row.line if row.file.suffix in JSON_LINES_ENDINGS else 1, field=column),
            remedy=f"It has: {format_columns(row.values)}.",
        )
        for key, columns in needed.items()
        for column in columns
        if column not in row.values
    ]
    if missing:
        raise combine_errors(missing)


def format_columns(columns: Iterable[str]) -> str:
    """Join column names for a message; a column may have an empty name."""
    return ", ".join(name or "an unnamed column" for name in columns)


def parse_printed_list(text: str) -> str | list[object]:
    """Parse a list of texts and numbers as Python prints it (`"['a', 'b']"`); any other text is returned unchanged.

    pandas writes a column of lists so: published sets have their options in this form, UP-Titles ten titles a cell.

    Texts with the quotes and escapes that Python chose are read back exactly. The pattern admits nothing nested or long
    to the parser, which could otherwise run out of memory; a list without commas, as numpy prints it, stays text.
    """
    if not text.startswith("[") or len(text) > MAX_LIST_CHARACTERS or _LIST.fullmatch(text) is None:
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of a backslash that escapes nothing
            elements = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    storable = all(not isinstance(element, str) or _is_storable(element) for element in elements)
    return elements if isinstance(elements, list) and storable else text


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any(0xD800 <= ord(character) <= 0xDFFF for character in text)
