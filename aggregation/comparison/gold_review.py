"""How much of the gold is wrong, from a review of every conflict and of a random sample of the rest.

No score can honestly exceed the share of items whose gold is right and can be decided: the ceiling.

Every stratum of the items is reviewed whole or by a random sample without replacement. How many of its items that were
not reviewed are wrong follows a beta-binomial law, given those that were (sampling from a finite population: Ericson
1969, "Subjective Bayesian models in sampling finite populations"); the sums of the strata follow the convolution of
these laws. The prior of a stratum is the neutral Beta(1/3, 1/3) of Kerman (2011, "Neutral noninformative and
informative conjugate beta and gamma prior distributions"), under which the median is about k/n also for k = 0: with
Jeffreys' prior a clean sample of 50 from a thousand items pulled both ends up, and .92 of the intervals covered. The
step from this pool to items like these has Jeffreys' prior Beta(1/2, 1/2), as Brown, Cai and DasGupta (2001, "Interval
estimation for a binomial proportion") recommend. How often the intervals cover is measured by
`benchmarks/gold_review.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import betainc, betaln, gammaln

from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.schema import Floats, check_rows

Verdict = Literal["right", "wrong", "undecidable"]
"""What the reviewer says of an item's gold: it is right, another answer is, or nobody can tell."""

REVIEW_COLUMNS = ("item", "stratum")
SMALLEST_SAMPLE = 50  # of a stratum that is not reviewed whole: with fewer a warning says so
STRATUM_PRIOR = 1 / 3  # both parameters
POOL_PRIOR = 1 / 2
NEGLIGIBLE = 1e-9  # chances of counts that are left out


@dataclass(frozen=True, kw_only=True)
class StratumCounts:
    """The items of a stratum, how many of them were reviewed, and how many of these have wrong or undecidable gold."""

    name: str
    n_items: int
    n_reviewed: int
    n_wrong: int
    n_undecidable: int


@dataclass(frozen=True, kw_only=True)
class WeightedShare:
    """A share of all items, each stratum weighted by its number of items; 0 to 1.

    `low` and `high` are for items like these, of which the pool is a sample: the interval to publish beside a score,
    whose own interval is for new items too. `pool_low` and `pool_high` are for these very items, of which only those
    that were not reviewed are uncertain. All are None where a stratum was not reviewed at all.
    """

    value: float | None
    low: float | None
    high: float | None
    pool_low: float | None
    pool_high: float | None


@dataclass(frozen=True, kw_only=True)
class CeilingEstimate:
    """What a review says of the gold: the share that is `wrong`, and that is `flawed`, wrong or undecidable.

    `ceiling` is 1 - flawed, the most that a score can honestly be. `strata` are sorted by name. `reason` says why there
    is no estimate; `warnings` what makes it doubtful.
    """

    strata: tuple[StratumCounts, ...]
    wrong: WeightedShare
    flawed: WeightedShare
    ceiling: WeightedShare
    confidence_level: float
    reason: str
    warnings: tuple[str, ...]


def estimate_ceiling(reviews: pd.DataFrame, *, confidence_level: float = 0.95) -> CeilingEstimate:
    """The shares of wrong and of flawed gold, and the ceiling of the score.

    `reviews` has one row an item of the pool: item, stratum, and verdict (see `Verdict`; None where the item was not
    reviewed). The reviewed items of a stratum have to be all of it, or drawn from it at random. Items count as
    independent of each other.

    Raises HromadaError for no items, a missing column, an item that occurs twice or an unknown verdict.
    """
    strata = count_strata(reviews)
    unseen = [stratum.name for stratum in strata if stratum.n_reviewed == 0]
    wrong = flawed = estimate_share(strata, [stratum.n_wrong for stratum in strata], level=confidence_level)
    if any(stratum.n_undecidable for stratum in strata):
        flawed = estimate_share(
            strata, [stratum.n_wrong + stratum.n_undecidable for stratum in strata], level=confidence_level
        )
    return CeilingEstimate(
        strata=strata,
        wrong=wrong,
        flawed=flawed,
        ceiling=_subtract_from_one(flawed),
        confidence_level=confidence_level,
        reason=Finding("no-estimate", stratum=unseen[0]) if unseen else "",
        warnings=tuple(
            Finding(
                "few-reviewed", n=stratum.n_reviewed, m=stratum.n_items, stratum=stratum.name, least=SMALLEST_SAMPLE
            )
            for stratum in strata
            if 0 < stratum.n_reviewed < min(SMALLEST_SAMPLE, stratum.n_items)
        ),
    )


