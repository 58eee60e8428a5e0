"""Panels from the command line: whose figures, how many they are, and what two panels differ by."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from annotation.store.database import open_database
from bot.web.project_page import build_project_page
from bot.web.snapshots import SnapshotReader, WaitingRows

if TYPE_CHECKING:
    from _command import Hromada

N_ITEMS = 20
EXPERTS, LAY, STRANGER = ("e0", "e1"), tuple(f"l{number}" for number in range(6)), "s"
PROJECT = """\
project: pairs
title: Cat or dog?
language: en
question: {type: choice, text: What is it?, options: [cat, dog]}
items: from votes
votes: {format: csv, file: votes.csv, item: picture, annotator: who, answer: says}
panels:
  experts: {cohort: translators%s}
  lay: {cohort: students}
"""
TRUTH = "truth: {file: truth.csv, item: picture, gold: is}\n"
Votes = Sequence[tuple[str, str, str]]


def name_gold(number: int) -> str:
    """What the picture is."""
    return ("cat", "dog")[number % 2]


def draw_votes() -> list[tuple[str, str, str]]:
    """Two experts who are right in 95 % answer everything, three of six students who are right in 75 % each item."""
    rng = random.Random(3)  # noqa: S311  # simulated answers
    votes = []
    for number in range(N_ITEMS):
        people = [(who, 0.95) for who in EXPERTS] + [(who, 0.75) for who in rng.sample(LAY, 3)] + [(STRANGER, 0.5)]
        for who, share in people:
            right, wrong = name_gold(number), name_gold(number + 1)
            votes.append((f"p{number:02}", who, right if rng.random() < share else wrong))
    return votes


def load(hromada: Hromada, *, more: str = "", truth: bool = True) -> Votes:
    """Load the votes, and put their people into cohorts."""
    votes = draw_votes()
    hromada.write("votes.csv", "".join(f"{','.join(row)}\n" for row in [("picture", "who", "says"), *votes]))
    hromada.write("truth.csv", "picture,is\n" + "".join(f"p{n:02},{name_gold(n)}\n" for n in range(N_ITEMS)))
    hromada.loaded(PROJECT % more + (TRUTH if truth else ""))
    listed = hromada("people", "pairs", "--votes", "votes.csv", "--json").json["people"]
    for row in listed:
        who = row["id_in_file"]
        cohort = "translators" if who in EXPERTS else "students" if who in LAY else None
        if cohort is not None:
            hromada("people", "cohort", row["pseudonym"], cohort)
    return votes


def find_row(rows: Sequence[Mapping[str, Any]], **values: object) -> Mapping[str, Any]:
    """The one row with these values."""
    found = [row for row in rows if all(row[name] == value for name, value in values.items())]
    assert len(found) == 1, found
    return found[0]


def test_each_panel_has_its_scores_and_their_difference(hromada: Hromada) -> None:
    """Two experts have an interval for these people alone; answers of nobody in a panel count nowhere."""
    votes = load(hromada)
    printed = hromada("baseline", "pairs", "--json").json
    right = {panel: [says == name_gold(int(item[1:])) for item, who, says in votes if who in people]
             for panel, people in (("experts", EXPERTS), ("lay", LAY))}  # fmt: skip
    assert printed["units"][0]["total"] == sum(map(len, right.values()))
    for panel, answers in right.items():
        row = find_row(printed["panels"], panel=panel, unit="individual", metric="accuracy")
        assert (row["n_answers"], row["n_items"]) == (len(answers), N_ITEMS)
        assert row["value"] == pytest.approx(sum(answers) / len(answers), abs=1e-6)
        assert row["item_only_low"] < row["value"] < row["item_only_high"]
    assert find_row(printed["panels"], panel="experts", unit="individual", metric="accuracy")["ci_low"] is None
    assert find_row(printed["panels"], panel="lay", unit="individual", metric="accuracy")["ci_low"] is not None
    differs = find_row(printed["panel_differences"], metric="accuracy")
    shares = [sum(answers) / len(answers) for answers in right.values()]
    assert differs["difference"] == pytest.approx(shares[0] - shares[1], abs=1e-6)
    assert differs["item_only_low"] < differs["difference"] < differs["item_only_high"]
    assert differs["ci_low"] is None
    assert differs["reason"] == "No interval for new people: one of both panels has fewer than 5 people."
    text = hromada("baseline", "pairs").out
    assert "20 answers are extra, as their annotators are in no panel or in two." in text
    assert "human performance between panels" in text


def test_each_panel_has_its_agreement_and_its_consensus(hromada: Hromada) -> None:
    """How often two experts say the same, and how often the majorities of both panels are the same."""
    votes = load(hromada)
    by_item: dict[str, dict[str, list[str]]] = {}
    for item, who, says in votes:
        by_item.setdefault(item, {}).setdefault(
            "experts" if who in EXPERTS else "lay" if who in LAY else "", []
        ).append(says)
    equal = sum(len(set(of_item["experts"])) == 1 for of_item in by_item.values())
    printed = hromada("agreement", "pairs", "--json").json
    row = find_row(printed["panels"], panel="experts", metric="percent_agreement")
    assert (row["value"], row["n_people"], row["n_items"]) == (pytest.approx(equal / N_ITEMS, abs=1e-6), 2, N_ITEMS)
    assert row["ci_low"] is None
    lay = find_row(printed["panels"], panel="lay", metric="percent_agreement")
    assert lay["ci_low"] < lay["value"] < lay["ci_high"]
    assert find_row(printed["panel_differences"], metric="percent_agreement")["item_only_low"] is not None
    same = 0.0
    for of_item in by_item.values():
        (label, _), *_ = Counter(of_item["lay"]).most_common()
        experts = set(of_item["experts"])
        same += (label in experts) / len(experts)
    printed = hromada("aggregate", "pairs", "--json").json
    shared = find_row(printed["panel_differences"], metric="same_consensus")
    assert shared["difference"] == pytest.approx(same / N_ITEMS, abs=1e-6)
    assert shared["item_only_low"] < shared["difference"] < shared["item_only_high"]
    assert find_row(printed["panels"], panel="experts")["n_ties"] == N_ITEMS - equal
    assert "same_consensus" in hromada("aggregate", "pairs").out
    assert "agreement between panels" in hromada("agreement", "pairs").out


@pytest.mark.slow
def test_the_consensus_of_a_panel_is_gold_for_the_others(hromada: Hromada) -> None:
    """Students are scored by the experts, and the experts by nobody; where experts tie there is no gold."""
    votes = load(hromada, more=", gold: yes", truth=False)
    experts: dict[str, set[str]] = {}
    for item, who, says in votes:
        if who in EXPERTS:
            experts.setdefault(item, set()).add(says)
    gold = {item: next(iter(says)) for item, says in experts.items() if len(says) == 1}
    right = [gold[item] == says for item, who, says in votes if who in LAY and item in gold]
    printed = hromada("baseline", "pairs", "--json").json
    assert printed["units"] == []
    row = find_row(printed["panels"], panel="lay", unit="individual", metric="accuracy")
    assert (row["value"], row["n_items"]) == (pytest.approx(sum(right) / len(right), abs=1e-6), len(gold))
    reason = "The consensus of this panel is the gold: nobody in it is scored by it."
    assert find_row(printed["panels"], panel="experts")["reason"] == reason
    assert reason in hromada("baseline", "pairs").out
    hromada("export", "pairs", "--to", "out")
    with (hromada.folder / "out" / "gold.csv").open(encoding="utf-8") as file:
        rows = {line["item_id"]: line for line in csv.DictReader(file)}
    made = {item: line for item, line in rows.items() if line["version"] == "panel experts"}
    assert {item: line["gold"] for item, line in made.items()} == gold
    assert {line["origin"] for line in made.values()} == {"votes"}


@pytest.mark.slow
def test_the_exported_table_has_every_panel_and_pair(hromada: Hromada) -> None:
    """Scores, agreement, consensus, then the differences."""
    load(hromada)
    hromada("export", "pairs", "--to", "out")
    rows = list(csv.DictReader((hromada.folder / "out" / "panels.csv").read_text("utf-8").splitlines()))
    assert Counter((row["panel"], row["kind"]) for row in rows).keys() == {
        *((panel, kind) for panel in ("experts", "lay") for kind in ("score", "agreement", "consensus")),
        ("experts", "difference"),
    }
    assert find_row(rows, kind="difference", metric="accuracy")["n_people"] == "8"


LIVE = """\
project: live
title: Cat or dog?
language: en
instructions: Look.
question: {type: choice, text: What is it?, options: [cat, dog]}
items: {file: items.csv, id: id, show: picture, gold: is, gold_origin: construction}
overlap: 3
profile: [{name: native, text: Native speaker?, options: ["so", "no"]}]
panels:
  experts: {cohort: translators, votes: 1}
  lay: {profile: {native: "so"}, votes: 2}
