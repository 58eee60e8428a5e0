"""Points on a scale against gold points: single ratings, and each item's mean and median.

Errors, Pearson's correlation and quadratic kappa are functions of column sums (`COLUMNS`), with the two-way variance;
correlations of ranks have a jackknife of their own (`scores.ranks`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from aggregation.findings import Finding
from aggregation.gold_comparison import ScoredAnswers, compare_with_gold
from aggregation.intervals.panel import Contributions, Metric, estimate_intervals
from aggregation.ratings import read_points
from aggregation.scales import LEVELS_WITH_MEANS, list_point_metrics, read_point
from aggregation.schema import Floats, Votes, divide_safely
from aggregation.scores.graded_answers import build_answer_contributions, build_majority_contributions
from aggregation.scores.performance import Unit, build_score, describe_methods, warn_of_few_people
from aggregation.scores.ranks import RankedPairs, measure_ranks

PointUnit = Literal["individual", "mean", "median"]
COLUMNS = ("y", "g", "yy", "gg", "yg", "error", "n")
"""The column sums: ratings, gold, their squares and product, absolute errors, how many."""
NOTHING = 1e-12


def _moments(sums: Floats) -> tuple[Floats, ...]:
    """Means of y and g, their variances and covariance, with 1/n."""
    y, g, yy, gg, yg = (divide_safely(sums[:, place], sums[:, -1]) for place in range(5))
    return y, g, yy - y * y, gg - g * g, yg - y * g


def _pearson(sums: Floats) -> Floats:
    _, _, of_y, of_g, both = _moments(sums)
    return np.clip(divide_safely(both, np.sqrt(np.maximum(of_y * of_g, 0.0)), above=NOTHING), -1, 1)


def _kappa_quadratic(sums: Floats) -> Floats:
    """Cohen's kappa with quadratic weights, which is Lin's concordance: 2 s_xy / (s_x² + s_y² + (x̄ - ȳ)²)."""
    y, g, of_y, of_g, both = _moments(sums)
    spread = of_y + of_g + (y - g) ** 2
    return np.where(np.minimum(of_y, of_g) > NOTHING, divide_safely(2 * both, spread, above=NOTHING), np.nan)


SUM_METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "mae": Metric(compute=lambda sums: divide_safely(sums[:, 5], sums[:, -1]), scale="errors"),
        "rmse": Metric(
            compute=lambda sums: np.sqrt(
                np.maximum(divide_safely(sums[:, 2] + sums[:, 3] - 2 * sums[:, 4], sums[:, -1]), 0.0)
            ),
            scale="errors",
        ),
        "bias": Metric(compute=lambda sums: divide_safely(sums[:, 0] - sums[:, 1], sums[:, -1]), scale="difference"),
        "pearson": Metric(compute=_pearson, scale="correlation"),
        "kappa_quadratic": Metric(compute=_kappa_quadratic, scale="correlation"),
    }
)


def score_points(votes: Votes, *, confidence_level: float) -> tuple[Unit, ...]:
    """The units of points against gold: individual, mean (if the level allows one) and median.

    None where the labels have no order. A skip has no point and does not count; gold need not be a point of a scale of
    numbers. Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    if votes.classes is None or votes.measurement_level == "nominal":
        return ()
    scored = compare_with_gold(_keep_readable_gold(votes))
    numbers = read_points(votes.classes)
    points = np.arange(len(votes.classes), dtype=np.float64) if numbers is None else numbers
    values = points[pd.Index(votes.classes).get_indexer(pd.Index(scored.frame["answer"]))]
    units: tuple[PointUnit, ...] = ("individual", "mean", "median")
    if votes.measurement_level not in LEVELS_WITH_MEANS:
        units = ("individual", "median")
    gold = np.array([_read_gold(str(one), votes.classes, points) for one in scored.gold], dtype=np.float64)
    return tuple(
        score_unit_of_points(
            unit,
            scored,
            values,
            gold,
            names=list_point_metrics(votes.classes),
            ends=(float(points[0]), float(points[-1])),
            confidence_level=confidence_level,
        )
        for unit in units
    )


def _read_gold(written: str, names: tuple[str, ...], points: Floats) -> float | None:
    """The number of a gold: of a point of the scale, or, if the points are numbers, any number."""
    if written in names:
        return float(points[names.index(written)])
    return None if read_points(names) is None else read_point(written)


def _keep_readable_gold(votes: Votes) -> Votes:
    """The votes with the gold alone that has a number."""
    points = np.arange(len(votes.classes or ()), dtype=np.float64)
    gold = [
        one if isinstance(one, str) and _read_gold(one, votes.classes or (), points) is not None else None
        for one in votes.items["gold"]
    ]
    return replace(votes, items=votes.items.assign(gold=pd.Series(gold, index=votes.items.index, dtype=object)))


