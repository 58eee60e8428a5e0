"""Votes counted by item and answer, and the same counts without each of the people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from aggregation.agreement.item_columns import ItemColumns, PeopleLosses
from aggregation.intervals.resampling import Sparse
from aggregation.schema import Codes, Floats, Votes, count_codes


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedVotes:
    """How many votes each answer has on each row, an item or an item without one person.

    There are three numbers per entry; entries are sorted by row and answer. `n_options` has the number of options of
    each row.
    """

    rows: Codes
    answers: Codes
    counts: Floats
    n_options: Floats

    def count_votes(self) -> Floats:
        """The number of votes of each row."""
        return count_codes(self.rows, size=len(self.n_options), weights=self.counts)

    def build_table(self, *, n_answers: int) -> Floats:
        """The votes as a table: rows × answers."""
        shape = (len(self.n_options), n_answers)
        return np.asarray(sparse.csr_array((self.counts, (self.rows, self.answers)), shape=shape).toarray())

    def list_pairs(self) -> pd.DataFrame:
        """Each two answers that meet on a row: row, first, second (first < second), and the product of their votes."""
        frame = pd.DataFrame({"row": self.rows, "answer": self.answers, "count": self.counts})
        met = frame.merge(frame, on="row", suffixes=("", "_of_second"))
        met = met.loc[met["answer"] < met["answer_of_second"]]
        return pd.DataFrame(
            {
                "row": met["row"],
                "first": met["answer"],
                "second": met["answer_of_second"],
                "product": met["count"] * met["count_of_second"],
            }
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparableVotes:
    """Votes as codes of items (sorted), people and answers (classes in declared order), and counted by item."""

    items: Codes
    people: Codes
    answers: Codes
    item_ids: NDArray[np.object_]
    n_answers: int
    n_classes: int
    counted: CountedVotes

    def count_people(self, kept: NDArray[np.bool_]) -> int:
        """How many people answered an item that is kept."""
        return len(np.unique(self.people[kept[self.items]]))


def code_votes(votes: Votes) -> ComparableVotes:
    items, item_ids = pd.factorize(votes.frame["item"], sort=True)
    people, _ = pd.factorize(votes.frame["annotator"], sort=True)
    if votes.classes is None:
        answers, different = pd.factorize(votes.frame["answer"], sort=True)
        n_answers = len(different)
    else:
        answers, n_answers = pd.Index(votes.classes).get_indexer(pd.Index(votes.frame["answer"])), len(votes.classes)
    entries, counts = np.unique(items * max(n_answers, 1) + answers, return_counts=True)
    return ComparableVotes(
        items=items,
        people=people,
        answers=answers,
        item_ids=np.asarray(item_ids, dtype=object),
        n_answers=max(n_answers, 1),
        n_classes=0 if votes.classes is None else n_answers,
        counted=CountedVotes(
            rows=entries // max(n_answers, 1),
            answers=entries % max(n_answers, 1),
            counts=counts.astype(np.float64),
            n_options=np.asarray(votes.items["n_options"].reindex(item_ids), dtype=np.float64),
        ),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Rests:
    """The items without each of the people who answered them.

    `counted` has the votes that are left, one row for each different rest: two people who gave an item the same one
    answer leave the same. `items` is the item of each row. `cells`, an item and a person who answered it, have the
    columns item, person and rest.
    """

    counted: CountedVotes
    items: Codes
    cells: pd.DataFrame

    def add_losses(
        self, item_columns: ItemColumns, rest_columns: Floats | Sparse, *, kept: NDArray[np.bool_], n_people: int
    ) -> ItemColumns:
        """The columns of the items that are `kept`, with their losses; `rest_columns` are those of the rests."""
        row_of_item, is_kept = np.cumsum(kept) - 1, kept[self.items]
        whole = sparse.csr_array(item_columns.columns)[row_of_item[self.items[is_kept]]]
        losses = whole - sparse.csr_array(rest_columns)[np.flatnonzero(is_kept)]
        cells = self.cells.loc[kept[self.cells["item"]]]
        return replace(
            item_columns,
            losses=PeopleLosses(
                losses=sparse.csr_array(losses),
                loss=(np.cumsum(is_kept) - 1)[cells["rest"]],
                items=row_of_item[cells["item"]],
                people=cells["person"].to_numpy(dtype=np.intp),
                n_people=n_people,
            ),
        )


def leave_people_out(coded: ComparableVotes) -> Rests:
    """The items without each of the people who answered them."""
    frame = pd.DataFrame({"item": coded.items, "person": coded.people, "answer": coded.answers})
    own = frame.groupby(["item", "person"], sort=True)["answer"].agg(["size", "first"]).reset_index()
    left_out = np.where(own["size"] == 1, own["first"], coded.n_answers + own["person"])
    width = coded.n_answers + int(coded.people.max(initial=0)) + 1
    rests, first_cell, rest = np.unique(own["item"] * width + left_out, return_index=True, return_inverse=True)
    cells = own[["item", "person"]].assign(rest=rest)
    rest_items = np.asarray(rests // width, dtype=np.intp)
    of_first: pd.DataFrame = cells.take(np.asarray(first_cell))
    removed = frame.merge(of_first, on=["item", "person"]).groupby(["rest", "answer"]).size().rename("removed")
    counted = pd.DataFrame({"item": coded.counted.rows, "answer": coded.counted.answers, "count": coded.counted.counts})
    left = (
        of_first[["item", "rest"]]
        .merge(counted, on="item")
        .merge(removed.reset_index(), on=["rest", "answer"], how="left")
    )
    left = left.assign(count=left["count"] - left["removed"].fillna(0)).query("count > 0")
    left = left.sort_values(["rest", "answer"])
    return Rests(
        counted=CountedVotes(
            rows=left["rest"].to_numpy(dtype=np.intp),
            answers=left["answer"].to_numpy(dtype=np.intp),
            counts=left["count"].to_numpy(dtype=np.float64),
            n_options=coded.counted.n_options[rest_items],
        ),
        items=rest_items,
        cells=cells,
    )
