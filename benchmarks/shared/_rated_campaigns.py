"""Simulated ratings from 1 to 5: a normal opinion, rounded, of item, person and chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from _opinion_designs import FRESH, NODES, THIS, WEIGHTS, Held, OpinionDesign, name_codes
from scipy.special import ndtr
from scipy.stats import kendalltau, rankdata

from aggregation.agreement.icc import compute_iccs
from aggregation.opinions.opinions import compare_systems, measure_opinions
from aggregation.opinions.people import measure_severity
from aggregation.ratings import Ratings
from aggregation.schema import Codes, Floats, Votes
from aggregation.scores.points import SUM_METRICS, build_columns, score_points

CENTRE, ITEM, PERSON, NOISE = 3.2, 0.7, 0.4, 0.7
SYSTEM, TASTE = 0.4, 0.2  # the difference of two systems, and the spread among people of how they see it
CUTS = np.array([1.5, 2.5, 3.5, 4.5])
NAMES = ("1", "2", "3", "4", "5")
POINTS: Floats = np.arange(1, 6, dtype=np.float64)
GOLD_NOISE = 0.5  # how far gold is from what people mostly think
OTHERS, LARGE = 60, 1500  # panels and items whose scores are the true ones
SAMPLED = 200_000  # items whose sums are the true ones


def rate(opinions: Floats) -> Codes:
    """The places of rounded opinions among the points."""
    return np.searchsorted(CUTS, opinions)


def expect_points(mean: Floats | float, sd: float) -> Floats:
    """The expected point of a normal opinion."""
    return np.asarray(1 + ndtr((np.asarray(mean)[..., None] - CUTS) / sd).sum(axis=-1))


def build_ratings(
    items: Codes, people: Codes, places: Codes, *, groups: Codes, systems: tuple[str, ...] | None = None
) -> Ratings:
    """The ratings of a campaign; `groups` has the group of every item."""
    return Ratings(
        items=items,
        annotators=people,
        places=places,
        item_ids=name_codes(np.arange(len(groups))),
        annotator_ids=name_codes(np.arange(int(people.max()) + 1)),
        groups=groups,
        n_groups=int(groups.max()) + 1,
        names=NAMES,
        points=POINTS,
        is_numeric=True,
        level="interval",
        systems=systems or ("",) * len(groups),
    )


def hold_opinion(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """The mean opinion, and the share of ratings of 4 or more."""
    items, people = design.assign(rng)
    own = PERSON * rng.standard_normal(design.people)
    noise = NOISE * rng.standard_normal(len(items))
    places = rate(CENTRE + ITEM * design.draw_items(rng)[:, 0][items] + own[people] + noise)
    opinion = measure_opinions(build_ratings(items, people, places, groups=design.groups), confidence_level=0.95)[0]
    high = next(row for row in opinion.at_least if row.metric == "share_at_least_4")
    assert opinion.mean is not None
    of_panel, of_all = (ITEM**2 + NOISE**2) ** 0.5, (ITEM**2 + NOISE**2 + PERSON**2) ** 0.5
    found: dict[tuple[str, str], tuple[float | None, float | None, float]] = {}
    for name, row, truth in (
        ("mean opinion", opinion.mean, expect_points),
        ("share at least 4", high, lambda mean, sd: ndtr((mean - CUTS[2]) / sd)),
    ):
        panel = float(truth(CENTRE + own[people], of_panel).mean())
        found[name, THIS] = row.item_only_low, row.item_only_high, panel
        found[name, FRESH] = row.ci_low, row.ci_high, float(truth(CENTRE, of_all))
    return found


def hold_difference(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """The difference of two systems whose texts the same people rate, or with `apart` half of them each."""
    is_apart = design.note == "apart"
    n, own = design.items, PERSON * rng.standard_normal(design.people)
    taste = TASTE * rng.standard_normal((design.people, 2))
    texts = (design.draw_items(rng) + design.draw_items(rng, width=2)) / 2**0.5  # what is rated, and by which system
    parts = []
    for system in range(2):
        if is_apart:
            half = OpinionDesign(people=design.people // 2, items=n, votes=design.votes)
            items, people = half.assign(rng)
            people = people + system * half.people
        elif system == 0:
            items, people = design.assign(rng)
        shift = SYSTEM * (system - 0.5)
        seen = CENTRE + shift + ITEM * texts[items, system] + own[people] + taste[people, system]
        parts.append((items + system * n, people, rate(seen + NOISE * rng.standard_normal(len(items)))))
    items, people, places = (np.concatenate(column) for column in zip(*parts, strict=True))
    ratings = build_ratings(items, people, places, groups=np.tile(design.groups, 2), systems=("a",) * n + ("b",) * n)
    row = compare_systems(ratings, confidence_level=0.95)[0].difference
    of_panel = (ITEM**2 + NOISE**2) ** 0.5
    ends = [
        float(expect_points(CENTRE + SYSTEM * (system - 0.5) + own[who] + taste[who, system], of_panel).mean())
        for system, (_, who, _) in enumerate(parts)
    ]
    of_all = (of_panel**2 + PERSON**2 + TASTE**2) ** 0.5
    true = expect_points(CENTRE - SYSTEM / 2, of_all) - expect_points(CENTRE + SYSTEM / 2, of_all)
    name = "difference of systems"
    return {
        (name, THIS): (row.item_only_low, row.item_only_high, ends[0] - ends[1]),
        (name, FRESH): (row.ci_low, row.ci_high, float(true)),
    }


@cache
def find_true_iccs(severity: float, *, is_rounded: bool) -> tuple[float, float]:
    """ICC(A,1) and ICC(C,1) of all items and people."""
    if not is_rounded:
        return ITEM**2 / (ITEM**2 + severity**2 + NOISE**2), ITEM**2 / (ITEM**2 + NOISE**2)
    expected = expect_points(CENTRE + ITEM * NODES[:, None] + severity * NODES[None, :], NOISE)
    mean = float(WEIGHTS @ expected @ WEIGHTS)
    of_items = float(WEIGHTS @ (expected @ WEIGHTS - mean) ** 2)
    of_people = float(WEIGHTS @ (WEIGHTS @ expected - mean) ** 2)
    sd = (ITEM**2 + severity**2 + NOISE**2) ** 0.5
    chances = np.diff(np.concatenate([[0.0], ndtr((CUTS - CENTRE) / sd), [1.0]]))
    total = float(chances @ (POINTS - mean) ** 2)
    return of_items / total, of_items / (total - of_people)


def hold_icc(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """Both single coefficients of a complete table, of people who differ as `note` says, rounded or not."""
    severity = 0.6 if "severe" in design.note else PERSON
    is_rounded = "rounded" in design.note
    table: Floats = (
        CENTRE + ITEM * rng.standard_normal((design.items, 1)) + severity * rng.standard_normal(design.people)
    )
    table = table + NOISE * rng.standard_normal((design.items, design.people))
    found = compute_iccs(POINTS[rate(table)] if is_rounded else table)
    absolute, consistent = find_true_iccs(severity, is_rounded=is_rounded)
    ends = {name: found[name].ends or (None, None) for name in ("ICC(A,1)", "ICC(C,1)")}
    return {
        ("ICC(A,1)", FRESH): (*ends["ICC(A,1)"], absolute),
        ("ICC(C,1)", THIS): (*ends["ICC(C,1)"], consistent),
    }


def hold_severity(rng: np.random.Generator, design: OpinionDesign) -> Held:
    """How severe the first person is, by least squares and shrunk: each person's interval is as good as another's."""
    items, people = design.assign(rng)
    own = PERSON * rng.standard_normal(design.people)
    noise = NOISE * rng.standard_normal(len(items))
    opinions = CENTRE + ITEM * rng.standard_normal(design.items)[items] + own[people] + noise
    places = rate(opinions)
    rows = measure_severity(build_ratings(items, people, places, groups=design.groups), confidence_level=0.95).people
    expected = expect_points(CENTRE + own, (ITEM**2 + NOISE**2) ** 0.5)
    row = rows.iloc[0]
    return {("severity", THIS): (row["severity_low"], row["severity_high"], float(expected[0] - expected.mean()))}


@dataclass(frozen=True, kw_only=True, eq=False)
class PointsTruth:
    """What is true of points against gold, by unit and metric."""

    scores: dict[tuple[str, str], float]


MIDDLES = {"mean": np.mean, "median": np.median}


def _draw_pairs(rng: np.random.Generator, people: Floats, effects: Floats) -> tuple[Floats, Floats]:
    """Ratings (items × votes) by people of these effects, and the gold of each item; items' are items × 1."""
    shape = people.shape
    opinion = CENTRE + ITEM * effects
    gold = POINTS[rate(opinion[:, 0] + GOLD_NOISE * rng.standard_normal(shape[0]))]
    return POINTS[rate(opinion + people + NOISE * rng.standard_normal(shape))], gold


