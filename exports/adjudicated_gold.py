"""Gold that adjudicators decided, and what their decisions say of declared gold.

Adjudicated gold is the next version of declared gold, which stays stored. Where no gold is declared, it replaces the
consensus of votes as the gold of the item. An adjudication can also find an item *broken*: no answer to it is correct,
so it has no gold.
"""

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
"""The stratum of which a gold review draws a sample. All items of the other strata are reviewed."""
WHOLE = "all"
"""In gold_review.csv, the `stratum` of the row about all items, which has the weighted shares."""
SHARES = ("wrong", "flawed", "ceiling")
"""The published shares of items: with wrong gold; with wrong gold or undecidable (flawed); 1 - flawed (ceiling).

No score can honestly be above the ceiling.
"""
BOUNDS = ("value", "low", "high", "pool_low", "pool_high")
"""The numbers of a share (`WeightedShare`): its value, the interval for items like these, that for these very items."""
GOLD_REVIEW_COLUMNS = (
    "dataset", "stratum", "n_items", "n_reviewed", "n_wrong", "n_undecidable",
    *(share if bound == "value" else f"{share}_{bound}" for share in SHARES for bound in BOUNDS), "reason", "warnings",
)  # fmt: skip


def estimate_gold_ceiling(data: DataSet, *, confidence_level: float = 0.95) -> CeilingEstimate | None:
    """Return the shares of items that SHARES names, or None if no gold review is planned."""
    verdicts = build_gold_verdicts(data)
    if verdicts.empty:
        return None
    estimate = estimate_ceiling(verdicts, confidence_level=confidence_level)
    return replace(estimate, warnings=(*estimate.warnings, *_describe_uncounted_items(data)))


