"""People against gold: single answers, the majority and Dawid-Skene, with intervals over people and items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from aggregation.bootstrap import (
    FEWEST_CLUSTERS,
    Interval,
    Progress,
    cluster_sums,
    crossed_shares,
    percentile_interval,
    wilson_interval,
)
from aggregation.consensus import Method, consensus
from aggregation.errors import Refused
from aggregation.schema import Floats, Votes
from aggregation.scored import Scored, Scorer, lay_against_gold, plurality, single_answers

Name = Literal["individual", "majority", "dawid_skene"]
ABOVE = (
    "The value lies above its interval: a majority of redrawn people rests on fewer different people and ties more "
    "often. The Wilson interval takes the people as given."
)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """How often one unit of judgement is right.

    `total` counts answers (individual) or items with votes and gold; a tie is wrong and counted in `n_ties`. `low` and
    `high` are the interval that `ci_method` names; `note` says what it lacks. `wilson_low` and `wilson_high` take every
    answer or item for independent and so ignore that people and groups differ. `n_annotators` counts whose votes were
    used; the last three are over annotators' own accuracies, for `individual` alone.
    """

    unit: Name
    total: int
    wrong: int
    value: float
    low: float | None
    high: float | None
    ci_method: str
    note: str
    undefined_resamples: int
    wilson_low: float | None
    wilson_high: float | None
    n_items: int
    n_annotators: int
    n_ties: int
    ann_mean: float | None = None
    ann_min: float | None = None
    ann_max: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Performance:
    """People's performance on the items that have gold.

    `refused` maps a unit that these votes do not allow to the reason. `annotators` has one row a person, index
    `annotator` sorted, with the columns n, right (answers), accuracy, wilson_low, wilson_high. `random` is one over
    the mean number of options of all items; `random_exact` the mean of one over the number of options of the items
    that people saw. `n_items` counts all items, `n_items_scored` those with gold and votes.
    """

    units: tuple[Unit, ...]
    refused: Mapping[str, str]
    annotators: pd.DataFrame
    random: float
    random_exact: float
    n_items: int
    n_items_with_gold: int
    n_items_scored: int
    resamples: int
    seed: int
    level: float
    positions: bool

    def __getitem__(self, unit: str) -> Unit:
        """The unit of that name."""
        return {str(row.unit): row for row in self.units}[unit]


@dataclass(frozen=True, kw_only=True)
class _Draws:
    """How to resample, and who hears of it."""

    resamples: int
    seed: int
    level: float
    progress: Progress | None

    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    def part(self, number: int, *, of: int) -> Progress | None:
        """The progress of one of several equal parts of the work."""
        heard = self.progress
        return None if heard is None else lambda share: heard((number + share) / of)


def performance(
    votes: Votes, *, resamples: int = 2000, seed: int = 0, level: float = 0.95, progress: Progress | None = None
) -> Performance:
    """Score the votes against gold as single answers, as majorities and (closed labels) as Dawid-Skene labels.

    Individual and majority are resampled over people and groups of items independently, the plurality made anew in
    each draw, items without votes in the draw left out of it. Dawid-Skene is fitted once, on all votes, and resampled
    over items with its labels fixed.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    scored = lay_against_gold(votes)
    draws = _Draws(resamples=resamples, seed=seed, level=level, progress=progress)
    parts = 2 if votes.classes is None else 3
    units = [
        _individual(scored, draws=draws, heard=draws.part(0, of=parts)),
        _majority(votes, scored, draws=draws, heard=draws.part(1, of=parts)),
    ]
    refused = {}
    try:
        units.append(_dawid_skene(votes, scored, draws=draws, heard=draws.part(2, of=parts)))
    except Refused as refusal:
        refused["dawid_skene"] = refusal.problem
    seen = votes.items.loc[votes.items.index.isin(votes.frame["item"]), "n_options"].to_numpy(dtype=float)
    return Performance(
        units=tuple(units),
        refused=refused,
        annotators=_annotators(scored, level=level),
        random=1 / float(votes.items["n_options"].to_numpy(dtype=float).mean()),
        random_exact=float((1 / seen).mean()),
        n_items=len(votes.items),
        n_items_with_gold=int(votes.items["gold"].notna().sum()),
        n_items_scored=len(scored.gold),
        resamples=resamples,
        seed=seed,
        level=level,
        positions=votes.positions,
    )


