"""What is assumed of answers before the first of them, and what it says of the variance of a score.

Importing this module loads neither numpy nor pandas: the plan that a project's start freezes is made of it in the bot's
process too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

EXPECTED_ACCURACY = 0.9
"""The share of right answers that is expected of people."""
ITEM_CORRELATION = 0.3
"""ρ_item: the assumed correlation of two answers to one item."""
GROUP_CORRELATION = 0.05
"""ρ_group: the assumed correlation of two answers to two items of one group."""
PERSON_CORRELATION = 0.05
"""ρ_person: the assumed correlation of two answers of one person to two items."""
MODEL_CORRELATION = 0.3
"""The assumed correlation, over items, of the share of people who are right and whether a model is."""

TIES = 0.2
"""The share of ties that is expected of people who compare two texts."""
DEVIATION = 0.25
"""The standard deviation of one rating that is expected, as a share of the scale's range: 1 point of 1 to 5."""
LARGEST_VARIANCE = 0.25
"""The largest variance of numbers from 0 to 1."""


ResultKind = Literal["share", "win_rate", "mean", "at_least"]
"""What a campaign is planned for: the share of right answers, a win rate, a mean opinion, or, where the points of a
scale have no mean, the share of answers at one of them or above."""


@dataclass(frozen=True, kw_only=True)
class PlannedResult:
    """What a campaign is planned for, on a scale with these ends.

    `value` and `spread` are the expected result and the expected variance of one answer, on a scale from 0 to 1.
    """

    kind: ResultKind
    value: float
    spread: float
    lowest: float = 0.0
    highest: float = 1.0

    @property
    def width(self) -> float:
        """How many units of the result the scale is long."""
        return self.highest - self.lowest


def plan_share(share: float = EXPECTED_ACCURACY) -> PlannedResult:
    """A share of right answers."""
    return PlannedResult(kind="share", value=share, spread=share * (1 - share))


def plan_win_rate(share: float = 0.5, *, ties: float = TIES) -> PlannedResult:
    """A win rate: votes are 1, 1/2 for a tie, or 0. Raises ValueError where so many ties leave no such rate."""
    if ties > 2 * min(share, 1 - share):
        raise ValueError("too many ties")
    return PlannedResult(kind="win_rate", value=share, spread=share * (1 - share) - ties / 4)


def plan_mean(*, lowest: float = 0.0, highest: float = 1.0, deviation: float | None = None) -> PlannedResult:
    """A mean opinion on a scale with these ends; the standard deviation of one rating is in its points."""
    share = DEVIATION if deviation is None else deviation / (highest - lowest)
    return PlannedResult(kind="mean", value=0.5, spread=share**2, lowest=lowest, highest=highest)


def plan_at_least(share: float = 0.5) -> PlannedResult:
    """The share of answers at a point of a scale or above."""
    return PlannedResult(kind="at_least", value=share, spread=share * (1 - share))


def compute_item_variance(
    spread: float, *, votes: float, group_size: float, item_correlation: float = ITEM_CORRELATION
) -> float:
    """n times the variance of a mean of answers to n items, of the same people on other items.

    σ²/k · D with k votes an item, the variance σ² of one answer (`spread`; p(1 - p) of a share) and the design effect
    D = 1 + (k - 1)·ρ_item + k·(m - 1)·ρ_group of answers in items in groups of m (three levels: Heo and Leon 2008,
    Biometrics 64:1256; Teerenstra et al. 2010, Biometrics 66:1230; one level: Kish 1965, Survey Sampling).
    m = Σ size² / Σ size allows for unequal groups (Kish).
    """
    design_effect = 1 + (votes - 1) * item_correlation + votes * (group_size - 1) * GROUP_CORRELATION
    return spread / votes * design_effect


def compute_mean_group_size(sizes: Collection[int]) -> float:
    """Σ size² / Σ size, which allows for unequal groups (Kish); 1 without items."""
    n_items = sum(sizes)
    return sum(size * size for size in sizes) / n_items if n_items else 1.0
