"""Every interval that is published has a row in a table of coverage, and every table what its benchmark simulates."""

from __future__ import annotations

import importlib
import pkgutil
import re
import runpy
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import _coverage_goals
import pandas as pd
import pytest

import aggregation
import exports
from aggregation.agreement import breakdowns, coefficients, people, two_populations
from aggregation.answer_types import ANSWER_TYPES, boxes, span, text
from aggregation.answers import Answers, AnswerTypeName
from aggregation.comparison import panels, projects, soft_labels
from aggregation.findings import FINDINGS
from aggregation.preferences import places, win_rates
from aggregation.scales import POINT_METRICS
from aggregation.schema import Votes
from aggregation.scores import performance
from exports import plan_files

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/explanation"
SCRIPT = runpy.run_path(str(PAGES / "list_coverage.py"))
LISTED = SCRIPT["TABLES"]
INTERVAL = re.compile(r"(^|_)low: |Interval")  # a field that is the lower end of one, or one itself
NUMBER = re.compile(r"\.\d{3}|\d\.\d{3}")


@cache
def load(name: str) -> dict[str, Any]:
    """What a benchmark has."""
    return runpy.run_path(str(ROOT / f"benchmarks/{name}.py"))


def read_table(name: str) -> Iterator[dict[str, str]]:
    """The rows of a table of coverage, by the names of columns without the backquotes of code."""
    table = next(one for one in LISTED if one.name == name)
    page = SCRIPT["find_page"](table).read_text("utf-8").replace("`", "")
    heads: list[str] = []
    for line in page.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->")[0].splitlines():
        cells = line.strip("| ").split(" | ")
        if not line.strip():
            heads = []
        elif not heads:
            heads = cells
        elif not cells[0].startswith("---"):
            yield dict(zip(heads, cells, strict=True))


def read_shares(cell: str) -> list[float]:
    """The numbers of a cell."""
    return [float(one) for one in NUMBER.findall(cell)]


SUITES = {
    "scores": "score_coverage",
    "models": "paired_coverage",
    "plans": "planning",
    "pilots": "pilots",
    "panels": "panel_differences",
    "gold": "gold_review",
    "opinions": "opinion_coverage",
    "further": "further_coverage",
    "agreement": "agreement_coverage",
}


@pytest.mark.parametrize("name", SUITES)
def test_a_table_has_every_design_of_its_benchmark(name: str) -> None:
    """No more and no less; `make coverage` writes it."""
    suite = load(SUITES[name])["SUITE"]
    assert suite.name == name
    designs = {job.name for job in suite.list_jobs()}
    tables = ("opinions", "points") if name == "opinions" else (name,)  # points have metrics for columns
    shown = {next(iter(row.values())) for table in tables for row in read_table(table)}
    if name == "further":  # independent answers have a design for each range of shares
        shown = {re.sub(r"( answers), .*", r"\1", design) for design in shown}
    assert shown == designs


def test_every_benchmark_of_coverage_is_run_at_once() -> None:
    """`benchmarks/every_coverage.py` has all suites, and `make bench` leaves them to it."""
    every = (ROOT / "benchmarks/every_coverage.py").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    simulated = re.search(r"^SIMULATED := (.+)$", makefile, re.MULTILINE)
    assert simulated is not None
    assert set(simulated[1].split()) == set(SUITES.values())
    assert {name for name in SUITES.values() if f"        {name},\n" in every} == set(SUITES.values())


def build_answers(kind: AnswerTypeName) -> Answers:
    """A little of every type, with whatever gives it more measures."""
    said = {"label": "1", "boxes": '["a"]', "span": '[{"start": 0, "end": 3, "label": "c"}]'}.get(kind, "a b")
    frame = pd.DataFrame({"item": ["i1", "i1", "i2", "i2"], "annotator": [*"pqpq"], "answer": said}, dtype=object)
    index = pd.Index(["i1", "i2"], dtype=object)
    return Answers(
        kind=kind,
        votes=Votes(
            frame=frame,
            items=pd.DataFrame({"group": index, "gold": said, "n_options": 2}, index=index),
            classes=("1", "2") if kind == "label" else None,
            measurement_level="ratio" if kind == "label" else "nominal",
        ),
        boxes=("a", "b") if kind == "boxes" else None,
        span_classes=("c",) if kind == "span" else None,
        texts=dict.fromkeys(("i1", "i2"), "one two") if kind == "span" else {},
    )


