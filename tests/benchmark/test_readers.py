"""Replies are read as docs/reference/readers.md says: its tables are the data."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from aggregation import scoring
from exports.benchmark_items import readers, task_functions
from exports.benchmark_items.answer_spaces import ANSWER_SPACES

PAGE = "".join(
    page.read_text("utf-8") for page in sorted((Path(__file__).parents[2] / "docs/reference").glob("readers*.md"))
)
_ROW = re.compile(r"^\| (?P<ticks>`+)(?P<reply>.*?)(?P=ticks) \| (?P<strict>.*?) \| (?P<lenient>.*?) \|", re.MULTILINE)
LETTERS = ("A", "B", "C")
NAMES = ("Анна Белова", "Иван", "Белова")
NUMBERED = ("п'ять слів", "Київ", "Київ і Львів", "10")
WORDS = ("так", "ні", "не знаю")
PIECES = (
    *("так", "не", "кіт", "Анна", "Белова", "і", "п'ять", "A", "10", "3.5", "-6", "no", "відповідь:", "Ответ:"),
    *("«так»", "**b**", "…", "—", "_", "\n", "-", "1.", "```", "[1]", "\\boxed{a}"),
)
"""Words and signs of which awkward options and texts are made."""


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


def test_both_readings_are_scored() -> None:
    """The metric without a suffix is that of the lenient reading; no reading is a wrong answer in both."""
    text = {"gold": "Київ", "accepted": None, "normalise": "words", "cue": "Відповідь:"}
    boxes = {"gold": '["а"]', "options": ["а", "б"], "cue": "Номери:"}
    edit = {"gold": "Він іде.", "accepted": None, "normalise": "exact", "text": "Він йде.", "cue": "Текст:"}
    span = {"gold": '[{"start": 0, "end": 3}]', "text": "Він іде.", "no_answer": None, "cue": "Частина:"}
    cases: list[tuple[Callable[..., dict[str, Any]], dict[str, Any], str, str]] = [
        (task_functions.score_text, text, "Київ.", "Відповідь: Київ"),
        (task_functions.score_boxes, boxes, "1", "**1** (не 2)"),
        (task_functions.score_edit, edit, "Він іде.", "Виправлений текст: Він іде."),
        (task_functions.score_span, span, "«Він»", "- Він"),
    ]
    for score, doc, plain, wordy in cases:
        for reply, expected in ((plain, (1, 1)), (wordy, (1, 0)), ("<think>", (0, 0)), ("", (0, 0))):
            grades = score(doc, [reply])
            assert (grades["exact_match"], grades["exact_match_strict"]) == expected, (score.__name__, reply)


def test_people_are_replayed_so_that_their_texts_are_read_as_stored() -> None:
    """A text that reads as another one is framed; an announced one is not, because both are compared as the same."""
    doc = {"normalise": "words", "cue": "Відповідь:"}
    edited = doc | {"normalise": "exact", "text": "Він йде."}
    texts, edits = ANSWER_SPACES["text"], ANSWER_SPACES["edit"]
    assert texts.build_reply("Відповідь: Київ", doc) == "Відповідь: Київ"
    for space, row, stored in (
        (texts, doc, "\\boxed{а} б"),
        (texts, doc, "<think>"),
        (texts, doc, "<answer>а</answer> б"),
        (edits, edited, "Виправлений текст: Він іде."),
    ):
        reply = space.build_reply(stored, row)
        assert json.loads(reply) == {"answer": stored}
        assert space.read_reply(row, [reply]) == stored


@pytest.mark.parametrize(
    ("question", "said", "stored"),
    [
        ("choice", "**Так**, бо це правда", "так"),
        ("choice", "Так чи ні?", None),
        ("choices", "Відповідь: так, ні", '["так", "ні"]'),
        ("choices", "1, 2", '["так", "ні"]'),
        ("choices", '["так", "хто"]', None),
        ("text", "Ответ: Киев", "Киев"),
        ("edit", "Виправлений текст: Він іде.", "Він іде."),
        ("span", "Це слово «Він».", '[{"start": 0, "end": 3, "text": "Він"}]'),
        ("preference", "**B** is better", "second"),
        ("preference", "A or B", None),
    ],
)
def test_answers_of_models_that_are_compared_go_through_the_same_readers(
    question: str, said: str, stored: str | None
) -> None:
    """Also in files of plain answers, whose models were asked by somebody else's program."""
    data = SimpleNamespace(
        classes=("first", "second", "tie") if question == "preference" else ("так", "ні"),
        systems={}, own_options={}, boxes=("так", "ні"), normalise="words", texts={"i": "Він йде."}, span_classes=None,
    )  # fmt: skip
    read = ANSWER_SPACES[question].read_answer(said, "i", cast(Any, data), gold=None)
    assert (read and json.loads(read)) == json.loads(stored) if question == "span" and stored else read == stored


def test_what_people_tapped_and_marked_is_read_the_same_by_both_readings() -> None:
    """Whatever the options and the text look like, a mark, a list of numbers and quoted parts are the stored answer."""
    rng = random.Random(43)  # noqa: S311  # examples, not secrets
    for _ in range(150):
        words = (rng.choices(PIECES, k=rng.randint(1, 4)) for _ in range(5))
        options = list(dict.fromkeys(" ".join(one).strip() or "кіт" for one in words))
        chosen = rng.randrange(len(options))
        for marks in ("ABCDE", "АБВГД", "12345", "01234"):
            reading = readers.read_choice(marks[chosen], marks=marks[: len(options)], texts=options)
            assert reading == readers.Reading(chosen, chosen), (marks, options)
        reading = readers.read_choice(options[chosen], marks=(), texts=options)
        assert reading == readers.Reading(chosen, chosen), options
        ticked = tuple(sorted(rng.sample(range(len(options)), rng.randint(0, len(options)))))
        numbers = ", ".join(str(index + 1) for index in ticked) or "0"
        assert readers.read_boxes_reply(numbers, texts=options) == readers.Reading(ticked, ticked), options
        text = " ".join(rng.choices(PIECES, k=9))
        places = scoring.find_words(text) or ((0, len(text)),)
        ends = sorted({rng.choice(places), rng.choice(places)})
        doc = {"text": text, "no_answer": None, "cue": "Частина тексту дослівно:"}
        stored = json.dumps([{"start": start, "end": end} for start, end in ends])
        reply = ANSWER_SPACES["span"].build_reply(stored, doc)
        assert readers.read_quoted_parts(reply, text=text) == readers.Reading(ends, ends), (text, reply)
