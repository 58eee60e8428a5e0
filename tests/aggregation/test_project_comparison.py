"""Pilots over the same items: what each measures, and their paired differences with intervals."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from _pilots import PilotDesign, cover_differences
from _simulations import average_coverage

from aggregation.agreement.table import AgreementTable
from aggregation.agreement.two_way_variance import list_vote_changes
from aggregation.agreement.vote_sums import FIRST_CLASS_COLUMN, sum_votes
from aggregation.answer_types import build_consensus, compute_agreement, score_answers
from aggregation.answers import Answers, AnswerTypeName
from aggregation.comparison.projects import (
    ProjectAnswers,
    ProjectComparison,
    compare_projects,
    list_measures,
    measure_accuracy,
    measure_median_seconds,
)
from aggregation.errors import HromadaError
from aggregation.intervals.paired_measures import join_measures
from aggregation.intervals.panel import Metric, estimate_intervals, estimate_variance
from aggregation.schema import MeasurementLevel, Votes

Build = Callable[..., Votes]
Rows = list[tuple[str, str, str]]
GOLD = {f"i{number:02}": "xxxyyz"[number % 6] for number in range(30)}


def draw_rows(people: Sequence[str], *, share: float, seed: int, per_item: int | None = None) -> Rows:
    """Answers of people who are right on about that share of the items; of each item by `per_item` of them, or all."""
    rng = np.random.default_rng(seed)
    rows = []
    for item, truth in GOLD.items():
        chosen = people if per_item is None else rng.choice(list(people), size=per_item, replace=False).tolist()
        rows += [(item, who, truth if rng.random() < share else str(rng.choice(list("xyz")))) for who in chosen]
    return rows


def build_project_answers(name: str, answers: Answers, *, seed: int = 1, skips: int = 4) -> ProjectAnswers:
    """A project whose answers took some seconds each, with as many skips."""
    rng = np.random.default_rng(seed)
    frame = answers.votes.frame.loc[:, ["item", "annotator"]]
    offers = frame.assign(skipped=False, is_due=False, seconds=rng.lognormal(3.0, 0.6, len(frame)).round(1))
    skipped = frame.iloc[:skips].assign(skipped=True, is_due=False, seconds=np.nan)
    return ProjectAnswers(name=name, answers=answers, offers=pd.concat([offers, skipped], ignore_index=True))


def build_labels(votes_of: Build, rows: Rows, *, level: MeasurementLevel = "nominal") -> Answers:
    """Closed labels x, y, z with gold."""
    return Answers(kind="label", votes=votes_of(rows, classes="xyz", gold=GOLD, level=level, n_options=3))


@pytest.fixture
def projects(votes_of: Build) -> tuple[ProjectAnswers, ProjectAnswers]:
    """Two projects: people a-h, three an item; people e-l, four an item."""
    first = build_labels(votes_of, draw_rows("abcdefgh", share=0.8, seed=1, per_item=3))
    second = build_labels(votes_of, draw_rows("efghijkl", share=0.6, seed=2, per_item=4))
    return build_project_answers("one", first), build_project_answers("two", second, seed=2, skips=9)


def get_values(compared: ProjectComparison, which: int) -> dict[str, float | None]:
    """The values of the first (0) or the second (1) project by measure."""
    return {row.measure: (row.first, row.second)[which] for row in compared.differences}


def get_agreement(project: ProjectAnswers) -> AgreementTable:
    """The coefficients that `hromada agreement` prints."""
    return compute_agreement(project.answers, n_resamples=100)


def test_values_are_those_of_the_other_commands(projects: tuple[ProjectAnswers, ProjectAnswers]) -> None:
    """Agreement, confidence and accuracy as `agreement`, `aggregate` and `baseline` have them."""
    compared = compare_projects(*projects)
    for which, project in enumerate(projects):
        agreement = get_agreement(project)
        performance = score_answers(project.answers)
        seconds = project.offers["seconds"].dropna()
        labels = {
            method: build_consensus(project.answers, method=method, ties="first").labels["confidence"].mean()
            for method in ("majority", "dawid_skene")
        }
        assert get_values(compared, which) == pytest.approx(
            {
                "percent_agreement": agreement["percent_agreement"].value,
                "krippendorff_alpha_nominal": agreement["krippendorff_alpha_nominal"].value,
                "vote_share": labels["majority"],
                "posterior": labels["dawid_skene"],
                "mean_seconds": seconds.mean(),
                "median_seconds": seconds.median(),
                "skips": project.offers["skipped"].mean(),
                "accuracy": performance["individual"]["accuracy"].value,
                "majority_accuracy": performance["majority"]["accuracy"].value,
            }
        )


def test_differences_are_the_first_less_the_second(projects: tuple[ProjectAnswers, ProjectAnswers]) -> None:
    """Each lies inside both of its intervals; people of both projects are told."""
    compared = compare_projects(*projects)
    one, two = get_values(compared, 0), get_values(compared, 1)
    for row in compared.differences:
        first, second = one[row.measure], two[row.measure]
        assert first is not None
        assert second is not None
        assert row.difference == pytest.approx(first - second)
        assert row.item_only_low is not None
        assert row.item_only_high is not None
        assert row.item_only_low <= first - second <= row.item_only_high
        assert (row.ci_low is None) == (row.measure == "posterior")
        assert (row.n_people, row.n_common_people) == ((0, 0) if row.measure == "posterior" else (12, 4))
        assert row.n_items == 30
    assert compared.warnings == (
        "one: 8 people are few; what others would do is hardly known from them.",
        "two: 8 people are few; what others would do is hardly known from them.",
        "Votes an item differ (one 3.0, two 4.0): with more votes the vote share is lower by itself.",
    )


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_a_scale_has_the_alpha_of_its_level_too(votes_of: Build, level: MeasurementLevel) -> None:
    """Equal to that of `hromada agreement`, with the interval of a difference."""
    digits = {"x": "1", "y": "2", "z": "4"}
    made = []
    for number in (1, 2):
        rows = [(item, who, digits[said]) for item, who, said in draw_rows("abcdef", share=0.7, seed=number)]
        votes = votes_of(rows, classes=("1", "2", "4"), level=level, n_options=3)
        made.append(build_project_answers(f"p{number}", Answers(kind="label", votes=votes)))
    compared = compare_projects(*made)
    name = f"krippendorff_alpha_{level}"
    assert [get_values(compared, which)[name] for which in (0, 1)] == pytest.approx(
        [get_agreement(project)[name].value for project in made]
    )
    assert compared.find_difference(name).ci_low is not None
    assert compared.find_difference("accuracy").first is None


def test_other_answers_have_the_coefficients_of_their_type(votes_of: Build) -> None:
    """Boxes α of every box, texts chrF, spans F1 of words; where options differ percent agreement beyond chance."""
    sets = {"x": ["a"], "y": ["a", "b"], "z": []}
    texts = {"x": "рудий лис", "y": "рудий пес", "z": "старий дід"}
    spans = {"x": (0, 5), "y": (0, 9), "z": (6, 9)}
    cases: list[tuple[AnswerTypeName, str, str, Callable[[str], str]]] = [
        ("boxes", "krippendorff_alpha_nominal", "every box", lambda said: json.dumps(sets[said])),
        ("text", "mean_chrf", "", lambda said: texts[said]),
        ("span", "span_f1_token", "", lambda said: json.dumps([dict(zip(("start", "end"), spans[said], strict=True))])),
        ("label", "percent_agreement_chance_corrected_per_item", "", lambda said: said),
    ]
    for kind, coefficient, of, say in cases:
        made = []
        for number in (1, 2):
            rows = [(item, who, say(said)) for item, who, said in draw_rows("abcdef", share=0.6, seed=number)]
            answers = Answers(
                kind=kind,
                votes=votes_of(rows, n_options=3),
                boxes=("a", "b") if kind == "boxes" else None,
                texts=dict.fromkeys(GOLD, "рудий лис біжить") if kind == "span" else {},
            )
            made.append(build_project_answers(f"p{number}", answers))
        compared = compare_projects(*made)
        for which, project in enumerate(made):
            known = {(row.name, row.of): row.value for row in get_agreement(project).headline}
            assert get_values(compared, which)[coefficient] == pytest.approx(known[coefficient, of])
        assert compared.find_difference(coefficient).ci_low is not None


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_votes_add_up_to_the_sums_of_their_pairs_twice(votes_of: Build, level: MeasurementLevel) -> None:
    """A pair belongs to two people; what is no pair, votes and their classes, adds up once."""
    votes = votes_of(draw_rows("abcde", share=0.6, seed=4, per_item=3), classes="xyz", level=level, n_options=3)
    sums = sum_votes(votes)
    total = np.asarray(sums.items.columns.sum(axis=0)).ravel()
    added = list_vote_changes(votes, sums).sum(axis=0)
    once = [1, *range(FIRST_CLASS_COLUMN, FIRST_CLASS_COLUMN + 3)]
    twice = [0, 2, 3, 4, *range(FIRST_CLASS_COLUMN + 3, len(total))]
    assert added[once] == pytest.approx(total[once])
    assert added[twice] == pytest.approx(2 * total[twice])


def test_only_items_of_all_projects_are_compared(votes_of: Build) -> None:
    """Those that one lacks change nothing; where none is common there is nothing to compare."""
    rows = draw_rows("abcdefgh", share=0.8, seed=1)
    whole = build_labels(votes_of, rows)
    part = whole.with_votes(
        replace(
            whole.votes,
            frame=whole.votes.frame.loc[whole.votes.frame["item"] < "i20"],
            items=whole.votes.items.loc[whole.votes.items.index < "i20"],
        )
    )
    compared = compare_projects(
        build_project_answers("whole", whole, skips=0), build_project_answers("part", part, skips=0)
    )
    for name in ("percent_agreement", "accuracy", "vote_share"):
        row = compared.find_difference(name)
        assert row.n_items == 20
        assert row.difference == pytest.approx(0)
    other = part.with_votes(replace(part.votes, items=part.votes.items.rename(lambda item: f"other {item}")))
    with pytest.raises(HromadaError, match="No item is in both"):
        compare_projects(build_project_answers("whole", whole), build_project_answers("other", other))


def test_what_some_lack_is_told(votes_of: Build) -> None:
    """Without times, or with four people, there is a reason in place of the number."""
    one = build_project_answers("one", build_labels(votes_of, draw_rows("abcd", share=0.8, seed=1)))
    two = build_project_answers("two", build_labels(votes_of, draw_rows("efghi", share=0.8, seed=2)))
    compared = compare_projects(replace(one, offers=one.offers.assign(seconds=np.nan)), two)
    timed = compared.find_difference("mean_seconds")
    assert (timed.difference, timed.reason) == (None, "No item has it in both projects.")
    scored = compared.find_difference("accuracy")
    assert scored.reason == "With fewer than 5 people in one of both nothing can be said of new people."
    assert (scored.ci_low, scored.item_only_low is not None) == (None, True)


def test_projects_that_cannot_be_compared_are_refused(
    projects: tuple[ProjectAnswers, ProjectAnswers], votes_of: Build
) -> None:
    """One of them twice, or answers of two types."""
    one, two = projects
    text = Answers(kind="text", votes=votes_of(draw_rows("abcdef", share=0.6, seed=1)))
    for other, problem in (
        (replace(two, name="one"), "'one' is named twice"),
        (replace(two, answers=text), "of the type 'label'"),
    ):
        with pytest.raises(HromadaError, match=problem):
            compare_projects(one, other)


def test_a_project_and_its_copy_differ_by_nothing(projects: tuple[ProjectAnswers, ProjectAnswers]) -> None:
    """The same people's same answers: items and people cancel out, so that there is no variance either."""
    one, _ = projects
    for row in compare_projects(one, replace(one, name="copy")).differences:
        assert row.difference == 0
        assert row.ci_low is None
        assert row.reason.startswith("No interval: nothing varies")


