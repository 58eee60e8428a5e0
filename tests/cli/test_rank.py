"""`hromada rank`: the example as a person types it, machines' output, and files that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotation.errors import BadInput
from bot.commands.score_files import read_scores

if TYPE_CHECKING:
    from _command import Hromada

EXAMPLE = Path(__file__).parents[2] / "examples/ranking/russian-superglue-invented.csv"
HEADER = "model,task,value\n"


def test_the_example_is_ranked_and_people_are_marked(hromada: Hromada) -> None:
    """The table of winners, people's place beside each, and the places of all in three variants."""
    ran = hromada("rank", EXAMPLE)
    assert ran.code == 0, ran.err
    assert "11 systems, 9 tasks" in ran.out
    assert "RCB: the mean of accuracy and f1." in ran.out
    assert "condorcet (weighted): No system beats every other one." in ran.out
    assert ran.out.count("HUMAN (people)") == 3
    winners = [line.split() for line in ran.out.splitlines() if line.strip().startswith("4 threshold ")]
    assert winners == [["4", "threshold", "Invented", "B", "3", "Invented", "B", "3", "Invented", "B", "2"]]


def test_machines_get_the_same(hromada: Hromada) -> None:
    """Scores, places and winners by variant and rule; a group that counts more changes the winner."""
    ran = hromada("rank", EXAMPLE, "--json").json
    assert (ran["human"], ran["scores"]["HUMAN"]["RCB"], len(ran["systems"])) == ("HUMAN", 0.691, 11)
    rankings = {variant: {one["rule"]: one for one in ranked} for variant, ranked in ran["rankings"].items()}
    assert list(rankings) == ["plain", "weighted", "two_step"]
    assert rankings["plain"]["borda"]["winners"] == ["HUMAN", "Invented B"]
    assert rankings["weighted"]["borda"]["winners"] == ["Invented B"]
    assert rankings["plain"]["condorcet"]["places"]["Invented A"] is None
    heavy = hromada("rank", EXAMPLE, "--group-weight", "reasoning=9", "--json").json
    weighted = {one["rule"]: one for one in heavy["rankings"]["weighted"]}
    assert weighted["borda"]["winners"] == ["HUMAN"]


def test_a_file_without_people_is_ranked_too(hromada: Hromada) -> None:
    """A note says so; --human names another row; missing scores are empty cells."""
    path = hromada.write("scores.csv", HEADER + "a,t,0.5\nb,t,0.25\na,u,\nb,u,0.5\n")
    ran = hromada("rank", path)
    assert (ran.code, "No system is called HUMAN" in ran.out) == (0, True)
    assert "Places need every score; a has none on u." in ran.out
    assert "b (people)" in hromada("rank", path, "--human", "b").out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEADER + "a,t,0.5\nb,t,0.4\na,t,0.6\n", ":4, model: a · t is on line 2 already. Keep one of the rows."),
        (HEADER + "a,t,0.5\nb,t,good\n", ":3, value: 'good' is not a number. Write, for example, 0.68"),
        (HEADER + 'a,t,0.5\nb,t,"0,4"\n', ":3, value: '0,4' is not a number."),
        (HEADER + "a,t,0.5\nb,t,inf\n", ":3, value: 'inf' is not a number."),
        (HEADER + "a,t,0.5\n,t,0.4\n", ":3, model: The model has no name."),
        (HEADER + "a,t,0.5\n", ", model: There is one system only, a."),
        (HEADER, "The file has no rows."),
        ("model,task,metric,value\na,t,wer,0.1\nb,t,wer,0.4\n", ":2, metric: wer counts errors: less is better."),
        (HEADER + "a,t,0.5\nb,t,0.5\nb,u,0.5\nc,u,\n", ", model c: c has no score at all."),
        (HEADER + "a,t,0.5\nb,t,0.5\nb,u,\n", ", task u: u has no score at all."),
        ("system,t1,t2\na,1,2\n", ":1, model: There is no column 'model'. Write one row a system and task"),
        ("model,task,group,value\na,t,g,1\nb,t,h,1\n", ":3, group: t is in the group 'h' here, and in 'g' on line 2."),
        ("model,task,group,value\na,t,g,1\na,u,,1\n", ":3, group: u has no group, but other tasks do."),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    """With file, line, field and remedy."""
    path = tmp_path / "scores.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(BadInput) as refused:
        read_scores(path)
    assert str(refused.value).startswith(str(path))
    assert said in str(refused.value)
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("g=2", "--group-weight: There is no group 'g'. Write GROUP=NUMBER. The groups of the file: inference, "),
        ("words=0", "--group-weight: '0' is not a weight. Give a number above 0."),
        ("words", "--group-weight: There is no group 'words'."),
    ],
)
def test_bad_weights_are_refused(hromada: Hromada, given: str, said: str) -> None:
    """With the groups that there are, and exit code 2."""
    ran = hromada("rank", EXAMPLE, "--group-weight", given)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_two_weights_of_a_group_and_a_gamma_that_is_no_number_are_refused(hromada: Hromada) -> None:
    for words, said in (
        (("--group-weight", "reasoning=2", "--group-weight", "reasoning=3"), "The group reasoning has two weights"),
        (("--gamma", "nan"), "γ is not a number"),
    ):
        ran = hromada("rank", EXAMPLE, *words)
        assert (ran.code, ran.out, said in ran.err) == (2, "", True), ran.err
