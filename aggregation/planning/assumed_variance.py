"""What is assumed of answers before the first of them, and what it says of the variance of a score.

Importing this module loads neither numpy nor pandas: the plan that a project's start freezes is made of it in the bot's
process too.
"""

from __future__ import annotations

from collections.abc import Collection

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


def compute_item_variance(
    share: float, *, votes: float, group_size: float, item_correlation: float = ITEM_CORRELATION
) -> float:
    """n times the variance of a share of right answers to n items, of the same people on other items.

    p(1 - p)/k · D with k votes an item and the design effect D = 1 + (k - 1)·ρ_item + k·(m - 1)·ρ_group of answers in
    items in groups of m (three levels: Heo and Leon 2008, Biometrics 64:1256; Teerenstra et al. 2010, Biometrics
    66:1230; one level: Kish 1965, Survey Sampling). m = Σ size² / Σ size allows for unequal groups (Kish).
    """
    design_effect = 1 + (votes - 1) * item_correlation + votes * (group_size - 1) * GROUP_CORRELATION
    return share * (1 - share) / votes * design_effect


def compute_mean_group_size(sizes: Collection[int]) -> float:
    """Σ size² / Σ size, which allows for unequal groups (Kish); 1 without items."""
    n_items = sum(sizes)
    return sum(size * size for size in sizes) / n_items if n_items else 1.0
