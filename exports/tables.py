"""A release: its tables of answers, gold, annotators and baselines, ready to be written as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aggregation.bootstrap import Progress
from aggregation.consensus import TieRule
from aggregation.labels.consensus import Method
from aggregation.performance import Performance, Unit
from exports import writers
from exports.agreement_file import build_agreement_content
from exports.annotator_table import ANNOTATOR_COLUMNS, build_annotator_table
from exports.inputs import RESPONSE_COLUMNS, DataSet
from exports.number_formats import format_column, format_fixed, format_percent
from exports.results import DataSetResult, ReleaseOptions, compute_results
from exports.score_variants import PRIMARY

GOLD_COLUMNS = (
    "dataset", "item_id", "group", "gold", "origin", "version", "confidence", "gold_confidence", "consensus", "method",
    "tie", "n_votes", "n_excluded", "warning",
)  # fmt: skip
BASELINE_COLUMNS = (
    "dataset", "unit", "total", "wrong", "bl_random", "bl_human", "bl_random_exact", "n_items", "n_annotators",
    "ci_low", "ci_high", "ci_method", "wilson_low", "wilson_high", "ann_mean", "ann_min", "ann_max", "n_ties",
    "normalise",
)  # fmt: skip
SCORE_COLUMNS = (
    "dataset", "subset", "unit", "metric", "value", "ci_low", "ci_high", "ci_method", "total", "n_items",
    "n_annotators", "n_ties", "beyond_half_width", "normalise",
)  # fmt: skip
_RESPONSE_ORDER = ("item_id", "annotator", "is_repeat", "revision")


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """Everything that is published, and the results from which it was made.

    The frames (columns RESPONSE_COLUMNS, GOLD_COLUMNS, ANNOTATOR_COLUMNS, BASELINE_COLUMNS, SCORE_COLUMNS) hold the
    content of the files: sorted rows, numbers with fixed decimals as text, None for an empty cell.
    `agreement` is the content of agreement.json.
    """

    options: ReleaseOptions
    results: tuple[DataSetResult, ...]
    responses: pd.DataFrame
    gold: pd.DataFrame
    annotators: pd.DataFrame
    baselines: pd.DataFrame
    scores: pd.DataFrame
    agreement: Mapping[str, Any]

    @property
    def simulated(self) -> bool:
        """Whether any data set has answers of simulated annotators."""
        return any(result.data.simulated for result in self.results)


def build_release(
    data_sets: Sequence[DataSet],
    *,
    method: Method = "majority",
    ties: TieRule = "drop",
    seed: int = 0,
    anchors: bool = False,
    agreement_resamples: int = 1000,
    performance_resamples: int = 2000,
    confidence_level: float = 0.95,
    progress: Progress | None = None,
) -> Release:
    """Aggregate the data sets and build the tables of a release.

    `method` and `ties` make the consensus of gold.csv; `anchors` lets the method use declared gold as known. Where the
    method does not fit a data set the majority takes its place, and agreement.json says so. `progress` is called with
    the share done, 0 to 1. Raises HromadaError for two data sets of one name and for votes that contradict their items.
    """
    options = ReleaseOptions(
        method=method,
        ties=ties,
        seed=seed,
        agreement_resamples=agreement_resamples,
        performance_resamples=performance_resamples,
        confidence_level=confidence_level,
        anchors=anchors,
    )
    results = compute_results(data_sets, options=options, progress=progress)
    return Release(
        options=options,
        results=results,
        responses=_stack_frames([build_response_table(result.data) for result in results], RESPONSE_COLUMNS),
        gold=_stack_frames([build_gold_table(result) for result in results], GOLD_COLUMNS),
        annotators=_stack_frames([build_annotator_table(result) for result in results], ANNOTATOR_COLUMNS),
        baselines=_stack_frames([build_baseline_table(result) for result in results], BASELINE_COLUMNS),
        scores=_stack_frames([build_score_table(result) for result in results], SCORE_COLUMNS),
        agreement=build_agreement_content(results, options=options),
    )


def write_release(
    release: Release, folder: Path, *, extra_files: Mapping[str, str | bytes] | None = None
) -> tuple[Path, ...]:
    """Write the six files of a release into a folder, and with them the `extra_files` (file name → content)."""
    return writers.write_files(
        folder,
        {
            "human_responses.csv": writers.format_csv(release.responses),
            "gold.csv": writers.format_csv(release.gold),
            "annotators.csv": writers.format_csv(release.annotators),
            "baselines.csv": writers.format_csv(release.baselines),
            "human_baseline.csv": writers.format_csv(release.scores),
            "agreement.json": writers.format_json(release.agreement),
            **(extra_files or {}),
        },
    )


def build_response_table(data: DataSet) -> pd.DataFrame:
    """All answers, excluded ones with the reason, with the columns RESPONSE_COLUMNS.

    Sorted by item, annotator, repeat and revision; answers equal in all of these keep the order in which they were
    given.
    """
    frame = data.responses.loc[:, list(RESPONSE_COLUMNS)].assign(dataset=data.name)
    return frame.sort_values(list(_RESPONSE_ORDER), kind="stable", na_position="first", ignore_index=True)


def build_gold_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each item, answered or not, with the columns GOLD_COLUMNS.

    `gold` is the declared label with its origin and version, else the consensus with the origin `votes`. `confidence`
    is always that of the consensus, 0 to 1; `gold_confidence` is that of `gold`, for a declared label the share of
    votes that agree with it. `consensus` is empty where a tie is left open. `n_excluded`
    counts answers to the item that do not count; `method` gives version, iterations, convergence and tie rule of the
    consensus, and of texts how they were compared, `warning` the reasons to doubt it.
    """
    items = result.data.items.set_index("item_id").sort_index()
    labels = _list_consensus_labels(result).reindex(items.index)
    declared, voted = items["gold"].notna(), labels["label"].notna()
    frame = pd.DataFrame(
        {
            "dataset": result.data.name,
            "item_id": items.index,
            "group": items["group"],
            "gold": items["gold"].where(declared, labels["label"]),
            "origin": items["gold_origin"].where(declared, voted.map({True: "votes", False: None})),
            "version": items["gold_version"],
            "confidence": format_column(labels["confidence"], digits=4),
            "gold_confidence": format_column(_compute_gold_confidence(result, labels), digits=4),
            "consensus": labels["label"],
            "method": labels["method"],
            "tie": labels["tie"],
            "n_votes": pd.to_numeric(labels["n_votes"]).fillna(0).astype(int),
            "n_excluded": result.data.list_excluded_responses()["item_id"]
            .value_counts()
            .reindex(items.index, fill_value=0),
            "warning": labels["warning"].where(labels["warning"] != ""),
        },
        columns=list(GOLD_COLUMNS),
    )
    return frame.reset_index(drop=True)


