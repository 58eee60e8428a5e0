"""Simulated panels of people who answer items with known gold: campaigns, and what panels score in the long run.

Whether a person is right on an item follows a logistic law: the level, plus the person's skill, plus or minus their
bias towards one of the two labels, plus the ease of the item and of its group. What a panel scores on new items is
computed by quadrature over items and, for majorities, exactly over the subsets of people who may meet on an item.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq

from aggregation.schema import Floats, Votes
from aggregation.scores.labels import score_labels
from aggregation.scores.performance import Performance, Score
from aggregation.scoring import METRICS, LabelCounts

LABELS = ("x", "y")
NODES = 25  # of the quadrature over the ease of items


@dataclass(frozen=True, kw_only=True)
class Design:
    """A campaign to simulate: its people and items, who answers what, and how people and items differ (logits).

    `votes` are the answers of an item, of as many people; `loads` are the shares of the items that the busiest people
    answer, and the others share the rest equally. Items come in groups of `group_size`; `second` is the share of those
    whose gold is the second label. People's skills vary like a normal distribution, but for the shares of people who
    are `spammers` and answer at random, or `novices`, whose skill is lower by `novice_gap`.
    """

    name: str
    people: int
    items: int
    votes: int
    level: float = 2.5
    people_sd: float = 0.5
    items_sd: float = 1.0
    bias_sd: float = 0.3
    group_size: int = 1
    group_sd: float = 0.0
    loads: tuple[float, ...] = ()
    second: float = 0.5
    spammers: float = 0.0
    novices: float = 0.0
    novice_gap: float = 0.0

    @property
    def item_ids(self) -> NDArray[np.object_]:
        """The ids of the items, sorted."""
        return np.array([f"i{number:05}" for number in range(self.items)], dtype=object)

    def weigh_people(self) -> Floats:
        """The odds that each person is among those of an item."""
        rest = (self.votes - sum(self.loads)) / max(self.people - len(self.loads), 1)
        shares = np.array([*self.loads, *[rest] * (self.people - len(self.loads))])
        return np.ones(self.people) if self.is_complete else shares / (1 - shares)

    @property
    def is_complete(self) -> bool:
        """Whether everybody answers every item."""
        return self.votes == self.people


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """The people of a campaign: how skilled each is, how much each leans to one label, and who answers at random."""

    skills: Floats
    biases: Floats
    spams: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Campaign:
    """What one simulated campaign published, and what it was to cover.

    `intervals` are the scores by unit and metric; `panel` the score of the same people on new items, by unit and
    metric; `fresh` the mean counts of people that the campaign did not have, by unit, of which `compute` makes metrics.
    """

    intervals: Mapping[tuple[str, str], Score]
    panel: Mapping[str, Mapping[str, float]]
    fresh: Mapping[str, Floats]
    compute: Callable[[Floats], Mapping[str, float]]


def simulate_labels(rng: np.random.Generator, design: Design) -> Campaign:
    """A campaign of two labels, scored as single answers, as majorities, and as majorities of k fresh people."""
    panel, others = draw_panel(rng, design), draw_panel(rng, design)
    made = score_labels(draw_votes(rng, design, panel), units=("individual", "majority"))
    own = {unit: compute_metrics(counts) for unit, counts in expect_counts(design, panel).items()}
    return Campaign(
        intervals=list_scores(made, tuple(own)), panel=own, fresh=expect_counts(design, others), compute=compute_metrics
    )


def list_scores(made: Performance, units: Sequence[str]) -> dict[tuple[str, str], Score]:
    """The scores of these units by unit and metric."""
    return {(unit, score.metric): score for unit in units for score in made[unit].scores}


def draw_panel(rng: np.random.Generator, design: Design) -> Panel:
    """New people."""
    skills = design.people_sd * rng.standard_normal(design.people)
    biases = design.bias_sd * rng.standard_normal(design.people)
    if design.novices:
        skills = skills - design.novice_gap * (rng.random(design.people) < design.novices)
    spams = rng.random(design.people) < design.spammers if design.spammers else np.zeros(design.people, dtype=bool)
    return Panel(skills=skills, biases=biases, spams=spams)


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnAnswers:
    """Answers on new items: the gold of each (0 or 1) and its ease, and by vote who gave it and whether it is right."""

    truth: NDArray[np.intp]
    ease: Floats
    people: NDArray[np.intp]
    is_right: NDArray[np.bool_]

    def build_votes(self, design: Design) -> Votes:
        """The answers as votes."""
        names = np.array(LABELS, dtype=object)
        answers = np.where(self.is_right, self.truth[:, None], 1 - self.truth[:, None])
        return build_votes(design, self.people, names[answers], names[self.truth])


def draw_votes(rng: np.random.Generator, design: Design, panel: Panel) -> Votes:
    """The panel's votes on new items, each answered by `design.votes` of them drawn by their loads."""
    return draw_answers(rng, design, panel).build_votes(design)


