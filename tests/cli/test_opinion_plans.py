"""Plans of ratings and preferences, through the command line."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _command import Hromada

RATING = """\
project: rated
title: t
language: en
question: {type: scale, text: How good?, options: [1, 2, 3, 4, 5]LEVEL}
items: {file: items.csv, id: id, show: text, system: model}
overlap: 6
instructions: Rate.
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}
"""
PREFERENCE = """\
project: compared
title: t
language: en
question: {type: preference, text: Which?, sides: [one, two], systems: [model_one, model_two], tie: Equal}
items: {file: items.csv, id: id, show: text}
overlap: 6
instructions: Compare.
votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}
"""
SAYS = ["first", "tie", "tie", "second", "first"]


def plan(hromada: Hromada, *words: str) -> dict[str, Any]:
    """The plan as JSON, and its one unit."""
    ran = hromada("plan", *words, "--json")
    assert ran.code == 0, ran.err
    (unit,) = ran.json["units"]
    return {**ran.json, "unit": unit}


def write_campaign(hromada: Hromada, text: str, answers: list[str]) -> str:
    """A project of 40 items, whose answers six people give at random; its path."""
    rng = random.Random(4)  # noqa: S311  # simulated answers
    hromada.write(
        "items.csv",
        "id,text,model,one,two,model_one,model_two\n"
        + "".join(f"i{n},Text {n},m{n % 2},A {n},B {n},x,y\n" for n in range(40)),
    )
    rows = [f"i{n},p{who},{rng.choice(answers)}\n" for n in range(40) for who in range(6)]
    hromada.write("votes.csv", "item,who,says\n" + "".join(rows))
    return str(hromada.write("project.yaml", text))


@pytest.mark.slow
def test_a_project_is_planned_for_its_kind_of_result(hromada: Hromada) -> None:
    """A rating for its mean in points, assumed and then from votes; in the table too."""
    path = write_campaign(hromada, RATING.replace("LEVEL", ", level: interval"), ["2", "3", "3", "4", "5"])
    expected = (
        "40 items in 40 groups, 240 answers; 95 % interval of the mean opinion for these people about ±0.20 points,"
        " ±0.40 if all choose the ends of the scale"
    )
    assert hromada("check", path, "--json").json["planned"] == expected
    assert hromada("load", path).code == 0
    assumed = plan(hromada, "rated")
    assert (assumed["result"], assumed["scale"]) == ("mean", [1.0, 5.0])
    assert (assumed["half_width"], assumed["difference"]) == (0.2, 0.4)
    assert assumed["unit"]["basis"].startswith("assumed: ratings with a standard deviation of 1, 6 answers per item")
    assert assumed["unit"]["design"]["unpaired"] > assumed["unit"]["design"]["paired"] > 0.1
    narrow = plan(hromada, "rated", "--deviation", "0.5")["unit"]["design"]
    assert narrow["half_width"] < assumed["unit"]["design"]["half_width"] / 1.8
    table = " ".join(hromada("plan", "rated").out.split())
    assert "In points of the scale from 1 to 5." in table
    assert "3.0000" in table
    assert hromada("import", "rated").code == 0
    seen = plan(hromada, "rated", "--half-width", "0.3")
    assert seen["unit"]["basis"] == "votes of 6 people of rated"
    assert seen["unit"]["variance"]["share"] == pytest.approx((3.4 - 1) / 4, abs=0.05)
    assert 0.05 < seen["reached_half_width"]["this_panel"] < 0.3


def test_an_ordinal_scale_is_planned_for_the_share_at_a_point_or_above(hromada: Hromada) -> None:
    """It has no mean; the point is the median of the votes."""
    path = write_campaign(hromada, RATING.replace("LEVEL", ""), ["2", "3", "3", "4", "5"])
    assert hromada("load", path).code == 0
    assert hromada("import", "rated").code == 0
    seen = plan(hromada, "rated")
    assert seen["result"] == "at_least"
    assert seen["unit"]["variance"]["share"] == pytest.approx(0.8, abs=0.1)


@pytest.mark.slow
def test_a_preference_is_planned_for_its_win_rate(hromada: Hromada) -> None:
    """Ties count half: assumed, and then from votes."""
    path = write_campaign(hromada, PREFERENCE, SAYS)
    assert "of the win rate" in hromada("check", path, "--json").json["planned"]
    assert hromada("load", path).code == 0
    assumed = plan(hromada, "compared")
    assert (assumed["result"], assumed["half_width"], assumed["difference"]) == ("win_rate", 0.05, 0.1)
    assert "win rate 0.5, share of ties 0.2" in assumed["unit"]["basis"]
    assert assumed["unit"]["items_for_difference_unpaired"] is None
    assert "from ½" in hromada("plan", "compared", "--ties", "0.4").out
    assert hromada("import", "compared").code == 0
    seen = plan(hromada, "compared")
    assert seen["unit"]["variance"]["share"] == pytest.approx(0.6, abs=0.06)
    assert seen["reached_half_width"]["fresh_panel"] >= seen["reached_half_width"]["this_panel"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--ties", "0.2", "--share", "0.95"], "With a win rate of 0.95 at most 0.1 can be ties"),
        (
            ["--ties", "0.2", "--model-share", "0.9"],
            "--model-share is for the share right, and this plan is for the win",
        ),
        (["--deviation", "0.2", "--ties", "0.2"], "--deviation is for the mean opinion"),
        (["--share", "1.5"], "Invalid --share 1.5. Write a number from 0.01 to 0.99"),
        (["--deviation", "0"], "Invalid --deviation 0. Write a number above 0"),
        (["--half-width", "2"], "Invalid --half-width 2. Write a number from 0.001 to 1"),
    ],
)
def test_assumptions_that_cannot_be_are_refused(hromada: Hromada, words: list[str], problem: str) -> None:
    """In one sentence, with what to write."""
    ran = hromada("plan", *words)
    assert ran.code == 2
    assert problem in " ".join(ran.err.split())
