"""People against gold: single answers, the majority and Dawid-Skene, each metric with an interval over both crowds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pandas as pd

from aggregation import scoring
from aggregation.bootstrap import (
    FEWEST_CLUSTERS,
    Draws,
    Interval,
    Progress,
    crossed_sums,
    percentile_interval,
    wilson_interval,
)
from aggregation.consensus import Consensus, Method, consensus
from aggregation.errors import Refused
from aggregation.schema import Floats, Votes
from aggregation.scored import Scored, Scorer, lay_against_gold, majorities, refits, single_answers

Name = Literal["individual", "majority", "dawid_skene"]
REFITTED_VOTES = 60_000_000  # votes in all refits of an interval: about a minute; more votes have fewer refits
FEWEST_REFITS = 200
ABOVE = (
    "The value lies above its interval: a majority of redrawn people rests on fewer different people and ties more "
    "often. The Wilson interval takes the people as given."
)


@dataclass(frozen=True, kw_only=True)
class Score:
    """One metric: of `scoring.METRICS` for labels, of `aggregation.kinds` for the rest.

    `low` and `high` are the interval that the unit's `ci_method` names.
    """

    metric: str
    value: float
    low: float | None
    high: float | None
    undefined_resamples: int


@dataclass(frozen=True, kw_only=True)
class Unit:
    """How well one unit of judgement scores.

    `total` counts answers and skips (individual) or items with gold that have one; a skip is wrong, and so is a tie,
    which is counted in `n_ties`. `scores`
    has the accuracy and, where the labels are classes, the other metrics. `ci_method` says how the intervals were
    made, `note` what they lack. `wilson_low` and `wilson_high` are for the accuracy and take every answer or item for
    independent, and so ignore that people and groups differ. `n_annotators` counts whose votes were used; the last
    three are over annotators' own accuracies, for `individual` alone.
    """

    unit: Name
    total: int
    wrong: int
    scores: tuple[Score, ...]
    ci_method: str
    note: str
    wilson_low: float | None
    wilson_high: float | None
    n_items: int
    n_annotators: int
    n_ties: int
    ann_mean: float | None = None
    ann_min: float | None = None
    ann_max: float | None = None

    @property
    def primary(self) -> Score:
        """The score that `wrong` belongs to: the share of right answers or items (accuracy, or exact match)."""
        return self.scores[0]

    def __getitem__(self, metric: str) -> Score:
        """The score by that metric."""
        return {score.metric: score for score in self.scores}[metric]


@dataclass(frozen=True, kw_only=True, eq=False)
class Performance:
    """People's performance on the items that have gold.

    `refused` maps a unit that these votes do not allow to the reason. `annotators` has one row a person, index
    `annotator` sorted, with the columns n, right (answers), accuracy, wilson_low, wilson_high. `random` is one over
    the mean number of options of all items; `random_exact` the mean of one over the number of options of the items
    that people saw; both are None where nothing is chosen from options. `n_items` counts all items, `n_items_scored`
    those with gold and votes. `dawid_skene` are the labels that the unit of that name was scored by.
    """

    units: tuple[Unit, ...]
    refused: Mapping[str, str]
    annotators: pd.DataFrame
    random: float | None
    random_exact: float | None
    n_items: int
    n_items_with_gold: int
    n_items_scored: int
    resamples: int
    seed: int
    level: float
    positions: bool
    dawid_skene: Consensus | None

    def __getitem__(self, unit: str) -> Unit:
        """The unit of that name."""
        return {str(row.unit): row for row in self.units}[unit]


def performance(
    votes: Votes,
    *,
    skips: pd.DataFrame | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    units: Collection[Name] = get_args(Name),
    progress: Progress | None = None,
) -> Performance:
    """Score the votes against gold as single answers, as majorities and (closed labels) as Dawid-Skene labels.

    `skips` (columns item, annotator) are answers that were due and not given: wrong as single answers, no vote in a
    majority or a fit, where an item that was only skipped is wrong. `units` beside the individual one can be left out.
    People and groups of items are resampled independently; in each draw the plurality is made anew and Dawid-Skene
    fitted anew to the drawn people's votes, and items without votes and skips are left out.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    scored = lay_against_gold(votes, skips)
    draws = Draws(resamples=resamples, seed=seed, level=level, progress=progress)
    n_parts = len(units) - (votes.classes is None and "dawid_skene" in units)
    parts = [replace(draws, progress=draws.part(part, of=n_parts)) for part in range(len(units))]
    made, refused, fitted = [_individual(scored, draws=parts[0])], {}, None
    if "majority" in units:
        labels = _labels(votes, "majority")
        made.append(_voted("majority", labels, scored, scorer=majorities(scored), draws=parts[1]))
    if "dawid_skene" in units:
        try:
            fitted = _labels(votes, "dawid_skene")
            made.append(_refitted(fitted, votes, scored, draws=parts[-1]))
        except Refused as refusal:
            refused["dawid_skene"] = str(refusal)
    return Performance(
        units=tuple(made),
        refused=refused,
        annotators=annotators_of(scored, level=level),
        random=1 / float(votes.items["n_options"].to_numpy(dtype=float).mean()),
        random_exact=_random_exact(votes, skips),
        n_items=len(votes.items),
        n_items_with_gold=int(votes.items["gold"].notna().sum()),
        n_items_scored=len(scored.gold),
        resamples=resamples,
        seed=seed,
        level=level,
        positions=votes.positions,
        dawid_skene=fitted,
    )


