"""Simulated answers whose agreement is known in closed form, for these people and for new ones.

People answer by chance, each with a skill and a leaning of their own; items have one of many types (a right answer
and a difficulty, or a place on a scale), each of which has a table of chances. Given the type, people answer
independently, so the expected pairs of answers of these people, and of two new people, are sums of products of their
chances.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from aggregation.agreement.breakdowns import break_down_by_annotator, break_down_by_label
from aggregation.agreement.people import estimate_class_confidence
from aggregation.agreement.table import Coefficient
from aggregation.answer_types import compute_agreement
from aggregation.answer_types.boxes import BOX_COEFFICIENTS, DISTANCES, EVERY_BOX
from aggregation.answers import Answers, AnswerTypeName
from aggregation.schema import Codes, Floats, Votes

Kind = Literal["label", "options", "scale", "boxes", "span", "text"]
TYPES: Mapping[Kind, AnswerTypeName] = {
    "label": "label", "options": "label", "scale": "label", "boxes": "boxes", "span": "span", "text": "text"
}  # fmt: skip
N_DIFFICULTIES, N_PLACES, N_POINTS, N_PARTS = 25, 101, 5, 4
PANELS, PANEL_SIZE = 40, 250  # people who stand for all people
ASSIGNED = 20_000  # items of which it is counted who meets whom, if people take unequal shares of them
RESAMPLES = 1000  # as many as the product draws
OPTIONS = (3, 5)  # how many an item has if they differ, by turns
WORDS = ("один", "два", "три", "чотири")
TEXTS = ("рудий лис біжить", "рудий лис біжить швидко", "рудий пес біжить", "сіра мишка спить")
BOXES = ("a", "b", "c", "d")


@dataclass(frozen=True, kw_only=True)
class AgreementDesign:
    """A design: how many people answer how many items, `votes` of them each item, and how they differ.

    `level` is the mean skill in logits, `people_sd` and `leaning_sd` are the spread of people's skills and leanings.
    `shares` are those of the right answers. `group_size` items share their type. The k-th person is offered an item in
    proportion to k to the power of -`loads`. `has_extras` says whether the coefficients that are resampled, or that
    change with the votes of an item, are measured too. `options` are labels that differ from item to item.
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
    has_extras: bool = False
    campaigns: int = 300

    @property
    def is_complete(self) -> bool:
        """Whether everybody answers every item."""
        return self.votes == self.people

    @cached_property
    def types(self) -> Floats:
        """The share of each type of item."""
        if self.kind in ("label", "options", "text"):
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
    """The coefficients of a campaign by name (and what they are of), and the chances of its people."""
    chances = design.draw_people(rng, design.people)
    types, who, said = draw_said(rng, design, chances)
    answers = _build_answers(design, who, said)
    rows = compute_agreement(answers, n_resamples=RESAMPLES if design.has_extras else 2).rows
    if design.has_extras and design.kind == "label":
        gold = pd.Series((types // N_DIFFICULTIES).astype(str), index=answers.votes.items.index, dtype=object)
        rows += break_down_by_label(answers.votes, n_resamples=RESAMPLES)
        rows += estimate_class_confidence(answers.votes, gold, n_resamples=RESAMPLES)
        rows += break_down_by_annotator(answers.votes, n_resamples=RESAMPLES) if design.is_complete else ()
    return {", ".join(filter(None, (row.name, row.of))): row for row in reversed(rows)}, chances


def draw_said(rng: np.random.Generator, design: AgreementDesign, chances: Floats) -> tuple[Codes, Codes, Codes]:
    """The type of each item, who answers it, and what they say (items × votes)."""
    n_groups = -(-design.items // design.group_size)
    types = rng.choice(len(design.types), n_groups, p=design.types).repeat(design.group_size)[: design.items]
    who = design.assign(rng, design.items)
    passed = chances[who, types[:, None]].cumsum(axis=2) < rng.random(who.shape)[:, :, None]
    return types, who, np.minimum(passed.sum(axis=2), chances.shape[2] - 1)


def _build_answers(design: AgreementDesign, who: Codes, said: Codes) -> Answers:
    ids = np.array([f"i{number:04}" for number in range(design.items)], dtype=object)
    names = np.array([f"p{number:03}" for number in range(design.people)], dtype=object)
    answers = np.array(_list_answers(design), dtype=object)
    frame = pd.DataFrame(
        {"item": ids.repeat(who.shape[1]), "annotator": names[who.ravel()], "answer": answers[said.ravel()]}
    )
    groups = np.array([f"g{number // design.group_size:04}" for number in range(design.items)], dtype=object)
    is_label = design.kind in ("label", "scale")
    n_options = np.resize(OPTIONS, design.items) if design.kind == "options" else max(2, len(answers))
    votes = Votes(
        frame=frame,
        items=pd.DataFrame({"group": groups, "gold": None, "n_options": n_options}, index=pd.Index(ids, dtype=object)),
        classes=tuple(answers) if is_label else None,
        measurement_level="ratio" if design.kind == "scale" else "nominal",
    )
    return Answers(
        kind=TYPES[design.kind],
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


def find_own_agreement(
    design: AgreementDesign, chances: Floats, rng: np.random.Generator | None = None
) -> dict[str, float]:
    """The coefficients of these people on infinitely many items; with `rng` those that are resampled, too."""
    others = np.einsum("jk,kqd->jqd", design.pair_weights, chances, optimize=True)
    weighted = chances * design.types[:, None]
    pairs = np.einsum("jqc,jqd->cd", weighted, others, optimize=True)
    found = compute_coefficients(design, pairs)
    if rng is None:
        return found
    _, _, said = draw_said(rng, replace(design, items=ASSIGNED), chances)
    found |= _share_items(design, said)
    return found | _break_down(design, chances, pairs) if design.kind == "label" else found


def _share_items(design: AgreementDesign, said: Codes) -> dict[str, float]:
    """The coefficients that change with the votes of an item, on many items."""
    votes = said.shape[1]
    if design.kind == "span":
        marked = list_sets()[said].sum(axis=1)
        return {"span_majority": float((2 * marked.max(axis=1) > votes).mean())}
    given = np.stack([(said == answer).sum(axis=1) for answer in range(int(said.max()) + 1)], axis=1)
    most, n_most = given.max(axis=1), (given == given.max(axis=1, keepdims=True)).sum(axis=1)
    if design.kind == "text":
        return {"plurality_share": float((most / votes).mean())}
    shares = {"all_agree": most == votes, "strict_majority": 2 * most > votes, "unique_plurality": n_most == 1}
    return {name: float(share.mean()) for name, share in shares.items()}


def _break_down(design: AgreementDesign, chances: Floats, pairs: Floats) -> dict[str, float]:
    """Agreement by label and by the first person, confidence in classes, and Cohen's kappa, if all answer all."""
    shares, by_type = pairs.sum(axis=1), chances * design.types[:, None]
    right = chances.mean(axis=0).reshape(len(shares), N_DIFFICULTIES, -1).mean(axis=1)
    found = {"class_confidence": float(np.diag(right) @ design.shares)}
    for label, share in enumerate(shares):
        found[f"specific_agreement, {label}"] = float(pairs[label, label] / share)
        found[f"alpha_against_others, {label}"] = float(1 - (share - pairs[label, label]) / (share * (1 - share)))
        found[f"class_confidence, {label}"] = float(right[label, label])
    if design.is_complete:
        equal = np.einsum("jqc,kqc->jk", by_type, chances, optimize=True)
        chance = by_type.sum(axis=1) @ by_type.sum(axis=1).T
        one, two = np.triu_indices(design.people, 1)
        expected = chance[one, two].mean()
        found["cohen_kappa_pooled"] = float((equal[one, two].mean() - expected) / (1 - expected))
        found["agreement_with_rest, p000"] = float(equal[0, 1:].mean())
    return found


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
    if design.kind == "options":
        corrected = float(np.mean([(equal - 1 / n) / (1 - 1 / n) for n in OPTIONS]))
        return {"percent_agreement": equal, "percent_agreement_chance_corrected_per_item": corrected}
    if design.kind in ("label", "scale"):
        alpha = compute_alpha(nominal)
        found = {"percent_agreement": equal, "krippendorff_alpha_nominal": alpha, "fleiss_kappa": alpha}
        found |= {"gwet_ac1": compute_gwet(np.eye(n_answers))}
        if design.kind == "scale":
            ranks, points = np.cumsum(shares) - shares / 2, np.arange(n_answers, dtype=np.float64)
            distance, total = np.abs(np.subtract.outer(points, points)), np.add.outer(points, points)
            found["krippendorff_alpha_ordinal"] = compute_alpha(np.subtract.outer(ranks, ranks) ** 2)
            found["krippendorff_alpha_interval"] = compute_alpha(distance**2)
            found["krippendorff_alpha_ratio"] = compute_alpha((distance / np.maximum(total, 1)) ** 2)
            steps = distance / (n_answers - 1)
            found |= {"gwet_ac2_linear": compute_gwet(1 - steps), "gwet_ac2_quadratic": compute_gwet(1 - steps**2)}
        return found
    if design.kind == "boxes":
        sets = list_sets()
        tables = {name: np.array([[measure(a, b) for b in sets] for a in sets]) for name, measure in DISTANCES.items()}
        of_boxes = compute_coefficients(_YES_OR_NO, _count_boxes(pairs))
        return {
            "exact_sets": equal,
            **{name: compute_alpha(table) for name, table in tables.items()},
            **{f"{name}, {EVERY_BOX}": of_boxes[name] for name in BOX_COEFFICIENTS},
        }
    return {name: float((pairs * table).sum()) for name, table in _compare_answers(design).items()}


_YES_OR_NO = AgreementDesign(name="", people=2, items=1, votes=2, shares=(0.5, 0.5))


def _count_boxes(pairs: Floats) -> Floats:
    """The shares of pairs of a yes or no on one box, over all boxes, from those of pairs of sets."""
    marked = np.stack([~list_sets(), list_sets()], axis=2).astype(np.float64)
    return np.asarray(np.einsum("akx,ab,bky->xy", marked, pairs, marked, optimize=True) / N_PARTS)


@cache
def _compare_answers(design: AgreementDesign) -> dict[str, Floats]:
    """How similar each two answers are, as the coefficients of one item of two answers have it."""
    answers = _list_answers(design)
    names = (
        ("span_f1_exact", "span_f1_token", "span_f1_char")
        if design.kind == "span"
        else ("exact_match", "mean_cer", "mean_chrf")
    )
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