def draw_answers(rng: np.random.Generator, design: Design, panel: Panel) -> DrawnAnswers:
    """The panel's answers on new items, as `draw_votes`."""
    truth = (rng.random(design.items) < design.second).astype(np.intp)
    people = draw_assignments(rng, design)
    ease = draw_ease(rng, design)
    chances = squash_logits(_add_effects(panel, people, truth[:, None]) + ease[:, None])
    chances = np.where(panel.spams[people], 0.5, chances)
    return DrawnAnswers(truth=truth, ease=ease, people=people, is_right=rng.random(chances.shape) < chances)


def draw_ease(rng: np.random.Generator, design: Design) -> Floats:
    """The level of each item."""
    of_groups = design.group_sd * rng.standard_normal(-(-design.items // design.group_size))
    own = design.items_sd * rng.standard_normal(design.items)
    return np.asarray(design.level + own + np.repeat(of_groups, design.group_size)[: design.items])


def draw_assignments(rng: np.random.Generator, design: Design) -> NDArray[np.intp]:
    """Who answers each item: items × votes; every set of different people as likely as the product of their odds."""
    if design.is_complete:
        return np.tile(np.arange(design.people), (design.items, 1))
    odds, sums = design.weigh_people(), _sum_products(design)
    places = np.zeros((design.items, design.people), dtype=bool)
    left = np.full(design.items, design.votes)
    for person in range(design.people):
        chance = np.where(left > 0, odds[person] * sums[person + 1, left - 1] / sums[person, left], 0.0)
        places[:, person] = rng.random(design.items) < chance
        left -= places[:, person]
    return np.nonzero(places)[1].reshape(design.items, design.votes)


@cache
def _sum_products(design: Design) -> Floats:
    """The sums, over sets of k people from the j-th on, of the products of their odds: (people + 1) × (votes + 1)."""
    sums = np.zeros((design.people + 1, design.votes + 1))
    sums[:, 0] = 1.0
    for person, odds in reversed(list(enumerate(design.weigh_people()))):
        sums[person, 1:] = sums[person + 1, 1:] + odds * sums[person + 1, :-1]
    return sums


def build_votes(
    design: Design, people: NDArray[np.intp], answers: NDArray[np.object_], gold: NDArray[np.object_]
) -> Votes:
    """Votes from who answered each item (items × votes) what."""
    ids = design.item_ids
    names = np.array([f"p{number:04}" for number in range(design.people)], dtype=object)
    frame = pd.DataFrame(
        {"item": np.repeat(ids, design.votes), "annotator": names[people.ravel()], "answer": answers.ravel()},
        dtype=object,
    )
    groups = ids[np.arange(design.items) // design.group_size * design.group_size]
    items = pd.DataFrame({"group": groups, "gold": gold, "n_options": 2}, index=pd.Index(ids, dtype=object))
    return Votes(frame=frame, items=items, classes=LABELS)


@cache
def list_ease(design: Design) -> tuple[Floats, Floats]:
    """The nodes of the quadrature over the ease of items, and their weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return design.level + float(np.hypot(design.items_sd, design.group_sd)) * nodes, weights / weights.sum()


def find_level(share: float, *, people_sd: float, items_sd: float, bias_sd: float = 0.3) -> float:
    """The level at which single answers have this share right, infinite where all have."""
    if share >= 1:
        return math.inf
    nodes, weights = np.polynomial.hermite_e.hermegauss(4 * NODES)
    spread = math.hypot(people_sd, items_sd, bias_sd) * nodes

    def miss(level: float) -> float:
        return float(squash_logits(level + spread) @ weights / weights.sum()) - share

    return float(brentq(miss, -20, 20))


def expect_counts(design: Design, panel: Panel) -> dict[str, Floats]:
    """The expected label counts of an item on which the panel is scored, by unit (`LabelCounts` in one row)."""
    _, weights = list_ease(design)
    hits = _count_hits(_expect_chances(design, panel), design)
    single = np.einsum("gnr,n,r->g", hits[design.votes], weights, np.arange(design.votes + 1)) / design.votes
    gold = np.array([1 - design.second, design.second])
    counts = {"individual": _count_expected(gold, single, np.zeros(2))}
    sizes = {"majority": design.votes}
    if design.is_complete and design.people <= 10:
        sizes |= {f"majority of {size}": size for size in range(3, design.people, 2)}
    for unit, size in sizes.items():
        shares = np.einsum("gnr,n->gr", hits[size], weights)
        numbers = np.arange(shares.shape[1])
        counts[unit] = _count_expected(
            gold, shares[:, 2 * numbers > size].sum(axis=1), shares[:, 2 * numbers == size].sum(axis=1)
        )
    return counts


def expect_people(design: Design, panel: Panel) -> Floats:
    """The share of new items that each of the panel has right."""
    _, weights = list_ease(design)
    chances = _expect_chances(design, panel)
    return np.asarray(np.einsum("gnp,g,n->p", chances, np.array([1 - design.second, design.second]), weights))


def expect_answers(design: Design, panel: Panel) -> Floats:
    """How likely an answer of the panel is right, by gold label and node of the ease; all answer as much."""
    return np.asarray(_expect_chances(design, panel).mean(axis=2))


def _expect_chances(design: Design, panel: Panel) -> Floats:
    """How likely each of the panel is right: gold labels × nodes of the ease × people."""
    ease, _ = list_ease(design)
    effects = np.stack([_add_effects(panel, np.arange(design.people), np.array(label)) for label in (0, 1)])
    return np.where(panel.spams, 0.5, squash_logits(effects[:, None, :] + ease[None, :, None]))


def compute_metrics(counts: Floats) -> Mapping[str, float]:
    """Every metric of label counts in one row."""
    row = tuple(counts.tolist())
    known = LabelCounts(right=row[:2], gold=row[2:4], answered=row[4:6], total=row[6])
    return {name: metric(known) for name, metric in METRICS.items()}


def _count_hits(chances: Floats, design: Design) -> dict[int, Floats]:
    """How likely r of k people of an item are right, by k: gold × nodes × (k + 1), over all sets of people."""
    states = np.zeros((*chances.shape[:2], design.votes + 1, design.votes + 1))
    states[:, :, 0, 0] = 1.0
    for person, odds in enumerate(design.weigh_people()):
        right = odds * chances[:, :, person, None, None]
        fewer = states[:, :, :-1].copy()
        states[:, :, 1:, 1:] += right * fewer[:, :, :, :-1]
        states[:, :, 1:] += (odds - right) * fewer
    return {
        size: states[:, :, size, : size + 1] / states[:, :, size].sum(axis=2, keepdims=True)
        for size in range(1, design.votes + 1)
    }


def _count_expected(gold: Floats, right: Floats, tied: Floats) -> Floats:
    """Label counts of one item, from the chances of a right answer and of a tie for each gold label."""
    hits = gold * (right + tied / 2)
    return np.array([*hits, *gold, *(hits + (gold - hits)[::-1]), 1.0])


def _add_effects(panel: Panel, people: NDArray[np.intp], truth: NDArray[np.intp]) -> Floats:
    return np.asarray(panel.skills[people] + np.where(truth == 1, 1.0, -1.0) * panel.biases[people])


def squash_logits(logits: Floats) -> Floats:
    """The chance of each logit."""
    return np.asarray(1 / (1 + np.exp(-logits)))
