"""Votes that an engine holds: a table of Ibis, or a relation of DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import ibis
import ibis.expr.types as ir

from aggregation import spelling
from aggregation.errors import HromadaError
from aggregation.library.vote_frames import Repeats, name_columns
from aggregation.relations.vote_relation import ITEM, EmptyCell, VoteRelation, code_votes
from aggregation.scales import read_point

if TYPE_CHECKING:
    import duckdb

EngineTable: TypeAlias = "ir.Table | duckdb.DuckDBPyRelation"


@dataclass(frozen=True, kw_only=True, eq=False)
class EngineVotes:
    """Votes that an engine has coded; `columns` are its names of item, annotator and answer."""

    coded: VoteRelation
    columns: Mapping[str, Any]
    table: ir.Table


@contextmanager
def open_votes(votes: EngineTable, *, repeats: Repeats) -> Iterator[EngineVotes]:
    """Code the votes of a table; a relation of DuckDB is copied into a DuckDB of its own.

    Raises HromadaError for what is no table, a missing column, an empty cell, no votes, more than 200 labels, and
    repeated votes unless `repeats` is `all`, because a table of an engine has no first row.
    """
    table = _read_table(votes)
    names = name_columns(table.columns)
    try:
        with code_votes(table.select(**{ours: table[name] for ours, name in names.items()})) as coded:
            if repeats != "all":
                _refuse_repeats(coded, names)
            yield EngineVotes(coded=coded, columns=names, table=table)
    except EmptyCell as error:
        problem = error.problem.replace(f"column {error.column}.", f"column {names[error.column]!r}.")
        raise HromadaError(problem, remedy=error.remedy) from error


def restore_labels(votes: EngineVotes, labels: ir.Table) -> ir.Table:
    """The labels with numbers and truth values as they are in the votes; `code_votes` compares texts."""
    kind = votes.table[votes.columns["answer"]].type()
    if not (kind.is_numeric() or kind.is_boolean()):
        return labels
    return labels.mutate(label=labels["label"].cast(kind), tied=labels["tied"].cast(f"array<{kind}>"))


def order_labels(votes: EngineVotes, labels: Sequence[Any] | None) -> list[str]:
    """The labels as texts, lowest first: those that were given, or numbers by size.

    Raises HromadaError for labels that have no order.
    """
    if labels is not None:
        return [spelling.build_key(str(label)) for label in labels]
    points = {label: read_point(label) for label in votes.coded.labels}
    numbers = {label: point for label, point in points.items() if point is not None}
    if len(numbers) < len(points):
        raise HromadaError(
            f"The labels in the column {votes.columns['answer']!r} have no order.",
            remedy="Give labels=[…] from the lowest to the highest.",
        )
    return sorted(numbers, key=lambda label: numbers[label])


def _read_table(votes: Any) -> ir.Table:
    if isinstance(votes, ir.Table):
        return votes
    reader = getattr(votes, "to_arrow_reader", None) or getattr(votes, "fetch_arrow_reader", None)
    if reader is None:
        raise HromadaError(
            f"Votes cannot be a {type(votes).__name__}.",
            remedy="Give a pandas frame, a table of Ibis or a relation of DuckDB.",
        )
    engine = ibis.duckdb.connect()
    engine.con.register("given", reader())
    engine.con.execute("CREATE TABLE votes AS SELECT * FROM given")
    return engine.table("votes")


def _refuse_repeats(coded: VoteRelation, names: Mapping[str, Any]) -> None:
    cells = coded.join_pairs({"annotator": coded.annotator.astype(float)})
    n_repeated = coded.n_votes - int(cells.select(ITEM, "annotator").distinct().count().execute())
    if n_repeated:
        raise HromadaError(
            f"{n_repeated} of {coded.n_votes} votes repeat a pair of {names['item']!r} and {names['annotator']!r}.",
            remedy="Give repeats='all' to count every vote, or leave the repeated ones out.",
        )
