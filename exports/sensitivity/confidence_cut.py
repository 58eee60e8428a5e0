"""What a cut of confidence leaves: how much of the gold, with which balance of labels, and how often it is right.

RuCoLA and TAPE kept labels above a confidence that they chose so. Items of known gold that are right tell what a cut
buys: main items with declared gold, and control items, whose answers are aggregated together with those of main items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.consensus.methods import Method
from aggregation.errors import HromadaError
from aggregation.intervals.wilson import wilson_interval
from exports.inputs import DataSet

CUTS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
TOLERANCE = 1e-9
"""How far below a cut a confidence may be that rounding keeps from being equal to it."""


@dataclass(frozen=True, kw_only=True)
class CutResult:
    """What is left of the labels with a confidence of at least `cut`, 0 to 1.

    `n_kept` of the `n_items` main items with votes are kept; ties have no label. `balance` is the share of each class
    among the labels kept, empty where labels are no classes. `n_right` of the `n_known` items of known gold with that
    confidence have the right label, with the Wilson interval `right_low` to `right_high`, None without such items.
    `n_ties` of them are tied, and count 1/m for each of m tied answers.
    """

    cut: float
    n_kept: int
    n_items: int
    balance: dict[str, float]
    n_right: float
    n_known: int
    right_low: float | None
    right_high: float | None
    n_ties: int = 0
    n_right_ties_wrong: float = 0.0

    @property
    def kept(self) -> float:
        """The share of items that are kept."""
        return self.n_kept / self.n_items if self.n_items else 0.0

    @property
    def right(self) -> float | None:
        """The share of items of known gold that are right."""
        return self.n_right / self.n_known if self.n_known else None

    @property
    def right_ties_wrong(self) -> float | None:
        """The same share with every tie wrong; None where nothing ties."""
        return self.n_right_ties_wrong / self.n_known if self.n_ties else None


def measure_cuts(
    data: DataSet, *, method: Method, cuts: Sequence[float] = CUTS, seed: int = 0
) -> tuple[CutResult, ...]:
    """What each cut leaves of the labels that the method makes, cuts sorted.

    Raises HromadaError for a cut that is no share, Refused for a method that the answers do not allow.
    """
    if any(not 0 <= cut <= 1 for cut in cuts):
        raise HromadaError("A cut of confidence is not from 0 to 1.", remedy="Write it like 0.8.")
    whole = add_control_items(data)
    consensus = build_consensus(whole.build_answers(), method=method, ties="shared", seed=seed)
    labels = consensus.labels
    marks = _mark_labels(whole, labels["label"], consensus.list_tied_answers())
    labels = labels.assign(right=marks, main=labels.index.isin(data.items["item_id"]))
    return tuple(_measure_cut(data, labels, cut) for cut in sorted(set(cuts)))


def add_control_items(data: DataSet) -> DataSet:
    """The data set with its control items among the items, and the answers to them that rules left alone counting."""
    rows, known = data.responses, set(data.items["item_id"])
    gold = {item: one for item, one in data.control_gold.items() if item not in known}
    is_control = rows["is_control"].eq(other=True) & rows["item_id"].isin(gold) & rows["response"].notna()
    if data.classes is not None:
        is_control &= rows["response"].isin(data.classes)
    counts = is_control & (rows["excluded_kind"].isna() | (rows["excluded_kind"] == rows["assignment_kind"]))
    answered = sorted(set(rows.loc[counts, "item_id"]))
    controls = pd.DataFrame(
        {
            "item_id": answered,
            "group": answered,
            "gold": [gold[item] for item in answered],
            "n_options": len(data.classes) if data.classes is not None else data.items["n_options"].max(),
        },
        columns=list(data.items.columns),
        dtype=object,
    )
    return replace(
        data,
        items=pd.concat([data.items, controls], ignore_index=True) if answered else data.items,
        responses=rows.assign(excluded_kind=rows["excluded_kind"].mask(counts, None)),
    )


def _mark_labels(data: DataSet, labels: pd.Series[str], tied: Mapping[str, Sequence[str]]) -> pd.Series[float]:
    """Whether each label is right, 1 or 0, of a tie the share of right answers; nan without known gold."""
    gold = pd.Series(data.list_scoring_gold().to_numpy(), index=data.items["item_id"]).reindex(labels.index)
    marks = []
    for item, label, truth in zip(labels.index, labels.astype(object), gold.astype(object), strict=True):
        said = tied.get(str(item), () if label is None else (label,))
        is_known = truth is not None and len(said) > 0
        marks.append(sum(data.is_right(item, one, truth) for one in said) / len(said) if is_known else None)
    return pd.Series(marks, index=labels.index, dtype=float)


def _measure_cut(data: DataSet, labels: pd.DataFrame, cut: float) -> CutResult:
    sure = labels.loc[labels["confidence"] >= cut - TOLERANCE]
    main, known_ones = sure.loc[sure["main"] & sure["label"].notna()], sure.loc[sure["right"].notna()]
    shares = main["label"].value_counts(normalize=True)
    is_tied = known_ones["tie"].astype(bool)
    right, known = float(known_ones["right"].sum()), len(known_ones)
    interval = wilson_interval(right, known) if known else None
    return CutResult(
        cut=cut,
        n_kept=len(main),
        n_items=int(labels["main"].sum()),
        balance={label: float(shares.get(label, 0.0)) for label in data.classes or ()} if len(main) else {},
        n_right=right,
        n_known=known,
        right_low=None if interval is None else interval.low,
        right_high=None if interval is None else interval.high,
        n_ties=int(is_tied.sum()),
        n_right_ties_wrong=float(known_ones["right"].mask(is_tied, 0.0).sum()),
    )
