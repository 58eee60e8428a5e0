"""gold.csv and human_items.csv: the label of each item, and what people answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.findings import Finding, join_findings
from exports.adjudicated_gold import build_ceiling_table, judge_declared_gold, replace_gold
from exports.inputs import DataSet
from exports.results import DataSetResult
from exports.rounding import format_column
from exports.vote_distributions import DISTRIBUTION_COLUMNS, build_vote_table, count_right_votes
from exports.writers import format_csv

ADJUDICATION_COLUMNS = (
    "dataset", "item_id", "item_revision", "number", "decision", "labels", "version", "declared_gold", "declared_right",
    "adjudicator", "decided_on", "comment", "holds", "reasons", "stratum",
)  # fmt: skip
REVIEW_COLUMNS = (
    "dataset", "item_id", "annotator", "revision", "number", "decision", "reason", "reviewer", "reviewed_on",
    "gold_shown", "holds",
)  # fmt: skip


def build_adjudication_table(data: DataSet) -> pd.DataFrame:
    """One row per decision, with the columns ADJUDICATION_COLUMNS, sorted by item and number.

    `declared_gold` is the gold of the item file; `declared_right` says of the decision that holds whether it is right.
    """
    golds = dict(zip(data.items["item_id"], data.items["gold"], strict=True))
    verdicts = judge_declared_gold(data)
    rows = data.adjudications
    right = [verdicts.get(item) if held else None for item, held in zip(rows["item_id"], rows["holds"], strict=True)]
    table = rows.assign(
        dataset=data.name,
        declared_gold=pd.Series([golds.get(item) for item in rows["item_id"]], index=rows.index, dtype=object),
        declared_right=pd.Series(right, index=rows.index, dtype=object),
    )
    return table.loc[:, list(ADJUDICATION_COLUMNS)]


def build_review_files(data_sets: Sequence[DataSet]) -> dict[str, str]:
    """The files by name, each with the decisions on all data sets; those without any decision are left out."""
    ordered = sorted(data_sets, key=lambda data: data.name)
    tables = {
        "adjudications.csv": [build_adjudication_table(data) for data in ordered if not data.adjudications.empty],
        "gold_review.csv": [build_ceiling_table(data) for data in ordered if data.gold_strata],
        "reviews.csv": [
            data.reviews.assign(dataset=data.name)[list(REVIEW_COLUMNS)] for data in ordered if not data.reviews.empty
        ],
    }
    return {
        name: format_csv(pd.concat(frames, ignore_index=True).astype(object))
        for name, frames in tables.items()
        if frames
    }


GOLD_COLUMNS = (
    "dataset", "item_id", "group", "gold", "origin", "version", "confidence", "gold_confidence", "gold_support",
    "consensus", "method", "tie", "n_votes", "n_excluded", "warning", *DISTRIBUTION_COLUMNS,
)  # fmt: skip
HUMAN_ITEM_COLUMNS = (
    "dataset", "item_id", "stimulus_sha256", "n_votes", "n_right", "majority", "tie", "consensus", "gold",
    *DISTRIBUTION_COLUMNS,
)  # fmt: skip


def build_gold_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each item, answered or not, with the columns GOLD_COLUMNS.

    `gold` is the label that adjudicators decided, else the declared one, each with its origin and version, else the
    consensus with the origin `votes`. It is empty for an item that adjudicators found broken. `confidence`
    is always that of the consensus, 0 to 1; `gold_confidence` is that of gold made of votes, `gold_support` the share
    of votes that say the declared or adjudicated gold. `consensus` is empty where a tie is left open. `n_excluded`
    counts answers to the item that do not count; `method` gives version, iterations, convergence and tie rule of the
    consensus, and of texts how they were compared, `warning` the reasons to doubt it. The last columns are those of
    `vote_distributions.build_vote_table`, against the same gold as `gold`, unless votes made it.
    """
    newest = replace_gold(result.data)
    items = newest.items.set_index("item_id").sort_index()
    labels = _list_consensus_labels(result).reindex(items.index)
    declared, voted = items["gold_origin"].notna() | items["gold"].notna(), labels["label"].notna()
    frame = pd.DataFrame(
        {
            "dataset": result.data.name,
            "item_id": items.index,
            "group": items["group"],
            "gold": items["gold"].where(declared, labels["label"]),
            "origin": items["gold_origin"].where(declared, voted.map({True: "votes", False: None})),
            "version": items["gold_version"],
            "confidence": format_column(labels["confidence"], digits=4),
            "gold_confidence": format_column(
                pd.to_numeric(labels["confidence"]).where(~declared & voted).astype(float), digits=4
            ),
            "gold_support": format_column(_compute_gold_support(result.data).reindex(items.index), digits=4),
            "consensus": labels["label"],
            "method": labels["method"],
            "tie": labels["tie"],
            "n_votes": pd.to_numeric(labels["n_votes"]).fillna(0).astype(int),
            "n_excluded": result.data.list_excluded_responses()["item_id"]
            .value_counts()
            .reindex(items.index, fill_value=0),
            "warning": labels["warning"].where(labels["warning"] != ""),
            **_list_vote_columns(newest, items.index),
        },
        columns=list(GOLD_COLUMNS),
    )
    return frame.reset_index(drop=True)


