"""Bootstrap resampling of groups of items, of annotators, and of both at once, in chunks that bound memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from aggregation.intervals import Interval
from aggregation.schema import Codes, Floats

Sparse = sparse.csr_array[np.float64, tuple[int, int]]
Progress = Callable[[float], None]

CELLS = 1 << 21  # numbers in one array of a chunk: 16 MB, and a handful of such arrays live at once
FEWEST_CLUSTERS = 5


@dataclass(frozen=True, kw_only=True)
class Draws:
    """How to resample: `level` is the share that an interval covers; `progress` is called with the share done."""

    resamples: int
    seed: int
    level: float
    progress: Progress | None = None

    def rng(self) -> np.random.Generator:
        """A new generator from the seed, so that all units and coefficients use the same draws."""
        return np.random.default_rng(self.seed)

    def part(self, number: int, *, of: int) -> Progress | None:
        """The progress callback of part `number` (from 0) of `of` equal parts of the work."""
        report = self.progress
        return None if report is None else lambda share: report((number + share) / of)

    def without_progress(self) -> Draws:
        """The same draws without a progress callback."""
        return Draws(resamples=self.resamples, seed=self.seed, level=self.level)


def split_draws(draws: int, *, width: int) -> list[int]:
    """Split `draws` into chunks whose arrays, `width` numbers a draw, hold no more than CELLS numbers (or one draw)."""
    size = max(1, CELLS // max(1, width))
    return [min(size, draws - start) for start in range(0, draws, size)]


def draw_counts(rng: np.random.Generator, *, size: int, draws: int) -> Floats:
    """How often each of `size` units is drawn when `size` are drawn with replacement: draws × size, whole numbers.

    Each row is multinomial with equal shares. Rows come from one stream, so chunks do not change the numbers.
    """
    drawn = rng.integers(0, size, size=(draws, size))
    return np.stack([np.bincount(row, minlength=size) for row in drawn]).astype(np.float64)


def encode_groups(groups: NDArray[np.object_]) -> tuple[Codes, int]:
    """Number the groups of items in sorted order: the code of each item's group, and how many groups there are."""
    names, codes = np.unique(groups, return_inverse=True)
    return codes, len(names)


def resample_groups(
    columns: Floats | Sparse,
    *,
    groups: Codes,
    draws: int,
    rng: np.random.Generator,
    statistic: Callable[[Floats], Floats],
    progress: Progress | None = None,
) -> Floats:
    """`statistic` of the column sums of `columns` (items × columns) in `draws` resamples of whole groups of items.

    `statistic` takes sums (chunk × columns) and returns one row of numbers per draw; the result is draws × numbers.
    """
    n_groups = int(groups.max()) + 1
    members = sparse.csr_array((np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(n_groups, len(groups)))
    totals = members @ columns
    parts, done = [], 0
    for size in split_draws(draws, width=max(n_groups, columns.shape[1])):
        counts = draw_counts(rng, size=n_groups, draws=size)
        parts.append(np.atleast_2d(statistic(np.asarray(counts @ totals, dtype=np.float64))))
        done += size
        if progress is not None:
            progress(done / draws)
    return np.concatenate(parts)


def resample_group_sums(
    statistics: Floats,
    *,
    groups: Codes,
    draws: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Floats:
    """Column sums of `statistics` (items × columns) in `draws` resamples of whole groups: draws × columns."""
    return resample_groups(
        statistics, groups=groups, draws=draws, rng=rng, statistic=lambda sums: sums, progress=progress
    )


def resample_crossed(
    sum_columns: Callable[[Floats, Floats], Floats],
    *,
    n_annotators: int,
    groups: Codes,
    width: int,
    draws: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Floats:
    """Sums over items when annotators and groups of items are resampled independently: draws × columns.

    `sum_columns` takes how often each annotator (annotators × chunk) and each item (items × chunk) is drawn and returns
    the sums (chunk × columns); `groups` is the code of each item's group; `width` is how many numbers per draw
    `sum_columns` holds in memory. Annotators and groups have streams of their own, so every unit scored with the same
    `rng` state uses the same draws.
    """
    annotator_rng, group_rng = rng.spawn(2)
    n_groups = int(groups.max()) + 1
    parts, done = [], 0
    for size in split_draws(draws, width=max(width, n_annotators, len(groups))):
        annotators = np.ascontiguousarray(draw_counts(annotator_rng, size=n_annotators, draws=size).T)
        items = draw_counts(group_rng, size=n_groups, draws=size).T[groups]
        parts.append(sum_columns(annotators, items))
        done += size
        if progress is not None:
            progress(done / draws)
    return np.concatenate(parts)


def percentile_interval(values: Floats, *, level: float) -> Interval:
    """The middle `level` of the resampled values; undefined resamples (nan) are counted and left out."""
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if not len(defined):
        return Interval(low=None, high=None, undefined=undefined)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(low=float(low), high=float(high), undefined=undefined)
