"""Questions of all seven types: what they take, what they refuse and in which words, how options are ordered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from annotation.campaigns import stimulus
from annotation.campaigns.questions import (
    AnyQuestion,
    ChoiceQuestion,
    Question,
    QuestionContent,
    question_base,
)
from annotation.campaigns.stimulus import Piece
from annotation.errors import BadInput

READ: TypeAdapter[Question] = TypeAdapter(AnyQuestion)
TEXT = "Київ стоїть на Дніпрі. Львів — ні."
ODD = "а 🐈 [1] и\u0306 анана"
"""A character beyond 16 bits, a footnote, a letter with a combining mark, a part that overlaps itself."""
MATERIAL = QuestionContent(options=("кіт", "пес", "кит"), fields={"text": TEXT, "story": "Жив собі кіт.", "odd": ODD})


def question(**facts: object) -> Question:
    """A question as a project file has it."""
    return READ.validate_python({"text": "Що це?"} | facts)


TAKEN: list[tuple[Mapping[str, Any], object, str]] = [
    ({"type": "choice"}, " пес ", "пес"),
    ({"type": "choice", "labels": "positions"}, "2", "2"),
    ({"type": "choice", "labels": {"positions": ["A", "B", "C"]}, "abstain": "не знаю"}, "не знаю", "не знаю"),
    ({"type": "choices"}, ["кит", "кіт"], '["кіт", "кит"]'),
    ({"type": "choices"}, '["пес"]', '["пес"]'),
    ({"type": "choices"}, "пес", '["пес"]'),
    ({"type": "choices"}, [], "[]"),
    ({"type": "scale", "options": ["1", "2", "3"]}, "3", "3"),
    ({"type": "scale", "options": {"from": "0", "to": "100"}}, " 070 % ", "70"),
    ({"type": "scale", "options": {"from": "-1", "to": "1", "step": "0.5"}}, "−0,50", "-0.5"),
    ({"type": "text"}, " и\u0306 ", "й"),
    ({"type": "span", "field": "text"}, "Дніпрі", '[{"start": 15, "end": 21, "text": "Дніпрі"}]'),
    ({"type": "span", "field": "text"}, {"start": 0, "end": 4}, '[{"start": 0, "end": 4, "text": "Київ"}]'),
    ({"type": "span", "field": "text", "none": "немає"}, "немає", "[]"),
    ({"type": "span", "field": "text", "none": "немає"}, "[]", "[]"),
    ({"type": "span", "field": "odd"}, "🐈", '[{"start": 2, "end": 3, "text": "🐈"}]'),
    ({"type": "span", "field": "odd"}, "[1]", '[{"start": 4, "end": 7, "text": "[1]"}]'),
    ({"type": "span", "field": "odd"}, {"start": 8, "end": 10}, '[{"start": 8, "end": 10, "text": "и\u0306"}]'),
    ({"type": "choices", "options": ["[1]", "[2]"]}, "[2]", '["[2]"]'),
    ({"type": "edit", "field": "story"}, "Жив собі кит.", "Жив собі кит."),
    ({"type": "preference", "sides": ["a", "b", "c"], "systems": ["text", "story", "odd"], "tie": "="}, "C", "third"),
]
REFUSED: list[tuple[Mapping[str, Any], object, str]] = [
    ({"type": "choice"}, "лис", "«Що це?» cannot be answered with 'лис'. The options are: кіт, пес, кит."),
    ({"type": "choice"}, ["пес"], "«Що це?» takes one answer"),
    ({"type": "choices", "least": 1}, [], "has 0 options chosen. Choose 1 to 3"),
    ({"type": "choices"}, ["пес", "пес"], "has 'пес' twice"),
    ({"type": "choices"}, [1], "takes a list of options"),
    ({"type": "choices"}, 5, "takes a list of options"),
    ({"type": "choices"}, {"кіт": True}, "takes a list of options"),
    ({"type": "choices"}, ["лис"], "cannot be answered with 'лис'"),
    ({"type": "scale", "options": ["1", "2", "3"]}, "4", "cannot be answered with '4'. The scale goes 1 … 3."),
    ({"type": "scale", "options": {"from": 0, "to": 100}}, "101", "The scale goes 0 … 100."),
    ({"type": "scale", "options": {"from": 0, "to": 100}}, "70.5", "cannot be answered with '70.5'"),
    ({"type": "text", "longest": 3}, "чотири", "has an answer of 6 characters. Write 1 to 3"),
    ({"type": "span", "field": "text"}, "і", "which occurs 4 times in `text`. Give it as"),
    ({"type": "span", "field": "odd"}, "ана", "which occurs 2 times in `odd`"),
    ({"type": "span", "field": "text"}, "Одеса", "which occurs 0 times in `text`"),
    ({"type": "span", "field": "text"}, {"start": 3, "end": 99}, "from 3 to 99, and `text` has 34 characters"),
    ({"type": "span", "field": "text"}, {"start": True, "end": 2}, "from True to 2"),
    (
        {"type": "span", "field": "text"},
        {"start": 0, "end": 4, "text": "Львів"},
        "has 'Львів' where `text` says 'Київ'",
    ),
    ({"type": "span", "field": "text", "most": 2}, ["Київ", {"start": 2, "end": 6}], "two parts that overlap"),
    ({"type": "span", "field": "text"}, [], "has 0 parts marked"),
    ({"type": "span", "field": "text"}, 5, "takes a part of the text"),
    ({"type": "edit", "field": "story", "must_change": True}, "Жив собі кіт.", "unchanged text"),
    ({"type": "edit", "field": "odd", "must_change": True}, ODD.replace("и\u0306", "й"), "unchanged text"),
    ({"type": "edit", "field": "story"}, "  ", "empty text"),
]


@pytest.mark.parametrize(("facts", "raw", "stored"), TAKEN)
def test_an_answer_is_stored_in_one_form(facts: Mapping[str, Any], raw: object, stored: str) -> None:
    """However it was given; and what is stored is an answer again."""
    asked = question(**facts)
    assert asked.encode_answer(asked.parse_answer(raw, MATERIAL)) == stored
    assert asked.encode_answer(asked.parse_answer(stored, MATERIAL)) == stored


@pytest.mark.parametrize(("facts", "raw", "says"), REFUSED)
def test_a_wrong_answer_is_refused_in_the_words_of_the_question(
    facts: Mapping[str, Any], raw: object, says: str
) -> None:
    """The sentence names the question and what can be answered."""
    with pytest.raises(BadInput) as refused:
        question(**facts).parse_answer(raw, MATERIAL)
    assert says in str(refused.value)
    assert "«Що це?»" in str(refused.value)


@pytest.mark.parametrize("facts", [facts for facts, _, _ in TAKEN])
@given(
    raw=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=30),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["start", "end", "text"]), inner),
        max_leaves=6,
    )
)
def test_any_answer_is_taken_or_refused(facts: Mapping[str, Any], raw: object) -> None:
    """Whatever is sent: an answer that can be stored, or an error of our own tree."""
    asked = question(**facts)
    try:
        stored = asked.encode_answer(asked.parse_answer(raw, MATERIAL))
    except BadInput:
        return
    assert asked.encode_answer(asked.parse_answer(stored, MATERIAL)) == stored


ASKED = (
    question(name="usable", type="choice", options=["так", "ні"]),
    question(name="why", type="choices", options=["мова", "логіка"], least=1, show_if={"usable": "ні"}),
    question(name="which", type="text", show_if={"why": ["логіка"]}),
    question(name="comment", type="text", required=False),
    question(name="part", type="span", field="text", required=False),
    question(name="more", type="choices", options=["а", "б"], least=1, required=False),
)


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        ({"usable": "так"}, {"usable": "так"}),
        ({"usable": "так", "why": "", "comment": "добре"}, {"usable": "так", "comment": "добре"}),
        ({"usable": "так", "why": " ", "comment": " \n", "part": [], "more": []}, {"usable": "так"}),
        ({"usable": "так", "why": "[]", "part": "[]", "more": "[]"}, {"usable": "так"}),
        ({"usable": "ні", "why": ["мова"]}, {"usable": "ні", "why": '["мова"]'}),
        (
            {"usable": "ні", "why": ["логіка"], "which": "усе"},
            {"usable": "ні", "why": '["логіка"]', "which": "усе"},
        ),
    ],
)
def test_questions_follow_from_earlier_answers(raw: dict[str, object], stored: dict[str, str]) -> None:
    """`show_if` decides what is asked; optional ones may stay empty."""
    assert question_base.parse_answers(ASKED, raw, MATERIAL) == stored


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({}, "usable: «Що це?» is not answered"),
        ({"usable": "ні"}, "why: «Що це?» is not answered"),
        ({"usable": "ні", "why": []}, "why: «Що це?» is not answered"),
        ({"usable": "ні", "why": ["логіка"], "which": " "}, "which: «Що це?» is not answered"),
        ({"usable": "так", "which": "усе"}, "which: «Що це?» was not asked here"),
        ({"usable": "так", "why": ["мова"]}, "why: «Що це?» was not asked here"),
        ({"usable": "так", "mood": "1"}, "no question 'mood'. There are: usable, why, which, comment, part, more"),
    ],
)
def test_missing_and_unasked_answers_are_refused(raw: dict[str, object], says: str) -> None:
    """A required question needs an answer, one that was not asked takes none."""
    with pytest.raises(BadInput) as refused:
        question_base.parse_answers(ASKED, raw, MATERIAL)
    assert says in str(refused.value)


def test_the_order_of_options_is_a_person_s_own_and_stays() -> None:
    """The same seed and key give the same order, people differ, abstention stays last, every option comes first."""
    key = ("project", "answer", "item 1")
    shown = [question_base.order_options(5, shuffle=True, seed=7, key=(*key, f"h{n}"), last=True) for n in range(60)]
    assert shown == [
        question_base.order_options(5, shuffle=True, seed=7, key=(*key, f"h{n}"), last=True) for n in range(60)
    ]
    assert {one[-1] for one in shown} == {4}
    assert {one[0] for one in shown} == {0, 1, 2, 3}
    assert question_base.order_options(3, shuffle=False, seed=7, key=key) == [0, 1, 2]
    assert shown != [
        question_base.order_options(5, shuffle=True, seed=8, key=(*key, f"h{n}"), last=True) for n in range(60)
    ]


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"labels": {"positions": ["A", "A"]}}, "The position 'A' occurs twice"),
        ({"labels": {"positions": ["A", "B"]}, "abstain": "B"}, "'B' is among the options already"),
    ],
)
def test_codes_of_positions_must_tell_them_apart(facts: Mapping[str, Any], says: str) -> None:
    """Two places under one code would be counted together."""
    with pytest.raises(ValidationError, match=says):
        question(type="choice", **facts)


def test_what_fits_depends_on_the_classes() -> None:
    """Options that differ share no classes, so that neither Dawid-Skene nor MCC fit; a wrong metric is refused."""
    fixed, own = question(type="choice", options=["так", "ні"]), question(type="choice")
    assert "dawid_skene" in fixed.methods.consensus
    assert "dawid_skene" not in own.methods.consensus
    assert question(type="choice", labels="positions").methods == fixed.methods
    with pytest.raises(ValidationError, match="metric 'mcc' does not fit here; what does: accuracy"):
        question(type="choice", metrics=["mcc"])


def test_abstention_is_an_option_and_no_class() -> None:
    """It stands last, has itself as label, and is not among the classes."""
    asked = question(type="choice", abstain="не знаю", labels="positions")
    assert isinstance(asked, ChoiceQuestion)
    counted = asked.with_positions(3)
    assert counted.get_options(["а", "б"]) == ("а", "б", "не знаю")
    assert counted.get_labels(["а", "б"]) == ("0", "1", "не знаю")
    assert counted.classes == ("0", "1", "2")
    assert json.loads(counted.model_dump_json())["labels"] == {"positions": ["0", "1", "2"]}


SCALE = {"type": "scale", "options": ["1", "2"]}
CHOICE = {"type": "choice", "options": ["1", "2"]}
PIECES = (Piece(field="text", text="Текст"),)


@pytest.mark.parametrize(
    ("plain", "more"),
    [(SCALE, {"ends": ["ні", "так"]}), (SCALE, {"help": "Подумайте."}), (CHOICE, {"help": "Подумайте."})],
)
def test_words_beside_a_question_are_part_of_what_people_saw(plain: dict[str, Any], more: dict[str, Any]) -> None:
    """The hash of the stimulus covers a scale's ends and the help."""
    assert hashed(plain) != hashed(plain | more)


def test_hashes_of_items_without_such_words_are_what_they_always_were() -> None:
    """Answers that were given before name the same stimulus as those after."""
    shown: dict[str, Any] = {
        "field": "text",
        "text": "Текст",
        "title": None,
        "fold": False,
        "gap": None,
        "marks": [],
        "step": 1,
    }
    asked = {"name": "answer", "type": "scale", "text": "Що це?", "options": ["1", "2"]}
    written = json.dumps([[shown], [asked]], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert hashed(SCALE) == stimulus.compute_text_digest(written)
    assert hashed(CHOICE) == stimulus.compute_stimulus_digest("Текст", question="Що це?", options=["1", "2"])


def hashed(facts: dict[str, Any]) -> str:
    """The hash of one question on one text."""
    return stimulus.compute_item_digest(PIECES, "Текст", questions=[question(**facts)], item_options=None)
