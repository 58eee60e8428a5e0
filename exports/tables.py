"""A release: its tables of answers, gold, annotators and baselines, ready to be written as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aggregation.consensus.consensus import TieRule
from aggregation.consensus.methods import Method
from aggregation.intervals.resampling import Progress
from aggregation.scores.performance import Performance, Score, Unit
from exports import annotator_quality, writers
from exports.agreement_file import build_agreement_content
from exports.class_tables import CLASS_COLUMNS, CONFUSION_COLUMNS, build_class_table, build_confusion_table
from exports.gold_tables import (
    GOLD_COLUMNS,
    HUMAN_ITEM_COLUMNS,
    build_gold_table,
    build_human_item_table,
    get_positions_mark,
)
from exports.inputs import RESPONSE_COLUMNS, DataSet
from exports.opinion_tables import (
    DIFFERENCE_COLUMNS,
    ITEM_OPINION_COLUMNS,
    OPINION_COLUMNS,
    SEVERITY_COLUMNS,
    build_difference_table,
    build_item_opinion_table,
    build_opinion_table,
    list_severities,
)
from exports.order_effects import ORDER_COLUMNS, build_order_table
from exports.panel_tables import PANEL_COLUMNS, build_panel_table
from exports.preferences import (
    POSITION_COLUMNS,
    PREFERENCE_COLUMNS,
    RANKING_COLUMNS,
    build_position_table,
    build_preference_table,
    build_ranking_table,
)
from exports.results import DataSetResult, ResultOptions, compute_results
from exports.rounding import format_column, format_fields, format_percent
from exports.score_variants import PRIMARY, TRIVIAL_COLUMNS, build_trivial_table
from exports.vote_distributions import format_distributions

ANNOTATOR_COLUMNS = (
    "dataset", "annotator", "insider", "n", "right", "accuracy", "independent_low", "independent_high", "n_with_others",
    "agreement_with_others", "agreement_with_others_dawid_skene", *SEVERITY_COLUMNS, "skips", "controls",
    "controls_right", "repeats", "self_agreement", "seconds_median", "fast_share", "excluded_reason",
)  # fmt: skip


def build_annotator_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each annotator with an answer, with the columns ANNOTATOR_COLUMNS; shares are fractions, 0 to 1.

    Where the data set has gold, `n` is the number of votes on items that have it and of counted skips of such items,
    `right` the number of those equal to gold. Else `n` is the number of votes, and the cells from `right` to
    `independent_high` are empty. `n_with_others` and both agreements are those of
    `labels.agreement.compute_agreement_with_others`, in place of scores where the gold was made of these votes, else
    empty. `seconds_median` and `fast_share` are over all votes; the other columns are those of
    `annotator_quality.summarize_annotators`.
    """
    data = result.data
    annotators = pd.Index(sorted(data.responses["annotator"].dropna().unique()), name="annotator", dtype=object)
    counted = data.list_counted_answers()
    seconds = pd.to_numeric(counted["seconds"]).groupby(counted["annotator"]).median().reindex(annotators)
    scores = _list_scores(result.performance, n_votes=counted["annotator"].value_counts(), annotators=annotators)
    quality = annotator_quality.summarize_annotators(data, annotators)
    same = quality["repeats_equal"] / quality["repeats"].where(quality["repeats"] > 0)
    quality["self_agreement"] = format_column(same, digits=4)
    quality["fast_share"] = format_column(quality["fast_share"], digits=4)
    frame = (
        scores.join(quality)
        .join(_list_agreement_with_others(result, annotators))
        .join(list_severities(result.scale, annotators))
        .assign(dataset=data.name, seconds_median=format_column(seconds, digits=2))
    )
    return frame.reset_index().loc[:, list(ANNOTATOR_COLUMNS)]


def _list_agreement_with_others(result: DataSetResult, annotators: pd.Index[str]) -> pd.DataFrame:
    """The columns n_with_others, agreement_with_others and agreement_with_others_dawid_skene."""
    names = ["n_with_others", "agreement_with_others", "agreement_with_others_dawid_skene"]
    if result.with_others is None:
        return pd.DataFrame(dict.fromkeys(names), index=annotators, dtype=object)
    agreement = result.with_others.reindex(annotators)
    counts = agreement["n"].fillna(0).astype(int)
    shares = [format_column(agreement[column], digits=4) for column in ("majority", "dawid_skene")]
    return pd.DataFrame(dict(zip(names, [counts, *shares], strict=True)), index=annotators)


