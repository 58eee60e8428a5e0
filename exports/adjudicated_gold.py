"""Gold that adjudicators decided: beside declared gold as its next version, and in place of labels made of votes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from aggregation.scoring import is_right_answer
from exports.inputs import DataSet

ORIGIN = "adjudication"


@dataclass(frozen=True, kw_only=True)
class AdjudicatedItem:
    """What holds of an item: its right answers, the gold first, none where it is broken; and their version."""

    labels: tuple[str, ...]
    version: str

    @property
    def gold(self) -> str | None:
        """The gold; None for a broken item."""
        return self.labels[0] if self.labels else None


def list_adjudicated_items(data: DataSet) -> dict[str, AdjudicatedItem]:
    """The items of a data set on which an adjudication holds, by item_id."""
    if data.adjudications.empty:
        return {}
    held = data.adjudications.loc[data.adjudications["holds"].eq(other=True)]
    rows = zip(held["item_id"], held["labels"], held["version"], strict=True)
    known = set(data.items["item_id"])
    return {
        str(item): AdjudicatedItem(labels=tuple(json.loads(labels)), version=str(version))
        for item, labels, version in rows
        if item in known
    }


def replace_gold(data: DataSet) -> DataSet:
    """The data set with the newest gold of each item, whoever it is from, as gold.csv shows it.

    A broken item has no gold, and the origin `adjudication` all the same.
    """
    return _replace_gold(data, list_adjudicated_items(data))


def fill_missing_gold(data: DataSet) -> DataSet:
    """The data set with adjudicated gold where none is declared, as a benchmark is built of it.

    A broken item without declared gold has no gold, but the origin `adjudication`.
    """
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    found = {item: one for item, one in list_adjudicated_items(data).items() if item not in declared}
    return _replace_gold(data, found)


def apply_adjudicated_gold(data: DataSet) -> DataSet:
    """The data set against the next version of declared gold: what adjudicators corrected, and the rest as declared.

    Broken items have no gold in it. Items without declared gold stay without: those that were adjudicated are the
    doubtful ones, and a score over them alone would be one of doubtful items. Where several labels are right, votes for
    one of them count as votes for the gold.
    """
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    found = {item: one for item, one in list_adjudicated_items(data).items() if item in declared}
    responses = data.responses
    if data.kind == "label":
        golds = {(item, label): one.gold for item, one in found.items() for label in one.labels}
        for name in ("response", "first_response"):
            pairs = zip(responses["item_id"], responses[name], strict=True)
            merged = [golds.get((item, answer), answer) for item, answer in pairs]
            responses = responses.assign(**{name: pd.Series(merged, index=responses.index, dtype=object)})
    return _replace_gold(replace(data, responses=responses), found)


def has_corrected_gold(data: DataSet) -> bool:
    """Whether an adjudication holds on an item with declared gold."""
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    return any(item in declared for item in list_adjudicated_items(data))


def judge_declared_gold(data: DataSet) -> dict[str, bool]:
    """Whether the declared gold is one of the right answers of an adjudicated item, by item_id; of a broken one not."""
    golds = {
        item: gold for item, gold in zip(data.items["item_id"], data.items["gold"], strict=True) if gold is not None
    }
    found = list_adjudicated_items(data)
    return {
        item: is_right_answer(data.normalise, golds[item], one.labels) for item, one in found.items() if item in golds
    }


def _replace_gold(data: DataSet, found: Mapping[str, AdjudicatedItem]) -> DataSet:
    """The data set with the gold and the further right answers of these items."""
    accepted = {item: answers for item, answers in data.accepted.items() if item not in found}
    accepted |= {item: one.labels[1:] for item, one in found.items() if one.labels[1:]}
    return replace(data, items=_write_gold(data.items, found), accepted=accepted)


def _write_gold(items: pd.DataFrame, found: Mapping[str, AdjudicatedItem]) -> pd.DataFrame:
    values: dict[str, dict[str, str | None]] = {
        "gold": {item: one.gold for item, one in found.items()},
        "gold_origin": dict.fromkeys(found, ORIGIN),
        "gold_version": {item: one.version for item, one in found.items()},
    }
    columns = {
        name: pd.Series(
            [new.get(item, old) for item, old in zip(items["item_id"], items[name], strict=True)],
            index=items.index,
            dtype=object,
        )
        for name, new in values.items()
    }
    return items.assign(**columns)
