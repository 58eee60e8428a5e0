"""The same votes in another database, and gold made of a project's own votes, through the command line."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada

PROJECT = """
project: same
title: Ті самі
language: uk
questions:
  - {name: kind, type: choice, text: "Що це?", options: [факт, думка, питання]}
  - {name: marks, type: choices, text: "Що тут є?", options: [ім'я, число, дата]}
  - {name: words, type: text, text: "Про що це?"}
items: {file: items.jsonl, id: id, show: text, golds: {kind: kind, marks: marks}, gold_origin: expert}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {kind: kind, marks: marks, words: words}}
"""
FLIPS = """
project: flips
title: Монети
language: uk
question: {type: choice, text: "Що випало?", options: [орел, решка]}
items: {file: items.csv, id: id, show: text, gold: gold, gold_origin: votes}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: said}
"""
KINDS = ("факт", "думка", "питання")
MARKS = ("ім'я", "число", "дата")
WORDS = ("весна", "Весна!", "осінь", "зима")


def make_votes() -> tuple[list[dict[str, object]], list[tuple[str, str, str, str, str]]]:
    """Forty items with gold, each answered by four of fourteen people who differ in skill."""
    rng = random.Random(1)  # noqa: S311  # a simulation
    items: list[dict[str, object]] = []
    votes = []
    for number in range(40):
        kind, marks = rng.choice(KINDS), [mark for mark in MARKS if rng.random() < 0.5]
        items.append({"id": f"i{number:02}", "text": f"Текст {number}", "kind": kind, "marks": marks})
        for person in rng.sample(range(14), 4):
            skill = 0.5 + person / 30
            said = kind if rng.random() < skill else rng.choice(KINDS)
            ticked = [mark for mark in MARKS if (mark in marks) == (rng.random() < skill)]
            cells = (said, json.dumps(ticked, ensure_ascii=False), rng.choice(WORDS))
            votes.append((f"i{number:02}", f"person {person}", *cells))
    return items, votes


def write_database(hromada: Hromada, *, rename: bool, method: str) -> dict[str, str]:
    """Load and import the votes, in another order and under other names for `rename`; the exported files as text."""
    items, votes = make_votes()
    if rename:
        votes = [(item, f"{int(who.split()[1]) * 37 % 101} людина", *cells) for item, who, *cells in votes]  # type: ignore[misc]
        random.Random(2).shuffle(votes)  # noqa: S311
        items.reverse()
    hromada.folder.mkdir(exist_ok=True)
    hromada.write("items.jsonl", "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))
    with (hromada.folder / "votes.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("item", "who", "kind", "marks", "words"), *votes])
    name = hromada.loaded(PROJECT)
    done = hromada("export", name, "--to", "out", "--method", method)
    assert done.code == 0, done.err
    return {path.name: path.read_text("utf-8") for path in sorted((hromada.folder / "out").iterdir())}


def rename_people(files: dict[str, str]) -> dict[str, str]:
    """The files with each pseudonym replaced by what its person answered, and the rows of CSV files sorted."""
    answers = defaultdict(set)
    for row in csv.DictReader(files["human_responses.csv"].splitlines()):
        answers[row["annotator"]].add((row["dataset"], row["item_id"], row["response"]))
    names = sorted(answers, key=lambda name: sorted(answers[name]))
    assert len({frozenset(said) for said in answers.values()}) == len(names) == 14
    renamed = {}
    for file, text in files.items():
        for number, name in enumerate(names):
            text = text.replace(name, f"annotator{number:02}")  # noqa: PLW2901
        renamed[file] = "\n".join(sorted(text.splitlines())) if file.endswith(".csv") else text
    return renamed


@pytest.mark.parametrize("method", ["majority", pytest.param("dawid_skene", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_the_same_votes_in_another_database_give_the_same_numbers(
    hromada: Hromada, tmp_path: Path, method: str
) -> None:
    """Other pseudonyms, another key, another order of items and votes: every cell of every file is the same."""
    first = rename_people(write_database(type(hromada)(tmp_path / "one"), rename=False, method=method))
    second = rename_people(write_database(type(hromada)(tmp_path / "two"), rename=True, method=method))
    assert set(first) == set(second)
    assert {"human_items.csv", "class_scores.csv", "confusion_matrix.csv"} < set(first)
    for name in first:
        if name not in ("report.html", "report.uk.html"):  # its tables sort people by pseudonym
            assert first[name] == second[name], name


@pytest.mark.slow
def test_coin_flips_have_no_score_against_their_own_majority(hromada: Hromada, tmp_path: Path) -> None:
    """Sixty flips: no 100 % and no 75 %, on the screen or in a file, but agreement as of coins."""
    rng = random.Random(5)  # noqa: S311
    flips = {(f"i{n:02}", who): rng.choice(("орел", "решка")) for n in range(20) for who in "abc"}
    gold = {item: Counter(flips[item, who] for who in "abc").most_common(1)[0][0] for item, _ in flips}
    hromada.write("items.csv", "id,text,gold\n" + "".join(f"{item},Кидок {item},{gold[item]}\n" for item in gold))
    rows = [f"{item},{who},{said}\n" for (item, who), said in flips.items()]
    hromada.write("votes.csv", "item,who,said\n" + "".join(rows))
    name = hromada.loaded(FLIPS)
    found = hromada("baseline", name, "--json").json
    assert found["units"] == []
    assert len(found["annotators"]) == 3
    assert all(0.3 < row["agreement_with_others"] < 0.7 for row in found["annotators"])
    assert "this project's own votes" in found["reason"]
    shown = hromada("baseline", name).out
    assert "majority of the others" in shown
    assert "1.0000" not in shown
    assert "accuracy" not in hromada("aggregate", name).out
    assert hromada("export", name, "--to", "out").code == 0
    for file in ("baselines.csv", "human_baseline.csv", "class_scores.csv", "confusion_matrix.csv"):
        assert len((tmp_path / "out" / file).read_text("utf-8").splitlines()) == 1
    with (tmp_path / "out" / "annotators.csv").open(encoding="utf-8", newline="") as handle:
        people = list(csv.DictReader(handle))
    assert [row["accuracy"] for row in people] == ["", "", ""]
    assert all(0.3 < float(row["agreement_with_others"]) < 0.7 for row in people)
