"""Replies are read as docs/reference/readers.md says: its tables are the data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from exports.benchmark_items import readers

PAGE = (Path(__file__).parents[2] / "docs/reference/readers.md").read_text("utf-8")
_ROW = re.compile(r"^\| (?P<ticks>`+)(?P<reply>.*?)(?P=ticks) \| (?P<strict>.*?) \| (?P<lenient>.*?) \|", re.MULTILINE)
LETTERS = ("A", "B", "C")
NAMES = ("Анна Белова", "Иван", "Белова")
NUMBERED = ("п'ять слів", "Київ", "Київ і Львів", "10")
WORDS = ("так", "ні", "не знаю")


def list_rows(heading: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """The replies of a table with the strict and the lenient reading, as the page writes them."""
    (section,) = re.findall(rf"^## {heading}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    for row in _ROW.finditer(section):
        reply = row["reply"][1:-1] if len(row["ticks"]) == 3 else row["reply"]
        yield reply.replace("⏎", "\n").replace("\\|", "|"), (row["strict"], row["lenient"])


def name_choice(marks: tuple[str, ...], texts: tuple[str, ...]) -> Callable[[str], tuple[str, str]]:
    """A reader of choices that names the option it read."""

    def read(reply: str) -> tuple[str, str]:
        reading = readers.read_choice(reply, marks=marks, texts=texts)
        strict, lenient = (
            "–" if each is None else (marks or texts)[each] for each in (reading.strict, reading.lenient)
        )
        return strict, lenient

    return read


def name_boxes(reply: str) -> tuple[str, str]:
    """The numbers that both readings tick, 0 for none."""
    reading = readers.read_boxes_reply(
        reply, texts=("кіт", "кіт і пес", "миша", "12 мишей"), cue="Номери всіх правильних варіантів через кому:"
    )
    strict, lenient = (
        "–" if each is None else ", ".join(str(index + 1) for index in each) or "0"
        for each in (reading.strict, reading.lenient)
    )
    return strict, lenient


def name_text(reading: readers.Reading[str]) -> tuple[str, str]:
    """Both readings of a text."""
    return reading.strict or "–", reading.lenient or "–"


def name_parts(reply: str) -> tuple[str, str]:
    """The starts and ends of the parts of both readings."""
    text = "У п'ятницю Анна й Іван поїхали до Києва. Анна любить Київ."
    reading = readers.read_quoted_parts(reply, text=text, no_answer="немає", cue="Частина тексту дослівно:")
    strict, lenient = (
        "–" if each is None else ", ".join(f"{start}–{end}" for start, end in each) or "none"
        for each in (reading.strict, reading.lenient)
    )
    return strict, lenient


@pytest.mark.parametrize(
    ("heading", "read"),
    [
        ("Choice by letter", name_choice(LETTERS, NAMES)),
        ("Choice by number", name_choice(("1", "2", "3", "4"), NUMBERED)),
        ("Choice by word", name_choice((), WORDS)),
        ("Boxes", name_boxes),
        ("Typed text", lambda reply: name_text(readers.read_typed(reply))),
        ("Corrected text", lambda reply: name_text(readers.read_edited(reply, text="Він пішов до дому."))),
        ("Parts of a text", name_parts),
    ],
)
def test_replies_are_read_as_the_page_says(heading: str, read: Callable[[str], tuple[str, str]]) -> None:
    """Each table is walked whole, so that one wrong reading shows next to the others."""
    rows = dict(list_rows(heading))
    assert {reply: read(reply) for reply in rows} == rows
    assert len(rows) > 5