def _refitted(fitted: Consensus, votes: Votes, scored: Scored, *, draws: Draws) -> Unit:
    """The unit of a fit, with fewer draws where there are many votes."""
    few = max(FEWEST_REFITS, REFITTED_VOTES // len(votes.frame))
    fewer = replace(draws, resamples=min(draws.resamples, few))
    return _voted("dawid_skene", fitted, scored, scorer=refits(votes, scored), draws=fewer)


def _random_exact(votes: Votes, skips: pd.DataFrame | None) -> float:
    """The mean of one over the number of options of the items that people saw."""
    seen = set(votes.frame["item"]) | (set() if skips is None else set(skips["item"]))
    return float((1 / votes.items.loc[votes.items.index.isin(seen), "n_options"].to_numpy(dtype=float)).mean())


def _labels(votes: Votes, method: Method) -> Consensus:
    """The consensus of all votes, ties left open."""
    return consensus(votes, method=method, ties="drop")


def _individual(scored: Scored, *, draws: Draws) -> Unit:
    gold = scored.gold.to_numpy()[scored.items].tolist()
    unit = _unit(
        "individual",
        gold=gold,
        said=scored.frame["answer"].tolist(),
        scored=scored,
        scorer=single_answers(scored),
        draws=draws,
    )
    of_people = annotators_of(scored, level=draws.level)["accuracy"]
    return replace(
        unit, ann_mean=float(of_people.mean()), ann_min=float(of_people.min()), ann_max=float(of_people.max())
    )


def _voted(name: Name, labels: Consensus, scored: Scored, *, scorer: Scorer, draws: Draws) -> Unit:
    """A unit of one label an item: the consensus of all votes, on the items that have gold."""
    judged = labels.labels.reindex(scored.gold.index)
    said = [label if isinstance(label, str) else None for label in judged["label"]]
    unit = _unit(name, gold=scored.gold.tolist(), said=said, scored=scored, scorer=scorer, draws=draws)
    n_ties = int(judged["tie"].eq(other=True).sum())  # an item that was only skipped has no label, and is no tie
    return replace(unit, n_ties=n_ties, n_annotators=scorer.people)


def _unit(
    unit: Name, *, gold: Sequence[str], said: Sequence[str | None], scored: Scored, scorer: Scorer, draws: Draws
) -> Unit:
    marks = _marks(gold, said, classes=scored.classes)
    sums = None
    if scored.n_groups >= FEWEST_CLUSTERS:
        sums = crossed_sums(
            scorer.marks,
            people=scorer.people,
            groups=scorer.groups,
            width=scorer.width,
            draws=draws.resamples,
            rng=draws.rng(),
            progress=draws.progress,
        )
    metrics = list(scoring.METRICS) if scored.classes is not None else ["accuracy"]
    scores = tuple(_score(metric, marks, sums=sums, level=draws.level) for metric in metrics)
    method, note = said_of(scored, scorer, draws=draws)
    if scores[0].high is not None and scores[0].high < scores[0].value:
        note = f"{note} {ABOVE}".strip()
    right = round(sum(marks.right))
    wilson = wilson_interval(right, len(gold), level=draws.level)
    return Unit(
        unit=unit,
        total=len(gold),
        wrong=len(gold) - right,
        scores=scores,
        ci_method=method,
        note=note,
        wilson_low=wilson.low,
        wilson_high=wilson.high,
        n_items=len(scored.gold),
        n_annotators=len(scored.names),
        n_ties=0,
    )


def _marks(gold: Sequence[str], said: Sequence[str | None], *, classes: tuple[str, ...] | None) -> scoring.Marks:
    if classes is not None:
        return scoring.marked(gold, said, classes=classes)
    right = ["right" if truth == answer else "wrong" for truth, answer in zip(gold, said, strict=True)]
    return scoring.marked(["right"] * len(gold), right, classes=["right"])


def _score(metric: str, marks: scoring.Marks, *, sums: Floats | None, level: float) -> Score:
    """The metric of the marks, and its interval from the marks of each draw."""
    function = scoring.METRICS[metric]
    interval = Interval(low=None, high=None)
    if sums is not None:
        width = (sums.shape[1] - 1) // 3
        rows = (tuple(row) for row in sums.tolist())
        drawn = (
            scoring.Marks(right=row[:width], gold=row[width : 2 * width], said=row[2 * width : -1], total=row[-1])
            for row in rows
        )
        interval = percentile_interval(np.array([function(each) for each in drawn]), level=level)
    return Score(
        metric=metric,
        value=function(marks),
        low=interval.low,
        high=interval.high,
        undefined_resamples=interval.undefined,
    )


def said_of(scored: Scored, scorer: Scorer, *, draws: Draws) -> tuple[str, str]:
    """The name of the interval, and what a reader must know of it."""
    if scored.n_groups < FEWEST_CLUSTERS:
        few = f"{scored.n_groups} {scored.clusters} are fewer than the {FEWEST_CLUSTERS} to resample"
        return "none", f"No interval: {few}."
    method = f"crossed bootstrap, {draws.resamples} draws over people and {scored.clusters}, seed {draws.seed}"
    if scorer.people < FEWEST_CLUSTERS:
        return method, f"Between-person variation is not estimable from {scorer.people} people."
    return method, ""


def annotators_of(scored: Scored, *, level: float) -> pd.DataFrame:
    n = np.bincount(scored.people)
    right = np.bincount(scored.people, weights=scored.right).astype(np.int64)
    intervals = [wilson_interval(int(r), int(t), level=level) for r, t in zip(right, n, strict=True)]
    return pd.DataFrame(
        {
            "n": n,
            "right": right,
            "accuracy": right / n,
            "wilson_low": [interval.low for interval in intervals],
            "wilson_high": [interval.high for interval in intervals],
        },
        index=pd.Index(scored.names, name="annotator"),
    )