"""


def write_live(hromada: Hromada) -> None:
    """A project that asks translators and native speakers."""
    rows = "".join(f"i{number},picture {number},{name_gold(number)}\n" for number in range(8))
    hromada.write("items.csv", "id,picture,is\n" + rows)
    hromada.write("live.yaml", LIVE)


def test_the_dashboard_and_the_status_say_how_far_each_panel_is(hromada: Hromada) -> None:
    """Places done, places that it is to fill, and its people."""
    write_live(hromada)
    hromada("load", "live.yaml")
    assert hromada("status", "live", "--json").json["panels"]["lay"] == {"people": 0, "answers": 0, "wanted": 16}
    assert "0 of 16 answers, 0 people" in hromada("status", "live").out
    with open_database(f"sqlite:///{hromada.folder / 'hromada.db'}") as database:
        snapshot = SnapshotReader(database=database).read_snapshot()
    sections = build_project_page(snapshot, snapshot.projects[0], None, WaitingRows(), "")
    table = next(section for section in sections if section.id == "progress").tables[0]
    assert [(row.head, *row.cells) for row in table.rows] == [("experts", "0 of 8", "0"), ("lay", "0 of 16", "0")]


def test_check_says_who_is_in_each_panel_and_what_it_gives(hromada: Hromada) -> None:
    """In words, with what one answer an item cannot tell."""
    write_live(hromada)
    facts = hromada("check", "live.yaml", "--json").json
    assert facts["panel experts"] == "cohort translators; 1 answer an item"
    assert facts["panel lay"] == "native: so; 2 answers an item"
    assert any(
        "A member of the panel 'experts' who answers native: so is in 'lay' as well" in weak for weak in facts["weak"]
    )


def test_a_simulation_has_people_in_every_panel(hromada: Hromada) -> None:
    """All items get their answers, of one panel and of the other; with another overlap the panels share it."""
    write_live(hromada)
    told = hromada("simulate", "live.yaml", "--people", "9", "--overlap", "own,4", "--json").json
    assert [(trial["overlap"], trial["done"]) for trial in told["trials"]] == [("3", 8), ("4", 8)]
    assert "With another overlap than the file's the panels share the places as people come." in told["notes"]
