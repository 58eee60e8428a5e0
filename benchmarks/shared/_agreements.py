"""Simulated answers whose agreement is known in closed form, for these people and for new ones.

People answer by chance, each with a skill and a leaning of their own; items have one of many types (a right answer
and a difficulty, or a place on a scale), each of which has a table of chances. Given the type, people answer
independently, so the expected pairs of answers of these people, and of two new people, are sums of products of their
chances.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from aggregation.agreement.table import Coefficient
from aggregation.answer_types import compute_agreement
from aggregation.answer_types.boxes import DISTANCES
from aggregation.answers import Answers
from aggregation.schema import Codes, Floats, Votes

Kind = Literal["label", "scale", "boxes", "span", "text"]
N_DIFFICULTIES, N_PLACES, N_POINTS, N_PARTS = 25, 101, 5, 4
PANELS, PANEL_SIZE = 40, 250  # people who stand for all people
ASSIGNED = 20_000  # items of which it is counted who meets whom, if people take unequal shares of them
WORDS = ("один", "два", "три", "чотири")
TEXTS = ("рудий лис біжить", "рудий лис біжить швидко", "рудий пес біжить", "сіра мишка спить")
BOXES = ("a", "b", "c", "d")


@dataclass(frozen=True, kw_only=True)
class AgreementDesign:
    """A design: how many people answer how many items, `votes` of them each item, and how they differ.

    `level` is the mean skill in logits, `people_sd` and `leaning_sd` are the spread of people's skills and leanings.
    `shares` are those of the right answers. `group_size` items share their type. The k-th person is offered an item in
    proportion to k to the power of -`loads`.
    """

    name: str
    people: int
    items: int
    votes: int
    kind: Kind = "label"
    level: float = 1.5
    people_sd: float = 0.5
    leaning_sd: float = 0.4
    items_sd: float = 1.0
    shares: tuple[float, ...] = (0.5, 0.3, 0.2)
    group_size: int = 1
    loads: float = 0.0
    campaigns: int = 1200

    @cached_property
    def types(self) -> Floats:
        """The share of each type of item."""
        if self.kind in ("label", "text"):
            return np.repeat(np.array(self.shares) / N_DIFFICULTIES, N_DIFFICULTIES)
        return np.full(N_PLACES, 1 / N_PLACES)

    def assign(self, rng: np.random.Generator, n_items: int) -> Codes:
        """Who answers each item: items × votes."""
        offers = np.arange(1, self.people + 1) ** -self.loads
        return np.asarray((rng.exponential(size=(n_items, self.people)) / offers).argsort(axis=1)[:, : self.votes])

    @cached_property
    def pair_weights(self) -> Floats:
        """How often each two people meet on an item, as shares of all pairs: people × people."""
        met = 1 - np.eye(self.people)
        if self.loads:
            who = self.assign(np.random.default_rng(0), ASSIGNED)
            present = np.zeros((ASSIGNED, self.people))
            np.put_along_axis(present, who, 1.0, axis=1)
            met = met * (present.T @ present)
        return np.asarray(met / met.sum())

    def draw_people(self, rng: np.random.Generator, n: int) -> Floats:
        """The chances of each answer: people × types × answers."""
        skill = self.level + self.people_sd * rng.standard_normal(n)
        leaning = self.leaning_sd * rng.standard_normal(n)
        if self.kind == "scale":
            return _answer_on_scale(skill, leaning)
        if self.kind in ("boxes", "span"):
            return _mark_parts(skill, leaning, self.items_sd)
        return self._choose(skill, leaning)

    def _choose(self, skill: Floats, leaning: Floats) -> Floats:
        """Multinomial logits: the right answer has the skill less the difficulty, others lean to the second answer."""
        n_answers = len(self.shares)
        difficulty = self.items_sd * ndtri((np.arange(N_DIFFICULTIES) + 0.5) / N_DIFFICULTIES)
        logits = np.zeros((len(skill), n_answers, N_DIFFICULTIES, n_answers))
        logits[..., 1] += leaning[:, None, None]
        for right in range(n_answers):
            logits[:, right, :, right] += skill[:, None] - difficulty + np.log(max(n_answers - 1, 1))
        chances = np.exp(logits)
        return np.asarray((chances / chances.sum(axis=-1, keepdims=True)).reshape(len(skill), -1, n_answers))


def _answer_on_scale(skill: Floats, leaning: Floats) -> Floats:
    """Five points: the item's place, moved by the person's leaning and noise, between equally likely thresholds."""
    cuts, places = ndtri(np.arange(1, N_POINTS) / N_POINTS), ndtri((np.arange(N_PLACES) + 0.5) / N_PLACES)
    noise = np.exp(-skill / 2)[:, None, None]
    below = ndtr((cuts - places[None, :, None] - leaning[:, None, None]) / noise)
    edges = np.concatenate([np.zeros((*below.shape[:2], 1)), below, np.ones((*below.shape[:2], 1))], axis=2)
    return np.asarray(np.diff(edges, axis=2))


def _mark_parts(skill: Floats, leaning: Floats, items_sd: float) -> Floats:
    """Sets of four parts, each marked by itself: the first two where the place is high, the others where it is low."""
    places = items_sd * ndtri((np.arange(N_PLACES) + 0.5) / N_PLACES)
    signs = np.array([1.0, 1.0, -1.0, -1.0])
    logit = skill[:, None, None] * (signs * places[:, None]) + leaning[:, None, None] - 0.3
    marked = 1 / (1 + np.exp(-logit))
    has = list_sets()
    return np.asarray(np.prod(np.where(has[None, None], marked[:, :, None], 1 - marked[:, :, None]), axis=3))


def list_sets() -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """All sets of the four parts: sets × parts."""
    return np.asarray((np.arange(2**N_PARTS)[:, None] >> np.arange(N_PARTS)) % 2 == 1)


def simulate_agreement(rng: np.random.Generator, design: AgreementDesign) -> tuple[Mapping[str, Coefficient], Floats]:
    """The coefficients of a campaign by name, and the chances of its people."""
    chances = design.draw_people(rng, design.people)
    n_groups = -(-design.items // design.group_size)
    types = rng.choice(len(design.types), n_groups, p=design.types).repeat(design.group_size)[: design.items]
    who = design.assign(rng, design.items)
    passed = chances[who, types[:, None]].cumsum(axis=2) < rng.random(who.shape)[:, :, None]
    said = np.minimum(passed.sum(axis=2), chances.shape[2] - 1)
    rows = compute_agreement(_build_answers(design, who, said), n_resamples=2).rows
    return {row.name: row for row in reversed(rows) if not row.of}, chances


def _build_answers(design: AgreementDesign, who: Codes, said: Codes) -> Answers:
    ids = np.array([f"i{number:04}" for number in range(design.items)], dtype=object)
    names = np.array([f"p{number:03}" for number in range(design.people)], dtype=object)
    answers = np.array(_list_answers(design), dtype=object)
    frame = pd.DataFrame(
        {"item": ids.repeat(who.shape[1]), "annotator": names[who.ravel()], "answer": answers[said.ravel()]}
    )
    groups = np.array([f"g{number // design.group_size:04}" for number in range(design.items)], dtype=object)
    is_label = design.kind in ("label", "scale")
    votes = Votes(
        frame=frame,
        items=pd.DataFrame(
            {"group": groups, "gold": None, "n_options": max(2, len(answers))}, index=pd.Index(ids, dtype=object)
        ),
        classes=tuple(answers) if is_label else None,
        measurement_level="ordinal" if design.kind == "scale" else "nominal",
    )
    return Answers(
        kind="label" if design.kind == "scale" else design.kind,
        votes=votes,
        boxes=BOXES if design.kind == "boxes" else None,
        texts=dict.fromkeys(map(str, ids), " ".join(WORDS)) if design.kind == "span" else {},
    )


def _list_answers(design: AgreementDesign) -> list[str]:
    """What each code of an answer is, as it is stored."""
    if design.kind == "text":
        return list(TEXTS[: len(design.shares)])
    if design.kind == "boxes":
        return [json.dumps([box for box, has in zip(BOXES, row, strict=True) if has]) for row in list_sets()]
    if design.kind == "span":
        starts = [len(" ".join((*WORDS[:number], ""))) for number in range(N_PARTS)]
        parts = [{"start": start, "end": start + len(word)} for start, word in zip(starts, WORDS, strict=True)]
        return [json.dumps([part for part, has in zip(parts, row, strict=True) if has]) for row in list_sets()]
    return [str(number) for number in range(N_POINTS if design.kind == "scale" else len(design.shares))]


def find_own_agreement(design: AgreementDesign, chances: Floats) -> dict[str, float]:
    """The coefficients of these people on infinitely many items."""
    others = np.einsum("jk,kqd->jqd", design.pair_weights, chances, optimize=True)
    weighted = chances * design.types[:, None]
    return compute_coefficients(design, np.einsum("jqc,jqd->cd", weighted, others, optimize=True))


def find_new_agreement(design: AgreementDesign, rng: np.random.Generator) -> dict[str, float]:
    """The coefficients of new people on infinitely many items."""
    means = [design.draw_people(rng, PANEL_SIZE).mean(axis=0) for _ in range(PANELS)]
    mean = np.mean(means, axis=0)
    return compute_coefficients(design, np.einsum("q,qc,qd->cd", design.types, mean, mean))


def compute_coefficients(design: AgreementDesign, pairs: Floats) -> dict[str, float]:
    """The coefficients from the shares of all pairs of answers (answers × answers, of the sum 1)."""
    shares = pairs.sum(axis=1)
    n_answers, equal = len(shares), float(np.trace(pairs))
    by_chance = np.outer(shares, shares)

    def compute_alpha(distances: Floats) -> float:
        return float(1 - (pairs * distances).sum() / (by_chance * distances).sum())

    def compute_gwet(weights: Floats) -> float:
        chance = weights.sum() * (shares * (1 - shares)).sum() / (n_answers * (n_answers - 1))
        return float(1 - (1 - (pairs * weights).sum()) / (1 - chance))

    nominal = 1 - np.eye(n_answers)
    if design.kind in ("label", "scale"):
        found = {"percent_agreement": equal, "krippendorff_alpha_nominal": compute_alpha(nominal)}
        found |= {"gwet_ac1": compute_gwet(np.eye(n_answers))}
        if design.kind == "scale":
            ranks = np.cumsum(shares) - shares / 2
            steps = np.abs(np.subtract.outer(np.arange(n_answers), np.arange(n_answers))) / (n_answers - 1)
            found["krippendorff_alpha_ordinal"] = compute_alpha(np.subtract.outer(ranks, ranks) ** 2)
            found |= {"gwet_ac2_linear": compute_gwet(1 - steps), "gwet_ac2_quadratic": compute_gwet(1 - steps**2)}
        return found
    if design.kind == "boxes":
        sets = list_sets()
        tables = {name: np.array([[measure(a, b) for b in sets] for a in sets]) for name, measure in DISTANCES.items()}
        return {"exact_sets": equal, **{name: compute_alpha(table) for name, table in tables.items()}}
    return {name: float((pairs * table).sum()) for name, table in _compare_answers(design).items()}


@cache
def _compare_answers(design: AgreementDesign) -> dict[str, Floats]:
    """How similar each two answers are, as the coefficients of one item of two answers have it."""
    answers = _list_answers(design)
    names = ("span_f1_token", "span_f1_char") if design.kind == "span" else ("exact_match", "mean_cer", "mean_chrf")
    tables: dict[str, Floats] = {name: np.ones((len(answers), len(answers))) for name in names}
    for first in range(len(answers)):
        for second in range(len(answers)):
            built = _build_answers(
                AgreementDesign(name="", people=2, items=1, votes=2, kind=design.kind, shares=design.shares),
                np.array([[0, 1]]),
                np.array([[first, second]]),
            )
            rows = {row.name: row.value for row in compute_agreement(built, n_resamples=2).rows}
            for name in names:
                tables[name][first, second] = rows[name]
    return tables
