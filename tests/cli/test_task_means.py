"""`hromada baseline` of a programme: the score of each task and the mean over them, by people who answered several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: {name}
title: {name}
language: uk
question: {{type: choice, text: "Чи так?", options: [так, ні]{metrics}}}
items: {{file: {name}.csv, id: id, show: text, gold: gold, gold_origin: {origin}, group: story}}
votes: {{format: csv, file: {name}-votes.csv, item: item, annotator: who, answer: answer, people: friends}}
"""
PROGRAMME = """
programme: glue
title: Три завдання
language: uk
projects: [{file: one.yaml}, {file: two.yaml}, {file: three.yaml}]
"""
TWO_QUESTIONS = """
project: {name}
title: {name}
language: uk
questions:
  - {{name: kind, type: choice, text: "Чи так?", options: [так, ні]}}
  - {{name: marks, type: choices, text: "Що тут є?", options: [а, б], metrics: [exact_match, f1a]}}
items: {{file: {name}.csv, id: id, show: text, golds: {{kind: gold, marks: marks}}, gold_origin: expert}}
votes:
  {{format: csv, file: {name}-votes.csv, item: item, annotator: who, answers: {{kind: kind, marks: marks}}, people: f}}
"""
GOLD = ("так", "так", "так", "ні", "ні")
OTHER = {"так": "ні", "ні": "так"}
WRONG: Mapping[str, Mapping[str, Sequence[int]]] = {
    "one": {"p1": [4], "p2": [], "p3": [], "p4": [], "p5": range(5)},
    "two": {"p1": [4], "p2": [4], "p3": [], "p4": [], "p5": range(5)},
    "three": {"p3": [4], "p4": [], "p5": range(5), "p6": [], "p7": []},
}
"""Which of the five items of a task each person gets wrong: p5 all of them, the first person or two the last."""


def load_task(
    hromada: Hromada, name: str, *, metrics: str = "", origin: str = "expert", story: str = "", text: str = ""
) -> None:
    """Load a project of five items with the votes of WRONG; the first item may have a story or text of another task."""
    shown = [text or f"{name} 0", *(f"{name} {n}" for n in range(1, 5))]
    stories = [story or f"story {name} 0", *(f"story {name} {n}" for n in range(1, 5))]
    items = [f"{name}-{n},{shown[n]},{gold},{stories[n]}\n" for n, gold in enumerate(GOLD)]
    hromada.write(f"{name}.csv", "id,text,gold,story\n" + "".join(items))
    votes = [
        f"{name}-{n},{who},{OTHER[gold] if n in wrong else gold}\n"
        for who, wrong in WRONG[name].items()
        for n, gold in enumerate(GOLD)
    ]
    hromada.write(f"{name}-votes.csv", "item,who,answer\n" + "".join(votes))
    assert hromada.loaded(PROJECT.format(name=name, metrics=metrics, origin=origin), name=f"{name}.yaml") == name


def load_programme(hromada: Hromada, **of_one: str) -> None:
    """Load the three tasks and their programme; the first task is declared so."""
    load_task(hromada, "one", **of_one)
    load_task(hromada, "two")
    load_task(hromada, "three")
    loaded = hromada("load", hromada.write("glue.yaml", PROGRAMME))
    assert loaded.code == 0, loaded.err


def read_means(found: Mapping[str, Any]) -> dict[str, Any]:
    """The means by unit."""
    return {row["unit"]: row for row in found["means"]}


def test_the_mean_over_tasks_by_hand(hromada: Hromada) -> None:
    """Single answers 19, 18 and 19 of 25: .76, .72, .76. Majorities 5, 4 and 5 of 5: two's last has three wrong.

    An answer adds 1 or 0 less its task's share, over 25 answers and 3 tasks. In 75ths the seven people add .2 + .4,
    1.2 + .4, 1.2 + 1.4 + .2, 1.2 + 1.4 + 1.2, -3.8 - 3.6 - 3.8, 1.2 and 1.2; the squares sum to 153.52, those of all
    answers to 4.56 + 5.04 + 4.56. V_people = (7/6 · 153.52 - 14.16)/75². Items have the shares .8 but the last, .6, .4,
    .6: V_items = (.032/20 + .128/20 + .032/20)/9.
    """
    load_programme(hromada)
    ran = hromada("baseline", "glue", "--json")
    assert ran.code == 0, ran.err
    means = read_means(ran.json)
    single, majority = means["individual"], means["majority"]
    assert single["task_values"] == pytest.approx({"one": 0.76, "two": 0.72, "three": 0.76})
    assert single["value"] == pytest.approx(2.24 / 3)
    assert majority["task_values"] == pytest.approx({"one": 1.0, "two": 0.8, "three": 1.0})
    assert majority["value"] == pytest.approx(2.8 / 3)
    variance = (7 / 6 * 153.52 - 14.16) / 75**2 + (0.032 + 0.128 + 0.032) / 20 / 9
    assert single["se"] == pytest.approx(variance**0.5)
    assert (single["n_people"], single["n_common_people"]) == (7, 5)
    assert single["ci_low"] < single["item_only_low"] < single["value"] < single["item_only_high"] < single["ci_high"]
    assert [(task["n_items"], task["n_people"]) for task in ran.json["tasks"]] == [(5, 5)] * 3
    assert ran.json["notes"] == []
    named = hromada("baseline", "one", "two.yaml", "three", "--json")
    assert named.json == ran.json
    assert hromada("baseline", "glue.yaml", "--json").json == ran.json


