"""Votes on an engine compared with the same votes in memory, for every engine."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from aggregation.agreement.coefficients import compute_label_agreement
from aggregation.agreement.people import compute_agreement_with_others
from aggregation.consensus import dawid_skene, skills
from aggregation.relations import agreement, em
from aggregation.relations.vote_relation import VoteRelation, code_votes
from aggregation.schema import Votes, check_votes

CLOSE = 1e-9
POOLS = {
    "patients": "dawid-skene-1979/patients45.csv",
    "dog": "truth-inference/SpectralMethodsMeetEM/dog/label.csv",
    "rte": "truth-inference/SpectralMethodsMeetEM/rte/label.csv",
    "CF": "truth-inference/active-crowd-toolkit/CF/label.csv",
    "SP_amt": "truth-inference/active-crowd-toolkit/SP_amt/label.csv",
    "d_jn-product": "truth-inference/crowd_truth_inference/d_jn-product/label.csv",
    "s5_AdultContent": "truth-inference/crowd_truth_inference/s5_AdultContent/label.csv",
}
"""All shared pools that are tables of an item, an annotator and a label, and where they are among the data."""


def make_table(engine: Any, frame: pd.DataFrame) -> Any:
    """A frame as a table of the engine."""
    if engine.name == "duckdb":
        return engine.create_table("held", frame, overwrite=True)
    session = importlib.import_module("pyspark.sql").SparkSession.getActiveSession()
    session.createDataFrame(frame).createOrReplaceTempView("held")
    return engine.table("held")


def hold(frame: pd.DataFrame, *, level: Any = "nominal") -> Votes:
    """The same votes in memory."""
    labels = sorted(set(frame["answer"]))
    ids = sorted(set(frame["item"].astype(str)))
    items = pd.DataFrame({"group": ids, "gold": None, "n_options": max(2, len(labels))}, index=ids)
    return check_votes(frame, items=items, classes=labels, measurement_level=level)


def read_posteriors(votes: VoteRelation, fit: em.RelationFit) -> np.ndarray[Any, Any]:
    """Items × labels, items sorted."""
    table = fit.posteriors.join(votes.items, "item").execute()
    table = table.assign(name=table["name"].astype(str)).sort_values("name")
    return np.asarray(table[[f"p{place}" for place in range(len(votes.labels))]], dtype=float)


def compare_fits(engine: Any, frame: pd.DataFrame, *, stops: Sequence[Any], limit: int = 100) -> None:
    """Dawid-Skene with these stops, and one-coin, equal those in memory after at most `limit` iterations."""
    held = hold(frame)
    with code_votes(make_table(engine, frame)) as votes:
        for stop in stops:
            expected = dawid_skene.fit_table(dawid_skene.build_table(held.encode()), stop=stop, iterations=limit)
            with em.fit_votes(votes, model="dawid_skene", stop=stop, iterations=limit) as fit:
                assert read_posteriors(votes, fit) == pytest.approx(expected.posteriors, abs=CLOSE)
                found = fit.estimates
            assert (found.iterations, found.converged) == (expected.iterations, expected.converged)
            assert found.priors == pytest.approx(expected.priors, abs=CLOSE)
            if stop == "crowdkit":
                assert found.change == pytest.approx(expected.change, abs=CLOSE)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(skills, "MAX_ITERATIONS", limit)
            compare_one_coin(votes, held)


def compare_one_coin(votes: VoteRelation, held: Votes) -> None:
    """Posteriors, skills and iterations equal those in memory."""
    one = skills.fit_one_coin(held)
    with em.fit_votes(votes, model="one_coin") as fit:
        posteriors = read_posteriors(votes, fit)
    assert posteriors[one.pairs.item, one.pairs.answer] == pytest.approx(one.posterior, abs=CLOSE)
    by_name = pd.Series(one.skills, index=one.pairs.coded.annotator_ids).sort_index()
    assert fit.estimates.skills == pytest.approx(by_name.to_numpy(), abs=CLOSE)
    assert fit.estimates.iterations == one.iterations


def compare_agreement(engine: Any, frame: pd.DataFrame) -> None:
    """Every number and sentence of the rows equals that in memory."""
    expected = {row.name: asdict(row) for row in compute_label_agreement(hold(frame, level="ordinal")).rows}
    with code_votes(make_table(engine, frame)) as votes:
        rows = agreement.measure_agreement(votes, ordered=votes.labels).rows
        others = agreement.compute_agreement_with_others(votes)
    assert [row.name for row in rows] == [
        "percent_agreement", "krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "gwet_ac1",
    ]  # fmt: skip
    for row in rows:
        assert asdict(row) == {
            key: pytest.approx(value, abs=CLOSE) if isinstance(value, float) else value
            for key, value in expected[row.name].items()
        }
    in_memory = compute_agreement_with_others(hold(frame))
    assert others["n"].tolist() == in_memory["n"].tolist()
    assert others["majority"].to_numpy() == pytest.approx(in_memory["majority"].to_numpy(), abs=CLOSE, nan_ok=True)


def compare_pool(engine: Any, shared: Path, name: str, *, limit: int) -> None:
    """Labels, skills and agreement of a pool after at most `limit` iterations."""
    stops = ["crowdkit", "converged"] if name == "patients" else ["crowdkit"]
    frame = read_pool(shared, name)
    compare_fits(engine, frame, stops=stops, limit=limit)
    compare_agreement(engine, frame)


def read_pool(shared: Path, name: str) -> pd.DataFrame:
    """The votes of one of POOLS."""
    pool = pd.read_csv(shared / "data" / POOLS[name], dtype=str).iloc[:, :3].dropna()
    return pool.set_axis(["item", "annotator", "answer"], axis=1)
