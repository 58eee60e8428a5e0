"""What keeps people from being recognised in published files: small counts are suppressed, and files are searched for
what would tell who somebody is: real ids, names, addresses, tokens.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

MIN_CELL = 3
"""Counts of fewer people than this are not published."""


def suppress_small_cells(counts: Sequence[int]) -> list[int | None]:
    """Counts of people in the cells of one question, None in place of those that would tell who is in them.

    Cells of 1 to MIN_CELL - 1 people are suppressed. Where those suppressed hold fewer than MIN_CELL people together,
    the total would tell them by subtraction, so the smallest other cells follow until they do not. Zeros stay.
    """
    hidden = {place for place, count in enumerate(counts) if 0 < count < MIN_CELL}
    others = sorted((count, place) for place, count in enumerate(counts) if count >= MIN_CELL)
    while hidden and others and (len(hidden) < 2 or sum(counts[place] for place in hidden) < MIN_CELL):
        hidden.add(others.pop(0)[1])
    return [None if place in hidden else count for place, count in enumerate(counts)]


_WORDS = re.compile(r"\d+|[^\W\d_]+")
_DIGEST = re.compile(r"[0-9a-f]{32,}")
_ESCAPES = re.compile(r"\\(?=[\W_])")
PICTURE_ENDINGS = (".png", ".jpg", ".webp")
ROWS_AT_ONCE, LETTERS_AT_ONCE = 20_000, 1_000_000
"""How many rows of a Parquet file, and letters of any other, are searched at a time, so that memory stays bounded."""


class ForbiddenString(NamedTuple):
    """A value that no published file may contain: its kind in words, and whether to look `inside` words as well."""

    kind: str
    value: str
    inside: bool = False


class FoundIdentity(NamedTuple):
    """Where a file contains a forbidden value: its kind, and the line or row, from 1. The value is not repeated."""

    file: str
    line: int
    kind: str


def find_identities(
    files: Mapping[str, str | bytes], forbidden: Sequence[ForbiddenString]
) -> tuple[FoundIdentity, ...]:
    """The first place of each forbidden string in each file, by file and line.

    Values are searched whatever their case: numbers between anything but digits (hashes apart), secrets anywhere, the
    rest as whole words. Escapes of HTML, LaTeX and Markdown are undone. Parquet files are searched cell by cell.
    Pictures are not searched: they have no metadata, and any short word can be among their bytes.
    """
    by_word = _index_forbidden(forbidden)
    first_places = {
        (path, string): FoundIdentity(path, line, string.kind)
        for path, content in sorted(files.items())
        for line, string in _search_file(path, content, by_word)
    }
    return tuple(first_places.values())


def _index_forbidden(forbidden: Sequence[ForbiddenString]) -> dict[str, list[tuple[ForbiddenString, re.Pattern[str]]]]:
    """Forbidden strings by their longest run of letters or digits, each with the pattern that finds it."""
    indexed: dict[str, list[tuple[ForbiddenString, re.Pattern[str]]]] = {}
    for string in forbidden:
        words = _WORDS.findall(string.value.casefold())
        if words:
            value = re.escape(string.value.casefold())
            if string.value.isdecimal():
                pattern = re.compile(rf"(?<!\d)(?<!\d\.){value}(?!\d)")
            else:
                pattern = re.compile(value if string.inside else rf"(?<!\w){value}(?!\w)")
            indexed.setdefault(max(words, key=len), []).append((string, pattern))
    return indexed


def _search_file(
    path: str, content: str | bytes, by_word: Mapping[str, Sequence[tuple[ForbiddenString, re.Pattern[str]]]]
) -> Iterator[tuple[int, ForbiddenString]]:
    for first_line, text in [(0, path), *_list_texts(path, content)]:
        plain = _undo_escapes(text)
        for variant in {text, plain}:
            folded = variant.casefold()
            for word in by_word.keys() & {match[0] for match in _WORDS.finditer(folded)}:
                for string, pattern in by_word[word]:
                    match = next(
                        (place for place in pattern.finditer(folded) if not _is_in_digest(folded, place)), None
                    )
                    if match is not None:
                        yield first_line + folded.count("\n", 0, match.start()) + 1, string


def _is_in_digest(text: str, match: re.Match[str]) -> bool:
    """Whether what was found is part of a hash, in which any number can stand."""
    start, end = match.span()
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return end - start > len(match[0]) and _DIGEST.fullmatch(text[start:end]) is not None


def _undo_escapes(text: str) -> str:
    return html.unescape(_ESCAPES.sub("", text.replace('""', '"'))) if any(mark in text for mark in '\\&"') else text


def _list_texts(path: str, content: str | bytes) -> Iterator[tuple[int, str]]:
    """The texts of a file, whole lines in each, with the number of lines before it."""
    if isinstance(content, bytes) and path.endswith(PICTURE_ENDINGS):
        return
    if isinstance(content, bytes) and path.endswith(".parquet"):
        yield from _list_parquet_texts(content)
        return
    text = content if isinstance(content, str) else content.decode(errors="replace")
    start = before = 0
    while start < len(text):
        end = text.find("\n", start + LETTERS_AT_ONCE) + 1 or len(text)
        yield before, text[start:end]
        before += text.count("\n", start, end)
        start = end


def _list_parquet_texts(content: bytes) -> Iterator[tuple[int, str]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    before = 0
    file = pq.ParquetFile(io.BytesIO(content))
    texts = [column.name for column in file.schema_arrow if not pa.types.is_struct(column.type)]  # pictures are structs
    for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=texts):
        columns = [[str(cell).replace("\n", " ") for cell in column.to_pylist()] for column in batch.columns]
        yield before, "\n".join("\t".join(row) for row in zip(*columns, strict=True))
        before += batch.num_rows
