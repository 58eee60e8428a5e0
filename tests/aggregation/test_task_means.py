"""The mean over tasks: its value by hand, its interval where tasks share people, and how often it covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from aggregation.comparison.task_means import ScoredTask, TaskMean, estimate_task_mean
from aggregation.errors import HromadaError
from aggregation.gold_comparison import compare_with_gold
from aggregation.intervals.panel import Metric, estimate_variance
from aggregation.schema import Floats, Votes
from aggregation.scores.graded_answers import sum_pluralities, sum_single_answers
from aggregation.scores.labels import grade_labels

CLASSES = ("x", "y")
V_ITEM = 0.14**2 / 12  # of what items add to the chance of a right answer, from -.07 to .07
SHARE = Metric(compute=lambda sums: (sums[:, 0] + sums[:, 1]) / sums[:, -1], scale="share")
RECALL = Metric(compute=lambda sums: sums[:, 0] / sums[:, 2], scale="fraction")


def build_task(
    name: str, right: Floats, people: Sequence[str], *, metrics: tuple[Metric, ...] = (SHARE,), majority: bool = False
) -> ScoredTask:
    """A task of two classes; `right` is items × people, nan where somebody did not answer."""
    items, who = np.nonzero(~np.isnan(right))
    gold = np.where(np.arange(len(right)) % 2 == 0, "x", "y")
    said = np.where(right[items, who] == 1, gold[items], np.where(gold[items] == "x", "y", "x"))
    ids = [f"{name}{number:04}" for number in range(len(right))]
    frame = pd.DataFrame(
        {"item": [ids[n] for n in items], "annotator": [people[n] for n in who], "answer": said}, dtype=object
    )
    about = pd.DataFrame({"group": ids, "gold": gold, "n_options": 2}, index=pd.Index(ids, name="item"))
    scored = compare_with_gold(Votes(frame=frame, items=about, classes=CLASSES))
    options = grade_labels(scored)
    contributions = sum_pluralities(options) if majority else sum_single_answers(options)
    annotators = tuple(str(one) for one in scored.annotator_ids)
    return ScoredTask(name=name, metrics=metrics, contributions=contributions, annotators=annotators, share=SHARE)


def draw_programme(
    rng: np.random.Generator, *, n_tasks: int, n_items: int, n_people: int, per_item: int, majority: bool = False
) -> tuple[ScoredTask, ...]:
    """Tasks by the same people: right with the chance .75 + what the person adds (everywhere) + what the item adds."""
    people = [f"p{number}" for number in range(n_people)]
    skill = rng.uniform(-0.18, 0.18, n_people)
    tasks = []
    for number in range(n_tasks):
        chance = 0.75 + skill[None, :] + rng.uniform(-0.07, 0.07, (n_items, 1))
        right = (rng.random((n_items, n_people)) < chance).astype(float)
        hidden = rng.random(right.shape).argsort(axis=1) >= per_item
        tasks.append(build_task(f"t{number}", np.where(hidden, np.nan, right), people, majority=majority))
    return tuple(tasks)


def separate_people(tasks: Sequence[ScoredTask]) -> list[ScoredTask]:
    """The same tasks, as if other people had answered each."""
    return [replace(task, annotators=[f"{task.name} {who}" for who in task.annotators]) for task in tasks]


def covers(mean: TaskMean, truth: float) -> bool:
    """Whether the interval for a fresh panel holds the truth."""
    assert mean.fresh_panel.low is not None
    assert mean.fresh_panel.high is not None
    return mean.fresh_panel.low <= truth <= mean.fresh_panel.high


def test_metrics_of_a_task_are_averaged_first() -> None:
    """Task a: 6 of 8 right by accuracy, 4 of 4 x found; task b: half right. ((.75 + 1)/2 + .5)/2 = .6875."""
    one = np.array([[1.0, 0, 1, 0, 1, 1, 1, 1]]).T
    two = np.array([[1.0, 0, 1, 0, 1, 0, 1, 0]]).T
    tasks = (build_task("a", one, ["p"], metrics=(SHARE, RECALL)), build_task("b", two, ["q"]))
    mean = estimate_task_mean(tasks)
    assert mean.task_values == pytest.approx({"a": 0.875, "b": 0.5})
    assert mean.value == pytest.approx(0.6875)
    assert (mean.n_people, mean.n_common_people) == (2, 0)
    assert mean.reason == "With 2 people nothing can be said of new ones; 5 are needed."
    refitted = replace(tasks[0].contributions, fewest_people=8, is_refitted=True)
    fitted = estimate_task_mean((replace(tasks[0], contributions=refitted), tasks[1]))
    assert fitted.reason == "A Dawid-Skene score needs 8 people for an interval for new people, and has 2."
    assert fitted.this_panel == mean.this_panel
    assert mean.this_panel.low is not None


def test_one_task_is_the_interval_of_that_task() -> None:
    """The variance is that of `estimate_variance`."""
    (task,) = draw_programme(np.random.default_rng(1), n_tasks=1, n_items=80, n_people=10, per_item=4)
    mean = estimate_task_mean([task])
    variance = estimate_variance(SHARE, task.contributions)
    assert mean.se == pytest.approx(variance.total**0.5)
    assert mean.value == pytest.approx(float(SHARE.compute(task.contributions.sums)[0]))


def test_shared_people_widen_the_interval() -> None:
    """The same answers by other people in each task: the items' term stays, the people's falls to a third or so."""
    tasks = draw_programme(np.random.default_rng(2), n_tasks=3, n_items=200, n_people=12, per_item=12)
    others = separate_people(tasks)
    shared, apart = estimate_task_mean(tasks), estimate_task_mean(others)
    assert (shared.n_people, shared.n_common_people, apart.n_people, apart.n_common_people) == (12, 12, 36, 0)
    assert shared.this_panel == apart.this_panel
    assert shared.se is not None
    assert apart.se is not None
    assert 1.4 < shared.se / apart.se < 1.75


MAJORITY = 3 * (0.75**2 + V_ITEM) - 2 * (0.75**3 + 3 * 0.75 * V_ITEM)
"""The share of items that three fresh people get right together: E[3q² - 2q³], q = .75 + what the item adds."""


def count_covered(programmes: int, *, n_people: int, per_item: int, truth: float) -> tuple[int, int]:
    """In how many programmes of three tasks the interval covers the truth, and in how many were people taken apart."""
    rng = np.random.default_rng(n_people)
    n_covered = n_apart = 0
    for _ in range(programmes):
        tasks = draw_programme(
            rng, n_tasks=3, n_items=60, n_people=n_people, per_item=per_item, majority=truth == MAJORITY
        )
        n_covered += covers(estimate_task_mean(tasks), truth)
        n_apart += covers(estimate_task_mean(separate_people(tasks)), truth)
    return n_covered, n_apart


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_people", "per_item", "truth", "bounds"),
    [(8, 8, 0.75, (0.88, 0.99)), (24, 5, 0.75, (0.90, 0.99)), (24, 3, MAJORITY, (0.90, 0.99))],
)
def test_the_interval_covers_the_true_mean(
    n_people: int, per_item: int, truth: float, bounds: tuple[float, float]
) -> None:
    """400 programmes of three tasks, by single answers and by majorities: within the bounds that one task has.

    Were the same people taken as others in each task, the interval would cover too little.
    """
    n_covered, n_apart = count_covered(400, n_people=n_people, per_item=per_item, truth=truth)
    assert bounds[0] <= n_covered / 400 <= bounds[1], n_covered / 400
    assert n_apart < n_covered - 10, (n_apart, n_covered)


@pytest.mark.slow
def test_the_interval_covers_the_true_mean_of_few_programmes() -> None:
    """The same in 120 of them."""
    n_covered, n_apart = count_covered(120, n_people=24, per_item=5, truth=0.75)
    assert 0.88 <= n_covered / 120 <= 0.99, n_covered / 120
    assert n_apart < n_covered - 3, (n_apart, n_covered)


def test_what_has_no_mean_is_refused() -> None:
    """No task, a name twice, errors among scores."""
    task = build_task("a", np.ones((8, 1)), ["p"])
    errors = build_task("e", np.ones((8, 1)), ["p"], metrics=(Metric(compute=SHARE.compute, scale="errors"),))
    for tasks, said in (
        ((), "no task"),
        ((task, task), "Two tasks are called 'a'"),
        ((task, errors), "e counts errors"),
    ):
        with pytest.raises(HromadaError, match=said):
            estimate_task_mean(tasks)