def count_strata(reviews: pd.DataFrame) -> tuple[StratumCounts, ...]:
    """Count the items and verdicts of each stratum, sorted by name; raises HromadaError as `estimate_ceiling` does."""
    if "verdict" not in reviews.columns:
        raise HromadaError("The reviews lack the column verdict.", remedy="They need item, stratum and verdict.")
    rows = check_rows(reviews, REVIEW_COLUMNS).assign(verdict=reviews["verdict"].to_numpy(dtype=object))
    if rows.empty:
        raise HromadaError("There is no item to review.", remedy="Declare gold, and collect answers on these items.")
    repeated = rows["item"].duplicated()
    if repeated.any():
        raise HromadaError(f"The item {rows.loc[repeated, 'item'].iloc[0]!r} is there twice.")
    verdicts = [None if pd.isna(verdict) else str(verdict) for verdict in rows["verdict"]]
    unknown = sorted(set(filter(None, verdicts)) - set(get_args(Verdict)))
    if unknown:
        raise HromadaError(f"There is no verdict {unknown[0]!r}.", remedy=f"Use {', '.join(get_args(Verdict))}.")
    counts: dict[str, Counter[str | None]] = {}
    for name, verdict in zip(rows["stratum"], verdicts, strict=True):
        counts.setdefault(str(name), Counter())[verdict] += 1
    return tuple(
        StratumCounts(
            name=name,
            n_items=count.total(),
            n_reviewed=count.total() - count[None],
            n_wrong=count["wrong"],
            n_undecidable=count["undecidable"],
        )
        for name, count in sorted(counts.items())
    )


def estimate_share(strata: Sequence[StratumCounts], n_found: Sequence[int], *, level: float) -> WeightedShare:
    """The share of all items that are as the `n_found` ones (a number for each stratum), with both intervals.

    The value is Σ N_h k_h / n_h over N, with N_h items in a stratum, n_h of them reviewed and k_h found.
    """
    if any(stratum.n_reviewed == 0 for stratum in strata):
        return WeightedShare(value=None, low=None, high=None, pool_low=None, pool_high=None)
    n_items = sum(stratum.n_items for stratum in strata)
    value = sum(stratum.n_items * k / stratum.n_reviewed for stratum, k in zip(strata, n_found, strict=True)) / n_items
    chances: Floats = np.ones(1)
    for stratum, k in zip(strata, n_found, strict=True):
        left = list_chances(stratum.n_items - stratum.n_reviewed, k, stratum.n_reviewed - k)
        chances = np.asarray(np.convolve(chances, left), dtype=np.float64)
    numbers = np.flatnonzero(chances > NEGLIGIBLE)
    counts: Floats = np.asarray(numbers + sum(n_found), dtype=np.float64)
    chances = chances[numbers] / chances[numbers].sum()
    tails = ((1 - level) / 2, (1 + level) / 2)
    pool = [float(counts[np.searchsorted(np.cumsum(chances), tail)]) / n_items for tail in tails]
    new = [_find_quantile(counts, chances, n_items, tail) for tail in tails]
    return WeightedShare(
        value=value,
        low=min(value, new[0]) if sum(n_found) else 0.0,
        high=max(value, new[1]) if sum(n_found) < sum(stratum.n_reviewed for stratum in strata) else 1.0,
        pool_low=min(value, pool[0]),
        pool_high=max(value, pool[1]),
    )


def list_chances(n_left: int, n_found: int, n_others: int) -> Floats:
    """How likely 0, 1, … `n_left` of the items that were not reviewed are as those found: a beta-binomial law."""
    if n_left == 0:
        return np.ones(1)
    first, second = n_found + STRATUM_PRIOR, n_others + STRATUM_PRIOR
    numbers = np.arange(n_left + 1)
    ways = gammaln(n_left + 1) - gammaln(numbers + 1) - gammaln(n_left - numbers + 1)
    return np.exp(ways + betaln(numbers + first, n_left - numbers + second) - betaln(first, second))


def _find_quantile(counts: Floats, chances: Floats, n_items: int, tail: float) -> float:
    """The share below which items like these lie with the chance `tail`: of a mixture of Beta(T + 1/2, N - T + 1/2)."""

    def measure_excess(share: float) -> float:
        below = betainc(counts + POOL_PRIOR, n_items - counts + POOL_PRIOR, share)
        return float((chances * below).sum()) - tail

    return float(brentq(measure_excess, 0.0, 1.0, xtol=1e-12))


def _subtract_from_one(share: WeightedShare) -> WeightedShare:
    if share.value is None or share.low is None or share.high is None:
        return share
    if share.pool_low is None or share.pool_high is None:
        return share
    return WeightedShare(
        value=1 - share.value,
        low=1 - share.high,
        high=1 - share.low,
        pool_low=1 - share.pool_high,
        pool_high=1 - share.pool_low,
    )