def _individual(scored: Scored, *, draws: _Draws, heard: Progress | None) -> Unit:
    unit = _unit(
        "individual",
        right=int(scored.right.sum()),
        total=len(scored.right),
        scored=scored,
        draws=draws,
        shares=_crossed(single_answers(scored), scored, draws=draws, heard=heard),
    )
    of_people = _annotators(scored, level=draws.level)["accuracy"]
    return replace(
        unit, ann_mean=float(of_people.mean()), ann_min=float(of_people.min()), ann_max=float(of_people.max())
    )


def _majority(votes: Votes, scored: Scored, *, draws: _Draws, heard: Progress | None) -> Unit:
    right, n_ties = _right(votes, scored, method="majority")
    return _unit(
        "majority",
        right=int(right.sum()),
        total=len(right),
        scored=scored,
        draws=draws,
        shares=_crossed(plurality(scored), scored, draws=draws, heard=heard),
        n_ties=n_ties,
    )


def _dawid_skene(votes: Votes, scored: Scored, *, draws: _Draws, heard: Progress | None) -> Unit:
    right, n_ties = _right(votes, scored, method="dawid_skene")
    shares = None
    if scored.n_groups >= FEWEST_CLUSTERS:
        statistics = np.column_stack([right, np.ones(len(right))])
        sums = cluster_sums(statistics, groups=scored.groups, draws=draws.resamples, rng=draws.rng(), progress=heard)
        shares = sums[:, 0] / sums[:, 1]
    unit = _unit(
        "dawid_skene",
        right=int(right.sum()),
        total=len(right),
        scored=scored,
        draws=draws,
        shares=shares,
        n_ties=n_ties,
    )
    return replace(unit, n_annotators=votes.frame["annotator"].nunique())


def _right(votes: Votes, scored: Scored, *, method: Method) -> tuple[Floats, int]:
    """Which scored items the consensus of all votes gets right (a tie never), and how many of them are tied."""
    labels = consensus(votes, method=method, ties="drop").labels.reindex(scored.gold.index)
    right = labels["label"].to_numpy() == scored.gold.to_numpy()
    return right.astype(np.float64), int(labels["tie"].astype(bool).sum())


def _crossed(scorer: Scorer, scored: Scored, *, draws: _Draws, heard: Progress | None) -> Floats | None:
    if scored.n_groups < FEWEST_CLUSTERS:
        return None
    return crossed_shares(
        scorer.points,
        people=len(scored.names),
        groups=scored.groups,
        width=scorer.width,
        draws=draws.resamples,
        rng=draws.rng(),
        progress=heard,
    )


def _unit(
    unit: Name,
    *,
    right: int,
    total: int,
    scored: Scored,
    draws: _Draws,
    shares: Floats | None,
    n_ties: int = 0,
) -> Unit:
    interval = Interval(low=None, high=None) if shares is None else percentile_interval(shares, level=draws.level)
    wilson = wilson_interval(right, total, level=draws.level)
    method, note = _said(unit, scored, draws=draws, resampled=shares is not None)
    if interval.high is not None and interval.high < right / total:
        note = f"{note} {ABOVE}".strip()
    return Unit(
        unit=unit,
        total=total,
        wrong=total - right,
        value=right / total,
        low=interval.low,
        high=interval.high,
        ci_method=method,
        note=note,
        undefined_resamples=interval.undefined,
        wilson_low=wilson.low,
        wilson_high=wilson.high,
        n_items=len(scored.gold),
        n_annotators=len(scored.names),
        n_ties=n_ties,
    )


def _said(unit: Name, scored: Scored, *, draws: _Draws, resampled: bool) -> tuple[str, str]:
    """The name of the interval, and what a reader must know of it."""
    if not resampled:
        few = f"{scored.n_groups} {scored.clusters} are fewer than the {FEWEST_CLUSTERS} to resample"
        return "none", f"No interval: {few}."
    if unit == "dawid_skene":
        return f"{scored.clusters} bootstrap, labels fixed, {draws.resamples} draws, seed {draws.seed}", ""
    method = f"crossed bootstrap, {draws.resamples} draws over people and {scored.clusters}, seed {draws.seed}"
    if len(scored.names) < FEWEST_CLUSTERS:
        return method, f"Between-person variation is not estimable from {len(scored.names)} people."
    return method, ""


def _annotators(scored: Scored, *, level: float) -> pd.DataFrame:
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
