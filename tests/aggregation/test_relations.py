"""Votes that stay on an engine have the labels, skills and agreement that they have in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import pytest
from _relations import CLOSE, POOLS, compare_agreement, compare_fits, compare_pool, hold, read_posteriors

from aggregation.consensus.methods import build_label_consensus
from aggregation.errors import HromadaError
from aggregation.relations import agreement, em, engines
from aggregation.relations.labels import choose_labels
from aggregation.relations.vote_relation import code_votes
from aggregation.schema import VOTE_COLUMNS


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """A DuckDB in memory."""
    connection = ibis.duckdb.connect()
    yield connection
    connection.disconnect()


def make_frame(seed: int, *, n_items: int, n_people: int, n_votes: int, n_labels: int = 3) -> pd.DataFrame:
    """Random votes, some of them twice by one annotator on one item, whose right label is often given."""
    rng = np.random.default_rng(seed)
    items, people = rng.integers(0, n_items, n_votes), rng.integers(0, n_people, n_votes)
    right = rng.random(n_votes) < 0.4 + 0.4 * people / n_people
    answers = np.where(right, items % n_labels, rng.integers(0, n_labels, n_votes))
    names = {"item": [f"i{item}" for item in items], "annotator": [f"p{one}" for one in people]}
    return pd.DataFrame(names | {"answer": [f"label {answer}" for answer in answers]}, dtype=object)


def test_fits_equal_those_in_memory(engine: Any) -> None:
    """Posteriors, priors, skills, steps and stops, with annotators who vote twice on an item; also at a limit."""
    frame = make_frame(1, n_items=40, n_people=7, n_votes=300)
    compare_fits(engine, frame, stops=["crowdkit"])
    compare_fits(engine, frame, stops=[], limit=2)


@pytest.mark.parametrize(
    "frame",
    [
        make_frame(2, n_items=40, n_people=7, n_votes=300),
        pd.DataFrame([(f"i{i}", f"p{p}", "same") for i in range(6) for p in range(5)], columns=[*VOTE_COLUMNS]),
        pd.DataFrame([("i1", "p1", "a"), ("i2", "p2", "b")], columns=[*VOTE_COLUMNS]),
    ],
    ids=["random", "all equal", "no pairs"],
)  # fmt: skip
def test_agreement_equals_that_in_memory(engine: Any, frame: pd.DataFrame) -> None:
    """Values, both intervals, counts and reasons."""
    compare_agreement(engine, frame)


@pytest.mark.parametrize("ties", ["shared", "alphabetical"])
def test_labels_equal_those_in_memory(engine: Any, ties: Any) -> None:
    """The majority's labels, confidence and ties."""
    frame = make_frame(3, n_items=30, n_people=6, n_votes=110)
    expected = build_label_consensus(hold(frame), method="majority", ties=ties).labels
    with code_votes(engine.create_table("held", frame, overwrite=True)) as votes:
        found = choose_labels(votes, em.compute_shares(votes), ties=ties).execute().set_index("item_id").sort_index()
    assert expected["tie"].any()
    assert found["tied"].map(tuple).tolist() == expected["tied"].tolist()
    assert [None if pd.isna(label) else label for label in found["label"]] == expected["label"].tolist()
    assert found["confidence"].to_numpy() == pytest.approx(expected["confidence"].to_numpy(dtype=float))
    assert found["n_votes"].tolist() == expected["n_votes"].tolist()


def test_numbers_as_items_are_items_like_others(engine: Any) -> None:
    """A column of whole numbers is not hashed, and has the same posteriors."""
    frame = make_frame(4, n_items=20, n_people=4, n_votes=90)
    numbered = frame.assign(item=frame["item"].str[1:].astype(int))
    results = []
    for one in (frame, numbered):
        with code_votes(engine.create_table("held", one, overwrite=True)) as votes:
            with em.fit_votes(votes, model="dawid_skene", iterations=3) as fit:
                table = fit.posteriors.join(votes.items, "item").execute()
            names = table["name"].astype(str).str.removeprefix("i")
            results.append(table.set_index(names)["p0"].sort_index())
    assert results[0].to_numpy() == pytest.approx(results[1].to_numpy(), abs=CLOSE)


@pytest.mark.parametrize("model", ["dawid_skene", "one_coin"])
def test_an_interrupted_fit_goes_on_to_the_same_end(engine: Any, model: Any) -> None:
    """From what was kept before any step, the steps that are left give the same numbers."""
    kept: list[em.Estimates] = []
    frame = make_frame(5, n_items=15, n_people=5, n_votes=70)
    limits: dict[str, Any] = {"stop": "converged", "iterations": 5}
    with code_votes(engine.create_table("held", frame, overwrite=True)) as votes:
        with em.fit_votes(votes, model=model, keep=kept.append, **limits) as fit:
            whole, iterations = read_posteriors(votes, fit), fit.estimates.iterations
        assert [two.iterations - one.iterations for one, two in pairwise(kept)] == [1] * (len(kept) - 1)
        assert len(kept) == iterations - 1
        with em.fit_votes(votes, model=model, begin=kept[len(kept) // 2], **limits) as fit:
            assert read_posteriors(votes, fit) == pytest.approx(whole, abs=1e-12)
            assert fit.estimates.iterations == iterations


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([("i", "p", "a"), ("i", "q", None)], "1 vote has an empty cell in the column answer."),
        ([("i", "", "a"), ("", "", "a")], "1 vote has an empty cell in the column item."),
        ([(f"i{n}", "p", f"text {n}") for n in range(201)], "The votes have 201 different answers; 200 are the most."),
    ],
)
def test_votes_that_are_refused(engine: Any, rows: list[tuple[Any, ...]], problem: str) -> None:
    """Each with its sentence."""
    table = engine.create_table("held", pd.DataFrame(rows, columns=[*VOTE_COLUMNS]), overwrite=True)
    with pytest.raises(HromadaError) as refused, code_votes(table):
        pass
    assert refused.value.problem == problem


def test_orders_that_are_refused(engine: Any) -> None:
    """One that leaves a label out."""
    frame = make_frame(6, n_items=4, n_people=3, n_votes=20)
    with (
        code_votes(engine.create_table("held", frame, overwrite=True)) as votes,
        pytest.raises(HromadaError, match="no label 'label 2'"),
    ):
        agreement.measure_agreement(votes, ordered=["label 0", "label 1"])


def test_what_a_killed_run_left_is_deleted(tmp_path: Path) -> None:
    """What a run still needs is not."""
    left = tmp_path / ".hromada-votes-left"
    left.mkdir()
    duckdb.connect(str(left / "votes.duckdb")).close()
    (left / "overflow").write_text("of a killed run", "utf-8")
    with engines.open_duckdb(memory="1GB", folder=tmp_path):
        (first,) = tmp_path.iterdir()
        assert first != left
        with engines.open_duckdb(memory="1GB", folder=tmp_path):
            assert first in [*tmp_path.iterdir()]
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
@pytest.mark.parametrize("name", POOLS)
def test_every_pool_equals_that_in_memory(engine: Any, shared: Path, name: str) -> None:
    """Labels, skills and agreement, to 1e-9. To the end, `converged` takes 7,944 iterations on one, .3 s each."""
    compare_pool(engine, shared, name, limit=20)
