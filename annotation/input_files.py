"""Reads the text and CSV files of organisers; every problem is a BadInput with the place in the file."""

from __future__ import annotations

import ast
import hashlib
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from aggregation import spelling
from annotation import secret_files, text_encodings
from annotation.errors import BadInput, Where, combine_errors

JSON_LINES_ENDINGS = {".jsonl", ".ndjson"}
JSON_ENDINGS = {".json", *JSON_LINES_ENDINGS}
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
    return _decode(raw, path, remedy="Save it as UTF-8.")


def read_table_text(path: Path, *, encoding: str | None = None) -> str:
    """Return the text of a file of items or votes in UTF-8, or in the encoding that the project file states.

    Raises BadInput as `read_text`; the remedy for another encoding is to state it.
    """
    with _readable(path, of_campaign=True):
        raw = path.read_bytes()
    if encoding is None:
        form = "UTF-8" if path.suffix.lower() in JSON_ENDINGS else "CSV UTF-8"
        return _decode(raw, path, remedy=f"Write `encoding: %s` beside `file`, or save it as {form}.")
    try:
        text = text_encodings.decode_text(raw, encoding)
    except UnicodeError as failure:
        place = _locate_byte(raw, getattr(failure, "start", 0), path)
        remedy = f"Take `encoding: {encoding}` out, or name another one."
        raise BadInput(f"The file is not in {encoding}.", where=place, remedy=remedy) from None
    return _refuse_empty(text, path)


def read_bytes(path: Path, *, most: int) -> bytes:
    """Return the first bytes of a file of a campaign, at most this many; raises BadInput as `read_text`."""
    with _readable(path, of_campaign=True), path.open("rb") as source:
        return source.read(most)


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
        if not (path.is_file() or path.is_dir()) and path.exists():  # to open a pipe would wait for its writer
            problem = "This is a pipe or a device, not a file."
            raise BadInput(problem, where=Where(file=path), remedy="Save its content as a file, and name that one.")
        yield
    except FileNotFoundError:
        raise BadInput("There is no such file.", where=Where(file=path), remedy="Check the path.") from None
    except IsADirectoryError:
        raise BadInput("This is a folder, not a file.", where=Where(file=path), remedy="Name a file in it.") from None
    except PermissionError:
        raise BadInput(
            "No permission to read this file.", where=Where(file=path), remedy="Change its permissions."
        ) from None
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise BadInput(
            f"The file cannot be read: {reason}.", where=Where(file=path), remedy="Check the path."
        ) from None


def _decode(raw: bytes, path: Path, *, remedy: str) -> str:
    """The text of a UTF-8 file; `remedy` says what to do with another encoding, with `%s` for the one that it seems."""
    try:
        text = text_encodings.decode_text(raw, "utf-8")
    except UnicodeDecodeError as failure:
        text, position = "", failure.start
    else:
        position = raw.find(b"\0")
        if position < 0:
            return _refuse_empty(text, path)
    found = text_encodings.recognise_encoding(raw)
    if found is not None and found.startswith("utf-16"):
        position = 0
    if found is None and b"\0" in raw:
        position = raw.index(b"\0")
        remedy = "Save it as text in UTF-8." if path.suffix.lower() in YAML_ENDINGS else "Export it as CSV or JSONL."
        raise BadInput("This is a binary file, not text.", where=_locate_byte(raw, position, path), remedy=remedy)
    name = None if found is None else text_encodings.NAMES[found]
    problem = "The file is not UTF-8." if name is None else f"The file is not UTF-8, it looks like {name}."
    remedy = remedy.replace("%s", found) if found else "Save it as UTF-8."
    raise BadInput(problem, where=_locate_byte(raw, position, path), remedy=remedy)


def _refuse_empty(text: str, path: Path) -> str:
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        place = Where(file=path, line=line, column=1)
        raise BadInput("The file has the character U+0000.", where=place, remedy="Take it out, or check `encoding`.")
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


def is_missing(path: Path) -> bool:
    """Whether there is no file; false where that cannot be told, so that reading it says why."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def build_missing_error(path: Path, *, written: str, where: Where) -> BadInput:
    """Build the error for a file that a key names and that does not exist: with the file that has the nearest name."""
    folder = path.parent
    try:
        names = sorted(one.name for one in folder.iterdir() if one.is_file() and not one.name.startswith("."))
    except OSError:
        names = []
    alike = [name for name in names if Path(name).suffix.lower() == path.suffix.lower()]
    suggestion = suggest_name(path.name, alike) or suggest_name(path.name, names)
    if not suggestion and names:
        suggestion = f"The folder has: {spelling.join_first([*alike, *(name for name in names if name not in alike)])}."
    return BadInput(f"There is no file {written!r}.", where=where, remedy=suggestion.strip() or "Check the path.")


def compute_sha256(path: Path) -> str:
    """Return the sha256 of a file as 64 hexadecimal digits; raises BadInput as `read_text`.

    That of a folder is the sha256 of the names and digests of its files, hidden ones left out.
    """
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
        listed = (f"{file.relative_to(path).as_posix()} {compute_sha256(file)}\n" for file in files)
        return hashlib.sha256("".join(listed).encode()).hexdigest()
    with _readable(path, of_campaign=True):
        return hashlib.sha256(path.read_bytes()).hexdigest()


def require_columns(needed: Mapping[str, Sequence[str]], row: FileRow) -> None:
    """Raise BadInput for all columns that the row has not; `needed` are the columns by the key that names them."""
    missing = [
        BadInput(
            f"There is no column {repr(column) if column else 'without a name'}, named under `{key}`.",
            where=Where(file=row.file, line=row.line if row.file.suffix in JSON_LINES_ENDINGS else 1, field=column),
            remedy=f"{suggest_name(column, row.values)}It has: {format_columns(row.values)}.",
        )
        for key, columns in needed.items()
        for column in columns
        if column not in row.values
    ]
    if missing:
        raise combine_errors(missing)


def suggest_name(written: str, names: Iterable[str]) -> str:
    """Return `Did you mean …? ` with the name that is most like the written one, or nothing if none is.

    A name that differs only in its Unicode form looks the same (й as one character or two), so the sentence says that.
    """
    similar = spelling.find_similar(written, names)
    if similar and unicodedata.normalize("NFC", similar) == unicodedata.normalize("NFC", written):
        return f"`{similar}` looks the same but is encoded differently (NFC, NFD): rename it. "
    return f"Did you mean `{similar}`? " if similar else ""


def format_columns(columns: Iterable[str]) -> str:
    """Join column names for a message; a column may have an empty name, and one with a comma has quotes."""
    return spelling.join_first(
        (repr(name) if "," in name else name) if name else "an unnamed column" for name in columns
    )


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
