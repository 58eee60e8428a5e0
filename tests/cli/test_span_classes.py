"""Classes of marked parts through the command line: named by the question, read one by one, or refused with counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

TEXT = "Оксана поїхала до Києва з Іваном"
PLACES = ((0, 6), (18, 23), (26, 32))
PROJECT = """
project: names
title: t
language: uk
instructions: x
question: {{type: span, text: "Імена?", field: text, most: 5{question}}}
items: {{file: items.jsonl, id: id, show: text{items}}}
votes: {{format: label-studio, file: votes.json, item: key, answer: ent{votes}}}
"""
LABELS = ", labels: [PER, LOC]"
NAMES = ("f1_exact", "f1_token", "f1_char", "majority")


def build_region(start: int, end: int, *labels: str, text: str = "") -> dict[str, Any]:
    """A region as Label Studio exports it."""
    value = {"start": start, "end": end, "text": text or TEXT[start:end], "labels": list(labels)}
    return {"id": f"r{start}", "from_name": "ent", "to_name": "t", "type": "labels", "value": value}


def write_votes(hromada: Hromada, *results: Sequence[dict[str, Any]], items: int = 6, gold: str = "") -> None:
    """An export in which each of the results is the annotation of one person, the same for every item."""
    tasks = [
        {
            "id": item,
            "data": {"key": f"k{item}", "text": TEXT},
            "annotations": [
                {"id": 10 * item + person, "completed_by": person, "result": result}
                for person, result in enumerate(results, start=1)
            ],
        }
        for item in range(1, items + 1)
    ]
    hromada.write("votes.json", json.dumps(tasks, ensure_ascii=False))
    rows = [{"id": f"k{item}", "text": f"{TEXT}"} | ({"gold": gold} if gold else {}) for item in range(1, items + 1)]
    hromada.write("items.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in rows))


def write_project(hromada: Hromada, *, question: str = "", votes: str = "", items: str = "", more: str = "") -> Path:
    """The project file."""
    return Path(hromada.write("names.yaml", PROJECT.format(question=question, votes=votes, items=items) + more))


@pytest.fixture
def crossed(hromada: Hromada) -> Hromada:
    """Two people mark the same places, and give every place the other class."""
    labels = ("PER", "LOC", "PER")
    one = [build_region(*place, label) for place, label in zip(PLACES, labels, strict=True)]
    two = [
        build_region(*place, {"PER": "LOC", "LOC": "PER"}[label]) for place, label in zip(PLACES, labels, strict=True)
    ]
    write_votes(hromada, one, two)
    return hromada


def read_agreement(hromada: Hromada, *words: str) -> dict[str, float | None]:
    """The coefficients by name."""
    rows = hromada("agreement", "names", "--resamples", "100", "--json", *words).json["coefficients"]
    return {row["name"]: row["value"] for row in rows}


@pytest.mark.parametrize(
    ("question", "said"),
    [("", "the question names none"), (", labels: [PER]", "the question names PER")],
    ids=["no labels", "one of two"],
)
def test_classes_that_the_question_does_not_name_are_refused_with_counts(
    crossed: Hromada, question: str, said: str
) -> None:
    """At check and at import; the remedy has what to write."""
    path = write_project(crossed, question=question)
    checked = crossed("check", path)
    assert checked.code == 2
    assert f"The marked parts have classes, and {said}: LOC (18), PER (18)." in checked.err
    assert "Write `labels: [" in checked.err
    assert crossed("load", path).code == 0
    imported = crossed("import", path)
    assert imported.code == 2
    assert "LOC (18), PER (18)" in imported.err


def test_places_agree_and_classes_do_not(crossed: Hromada) -> None:
    """Each coefficient says what it counts; the headline counts place and class."""
    path = write_project(crossed, question=LABELS)
    assert crossed("load", path).code == 0
    assert crossed("import", path).code == 0
    found = read_agreement(crossed)
    assert list(found)[:4] == [f"span_{name}_class" for name in NAMES]
    assert {(found[f"span_{name}_class"], found[f"span_{name}"]) for name in NAMES} == {(0.0, 1.0)}
    assert crossed("export", "names", "--to", "out").code == 0
    report = (crossed.folder / "out" / "report.html").read_text("utf-8")
    start = report.index("At a glance")
    assert "F1 of words (place and class)" in report[start : report.index("</section>", start)]
    assert "F1 of marked words (place)" in report
    stored = (crossed.folder / "out" / "human_responses.csv").read_text("utf-8")
    assert '""label"": ""LOC""' in stored


def test_scores_count_place_and_class(crossed: Hromada) -> None:
    """One person has all classes right, the other none; a model is compared by the same rule."""
    labels = ("PER", "LOC", "PER")
    gold = [{"start": a, "end": b, "label": label} for (a, b), label in zip(PLACES, labels, strict=True)]
    rows = [{"id": f"k{item}", "text": TEXT, "gold": json.dumps(gold)} for item in range(1, 7)]
    crossed.write("items.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    path = write_project(crossed, question=LABELS, items=", gold: gold")
    assert crossed("load", path).code == 0
    assert crossed("import", path).code == 0
    units = {row["unit"]: row for row in crossed("baseline", "names", "--json").json["units"]}
    scores = {score["metric"]: score["value"] for score in units["individual"]["scores"]}
    assert scores == {"exact_match": 0.5, "f1_class": 0.5, "f1_char_class": 0.5}
    answers = [{"item_id": f"k{item}", "answer": gold} for item in range(1, 7)]
    crossed.write("model.jsonl", "\n".join(map(json.dumps, answers)))
    compared = crossed("compare", "names", "model.jsonl", "--json").json
    assert {row["value"] for row in compared["differences"] if row["metric"] == "exact_match"} == {1.0}


def test_one_class_can_be_read(crossed: Hromada) -> None:
    """The others are no part of the question then; one that no part has is refused with those that there are."""
    path = write_project(crossed, votes=", class: PER")
    assert crossed("load", path).code == 0
    assert crossed("import", path).code == 0
    assert read_agreement(crossed) == dict.fromkeys(
        ("span_f1_exact", "span_f1_token", "span_f1_char", "span_majority"), 0.0
    )
    path = write_project(crossed, votes=", class: ORG")
    assert "No marked part has the class ORG. There are: LOC (18), PER (18)." in crossed("check", path).err
    path = write_project(crossed, question=LABELS, votes=", class: PER")
    assert "takes all its `labels`; keep these or `votes.class`" in crossed("check", path).err


def test_nobody_marked_the_class_is_an_answer_with_words_of_its_own(hromada: Hromada) -> None:
    """Without `none` in the question such answers would be lost, and are refused."""
    write_votes(hromada, [build_region(0, 6, "PER")], [build_region(18, 23, "LOC")])
    checked = hromada("check", write_project(hromada, votes=", class: PER"))
    assert checked.code == 2
    assert "In 6 answers no part has the class PER. Write the words for this answer as `none`" in checked.err
    path = write_project(hromada, question=", none: немає", votes=", class: PER")
    assert hromada("load", path).code == 0
    assert hromada("import", path).code == 0
    assert read_agreement(hromada)["span_f1_token"] == 0.0


def test_what_label_studio_stores_of_regions_is_read(hromada: Hromada) -> None:
    """A region stored twice counts once, a quoted blank that offsets leave out is none, classes may overlap."""
    twice = [build_region(18, 23, "LOC"), build_region(18, 23, "LOC", text=f"{TEXT[18:23]} ")]
    write_votes(hromada, twice, [build_region(0, 23, "Route"), build_region(18, 23, "LOC", "City")])
    path = write_project(hromada, question=", labels: [LOC, City, Route]")
    assert hromada("load", path).code == 0
    assert hromada("import", path).code == 0
    assert read_agreement(hromada)["span_f1_exact_class"] == pytest.approx(0.5)
    write_votes(hromada, twice, [build_region(0, 23, "LOC"), build_region(18, 23, "LOC")], items=1)
    refused = hromada("check", path)
    assert "has two parts of the class LOC that overlap" in refused.err
    assert "votes.json, task 1, annotation 12, regions r0 and r18, answer: " in refused.err


def test_tasks_of_label_studio_are_items_by_their_id(crossed: Hromada) -> None:
    """One export is items and votes at once, and nothing but the task's id says which is which."""
    project = PROJECT.format(question=LABELS, votes="", items="").replace(", item: key", "")
    project = project.replace("file: items.jsonl", "file: votes.json, format: label-studio")
    path = crossed.write("names.yaml", project)
    assert crossed("load", path).code == 0
    assert crossed("import", path).code == 0
    assert read_agreement(crossed)["span_f1_exact"] == 1.0


