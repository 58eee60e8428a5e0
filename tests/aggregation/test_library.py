"""What a notebook imports from `aggregation`."""

from __future__ import annotations

from typing import Any

import duckdb
import ibis
import pandas as pd
import pytest

from aggregation import find_consensus
from aggregation.errors import HromadaError

ROWS = [
    (f"t{task}", f"w{worker}", "abc"[(task + ((7 * task + 5 * worker) % 6 == 0)) % 3])
    for task in range(12)
    for worker in range(4)
]
VOTES = pd.DataFrame(ROWS, columns=["task", "worker", "label"])


@pytest.mark.parametrize("method", ["majority", "dawid_skene", "one_coin"])
def test_a_frame_and_a_relation_have_the_same_labels(method: Any) -> None:
    """crowd-kit's frame, a table of Ibis and a relation of DuckDB."""
    of_frame = find_consensus(VOTES, method=method)
    table = ibis.duckdb.connect().create_table("held", VOTES)
    for held in (table, duckdb.connect().from_df(VOTES)):
        on_engine = find_consensus(held, method=method)
        assert (on_engine.iterations, on_engine.converged) == (of_frame.iterations, of_frame.converged)
        one, two = of_frame.to_frame(), on_engine.to_frame()
        assert [*one.columns] == [*two.columns]
        assert one["label"].tolist() == two["label"].tolist()
        assert one["confidence"].to_numpy(dtype=float) == pytest.approx(two["confidence"].to_numpy(dtype=float))
        assert "t0" in on_engine._repr_html_()


@pytest.mark.parametrize(
    ("votes", "told"),
    [
        (VOTES.drop(columns="worker"), "no column 'annotator', nor 'worker'"),
        (VOTES.assign(label=None), "The column 'label' has an empty cell."),
        (VOTES.head(0), "There are no votes."),
        ([1, 2], "Votes cannot be a list."),
    ],
)
def test_what_is_refused(votes: Any, told: str) -> None:
    """Errors name the column."""
    with pytest.raises(HromadaError, match=told):
        find_consensus(votes)