def _compute_gold_support(data: DataSet) -> pd.Series[float]:
    """The share of each item's votes that say its newest gold, or another right answer, index item_id."""
    newest = replace_gold(data)
    right = count_right_votes(newest, gold=newest.items.set_index("item_id")["gold"])
    n_votes = data.list_counted_answers()["item_id"].value_counts()
    return (right / n_votes.reindex(right.index)).astype(float)


def build_human_item_table(result: DataSetResult) -> pd.DataFrame:
    """One row for each item, answered or not, with the columns HUMAN_ITEM_COLUMNS.

    `n_right` counts the votes that equal a right answer; it is empty without declared gold, and where the gold was made
    of these votes. `majority` is empty in a tie, `tie` and `consensus` are those of the majority and of gold.csv.
    `gold` is the declared one alone, and the one of `p_correct`.
    """
    items = result.data.items.set_index("item_id").sort_index()
    labels = _list_consensus_labels(result).reindex(items.index)
    majority = _list_majorities(result).reindex(items.index)
    frame = pd.DataFrame(
        {
            "dataset": result.data.name,
            "item_id": items.index,
            "stimulus_sha256": items["stimulus_sha256"],
            "n_votes": result.votes.frame["item"].value_counts().reindex(items.index, fill_value=0),
            "n_right": count_right_votes(result.data).reindex(items.index),
            "majority": majority["label"],
            "tie": majority["tie"],
            "consensus": labels["label"],
            "gold": items["gold"],
            **_list_vote_columns(result.data, items.index),
        },
        columns=list(HUMAN_ITEM_COLUMNS),
    )
    return frame.reset_index(drop=True)


def _list_vote_columns(data: DataSet, items: pd.Index[str]) -> dict[str, pd.Series[Any]]:
    """DISTRIBUTION_COLUMNS of these items; right votes are those for the gold that people are scored against."""
    table = build_vote_table(data).reindex(items)
    shares = {name: format_column(table[name], digits=4) for name in ("entropy", "p_correct")}
    return {"counts": table["counts"], **shares}


def _list_majorities(result: DataSetResult) -> pd.DataFrame:
    """The majority of all votes by item, ties left open: label, tie."""
    if result.consensus is None:
        return pd.DataFrame(columns=["label", "tie"], dtype=object)
    if result.consensus.method == "majority" and result.consensus.ties == "drop":
        return result.consensus.labels
    return build_consensus(result.data.build_answers(), method="majority", ties="drop").labels


def _list_consensus_labels(result: DataSetResult) -> pd.DataFrame:
    """The consensus by item: label, confidence, tie, n_votes, method (how it was made), warning."""
    consensus = result.consensus
    if consensus is None:
        return pd.DataFrame(columns=["label", "confidence", "tie", "n_votes", "method", "warning"], dtype=object)
    labels = consensus.to_published()
    rule = result.data.normalise  # labels that are texts also say how they were compared
    compared = "" if rule is None else f"; texts compared by {rule}"
    labels = labels.assign(method=labels["method"] + get_positions_mark(result.data) + compared)
    if result.data.sample is None:
        return labels
    rests_on_one = (pd.to_numeric(labels["n_votes"]) == 1) & labels["label"].notna()
    warned = [join_findings(text, Finding("one-vote")) for text in labels["warning"].where(rests_on_one, "")]
    return labels.assign(warning=labels["warning"].mask(rests_on_one, pd.Series(warned, index=labels.index)))


def get_positions_mark(data: DataSet) -> str:
    """The mark added to the method of every figure whose classes are positions, or columns; empty for others."""
    code = "columns" if data.answer_type.compares_texts else "positions"
    return Finding(code) if data.classes_are_positions else ""
