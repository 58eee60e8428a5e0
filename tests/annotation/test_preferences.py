"""Questions that compare texts: what files may call an answer, what project files may say, and what `check` finds."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from annotation.campaigns.questions import PreferenceQuestion, QuestionContent
from annotation.campaigns.questions.option_orders import balance_options
from annotation.errors import BadInput
from annotation.loading.compared_systems import join_compared
from exports.benchmark_items.answer_spaces import ANSWER_SPACES

if TYPE_CHECKING:
    from _command import Hromada

ASKED = PreferenceQuestion(
    type="preference",
    text="Що краще?",
    sides=("text_a", "text_b", "text_c"),
    systems=("model_a", "model_b", "model_c"),
    tie="Однаково",
    both_bad="Усі погані",
)
CONTENT = QuestionContent(options=("а", "б", "в"), fields={"model_a": "GPT", "model_b": "Лама", "model_c": "лама"})
MEANINGS = {
    "first": ("first", "FIRST", " А ", "a", "1", "text_a", "model_a", "gpt"),
    "third": ("C", "В", "3", "text_c"),
    "tie": ("tie", "Draw", "однаково"),
    "both_bad": ("усі погані", "tie (bothbad)", "both bad"),
}
REFUSED = {
    "left": "cannot be answered with 'left': nothing says which text was there. Write first, or the name of its column",
    "лама": "has the answer 'лама', which can mean second and third. Write first or second.",
    "D": "cannot be answered with 'D'. The answers are: first, second, third, tie, both_bad.",
    "": "cannot be answered with ''.",
}


def test_files_may_call_an_answer_by_many_names() -> None:
    """Label, letter, number, column, system; a side as shown, and a name of two sides, are refused with a remedy."""
    for label, words in MEANINGS.items():
        assert {ASKED.parse_answer(word, CONTENT) for word in words} == {label}
    for word, problem in REFUSED.items():
        with pytest.raises(BadInput) as refused:
            ASKED.parse_answer(word, CONTENT)
        assert problem in str(refused.value)


def test_the_order_of_sides_is_balanced_and_reproducible() -> None:
    """Each is first twice in six turns, the tie stays last, and another person has another order."""
    orders = [balance_options(4, turn=turn, seed=1, key=("p", "answer", "a1"), last=1) for turn in range(60)]
    for block in range(0, 60, 6):
        assert sorted(order[0] for order in orders[block : block + 6]) == [0, 0, 1, 1, 2, 2]
    assert {(*sorted(order[:3]), order[3]) for order in orders} == {(0, 1, 2, 3)}
    assert orders == [balance_options(4, turn=turn, seed=1, key=("p", "answer", "a1"), last=1) for turn in range(60)]
    assert orders != [balance_options(4, turn=turn, seed=1, key=("p", "answer", "a2"), last=1) for turn in range(60)]


def test_simulated_people_tie_and_prefer_strong_systems() -> None:
    """About one truth in seven is a tie, one in twenty "both bad", and one system wins more than another."""
    rng = random.Random(1)  # noqa: S311  # a simulation
    drawn = Counter(ASKED.draw_truth(CONTENT, rng) for _ in range(2000))
    assert 0.12 < drawn["tie"] / 2000 < 0.18
    assert 0.03 < drawn["both_bad"] / 2000 < 0.07
    wins = sorted(drawn[side] for side in ASKED.side_labels)
    assert wins[-1] > 1.2 * wins[0] > 0


PROJECT = """\
project: tales
title: Казки
language: uk
instructions: Прочитайте обидві.
question:
  type: preference
  text: Яка казка краща?
  sides: [text_a, text_b]
  systems: [model_a, model_b]
  tie: Однаково
