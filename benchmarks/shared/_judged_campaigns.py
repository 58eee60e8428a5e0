"""Simulated judges beside people: agreement, the alternative test, corrected means, the length of texts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from _opinion_designs import FRESH, NODES, WEIGHTS, Held, OpinionDesign, name_codes, prefer
from _rated_campaigns import CENTRE, ITEM, NAMES, NOISE, PERSON, POINTS, expect_points, rate
from numpy.typing import NDArray
from scipy.special import expit

from aggregation.judges.agreement_difference import measure_difference
from aggregation.judges.alternative_annotator import compare_with_people
from aggregation.judges.corrected_means import estimate_corrected_share, estimate_powered_mean
from aggregation.judges.judged_votes import join_judge
from aggregation.judges.side_bias import measure_length_slope
from aggregation.schema import Codes, Floats, MeasurementLevel, Votes
from aggregation.sides import SIDES, TIE

LABELS = np.array(["a", "b", "c"], dtype=object)
EASE, SKILL, LEVEL, JUDGE = 1.0, 0.5, 1.4, 1.1  # in logits: how items and people vary; people's level and the judge's
SAMPLED = 200_000
N_OTHERS, OTHERS_SHARE, LABELLED_SHARE, SENSITIVITY, SPECIFICITY = 1000, 0.3, 0.5, 0.85, 0.8
RATIO, TIES, PEOPLE_SLOPE, JUDGE_SLOPE = 0.5, 0.3, 0.3, 1.0  # of two lengths' logarithms; what each side makes of them


def build_votes(
    design: OpinionDesign, items: Codes, people: Codes, answers: NDArray[np.object_], *,
    classes: tuple[str, ...], level: MeasurementLevel = "nominal",
) -> Votes:  # fmt: skip
    """The votes of a campaign."""
    ids, names = name_codes(np.arange(design.items)), name_codes(np.arange(design.people))
    frame = pd.DataFrame({"item": ids[items], "annotator": names[people], "answer": answers})
    of_items = {"group": name_codes(design.groups), "gold": None, "n_options": len(classes)}
    known = pd.DataFrame(of_items, index=pd.Index(ids, name="item"))
    return Votes(frame=frame, items=known, classes=classes, measurement_level=level)


def _choose(rng: np.random.Generator, right: Codes, chance: Floats) -> Codes:
    """The right one of three labels with a chance, else one of the others."""
    wrong = (right + rng.integers(1, 3, chance.shape)) % 3
    return np.where(rng.random(chance.shape) < chance, right, wrong)


@cache
def find_true_agreement() -> float:
    """Judge–person less person–person agreement of all items and people."""
    person = expit(LEVEL + EASE * NODES[:, None] + SKILL * NODES[None, :]) @ WEIGHTS
    judge = expit(JUDGE + EASE * NODES)
    return float(WEIGHTS @ (judge * person + (1 - judge) * (1 - person) / 2 - person**2 - (1 - person) ** 2 / 2))


@cache
def find_true_advantage(votes: int) -> float:
    """How often the judge is as near to the other people of an item as one of them, or nearer."""
    rng = np.random.default_rng(votes)
    ease = EASE * rng.standard_normal((SAMPLED, 1))
    right = np.zeros((SAMPLED, 1), dtype=np.intp)
    people = _choose(rng, right, expit(LEVEL + ease + SKILL * rng.standard_normal((SAMPLED, votes))))
    judge = _choose(rng, right, expit(JUDGE + ease))
    own, others = people[:, :1], people[:, 1:]
    return float(np.mean((others == judge).sum(axis=1) >= (others == own).sum(axis=1)))


def hold_judge(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """The agreement difference of a judge, and the mean advantage over people."""
    items, people = design.assign(rng)
    ease = EASE * design.draw_items(rng)[:, 0]
    right = rng.integers(0, 3, design.items)
    said = _choose(rng, right[items], expit(LEVEL + ease[items] + SKILL * rng.standard_normal(design.people)[people]))
    told = _choose(rng, right, expit(JUDGE + ease))
    votes = build_votes(design, items, people, LABELS[said], classes=("a", "b", "c"))
    judged = join_judge(votes, dict(zip(name_codes(np.arange(design.items)), LABELS[told], strict=True)))
    assert judged is not None
    difference = measure_difference(judged).intervals.fresh_panel
    found = {("agreement difference", FRESH): (difference.low, difference.high, find_true_agreement())}
    advantage = compare_with_people(judged).intervals
    if advantage is not None and design.votes > 2:
        ends = advantage.fresh_panel
        found["advantage", FRESH] = ends.low, ends.high, find_true_advantage(design.votes)
    return found


def hold_powered_mean(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """The mean rating of all items that a judge scored, of which people rated a random part."""
    items, people = design.assign(rng)
    opinion = CENTRE + ITEM * np.concatenate([design.draw_items(rng)[:, 0], rng.standard_normal(N_OTHERS)])
    seen = opinion[items] + PERSON * rng.standard_normal(design.people)[people]
    places = rate(seen + NOISE * rng.standard_normal(len(items)))
    told = rate(opinion + 0.3 + 0.5 * rng.standard_normal(len(opinion)))
    points = np.array(NAMES, dtype=object)
    votes = build_votes(design, items, people, points[places], classes=NAMES, level="interval")
    judge = dict(zip(name_codes(np.arange(design.items)), points[told], strict=False))
    judged = join_judge(votes, judge, fewest_votes=1)
    assert judged is not None
    made = estimate_powered_mean(judged, judged.values, judged.judge, POINTS[told[design.items :]])
    true = float(expect_points(CENTRE, (ITEM**2 + PERSON**2 + NOISE**2) ** 0.5))
    return {("prediction-powered mean", FRESH): (made.fresh_panel.low, made.fresh_panel.high, true)}


def hold_corrected_share(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """The share of a class among other items than people's, where the judge errs alike on both."""
    items, people = design.assign(rng)
    of_class = rng.random(design.items + N_OTHERS) < np.repeat([LABELLED_SHARE, OTHERS_SHARE], [design.items, N_OTHERS])
    is_told = rng.random(len(of_class)) < np.where(of_class, SENSITIVITY, 1 - SPECIFICITY)
    names = np.array(["no", "yes"], dtype=object)
    votes = build_votes(design, items, people, names[of_class[items].astype(int)], classes=("no", "yes"))
    judge = dict(zip(name_codes(np.arange(design.items)), names[is_told.astype(int)], strict=False))
    judged = join_judge(votes, judge, fewest_votes=1)
    assert judged is not None
    values, told = (judged.answers == "yes").astype(np.float64), (judged.told == "yes").astype(np.float64)
    made = estimate_corrected_share(judged, values, told, is_told[design.items :].astype(np.float64))
    return {("Rogan–Gladen share", FRESH): (made.fresh_panel.low, made.fresh_panel.high, OTHERS_SHARE)}