SAME_FORMULA = {
    "f1_class": "f1",
    "f1_char_class": "f1_char",
    "percent_agreement_chance_corrected_per_item": "percent_agreement",
    "krippendorff_alpha_ordinal": "krippendorff_alpha_nominal",
    "krippendorff_alpha_interval": "krippendorff_alpha_nominal",
    "krippendorff_alpha_ratio": "krippendorff_alpha_nominal",
    "posterior": "percent_agreement",
}
"""Measures whose row has another name: spans with classes; in comparisons means over pairs, and alpha of any level."""


@pytest.mark.parametrize("kind", ANSWER_TYPES)
def test_every_score_has_a_row(kind: AnswerTypeName) -> None:
    """Each metric of each type of answers, and those of labels less a model's as well."""
    for table in ("scores", "models") if kind == "label" else ("scores",):
        columns = {column for row in read_table(table) for column in row}
        for metric in ANSWER_TYPES[kind].list_metrics(build_answers(kind)):
            assert SAME_FORMULA.get(metric, metric) in columns, (table, metric)


def test_every_coefficient_has_a_row() -> None:
    """Each coefficient of each type of answers, of labels, of annotators and of classes."""
    named = {row["coefficient"].partition(", ")[0] for row in read_table("agreement")}
    wanted = {*coefficients.DESCRIPTIONS, *text.DESCRIPTIONS, *span.DESCRIPTIONS, *boxes.DISTANCES, "exact_sets"}
    votes = build_answers("label").votes
    made = [*breakdowns.break_down_by_label(votes, n_resamples=2)]
    made += breakdowns.break_down_by_annotator(votes, n_resamples=2)
    made += breakdowns.break_down_over_time(votes, n_resamples=2)
    made += people.estimate_class_confidence(votes, pd.Series({"i1": "1", "i2": "1"}), n_resamples=2)
    wanted |= {row.name for row in made}
    for answer_type in ANSWER_TYPES.values():
        wanted |= set(() if answer_type.is_label else answer_type.headlines)
    assert {name.removesuffix(span.CLASS_SUFFIX) for name in wanted} <= named
    assert {f"{name}, {boxes.EVERY_BOX}" for name in boxes.BOX_COEFFICIENTS} <= {
        row["coefficient"] for row in read_table("agreement")
    }


@pytest.mark.parametrize("kind", ANSWER_TYPES)
def test_every_difference_has_a_row(kind: AnswerTypeName) -> None:
    """Each measure of two projects, and of two panels."""
    compared = {
        "pilots": {*projects.list_measures(build_answers(kind))},
        "panels": {*projects.list_measures(build_answers(kind)), panels.SAME_CONSENSUS} - {*panels.LEFT_OUT},
    }
    for table, measures in compared.items():
        columns = {column for row in read_table(table) for column in row}
        over_pairs = dict.fromkeys(ANSWER_TYPES[kind].similarities or (), "percent_agreement")
        assert {(SAME_FORMULA | over_pairs).get(measure, measure) for measure in measures} <= columns


