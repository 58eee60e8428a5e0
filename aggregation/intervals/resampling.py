"""Bootstrap resampling of groups of items, in chunks that bound memory.

A draw is one resample: groups drawn with replacement, as many as there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtr, stdtrit

from aggregation.intervals.shares import Interval
from aggregation.schema import Codes, Floats

Sparse = sparse.csr_array[np.float64, tuple[int, int]]
Progress = Callable[[float], None]
"""Is called with the share of the work that is done, from 0 to 1."""

MAX_CHUNK_NUMBERS = 1 << 21  # numbers in one array of a chunk: 16 MB; a chunk needs a handful of such arrays at once
FEWEST_GROUPS = 5  # with fewer groups of items there is no interval
FEW_GROUPS = 10  # up to so many groups an interval is expanded by Student's t


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """The settings of a bootstrap: how many resamples are drawn, and from which seed.

    `confidence_level` is the share of the resampled values that an interval covers.
    """

    n_resamples: int
    seed: int
    confidence_level: float = 0.95
    progress: Progress | None = None

    def rng(self) -> np.random.Generator:
        """A new generator from the seed, so that all coefficients and scores are computed on the same resamples."""
        return np.random.default_rng(self.seed)

    def part(self, number: int, *, of: int) -> Progress | None:
        """The progress callback of part `number` (from 0) when the work has `of` equal parts."""
        report = self.progress
        return None if report is None else lambda share: report((number + share) / of)

    def without_progress(self) -> Resampling:
        """The same settings without a progress callback."""
        return replace(self, progress=None)


def split_resamples(n_resamples: int, *, width: int) -> list[int]:
    """The number of draws in each chunk; `width` is how many numbers an array holds per draw.

    An array of a chunk then holds at most MAX_CHUNK_NUMBERS numbers, or a single draw.
    """
    chunk_size = max(1, MAX_CHUNK_NUMBERS // max(1, width))
    return [min(chunk_size, n_resamples - start) for start in range(0, n_resamples, chunk_size)]


def draw_unit_counts(rng: np.random.Generator, *, n_units: int, n_draws: int) -> Floats:
    """How often each of `n_units` units occurs when `n_units` are drawn with replacement: draws × units, whole numbers.

    Each row is multinomial with equal shares. Rows come from one stream, so the size of chunks changes no number.
    """
    drawn_units = rng.integers(0, n_units, size=(n_draws, n_units))
    counts = np.empty((n_draws, n_units))
    for number, row in enumerate(drawn_units):
        counts[number] = np.bincount(row, minlength=n_units)
    return counts


def encode_groups(groups: NDArray[np.object_]) -> tuple[Codes, int]:
    """Number the groups of items in sorted order: the code of each item's group, and how many groups there are."""
    names, codes = np.unique(groups, return_inverse=True)
    return codes, len(names)


def resample_groups(
    columns: Floats | Sparse,
    *,
    groups: Codes,
    n_resamples: int,
    rng: np.random.Generator,
    statistic: Callable[[Floats], Floats],
    progress: Progress | None = None,
) -> Floats:
    """A statistic of the sums of `columns` (items × columns) in `n_resamples` resamples of whole groups of items.

    `groups` is the code of each item's group. `statistic` takes column sums (draws × columns) and returns one row of
    numbers per draw; the result is draws × numbers.
    """
    n_groups = int(groups.max()) + 1
    membership = sparse.csr_array(
        (np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(n_groups, len(groups))
    )
    group_sums = membership @ columns
    chunks, n_done = [], 0
    for n_draws in split_resamples(n_resamples, width=max(n_groups, columns.shape[1])):
        counts = draw_unit_counts(rng, n_units=n_groups, n_draws=n_draws)
        chunks.append(np.atleast_2d(statistic(np.asarray(counts @ group_sums, dtype=np.float64))))
        n_done += n_draws
        if progress is not None:
            progress(n_done / n_resamples)
    return np.concatenate(chunks)


def percentile_interval(values: Floats, *, confidence_level: float, n_groups: int) -> Interval:
    """The interval of the middle share `confidence_level` of the resampled values, wider for few groups.

    Up to FEW_GROUPS groups the tails are those of Student's t with G - 1 degrees of freedom, times √(G/(G-1)): the
    expanded percentile interval (Hesterberg 2015, arXiv:1411.5279), since the plain one of five to ten groups covers
    .89-.91. Resamples without a value (nan) are counted as undefined and left out.
    """
    defined = values[~np.isnan(values)]
    n_undefined = len(values) - len(defined)
    if not len(defined):
        return Interval(low=None, high=None, undefined=n_undefined)
    tail = (1 - confidence_level) / 2
    if n_groups <= FEW_GROUPS:
        tail = float(ndtr(stdtrit(n_groups - 1, tail) * (n_groups / (n_groups - 1)) ** 0.5))
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(low=float(low), high=float(high), undefined=n_undefined)
