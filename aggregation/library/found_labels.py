"""One label per item, found from a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from aggregation.answer_types import build_consensus
from aggregation.library import result_tables
from aggregation.library.vote_frames import FrameVotes, Repeats, read_frame

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from matplotlib.axes import Axes

    from aggregation.library.engine_votes import EngineTable

FrameMethod = Literal["majority", "dawid_skene", "one_coin"]
FrameTies = Literal["shared", "alphabetical"]
MOST_SHOWN = 10
"""How many items a notebook shows."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FoundLabels:
    """The label of every item, and how it was found.

    `labels` has the columns item_id and label (values as they are in the votes; none if a tie is open), confidence,
    tie, tied, n_votes and `posterior LABEL` of each label; it is a frame, or a table of the engine that has the votes.
    `iterations` and `converged` are None for a majority. `notes` say what was left out or looks doubtful.
    """

    labels: pd.DataFrame | ir.Table
    method: str
    iterations: int | None
    converged: bool | None
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """The labels as a frame, sorted by item_id."""
        if isinstance(self.labels, pd.DataFrame):
            return self.labels.copy()
        frame: pd.DataFrame = self.labels.execute()
        return frame.sort_values("item_id", ignore_index=True)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many items have each label, on `ax` or on new axes; returns the axes. Open ties have a bar."""
        labels = self.labels["label"] if isinstance(self.labels, pd.DataFrame) else self.to_frame()["label"]
        counts = labels.map(str, na_action="ignore").fillna("open tie").value_counts()
        axes = result_tables.create_axes(ax, n_rows=len(counts))
        axes.barh(counts.index.to_list(), counts.to_list(), color="C0")
        axes.invert_yaxis()
        axes.set(xlabel=f"items, {self.method}")
        return axes

    def _list_rows(self) -> pd.DataFrame:
        """The first items."""
        if isinstance(self.labels, pd.DataFrame):
            return self.labels.head(MOST_SHOWN)
        shown: pd.DataFrame = self.labels.order_by("item_id").limit(MOST_SHOWN).execute()
        return shown

    def _list_notes(self) -> list[str]:
        ended = "converged" if self.converged else "not converged"
        end = [] if self.iterations is None else [f"{self.iterations} iterations", ended]
        return [f"{', '.join([self.method, *end])}. The first {MOST_SHOWN} items at most are shown.", *self.notes]

    def __repr__(self) -> str:
        shown = self._list_rows()
        return result_tables.format_text([*shown.columns], shown.to_numpy(dtype=object).tolist(), self._list_notes())

    def _repr_html_(self) -> str:
        shown = self._list_rows()
        return result_tables.format_html([*shown.columns], shown.to_numpy(dtype=object).tolist(), self._list_notes())


def find_consensus(
    votes: pd.DataFrame | EngineTable,
    *,
    method: FrameMethod = "dawid_skene",
    ties: FrameTies = "shared",
    labels: Sequence[Any] | None = None,
    repeats: Repeats = "first",
) -> FoundLabels:
    """Make one label per item; the labels are those of `hromada aggregate` for the same votes.

    `votes` is as in `measure_agreement`. An engine then computes everything and holds the labels; a relation of DuckDB
    is copied into a DuckDB of its own. The methods are those of `aggregation.consensus.methods`. Every one of `labels`
    is an option of every item; an engine takes those that occur. `ties` leaves ties open (`shared`), or takes the
    first label in alphabetical order.

    Raises HromadaError, which names the column, for votes that cannot be read and, on an engine, for more than 200
    labels.

    >>> import pandas as pd
    >>> from aggregation import find_consensus
    >>> votes = pd.DataFrame({"task": [1, 1, 1, 2, 2], "worker": [*"abcab"], "label": [0, 0, 1, 1, 0]})
    >>> find_consensus(votes, method="majority").to_frame()[["item_id", "label", "confidence", "tie"]]
       item_id label  confidence    tie
    0        1     0    0.666667  False
    1        2  None    0.500000   True
    """
    if isinstance(votes, pd.DataFrame):
        return _find_in_frame(read_frame(votes, labels=labels, repeats=repeats), method=method, ties=ties)
    return _find_on_engine(votes, method=method, ties=ties, repeats=repeats)


def _find_in_frame(read: FrameVotes, *, method: FrameMethod, ties: FrameTies) -> FoundLabels:
    found = build_consensus(read.answers, method=method, ties=ties)
    labels = found.labels.rename_axis("item_id").reset_index()
    texts, tied = labels["label"], labels["tied"]
    labels["label"] = pd.Series([read.label_values.get(text) for text in texts], dtype=object)
    labels["tied"] = [tuple(value for text, value in read.label_values.items() if text in of_item) for of_item in tied]
    labels["item_id"] = pd.Series([read.item_values[text] for text in labels["item_id"]], dtype=object).infer_objects()
    if found.posteriors is not None:
        shares = found.posteriors.reset_index(drop=True).add_prefix("posterior ")
        labels = pd.concat([labels, shares.rename_axis(None, axis=1)], axis=1)
    if pd.api.types.is_numeric_dtype(labels["item_id"]):
        labels = labels.sort_values("item_id", ignore_index=True)
    return FoundLabels(
        labels=labels,
        method=method,
        iterations=found.iterations,
        converged=found.converged,
        notes=(*read.notes, *found.warnings),
    )


def _find_on_engine(votes: EngineTable, *, method: FrameMethod, ties: FrameTies, repeats: Repeats) -> FoundLabels:
    from aggregation.library.engine_votes import open_votes, restore_labels
    from aggregation.relations import em
    from aggregation.relations.labels import choose_labels

    with open_votes(votes, repeats=repeats) as opened:
        coded = opened.coded
        if method == "majority":
            labels = choose_labels(coded, em.compute_shares(coded), ties=ties)
            labels = restore_labels(opened, labels).cache()
            return FoundLabels(labels=labels, method=method, iterations=None, converged=None)
        with em.fit_votes(coded, model=method) as fit:
            labels = restore_labels(opened, choose_labels(coded, fit.posteriors, ties=ties)).cache()
            ended = fit.estimates
    return FoundLabels(labels=labels, method=method, iterations=ended.iterations, converged=ended.converged)