def score_unit_of_points(
    unit: PointUnit,
    scored: ScoredAnswers,
    values: Floats,
    gold: Floats,
    *,
    names: tuple[str, ...],
    ends: tuple[float, float],
    confidence_level: float,
) -> Unit:
    """One unit: `values` are the numbers of the rows of `scored`, `gold` those of its items, `ends` of the scale."""
    if unit == "individual":
        contributions, ranked = _sum_single(scored, values, gold)
    else:
        contributions, ranked = _sum_items(scored, values, gold, np.mean if unit == "mean" else np.median)
    n_annotators, n_items = contributions.n_people, len(scored.gold)
    methods = describe_methods(
        unit, scored.annotators, n_annotators=n_annotators, n_groups=scored.n_groups, n_items=n_items
    )
    ranks = measure_ranks(ranked, confidence_level=confidence_level)
    scores = []
    for name in names:
        if name in ranks:
            value, intervals = ranks[name]
        else:
            metric = SUM_METRICS[name]
            value = float(metric.compute(contributions.sums)[0])
            intervals = estimate_intervals(metric, contributions, confidence_level=confidence_level)
        score = build_score(name, intervals, value=value, methods=methods)
        if score.value is None:
            score = replace(score, reason=_explain_undefined(ranked.g))
        width = ends[1] - ends[0]
        limits = {"mae": (0.0, width), "rmse": (0.0, width), "bias": (-width, width)}.get(name, (-1.0, 1.0))
        scores.append(score.clip(*limits))
    return Unit(
        unit=unit,
        total=len(ranked.x),
        wrong=None,
        scores=tuple(scores),
        warnings=warn_of_few_people(unit, scored.annotators, n_annotators=n_annotators),
        independent_low=None,
        independent_high=None,
        n_items=n_items,
        n_annotators=n_annotators,
        n_ties=None,
    )


def _explain_undefined(gold: Floats) -> str:
    """Why a correlation is 0/0."""
    if len(gold) < 2:
        return Finding("one-pair")
    return Finding("constant-gold" if np.ptp(gold) <= NOTHING else "constant-points")


def build_columns(given: Floats, gold: Floats) -> Floats:
    """COLUMNS of pairs of a rating and gold."""
    return np.column_stack([given, gold, given**2, gold**2, given * gold, np.abs(given - gold), np.ones(len(given))])


def _sum_single(scored: ScoredAnswers, values: Floats, gold: Floats) -> tuple[Contributions, RankedPairs]:
    of_votes = gold[scored.items]
    contributions = build_answer_contributions(
        scored,
        changes=build_columns(values, of_votes),
        change=np.arange(len(values)),
        n_items=len(gold),
    )
    ranked = RankedPairs(
        x=values, g=of_votes, groups=scored.groups[scored.items], n_groups=scored.n_groups,
        vote=np.arange(len(values)), without=np.full(len(values), np.nan), people=scored.annotators,
    )  # fmt: skip
    return contributions, ranked


def _sum_items(
    scored: ScoredAnswers, values: Floats, gold: Floats, middle: Callable[[Floats], Any]
) -> tuple[Contributions, RankedPairs]:
    """What each item's mean or median contributes, and how that changes without each of its votes."""
    order = np.argsort(scored.items, kind="stable")
    starts = np.cumsum(np.bincount(scored.items, minlength=len(gold)))[:-1]
    of_items = np.empty(len(gold))
    without = np.full(len(values), np.nan)
    for item, rows in enumerate(np.split(order, starts)):
        own = values[rows]
        of_items[item] = middle(own)
        if len(own) > 1:
            left = {value: middle(np.delete(own, place)) for place, value in enumerate(own.tolist())}
            without[rows] = [left[value] for value in own.tolist()]
    columns = build_columns(of_items, gold)
    is_left = ~np.isnan(without)
    after = np.where(is_left[:, None], build_columns(np.nan_to_num(without), gold[scored.items]), 0.0)
    contributions = build_majority_contributions(
        scored,
        columns=columns,
        changes=columns[scored.items] - after,
        change=np.arange(len(values)),
        tied=np.zeros(len(gold), dtype=bool),
        unanswered=np.zeros_like(columns),
    )
    ranked = RankedPairs(
        x=of_items, g=gold, groups=scored.groups, n_groups=scored.n_groups, vote=scored.items, without=without,
        people=scored.annotators,
    )  # fmt: skip
    return contributions, ranked


def compute_weighted_kappa(table: Floats, weights: Floats) -> float | None:
    """Cohen's (1968) weighted kappa of a table of counts or shares, by weights of disagreement; None where it is 0/0.

    With the squared distances of points as weights it is `kappa_quadratic` of column sums.
    """
    shares = table / table.sum()
    expected = float((weights * np.outer(shares.sum(axis=1), shares.sum(axis=0))).sum())
    return None if expected < NOTHING else 1 - float((weights * shares).sum()) / expected
