"""Any content of a file of items, in any format: it is loaded whole, or refused in a sentence."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from annotation.errors import HromadaError
from annotation.loading import tables
from annotation.store import database, queries
from annotation.workflow.lifecycle import projects
from annotation.workflow.monitoring import campaign_status

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: p
title: p
language: uk
question: {{type: choice, text: "Хто?"}}
items: {{file: {file}, id: id, show: text, options: options, gold: gold{more}}}
overlap: 1
"""

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["id", "text", "options", "gold", "data", "md", "question", "correctAnswer"])
ALMOST = st.fixed_dictionaries(
    {
        "id": st.integers(1, 99) | JSON_VALUES,
        "text": st.just("Хто спав?") | JSON_VALUES,
        "options": st.just(["а", "б"]) | st.lists(st.text(max_size=2), max_size=4) | JSON_VALUES,
        "gold": st.sampled_from(["а", "", None]) | JSON_VALUES,
    }
)
OBJECTS = ALMOST | st.dictionaries(KEYS, JSON_VALUES | st.just(["а", "б"]) | st.just("а"), max_size=6)
SHAPED = st.lists(OBJECTS | JSON_VALUES, max_size=4)


def dumped(value: object) -> bytes:
    """JSON as a careless tool writes it, NaN and halves of characters included."""
    return json.dumps(value).encode()


CONTENT = (
    SHAPED.map(dumped)
    | SHAPED.map(lambda value: dumped({"instances": value, "tasks": [value]}))
    | SHAPED.map(lambda value: b"\n".join(dumped(one) for one in value))
    | st.lists(st.lists(st.sampled_from(["id", "text", "options", "gold", "['а','б']", '["а"', "\ud7ff", "1"]), min_size=4, max_size=4), max_size=4).map(lambda rows: "\n".join(["id,text,options,gold", *map("\t".join, rows), *map(";".join, rows)]).encode())  # noqa: E501
    | st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace"))
)  # fmt: skip
WAYS = [
    ("items.json", ""),
    ("items.json", ", path: instances"),
    ("items.json", ", format: lmes"),
    ("items.json", ", format: ua-cbt"),
    ("items.json", ", format: label-studio"),
    ("items.csv", ", format: ua-cbt"),
    ("items.csv", ""),
    ("items.tsv", ""),
    ("items.jsonl", ""),
    ("items.parquet", ""),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder with one database for all examples."""
    return tmp_path_factory.mktemp("any")


def stored(folder: Path) -> list[int]:
    """Rows of projects, items and journal."""
    with sqlite3.connect(folder / "any.db") as connection:
        counts = [
            connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("project", "item", "journal")
        ]
    connection.close()
    return counts


def refused(call: Callable[[], object]) -> HromadaError | None:
    """The refusal, None where there was none; any other error goes through."""
    try:
        call()
    except HromadaError as refusal:
        return refusal
    return None


def load_and_take_back(db: database.Database, file: Path) -> None:
    """Load a project, look that it has items, and undo it."""
    with db.transaction() as session:
        loaded = projects.load_project_file(session, file, now=NOW)
        stored = campaign_status.get_campaign_status(session, queries.get_project(session, "p")).items.number
        assert stored == loaded.items > 0
        session.rollback()


@pytest.mark.parametrize(("name", "more"), WAYS)
@given(content=CONTENT)
@settings(max_examples=limit_examples(60), deadline=None)
def test_any_file_of_items_is_loaded_whole_or_refused_in_a_sentence(
    folder: Path, name: str, more: str, content: bytes
) -> None:
    """Whatever the bytes: stored with all items, or an error of our own tree with file and remedy, nothing stored."""
    (folder / name).write_bytes(content)
    (folder / "p.yaml").write_text(PROJECT.format(file=name, more=more), "utf-8")
    with database.open_database(f"sqlite:///{folder / 'any.db'}") as db:
        before = stored(folder)
        refusal = refused(lambda: load_and_take_back(db, folder / "p.yaml"))
        if refusal is not None:
            assert refusal.where is not None
            assert str(refusal.where.file) == str(folder / name)
            assert refusal.remedy
        assert stored(folder) == before


@pytest.mark.parametrize(
    "make",
    [
        lambda path: parquet.write_table(pa.table({"id": ["1"], "text": ["х"], "options": [["а", "б"]], "gold": ["а"]}), path),  # noqa: E501
        lambda path: path.write_bytes(b"PAR1" + b"\0" * 40 + b"PAR1"),
    ],
)  # fmt: skip
@given(at=st.integers(0, 2000), byte=st.integers(0, 255))
@settings(max_examples=limit_examples(80), deadline=None)
def test_a_damaged_parquet_file_is_rows_or_a_sentence(
    folder: Path, make: Callable[[Path], object], at: int, byte: int
) -> None:
    """One byte changed anywhere."""
    path = folder / "damaged.parquet"
    make(path)
    raw = bytearray(path.read_bytes())
    raw[at % len(raw)] = byte
    path.write_bytes(bytes(raw))
    refusal = refused(lambda: list(tables.read_rows(path)))
    assert refusal is None or refusal.where is not None
