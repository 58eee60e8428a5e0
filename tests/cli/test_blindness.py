"""Before a baseline that people answer is closed, no command shows its results but by `--unblind`, on record."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from shutil import copytree

import pytest
from _command import Hromada

PROJECT = """\
project: {name}
title: t
language: en
instructions: Read.
kind: {kind}
question: {{type: choice, text: Which?, options: [x, y]}}
items: {{file: items.csv, id: id, group: id, show: text, gold: gold}}
overlap: 2
votes: {{format: csv, item: item_id, annotator: annotator, answer: answer}}
"""
VOTES = "item_id,annotator,answer\n" + "".join(
    f"{item},p{person},{'x' if (person + number) % 3 else 'y'}\n"
    for number, item in enumerate("abcdef")
    for person in (1, 2)
)
COMMANDS = (
    "agreement one", "aggregate one", "baseline one", "sensitivity one", "compare one answers.jsonl",
    "compare one two", "export one --to out", "export --to out", "build one out --no-replay",
    "release one out --draft --no-replay", "follow-up next.jsonl --from one",
)  # fmt: skip


@pytest.fixture(scope="module")
def two_started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to copy, with two started baselines, whose answers people gave in Telegram."""
    hromada = Hromada(tmp_path_factory.mktemp("asked"))
    hromada.write("items.csv", "id,text,gold\n" + "".join(f"{item},text {item},x\n" for item in "abcdef"))
    hromada.write("votes.csv", VOTES)
    hromada.write("answers.jsonl", "".join(f'{{"item_id": "{item}", "answer": "x"}}\n' for item in "abcdef"))
    for name, kind in (("one", "baseline"), ("two", "baseline"), ("three", "annotation")):
        hromada.write(f"{name}.yaml", PROJECT.format(name=name, kind=kind))
        assert hromada("load", f"{name}.yaml").code == 0
        assert hromada("start", name).code == 0
    for name in ("one", "two", "three"):
        assert hromada("import", name, "votes.csv").code == 0
    return hromada.folder


@pytest.fixture
def asked(two_started: Path, hromada: Hromada) -> Hromada:
    """A copy of it that this test has for itself."""
    copytree(two_started, hromada.folder, dirs_exist_ok=True)
    return hromada


def ask_people(hromada: Hromada, *, simulated: bool = False) -> None:
    """Let the imported answers be ones that people gave in Telegram, or that a script gave there."""
    with sqlite3.connect(hromada.folder / "hromada.db") as database:
        database.execute("UPDATE assignment SET surface = 'telegram'")
        database.execute("UPDATE annotator SET simulated = ?", (simulated,))


def list_records(hromada: Hromada) -> list[tuple[str, str]]:
    """Who was shown results of which project, by the journal."""
    with sqlite3.connect(hromada.folder / "hromada.db") as database:
        query = """SELECT project.name, json_extract(data, '$.by') FROM journal JOIN project
            ON project.id = journal.project_id WHERE event = 'unblinded' ORDER BY journal.id"""
        return list(database.execute(query))


@pytest.mark.parametrize("words", [*COMMANDS, pytest.param("plan one", marks=pytest.mark.slow)])
def test_every_command_of_results_refuses_until_the_end_and_obeys_the_flag(asked: Hromada, words: str) -> None:
    assert asked(*words.split(), "--json").code == 0, "imported votes are exempt"
    ask_people(asked)
    (asked.folder / "next.jsonl").unlink(missing_ok=True)
    refused = asked(*words.split())
    assert refused.code == 2
    assert refused.out == ""
    assert "People still answer one" in refused.err
    assert "hromada close one" in refused.err
    assert list_records(asked) == []
    shown = asked(*words.split(), "--unblind")
    assert shown.code == 0, shown.err
    command = words.split(maxsplit=1)[0]
    assert ("one", f"{command} --unblind") in list_records(asked)


def test_the_second_project_of_a_comparison_is_blind_too(asked: Hromada) -> None:
    ask_people(asked)
    assert asked("close", "one").code == 0
    refused = asked("compare", "one", "two.yaml")
    assert (refused.code, refused.out, "People still answer two" in refused.err) == (2, "", True)
    assert asked("compare", "one", "two.yaml", "--unblind").code == 0
    assert list_records(asked) == [("two", "compare --unblind")]


def test_a_gold_review_of_a_baseline_is_drawn_after_the_close(asked: Hromada) -> None:
    """Its strata tell how many answers meet the gold: neither `--list` nor `--yes` shows them before."""
    ask_people(asked)
    words = ("adjudicate", "one", "--as", asked("people", "add-reviewer", "olha").out.strip(), "--gold-review")
    for more in ("--list", "--yes", "--json"):
        refused = asked(*words, more)
        assert (refused.code, refused.out, "drawn after the close" in refused.err) == (2, "", True)
    assert asked("close", "one").code == 0
    assert asked(*words, "--list").code == 0


def test_imported_votes_and_simulated_people_are_exempt_and_a_closed_baseline_is_open(asked: Hromada) -> None:
    ask_people(asked, simulated=True)
    assert asked("baseline", "one").code == 0
    ask_people(asked)
    assert asked("agreement", "three").code == 0, "no baseline"
    assert asked("close", "one").code == 0
    assert asked("baseline", "one").code == 0
    assert list_records(asked) == []
    assert asked("reopen", "one").code == 0
    assert asked("baseline", "one").code == 2


def test_status_tells_what_was_looked_at(asked: Hromada) -> None:
    ask_people(asked)
    for _ in range(2):
        assert asked("agreement", "one", "--unblind").code == 0
    told = asked("status", "one", "--json").json["post hoc"]
    assert [change["what"] for change in told] == ["results seen before the end: agreement --unblind"]
    assert len(list_records(asked)) == 2


def test_a_release_says_that_results_were_seen_before_the_end(asked: Hromada) -> None:
    ask_people(asked)
    assert asked("aggregate", "one", "--unblind").code == 0
    assert asked("close", "one").code == 0
    released = asked("release", "one", "out", "--draft", "--no-replay")
    assert released.code == 0, released.err
    facts = (asked.folder / "out/facts.json").read_text("utf-8")
    assert "results seen before the end: aggregate --unblind" in facts
