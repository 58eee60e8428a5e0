"""The search of published files for what would tell who somebody is: real ids, names, addresses, tokens."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_WORDS = re.compile(r"\w+")
_ESCAPES = re.compile(r"\\(?=[\W_])")
ROWS_AT_ONCE, LETTERS_AT_ONCE = 20_000, 1_000_000
"""How many rows of a Parquet file, and letters of any other, are searched at a time, so that memory stays bounded."""


class Needle(NamedTuple):
    """What must stand in no file: what it is, in words, and the value."""

    kind: str
    value: str


class FoundIdentity(NamedTuple):
    """A value that stands in a file: its kind, and the line or row, from 1. The value itself is not repeated."""

    file: str
    line: int
    kind: str


def find_identities(files: Mapping[str, str | bytes], needles: Sequence[Needle]) -> tuple[FoundIdentity, ...]:
    """The first place of each needle in each file, by file and line.

    Values are searched as whole words, whatever their case; escapes of HTML, LaTeX and Markdown are undone. Parquet
    files are searched cell by cell.
    """
    by_word = _index_needles(needles)
    found = {
        (path, needle): FoundIdentity(path, line, needle.kind)
        for path, content in sorted(files.items())
        for line, needle in _search_file(path, content, by_word)
    }
    return tuple(found.values())


def _index_needles(needles: Sequence[Needle]) -> dict[str, list[tuple[Needle, re.Pattern[str]]]]:
    """Needles by their longest word, each with the pattern that finds it as whole words."""
    indexed: dict[str, list[tuple[Needle, re.Pattern[str]]]] = {}
    for needle in needles:
        words = _WORDS.findall(needle.value.casefold())
        if words:
            pattern = re.compile(rf"(?<!\w){re.escape(needle.value.casefold())}(?!\w)")
            indexed.setdefault(max(words, key=len), []).append((needle, pattern))
    return indexed


def _search_file(
    path: str, content: str | bytes, by_word: Mapping[str, Sequence[tuple[Needle, re.Pattern[str]]]]
) -> Iterator[tuple[int, Needle]]:
    for first_line, text in [(0, path), *_list_texts(path, content)]:
        plain = _undo_escapes(text)
        for variant in {text, plain}:
            folded = variant.casefold()
            for word in by_word.keys() & {match[0] for match in _WORDS.finditer(folded)}:
                for needle, pattern in by_word[word]:
                    match = pattern.search(folded)
                    if match is not None:
                        yield first_line + folded.count("\n", 0, match.start()) + 1, needle


def _undo_escapes(text: str) -> str:
    return html.unescape(_ESCAPES.sub("", text.replace('""', '"'))) if any(mark in text for mark in '\\&"') else text


def _list_texts(path: str, content: str | bytes) -> Iterator[tuple[int, str]]:
    """The texts of a file, whole lines in each, with the number of lines before it."""
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
    import pyarrow.parquet as pq

    before = 0
    for batch in pq.ParquetFile(io.BytesIO(content)).iter_batches(batch_size=ROWS_AT_ONCE):
        columns = [[str(cell).replace("\n", " ") for cell in column.to_pylist()] for column in batch.columns]
        yield before, "\n".join("\t".join(row) for row in zip(*columns, strict=True))
        before += batch.num_rows
