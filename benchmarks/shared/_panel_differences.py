"""Simulated panels of unequal size and quality over the same items, with the true differences for both populations.

Whether a person is right on an item has the chance `accuracy` of their panel plus their skill plus the ease of the
item, both uniform; an item is as easy for everybody. For new people the truth is in closed form; for these people it is
what they do on very many new items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.answers import Answers
from aggregation.comparison.panels import SAME_CONSENSUS, PanelDifference, compare_panels
from aggregation.comparison.projects import ProjectAnswers
from aggregation.schema import Floats, Votes

LABELS = ("x", "y")
SKILL, EASE = 0.06, 0.12  # half the widths of the uniform laws
MANY_ITEMS = 20_000  # from which the truth for these people is taken
MEASURES = ("accuracy", "majority_accuracy", "percent_agreement", "krippendorff_alpha_nominal")

Rights = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class PanelDesign:
    """Experts and lay people: how many there are, and how many of them answer each of the `items`."""

    experts: int
    lay: int
    items: int
    votes: tuple[int, int] = (3, 3)
    accuracies: tuple[float, float] = (0.8, 0.7)

    @property
    def name(self) -> str:
        """What the design is, in words."""
        return f"{self.experts} and {self.lay} people, {self.votes[0]} and {self.votes[1]} votes, {self.items} items"


def cover_differences(design: PanelDesign, number: int, *, seed: int) -> Mapping[tuple[str, str], bool]:
    """Which intervals of the pair of that number cover, by measure and population (`new people`, `these people`)."""
    fresh = list_fresh_truths(design)
    covered = {}
    for row, truth in simulate_differences(np.random.default_rng([seed, number, *design.name.encode()]), design):
        ends = {
            "new people": (row.ci_low, row.ci_high, fresh.get(row.measure, np.nan)),
            "these people": (row.item_only_low, row.item_only_high, truth),
        }
        for population, (low, high, true) in ends.items():
            if low is not None and high is not None:
                covered[row.measure, population] = low <= true <= high
    return covered


def list_fresh_truths(design: PanelDesign) -> Mapping[str, float]:
    """The differences for new people and items, by measure.

    With p = b + v on an item and independent people, two agree with the chance p² + (1 - p)², and the majority of three
    is right with the chance 3p² - 2p³; that of two, a tie shared, with p.
    """
    truths = []
    for mean, votes in zip(design.accuracies, design.votes, strict=True):
        spread = EASE**2 / 3
        square, cube = mean**2 + spread, mean**3 + 3 * mean * spread
        equal = 1 - 2 * mean + 2 * square
        truths.append((mean, 3 * square - 2 * cube if votes == 3 else mean, equal, 2 * equal - 1))
    return {name: one - two for name, one, two in zip(MEASURES, *truths, strict=True)}


def simulate_differences(rng: np.random.Generator, design: PanelDesign) -> Iterator[tuple[PanelDifference, float]]:
    """Two panels on new items, compared: each difference, with its truth for these people."""
    sizes = (design.experts, design.lay)
    crowds = [rng.uniform(-SKILL, SKILL, size) for size in sizes]
    many = _draw(rng, replace(design, items=MANY_ITEMS), crowds)
    true = [_measure(rights) for rights, _ in many]
    truths = {name: one - two for name, one, two in zip(MEASURES, *true, strict=True)}
    shares = [_share_right(rights) for rights, _ in many]
    truths[SAME_CONSENSUS] = float(np.mean(shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])))
    gold = rng.integers(2, size=design.items)
    panels = {
        name: _build_answers(name, rights, people, gold)
        for name, (rights, people) in zip(("experts", "lay"), _draw(rng, design, crowds), strict=True)
    }
    for row in compare_panels(panels):
        if row.measure in truths:
            yield row, truths[row.measure]


def _draw(rng: np.random.Generator, design: PanelDesign, crowds: list[Floats]) -> list[tuple[Rights, NDArray[np.intp]]]:
    """Of each panel who answers each item (items × votes), and whether they are right."""
    ease = rng.uniform(-EASE, EASE, design.items)
    drawn = []
    for crowd, votes, accuracy in zip(crowds, design.votes, design.accuracies, strict=True):
        people = rng.random((design.items, len(crowd))).argsort(axis=1)[:, :votes]
        drawn.append((rng.random(people.shape) < accuracy + crowd[people] + ease[:, None], people))
    return drawn


def _share_right(rights: Rights) -> Floats:
    """Of each item the share of its majority that is right: 1/2 in a tie."""
    share = rights.mean(axis=1)
    return np.where(share == 0.5, 0.5, share > 0.5).astype(np.float64)


def _measure(rights: Rights) -> tuple[float, float, float, float]:
    """The measures of a panel on many items, in the order of MEASURES; labels are equally frequent."""
    n_right, votes = rights.sum(axis=1), rights.shape[1]
    pairs = n_right * (n_right - 1) + (votes - n_right) * (votes - n_right - 1)
    equal = float(pairs.mean() / (votes * (votes - 1)))
    return float(rights.mean()), float(_share_right(rights).mean()), equal, 2 * equal - 1


def _build_answers(name: str, rights: Rights, people: NDArray[np.intp], gold: NDArray[np.intp]) -> ProjectAnswers:
    ids = np.array([f"i{number:04}" for number in range(len(rights))], dtype=object)
    labels, item = np.array(LABELS, dtype=object), np.repeat(np.arange(len(rights)), rights.shape[1])
    said = np.where(rights.ravel(), gold[item], 1 - gold[item])
    who = np.array([f"{name}{number:03}" for number in people.ravel()], dtype=object)
    frame = pd.DataFrame({"item": ids[item], "annotator": who, "answer": labels[said]}, dtype=object)
    items = pd.DataFrame({"group": ids, "gold": labels[gold], "n_options": 2}, index=pd.Index(ids, dtype=object))
    offers = frame[["item", "annotator"]].assign(skipped=False, is_due=False, seconds=np.nan)
    votes = Votes(frame=frame, items=items, classes=LABELS)
    return ProjectAnswers(name=name, answers=Answers(kind="label", votes=votes), offers=offers)
