"""What a notebook imports: votes in a frame or on an engine, and their labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from aggregation.consensus.methods import build_label_consensus
from aggregation.errors import HromadaError
from aggregation.schema import VOTE_COLUMNS, check_votes

if TYPE_CHECKING:
    import ibis.expr.types as ir

NAMES = {"item": "task", "annotator": "worker", "answer": "label"}
"""crowd-kit's names of the columns, by ours."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FoundLabels:
    """The label of every item, and how it was found.

    `labels` has the columns item_id, label (none where a tie is open), confidence, tie, tied, n_votes and
    `posterior LABEL` of each label; it is a frame, or a table of the engine that has the votes. `iterations` and
    `converged` are None for a majority.
    """

    labels: pd.DataFrame | ir.Table
    method: str
    iterations: int | None
    converged: bool | None

    def to_frame(self) -> pd.DataFrame:
        """The labels as a frame, sorted by item_id."""
        frame = self.labels if isinstance(self.labels, pd.DataFrame) else self.labels.execute()
        return frame.sort_values("item_id", ignore_index=True)

    def _repr_html_(self) -> str:
        """The first labels, for a notebook."""
        shown = self.labels if isinstance(self.labels, pd.DataFrame) else self.labels.limit(10).execute()
        return str(shown.head(10).to_html(index=False))


def find_consensus(
    votes: Any,
    *,
    method: Literal["majority", "dawid_skene", "one_coin"] = "dawid_skene",
    ties: Literal["shared", "alphabetical"] = "shared",
) -> FoundLabels:
    """Make one label per item of votes with the columns item, annotator, answer (or crowd-kit's task, worker, label).

    `votes` is a pandas frame, a table of Ibis, whose engine then computes everything and holds the labels, or a
    relation of DuckDB, which is copied into a DuckDB of its own. The methods are those of
    `aggregation.consensus.methods`; every label is an option of every item. Raises HromadaError for a missing column,
    an empty cell, and, on an engine, for more than 200 labels.
    """
    if isinstance(votes, pd.DataFrame):
        return _find_in_frame(votes, method=method, ties=ties)
    return _find_on_engine(votes, method=method, ties=ties)


def _name_columns(columns: Iterable[Any]) -> dict[str, Any]:
    """Which column of a table is item, annotator and answer; raises HromadaError where one is missing."""
    listed = [*columns]
    names = {}
    for ours in VOTE_COLUMNS:
        found = [name for name in (ours, NAMES[ours]) if name in listed]
        if not found:
            raise HromadaError(
                f"The votes have no column {ours!r}, nor {NAMES[ours]!r}.",
                remedy=f"Rename columns; there are {', '.join(map(str, listed))}.",
            )
        names[ours] = found[0]
    return names


def _find_in_frame(votes: pd.DataFrame, *, method: Any, ties: Any) -> FoundLabels:
    names = _name_columns(votes.columns)
    frame = votes[[*names.values()]].set_axis([*names], axis=1)
    if frame.isna().to_numpy().any():
        column = frame.columns[frame.isna().any()][0]
        raise HromadaError(
            f"The column {names[str(column)]!r} has an empty cell.", remedy="Leave out votes without an answer."
        )
    if frame.empty:
        raise HromadaError("There are no votes.", remedy="Give a frame that has rows.")
    texts = frame.astype(str)
    classes, ids = sorted(set(texts["answer"])), pd.unique(texts["item"])
    items = pd.DataFrame({"group": ids, "gold": None, "n_options": max(2, len(classes))}, index=ids)
    found = build_label_consensus(check_votes(texts, items=items, classes=classes), method=method, ties=ties)
    labels = found.labels.rename_axis("item_id").reset_index()
    if found.posteriors is not None:
        shares = found.posteriors.reset_index(drop=True).add_prefix("posterior ")
        labels = pd.concat([labels, shares.rename_axis(None, axis=1)], axis=1)
    return FoundLabels(labels=labels, method=method, iterations=found.iterations, converged=found.converged)


def _find_on_engine(votes: Any, *, method: Any, ties: Any) -> FoundLabels:
    import ibis
    import ibis.expr.types as ir

    from aggregation.relations import em
    from aggregation.relations.labels import choose_labels
    from aggregation.relations.vote_relation import count_votes

    if not isinstance(votes, ir.Table):
        reader = getattr(votes, "to_arrow_reader", None) or getattr(votes, "fetch_arrow_reader", None)
        if reader is None:
            raise HromadaError(
                f"Votes cannot be a {type(votes).__name__}.",
                remedy="Give a pandas frame, a table of Ibis or a relation of DuckDB.",
            )
        engine = ibis.duckdb.connect()
        engine.con.register("given", reader())
        engine.con.execute("CREATE TABLE votes AS SELECT * FROM given")
        votes = engine.table("votes")
    names = _name_columns(votes.columns)
    with count_votes(votes.select(**{ours: votes[name] for ours, name in names.items()})) as counted:
        if method == "majority":
            labels = choose_labels(counted, em.compute_shares(counted), ties=ties).cache()
            return FoundLabels(labels=labels, method=method, iterations=None, converged=None)
        with em.fit_votes(counted, model=method) as fit:
            labels = choose_labels(counted, fit.posteriors, ties=ties).cache()
            ended = fit.estimates
    return FoundLabels(labels=labels, method=method, iterations=ended.iterations, converged=ended.converged)