def test_the_table_has_tasks_and_their_mean(hromada: Hromada) -> None:
    """Within 80 columns, with the number of people and of those who answered several tasks."""
    load_programme(hromada)
    ran = hromada("baseline", "glue", env={"COLUMNS": "80"})
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.splitlines() if line]
    assert ["two", "5", "5", "accuracy", "0.7200", "0.8000"] in rows
    (single,) = [row for row in rows if row[:3] == ["single", "answers", "0.7467"]]
    assert len(single) == 9
    assert "7 people answered; 5 of them in two tasks or more, and count once." in ran.out


def test_two_metrics_of_a_task_are_averaged_first(hromada: Hromada) -> None:
    """Of one: accuracy .76; F1 .8 of так (12 right, 3 missed, 3 wrong) and .7 of ні (7, 3, 3): (.76 + .75)/2 = .755."""
    load_programme(hromada, metrics=", metrics: [accuracy, macro_f1]")
    ran = hromada("baseline", "glue", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["tasks"][0]["values"]["individual"] == pytest.approx({"accuracy": 0.76, "macro_f1": 0.75})
    single = read_means(ran.json)["individual"]
    assert single["task_values"]["one"] == pytest.approx(0.755)
    assert single["value"] == pytest.approx((0.755 + 0.72 + 0.76) / 3)
    assert ran.json["notes"] == ["The score of one is the mean of accuracy and macro_f1."]
    assert " mean " in hromada("baseline", "glue").out


def test_people_are_the_same_by_pseudonym_alone(hromada: Hromada) -> None:
    """Were p1 to p5 others in each task the interval would be narrower: here p5 is weak everywhere."""
    load_programme(hromada)
    shared = read_means(hromada("baseline", "glue", "--json").json)["individual"]
    for name in WRONG:
        path = hromada.folder / f"{name}.yaml"
        text = path.read_text("utf-8").replace(f"project: {name}", f"project: {name}-apart")
        hromada.loaded(text.replace("people: friends", f"people: friends-of-{name}"), name=f"{name}-apart.yaml")
    ran = hromada("baseline", *(f"{name}-apart" for name in WRONG), "--json")
    assert ran.code == 0, ran.err
    apart = read_means(ran.json)["individual"]
    assert apart["value"] == shared["value"]
    assert (apart["n_people"], apart["n_common_people"]) == (15, 0)
    assert apart["se"] < 0.75 * shared["se"]


@pytest.mark.parametrize(
    ("of_one", "said"),
    [
        (
            {"story": "story two 0"},
            "In several of the tasks one, two are the same groups of items: 1 (the first: story",
        ),
        ({"text": "two 0"}, "In several of the tasks one, two are the same texts of items: 1. Tasks are taken as"),
    ],
)
def test_items_of_two_tasks_are_warned_of(hromada: Hromada, of_one: dict[str, str], said: str) -> None:
    """By the group that they name, or by the text that they show."""
    load_task(hromada, "one", **of_one)
    load_task(hromada, "two")
    found = hromada("baseline", "one", "two", "--json")
    assert found.code == 0, found.err
    assert [note.startswith(said) for note in found.json["notes"]] == [True]


def test_what_has_no_mean_is_refused(hromada: Hromada) -> None:
    """Gold made of own votes, a project twice, an unknown one, a metric that is no score: the task and the remedy."""
    load_programme(hromada, origin="votes")
    for words, said in (
        (["glue"], "one has no score: its gold was made of its own votes"),
        (["two", "two"], "'two' is named twice."),
        (["two", "nowhere"], "nowhere"),
        (["two", "three", "--question", "why"], "'two' asks no question 'why'."),
    ):
        ran = hromada("baseline", *words)
        assert (ran.code, said in ran.err, ran.out) == (2, True, ""), ran.err
    assert hromada("baseline", "two", "three").code == 0


def test_nothing_that_varies_has_the_mean_of_the_tasks_ends(hromada: Hromada) -> None:
    """The majority is right on every item of both: up to 1, and down to the mean of both lower ends."""
    load_task(hromada, "one")
    load_task(hromada, "three")
    found = read_means(hromada("baseline", "one", "three", "--json").json)["majority"]
    assert (found["value"], found["item_only_high"]) == (1.0, 1.0)
    assert found["item_only_low"] == pytest.approx(0.025 ** (1 / 5))
    assert found["reason"].startswith("Fewer than 5 items have an error")


def test_a_project_of_several_questions_is_scored_by_its_first_or_the_named(hromada: Hromada) -> None:
    """All are right on the first; of five people two tick one box of two: exact 3/5, F1a 2 · 40 / (50 + 40)."""
    for name in ("left", "right"):
        rows = [f'{name}{n},{name} {n},так,"[""а"", ""б""]"\n' for n in range(5)]
        hromada.write(f"{name}.csv", "id,text,gold,marks\n" + "".join(rows))
        votes = [
            f'{name}{n},{who},так,"[""а""{"" if who in "de" else ", " + chr(34) * 2 + "б" + chr(34) * 2}]"\n'
            for n in range(5)
            for who in "abcde"
        ]
        hromada.write(f"{name}-votes.csv", "item,who,kind,marks\n" + "".join(votes))
        hromada.loaded(TWO_QUESTIONS.format(name=name), name=f"{name}.yaml")
    first = hromada("baseline", "left", "right", "--json")
    assert first.code == 0, first.err
    assert read_means(first.json)["individual"]["value"] == 1.0
    said = "left is scored by its question kind; by --question it can be marks."
    assert said in hromada("baseline", "left", "right").out
    second = hromada("baseline", "left", "right", "--question", "marks", "--json")
    assert second.code == 0, second.err
    single = read_means(second.json)["individual"]
    assert single["task_values"] == pytest.approx(dict.fromkeys(("left/marks", "right/marks"), (0.6 + 80 / 90) / 2))
    assert (single["n_people"], single["n_common_people"]) == (5, 5)
