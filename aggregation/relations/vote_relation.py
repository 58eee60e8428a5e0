"""Votes as a relation of an engine, coded by item and pair, from which every method of this package computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import ibis
import ibis.expr.types as ir
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import spelling
from aggregation.errors import HromadaError
from aggregation.schema import VOTE_COLUMNS, Codes, Floats

MOST_LABELS = 200
"""The most labels: each of them is a column."""


class EmptyCell(HromadaError):
    """A vote without an item, annotator or answer; `column` says which."""

    def __init__(self, count: int, *, column: str) -> None:
        super().__init__(
            f"{count} {'vote has' if count == 1 else 'votes have'} an empty cell in the column {column}.",
            remedy="Leave out votes without an answer.",
        )
        self.column = column


ITEM, PAIR = "item", "pair"
"""The columns of `VoteRelation.coded`."""
Step = Callable[[str], None]
"""A function that gets the name of each step before it begins."""


def tell_nobody(_step: str) -> None:
    """Take the place of a `Step` where nobody listens."""


@dataclass(frozen=True, kw_only=True, eq=False)
class VoteRelation:
    """Votes that an engine holds, as codes.

    `coded` has a row for each vote: `item` (the item's code) and `pair`. They are sorted by item, or else an engine
    holds several sums for the same item while it adds up. A pair is an annotator with a label that they gave anywhere;
    `annotator` and `label` are the codes of each pair, sorted; `starts` are the places where an annotator's pairs
    begin. `annotators` and `labels` are sorted texts, and a code is a place among them. `items` has the columns item
    (the code) and name (as it was written).
    """

    coded: ir.Table
    items: ir.Table
    annotators: NDArray[np.object_]
    labels: tuple[str, ...]
    annotator: Codes
    label: Codes
    starts: Codes
    n_items: int
    n_votes: int

    def join_pairs(self, columns: dict[str, Floats]) -> ir.Table:
        """`coded` with one number of each pair in every column."""
        codes = np.arange(len(self.annotator), dtype=np.int32)
        return self.coded.join(ibis.memtable(pd.DataFrame({PAIR: codes} | columns)), PAIR)

    def choose_labels(self) -> Floats:
        """1 where a pair has the label, else 0: pairs × labels."""
        chosen = np.zeros((len(self.label), len(self.labels)))
        chosen[np.arange(len(self.label)), self.label] = 1.0
        return chosen


def name_columns(prefix: str, number: int) -> list[str]:
    """`prefix` with a number each, for the columns that belong to labels."""
    return [f"{prefix}{place}" for place in range(number)]


@contextmanager
def code_votes(votes: ir.Table, *, tell: Step = tell_nobody) -> Iterator[VoteRelation]:
    """Code the votes of a table with the columns item, annotator and answer.

    What is stored for it ends with the block. Items, annotators and answers are compared as texts, the latter two in
    the spelling of `spelling.build_key`; integers in the column item stay integers, which is faster.
    Raises HromadaError for a missing column, an empty cell, no votes at all, and more than MOST_LABELS labels.
    """
    missing = [name for name in VOTE_COLUMNS if name not in votes.columns]
    if missing:
        raise HromadaError(f"The votes lack the column {missing[0]}.", remedy=f"They need {', '.join(VOTE_COLUMNS)}.")
    has_numbers = votes[ITEM].type().is_integer()
    texts = votes.select(
        item=votes[ITEM] if has_numbers else votes[ITEM].cast("string"),
        annotator=votes["annotator"].cast("string"),
        answer=votes["answer"].cast("string"),
    )
    tell("annotators and labels")
    pairs = _list_pairs(texts)
    spelled = {name: [spelling.build_key(text) for text in pairs[name]] for name in ("annotator", "answer")}
    annotators, labels = sorted(set(spelled["annotator"])), sorted(set(spelled["answer"]))
    if len(labels) > MOST_LABELS:
        raise HromadaError(
            f"The votes have {len(labels)} different answers; {MOST_LABELS} are the most.",
            remedy="Name the column of the label; for texts load the votes into a project.",
        )
    pairs["annotator_code"] = pd.Index(annotators).get_indexer(pd.Index(spelled["annotator"]))
    pairs["label_code"] = pd.Index(labels).get_indexer(pd.Index(spelled["answer"]))
    by_pair = pairs.groupby(["annotator_code", "label_code"], sort=True)
    pairs[PAIR] = by_pair.ngroup().astype(np.int32)
    coded_pairs = by_pair["n"].sum().reset_index()
    tell("votes")
    code = texts[ITEM] if has_numbers else _hash(texts)
    coded = texts.mutate(code=code).join(ibis.memtable(pairs[["annotator", "answer", PAIR]]), ["annotator", "answer"])
    stored = coded.select(PAIR, item=coded["code"]).order_by(ITEM).cache()
    try:
        tell("items")
        named = stored.select(ITEM, name=ITEM) if has_numbers else texts.select(item=code, name=ITEM)
        with _store_items(named) as (items, n_items):
            annotator = coded_pairs["annotator_code"].to_numpy(dtype=np.intp)
            yield VoteRelation(
                coded=stored,
                items=items,
                annotators=np.array(annotators, dtype=object),
                labels=tuple(labels),
                annotator=annotator,
                label=coded_pairs["label_code"].to_numpy(dtype=np.intp),
                starts=np.flatnonzero(np.diff(annotator, prepend=-1)),
                n_items=n_items,
                n_votes=int(pairs["n"].sum()),
            )
    finally:
        stored.release()


def _list_pairs(texts: ir.Table) -> pd.DataFrame:
    """The annotators with the answers that they gave (annotator, answer, n); refuses empty cells and no votes."""
    is_empty = {
        name: (texts[name].isnull() | (texts[name].cast("string").strip() == "")).sum().fill_null(0)
        for name in VOTE_COLUMNS
    }
    empty = texts.agg(**is_empty).execute().iloc[0]
    for name in VOTE_COLUMNS:
        if empty[name]:
            raise EmptyCell(int(empty[name]), column=name)
    pairs: pd.DataFrame = texts.group_by(["annotator", "answer"]).agg(n=texts.count()).execute()
    if pairs.empty:
        raise HromadaError("There are no votes.", remedy="Name files that have rows.")
    return pairs


@contextmanager
def _store_items(named: ir.Table) -> Iterator[tuple[ir.Table, int]]:
    """The items among rows of codes and names, stored, and how many there are.

    Raises HromadaError where two names have one code.
    """
    items = named.distinct().cache()
    try:
        is_coded = named["name"].type().is_string()
        codes = items[ITEM].nunique() if is_coded else items.count()
        facts = items.agg(items=items.count(), codes=codes).execute().iloc[0]
        if facts["items"] != facts["codes"]:
            raise HromadaError("Two items have the same hash.", remedy="Write the items as whole numbers.")
        yield items, int(facts["items"])
    finally:
        items.release()


def _hash(texts: ir.Table) -> ir.IntegerColumn:
    """64 bits of each row's item, which engines join and group several times as fast as texts.

    Spark's own hash has 32, which repeat among a hundred thousand items.
    """
    return xxhash64(texts[ITEM]) if texts.get_backend().name == "pyspark" else texts[ITEM].hash()


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def xxhash64(text: str) -> int:
    """Spark's function of this name."""
    raise NotImplementedError
