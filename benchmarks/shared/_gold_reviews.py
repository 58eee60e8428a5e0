"""Simulated reviews of gold of which a share is wrong: what people answer, what is reviewed, and what it covers.

People answer independently with the same accuracy; the gold of an item is wrong with the planted chance, and then is
another label. Where they are `misled`, that share of the items with wrong gold draws people to the gold label as
strongly as the others draw them to the right one. The reviewer is always right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.comparison.gold_review import CeilingEstimate, estimate_ceiling


@dataclass(frozen=True, kw_only=True)
class ReviewDesign:
    """A pool of items with gold, of which the share `wrong` is wrong, answered by three people of that `accuracy`.

    With `is_exact` just that share of the pool is wrong; else each item is with that chance. `models` says whether the
    conflicts with a model of the accuracy .7 are reviewed too. Of the rest `sample` items are.
    """

    items: int
    wrong: float
    accuracy: float
    labels: int = 2
    sample: int = 50
    misled: float = 0.0
    models: bool = False
    is_exact: bool = False

    @property
    def name(self) -> str:
        """What the design is, in words."""
        parts = [f"{self.items} items, {self.wrong:.0%} wrong", f"accuracy {self.accuracy:g}", f"{self.labels} labels"]
        parts += [f"sample {self.sample}"] if self.sample != 50 else []
        parts += ["half misled"] if self.misled else []
        parts += ["models"] if self.models else []
        return ", ".join([*parts, "planted exactly"] if self.is_exact else parts)


@dataclass(frozen=True, kw_only=True)
class Review:
    """The estimate of one simulated review, and the share of the pool whose gold is wrong."""

    estimate: CeilingEstimate
    of_pool: float


THREE_SHARES = (0.02, 0.05, 0.15)
DESIGNS = tuple(
    ReviewDesign(items=items, wrong=wrong, accuracy=accuracy, labels=labels)
    for items in (200, 1000)
    for accuracy, labels in ((0.8, 2), (0.95, 2), (0.85, 4))
    for wrong in THREE_SHARES
)
"""The designs of the promise: three people of accuracy .8 to .95, three shares of wrong gold."""


def simulate_review(rng: np.random.Generator, design: ReviewDesign) -> Review:
    """One pool answered, its conflicts and a sample of the rest reviewed. The right label of each item is 0."""
    n = design.items
    is_wrong = rng.random(n) < design.wrong
    if design.is_exact:
        is_wrong = np.isin(np.arange(n), rng.choice(n, size=round(n * design.wrong), replace=False))
    gold = np.where(is_wrong, 1, 0)
    drawn_to = np.where(is_wrong & (rng.random(n) < design.misled), 1, 0)
    majority = _find_majority(_draw_answers(rng, design, drawn_to, people=3, accuracy=design.accuracy))
    stratum = np.where(majority != gold, "human conflict", "rest").astype(object)
    if design.models:
        said = _draw_answers(rng, design, drawn_to, people=1, accuracy=0.7)[:, 0]
        stratum[(stratum == "rest") & (said != gold)] = "model conflict"
    rest = np.flatnonzero(stratum == "rest")
    sample = rng.choice(rest, size=min(design.sample, len(rest)), replace=False)
    is_reviewed = (stratum != "rest") | np.isin(np.arange(n), sample)
    verdict = np.where(is_wrong, "wrong", "right").astype(object)
    verdict[~is_reviewed] = None
    reviews = pd.DataFrame({"item": np.arange(n).astype(str), "stratum": stratum, "verdict": verdict}, dtype=object)
    return Review(estimate=estimate_ceiling(reviews), of_pool=float(is_wrong.mean()))


def cover_review(design: ReviewDesign, number: int, *, seed: int) -> tuple[bool, bool, float]:
    """Whether the review of that number covers the planted share, and that of the pool; the first interval's width."""
    one = simulate_review(np.random.default_rng([seed, number, *design.name.encode()]), design)
    share = one.estimate.wrong
    low, high = share.low or 0.0, share.high or 0.0
    pool_low, pool_high = share.pool_low or 0.0, share.pool_high or 0.0
    return low <= design.wrong <= high, pool_low <= one.of_pool <= pool_high, high - low


def _draw_answers(
    rng: np.random.Generator, design: ReviewDesign, drawn_to: NDArray[np.intp], *, people: int, accuracy: float
) -> NDArray[np.intp]:
    """Labels (items × people): the one that people are drawn to with that chance, else any other."""
    shape = (design.items, people)
    others = rng.integers(1, design.labels, size=shape)
    return np.where(rng.random(shape) < accuracy, drawn_to[:, None], (drawn_to[:, None] + others) % design.labels)


def _find_majority(answers: NDArray[np.intp]) -> NDArray[np.intp]:
    """The label of two or three of three answers, -1 where all differ: no gold has that."""
    first, second, third = answers.T
    return np.where((first == second) | (first == third), first, np.where(second == third, second, -1))