def _list_scores(
    performance: Performance | None, *, n_votes: pd.Series[int], annotators: pd.Index[str]
) -> pd.DataFrame:
    """The columns n, right, accuracy, independent_low, independent_high; `n_votes` counts each annotator's votes."""
    if performance is None:
        empty = dict.fromkeys(["right", "accuracy", "independent_low", "independent_high"])
        return pd.DataFrame({"n": n_votes.reindex(annotators, fill_value=0), **empty}, index=annotators)
    scores = performance.annotators.reindex(annotators)
    counts = scores[["n", "right"]].fillna(0).astype(int)
    shares = scores[["accuracy", "independent_low", "independent_high"]]
    return counts.assign(**{str(name): format_column(shares[name], digits=4) for name in shares.columns})


BASELINE_COLUMNS = (
    "dataset", "unit", "basis", "total", "wrong", "bl_random", "bl_human", "bl_human_low", "bl_human_high",
    "bl_random_exact", "n_items", "n_annotators", "se", "item_only_low", "item_only_high", "ci_method",
    "independent_low", "independent_high", "ann_mean", "ann_q1", "ann_median", "ann_q3", "ann_min", "ann_max", "n_ties",
    "bl_human_ties_wrong", "warning", "normalise",
)  # fmt: skip
SCORE_COLUMNS = (
    "dataset", "subset", "unit", "metric", "value", "ci_low", "ci_high", "se", "item_only_low", "item_only_high",
    "ci_method", "total", "n_items", "n_annotators", "n_ties", "value_ties_wrong", "beyond_half_width", "warning",
    "normalise", "variance_people", "variance_groups", "variance_items", "variance_cell", "icc_people", "icc_groups",
    "icc_items",
)  # fmt: skip
_COMPONENTS = ("people", "groups", "items", "cell")
_CORRELATIONS = ("icc_people", "icc_groups", "icc_items")
_SCORE_FIELDS = ("value", "ci_low", "ci_high", "se", "item_only_low", "item_only_high", "value_ties_wrong")
_FRACTIONS = ("independent_low", "independent_high", "ann_mean", "ann_q1", "ann_median", "ann_q3", "ann_min", "ann_max")
_RESPONSE_ORDER = ("item_id", "annotator", "is_repeat", "revision")


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """Everything that is published, and the results from which it was made.

    The frames (columns RESPONSE_COLUMNS, GOLD_COLUMNS, HUMAN_ITEM_COLUMNS, ANNOTATOR_COLUMNS, BASELINE_COLUMNS,
    SCORE_COLUMNS, PANEL_COLUMNS, ORDER_COLUMNS, CLASS_COLUMNS, CONFUSION_COLUMNS, TRIVIAL_COLUMNS, and those of
    `opinion_tables` and `preferences`) hold the content of the files: sorted rows, numbers with fixed decimals as text,
    None for an empty cell. `agreement` is the content of
    agreement.json.
    """

    options: ResultOptions
    results: tuple[DataSetResult, ...]
    responses: pd.DataFrame
    gold: pd.DataFrame
    human_items: pd.DataFrame
    annotators: pd.DataFrame
    baselines: pd.DataFrame
    scores: pd.DataFrame
    panels: pd.DataFrame
    order_effects: pd.DataFrame
    class_scores: pd.DataFrame
    confusions: pd.DataFrame
    trivial: pd.DataFrame
    preferences: pd.DataFrame
    preference_ranking: pd.DataFrame
    positions: pd.DataFrame
    agreement: Mapping[str, Any]
    opinions: pd.DataFrame
    opinion_differences: pd.DataFrame
    opinion_items: pd.DataFrame

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
    confidence_level: float = 0.95,
    progress: Progress | None = None,
) -> Release:
    """Aggregate the data sets and build the tables of a release.

    `method` and `ties` make the consensus of gold.csv; `anchors` lets the method use declared gold as known. Where the
    method does not fit a data set the majority takes its place, and agreement.json says so. `progress` is called with
    the share done, 0 to 1. Raises HromadaError for two data sets of one name and for votes that contradict their items.
    """
    options = ResultOptions(
        method=method,
        ties=ties,
        seed=seed,
        agreement_resamples=agreement_resamples,
        confidence_level=confidence_level,
        anchors=anchors,
    )
    results = compute_results(data_sets, options=options, progress=progress)
    return Release(
        options=options,
        results=results,
        responses=_stack_frames([build_response_table(result.data) for result in results], RESPONSE_COLUMNS),
        gold=_stack_frames([build_gold_table(result) for result in results], GOLD_COLUMNS),
        human_items=_stack_frames([build_human_item_table(result) for result in results], HUMAN_ITEM_COLUMNS),
        annotators=_stack_frames([build_annotator_table(result) for result in results], ANNOTATOR_COLUMNS),
        baselines=_stack_frames([build_baseline_table(result) for result in results], BASELINE_COLUMNS),
        scores=_stack_frames([build_score_table(result) for result in results], SCORE_COLUMNS),
        panels=_stack_frames([build_panel_table(result) for result in results], PANEL_COLUMNS),
        order_effects=_stack_frames(
            [build_order_table(result.data.name, result.people) for result in results], ORDER_COLUMNS
        ),
        class_scores=_stack_frames([build_class_table(result) for result in results], CLASS_COLUMNS),
        confusions=_stack_frames([build_confusion_table(result) for result in results], CONFUSION_COLUMNS),
        trivial=_stack_frames(
            [build_trivial_table(result.data, result.trivial) for result in results],
            TRIVIAL_COLUMNS,
        ),
        preferences=_stack_frames(
            [build_preference_table(result.data, result.preference) for result in results], PREFERENCE_COLUMNS
        ),
        preference_ranking=_stack_frames(
            [build_ranking_table(result.data, result.preference) for result in results], RANKING_COLUMNS
        ),
        positions=_stack_frames(
            [build_position_table(result.data, result.preference) for result in results], POSITION_COLUMNS
        ),
        agreement=build_agreement_content(results, options=options),
        opinions=_stack_frames(
            [build_opinion_table(result.data.name, result.scale) for result in results], OPINION_COLUMNS
        ),
        opinion_differences=_stack_frames(
            [build_difference_table(result.data.name, result.scale) for result in results], DIFFERENCE_COLUMNS
        ),
        opinion_items=_stack_frames(
            [build_item_opinion_table(result.data.name, result.scale) for result in results], ITEM_OPINION_COLUMNS
        ),
    )


