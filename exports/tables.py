"""The tables of a release: answers, gold, annotators and baselines, as frames that are ready to be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aggregation.bootstrap import Progress
from aggregation.consensus import Method, Ties
from aggregation.performance import Performance, Unit
from exports import writers
from exports.annotators import ANNOTATORS, annotators
from exports.cells import column, fixed, percent
from exports.evidence import evidence
from exports.inputs import RESPONSES, DataSet
from exports.results import Choices, Result, measured
from exports.subsets import PRIMARY

GOLD = (
    "dataset", "item_id", "group", "gold", "origin", "version", "confidence", "gold_confidence", "consensus", "method",
    "tie", "n_votes", "n_excluded", "warning",
)  # fmt: skip
BASELINES = (
    "dataset", "unit", "total", "wrong", "bl_random", "bl_human", "bl_random_exact", "n_items", "n_annotators",
    "ci_low", "ci_high", "ci_method", "wilson_low", "wilson_high", "ann_mean", "ann_min", "ann_max", "n_ties",
)  # fmt: skip
SCORES = (
    "dataset", "subset", "unit", "metric", "value", "ci_low", "ci_high", "ci_method", "total", "n_items",
    "n_annotators", "n_ties", "beyond_half_width",
)  # fmt: skip
_WITHIN_ITEM = ("item_id", "annotator", "is_repeat", "revision")


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """Everything that is published, and the results it was made of.

    Frames (columns RESPONSES, GOLD, ANNOTATORS, BASELINES, SCORES) hold what the files will: sorted rows, numbers with
    fixed decimals as text, None for an empty cell. `agreement` is the content of agreement.json.
    """

    choices: Choices
    results: tuple[Result, ...]
    responses: pd.DataFrame
    gold: pd.DataFrame
    annotators: pd.DataFrame
    baselines: pd.DataFrame
    scores: pd.DataFrame
    agreement: Mapping[str, Any]

    @property
    def simulated(self) -> bool:
        """Whether any answer comes from a script instead of a person."""
        return any(result.data.simulated for result in self.results)


def release(
    data_sets: Sequence[DataSet],
    *,
    method: Method = "majority",
    ties: Ties = "drop",
    seed: int = 0,
    anchors: bool = False,
    agreement_resamples: int = 1000,
    performance_resamples: int = 2000,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Release:
    """Aggregate the data sets and lay the tables out; `method` and `ties` make the consensus of gold.csv,
    `anchors` lets the method take declared gold for known.

    Where the method does not fit a data set the majority stands in, and agreement.json says so. `progress` hears the
    share done, 0 to 1. Raises HromadaError for two data sets of one name and for votes that contradict their items.
    """
    choices = Choices(
        method=method,
        ties=ties,
        seed=seed,
        agreement_resamples=agreement_resamples,
        performance_resamples=performance_resamples,
        level=level,
        anchors=anchors,
    )
    results = measured(data_sets, choices=choices, progress=progress)
    return Release(
        choices=choices,
        results=results,
        responses=_stacked([responses(result.data) for result in results], RESPONSES),
        gold=_stacked([gold(result) for result in results], GOLD),
        annotators=_stacked([annotators(result) for result in results], ANNOTATORS),
        baselines=_stacked([baselines(result) for result in results], BASELINES),
        scores=_stacked([scores(result) for result in results], SCORES),
        agreement=evidence(results, choices=choices),
    )


def write(release: Release, folder: Path, *, also: Mapping[str, str | bytes] | None = None) -> tuple[Path, ...]:
    """Write the six files into the folder, with `also` (file name → content, such as the report's page)."""
    return writers.write(
        folder,
        {
            "human_responses.csv": writers.csv_text(release.responses),
            "gold.csv": writers.csv_text(release.gold),
            "annotators.csv": writers.csv_text(release.annotators),
            "baselines.csv": writers.csv_text(release.baselines),
            "human_baseline.csv": writers.csv_text(release.scores),
            "agreement.json": writers.json_text(release.agreement),
            **(also or {}),
        },
    )


def responses(data: DataSet) -> pd.DataFrame:
    """All answers, excluded ones with the reason, with the columns RESPONSES, by item, annotator, repeat and revision.

    What a person answered several times at the same revision stays in the order in which it was given.
    """
    frame = data.responses.loc[:, list(RESPONSES)].assign(dataset=data.name, excluded_reason=data.reasons())
    return frame.sort_values(list(_WITHIN_ITEM), kind="stable", na_position="first", ignore_index=True)


def gold(result: Result) -> pd.DataFrame:
    """One row an item, seen or not, with the columns GOLD.

    `gold` is the declared label with its origin and version, else the consensus with the origin `votes`; `confidence`
    is that of the consensus, 0 to 1, whichever of them is gold, `gold_confidence` that of what stands as gold: of a
    declared label the share of counted votes that say the same. `consensus` is empty where a tie is left open.
    `n_excluded` counts answers to the item that do not count; `method` tells version,
    iterations, convergence and tie rule of the consensus, `warning` what is to be doubted of it.
    """
    items = result.data.items.set_index("item_id").sort_index()
    labels = _labels(result).reindex(items.index)
    declared, voted = items["gold"].notna(), labels["label"].notna()
    frame = pd.DataFrame(
        {
            "dataset": result.data.name,
            "item_id": items.index,
            "group": items["group"],
            "gold": items["gold"].where(declared, labels["label"]),
            "origin": items["gold_origin"].where(declared, voted.map({True: "votes", False: None})),
            "version": items["gold_version"],
            "confidence": column(labels["confidence"], digits=4),
            "gold_confidence": column(_certainty(result, labels), digits=4),
            "consensus": labels["label"],
            "method": labels["method"],
            "tie": labels["tie"],
            "n_votes": pd.to_numeric(labels["n_votes"]).fillna(0).astype(int),
            "n_excluded": result.data.dropped()["item_id"].value_counts().reindex(items.index, fill_value=0),
            "warning": labels["warning"].where(labels["warning"] != ""),
        },
        columns=list(GOLD),
    )
    return frame.reset_index(drop=True)


def _certainty(result: Result, labels: pd.DataFrame) -> pd.Series[float]:
    """Of the gold of each item of `labels`: the share of counted votes that say it where it is declared, else the
    confidence of the consensus."""
    gold, frame = result.data.items.set_index("item_id")["gold"], result.votes.frame
    agreeing = (frame["answer"] == frame["item"].map(gold)).groupby(frame["item"]).mean()
    consensus = pd.to_numeric(labels.loc[labels["label"].notna(), "confidence"])
    known = labels.index[gold.reindex(labels.index).notna()]
    return pd.Series({**consensus.to_dict(), **agreeing.reindex(known).to_dict()}, dtype=float).reindex(labels.index)


def baselines(result: Result) -> pd.DataFrame:
    """One row a unit that the data set allows, with the columns BASELINES, shares in percent with two decimals."""
    scores = result.performance
    rows = [] if scores is None else [_unit(unit, scores, data=result.data) for unit in scores.units]
    return pd.DataFrame(rows, columns=list(BASELINES))


def scores(result: Result) -> pd.DataFrame:
    """One row a subset, unit and metric, with the columns SCORES; values and intervals are fractions, four decimals.

    The primary subset comes first. `beyond_half_width` says of each other one whether it is further from the primary
    value than half the width of that value's interval.
    """
    ways = {PRIMARY: result.performance, **dict(sorted(result.subsets.items()))}
    rows = [
        {
            "dataset": result.data.name,
            "subset": subset,
            "unit": unit.unit,
            "metric": score.metric,
            "value": fixed(score.value, 4),
            "ci_low": fixed(score.low, 4),
            "ci_high": fixed(score.high, 4),
            "ci_method": unit.ci_method + marked(result.data),
            "total": unit.total,
            "n_items": unit.n_items,
            "n_annotators": unit.n_annotators,
            "n_ties": unit.n_ties,
            "beyond_half_width": None if subset == PRIMARY else result.beyond(unit, score),
        }
        for subset, performance in ways.items()
        for unit in (() if performance is None else performance.units)
        for score in unit.scores
    ]
    return pd.DataFrame(rows, columns=list(SCORES))


def _unit(unit: Unit, scores: Performance, *, data: DataSet) -> dict[str, object]:
    return {
        "dataset": data.name,
        "unit": unit.unit,
        "total": unit.total,
        "wrong": unit.wrong,
        "bl_random": percent(scores.random),
        "bl_human": percent(1 - unit.wrong / unit.total),
        "bl_random_exact": percent(scores.random_exact),
        "n_items": unit.n_items,
        "n_annotators": unit.n_annotators,
        "ci_low": percent(unit.primary.low),
        "ci_high": percent(unit.primary.high),
        "ci_method": unit.ci_method + marked(data),
        "wilson_low": percent(unit.wilson_low),
        "wilson_high": percent(unit.wilson_high),
        "ann_mean": percent(unit.ann_mean),
        "ann_min": percent(unit.ann_min),
        "ann_max": percent(unit.ann_max),
        "n_ties": unit.n_ties,
    }


def marked(data: DataSet) -> str:
    """What is added to the method of every figure whose classes are positions."""
    return "; classes are positions" if data.positions else ""


def _labels(result: Result) -> pd.DataFrame:
    """Index item; the columns label, confidence, tie, n_votes, method (how it was made) and warning."""
    consensus = result.consensus
    if consensus is None:
        return pd.DataFrame(columns=["label", "confidence", "tie", "n_votes", "method", "warning"], dtype=object)
    labels = consensus.published()
    return labels.assign(method=labels["method"] + marked(result.data))


def _stacked(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """One frame below the other, as objects so that no column changes its numbers for the sake of another's gaps."""
    parts = [np.empty((0, len(columns)), dtype=object)]
    for frame in frames:
        cells = frame.to_numpy(dtype=object, copy=True)
        cells[frame.isna().to_numpy()] = None
        parts.append(cells)
    return pd.DataFrame(np.vstack(parts), columns=list(columns), dtype=object)
