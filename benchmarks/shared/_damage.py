"""Damages a file in one of many kinds: cut, empty, another encoding, and bytes, lines, keys or values changed."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import python_calamine
from _tables import build_workbook
from pyarrow import parquet

TEXTS = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ann", ".txt"})
JUNK = (b'"', b"'", b"\0", b"\xff", b"{", b"]", b",", b"\t", b"\n", b"\r", b";", b"<", b"&", b"\\u0000", b"NaN", b"")
ENCODINGS = ("cp1251", "utf-16", "utf-16-le", "utf-32", "koi8-u", "cp866", "utf-8-sig")
HOLLOW = (b"", b"\n", b"\xef\xbb\xbf", b"{}", b"[]", b"null", b"[null]", b"[{}]", b"0", b'""', b"\0" * 40)
DEEP = "@@deep@@"
"""Stands for lists in lists, too many for an encoder of JSON to write."""
DEPTHS = (40, 300, 900, 1_100, 5_000, 200_000)
TWICE = "@@twice@@"
"""The end of a key that becomes the same as the key beside it."""
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 1.5, 10**30, 1e300, -0.0, "", " ", "слово", "0", "-1", "1e999", "nan", "\ud800",
    "\u2028", "a" * 5_000, "9" * 5_000, DEEP, "[", "[[", '{"a": [', '["a", null]', "{}", [], {}, [None], [[]], [{}],
    {"": None}, {"a": None}, {"id": None}, [{"a": None}], ["a", None], [["a"], 1], {"a": {"b": [None]}}, [DEEP],
)  # fmt: skip
"""What takes the place of a value: of every type, nothing inside something, and numbers that are no numbers."""

Damage = Callable[[bytes, str, random.Random], bytes]


def damage(raw: bytes, ending: str, rng: random.Random) -> bytes:
    """The file, damaged in one way."""
    return rng.choice(KINDS)(raw, ending, rng)


def cut(raw: bytes, ending: str, rng: random.Random) -> bytes:  # noqa: ARG001  # files of every ending are cut alike
    """The beginning of the file."""
    return raw[: rng.randrange(len(raw))] if raw else raw


def empty(raw: bytes, ending: str, rng: random.Random) -> bytes:  # noqa: ARG001
    """Nothing, or what a tool may write in its place."""
    return rng.choice(HOLLOW)


def save_as(raw: bytes, ending: str, rng: random.Random) -> bytes:
    """The text in another encoding; other files with bytes changed."""
    if ending not in TEXTS:
        return change_bytes(raw, ending, rng)
    return raw.decode().encode(rng.choice(ENCODINGS), "replace")


def change_bytes(raw: bytes, ending: str, rng: random.Random) -> bytes:
    """Some bytes changed, lost, put in, or repeated; of a workbook mostly in its XML before it was packed."""
    if ending == ".xlsx" and rng.random() < 0.7:
        return _change_parts(raw, rng)
    changed = raw
    for _ in range(rng.choice((1, 1, 2, 5))):
        place, length = rng.randrange(len(changed) + 1), rng.randrange(13)
        filling = rng.choice((*JUNK, bytes([rng.randrange(256)]), changed[place : place + length] * 2))
        changed = changed[:place] + filling + changed[place + length :]
    return changed


def _change_parts(raw: bytes, rng: random.Random) -> bytes:
    """The workbook with one of its parts damaged, or without it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as sound, zipfile.ZipFile(out, "w") as broken:
        names = sound.namelist()
        chosen = rng.choice([name for name in names if "sheet" in name] if rng.random() < 0.6 else names)
        for name in names:
            if name != chosen:
                broken.writestr(name, sound.read(name))
            elif rng.random() < 0.95:
                broken.writestr(name, change_bytes(sound.read(name), "", rng))
    return out.getvalue()


def change_lines(raw: bytes, ending: str, rng: random.Random) -> bytes:
    """A line lost, doubled, moved, or joined to the next one."""
    lines = raw.splitlines(keepends=True)
    if ending not in TEXTS or len(lines) < 2:
        return change_values(raw, ending, rng)
    place = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[place])
        case 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(place))
        case _:
            lines[place] = lines[place].rstrip(b"\r\n")
    return b"".join(lines)


def change_values(raw: bytes, ending: str, rng: random.Random) -> bytes:
    """A key or column renamed, lost or doubled, or values changed for those of another type."""
    if ending == ".json":
        return _write_json([_change(json.loads(raw), rng)], rng)
    if ending == ".jsonl":
        rows = _change([json.loads(line) for line in raw.splitlines() if line.strip()], rng)
        return _write_json(rows if isinstance(rows, list) else [rows], rng)
    if ending in {".csv", ".tsv"} and not raw.startswith(b"#"):
        return _write_cells(_change(_read_cells(raw, ending), rng), ending, rng)
    if ending in {".parquet", ".arrow"}:
        return _change_table(raw, ending, rng)
    if ending == ".xlsx":
        return _change_sheet(raw, rng)
    return _change_words(raw, rng)


