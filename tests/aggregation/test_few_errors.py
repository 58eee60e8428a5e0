"""F1 and MCC where everything, or nearly everything, is right: intervals that the design grants, never the score."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from _answer_panels import simulate_answers
from _panels import Design

from aggregation import scoring
from aggregation.answers import AnswerTypeName
from aggregation.intervals.few_errors import FEW_ERRORS
from aggregation.intervals.shares import Interval
from aggregation.schema import Votes
from aggregation.scores.labels import list_label_metrics, score_labels
from aggregation.scores.performance import Performance, Score, UnitName

Build = Callable[..., Votes]
METRICS = ("macro_f1", "weighted_f1", "mcc")
UNITS: tuple[UnitName, ...] = ("individual", "majority")


def score_items(
    votes_of: Build, *, wrong: Sequence[int] = (), n: int = 60, people: str = "abcdef", rare: int = 5
) -> Performance:
    """So many items of three classes, the third one in every `rare`-th; everybody errs on the `wrong` ones."""
    gold = {f"i{number:03}": "z" if number % rare == 0 else "xy"[number % 2] for number in range(n)}
    other = {"x": "y", "y": "x", "z": "x"}
    rows = [
        (item, who, other[label] if number in wrong else label)
        for number, (item, label) in enumerate(gold.items())
        for who in people
    ]
    return score_labels(votes_of(rows, classes="xyz", gold=gold), units=UNITS)


def list_ends(score: Score) -> list[float]:
    ends = [score.item_only_low, score.ci_low, score.value, score.ci_high, score.item_only_high]
    assert None not in ends, score
    return [float(end) for end in ends if end is not None]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("unit", UNITS)
def test_all_right_has_an_interval(votes_of: Build, unit: str, metric: str) -> None:
    """Up to 1, and down to what the share allows with all errors in the rare class; the reason says so."""
    score = score_items(votes_of)[unit][metric]
    low, fresh_low, value, fresh_high, high = list_ends(score)
    assert (value, fresh_high, high) == (1, 1, 1)
    share = score_items(votes_of)[unit]["accuracy"]
    assert low == fresh_low
    assert low < (share.item_only_low or 0) < 1
    assert "wider than it need be" in score.reason
    assert score.ci_method == "from the interval of the share of right answers of 60 items, wherever errors fall"


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("unit", UNITS)
def test_one_wrong_item_allows_that_hardly_anything_is_wrong(votes_of: Build, unit: str, metric: str) -> None:
    """One item wrong: .9993 is inside, as it must be, and so is a rare class that lost much."""
    score = score_items(votes_of, wrong=[1], n=200)[unit][metric]
    low, fresh_low, value, fresh_high, high = list_ends(score)
    assert fresh_low <= low < value < 0.9993 <= high <= fresh_high
    assert low <= split_worst(metric, share=score_items(votes_of, wrong=[1], n=200)[unit]["accuracy"], rare=5)


def split_worst(metric: str, *, share: Score, rare: int, n: int = 200) -> float:
    """The metric with all errors that the share allows in the rare class."""
    gold = np.array([n * (1 - 1 / rare) / 2, n * (1 - 1 / rare) / 2, n / rare])
    moved = n * (1 - (share.item_only_low or 0))
    counts = scoring.LabelCounts(
        right=(gold[0], gold[1], gold[2] - moved),
        gold=tuple(gold),
        answered=(gold[0] + moved, gold[1], gold[2] - moved),
        total=n,
    )
    return scoring.METRICS[metric](counts) + 0.02  # the errors of the simulated people change the classes a little


@pytest.mark.parametrize("gold", [(50, 50), (90, 10), (60, 30, 10), (40, 30, 20, 10), (97, 1, 1, 1), (5,) * 20])
@pytest.mark.parametrize("share", [0.99, 0.95, 0.8, 0.5])
def test_no_split_of_errors_is_worse_or_better(gold: tuple[int, ...], share: float) -> None:
    """Against 300 random confusion matrices with that share right, sparse ones among them; to .005 near 1, else .03."""
    rng, width, total = np.random.default_rng(5), len(gold), float(sum(gold))
    truth = np.array(gold, dtype=np.float64)
    columns = np.hstack([truth, truth, truth, [total]])[None, :]
    metrics = list_label_metrics(has_classes=True)
    rows = []
    for number in range(300):
        missed = rng.dirichlet(np.full(width, (0.05, 0.3, 3.0)[number % 3])) * (1 - share) * total
        while (missed > truth).any():
            over = np.maximum(missed - truth, 0)
            free = np.where(missed < truth, truth - missed, 0)
            missed = np.minimum(missed, truth) + free * over.sum() / free.sum()
        said = rng.dirichlet(np.full(width, (0.05, 0.3, 3.0)[number % 3]), size=width)
        np.fill_diagonal(said, 0)
        said /= np.maximum(said.sum(axis=1, keepdims=True), 1.0 if number % 2 else 1e-300)  # some name no class
        rows.append(np.hstack([truth - missed, truth, truth - missed + missed @ said, [total]]))
    slack = 0.005 if share >= 0.95 else 0.03
    for name in METRICS:
        right = Interval(low=share, high=share)
        worst, best = (metrics[name].carry_share(columns, right, end) for end in ("least", "most"))
        values = metrics[name].compute(np.array(rows))
        assert worst <= np.nanmin(values) + slack, name
        assert best >= np.nanmax(values) - slack, name


def test_many_wrong_items_leave_the_variance_alone(votes_of: Build) -> None:
    """From FEW_ERRORS items with an error on the interval is made of the variance, and nothing else is said."""
    few, many = (score_items(votes_of, wrong=range(n), n=200)["majority"]["macro_f1"] for n in (FEW_ERRORS - 1, 5))
    assert few.ci_method.startswith("from the interval of the share")
    assert many.ci_method.startswith("two-way jackknife")
    assert many.reason == ""


@pytest.mark.parametrize("wrong", [range(0), range(1), range(3), range(30), range(57), range(60)], ids=len)
@pytest.mark.parametrize("people", ["ab", "abcdef"])
def test_intervals_are_withheld_by_the_design_alone(votes_of: Build, wrong: Sequence[int], people: str) -> None:
    """Two people have those of this panel and none for a fresh one, whatever is right; six have both."""
    made = score_items(votes_of, wrong=wrong, people=people)
    for unit in UNITS:
        for score in made[unit].scores:
            assert score.value is not None
            assert score.item_only_low is not None, score
            assert score.item_only_high is not None
            assert score.item_only_low <= score.value + 1e-12
            assert score.item_only_high >= score.value - 1e-12
            assert (score.ci_low is None) is (len(people) == 2), score
            if len(people) == 2:
                assert "With 2 people nothing can be said of new ones; 5 are needed." in score.reason


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (range(0), "Fewer than 5 items have an error"),
        (range(60), "Fewer than 5 items have a right answer"),
        (range(30), ""),
    ],
)
def test_the_reason_names_what_is_few(votes_of: Build, wrong: Sequence[int], reason: str) -> None:
    """Where all are wrong few are right, so that it is not said that few are wrong."""
    for metric in METRICS:
        assert score_items(votes_of, wrong=wrong)["majority"][metric].reason.split(",")[0] == reason


def test_a_number_that_no_item_changes_says_so(votes_of: Build) -> None:
    """Half of the people are right on every item of two classes: MCC is 0 without any one item, and all items err."""
    gold = {f"i{number:02}": "xy"[number % 2] for number in range(20)}
    rows = [
        (item, who, label if who in "abc" else "yx"["xy".index(label)])
        for item, label in gold.items()
        for who in "abcdef"
    ]
    made = score_labels(votes_of(rows, classes="xy", gold=gold), units=UNITS)
    for unit in UNITS:
        assert made[unit]["mcc"].value == 0
        assert made[unit]["mcc"].reason.startswith("This number is the same without any one item, so the interval")


@pytest.mark.parametrize("never", [0, 1, 2, 3])
def test_all_wrong_answers_may_go_to_classes_that_gold_never_has(votes_of: Build, never: int) -> None:
    """Everything is right, and one answer in each other class would leave F1 of 1 to 2 of 2 + `never` classes."""
    gold = {f"i{number:02}": "xy"[number % 2] for number in range(60)}
    rows = [(item, who, label) for item, label in gold.items() for who in "abcdef"]
    low = score_labels(votes_of(rows, classes="xyzvw"[: 2 + never], gold=gold), units=UNITS)["majority"]["macro_f1"]
    assert low.item_only_low == pytest.approx(0.94 * 2 / (2 + never), abs=0.04)


@pytest.mark.parametrize("kind", ["boxes", "text", "edit", "span", "label"])
@pytest.mark.parametrize("is_flawed", [False, True])
def test_every_metric_of_every_type_has_an_interval(kind: AnswerTypeName, is_flawed: bool) -> None:
    """All right, or a few items wrong: error rates reach up from 0, all else down from 1; WER of majorities none."""
    design = Design(name="perfect", people=6, items=40, votes=6, level=math.inf)
    rng = np.random.default_rng(3)
    scores = simulate_answers(rng, design, kind).intervals
    if is_flawed:
        scores = simulate_answers(rng, replace(design, level=6.0, items_sd=0.5), kind).intervals
    for (unit, metric), score in scores.items():
        if kind == "edit" and unit == "majority" and metric != "exact_match":
            assert (score.item_only_low, "covered too little" in score.reason) == (None, True)
            continue
        low, fresh_low, value, fresh_high, high = list_ends(score)
        assert low <= value <= high
        assert fresh_low <= value <= fresh_high
        if metric.startswith(("wer", "cer")):
            assert low == 0
            assert 0.04 < high < 0.3
        else:
            assert low < 0.99
            assert high > 0.99


def test_without_an_error_it_says_that_nothing_is_known_of_new_people(votes_of: Build) -> None:
    """Both intervals are the same then, in every metric; two people have none for new ones, and other words."""
    for unit in UNITS:
        for score in score_items(votes_of)[unit].scores:
            assert (score.ci_low, score.ci_high) == (score.item_only_low, score.item_only_high)
            assert "Nothing shows how far new people would differ from these" in score.reason
        for made in (score_items(votes_of, people="ab"), score_items(votes_of, wrong=[1, 2, 3])):
            assert "Nothing shows" not in made[unit].primary.reason


def test_such_an_interval_covers_new_people_where_nothing_was_wrong() -> None:
    """A small run of benchmarks/all_right.py: five people and 20 items, of the prior that covers least."""
    benchmark = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks/all_right.py"))
    rng, prior = np.random.default_rng(1), benchmark["PRIORS"]["people differ, and are worse"]
    truths = np.concatenate([benchmark["draw_truths"](rng, prior, people=5, items=20) for _ in range(2)])
    assert len(truths) > 200
    assert np.mean(truths >= 0.025 ** (1 / 20)) >= benchmark["LEAST"]
