"""Simulated campaigns for intervals that are neither of scores nor of agreement: what is published, and the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from _panels import (
    Design,
    Panel,
    compute_metrics,
    draw_answers,
    draw_panel,
    draw_votes,
    expect_answers,
    expect_counts,
    list_ease,
    squash_logits,
)
from _refitted_panels import fit_posteriors
from scipy import stats

from aggregation.agreement.item_columns import build_item_columns
from aggregation.agreement.people import estimate_mean_posterior
from aggregation.answers import Answers
from aggregation.comparison.order_effects import ANSWERS, estimate_order_slope
from aggregation.comparison.scored_units import ScoredUnit, sum_scored_units
from aggregation.comparison.soft_labels import CROSS_ENTROPY, score_distributions
from aggregation.comparison.task_means import ScoredTask, estimate_task_mean
from aggregation.consensus.methods import build_label_consensus
from aggregation.intervals.resampling import Resampling, percentile_interval
from aggregation.intervals.shares import share_interval
from aggregation.schema import Floats, Votes

THIS, FRESH = "this panel", "a fresh panel"
REPEATS = 15  # further campaigns of the same people, whose mean is what a mean posterior is held against
Held = Mapping[str, tuple[float | None, float | None, float]]
"""Of one campaign the ends of each interval and what it is to cover, by population."""


def hold_cross_entropy(rng: np.random.Generator, design: Design) -> Held:
    """A model that is surer of items that are easier, held against its losses on votes of these and of other people."""
    panel = draw_panel(rng, design)
    drawn = draw_answers(rng, design, panel)
    sure = _predict(design, drawn.ease)
    right = dict(zip(design.item_ids, zip(drawn.truth.tolist(), sure.tolist(), strict=True), strict=True))
    predicted = {item: {"xy"[truth]: chance, "yx"[truth]: 1 - chance} for item, (truth, chance) in right.items()}
    made = score_distributions(drawn.build_votes(design), predicted, model="model")
    row = next(one for one in made if one.metric == CROSS_ENTROPY)
    return {
        THIS: (row.item_only_low, row.item_only_high, _expect_loss(design, panel)),
        FRESH: (row.ci_low, row.ci_high, _expect_loss(design, draw_panel(rng, design))),
    }


def _predict(design: Design, ease: Floats) -> Floats:
    return squash_logits(0.5 * design.level + 0.8 * (ease - design.level))


def _expect_loss(design: Design, panel: Panel) -> float:
    """The expected bits of a vote of these people."""
    ease, weights = list_ease(design)
    sure, chances = _predict(design, ease), expect_answers(design, panel)
    losses = -(chances * np.log2(sure) + (1 - chances) * np.log2(1 - sure))
    return float(np.array([1 - design.second, design.second]) @ losses @ weights)


def hold_independent(rng: np.random.Generator, design: Design) -> Held:
    """The interval of all answers as if each was independent, held against what these and other people score."""
    panel, others = draw_panel(rng, design), draw_panel(rng, design)
    is_right = draw_answers(rng, design, panel).is_right
    made = share_interval(float(is_right.sum()), is_right.size)
    own, fresh = (
        compute_metrics(expect_counts(design, people)["individual"])["accuracy"] for people in (panel, others)
    )
    return {THIS: (made.low, made.high, own), FRESH: (made.low, made.high, fresh)}


def cover_shares(n: int, least: float, most: float) -> float:
    """How often the interval of a share of n independent answers covers, exactly, averaged over shares."""
    right = np.arange(n + 1)
    ends = [share_interval(float(one), n) for one in right]
    low, high = (np.array([getattr(end, side) for end in ends]) for side in ("low", "high"))
    shares = np.linspace(least, most, 201)[:, None]
    return float((stats.binom.pmf(right, n, shares) * ((low <= shares) & (shares <= high))).sum(axis=1).mean())


@dataclass(frozen=True, kw_only=True)
class SessionDesign:
    """People who answer the same items one after the other, each with an order of their own or all with one."""

    people: int
    items: int
    decline: float  # of the chance of a right answer from one answer to the next
    is_own_order: bool

    @property
    def name(self) -> str:
        """What the design is, in words."""
        order = "own orders" if self.is_own_order else "one order"
        return f"{self.people} people, {self.items} items, {'a decline' if self.decline else 'no decline'}, {order}"


def hold_slope(rng: np.random.Generator, design: SessionDesign) -> Held:
    """The slope of right answers over places in a session, which people and items vary."""
    orders = np.stack([rng.permutation(design.items) for _ in range(design.people)])
    orders = orders if design.is_own_order else np.tile(orders[0], (design.people, 1))
    places = np.arange(1, design.items + 1)
    decline = design.decline * (1 + 0.5 * rng.standard_normal(design.people))
    chance = 0.8 + rng.uniform(-0.1, 0.1, (design.people, 1)) + rng.uniform(-0.1, 0.1, design.items)[orders]
    right = rng.random(chance.shape) < chance - decline[:, None] * places
    answers = pd.DataFrame(
        {
            "item": orders.ravel().astype(str),
            "annotator": np.repeat(np.arange(design.people), design.items).astype(str),
            "place": np.tile(places, design.people),
            "right": right.ravel().astype(float),
        }
    )
    made = estimate_order_slope(answers)
    return {FRESH: (made.low, made.high, -ANSWERS * design.decline)}


@dataclass(frozen=True, kw_only=True)
class ProgrammeDesign:
    """Tasks that the same people answer: `votes` answers an item, scored by this unit."""

    people: int
    votes: int
    unit: ScoredUnit
    tasks: int = 3
    items: int = 60

    @property
    def name(self) -> str:
        """What the design is, in words."""
        scored = "single answers" if self.unit == "individual" else "majorities"
        return f"{self.people} people, {self.tasks} tasks, {self.items} x {self.votes}, {scored}"


SKILL, EASE, ACCURACY = 0.18, 0.07, 0.75  # half the widths of the uniform laws, and their centre


def hold_task_mean(rng: np.random.Generator, design: ProgrammeDesign) -> Held:
    """The mean over the tasks of a programme; a skilled person is skilled in all of them."""
    skills = rng.uniform(-SKILL, SKILL, design.people)
    made = estimate_task_mean([_build_task(rng, design, skills, number) for number in range(design.tasks)])
    own, fresh = _expect_task(design, skills), _expect_task(design, np.zeros(design.people))
    return {
        THIS: (made.this_panel.low, made.this_panel.high, own),
        FRESH: (made.fresh_panel.low, made.fresh_panel.high, fresh),
    }


def _build_task(rng: np.random.Generator, design: ProgrammeDesign, skills: Floats, number: int) -> ScoredTask:
    who = rng.random((design.items, design.people)).argsort(axis=1)[:, : design.votes]
    is_right = rng.random(who.shape) < ACCURACY + skills[who] + rng.uniform(-EASE, EASE, (design.items, 1))
    gold = np.arange(design.items) % 2
    said = np.where(is_right, gold[:, None], 1 - gold[:, None])
    ids = np.array([f"t{number}i{item:03}" for item in range(design.items)], dtype=object)
    labels = np.array(["x", "y"], dtype=object)
    names = np.array([f"p{person:03}" for person in range(design.people)], dtype=object)
    frame = pd.DataFrame(
        {"item": ids.repeat(design.votes), "annotator": names[who.ravel()], "answer": labels[said.ravel()]}
    )
    items = pd.DataFrame({"group": ids, "gold": labels[gold], "n_options": 2}, index=pd.Index(ids, dtype=object))
    votes = Votes(frame=frame.astype(object), items=items, classes=("x", "y"))
    scored = sum_scored_units(Answers(kind="label", votes=votes), None)
    measure, metric = scored.measure(design.unit), scored.metrics[scored.primary]
    return ScoredTask(
        name=f"t{number}",
        metrics=(metric,),
        contributions=measure.contributions,
        annotators=[str(one) for one in measure.people],
        share=metric,
    )


def _expect_task(design: ProgrammeDesign, skills: Floats) -> float:
    """What these people score in the long run; the majority of three different ones has 3 E(pq) - 2 E(pqr)."""
    ease = EASE * (2 * (np.arange(50) + 0.5) / 50 - 1)
    chances = ACCURACY + skills[None, :] + ease[:, None]
    if design.unit == "individual":
        return float(chances.mean())
    n = design.people
    one, two, three = (np.asarray((chances**power).sum(axis=1)) for power in (1, 2, 3))
    pairs = (one**2 - two) / (n * (n - 1))
    triples = (one**3 - 3 * one * two + 2 * three) / (n * (n - 1) * (n - 2))
    return float((3 * pairs - 2 * triples).mean())


def hold_story_mean(rng: np.random.Generator, n_stories: int) -> Held:
    """The mean over stories of a skewed number (chi-squared with three degrees of freedom), resampled."""
    return _hold_story_ratio(np.ones(n_stories), rng.chisquare(3, n_stories), true=3.0)


def hold_pooled_changes(rng: np.random.Generator, n_stories: int) -> Held:
    """The share of words changed in all stories together, of 50 to 600 words; a tenth is changed on average."""
    words = np.exp(rng.normal(np.log(200), 0.5, n_stories)).clip(50, 600).round()
    changed = rng.binomial(words.astype(np.int64), rng.beta(1.5, 13.5, n_stories)).astype(np.float64)
    return _hold_story_ratio(words, changed, true=0.1)


def _hold_story_ratio(denominators: Floats, numerators: Floats, *, true: float) -> Held:
    n_stories = len(denominators)
    ids = [str(number) for number in range(n_stories)]
    columns = np.column_stack([denominators, numerators])
    stories = build_item_columns(
        columns, groups=pd.Series(ids, index=ids, dtype=object), n_votes=n_stories, n_annotators=1
    )
    sums = stories.resample(Resampling(n_resamples=1000, seed=0))
    if sums is None:
        return {THIS: (None, None, true)}
    made = percentile_interval(sums[:, 1] / sums[:, 0], confidence_level=0.95, n_groups=n_stories)
    return {THIS: (made.low, made.high, true)}


def hold_mean_posterior(rng: np.random.Generator, design: Design) -> Held:
    """The mean posterior of Dawid-Skene's labels, held against that of further campaigns of the same people."""
    panel = draw_panel(rng, design)
    votes = draw_votes(rng, design, panel)
    made = estimate_mean_posterior(build_label_consensus(votes, method="dawid_skene", ties="first"), votes)
    further = [fit_posteriors(draw_votes(rng, design, panel)).max(axis=1).mean() for _ in range(REPEATS)]
    return {THIS: (made.low, made.high, float(np.mean(further)))}
