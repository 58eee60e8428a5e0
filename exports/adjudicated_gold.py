"""Gold that adjudicators decided: beside declared gold as its next version, and in place of labels made of votes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import dropwhile, takewhile
from typing import Any

import pandas as pd

from aggregation.comparison.gold_review import CeilingEstimate, WeightedShare, estimate_ceiling
from aggregation.findings import Finding, join_findings, name_figure
from aggregation.scoring import is_right_answer
from exports.inputs import DataSet
from exports.rounding import format_fixed

REST = "rest"
"""The stratum of a gold review of which a sample is drawn; the others are reviewed whole."""
WHOLE = "all"
"""The stratum of the row that has the weighted shares."""
SHARES = ("wrong", "flawed", "ceiling")
BOUNDS = ("value", "low", "high", "pool_low", "pool_high")
GOLD_REVIEW_COLUMNS = (
    "dataset", "stratum", "n_items", "n_reviewed", "n_wrong", "n_undecidable",
    *(share if bound == "value" else f"{share}_{bound}" for share in SHARES for bound in BOUNDS), "reason", "warnings",
)  # fmt: skip


def estimate_gold_ceiling(data: DataSet, *, confidence_level: float = 0.95) -> CeilingEstimate | None:
    """The shares of wrong and flawed gold and the ceiling; None where no gold review of the data set is planned."""
    verdicts = build_gold_verdicts(data)
    if verdicts.empty:
        return None
    estimate = estimate_ceiling(verdicts, confidence_level=confidence_level)
    return replace(estimate, warnings=(*estimate.warnings, *_describe_gaps(data)))


def build_gold_verdicts(data: DataSet) -> pd.DataFrame:
    """One row per item of a gold review's pool: item, stratum, and verdict; no rows where no review is planned.

    The pool are the items with declared gold; those that were not drawn are of the stratum `rest`. The verdict is
    `right`, `wrong` (other answers are right), `undecidable` (the item is broken), or None for an item that was not
    drawn, is not decided, or does not count yet: of each stratum those count that are decided before the first, in the
    random order of offering, that is not. They are a random sample of it, whatever was decided elsewhere, as in the
    queue of doubtful items.
    """
    adjudicated, right = list_adjudicated_items(data), judge_declared_gold(data)
    pool = data.items.loc[data.items["gold"].notna(), "item_id"] if data.gold_strata else ()
    counted = {item for drawn in _list_drawn(data).values() for item in takewhile(adjudicated.__contains__, drawn)}
    rows = []
    for item in pool:
        decided = adjudicated[item] if item in counted else None
        verdict = None
        if decided is not None:
            verdict = "undecidable" if decided.gold is None else "right" if right[item] else "wrong"
        rows.append((item, data.gold_strata.get(item, REST), verdict))
    return pd.DataFrame(rows, columns=["item", "stratum", "verdict"], dtype=object)


def _list_drawn(data: DataSet) -> dict[str, list[str]]:
    """The drawn items of each stratum that have gold, in the random order of offering."""
    golds = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    drawn: dict[str, list[str]] = {stratum: [] for stratum in sorted(set(data.gold_strata.values()))}
    for item, stratum in data.gold_strata.items():
        if item in golds:
            drawn[stratum].append(item)
    return drawn


def _describe_gaps(data: DataSet) -> list[Finding]:
    """For each stratum the decided items that do not count yet, and the item that has to be decided first."""
    adjudicated, sentences = list_adjudicated_items(data), []
    for stratum, drawn in _list_drawn(data).items():
        rest = list(dropwhile(adjudicated.__contains__, drawn))
        number = sum(item in adjudicated for item in rest)
        if number:
            sentences.append(Finding("decided-too-early", n=number, stratum=stratum, item=rest[0]))
    return sentences


def describe_ceiling(estimate: CeilingEstimate) -> str:
    """The ceiling with its intervals in a sentence, or why there is none yet."""
    n, m = (sum(getattr(stratum, count) for stratum in estimate.strata) for count in ("n_reviewed", "n_items"))
    if estimate.ceiling.value is None:
        sentence = Finding("no-ceiling", reason=estimate.reason, n=n, m=m)
    else:
        shares = {name: _format_share(getattr(estimate, name)) for name in ("ceiling", "wrong")}
        sentence = Finding("ceiling", **shares, n=n, m=m)
    return join_findings(sentence, *estimate.warnings)


def _format_share(share: WeightedShare) -> Finding:
    return name_figure(
        f"{share.value:.4f} [{share.low:.4f}, {share.high:.4f}] [{share.pool_low:.4f}, {share.pool_high:.4f}]"
        if share.value is not None
        else "–"
    )


def build_ceiling_rows(name: str, estimate: CeilingEstimate) -> list[dict[str, Any]]:
    """The rows of a data set with the columns GOLD_REVIEW_COLUMNS: one a stratum, and that of all items."""
    counts = ("n_items", "n_reviewed", "n_wrong", "n_undecidable")
    rows: list[dict[str, Any]] = [
        {"dataset": name, "stratum": stratum.name, **{count: getattr(stratum, count) for count in counts}}
        for stratum in estimate.strata
    ]
    whole: dict[str, Any] = {"dataset": name, "stratum": WHOLE}
    whole |= {count: sum(row[count] for row in rows) for count in counts}
    for share in SHARES:
        for bound in BOUNDS:
            value = getattr(getattr(estimate, share), bound)
            whole[share if bound == "value" else f"{share}_{bound}"] = format_fixed(value, 4)
    return [*rows, whole | {"reason": estimate.reason or None, "warnings": " ".join(estimate.warnings) or None}]


def build_ceiling_table(data: DataSet) -> pd.DataFrame:
    """The rows of a data set with the columns GOLD_REVIEW_COLUMNS; none where no gold review is planned."""
    estimate = estimate_gold_ceiling(data)
    rows = [] if estimate is None else build_ceiling_rows(data.name, estimate)
    return pd.DataFrame(rows, columns=list(GOLD_REVIEW_COLUMNS)).astype(object)


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
    item_ids = set(data.items["item_id"])
    return {
        str(item): AdjudicatedItem(labels=tuple(json.loads(labels)), version=str(version))
        for item, labels, version in rows
        if item in item_ids
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
    decided = {item: own for item, own in list_adjudicated_items(data).items() if item not in declared}
    return _replace_gold(data, decided)


def apply_adjudicated_gold(data: DataSet) -> DataSet:
    """The data set against the next version of declared gold: what adjudicators corrected, and the rest as declared.

    Broken items have no gold in it. Items without declared gold stay without: those that were adjudicated are the
    doubtful ones, and a score over them alone would be one of doubtful items. Where several labels are right, votes for
    one of them count as votes for the gold.
    """
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    decided = {item: own for item, own in list_adjudicated_items(data).items() if item in declared}
    responses = data.responses
    if data.answer_type.is_label:
        golds = {
            (item, label): adjudicated.gold for item, adjudicated in decided.items() for label in adjudicated.labels
        }
        for name in ("response", "first_response"):
            pairs = zip(responses["item_id"], responses[name], strict=True)
            merged = [golds.get((item, answer), answer) for item, answer in pairs]
            responses = responses.assign(**{name: pd.Series(merged, index=responses.index, dtype=object)})
    return _replace_gold(replace(data, responses=responses), decided)


def has_corrected_gold(data: DataSet) -> bool:
    """Whether an adjudication holds on an item with declared gold."""
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    return any(item in declared for item in list_adjudicated_items(data))


def judge_declared_gold(data: DataSet) -> dict[str, bool]:
    """Whether the declared gold is one of the right answers of an adjudicated item, by item_id; of a broken one not."""
    golds = {
        item: gold for item, gold in zip(data.items["item_id"], data.items["gold"], strict=True) if gold is not None
    }
    decided = list_adjudicated_items(data)
    return {
        item: is_right_answer(data.normalise, golds[item], adjudicated.labels)
        for item, adjudicated in decided.items()
        if item in golds
    }


def _replace_gold(data: DataSet, decided: Mapping[str, AdjudicatedItem]) -> DataSet:
    """The data set with the gold and the further right answers of these items."""
    accepted = {item: answers for item, answers in data.accepted.items() if item not in decided}
    accepted |= {item: adjudicated.labels[1:] for item, adjudicated in decided.items() if adjudicated.labels[1:]}
    return replace(data, items=_write_gold(data.items, decided), accepted=accepted)


def _write_gold(items: pd.DataFrame, decided: Mapping[str, AdjudicatedItem]) -> pd.DataFrame:
    values: dict[str, dict[str, str | None]] = {
        "gold": {item: adjudicated.gold for item, adjudicated in decided.items()},
        "gold_origin": dict.fromkeys(decided, ORIGIN),
        "gold_version": {item: adjudicated.version for item, adjudicated in decided.items()},
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
