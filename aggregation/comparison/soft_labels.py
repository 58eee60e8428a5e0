"""A model's predicted distribution over options beside the votes of people: cross-entropy, and Jensen–Shannon."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from aggregation.findings import Finding
from aggregation.intervals.panel import Contributions, Metric, estimate_intervals
from aggregation.intervals.resampling import encode_groups
from aggregation.schema import Votes, divide_safely, order_annotators

FLOOR = 1e-6
"""The least probability whose logarithm is taken; votes with a smaller one are counted."""
CROSS_ENTROPY, JENSEN_SHANNON = "cross_entropy", "jensen_shannon"
Distribution = Mapping[str, float]
"""The probability of each option of an item; they add up to 1."""


@dataclass(frozen=True, kw_only=True)
class SoftScore:
    """How far a model's distributions are from people's votes, in bits; less is nearer.

    `cross_entropy` is the mean over votes of −log2 q(vote), which is unbiased with any number of votes; the true
    distribution has the least one. Its intervals are for a fresh panel (`ci_low`, `ci_high`, `se`, `df`) and for this
    one (`item_only_low`, `item_only_high`). `n_floored` counts votes whose probability is below FLOOR.

    `jensen_shannon` is the mean over items with two votes or more of the divergence of the model from one half of the
    votes; `people_ceiling` is that of the other half from the same one, which is what as many other people reach. Few
    votes make both large, so neither says anything alone. It has no interval. `reason` says why a number is missing.
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
    return cross_entropy, _compare_halves(frame, distributions, model=model)


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


def _compare_halves(frame: pd.DataFrame, distributions: Mapping[str, Distribution], *, model: str) -> SoftScore:
    """Jensen–Shannon of the model, and of people, from ⌊n/2⌋ of the n votes of an item: means over all halves."""
    models, people, kept = [], [], []
    for item, answers in frame.groupby("item", sort=True)["answer"]:
        if len(answers) < 2:
            continue
        counts, chances = answers.value_counts(), distributions[str(item)]
        said = [int(counts.get(option, 0)) for option in chances]
        models.append(expect_divergence(list(chances.values()), said))
        people.append(expect_ceiling(said))
        kept.append(item)
    used = frame.loc[frame["item"].isin(kept)]
    return SoftScore(
        model=model,
        metric=JENSEN_SHANNON,
        value=float(np.mean(models)) if models else None,
        people_ceiling=float(np.mean(people)) if people else None,
        n_items=len(kept),
        n_annotators=used["annotator"].nunique(),
        n_answers=len(used),
        reason=Finding("divergence-of-halves" if kept else "no-pairs"),
    )


def expect_divergence(chances: Sequence[float], counts: Sequence[int]) -> float:
    """The expected Jensen–Shannon divergence, in bits, of probabilities from a random half of votes (counts).

    JS(q, f) = H((q + f)/2) − H(q)/2 − H(f)/2 is a sum over options, so each needs only the hypergeometric distribution
    of its own votes in the half (Lin 1991, doi:10.1109/18.61115).
    """
    n, total = sum(counts), 0.0
    for chance, count in zip(chances, counts, strict=True):
        for share, weight in _list_halves(n, count):
            total += weight * (_bits((chance + share) / 2) - _bits(chance) / 2 - _bits(share) / 2)
    return max(0.0, total)


def expect_ceiling(counts: Sequence[int]) -> float:
    """The expected divergence of one random half of the votes from another one; of odd votes one is left out."""
    n = sum(counts)
    return max(0.0, sum(_expect_option_ceiling(n, count) for count in counts))


@lru_cache(maxsize=4096)
def _expect_option_ceiling(n: int, count: int) -> float:
    """What one option with `count` of n votes adds to `expect_ceiling`."""
    half, total = n // 2, 0.0
    for share, weight in _list_halves(n, count):
        left = count - round(share * half)
        for other in range(max(0, left - (n - 2 * half)), min(half, left) + 1):
            chance = math.comb(left, other) * math.comb(n - half - left, half - other) / math.comb(n - half, half)
            mixed = _bits((share + other / half) / 2)
            total += weight * chance * (mixed - _bits(share) / 2 - _bits(other / half) / 2)
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