def build_files(release: Release) -> dict[str, str]:
    """The files of a release by name; those of panels, points, preferences and distributions only if there are such."""
    of_some = {
        "panels.csv": release.panels,
        "opinions.csv": release.opinions,
        "opinion_differences.csv": release.opinion_differences,
        "opinion_items.csv": release.opinion_items,
        "preferences.csv": release.preferences,
        "preference_ranking.csv": release.preference_ranking,
        "positions.csv": release.positions,
    }
    distributions = format_distributions(release.human_items)
    return {
        **{name: writers.format_csv(table) for name, table in of_some.items() if not table.empty},
        **({"label_distributions.jsonl": distributions} if distributions else {}),
        "human_responses.csv": writers.format_csv(release.responses),
        "gold.csv": writers.format_csv(release.gold),
        "human_items.csv": writers.format_csv(release.human_items),
        "annotators.csv": writers.format_csv(release.annotators),
        "baselines.csv": writers.format_csv(release.baselines),
        "human_baseline.csv": writers.format_csv(release.scores),
        "order_effects.csv": writers.format_csv(release.order_effects),
        "class_scores.csv": writers.format_csv(release.class_scores),
        "trivial_baselines.csv": writers.format_csv(release.trivial),
        "confusion_matrix.csv": writers.format_csv(release.confusions),
        "agreement.json": writers.format_json(release.agreement),
    }


def write_release(
    release: Release, folder: Path, *, extra_files: Mapping[str, str | bytes] | None = None
) -> tuple[Path, ...]:
    """Write the files of a release into a folder, and with them the `extra_files` (file name → content)."""
    return writers.write_files(folder, {**build_files(release), **(extra_files or {})})


