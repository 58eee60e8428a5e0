"""The quality of each annotator's work: control items, repeats, times. None of it enters a score."""

from __future__ import annotations

import pandas as pd

from aggregation.scoring import normalise_answer
from exports.inputs import DataSet

FAST_SHARE_OF_MEDIAN = 0.25
"""An answer in less than this share of the data set's median time is fast."""


def list_control_answers(data: DataSet) -> pd.DataFrame:
    """The answers to control items with gold, one a row: annotator, right. Answers excluded by a rule are included."""
    declared = data.items.set_index("item_id")["gold"].dropna()
    golds = pd.concat([pd.Series(dict(data.control_gold), dtype=object), declared])
    rows = data.responses
    controls = rows.loc[rows["is_control"].eq(other=True) & rows["response"].notna()]
    gold = controls["item_id"].map(golds)
    answered = controls.loc[gold.notna()]
    answers = zip(answered["item_id"], answered["response"], gold[gold.notna()], strict=True)
    right = [data.is_right(item, response, truth) for item, response, truth in answers]
    columns = {"annotator": answered["annotator"], "right": pd.Series(right, index=answered.index, dtype=object)}
    return pd.DataFrame(columns)


def list_repeats(data: DataSet) -> pd.DataFrame:
    """The items that an annotator answered twice, one a row: annotator, item, first, again, gap_hours.

    `first` and `again` are the two answers, normalised for comparison; `gap_hours` is the time between them.
    """
    rows = data.responses
    is_excluded = rows["excluded_kind"] != rows["assignment_kind"]  # by more than being a repeat
    later = rows.loc[rows["is_repeat"].eq(other=True) & rows["response"].notna() & ~is_excluded]
    counted = data.list_counted_answers().drop_duplicates(["item_id", "annotator"])
    pairs = later.merge(counted, on=["item_id", "annotator"], suffixes=("_again", ""))
    pairs = pairs[["annotator", "item_id", "response", "response_again", "gap_hours_again"]]
    named = pairs.set_axis(["annotator", "item", "first", "again", "gap_hours"], axis=1)
    for name in ("first", "again"):
        named[name] = [normalise_answer(data.normalise, answer) for answer in named[name]]
    return named.sort_values(["annotator", "item"], kind="stable", ignore_index=True)


def list_answer_times(data: DataSet) -> pd.DataFrame:
    """The answers that count and have a known time, one a row: annotator, seconds, fast (FAST_SHARE_OF_MEDIAN)."""
    rows = data.list_counted_answers()
    seconds = pd.to_numeric(rows["seconds"]).astype(float)
    timed = pd.DataFrame({"annotator": rows["annotator"], "seconds": seconds}).dropna()
    return timed.assign(fast=timed["seconds"] < FAST_SHARE_OF_MEDIAN * timed["seconds"].median())


def summarize_annotators(data: DataSet, annotators: pd.Index[str]) -> pd.DataFrame:
    """Summarize the work of each annotator, one a row, in the order of `annotators`.

    Columns: insider, skips, controls, controls_right, repeats, repeats_equal (counts), fast_share, excluded_reason.
    """
    controls, repeats, times = list_control_answers(data), list_repeats(data), list_answer_times(data)
    equal = repeats.loc[repeats["first"] == repeats["again"], "annotator"]
    insider = data.responses["insider"].eq(other=True).groupby(data.responses["annotator"]).any()
    reasons = [data.removed_annotators.get(annotator) for annotator in annotators]
    return pd.DataFrame(
        {
            "insider": insider.reindex(annotators).astype(object),
            "skips": _count_by_annotator(data.list_counted_skips()["annotator"], annotators),
            "controls": _count_by_annotator(controls["annotator"], annotators),
            "controls_right": _count_by_annotator(
                controls.loc[controls["right"].eq(other=True), "annotator"], annotators
            ),
            "repeats": _count_by_annotator(repeats["annotator"], annotators),
            "repeats_equal": _count_by_annotator(equal, annotators),
            "fast_share": times["fast"].astype(float).groupby(times["annotator"]).mean().reindex(annotators),
            "excluded_reason": pd.Series(reasons, index=annotators, dtype=object),
        },
        index=annotators,
    )


def _count_by_annotator(names: pd.Series[str], annotators: pd.Index[str]) -> pd.Series[int]:
    return names.value_counts().reindex(annotators, fill_value=0).astype(int)
