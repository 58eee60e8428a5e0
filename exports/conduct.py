"""How each person worked: control items, repeats, pace. None of it enters a score."""

from __future__ import annotations

import pandas as pd

from aggregation.kinds import as_compared, is_right
from exports.inputs import DataSet

FAST = 0.25
"""An answer in less than this share of the data set's median time is fast."""


def controls(data: DataSet) -> pd.DataFrame:
    """One row an answer to a control item with gold: annotator, right; what a rule excluded is evidence too."""
    known = pd.concat([pd.Series(dict(data.aside), dtype=object), data.items.set_index("item_id")["gold"].dropna()])
    rows = data.responses
    asked = rows.loc[rows["is_control"].eq(other=True) & rows["response"].notna()]
    gold = asked["item_id"].map(known)
    told = asked.loc[gold.notna()]
    said = zip(told["item_id"], told["response"], gold[gold.notna()], strict=True)
    right = [is_right(data.kind, response, (truth, *data.accepted.get(item, ()))) for item, response, truth in said]
    return pd.DataFrame({"annotator": told["annotator"], "right": pd.Series(right, index=told.index, dtype=object)})


def repeats(data: DataSet) -> pd.DataFrame:
    """One row an item asked of a person again and answered both times: annotator, item, first, again, gap_hours.

    The answers are told as they are compared.
    """
    rows = data.responses.loc[data.responses["response"].notna() & data.responses["excluded_reason"].isna()]
    later = rows.loc[rows["is_repeat"].eq(other=True)]
    counted = data.retained().drop_duplicates(["item_id", "annotator"])
    pairs = later.merge(counted, on=["item_id", "annotator"], suffixes=("_again", ""))
    pairs = pairs[["annotator", "item_id", "response", "response_again", "gap_hours_again"]]
    named = pairs.set_axis(["annotator", "item", "first", "again", "gap_hours"], axis=1)
    for name in ("first", "again"):
        named[name] = [as_compared(data.kind, answer) for answer in named[name]]
    return named.sort_values(["annotator", "item"], kind="stable", ignore_index=True)


def pace(data: DataSet) -> pd.DataFrame:
    """One row an answer that counts and whose time is known: annotator, seconds, fast."""
    rows = data.retained()
    seconds = pd.to_numeric(rows["seconds"]).astype(float)
    known = pd.DataFrame({"annotator": rows["annotator"], "seconds": seconds}).dropna()
    return known.assign(fast=known["seconds"] < FAST * known["seconds"].median())


def of_people(data: DataSet, people: pd.Index[str]) -> pd.DataFrame:
    """One row a person.

    Columns: insider, skips, controls, controls_right, repeats, repeats_equal (numbers), fast_share, excluded_reason.
    """
    known, twice, times = controls(data), repeats(data), pace(data)
    equal = twice.loc[twice["first"] == twice["again"], "annotator"]
    insider = data.responses["insider"].eq(other=True).groupby(data.responses["annotator"]).any()
    return pd.DataFrame(
        {
            "insider": insider.reindex(people).astype(object),
            "skips": _number(data.skipped()["annotator"], people),
            "controls": _number(known["annotator"], people),
            "controls_right": _number(known.loc[known["right"].eq(other=True), "annotator"], people),
            "repeats": _number(twice["annotator"], people),
            "repeats_equal": _number(equal, people),
            "fast_share": times["fast"].astype(float).groupby(times["annotator"]).mean().reindex(people),
            "excluded_reason": pd.Series([data.barred.get(person) for person in people], index=people, dtype=object),
        },
        index=people,
    )


def _number(names: pd.Series[str], people: pd.Index[str]) -> pd.Series[int]:
    """How often each person is named."""
    return names.value_counts().reindex(people, fill_value=0).astype(int)