def build_response_table(data: DataSet) -> pd.DataFrame:
    """All answers, excluded ones with the reason, with the columns RESPONSE_COLUMNS.

    Sorted by item, annotator, repeat and revision; answers equal in all of these keep the order in which they were
    given.
    """
    frame = data.responses.loc[:, list(RESPONSE_COLUMNS)].assign(dataset=data.name)
    return frame.sort_values(list(_RESPONSE_ORDER), kind="stable", na_position="first", ignore_index=True)


def build_baseline_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each basis and unit that has a score, with the columns BASELINE_COLUMNS; `bl_` ones are in percent.

    The rows to report come first; the rows of all votes pooled follow where items have more votes than were planned.
    """
    rows = [
        _build_baseline_row(unit, scores, data=result.data) | {"basis": basis}
        for basis, scores in result.list_bases()
        for unit in scores.units
    ]
    return pd.DataFrame(rows, columns=list(BASELINE_COLUMNS))


def build_score_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each variant (`subset`), unit and metric, with the columns SCORE_COLUMNS; values are fractions.

    The primary variant comes first. `beyond_half_width` is `DataSetResult.exceeds_half_width` of the other variants.
    """
    variants = {PRIMARY: result.reported, **result.list_variants()}
    rows = [
        {
            "dataset": result.data.name,
            "subset": variant,
            "unit": unit.unit,
            "metric": score.metric,
            **format_fields(score, _SCORE_FIELDS),
            "ci_method": score.ci_method + get_positions_mark(result.data),
            "total": unit.total,
            "n_items": unit.n_items,
            "n_annotators": unit.n_annotators,
            "n_ties": unit.n_ties,
            "beyond_half_width": None if variant == PRIMARY else result.exceeds_half_width(unit, score),
            "warning": join_warnings(unit, score),
            "normalise": result.data.normalise,
            **_list_components(unit, score),
        }
        for variant, performance in variants.items()
        for unit in (
            *(() if performance is None else (*performance.units, *performance.fresh_majorities)),
            *(result.point_units if variant == PRIMARY else ()),
        )
        for score in unit.scores
    ]
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS))


def _list_components(unit: Unit, score: Score) -> dict[str, str | None]:
    """The variance components of right answers and their correlations, beside the share of right single answers."""
    if unit.components is None or score is not unit.primary:
        return {}
    variances = format_fields(unit.components, _COMPONENTS, digits=6)
    return {f"variance_{name}": value for name, value in variances.items()} | format_fields(
        unit.components, _CORRELATIONS
    )


def _build_baseline_row(unit: Unit, scores: Performance, *, data: DataSet) -> dict[str, object]:
    return {
        "dataset": data.name,
        "unit": unit.unit,
        "total": unit.total,
        "wrong": unit.wrong,
        "bl_random": format_percent(scores.random),
        "bl_human": format_percent(unit.primary.value),
        "bl_human_low": format_percent(unit.primary.ci_low),
        "bl_human_high": format_percent(unit.primary.ci_high),
        "bl_random_exact": format_percent(scores.random_exact),
        "n_items": unit.n_items,
        "n_annotators": unit.n_annotators,
        **format_fields(unit.primary, ("se", "item_only_low", "item_only_high")),
        **format_fields(unit, _FRACTIONS),
        "ci_method": unit.primary.ci_method + get_positions_mark(data),
        "n_ties": unit.n_ties,
        "bl_human_ties_wrong": format_percent(unit.primary.value_ties_wrong),
        "normalise": data.normalise,
        "warning": join_warnings(unit, unit.primary),
    }


def join_warnings(unit: Unit, score: Score) -> str | None:
    """What makes a number doubtful, and why its value or an interval is missing; None where nothing does."""
    return " ".join(part for part in (*unit.warnings, score.reason) if part) or None


def _stack_frames(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """Stack frames as objects, so that gaps in one frame do not change the type of numbers in another."""
    parts = [np.empty((0, len(columns)), dtype=object)]
    for frame in frames:
        cells = frame.to_numpy(dtype=object, copy=True)
        cells[frame.isna().to_numpy()] = None
        parts.append(cells)
    return pd.DataFrame(np.vstack(parts), columns=list(columns), dtype=object)