OWNERS = {
    "Score": "scores",
    "Unit": "further: answers as if independent",
    "ModelDifference": "models",
    "SoftScore": f"further: {soft_labels.CROSS_ENTROPY.replace('_', '-')}",
    "WeightedShare": "gold",
    "OrderSlope": "further: slope over a session",
    "TaskMean": "further: mean over tasks",
    "MeasureDifference": "pilots",
    "PanelDifference": "panels",
    "ShareDifference": "models",
    "Coefficient": "agreement",
    "SelfAgreement": "further: share of independent answers",
    "CutResult": "further: share of independent answers",
    "Estimate": "opinions: win rate",
    "RankedSystem": "opinions: Davidson places",
    "AgreementDifference": "opinions: agreement difference",
    "AlternativeTest": "opinions: advantage",
    "JudgeScore": "opinions: agreement difference",
    "CorrectedMean": "opinions: Rogan–Gladen share",
    "LengthSlope": "opinions: length slope",
}
"""The table, and the interval of it, that has the coverage of what a class publishes."""
PARTS = {"Interval", "BothIntervals", "PanelIntervals", "_Made", "HumanScore"}
"""What intervals are handed on in, and drawn from; a HumanScore repeats those of a Score, a Coefficient or a share."""


def list_classes() -> Iterator[type]:
    """Every class with an interval: a field whose name ends in `low`, or that is an interval itself."""
    for package in (aggregation, exports):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for owner in vars(importlib.import_module(module.name)).values():
                is_own = is_dataclass(owner) and isinstance(owner, type) and owner.__module__ == module.name
                if is_own and any(INTERVAL.search(f"{one.name}: {one.type}") for one in fields(owner)):
                    yield owner


def test_every_class_with_an_interval_has_a_table() -> None:
    """A new one fails here until a benchmark simulates what it publishes."""
    found = {owner.__name__ for owner in list_classes()} - PARTS
    assert found == OWNERS.keys()
    intervals = {table: {row["interval"] for row in read_table(table)} for table in ("further", "opinions")}
    for place in OWNERS.values():
        table, _, interval = place.partition(": ")
        assert not interval or interval in intervals[table], place
        assert list(read_table(table)), place


def test_plans_are_near_their_goal() -> None:
    """What is promised is what was reached."""
    benchmark = load("planning")
    (low, high), sure = benchmark["REACHED"], benchmark["SURE"]
    shares = []
    for row in read_table("plans"):
        design, *cells = row.values()
        single_this, single_fresh, majority_this, majority_fresh = map(float, cells)
        assert all(low - sure <= share <= high + sure for share in (single_this, single_fresh, majority_fresh)), design
        assert majority_this >= low - sure, design
        shares += [single_this, single_fresh, majority_this, majority_fresh]
    assert f"{min(shares) * 100:.0f} to {max(shares) * 100:.0f} %" in plan_files.PROMISE


def test_scores_are_within_their_goals() -> None:
    """Each cell shown holds its goal, within twice what chance does to it, and pages state the goals."""
    jobs = {job.name: job for job in load("score_coverage")["SUITE"].list_jobs()}
    for row in read_table("scores"):
        design, unit, *cells = row.values()
        job = jobs[design]
        goals = job.this_panel, _coverage_goals.choose_goal(design, job.people)
        for column, cell in zip(list(row)[2:], cells, strict=True):
            if column.startswith("width"):
                continue
            coverage = read_shares(cell)
            assert len(coverage) in ({0, 1} if job.people < 5 else {0, 2}), (design, unit, cell)
            for share, (low, high) in zip(coverage, goals, strict=False):
                sure = 2 * (share * (1 - share) / job.campaigns) ** 0.5 + 0.0005
                assert low - sure <= share <= high + sure, (design, unit, cell)
    said = [ROOT / "docs/reference/published-human-baseline.md", Path(performance.__file__)]
    for goal in ("FRESH_PANEL", "FEW_PEOPLE", "UNEQUAL_PANEL"):
        written = "-".join(f"{end:.2f}".removeprefix("0") for end in getattr(_coverage_goals, goal))
        assert all(written in file.read_text("utf-8") for file in said), (goal, written)


