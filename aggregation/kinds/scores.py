"""People against gold in answers of any kind: single answers and majorities, with intervals over people and items."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import get_args

import numpy as np
import pandas as pd

from aggregation.bootstrap import (
    FEWEST_CLUSTERS,
    Draws,
    Interval,
    Progress,
    crossed_sums,
    percentile_interval,
    wilson_interval,
)
from aggregation.kinds.answers import WRITTEN, Answers
from aggregation.kinds.grades import Metric, piece_metrics, written_metrics
from aggregation.kinds.labels import consensus_of
from aggregation.kinds.pieces import of_pieces
from aggregation.kinds.written import of_texts
from aggregation.performance import ABOVE, Name, Performance, Score, Unit, annotators_of, performance, said_of
from aggregation.schema import Floats
from aggregation.scored import Scored, Scorer, lay_against_gold

NO_FIT = "Dawid-Skene needs one label an item; {what}: use the majority."
WHY = {
    "boxes": "boxes are judged each by itself (`hromada aggregate --method dawid_skene` labels them so)",
    "text": "texts are no labels that items share",
    "edit": "texts are no labels that items share",
    "span": "parts of a text are no labels that items share",
}


def performance_of(
    answers: Answers,
    *,
    skips: pd.DataFrame | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    units: Collection[Name] = get_args(Name),
    progress: Progress | None = None,
) -> Performance:
    """Score answers of any kind against gold, as `aggregation.performance` scores labels.

    The primary score is `exact_match`; the others are of `aggregation.kinds.grades`. The majority is the consensus by
    that name, made anew in each draw; an item that it leaves open has said nothing. `skips` (columns item, annotator)
    have said nothing either. There is no chance to hold any of it against.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    if answers.kind == "label":
        return performance(
            answers.votes, skips=skips, resamples=resamples, seed=seed, level=level, units=units, progress=progress
        )
    draws = Draws(resamples=resamples, seed=seed, level=level, progress=progress)
    scored = _laid(answers, skips)
    single, majority = of_texts(answers, scored) if answers.kind in WRITTEN else of_pieces(answers, scored)
    metrics = written_metrics(answers) if answers.kind in WRITTEN else piece_metrics(answers)
    people = annotators_of(scored, level=level)
    n_units = 1 + ("majority" in units)
    parts = [replace(draws, progress=draws.part(part, of=n_units)) for part in range(n_units)]
    first = _unit("individual", single, scored, metrics=metrics, total=len(scored.frame), draws=parts[0])
    of_people = people["accuracy"]
    made = [
        replace(first, ann_mean=float(of_people.mean()), ann_min=float(of_people.min()), ann_max=float(of_people.max()))
    ]
    if "majority" in units:
        unit = _unit("majority", majority, scored, metrics=metrics, total=len(scored.gold), draws=parts[1])
        labels = consensus_of(answers, method="majority", ties="drop").labels.reindex(scored.gold.index)
        made.append(replace(unit, n_ties=int(labels["tie"].eq(other=True).sum())))
    votes = answers.votes
    return Performance(
        units=tuple(made),
        refused={"dawid_skene": NO_FIT.format(what=WHY[answers.kind])} if "dawid_skene" in units else {},
        annotators=people,
        random=None,
        random_exact=None,
        n_items=len(votes.items),
        n_items_with_gold=int(votes.items["gold"].notna().sum()),
        n_items_scored=len(scored.gold),
        resamples=resamples,
        seed=seed,
        level=level,
        positions=False,
        dawid_skene=None,
    )


def _laid(answers: Answers, skips: pd.DataFrame | None) -> Scored:
    """The answers on items that have gold; right is what equals a right answer as compared."""
    scored = replace(lay_against_gold(answers.votes, skips), classes=None)
    said = zip(scored.frame["item"], scored.frame["answer"], scored.voted, strict=True)
    right = [voted and answers.right(str(item), answer, scored.gold[item]) for item, answer, voted in said]
    return replace(scored, right=np.array(right, dtype=np.float64))


def _unit(name: Name, scorer: Scorer, scored: Scored, *, metrics: dict[str, Metric], total: int, draws: Draws) -> Unit:
    point = scorer.marks(np.ones((scorer.people, 1)), np.ones((len(scored.gold), 1)))
    resampled = None
    if scored.n_groups >= FEWEST_CLUSTERS:
        resampled = crossed_sums(
            scorer.marks,
            people=scorer.people,
            groups=scorer.groups,
            width=scorer.width,
            draws=draws.resamples,
            rng=draws.rng(),
            progress=draws.progress,
        )
    scores = tuple(
        _score(metric, function, point, resampled, level=draws.level) for metric, function in metrics.items()
    )
    method, note = said_of(scored, scorer, draws=draws)
    if scores[0].high is not None and scores[0].high < scores[0].value:
        note = f"{note} {ABOVE}".strip()
    right = round(float(point[0, 0]))
    wilson = wilson_interval(right, total, level=draws.level)
    return Unit(
        unit=name,
        total=total,
        wrong=total - right,
        scores=scores,
        ci_method=method,
        note=note,
        wilson_low=wilson.low,
        wilson_high=wilson.high,
        n_items=len(scored.gold),
        n_annotators=len(scored.names),
        n_ties=0,
    )


def _score(name: str, metric: Metric, point: Floats, resampled: Floats | None, *, level: float) -> Score:
    interval = Interval(low=None, high=None)
    if resampled is not None:
        interval = percentile_interval(metric(resampled), level=level)
    return Score(
        metric=name,
        value=float(metric(point)[0]),
        low=interval.low,
        high=interval.high,
        undefined_resamples=interval.undefined,
    )