@cache
def find_true_slope() -> float:
    """The slope of the judge's less people's expected choice on the log ratio of lengths."""
    ratios = RATIO * NODES
    people = prefer(PEOPLE_SLOPE * ratios, (ITEM**2 + PERSON**2 + NOISE**2) ** 0.5, TIES)
    judge = prefer(JUDGE_SLOPE * ratios, (ITEM**2 + NOISE**2) ** 0.5, TIES)
    return float(WEIGHTS @ (ratios * (judge - people)) / RATIO**2)


def hold_length_slope(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """How much more than people a judge chooses the longer text."""
    items, people = design.assign(rng)
    effects = design.draw_items(rng, width=2)
    ratios, opinion = RATIO * effects[:, 0], ITEM * effects[:, 1]
    seen = PEOPLE_SLOPE * ratios[items] + opinion[items] + PERSON * rng.standard_normal(design.people)[people]
    said = _decide(seen + NOISE * rng.standard_normal(len(items)))
    told = _decide(JUDGE_SLOPE * ratios + opinion + NOISE * rng.standard_normal(design.items))
    ids = name_codes(np.arange(design.items))
    lengths = {item: (round(10_000 * float(np.exp(ratio))), 10_000) for item, ratio in zip(ids, ratios, strict=True)}
    votes = build_votes(design, items, people, said, classes=(*SIDES[:2], TIE))
    made = measure_length_slope(votes, dict(zip(ids, told, strict=True)), lengths)
    assert made is not None
    ends = made.intervals.fresh_panel
    return {("length slope", FRESH): (ends.low, ends.high, find_true_slope())}


def _decide(seen: Floats) -> NDArray[np.object_]:
    answers = np.array([SIDES[1], TIE, SIDES[0]], dtype=object)
    return np.asarray(answers[np.searchsorted([-TIES, TIES], seen)])
