"""annotators.csv: what each person answered, how well, and how she worked."""

from __future__ import annotations

import pandas as pd

from aggregation.performance import Performance
from exports import conduct
from exports.cells import column
from exports.results import Result

ANNOTATORS = (
    "dataset", "annotator", "insider", "n", "right", "accuracy", "wilson_low", "wilson_high", "skips", "controls",
    "controls_right", "repeats", "self_agreement", "seconds_median", "fast_share", "excluded_reason",
)  # fmt: skip


def annotators(result: Result) -> pd.DataFrame:
    """One row a person who answered, with the columns ANNOTATORS; shares and their interval are fractions, 0 to 1.

    Where the data set has gold, `n` counts retained answers to items that have it, and skips of such items; `right`
    those equal to gold. Else `n` counts retained answers and the cells from right to wilson_high are empty.
    `seconds_median` and `fast_share` are over all retained answers; the other columns are of `conduct.of_people`.
    """
    people = pd.Index(sorted(result.data.responses["annotator"].dropna().unique()), name="annotator", dtype=object)
    retained = result.data.retained()
    seconds = pd.to_numeric(retained["seconds"]).groupby(retained["annotator"]).median().reindex(people)
    scores = _scores(result.performance, answers=retained["annotator"].value_counts(), people=people)
    told = conduct.of_people(result.data, people)
    told["self_agreement"] = column(told["repeats_equal"] / told["repeats"].where(told["repeats"] > 0), digits=4)
    told["fast_share"] = column(told["fast_share"], digits=4)
    frame = scores.join(told).assign(dataset=result.data.name, seconds_median=column(seconds, digits=2))
    return frame.reset_index().loc[:, list(ANNOTATORS)]


def _scores(scores: Performance | None, *, answers: pd.Series[int], people: pd.Index[str]) -> pd.DataFrame:
    """The columns n, right, accuracy, wilson_low, wilson_high for `people`; `answers` counts each one's retained."""
    if scores is None:
        empty = dict.fromkeys(["right", "accuracy", "wilson_low", "wilson_high"])
        return pd.DataFrame({"n": answers.reindex(people, fill_value=0), **empty}, index=people)
    known = scores.annotators.reindex(people)
    counts = known[["n", "right"]].fillna(0).astype(int)
    shares = known[["accuracy", "wilson_low", "wilson_high"]]
    return counts.assign(**{str(name): column(shares[name], digits=4) for name in shares.columns})