def test_opinions_are_within_their_goals() -> None:
    """Each cell holds its goal within twice what chance does to it, and is near what another simulation found."""
    benchmark = load("opinion_coverage")
    reference, n = benchmark["REFERENCE"], benchmark["CAMPAIGNS"]
    people = {job.name: job.design.people for job in benchmark["SUITE"].list_jobs()}
    cells = [
        (design, row["interval"], column, share)
        for row in read_table("opinions")
        for (design, column) in ((row["design"], "this panel"), (row["design"], "a fresh panel"))
        for share in read_shares(row[column])
    ]
    cells += [
        (row["design"], f"{row['unit']} {metric}", "a fresh panel", share)
        for row in read_table("points")
        for metric in list(row)[2:]
        for share in read_shares(row[metric])
    ]
    compared = set()
    for design, interval, column, share in cells:
        low, high = benchmark["THIS_PANEL"] if column == "this panel" else benchmark["choose_goal"](people[design])
        sure = 2 * (share * (1 - share) / n) ** 0.5 + 0.0005
        assert low - sure <= share <= high + sure, (design, interval, column, share)
        if (design, interval) in reference and (column == "a fresh panel" or interval == "ICC(C,1)"):
            compared.add((design, interval))
            least, most = reference[design, interval]
            assert least - 0.03 - sure <= share <= most + 0.03 + sure, (design, interval, share)
    assert compared == reference.keys()


@pytest.mark.parametrize(
    ("covered", "intervals"),
    [
        (win_rates.COVERED, {"win rate", "share left"}),
        (places.COVERED, {"Bradley–Terry strength", "Davidson strength"}),
    ],
)
def test_preferences_are_as_stated(covered: str, intervals: set[str]) -> None:
    """What is said beside each interval for new people, within what chance does to the table."""
    low, high = map(float, covered.split("-"))
    n = load("opinion_coverage")["CAMPAIGNS"]
    rows = [row for row in read_table("opinions") if row["interval"] in intervals]
    assert {row["interval"] for row in rows} == intervals
    for row in rows:
        (share,) = read_shares(row["a fresh panel"])
        sure = 2 * (share * (1 - share) / n) ** 0.5
        assert low - sure <= share <= high + sure, row


def test_every_metric_of_points_has_a_column() -> None:
    """Each unit and metric of points against gold."""
    rows = list(read_table("points"))
    assert {"single answers", "mean", "median"} == {row["unit"] for row in rows}
    assert {*POINT_METRICS} <= {metric for row in rows for metric in row}


def test_agreement_is_as_stated() -> None:
    """The coverage is what every table of agreement says of it, within twice what chance does to it."""
    benchmark = load("agreement_coverage")
    low, high = benchmark["GOAL"]
    campaigns = {one.name: one.campaigns for one in benchmark["DESIGNS"]}
    for row in read_table("agreement"):
        design, coefficient, *cells = row.values()
        for cell in cells:
            for share in read_shares(cell)[:1]:
                sure = 2 * (share * (1 - share) / campaigns[design]) ** 0.5 + 0.0005
                assert low - sure <= share <= high + sure, (design, coefficient, cell)
    assert set(two_populations.COVERED.values()) == {f"{low:.2f}-{high:.2f}".replace("0.", ".")}


def test_the_fewest_items_that_were_simulated_are_as_stated() -> None:
    """What is said beside an interval names the smallest campaign whose coverage is known."""
    opinions, scores = load("opinion_coverage"), load("score_coverage")
    labels = [_coverage_goals.LABELS, _coverage_goals.MIXED, _coverage_goals.CEILING]
    simulated = {
        "agreement-covered": [load("agreement_coverage")["DESIGNS"]],
        "covered": [*labels, scores["REFITTED"], scores["ANSWERS"], opinions["OPINIONS"], opinions["POINTS"]],
        "preference-covered": [opinions["WIN_RATES"], opinions["STRENGTHS"]],
    }
    simulated |= dict.fromkeys(("covered-few", "covered-unequal"), simulated["covered"])
    fewest = {code: min(design.items for some in designs for design in some) for code, designs in simulated.items()}
    stated = {code: re.findall(r"at least (\d+) items", FINDINGS[code]) for code in simulated}
    assert stated == {code: [str(items)] for code, items in fewest.items()}