def build_gold_verdicts(data: DataSet) -> pd.DataFrame:
    """Return one row per item with declared gold: item, stratum and verdict. No rows if no gold review is planned.

    Items that the review did not draw also belong to the stratum `rest`. The verdict is `right`, `wrong` (only other
    answers are correct), `undecidable` (the item is broken), or None if the item was not drawn, is not decided, or does
    not count yet.

    In each stratum, items are offered in random order. Only decided items before the first undecided one count, so they
    are a random sample of the stratum.
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
    """Return by stratum the drawn items that have declared gold, in the random order in which they are offered."""
    golds = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    drawn: dict[str, list[str]] = {stratum: [] for stratum in sorted(set(data.gold_strata.values()))}
    for item, stratum in data.gold_strata.items():
        if item in golds:
            drawn[stratum].append(item)
    return drawn


def _describe_uncounted_items(data: DataSet) -> list[Finding]:
    """Return a warning for each stratum with decided items that do not count until an earlier item is decided."""
    adjudicated, sentences = list_adjudicated_items(data), []
    for stratum, drawn in _list_drawn(data).items():
        from_first_undecided = list(dropwhile(adjudicated.__contains__, drawn))
        number = sum(item in adjudicated for item in from_first_undecided)
        if number:
            first = from_first_undecided[0]
            sentences.append(Finding("decided-too-early", n=number, stratum=stratum, item=first))
    return sentences


def describe_ceiling(estimate: CeilingEstimate) -> str:
    """Return a sentence with the ceiling and its two intervals, or why there is none, followed by the warnings."""
    n, m = (sum(getattr(stratum, count) for stratum in estimate.strata) for count in ("n_reviewed", "n_items"))
    if estimate.ceiling.value is None:
        sentence = Finding("no-ceiling", reason=estimate.reason, n=n, m=m)
    else:
        shares = {name: _format_share(getattr(estimate, name)) for name in ("ceiling", "wrong")}
        sentence = Finding("ceiling", **shares, n=n, m=m)
    return join_findings(sentence, *estimate.warnings)


def _format_share(share: WeightedShare) -> Finding:
    """Format the value, the interval for items like these, and that for these very items; a dash without a value."""
    return name_figure(
        f"{share.value:.4f} [{share.low:.4f}, {share.high:.4f}] [{share.pool_low:.4f}, {share.pool_high:.4f}]"
        if share.value is not None
        else "–"
    )


def build_ceiling_rows(name: str, estimate: CeilingEstimate) -> list[dict[str, Any]]:
    """Return the rows of a data set with the columns GOLD_REVIEW_COLUMNS: one per stratum, then one for all items.

    The row for all items has the sums of the counts, and only it has shares, `reason` and `warnings`.
    """
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
    """Return the same rows as a frame, with no rows if no gold review is planned."""
    estimate = estimate_gold_ceiling(data)
    rows = [] if estimate is None else build_ceiling_rows(data.name, estimate)
    return pd.DataFrame(rows, columns=list(GOLD_REVIEW_COLUMNS)).astype(object)


ORIGIN = "adjudication"
"""The `gold_origin` of an item whose gold, or whose lack of it, adjudicators decided."""


@dataclass(frozen=True, kw_only=True)
class AdjudicatedItem:
    """The last decision on an item that was not taken back.

    `labels` are the correct answers, of which the first is the gold. A broken item has none. `version` is that of the
    gold.
    """

    labels: tuple[str, ...]
    version: str

    @property
    def gold(self) -> str | None:
        """The gold, or None for a broken item."""
        return self.labels[0] if self.labels else None


def list_adjudicated_items(data: DataSet) -> dict[str, AdjudicatedItem]:
    """Return the last decision on each adjudicated item, by item_id, without items whose decision was taken back."""
    if data.adjudications.empty:
        return {}
    valid = data.adjudications.loc[data.adjudications["holds"].eq(other=True)]
    rows = zip(valid["item_id"], valid["labels"], valid["version"], strict=True)
    item_ids = set(data.items["item_id"])
    return {
        str(item): AdjudicatedItem(labels=tuple(json.loads(labels)), version=str(version))
        for item, labels, version in rows
        if item in item_ids
    }


def replace_gold(data: DataSet) -> DataSet:
    """Return the data set with the newest gold: the adjudicated gold of an item if it has one, else the declared gold.

    A broken item has no gold, but the origin `adjudication`. gold.csv shows this gold.
    """
    return _replace_gold(data, list_adjudicated_items(data))


def fill_missing_gold(data: DataSet) -> DataSet:
    """Return the data set with adjudicated gold for the items that have no declared gold, to build a benchmark from.

    A broken item without declared gold still has none, but the origin `adjudication`.
    """
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    decided = {item: own for item, own in list_adjudicated_items(data).items() if item not in declared}
    return _replace_gold(data, decided)


def apply_adjudicated_gold(data: DataSet) -> DataSet:
    """Return the data set for a second score: adjudicated gold replaces declared gold, of these items only.

    Broken items have no gold in it. Items without declared gold get none: only the doubtful ones among them are
    adjudicated, and these would bias the score. If an item has several correct labels, a vote for any of them is
    changed into a vote for the gold.
    """
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    decided = {item: own for item, own in list_adjudicated_items(data).items() if item in declared}
    responses = data.responses
    if data.answer_type.is_label:
        golds_by_answer = {
            (item, label): adjudicated.gold for item, adjudicated in decided.items() for label in adjudicated.labels
        }
        for name in ("response", "first_response"):
            pairs = zip(responses["item_id"], responses[name], strict=True)
            merged = [golds_by_answer.get((item, answer), answer) for item, answer in pairs]
            responses = responses.assign(**{name: pd.Series(merged, index=responses.index, dtype=object)})
    return _replace_gold(replace(data, responses=responses), decided)


def has_judged_gold(data: DataSet) -> bool:
    """Whether an item with declared gold has a decision that was not taken back, even one that confirms the gold."""
    declared = set(data.items.loc[data.items["gold"].notna(), "item_id"])
    return any(item in declared for item in list_adjudicated_items(data))


def judge_declared_gold(data: DataSet) -> dict[str, bool]:
    """Return, by item_id, whether the declared gold of an adjudicated item is one of its correct answers.

    False for a broken item. Items without declared gold are left out.
    """
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
    """Return the data set with the decided gold of these items, and their other correct answers as accepted."""
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