def test_no_chat_and_no_label_studio_asks_for_classes(crossed: Hromada) -> None:
    """`check` says so before people come, and `start` refuses, with what to do; imported parts are no hindrance."""
    path = write_project(crossed, question=LABELS, votes=", earlier: yes", more="overlap: 2\n")
    said = "neither the chat nor Label Studio asks for the class of a part. Ask one span question for each class"
    checked = crossed("check", path)
    assert checked.code == 0
    assert said in " ".join(checked.out.split())
    assert crossed("load", path).code == 0
    assert crossed("import", path).code == 0
    assert read_agreement(crossed, "--earlier")["span_f1_token_class"] == 0.0
    started = crossed("start", "names")
    assert started.code != 0
    assert said in started.err


def test_a_running_project_does_not_begin_to_ask_for_classes(crossed: Hromada) -> None:
    """Nobody has answered yet, but the chat could not ask what the file would now want."""
    plain = PROJECT.format(question="", votes="", items="").replace("votes:", "# votes:") + "overlap: 2\n"
    path = crossed.write("names.yaml", plain)
    assert crossed("load", path).code == 0
    assert crossed("start", "names").code == 0
    crossed.write("names.yaml", plain.replace("most: 5", "most: 5, labels: [PER, LOC]"))
    refused = crossed("load", path, "--yes")
    assert refused.code != 0
    assert "`labels` of the question may not change: it was started" in refused.err