items: {file: items.csv, id: id, show: prompt, gold: gold}
overlap: 3
"""
ITEMS = """\
id,prompt,text_a,text_b,model_a,model_b,gold
i1,Кіт,Жив кіт.,Був кіт.,ведмідь,лис,first
i2,Пес,Жив пес.,Був пес.,лис,вовк,tie
i3,Дуб,Жив дуб.,Був дуб.,вовк,ведмідь,
"""
MISTAKES = [
    ("sides: [text_a, text_b]", "sides: [text_a]", "question.sides: Too few values. Give at least 2."),
    ("sides: [text_a, text_b]", "sides: [text_a, text_a]", "The side 'text_a' occurs twice"),
    ("sides: [text_a, text_b]", "sides: [text_a, text_x]", "There is no column 'text_x', named under"),
    ("[model_a, model_b]", "[model_a, text_b]", "The column 'text_b' is a side and names a system"),
    ("[model_a, model_b]", "[model_a, model_b, gold]", "Each of the 2 sides has its column in `systems`"),
    ("[model_a, model_b]", "[model_a, model_x]", "There is no column 'model_x', named under"),
    ("show: prompt", "show: [prompt, text_b]", "The side 'text_b' would be shown twice, and in a fixed place"),
    ("  systems: [model_a, model_b]\n  tie: Однаково\n", "  tie: Однаково\nvotes: {format: comparisons}\n",
     "Votes of the format `comparisons` are about systems; add `systems: [model_a, model_b]`"),
    ("show: prompt", "show: [prompt, model_b]", "The column 'model_b' names a system, which nobody may see"),
    ("gold: gold}", "options: [id, prompt]}", "The compared texts are the options of the items; leave `items.options`"),
    ("tie: Однаково", "both_bad: Так\n  tie: Так", "The answer 'Так' occurs twice"),
    ("tie: Однаково", "shuffle: no", "With `shuffle: no` one column is always first: write why in `order_reason`"),
    ("tie: Однаково", "order_reason: так треба", "`order_reason` is for `shuffle: no`"),
    ("tie: Однаково", "metrics: [spearman]", "The metric 'spearman' does not fit here"),
]  # fmt: skip


def test_project_files_with_mistakes_are_refused(hromada: Hromada) -> None:
    """Each with a sentence and its place; a written reason lets the order stay."""
    hromada.write("items.csv", ITEMS)
    for right, wrong, problem in MISTAKES:
        assert right in PROJECT
        hromada.write("project.yaml", PROJECT.replace(right, wrong))
        checked = hromada("check", "project.yaml")
        assert (checked.code, problem in checked.err) == (2, True), (wrong, checked.err)
    hromada.write("project.yaml", PROJECT.replace("tie: Однаково", "shuffle: no\n  order_reason: діалог"))
    hromada.write("items.csv", ITEMS.replace(",tie", ","))
    assert hromada("check", "project.yaml").code == 0


def test_weak_pairs_are_named(hromada: Hromada) -> None:
    """Equal texts, a system against itself, none, and groups that never meet; a tie as gold is no mistake."""
    hromada.write("project.yaml", PROJECT)
    hromada.write("items.csv", ITEMS)
    clean = hromada("check", "project.yaml", "--json").json
    assert (clean["findings"], clean["weak"]) == ([], [])
    more = "i4,Рак,Жив рак.,Жив рак.,сом,щука,\ni5,Лин,Жив.,Був.,сом,сом,\ni6,Ліс,Ріс.,Шумів.,сом,,\n"
    hromada.write("items.csv", ITEMS + more)
    checked = hromada("check", "project.yaml", "--json").json
    assert [(one["rule"], one["ids"]) for one in checked["findings"]] == [("equal-texts", ["i4"])]
    assert checked["weak"] == [
        "1 item lacks a system (i6): fill model_a and model_b.",
        "1 item compares a system with itself (i5): leave them out.",
        (
            "The systems make 2 groups that no item compares with each other, so they have no common ranking:"
            " ведмідь, вовк, лис; сом, щука. Add items that do."
        ),
    ]
    assert join_compared([("a", "b"), ("c", "d"), ("d", "a", "e")]) == [["a", "b", "c", "d", "e"]]


def test_the_systems_are_no_part_of_what_was_shown(hromada: Hromada) -> None:
    """Another name of a system changes no hash of an item; another text does."""
    for number, items in enumerate((ITEMS, ITEMS.replace("лис", "кит"), ITEMS.replace("Жив кіт", "Бавився кіт")), 1):
        hromada.write("items.csv", items)
        hromada.write("project.yaml", PROJECT.replace("project: tales", f"project: tales{number}"))
        assert hromada("load", "project.yaml").code == 0
    with closing(sqlite3.connect(hromada.folder / "hromada.db")) as connection:
        rows = connection.execute("SELECT project_id, external_id, stimulus_sha256 FROM item").fetchall()
    hashes = [{item: digest for number, item, digest in rows if number == project} for project in (1, 2, 3)]
    assert hashes[0] == hashes[1]
    assert [item for item in hashes[0] if hashes[0][item] != hashes[2][item]] == ["i1"]


def test_models_may_call_an_answer_by_many_names_too() -> None:
    """By letter, label, tie or the item's system; what fits no side of the item, or two, is no answer."""
    data = SimpleNamespace(classes=("first", "second", "tie"), systems={"i": ("gpt", "llama"), "j": ("aya", "aya")})
    said = {"A": "first", "second": "second", 2: "second", "Tie": "tie", "llama": "second", "both_bad": None, "C": None}
    space = ANSWER_SPACES["preference"]
    assert {word: space.read_answer(word, "i", cast(Any, data), gold=None) for word in said} == said
    assert space.read_answer("aya", "j", cast(Any, data), gold="first") is None