def _write_json(values: list[Any], rng: random.Random) -> bytes:
    text = "\n".join(json.dumps(value, ensure_ascii=False) for value in values)
    text = _nest(text, f'"{DEEP}"', rng.choice(DEPTHS)).replace(TWICE, "")
    return text.encode("utf-8", "backslashreplace")  # half a character becomes the escape that JSON has for it


def _nest(text: str, sign: str, depth: int) -> str:
    """The text with lists in lists for the sign: deep ones once, shallow ones at its other places."""
    return text.replace(sign, "[" * depth + "]" * depth, 1).replace(sign, "[" * DEPTHS[0] + "]" * DEPTHS[0])


def _read_cells(raw: bytes, ending: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(raw.decode(), newline=""), delimiter="\t" if ending == ".tsv" else ","))


def _write_cells(rows: Any, ending: str, rng: random.Random) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter="\t" if ending == ".tsv" else ",", lineterminator="\n")
    for row in rows if isinstance(rows, list) else [rows]:
        cells = row if isinstance(row, list) else [row]
        writer.writerow([cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False) for cell in cells])
    text = _nest(out.getvalue(), DEEP, rng.choice(DEPTHS[:-1])).replace(TWICE, "")
    return text.encode("utf-8", "replace")


def _change_table(raw: bytes, ending: str, rng: random.Random) -> bytes:
    """A typed table with one of its values, columns or names changed; with bytes changed if it cannot be written."""
    sink = io.BytesIO()
    try:
        if ending == ".parquet":
            parquet.write_table(_change_rows(parquet.read_table(io.BytesIO(raw)), rng), sink)
            return sink.getvalue()
        with pa.ipc.open_stream(io.BytesIO(raw)) as batches:
            changed = _change_rows(batches.read_all(), rng)
        with pa.ipc.new_stream(sink, changed.schema) as out:
            out.write_table(changed)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return change_bytes(raw, ending, rng)
    return sink.getvalue()


def _change_rows(table: Any, rng: random.Random) -> Any:
    rows = _change(table.to_pylist(), rng)
    return pa.Table.from_pylist([row for row in rows if isinstance(row, dict)])


def _change_sheet(raw: bytes, rng: random.Random) -> bytes:
    with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw)) as workbook:
        rows = _change(workbook.get_sheet_by_index(0).to_python(), rng)
    cells = [[_write_cell(cell) for cell in (row if isinstance(row, list) else [row])] for row in rows]
    return build_workbook({"Votes": cells})


def _write_cell(cell: Any) -> Any:
    """A value that a sheet has: numbers, nothing, and texts of whole characters."""
    if cell is None or isinstance(cell, int | float):
        return cell
    return str(cell).encode("utf-8", "replace").decode().replace(DEEP, "[" * 1_100)


def _change_words(raw: bytes, rng: random.Random) -> bytes:
    """A text with a word changed for another value, or for another word of it."""
    words = list(re.finditer(r"\w+|[^\w\s]", raw.decode()))
    if not words:
        return rng.choice(HOLLOW)
    chosen, other = rng.choice(words), rng.choice(words)
    values = [value for value in VALUES if isinstance(value, str)]
    new = other[0] if rng.random() < 0.5 else rng.choice(values).replace(DEEP, "[" * 50)
    return (raw.decode()[: chosen.start()] + new + raw.decode()[chosen.end() :]).encode("utf-8", "replace")


def _change(value: Any, rng: random.Random) -> Any:
    """The JSON with one key or value changed, in one place or everywhere that the key is."""
    places = list(_walk(value))
    if not places:
        return rng.choice(VALUES)
    holder, key = rng.choice(places)
    kind = rng.randrange(8)
    if isinstance(holder, dict) and kind < 3:
        _change_keys(value, holder, key, rng)
    elif kind < 5:
        holder[key] = rng.choice(VALUES)
    elif kind == 5:
        _replace_all(places, key, rng)
    elif kind == 6:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), holder[key])
    else:
        holder[key] = [holder[key]] if rng.random() < 0.5 else {key: holder[key]}
    return value


def _walk(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value: the object or list, and the key or index."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _walk(inner)


def _change_keys(value: Any, holder: dict[str, Any], key: str, rng: random.Random) -> None:
    """A key renamed in one object or in all: to another word, or to the name of the key beside it."""
    others = [other for other in holder if other != key]
    names = ["", " ", f"{key} ", f"{key}x", key.upper(), "id", *others, *(f"{other}{TWICE}" for other in others)]
    name = rng.choice(names)
    objects = [holder] if rng.random() < 0.5 else [inner for inner, one in _walk(value) if one == key]
    for one in objects:
        if isinstance(one, dict) and key in one:
            one[name] = one.pop(key)


def _replace_all(places: list[tuple[Any, Any]], key: Any, rng: random.Random) -> None:
    new = rng.choice(VALUES)
    for holder, one in places:
        if one == key and (isinstance(holder, dict) or key < len(holder)):
            holder[key] = new


KINDS: tuple[Damage, ...] = (cut, empty, save_as, change_bytes, change_bytes, change_lines, *[change_values] * 6)
"""The kinds of damage; one that is here several times is as much more frequent."""
