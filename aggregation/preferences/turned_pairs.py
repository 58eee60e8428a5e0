"""Pairs as people read them: the preferred system first, the clearest preference on top."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from aggregation.preferences.win_rates import EVEN, PairResult

Ends = tuple[float | None, float | None]
"""Both ends of an interval, None without one."""


class TurnedPair(NamedTuple):
    """A pair with the preferred system first: wins, ties, losses, the win rate, and its intervals (fresh, these)."""

    one: str
    two: str
    counts: tuple[int, int, int]
    value: float
    fresh: Ends
    these: Ends
    result: PairResult

    @property
    def name(self) -> str:
        """The two systems."""
        return f"{self.one} – {self.two}"


def turn_pair(pair: PairResult) -> TurnedPair:
    """The pair with the preferred system first."""
    estimate, value = pair.estimate, pair.estimate.value or 0.0
    fresh, these = (estimate.ci_low, estimate.ci_high), (estimate.item_only_low, estimate.item_only_high)
    if value >= EVEN:
        return TurnedPair(pair.one, pair.two, (pair.wins, pair.ties, pair.losses), value, fresh, these, pair)
    counts = (pair.losses, pair.ties, pair.wins)
    return TurnedPair(pair.two, pair.one, counts, 1 - value, _mirror(fresh), _mirror(these), pair)


def _mirror(ends: Ends) -> Ends:
    low, high = ends
    return (None if high is None else 1 - high, None if low is None else 1 - low)


def list_clearest(pairs: Iterable[PairResult]) -> list[TurnedPair]:
    """The pairs with the preferred system first, the clearest preference on top."""
    return sorted(map(turn_pair, pairs), key=lambda pair: (-pair.value, pair.name))
