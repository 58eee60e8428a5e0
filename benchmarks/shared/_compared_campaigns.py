"""Simulated preferences: of two texts by a normal law with ties, of several systems by Davidson's."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from _opinion_designs import FRESH, NODES, THIS, WEIGHTS, Held, OpinionDesign, name_codes, prefer

from aggregation.preferences.comparisons import Comparisons
from aggregation.preferences.places import rank_comparisons
from aggregation.preferences.positions import measure_positions
from aggregation.preferences.results import REPEAT_COLUMNS
from aggregation.preferences.strengths import Counts, Model, fit_strengths, predict_outcomes
from aggregation.preferences.win_rates import measure_pairs
from aggregation.schema import Codes, Floats

ITEM, PERSON, NOISE = 0.6, 0.3, 0.75
CUT, BIAS, OWN_BIAS = (
    0.25,
    0.1,
    0.1,
)  # half the width of a tie; how far the left side leads, and its spread among people
TIE_WEIGHT = 0.6
OF_ITEMS, OF_PEOPLE = 0.5, 0.35  # how strengths vary with items, and with people
STRENGTHS = (0.7, 0.2, -0.2, -0.7)
FAR_APART = (2.4, 0.8, -0.8, -2.4)
NO_REPEATS = pd.DataFrame({name: pd.Series(dtype=object) for name in REPEAT_COLUMNS})
MODELS: tuple[Model, ...] = ("bradley_terry", "davidson")


def build_comparisons(
    design: OpinionDesign, items: Codes, people: Codes, *, systems: tuple[str, ...], pairs: Codes, outcome: Floats,
    left: Floats,
) -> Comparisons:  # fmt: skip
    """The comparisons of a campaign; `pairs` are the two systems of each vote."""
    _, groups = np.unique(design.groups[items], return_inverse=True)
    return Comparisons(
        systems=systems,
        one=pairs[:, 0],
        two=pairs[:, 1],
        outcome=outcome,
        both_bad=np.zeros(len(items), dtype=bool),
        left=left,
        items=items,
        groups=groups,
        people=people,
        person_ids=name_codes(np.arange(design.people)),
        answers=np.arange(len(items)),
        knows_items=True,
        knows_people=True,
        n_same=0,
        n_nameless=0,
    )


def hold_win_rate(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """The win rate of two systems, and the share of what was shown on the left."""
    lead = 1.4 if "w .9" in design.note else 0.15
    cut = 0.7 if "half ties" in design.note else CUT
    items, people = design.assign(rng)
    own, side = PERSON * rng.standard_normal(design.people), OWN_BIAS * rng.standard_normal(design.people)
    left = rng.integers(0, 2, len(items)).astype(np.float64)
    seen = lead + ITEM * design.draw_items(rng)[:, 0][items] + own[people] + (BIAS + side[people]) * (2 * left - 1)
    seen = seen + NOISE * rng.standard_normal(len(items))
    outcome = np.where(seen > cut, 1.0, np.where(seen < -cut, 0.0, 0.5))
    comparisons = build_comparisons(
        design, items, people, systems=("a", "b"), pairs=np.tile([0, 1], (len(items), 1)), outcome=outcome, left=left
    )
    pair = measure_pairs(comparisons)[0].estimate
    sides = measure_positions(comparisons, NO_REPEATS, n_sides=2)[0].estimate
    of_panel, of_all = (ITEM**2 + NOISE**2) ** 0.5, (ITEM**2 + NOISE**2 + PERSON**2 + OWN_BIAS**2) ** 0.5

    def expect(mean: Floats | float, bias: Floats | float, sd: float) -> tuple[float, float]:
        """The win rate and the share left, either side as often."""
        first, second = prefer(mean + bias, sd, cut), prefer(mean - bias, sd, cut)
        return float(np.mean(first + second) / 2), float(np.mean(first + 1 - second) / 2)

    panel = expect(lead + own[people], BIAS + side[people], of_panel)
    fresh = expect(lead, BIAS, of_all)
    found: dict[tuple[str, str], tuple[float | None, float | None, float]] = {}
    for place, (name, row) in enumerate((("win rate", pair), ("share left", sides))):
        found[name, THIS] = row.item_only_low, row.item_only_high, panel[place]
        found[name, FRESH] = row.ci_low, row.ci_high, fresh[place]
    return found


@cache
def find_true_strengths(strengths: tuple[float, ...], model: Model) -> Floats:
    """What the model says of all items and people, each pair as often."""
    n = len(strengths)
    spread = (2 * (OF_ITEMS**2 + OF_PEOPLE**2)) ** 0.5
    wins, ties = np.zeros((n, n)), np.zeros((n, n))
    for one in range(n):
        for two in range(n):
            if one != two:
                win, tie = predict_outcomes(strengths[one] - strengths[two] + spread * NODES, TIE_WEIGHT)
                wins[one, two], ties[one, two] = WEIGHTS @ win, WEIGHTS @ tie
    return fit_strengths(Counts(wins=wins, ties=ties), tuple("abcdef"[:n]), model).strengths


def hold_strengths(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """The strength of each system under both models, and whether all places are within theirs."""
    strengths = np.zeros(len(STRENGTHS)) if "equal" in design.note else np.array(STRENGTHS)
    strengths = np.array(FAR_APART) if "far apart" in design.note else strengths
    n = len(strengths)
    items, people = design.assign(rng)
    every = np.array([(one, two) for one in range(n) for two in range(one + 1, n)])
    pairs = every[rng.permutation(np.arange(design.items) % len(every))][items]
    seen = strengths + OF_ITEMS * design.draw_items(rng, width=n)[items]
    seen = seen + OF_PEOPLE * rng.standard_normal((design.people, n))[people]
    rows = np.arange(len(items))
    win, tie = predict_outcomes(seen[rows, pairs[:, 0]] - seen[rows, pairs[:, 1]], TIE_WEIGHT)
    drawn = rng.random(len(items))
    outcome = np.where(drawn < win, 1.0, np.where(drawn < win + tie, 0.5, 0.0))
    comparisons = build_comparisons(
        design, items, people, systems=tuple("abcdef"[:n]), pairs=pairs, outcome=outcome,
        left=np.full(len(items), np.nan),
    )  # fmt: skip
    found: dict[tuple[str, str], tuple[float | None, float | None, float]] = {}
    for model in MODELS:
        true = np.round(find_true_strengths(tuple(strengths.tolist()), model), 6)
        ranked = {row.system: row for row in rank_comparisons(comparisons, model=model).systems}
        for code, system in enumerate("abcdef"[:n]):
            row = ranked[system].strength
            found[f"{model} {system}", FRESH] = row.ci_low, row.ci_high, float(true[code])
        low, high = zip(*((row.place_low, row.place_high) for row in ranked.values()), strict=True)
        places = [1 + sum(true > true["abcdef".index(system)]) for system in ranked]
        if None in low:
            found[f"{model} places", FRESH] = None, None, 0.0
            continue
        holds = all(start <= place <= end for start, place, end in zip(low, places, high, strict=True))
        found[f"{model} places", FRESH] = 0.0, 1.0 if holds else 0.5, 1.0
    return found
