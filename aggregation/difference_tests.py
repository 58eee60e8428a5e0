"""Tests of differences: Student's t, McNemar's, Holm's correction for several, and what a design could have shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, nctdtrinc, stdtr, stdtrit

POWER = 0.8
"""The chance with which a difference that is called detectable is found."""
MOST_DF = 1e6  # Student's t is normal here to six digits, and the noncentral one still computed


@dataclass(frozen=True, kw_only=True)
class McNemarTest:
    """McNemar's test on items that two answered, of which each is right or wrong.

    `only_first` and `only_second` count the items that one of both alone has right, `both` and `neither` the others.
    `n_ties` counts the items that were left out because of a tie. `p_exact` is that of the exact conditional test
    (twice the smaller binomial tail, at most 1), `p_mid` that of its mid-p form, in which what was seen counts half
    (Fagerland, Lydersen and Laake 2013). Items count as independent.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    p_exact: float
    p_mid: float
    n_ties: int = 0


def compute_mcnemar(
    first: NDArray[np.bool_], second: NDArray[np.bool_], *, tied: NDArray[np.bool_] | None = None
) -> McNemarTest:
    """McNemar's test of two who were right (`True`) or wrong on the same items, but for those that are `tied`."""
    n_ties = 0 if tied is None else int(tied.sum())
    if tied is not None:
        first, second = first[~tied], second[~tied]
    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    fewer, n_discordant = min(only_first, only_second), only_first + only_second
    tail = float(bdtr(fewer, n_discordant, 0.5)) if n_discordant else 1.0
    point = tail - (float(bdtr(fewer - 1, n_discordant, 0.5)) if fewer else 0.0)
    mid = 1 - point / 2 if only_first == only_second else 2 * tail - point
    return McNemarTest(
        both=int((first & second).sum()),
        only_first=only_first,
        only_second=only_second,
        neither=int((~first & ~second).sum()),
        p_exact=min(1.0, 2 * tail),
        p_mid=mid if n_discordant else 1.0,
        n_ties=n_ties,
    )


def compute_p_value(value: float, *, se: float, df: float) -> float:
    """The two-sided p of a value that is 0 under the null hypothesis, by Student's t with `df` degrees of freedom."""
    return float(2 * stdtr(min(df, MOST_DF), -abs(value) / se))


def adjust_by_holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's (1979) adjusted p values in the order given: (m - rank) · p, never falling, at most 1; None stays None."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - rank) * p))
        adjusted[place] = largest
    return adjusted


def compute_detectable_difference(
    *, se: float, df: float, stretch: float = 1.0, confidence_level: float = 0.95
) -> float:
    """The least true difference that a two-sided t test finds with the POWER, where its standard error is `se`.

    It is δ · se, with δ the noncentrality at which t with `df` degrees of freedom is below its critical value with the
    chance 1 - POWER (the chance to be beyond the other one is left out: it is below 1e-6). `stretch` is how many times
    as far as quantile · se the interval reaches by which the test is made (`ShareDifference.measure_stretch`).
    """
    df = min(df, MOST_DF)
    critical = float(stdtrit(df, (1 + confidence_level) / 2)) * stretch
    return float(nctdtrinc(df, 1 - POWER, critical)) * se
