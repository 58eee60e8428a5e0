"""annotators.csv: how much each annotator answered, how well, and the quality of their work."""

from __future__ import annotations

import pandas as pd

from aggregation.performance import Performance
from exports import annotator_quality
from exports.number_formats import format_column
from exports.results import DataSetResult

ANNOTATOR_COLUMNS = (
    "dataset", "annotator", "insider", "n", "right", "accuracy", "wilson_low", "wilson_high", "n_with_others",
    "agreement_with_others", "agreement_with_others_dawid_skene", "skips", "controls", "controls_right", "repeats",
    "self_agreement", "seconds_median", "fast_share", "excluded_reason",
)  # fmt: skip


def build_annotator_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each annotator with an answer, with the columns ANNOTATOR_COLUMNS; shares are fractions, 0 to 1.

    Where the data set has gold, `n` is the number of votes on items that have it and of counted skips of such items,
    `right` the number of those equal to gold. Else `n` is the number of votes, and the cells from `right` to
    `wilson_high` are empty. `n_with_others` and both agreements are those of
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
        .assign(dataset=data.name, seconds_median=format_column(seconds, digits=2))
    )
    return frame.reset_index().loc[:, list(ANNOTATOR_COLUMNS)]


def _list_agreement_with_others(result: DataSetResult, annotators: pd.Index[str]) -> pd.DataFrame:
    """The columns n_with_others, agreement_with_others and agreement_with_others_dawid_skene."""
    names = ["n_with_others", "agreement_with_others", "agreement_with_others_dawid_skene"]
    if result.with_others is None:
        return pd.DataFrame(dict.fromkeys(names), index=annotators, dtype=object)
    known = result.with_others.reindex(annotators)
    counts = known["n"].fillna(0).astype(int)
    shares = [format_column(known[column], digits=4) for column in ("majority", "dawid_skene")]
    return pd.DataFrame(dict(zip(names, [counts, *shares], strict=True)), index=annotators)


def _list_scores(
    performance: Performance | None, *, n_votes: pd.Series[int], annotators: pd.Index[str]
) -> pd.DataFrame:
    """The columns n, right, accuracy, wilson_low, wilson_high; `n_votes` is the number of each annotator's votes."""
    if performance is None:
        empty = dict.fromkeys(["right", "accuracy", "wilson_low", "wilson_high"])
        return pd.DataFrame({"n": n_votes.reindex(annotators, fill_value=0), **empty}, index=annotators)
    known = performance.annotators.reindex(annotators)
    counts = known[["n", "right"]].fillna(0).astype(int)
    shares = known[["accuracy", "wilson_low", "wilson_high"]]
    return counts.assign(**{str(name): format_column(shares[name], digits=4) for name in shares.columns})
