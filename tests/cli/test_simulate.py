"""`hromada simulate`, as a person runs it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _command import Hromada


@pytest.fixture
def strict(hromada: Hromada) -> Hromada:
    """A folder with a campaign begun from a template."""
    assert hromada("new", "one", "--template", "acceptability").code == 0
    return hromada


def test_overlaps_stand_side_by_side_and_nothing_is_stored(strict: Hromada) -> None:
    """The table says that it is simulated, above and below; no database, no key is made."""
    ran = strict("simulate", "one/project.yaml", "--people", "8", "--overlap", "2,dynamic")
    assert ran.code == 0, ran.err
    lines = ran.out.strip().splitlines()
    assert lines[0] == "SIMULATED · one · 8 people, skill 85%, 5% careless, seed 0"
    assert lines[-1] == "SIMULATED: no person answered any of this."
    assert "3 to 5 until 90% sure" in ran.out
    assert "items done" in ran.out
    assert sorted(path.name for path in strict.folder.iterdir()) == ["one"]


def test_the_overlap_of_the_file_is_among_what_is_compared(strict: Hromada) -> None:
    """First, and once."""
    file = strict.folder / "one/project.yaml"
    text = re.sub(r"(?m)^overlap: .*$", "overlap: 2", file.read_text("utf-8"))
    file.write_text(text, "utf-8")
    told = strict("simulate", "one/project.yaml", "--people", "4", "--json").json
    assert [trial["overlap"] for trial in told["trials"]] == ["2", "3", "5", "3 to 5 until 90% sure"]
    told = strict("simulate", "one/project.yaml", "--people", "4", "--overlap", "own,2", "--json").json
    assert [trial["overlap"] for trial in told["trials"]] == ["2"]


def test_machines_get_json_and_the_same_seed_the_same_bytes(strict: Hromada) -> None:
    """Every figure of the table, by overlap."""
    command = ("simulate", "one/project.yaml", "--people", "8", "--overlap", "3", "--seed", "4", "--json")
    first, again = strict(*command), strict(*command)
    assert first.out == again.out
    told = first.json
    assert (told["project"], told["simulated"], told["crowd"]["seed"]) == ("one", True, 4)
    (trial,) = told["trials"]
    assert (trial["overlap"], trial["items"], trial["done"], trial["money"]) == ("3", 3, 3, None)
    assert 0 <= trial["consensus"] <= 1


def test_a_campaign_without_labels_has_an_accuracy_too(hromada: Hromada) -> None:
    """Texts are right where they equal a right answer."""
    assert hromada("new", "two", "--template", "open-answer").code == 0
    ran = hromada("simulate", "two/project.yaml", "--people", "8", "--overlap", "3")
    assert "No accuracy" not in ran.out
    assert "3 of 3" in ran.out
    told = hromada("simulate", "two/project.yaml", "--people", "8", "--overlap", "3", "--json").json
    assert 0.5 < told["trials"][0]["right"] <= 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--skill", "much"), "--skill: 'much' is not a share. Write it like 85% or 0.85."),
        (("--pace", "slow"), "--pace: 'slow' is not a duration. Write it like 30s, 5min or 2h."),
        (("--overlap", "0"), "'0' is not an overlap. Write it like --overlap own,3,5,dynamic."),
    ],
)
def test_what_cannot_be_tried_is_refused(strict: Hromada, arguments: tuple[str, str], says: str) -> None:
    """With the option and a remedy."""
    ran = strict("simulate", "one/project.yaml", *arguments)
    assert ran.code == 2
    assert says in ran.err


def test_it_is_said_whom_an_interval_is_for(hromada: Hromada) -> None:
    """Three people say nothing about new ones."""
    assert hromada("new", "one", "--template", "baseline").code == 0
    told = " ".join(hromada("simulate", "one/project.yaml", "--people", "6", "--overlap", "3").out.split())
    assert " people who answered 3 " in told
    assert " half of their 95 % interval 0." in told
    assert "of fewer than five people, for these people and new items." in told


@pytest.mark.parametrize(
    ("template", "named"), [("preference", "win rate of верба over липа"), ("rating", "mean opinion of human")]
)
def test_without_gold_what_people_prefer_is_simulated(hromada: Hromada, template: str, named: str) -> None:
    """In place of a share of right answers, in the table and as JSON."""
    assert hromada("new", "one", "--template", template).code == 0
    ran = hromada("simulate", "one/project.yaml", "--people", "6", "--overlap", "3")
    assert named in " ".join(ran.out.split())
    assert "Half of a 95 % interval (±)" in ran.out
    assert "right answers" not in ran.out
    (trial,) = hromada("simulate", "one/project.yaml", "--people", "6", "--overlap", "3", "--json").json["trials"]
    assert trial["right"] is None
    assert next(one for one in trial["results"] if one["name"] == named)["value"] > 0
