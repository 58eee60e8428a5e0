"""Where answers go: from all that were given to those that count, and how many of these each item has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from exports.inputs import DataSet
from exports.release_state import ReleaseState

EXCLUSION_COLUMNS = ("dataset", "step", "kind", "reason", "by_rule", "post_hoc", "n_answers", "n_annotators", "n_items")
PER_ITEM_COLUMNS = ("dataset", "n_answers", "n_items")
_KEYS = ["excluded_kind", "excluded_reason", "by_rule", "post_hoc"]


def list_exclusions(state: ReleaseState) -> Iterator[Mapping[str, object]]:
    """The flow of the answers of each data set, as rows of exclusions.csv.

    `step` is `all`, then `excluded` (a row each kind and reason), `skipped` (skips that fill a place) and `counted`:
    excluded, skipped and counted answers add up to all. Rows of the step `removed` name the reasons for which people
    were excluded, failed or left, with how many of them did.
    """
    for result in state.tables.results:
        data = result.data
        yield _count("all", data, data.responses)
        yield from _list_excluded(data)
        yield _count("skipped", data, data.list_counted_skips())
        yield _count("counted", data, data.list_counted_answers())
        reasons = pd.Series(list(data.removed_annotators.values()), dtype=object)
        for reason, number in sorted(reasons.value_counts().items(), key=lambda one: str(one[0])):
            yield {"dataset": data.name, "step": "removed", "reason": reason, "n_annotators": int(number)}


def _list_excluded(data: DataSet) -> Iterator[Mapping[str, object]]:
    """A row for each kind and reason, of rules apart from others, and of those changed after the start."""
    out = data.list_excluded_responses()
    cells = zip(*(out[name].tolist() for name in _KEYS), strict=True)
    keys = pd.Series(
        [json.dumps([str(kind), str(why), rule is True, later is True]) for kind, why, rule, later in cells]
    )
    for key in sorted(set(keys)):
        kind, why, rule, later = json.loads(key)
        named = {"kind": kind, "reason": why, "by_rule": rule, "post_hoc": later}
        yield _count("excluded", data, out.loc[(keys == key).to_numpy()]) | named


def _count(step: str, data: DataSet, rows: pd.DataFrame) -> dict[str, object]:
    return {
        "dataset": data.name,
        "step": step,
        "n_answers": len(rows),
        "n_annotators": rows["annotator"].nunique(),
        "n_items": rows["item_id"].nunique(),
    }


def count_answers_per_item(state: ReleaseState) -> Iterator[Mapping[str, object]]:
    """How many items have how many answers and skips that count, as rows of answers_per_item.csv."""
    for result in state.tables.results:
        data = result.data
        counted = data.responses.loc[data.exclusion_kinds().isna(), "item_id"].value_counts()
        per_item = counted.reindex(data.items["item_id"], fill_value=0)
        for n_answers, n_items in sorted(per_item.value_counts().items()):
            yield {"dataset": data.name, "n_answers": n_answers, "n_items": int(n_items)}


def write_list(values: Sequence[str]) -> str:
    """Texts as a JSON list in a cell."""
    return json.dumps(list(values), ensure_ascii=False)
