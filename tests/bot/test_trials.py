"""The numbers of `simulate` against what is known without simulating: closed forms, plans, and the same seed twice."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.campaigns import project_file as project_files
from annotation.campaigns import template_files
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.errors import BadInput
from annotation.simulation.answer_generator import SimulationSettings
from annotation.workflow.lifecycle import precision
from bot import trials
from bot.trials import Trial

PROJECT = """\
project: known
title: t
language: en
kind: {kind}
instructions: Read.
question: {{type: choice, text: Which?}}
items: {{file: items.jsonl, id: id, show: text, options: options, gold: gold, gold_origin: construction}}
overlap: 3
expected: {{seconds: 12}}
reward: {{pay: {{per_item: 0.05, currency: EUR}}}}
"""
PLAIN = SimulationSettings(
    people=30, skill=0.8, spread=0, careless=0, skips=0, undos=0, reports=0, leaves=0, days=1, seed=5
)
ITEMS = 60


def campaign(
    folder: Path, *, kind: str = "annotation", more: str = "", items: int = ITEMS
) -> project_files.CheckedProject:
    """A project of items with four options each, gold known."""
    rows = [
        {"id": f"i{n}", "text": f"text {n}", "gold": f"{n}{'abcd'[n % 4]}", "options": [f"{n}{one}" for one in "abcd"]}
        for n in range(items)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "project.yaml").write_text(PROJECT.format(kind=kind) + more, "utf-8")
    return project_files.read_project(folder / "project.yaml")


@pytest.mark.slow
def test_annotators_of_one_skill_give_the_computed_scores(tmp_path: Path) -> None:
    """Skill p, four options: single answers p; a majority of three p³ + 3p²(1 − p), as two of three have to be right;
    three equal votes of unknown skill are 90 % sure, else two more people are asked.
    """
    tried = (3, DynamicOverlap(min=3, max=5, confidence=0.9))
    _, (three, dynamic) = trials.compare_overlaps(campaign(tmp_path), settings=PLAIN, overlaps=tried)
    p, wrong = 0.8, 0.2 / 3
    assert three.outcome.counting == three.outcome.judgements == 3 * ITEMS
    assert three.scores.right == pytest.approx(p, abs=deviations(p, 3 * ITEMS))
    majority = p**3 + 3 * p**2 * (1 - p)
    assert three.scores.consensus == pytest.approx(majority, abs=deviations(majority, ITEMS))
    agreed = p**3 + 3 * wrong**3
    assert (5 - dynamic.outcome.mean_answers) / 2 == pytest.approx(agreed, abs=deviations(agreed, ITEMS))
    assert three.outcome.money is not None
    assert str(three.outcome.money) == f"{3 * ITEMS * 0.05:.2f} EUR"
    tempo = three.outcome.hours * 3600 / (3 * ITEMS) / 12
    assert 0.8 < tempo < 1.5  # log-normal: the mean lies above the median of 12 seconds


def deviations(share: float, number: int) -> float:
    """Three standard errors of a share."""
    return 3 * math.sqrt(share * (1 - share) / number)


def test_the_interval_of_a_baseline_is_near_its_plan(tmp_path: Path) -> None:
    """The plan assumes that answers to an item go together; simulated ones do not, so the bootstrap stays below it,
    and above what independent answers would have.
    """
    crowd = replace(PLAIN, skill=0.9)
    _, (trial,) = trials.compare_overlaps(campaign(tmp_path, kind="baseline"), settings=crowd, overlaps=(3,))
    assert trial.planned == pytest.approx(precision.compute_half_width([1] * ITEMS, overlap=3, spread=0.09), abs=1e-4)
    assert trial.scores.right is not None
    assert trial.scores.half_width is not None
    assert trial.planned is not None
    independent = 1.96 * math.sqrt(trial.scores.right * (1 - trial.scores.right) / (3 * ITEMS))
    assert independent * 0.9 < trial.scores.half_width < 1.6 * trial.planned


def format_trials(compared: tuple[Trial, ...]) -> str:
    """Everything in the trials, for comparison."""
    return repr(compared)


def test_the_same_seed_gives_the_same_result_and_another_a_different_one(tmp_path: Path) -> None:
    """Annotators, truth, clock and numbers depend on the seed alone."""
    known = campaign(tmp_path, items=8)
    crowd = SimulationSettings(people=8, seed=1, undos=0.2, skips=0.1, leaves=0.1)
    runs = [
        format_trials(trials.compare_overlaps(known, settings=one, overlaps=(3,))[1])
        for one in (crowd, crowd, replace(crowd, seed=2))
    ]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("kind", "more", "people", "says"),
    [
        (
            "baseline",
            "",
            2,
            "of 2 people 2 had met all that is left. 3 people are asked about an item: invite at least",
        ),
        ("annotation", "caps: {items: 2}\n", 6, "6 had as many items as `caps.items` allows. Invite more people, or"),
    ],
)
def test_shortages_come_with_a_remedy(tmp_path: Path, kind: str, more: str, people: int, says: str) -> None:
    """Too few people, and caps."""
    crowd = replace(PLAIN, people=people)
    _, (trial,) = trials.compare_overlaps(
        campaign(tmp_path, kind=kind, more=more, items=6), settings=crowd, overlaps=(3,)
    )
    assert trial.outcome.done < 6
    assert says in trial.outcome.shortages[0]


def test_exposure_is_a_shortage_of_a_baseline(tmp_path: Path) -> None:
    """All items of one group: everybody answers one of them, and then nobody is left."""
    rows = [{"id": f"i{n}", "text": f"t {n}", "gold": "x", "group": "g"} for n in range(6)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "project.yaml").write_text(
        "project: one\ntitle: t\nlanguage: en\nkind: baseline\ninstructions: Read.\noverlap: 3\n"
        "question: {type: choice, text: Which?, options: [x, y]}\n"
        "items: {file: items.jsonl, id: id, show: text, gold: gold, group: group}\n",
        "utf-8",
    )
    known = project_files.read_project(tmp_path / "project.yaml")
    _, (trial,) = trials.compare_overlaps(known, settings=replace(PLAIN, people=6), overlaps=(3,))
    assert trial.outcome.judgements == 6
    assert "In a baseline one person meets a group once" in trial.outcome.shortages[0]


def test_limitations_are_listed(tmp_path: Path) -> None:
    """A control rule without effect is listed; text that is not an overlap is refused."""
    for name in ("acceptability", "winograd"):
        template_files.write_template(tmp_path / name, template_name=name)
    path = tmp_path / "acceptability" / "project.yaml"
    path.write_text(path.read_text("utf-8").replace("min_controls: 2", "min_controls: 10"), "utf-8")
    known = project_files.read_project(tmp_path / "acceptability" / "project.yaml")
    tried = trials.parse_overlaps(["3", "dynamic"], campaign=known)
    contents, compared = trials.compare_overlaps(known, settings=SimulationSettings(people=4), overlaps=tried[:1])
    (limitation,) = trials.list_limitations(known, contents, tried)
    assert "it waits for 10 answers to control items, and one person meets at most 2." in limitation
    assert compared[0].overlap == "3"
    with pytest.raises(BadInput, match="'many' is not an overlap"):
        trials.parse_overlaps(["many"], campaign=known)
