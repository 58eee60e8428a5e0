"""The life of a campaign by the installed command, from allocate-groups to reopen, fix and status."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from _command import Hromada

PROJECT = """\
project: {name}
title: t
language: en
instructions: Read.
kind: {kind}
question: {{type: choice, text: Which?, options: [x, y]}}
items: {{file: items.csv, id: id, show: text, gold: gold, group: id}}
overlap: 2
"""


@pytest.fixture
def one(hromada: Hromada) -> Hromada:
    """A folder with a loaded baseline of three items."""
    hromada.write("items.csv", "id,text,gold\na,text a,x\nb,text b,y\nc,text c,y\n")
    write(hromada, "one")
    assert hromada("load", "one.yaml").code == 0
    return hromada


def write(hromada: Hromada, name: str, *, kind: str = "baseline") -> Path:
    """A project file over the same items."""
    return hromada.write(f"{name}.yaml", PROJECT.format(name=name, kind=kind))


def state(hromada: Hromada) -> str:
    """The state of the one project."""
    found: str = hromada("status", "one", "--json").json["state"]
    return found


def test_a_campaign_lives_from_start_to_reopening(one: Hromada) -> None:
    """Every command says what came of it; what the state does not allow is refused with what it allows."""
    started = one("start", "one")
    assert started.code == 0, started.err
    assert started.out.splitlines()[0] == "one is running."
    assert "Planned: 3 items in 3 groups, 6 answers; 95 % interval for these people about ±0.2" in started.out
    assert started.out.splitlines()[-1].startswith("Next: `hromada bot` asks people,")
    again = one("start", "one")
    assert again.code == 2
    assert "'one' is running: it cannot start. What can be done now: pause, extend, close" in again.err
    assert one("pause", "one.yaml", "--json").json == {"project": "one", "state": "paused", "notes": []}
    assert one("start", "one", "--json").json["state"] == "running"
    assert one("extend", "one", "--overlap", "4").out.splitlines() == ["one is running.", "3 items have more places."]
    assert one("extend", "one", "--overlap", "4").code == 2
    closed = one("close", "one")
    assert closed.code == 0
    assert "3 of 3 items have fewer answers than planned. `hromada reopen one` asks for the rest" in closed.out
    assert closed.out.splitlines()[-1].startswith("Next: `hromada export one --to results`")
    assert state(one) == "closed"
    assert one("reopen", "one", "--json").json["state"] == "running"
    facts = one("status", "one", "--json").json
    assert (facts["state"], facts["free places"], facts["overlap"]) == ("running", 12, 4)
    assert [change["what"] for change in facts["post hoc"]] == ["overlap 2 became 4", "reopened"]


def test_status_tells_everything_of_one_and_a_line_of_each(one: Hromada) -> None:
    """Keys for machines, words for people."""
    write(one, "two", kind="annotation")
    one("load", "two.yaml")
    one("start", "one")
    both = one("status", "--json").json
    assert [(row["project"], row["state"]) for row in both] == [("one", "running"), ("two", "loaded")]
    facts = one("status", "one", "--json").json
    assert facts == {
        "project": "one", "state": "running", "items": 3, "overlap": 2, "answers": 0, "items done": 0, "in hand": 0,
        "free places": 6, "annotators": 0, "started": facts["started"], "closed": None, "items paused": 0,
        "excluded": {}, "people": {}, "pilot": None, "second pass": None, "controls": None,
        "qualification": None,
        "planned": facts["planned"],
        "funnel": {"invited": None, "by_friends": None, "consented": None, "started": 0, "finished": 0},
        "post hoc": [],
        "closed by exposure": {},
        "detach by": None, "erased in the log since": None, "last answer": None, "expected end": None,
        "needs": [
            {"kind": "bot", "count": 1, "project": None, "since": None, "until": None, "part": 0, "names": [],
             "why": None, "command": "hromada bot"},
        ],
    }  # fmt: skip
    assert facts["planned"]["half_width"] == pytest.approx(0.2737, abs=1e-4)
    shown = one("status", "one").out
    assert "free places" in shown
    assert "people who began" in shown
    assert "planned" in shown
    assert "one" in one("status").out
    assert one("status", "three").code == 2


def test_status_says_what_to_do_when_everything_is_answered(one: Hromada) -> None:
    """Not before, and not once it is closed."""
    one("start", "one")
    assert "hromada close one" not in one("status", "one").out
    with sqlite3.connect(one.folder / "hromada.db") as database:
        database.execute("UPDATE item SET n_done = 2, n_live = 2, free = 0, held = 0")
    assert "one: All answers are in (6)" in one("status", "one").out
    assert "hromada close one" in one("status", "one").out
    one("close", "one")
    assert "hromada close one" not in one("status", "one").out


@pytest.mark.process
def test_watching_shows_it_anew_until_somebody_has_enough(one: Hromada) -> None:
    """The first screen comes at once, Ctrl-C ends it well; machines are told to ask without it."""
    assert "--watch is for people" in one("status", "--watch", "--json").err
    command = [str(one.command), "status", "--watch"]
    env = {"PATH": os.environ["PATH"], "COLUMNS": "160", "FORCE_COLOR": "1"}
    with subprocess.Popen(command, cwd=one.folder, env=env, stdout=subprocess.PIPE) as watching:
        assert watching.stdout is not None
        seen = b""
        while b"one" not in seen:
            seen += (read := os.read(watching.stdout.fileno(), 1000))
            assert read, seen
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=20) in {0, 130}


def test_groups_are_allocated_and_a_shortage_stops_the_start(one: Hromada) -> None:
    """Two projects over the same items: both commands name a shortage; with enough annotators both start."""
    write(one, "two", kind="annotation")
    one("load", "two.yaml")
    few = one("allocate-groups", "two", "one", "--people", "3")
    assert (few.code, "Too few annotators" in few.out) == (0, True), few.err
    refused = one("start", "one")
    assert (refused.code, "too few people who have not met them: 3 judgements are missing" in refused.err) == (2, True)
    enough = one("allocate-groups", "two", "one", "--people", "4", "--seed", "1", "--json").json
    assert [(row["project"], row["people for each"], row["groups with too few"]) for row in enough] == [
        ("two", 2, 0), ("one", 2, 0),
    ]  # fmt: skip
    assert one("start", "one").code == 0
    assert one("start", "two").code == 0
    assert one("allocate-groups", "two", "one", "--people", "9").code == 2


def test_an_item_is_fixed_while_people_work(one: Hromada) -> None:
    """Named by its id; cosmetic or not; the options that make no sense together are refused."""
    one("start", "one")
    one.write("items.csv", "id,text,gold\na,Text a,x\nb,text b,y\nc,text c,y\n")
    fixed = one("load", "one.yaml", "--fix", "a", "--cosmetic", "--json")
    assert fixed.code == 0, fixed.err
    assert fixed.json == [
        {"item": "a", "revision": 2, "changed": ["data", "stimulus", "stimulus_sha256"], "answers excluded": 0}
    ]
    one.write("items.csv", "id,text,gold\na,Text a,y\nb,text b,y\nc,text c,y\n")
    assert "gold" in one("load", "one.yaml", "--fix", "a").out
    assert one("load", "one.yaml", "--json").json["changed"] is False
    assert "how an item is fixed" in one("load", "one.yaml", "--cosmetic").err
    assert "Leave --plan and --yes out" in one("load", "one.yaml", "--fix", "a", "--yes").err
    assert one("status", "one", "--json").json["post hoc"][1]["what"] == "substantive fix of item a"


def test_a_programme_is_loaded_with_its_projects(one: Hromada) -> None:
    """Plan, load, again, and changed: as a project."""
    write(one, "two", kind="annotation")
    text = "programme: both\ntitle: t\nlanguage: en\nprojects: [{file: one.yaml}, {file: two.yaml, quota: 2}]\n"
    one.write("both.yaml", text)
    plan = one("load", "both.yaml", "--plan", "--json").json
    assert (plan["changes"], plan["projects"]["one"]["changes"]) == ({"everything": "is new"}, {})
    assert "Loaded the programme both: one, two." in one("load", "both.yaml").out
    assert one("load", "both.yaml", "--json").json["stored"] is False
    one.write("both.yaml", text.replace("quota: 2", "quota: 3"))
    assert one("load", "both.yaml", "--plan", "--json").json["changes"] == {"keys of the programme file": "projects"}
    assert "--yes" in one("load", "both.yaml").err
    assert one("load", "both.yaml", "--yes", "--json").json["changed"] is True
    assert "A programme has no items" in one("load", "both.yaml", "--fix", "a").err


def test_a_programme_goes_through_its_life_as_one(one: Hromada) -> None:
    """Its projects change together; one that cannot stays as it is, and it is said; where none can it is refused."""
    write(one, "two")
    one.write(
        "both.yaml",
        "programme: both\ntitle: Both of them\nlanguage: en\nprojects: [{file: one.yaml}, {file: two.yaml}]\n",
    )
    assert one("load", "both.yaml").code == 0
    started = one("start", "both", "--json").json
    assert (started["programme"], [row["state"] for row in started["projects"]]) == ("both", ["running", "running"])
    assert all(row["plan"]["items"] == 3 for row in started["projects"])
    refused = one("start", "both.yaml")
    assert (refused.code, refused.out) == (2, "")
    assert "No project of 'both' can start: 2 are running. What can be done now: pause, extend, close." in refused.err
    assert one("close", "two", "--json").json["state"] == "closed"
    assert one("pause", "both.yaml").out.splitlines() == [
        "one is paused.", "two was closed already, and stays so."
    ]  # fmt: skip
    shown = one("status", "both")
    assert "both: Both of them" in shown.out
    assert [row["state"] for row in one("status", "both", "--json").json] == ["paused", "closed"]
    assert one("extend", "both", "--overlap", "3").out.splitlines()[0] == "one is paused."
    assert one("extend", "both", "--overlap", "4", "--json").json["projects"][0]["state"] == "paused"
    closed = one("close", "both", "--json")
    assert closed.code == 0, closed.err
    assert [row["state"] for row in closed.json["projects"]] == ["closed", "closed"]
    assert [row["state"] for row in one("reopen", "both", "--json").json["projects"]] == ["running", "running"]
    assert [row["state"] for row in one("pause", "both", "--json").json["projects"]] == ["paused", "paused"]
    assert one("extend", "one", "--overlap", "5", "--json").json["state"] == "paused"


def test_a_programme_where_a_project_belongs_is_told_with_its_projects(one: Hromada) -> None:
    """By its name, of what is loaded, and by its file, of what takes the file of a project alone."""
    write(one, "two")
    files = "[{file: two.yaml}, {file: one.yaml}]"
    one.write("both.yaml", f"programme: both\ntitle: t\nlanguage: en\nprojects: {files}\n")
    assert one("load", "both.yaml").code == 0
    refused = one("people", "both")
    assert (refused.code, refused.err) == (
        2, "hromada: 'both' is a programme; here goes one of its projects. They are: two, one.\n"
    )  # fmt: skip
    assert "check, load, try, start, status and export take it; name one" in one("simulate", "both.yaml").err


def test_a_programme_starts_with_all_projects_or_with_none(one: Hromada) -> None:
    """What hinders one project leaves the others as they were."""
    for name in ("two", "three"):
        path = write(one, name)
        path.write_text(path.read_text("utf-8").replace("instructions: Read.\n", ""), "utf-8")
    files = "[{file: one.yaml}, {file: two.yaml}, {file: three.yaml}]"
    one.write("both.yaml", f"programme: both\ntitle: t\nlanguage: en\nprojects: {files}\n")
    assert one("load", "both.yaml").code == 0
    refused = one("start", "both")
    assert refused.code == 2
    assert "'two' cannot start. It has no instructions." in refused.err
    assert "'three' cannot start. It has no instructions." in refused.err
    assert state(one) == "loaded"