def _compute_gold_confidence(result: DataSetResult, labels: pd.DataFrame) -> pd.Series[float]:
    """The confidence of the gold of each item of `labels`.

    For declared gold it is the share of votes that agree with it, else the confidence of the consensus.
    """
    gold, frame = result.data.items.set_index("item_id")["gold"], result.votes.frame
    known = labels.index[gold.reindex(labels.index).notna()]
    voted = frame.loc[frame["item"].isin(known)]
    pairs = zip(voted["item"], voted["answer"], strict=True)
    right = [result.data.is_right(item, answer, gold[item]) for item, answer in pairs]
    agreeing = pd.Series(right, index=voted.index, dtype=float).groupby(voted["item"]).mean()
    consensus = pd.to_numeric(labels.loc[labels["label"].notna(), "confidence"])
    return pd.Series({**consensus.to_dict(), **agreeing.reindex(known).to_dict()}, dtype=float).reindex(labels.index)


def build_baseline_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each unit that has a score, with the columns BASELINE_COLUMNS; shares are in percent."""
    scores = result.performance
    rows = [] if scores is None else [_build_baseline_row(unit, scores, data=result.data) for unit in scores.units]
    return pd.DataFrame(rows, columns=list(BASELINE_COLUMNS))


def build_score_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each variant (`subset`), unit and metric, with the columns SCORE_COLUMNS; values are fractions.

    The primary variant comes first. `beyond_half_width` is `DataSetResult.exceeds_half_width` of the other variants.
    """
    variants = {PRIMARY: result.performance, **dict(sorted(result.variants.items()))}
    rows = [
        {
            "dataset": result.data.name,
            "subset": variant,
            "unit": unit.unit,
            "metric": score.metric,
            "value": format_fixed(score.value, 4),
            "ci_low": format_fixed(score.low, 4),
            "ci_high": format_fixed(score.high, 4),
            "ci_method": unit.ci_method + get_positions_mark(result.data),
            "total": unit.total,
            "n_items": unit.n_items,
            "n_annotators": unit.n_annotators,
            "n_ties": unit.n_ties,
            "beyond_half_width": None if variant == PRIMARY else result.exceeds_half_width(unit, score),
            "normalise": result.data.normalise,
        }
        for variant, performance in variants.items()
        for unit in (() if performance is None else performance.units)
        for score in unit.scores
    ]
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS))


def _build_baseline_row(unit: Unit, scores: Performance, *, data: DataSet) -> dict[str, object]:
    return {
        "dataset": data.name,
        "unit": unit.unit,
        "total": unit.total,
        "wrong": unit.wrong,
        "bl_random": format_percent(scores.random),
        "bl_human": format_percent(1 - unit.wrong / unit.total),
        "bl_random_exact": format_percent(scores.random_exact),
        "n_items": unit.n_items,
        "n_annotators": unit.n_annotators,
        "ci_low": format_percent(unit.primary.low),
        "ci_high": format_percent(unit.primary.high),
        "ci_method": unit.ci_method + get_positions_mark(data),
        "wilson_low": format_percent(unit.wilson_low),
        "wilson_high": format_percent(unit.wilson_high),
        "ann_mean": format_percent(unit.ann_mean),
        "ann_min": format_percent(unit.ann_min),
        "ann_max": format_percent(unit.ann_max),
        "n_ties": unit.n_ties,
        "normalise": data.normalise,
    }


def get_positions_mark(data: DataSet) -> str:
    """The mark added to the method of every figure whose classes are positions; empty for other data sets."""
    return "; classes are positions" if data.classes_are_positions else ""


def _get_text_mark(data: DataSet) -> str:
    """The mark added to the method of labels that are texts: how they were compared; empty for other data sets."""
    return "" if data.normalise is None else f"; texts compared by {data.normalise}"


def _list_consensus_labels(result: DataSetResult) -> pd.DataFrame:
    """The consensus by item: label, confidence, tie, n_votes, method (how it was made), warning."""
    consensus = result.consensus
    if consensus is None:
        return pd.DataFrame(columns=["label", "confidence", "tie", "n_votes", "method", "warning"], dtype=object)
    labels = consensus.to_published()
    return labels.assign(method=labels["method"] + get_positions_mark(result.data) + _get_text_mark(result.data))


def _stack_frames(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """Stack frames as objects, so that gaps in one frame do not change the type of numbers in another."""
    parts = [np.empty((0, len(columns)), dtype=object)]
    for frame in frames:
        cells = frame.to_numpy(dtype=object, copy=True)
        cells[frame.isna().to_numpy()] = None
        parts.append(cells)
    return pd.DataFrame(np.vstack(parts), columns=list(columns), dtype=object)
