"""Resampling and intervals: groups of items, people, and both at once, in chunks that bound memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from aggregation.schema import Codes, Floats

Sparse = sparse.csr_array[np.float64, tuple[int, int]]
Progress = Callable[[float], None]

CELLS = 1 << 21  # numbers in one array of a chunk: 16 MB, and a handful of such arrays live at once
FEWEST_CLUSTERS = 5


@dataclass(frozen=True, kw_only=True)
class Interval:
    """Both ends of an interval, and how many resamples had no value and were left out of it."""

    low: float | None
    high: float | None
    undefined: int = 0


@dataclass(frozen=True, kw_only=True)
class Draws:
    """How to resample, and who hears of it: `level` is the share that an interval covers."""

    resamples: int
    seed: int
    level: float
    progress: Progress | None = None

    def rng(self) -> np.random.Generator:
        """The same stream for whoever asks, so that units and coefficients meet the same draws."""
        return np.random.default_rng(self.seed)

    def part(self, number: int, *, of: int) -> Progress | None:
        """The progress of one of several equal parts of the work."""
        heard = self.progress
        return None if heard is None else lambda share: heard((number + share) / of)

    def silent(self) -> Draws:
        """The same draws with nobody listening."""
        return Draws(resamples=self.resamples, seed=self.seed, level=self.level)


def chunks(draws: int, *, width: int) -> list[int]:
    """Split `draws` into chunks whose arrays, `width` numbers a draw, hold no more than CELLS numbers (or one draw)."""
    size = max(1, CELLS // max(1, width))
    return [min(size, draws - start) for start in range(0, draws, size)]


def resample_counts(rng: np.random.Generator, *, size: int, draws: int) -> Floats:
    """How often each of `size` units is drawn when `size` are drawn with replacement: draws × size, whole numbers.

    Each row is multinomial with equal shares. Row after row from one stream, so chunks do not change the numbers.
    """
    drawn = rng.integers(0, size, size=(draws, size))
    return np.stack([np.bincount(row, minlength=size) for row in drawn]).astype(np.float64)


def group_codes(groups: NDArray[np.object_]) -> tuple[Codes, int]:
    """Number the groups of items in sorted order: the code of each item's group, and how many groups there are."""
    names, codes = np.unique(groups, return_inverse=True)
    return codes, len(names)


def cluster_statistics(
    columns: Floats | Sparse,
    *,
    groups: Codes,
    draws: int,
    rng: np.random.Generator,
    statistic: Callable[[Floats], Floats],
    progress: Progress | None = None,
) -> Floats:
    """`statistic` of the column sums of `columns` (items × columns) in `draws` resamples of whole groups.

    `statistic` takes sums (chunk × columns) and gives one row of numbers a draw: draws × numbers.
    """
    n_groups = int(groups.max()) + 1
    members = sparse.csr_array((np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(n_groups, len(groups)))
    totals = members @ columns
    parts, done = [], 0
    for size in chunks(draws, width=max(n_groups, columns.shape[1])):
        counts = resample_counts(rng, size=n_groups, draws=size)
        parts.append(np.atleast_2d(statistic(np.asarray(counts @ totals, dtype=np.float64))))
        done += size
        if progress is not None:
            progress(done / draws)
    return np.concatenate(parts)


def cluster_sums(
    statistics: Floats,
    *,
    groups: Codes,
    draws: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Floats:
    """Column sums of `statistics` (items × columns) in `draws` resamples of whole groups: draws × columns."""
    return cluster_statistics(
        statistics, groups=groups, draws=draws, rng=rng, statistic=lambda sums: sums, progress=progress
    )


def crossed_sums(
    score: Callable[[Floats, Floats], Floats],
    *,
    people: int,
    groups: Codes,
    width: int,
    draws: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Floats:
    """Sums over items when people and groups of items are resampled independently: draws × columns.

    `score` takes how often each person is drawn (people × chunk) and each item (items × chunk), and gives the sums
    (chunk × columns); `groups` is the code of each item's group; `width` the numbers a draw that `score` makes. People
    and groups have streams of their own, so a unit scored with the same `rng` state meets the same draws.
    """
    of_people, of_groups = rng.spawn(2)
    n_groups = int(groups.max()) + 1
    parts, done = [], 0
    for size in chunks(draws, width=max(width, people, len(groups))):
        drawn = np.ascontiguousarray(resample_counts(of_people, size=people, draws=size).T)
        weights = resample_counts(of_groups, size=n_groups, draws=size).T[groups]
        parts.append(score(drawn, weights))
        done += size
        if progress is not None:
            progress(done / draws)
    return np.concatenate(parts)


def percentile_interval(values: Floats, *, level: float) -> Interval:
    """The middle `level` of the resampled values; nan marks an undefined resample, which is counted and left out."""
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if not len(defined):
        return Interval(low=None, high=None, undefined=undefined)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(low=float(low), high=float(high), undefined=undefined)


def wilson_interval(right: float, total: int, *, level: float) -> Interval:
    """Wilson (1927): (p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n), for `right` of `total` independent answers."""
    if total == 0:
        return Interval(low=None, high=None)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = right / total
    middle = share + z * z / (2 * total)
    reach = z * float(np.sqrt(share * (1 - share) / total + z * z / (4 * total * total)))
    scale = 1 + z * z / total
    # With none right, or all, that end is exact; rounding would print a 3e-17 instead.
    low = (middle - reach) / scale if right > 0 else 0.0
    high = (middle + reach) / scale if right < total else 1.0
    return Interval(low=low, high=high)