def test_the_variance_is_that_of_both_where_nothing_is_common(votes_of: Build) -> None:
    """Of other people on items in the other order: items' variances less twice their covariance, people's added."""
    made = [
        build_project_answers(str(number), build_labels(votes_of, draw_rows(people, share=share, seed=number)))
        for number, people, share in ((1, "abcdefgh", 0.85), (2, "ijklmnop", 0.6))
    ]
    measures = [measure_accuracy(project, "individual") for project in made]
    joined, difference = join_measures(*measures, groups=np.arange(30))
    together = estimate_variance(difference, joined)
    alone = [estimate_variance(Metric(compute=one.compute, scale="share"), one.contributions) for one in measures]
    shares = [one.contributions.columns[:, 0] / one.contributions.columns[:, -1] for one in measures]
    assert together.items == pytest.approx(np.var(shares[0] - shares[1], ddof=1) / 30)
    parts = [one.people or 0.0 for one in alone]
    assert min(parts) > 0
    assert together.people == pytest.approx(sum(parts), rel=1e-6)


def test_the_median_varies_with_the_density_at_it(votes_of: Build) -> None:
    """The standard error of a median of many independent seconds is 1 / (2 f √n): of a normal law √(π/2n) σ."""
    rows = [(f"i{number:05}", "abcdef"[number % 6], "x") for number in range(6000)]
    answers = Answers(kind="label", votes=votes_of(rows, classes="xyz"))
    offers = answers.votes.frame.loc[:, ["item", "annotator"]].assign(
        skipped=False, is_due=False, seconds=np.random.default_rng(5).normal(50, 10, len(rows))
    )
    measure = measure_median_seconds(ProjectAnswers(name="p", answers=answers, offers=offers))
    assert measure.value == pytest.approx(offers["seconds"].median())
    metric = Metric(compute=measure.compute, scale="difference")
    variance = estimate_variance(metric, measure.contributions)
    assert variance.items**0.5 == pytest.approx((np.pi / 2 / 6000) ** 0.5 * 10, rel=0.05)
    made = estimate_intervals(metric, measure.contributions, confidence_level=0.95)
    assert made.form in ("two-way", "people-zero")


def test_measures_fit_the_type(projects: tuple[ProjectAnswers, ProjectAnswers]) -> None:
    """Closed labels have all but similarities."""
    assert list(list_measures(projects[0].answers)) == [
        "percent_agreement", "krippendorff_alpha_nominal", "vote_share", "posterior", "mean_seconds", "median_seconds",
        "skips", "accuracy", "majority_accuracy",
    ]  # fmt: skip


DESIGNS = (
    PilotDesign(items=60, people=20, is_same=True),
    PilotDesign(items=60, people=20, is_same=False),
)


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.name)
def test_intervals_of_differences_cover_the_true_ones(design: PilotDesign) -> None:
    """In .88 at least of 100 pairs of projects; `benchmarks/pilots.py` measures more designs with more pairs."""
    for (measure, _), covered in average_coverage([cover_differences(design, n, seed=3) for n in range(100)]).items():
        assert covered >= 0.88, measure
