"""A model's predicted distribution over options beside the votes of people: cross-entropy, and distances."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from aggregation.findings import Finding
from aggregation.intervals.panel import Contributions, Metric, estimate_intervals
from aggregation.intervals.resampling import encode_groups
from aggregation.schema import Floats, Votes, divide_safely, order_annotators

FLOOR = 1e-6
"""The least probability whose logarithm is taken; votes with a smaller one are counted."""
CROSS_ENTROPY, SQUARED_DISTANCE = "cross_entropy", "squared_distance"
JENSEN_SHANNON, MANHATTAN, WASSERSTEIN = "jensen_shannon", "manhattan", "wasserstein"
SOFT_METRICS = (CROSS_ENTROPY, SQUARED_DISTANCE, JENSEN_SHANNON, MANHATTAN, WASSERSTEIN)
Distribution = Mapping[str, float]
"""The probability of each option of an item; they add up to 1."""


@dataclass(frozen=True, kw_only=True)
class SoftScore:
    """How far a model's distributions are from people's votes; less is nearer.

    `cross_entropy` is the mean over votes of −log2 q(vote), in bits, which is unbiased with any number of votes; the
    true distribution has the least one. Its intervals are for a fresh panel (`ci_low`, `ci_high`, `se`, `df`) and for
    this one (`item_only_low`, `item_only_high`). `n_floored` counts votes whose probability is below FLOOR.

    `squared_distance` is the mean over items with two votes or more of Σ (f − q)² − f (1 − f)/(n − 1), unbiased too and
    so at times below 0. `jensen_shannon` is that of the divergence in bits of the model from one half of the votes,
    `manhattan` that of Σ |f − q|, and `wasserstein`, of points, that of the distance in points; `people_ceiling` is
    that of the other half from the same one, which is what as many other people reach. Few votes make both large, so
    neither says anything alone. These have no interval. `reason` says why a number is missing.
    """

    model: str
    metric: str
    value: float | None
    people_ceiling: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    df: float | None = None
    item_only_low: float | None = None
    item_only_high: float | None = None
    n_items: int
    n_annotators: int
    n_answers: int
    n_floored: int = 0
    reason: str = ""


def score_distributions(
    votes: Votes, distributions: Mapping[str, Distribution], *, model: str, confidence_level: float = 0.95
) -> tuple[SoftScore, ...]:
    """Score a model on the items that have votes and a distribution, each with all of its options; nothing without."""
    frame = votes.frame.loc[votes.frame["item"].isin(list(distributions))]
    if frame.empty:
        return ()
    chances = np.array(
        [distributions[item].get(answer, 0.0) for item, answer in zip(frame["item"], frame["answer"], strict=True)]
    )
    contributions = _sum_losses(votes, frame, -np.log2(np.maximum(chances, FLOOR)))
    metric = Metric(compute=lambda sums: divide_safely(sums[:, 0], sums[:, 1]), scale="errors")
    intervals = estimate_intervals(metric, contributions, confidence_level=confidence_level)
    has_people = intervals.variance is not None and intervals.variance.people is not None
    cross_entropy = SoftScore(
        model=model,
        metric=CROSS_ENTROPY,
        value=float(metric.compute(contributions.sums)[0]),
        ci_low=intervals.fresh_panel.low,
        ci_high=intervals.fresh_panel.high,
        se=intervals.se,
        df=intervals.variance.total_df if intervals.variance is not None and has_people else None,
        item_only_low=intervals.this_panel.low,
        item_only_high=intervals.this_panel.high,
        n_items=len(contributions.columns),
        n_annotators=contributions.n_people,
        n_answers=len(frame),
        n_floored=int((chances < FLOOR).sum()),
        reason=intervals.reason,
    )
    return cross_entropy, *_measure_distances(votes, frame, distributions, model=model)


def _sum_losses(
    votes: Votes, frame: pd.DataFrame, losses: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> Contributions:
    """One loss a vote; the columns are losses and votes."""
    items, ids = pd.factorize(frame["item"], sort=True)
    people, names = order_annotators(frame)
    groups, n_groups = encode_groups(votes.items["group"].reindex(ids).to_numpy(dtype=object))
    changes = np.column_stack([losses, np.ones(len(frame))])
    columns = np.zeros((len(ids), 2))
    np.add.at(columns, items, changes)
    n_people = len(names)
    return Contributions(
        columns=columns,
        groups=groups,
        n_groups=n_groups,
        changes=changes,
        change=np.arange(len(frame)),
        items=items,
        people=people,
        n_people=n_people,
        people_factor=n_people / max(n_people - 1, 1),
        cell_factor=1.0,
        n_independent=len(frame),
    )


def _measure_distances(
    votes: Votes, frame: pd.DataFrame, distributions: Mapping[str, Distribution], *, model: str
) -> Iterator[SoftScore]:
    """The squared distance, and what compares halves: means over items with two votes or more, over all halves."""
    items: list[tuple[list[float], list[int]]] = []
    kept = []
    for item, answers in frame.groupby("item", sort=True)["answer"]:
        if len(answers) >= 2:
            counts, given = answers.value_counts(), distributions[str(item)]
            chances = {option: given[option] for option in votes.classes or given if option in given}
            items.append((list(chances.values()), [int(counts.get(option, 0)) for option in chances]))
            kept.append(item)
    used = frame.loc[frame["item"].isin(kept)]
    gaps = None
    if votes.classes is not None and votes.measurement_level != "nominal":
        gaps = np.diff(votes.values())
    measures: list[tuple[str, list[float], list[float], str]] = [
        (SQUARED_DISTANCE, [measure_squared_distance(*item) for item in items], [], "squared-distance"),
        *(
            (name, [expect_distance(name, *item) for item in items], [expect_ceiling(name, said) for _, said in items],
             "divergence-of-halves")
            for name in (JENSEN_SHANNON, MANHATTAN)
        ),
    ]  # fmt: skip
    if gaps is not None:
        steps = [(list(np.cumsum(chances)[:-1]), np.cumsum(said)[:-1], sum(said)) for chances, said in items]
        own = [_sum_steps(gaps, [_expect_term(MANHATTAN, q, n, int(c)) for q, c in zip(chances, said, strict=True)])
               for chances, said, n in steps]  # fmt: skip
        ceiling = [
            _sum_steps(gaps, [_expect_option_ceiling(MANHATTAN, n, int(c)) for c in said]) for _, said, n in steps
        ]
        measures.append((WASSERSTEIN, own, ceiling, "divergence-of-halves"))
    for name, values, ceilings, reason in measures:
        yield SoftScore(
            model=model,
            metric=name,
            value=float(np.mean(values)) if values else None,
            people_ceiling=float(np.mean(ceilings)) if ceilings else None,
            n_items=len(kept),
            n_annotators=used["annotator"].nunique(),
            n_answers=len(used),
            reason=Finding(reason if kept else "no-pairs"),
        )


def _sum_steps(gaps: Floats, terms: Sequence[float]) -> float:
    return float(np.dot(gaps, terms))


def measure_squared_distance(chances: Sequence[float], counts: Sequence[int]) -> float:
    """The squared distance of probabilities from the shares of votes, less what their number adds on average."""
    shares = np.array(counts) / sum(counts)
    noise = shares * (1 - shares) / (sum(counts) - 1)
    return float(((shares - np.array(chances)) ** 2 - noise).sum())


def measure_term(name: str, one: float, two: float) -> float:
    """What an option adds to a distance of two distributions, of its share in both.

    JS(q, f) = H((q + f)/2) − H(q)/2 − H(f)/2 is a sum over options (Lin 1991, doi:10.1109/18.61115), and so is the
    Manhattan distance; Wasserstein's is the latter of cumulative shares, each times the gap to the next point.
    """
    return abs(one - two) if name == MANHATTAN else _bits((one + two) / 2) - _bits(one) / 2 - _bits(two) / 2


def expect_distance(name: str, chances: Sequence[float], counts: Sequence[int]) -> float:
    """The expected distance of probabilities from a random half of votes (counts).

    It is a sum over options, so each needs only the hypergeometric distribution of its own votes in the half.
    """
    n = sum(counts)
    return max(0.0, sum(_expect_term(name, chance, n, count) for chance, count in zip(chances, counts, strict=True)))


def _expect_term(name: str, chance: float, n: int, count: int) -> float:
    """What one option with `count` of n votes adds to `expect_distance`."""
    return sum(weight * measure_term(name, chance, share) for share, weight in _list_halves(n, count))


def expect_ceiling(name: str, counts: Sequence[int]) -> float:
    """The expected distance of one random half of the votes from another one; of odd votes one is left out."""
    n = sum(counts)
    return max(0.0, sum(_expect_option_ceiling(name, n, count) for count in counts))


@lru_cache(maxsize=4096)
def _expect_option_ceiling(name: str, n: int, count: int) -> float:
    """What one option with `count` of n votes adds to `expect_ceiling`."""
    half, total = n // 2, 0.0
    for share, weight in _list_halves(n, count):
        left = count - round(share * half)
        for other in range(max(0, left - (n - 2 * half)), min(half, left) + 1):
            chance = math.comb(left, other) * math.comb(n - half - left, half - other) / math.comb(n - half, half)
            total += weight * chance * measure_term(name, share, other / half)
    return total


@lru_cache(maxsize=4096)
def _list_halves(n: int, count: int) -> tuple[tuple[float, float], ...]:
    """The shares that an option with `count` of n votes has in ⌊n/2⌋ of them, each with its chance."""
    half = n // 2
    return tuple(
        (own / half, math.comb(count, own) * math.comb(n - count, half - own) / math.comb(n, half))
        for own in range(max(0, half - (n - count)), min(half, count) + 1)
    )


def _bits(share: float) -> float:
    return -share * math.log2(share) if share > 0 else 0.0
