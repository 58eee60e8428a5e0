"""Simulated pilots: two wordings over the same items, with truths in closed form.

Whether a person is right on an item has the chance `accuracy` plus their skill plus the ease of the item, both uniform
and the same in both pilots where people are; two labels, either of which is right as often. Seconds are log-normal in
people, items and answers. Each person skips with a chance of their own. What is wrong with an item tells on both
pilots, so that a comparison that did not pair them would be far too wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.answers import Answers
from aggregation.comparison.projects import ProjectAnswers, ProjectComparison, compare_projects
from aggregation.schema import Floats, Votes

LABELS = ("x", "y")
VOTES = 3
SKILL, EASE = 0.08, 0.12  # half the widths of the uniform laws
PEOPLE_SD, ITEMS_SD, ANSWERS_SD = 0.4, 0.3, 0.5  # of the logarithm of seconds
SKIP_SPREAD = 0.04


@dataclass(frozen=True, kw_only=True)
class Wording:
    """What a wording does to answers: the mean accuracy, the median seconds, and how often people skip."""

    accuracy: float
    seconds: float
    skips: float


@dataclass(frozen=True, kw_only=True)
class PilotDesign:
    """Two pilots on `items` items with three votes each by `people` people, the same ones in both where `is_same`."""

    items: int
    people: int
    is_same: bool
    wordings: tuple[Wording, Wording] = (
        Wording(accuracy=0.8, seconds=40.0, skips=0.1),
        Wording(accuracy=0.7, seconds=30.0, skips=0.05),
    )

    @property
    def name(self) -> str:
        """What the design is, in words."""
        return f"{self.people} people, {'the same' if self.is_same else 'others'} in the second, {self.items} items"


def list_truths(design: PilotDesign) -> Mapping[str, float]:
    """The difference of the two wordings for new people and items, by measure.

    With p = b + v on an item (b the accuracy, v its ease) and independent people, two agree with the chance
    p² + (1 - p)², and two or three of three are right with the chance 3p² - 2p³.
    """
    one, two = (_compute_truths(wording) for wording in design.wordings)
    return {name: one[name] - two[name] for name in one}


def _compute_truths(wording: Wording) -> dict[str, float]:
    mean, spread = wording.accuracy, EASE**2 / 3
    square, cube = mean**2 + spread, mean**3 + 3 * mean * spread
    equal = 1 - 2 * mean + 2 * square
    unanimous = 1 - 3 * mean + 3 * square
    return {
        "percent_agreement": equal,
        "krippendorff_alpha_nominal": 2 * equal - 1,
        "vote_share": unanimous + (1 - unanimous) * 2 / 3,
        "mean_seconds": wording.seconds * float(np.exp((PEOPLE_SD**2 + ITEMS_SD**2 + ANSWERS_SD**2) / 2)),
        "median_seconds": wording.seconds,
        "skips": wording.skips,
        "accuracy": mean,
        "majority_accuracy": 3 * square - 2 * cube,
    }


def simulate_comparison(rng: np.random.Generator, design: PilotDesign) -> ProjectComparison:
    """Two pilots on new items, compared."""
    ease = rng.uniform(-EASE, EASE, design.items)
    slow = ITEMS_SD * rng.standard_normal(design.items)
    gold = rng.integers(2, size=design.items)
    crowd = _draw_crowd(rng, design)
    pilots = []
    for number, wording in enumerate(design.wordings):
        if number and not design.is_same:
            crowd = _draw_crowd(rng, design)
        names = np.array([f"p{number * (not design.is_same)}-{who:03}" for who in range(design.people)], dtype=object)
        pilots.append(_simulate_pilot(rng, design, wording, names=names, crowd=crowd, ease=ease, slow=slow, gold=gold))
    first, second = pilots
    return compare_projects(first, second, only=list(list_truths(design)))


def _draw_crowd(rng: np.random.Generator, design: PilotDesign) -> Floats:
    """Skill, slowness and skips of each person: 3 × people."""
    return np.stack(
        [
            rng.uniform(-SKILL, SKILL, design.people),
            PEOPLE_SD * rng.standard_normal(design.people),
            rng.uniform(-SKIP_SPREAD, SKIP_SPREAD, design.people),
        ]
    )


def _simulate_pilot(
    rng: np.random.Generator,
    design: PilotDesign,
    wording: Wording,
    *,
    names: NDArray[np.object_],
    crowd: Floats,
    ease: Floats,
    slow: Floats,
    gold: NDArray[np.intp],
) -> ProjectAnswers:
    """One pilot: items are offered to people in random order until three have answered."""
    order = rng.random((design.items, design.people)).argsort(axis=1)
    is_skip = rng.random(order.shape) < wording.skips + crowd[2][order]
    n_before = np.cumsum(~is_skip, axis=1) - ~is_skip
    item, place = np.nonzero(n_before < VOTES)
    people, skipped = order[item, place], is_skip[item, place]
    is_right = rng.random(len(item)) < wording.accuracy + crowd[0][people] + ease[item]
    seconds = np.exp(
        np.log(wording.seconds) + crowd[1][people] + slow[item] + ANSWERS_SD * rng.standard_normal(len(item))
    )
    ids = np.array([f"i{number:04}" for number in range(design.items)], dtype=object)
    labels = np.array(LABELS, dtype=object)
    offers = pd.DataFrame({"item": ids[item], "annotator": names[people]}, dtype=object)
    offers = offers.assign(skipped=skipped, is_due=False, seconds=np.where(skipped, np.nan, seconds))
    frame = offers.loc[~skipped, ["item", "annotator"]].assign(
        answer=labels[np.where(is_right, gold[item], 1 - gold[item])[~skipped]]
    )
    items = pd.DataFrame({"group": ids, "gold": labels[gold], "n_options": 2}, index=pd.Index(ids, dtype=object))
    votes = Votes(frame=frame.reset_index(drop=True), items=items, classes=LABELS)
    return ProjectAnswers(name=f"{wording.accuracy:g}", answers=Answers(kind="label", votes=votes), offers=offers)


def cover_differences(design: PilotDesign, number: int, *, seed: int) -> Mapping[tuple[str, str], bool]:
    """Whether the interval for a fresh panel covers the true difference of the pair of that number, by measure."""
    compared = simulate_comparison(np.random.default_rng([seed, number, *design.name.encode()]), design)
    covered = {}
    for name, truth in list_truths(design).items():
        row = compared.find_difference(name)
        if row.ci_low is not None and row.ci_high is not None:
            covered[name, "a fresh panel"] = row.ci_low <= truth <= row.ci_high
    return covered