def find_true_points(design: OpinionDesign) -> PointsTruth:
    """Metrics of the expected sums, whoever answers; of ranks the mean over panels that no campaign used."""
    rng = np.random.default_rng(design.people)
    shape = (SAMPLED, design.votes)
    ratings, gold = _draw_pairs(rng, PERSON * rng.standard_normal(shape), rng.standard_normal((SAMPLED, 1)))
    scores = {}
    columns = {"individual": build_columns(ratings.ravel(), np.repeat(gold, design.votes))}
    columns |= {unit: build_columns(middle(ratings, axis=1), gold) for unit, middle in MIDDLES.items()}  # type: ignore[operator]
    for unit, summed in columns.items():
        for name, metric in SUM_METRICS.items():
            scores[unit, name] = float(metric.compute(summed.sum(axis=0)[None])[0])
    ranks: dict[tuple[str, str], list[float]] = {}
    for _ in range(OTHERS):
        large = OpinionDesign(people=design.people, items=LARGE, votes=design.votes)
        _, people = large.assign(rng)
        own = PERSON * rng.standard_normal(design.people)[people].reshape(LARGE, design.votes)
        ratings, gold = _draw_pairs(rng, own, rng.standard_normal((LARGE, 1)))
        pairs = {"individual": (ratings.ravel(), np.repeat(gold, design.votes))}
        pairs |= {unit: (middle(ratings, axis=1), gold) for unit, middle in MIDDLES.items()}  # type: ignore[operator]
        for unit, (given, known) in pairs.items():
            ranked = np.corrcoef(rankdata(given), rankdata(known))[0, 1]  # Spearman's: Pearson's of mid-ranks
            ranks.setdefault((unit, "spearman"), []).append(float(ranked))
            ranks.setdefault((unit, "kendall_tau_b"), []).append(float(kendalltau(given, known).statistic))
    return PointsTruth(scores=scores | {key: float(np.mean(values)) for key, values in ranks.items()})


def hold_points(rng: np.random.Generator, design: OpinionDesign, truth: PointsTruth) -> Held:
    """Every metric of points against gold, for single ratings, means and medians; for a fresh panel."""
    items, people = design.assign(rng)
    own = PERSON * rng.standard_normal(design.people)[people].reshape(design.items, design.votes)
    ratings, gold = _draw_pairs(rng, own, design.draw_items(rng))
    ids, names = name_codes(np.arange(design.items)), name_codes(np.arange(design.people))
    frame = pd.DataFrame(
        {
            "item": ids[items],
            "annotator": names[people],
            "answer": np.array(NAMES, dtype=object)[ratings.ravel().astype(int) - 1],
        }
    )
    known = pd.DataFrame(
        {"group": name_codes(design.groups), "gold": [NAMES[int(point) - 1] for point in gold], "n_options": 5},
        index=pd.Index(ids, name="item"),
    )
    votes = Votes(frame=frame, items=known, classes=NAMES, measurement_level="interval")
    return {
        (unit.unit, score.metric): (score.ci_low, score.ci_high, truth.scores[unit.unit, score.metric])
        for unit in score_points(votes, confidence_level=0.95)
        for score in unit.scores
    }
