"""The sparse Dawid-Skene equals crowd-kit's to rounding, and its weights equal copied votes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from _examples import limit_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregation.consensus.dawid_skene import (
    CROWDKIT_ITERATIONS,
    CROWDKIT_TOLERANCE,
    DrawWeights,
    build_table,
    fit_table,
)
from aggregation.schema import Votes

Build = Callable[..., Votes]
ROWS = st.lists(
    st.tuples(st.sampled_from("ijklm"), st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=1, max_size=40
)


@pytest.mark.parametrize(
    "name",
    ["patients", "dog", "rte", "CF", "SP_amt", "d_jn-product", "s5_AdultContent", "PARus", "RWSD", "RCB"],
)
def test_it_equals_crowd_kit_on_real_votes(real: Build, name: str) -> None:
    """Posteriors to 1e-9, the same number of iterations, and every label."""
    from crowdkit.aggregation import DawidSkene

    coded = real(name).encode()
    model = DawidSkene(n_iter=CROWDKIT_ITERATIONS, tol=CROWDKIT_TOLERANCE)
    found = model.fit_predict_proba(coded.to_crowdkit()).sort_index()
    expected = found.reindex(columns=range(len(coded.labels)), fill_value=0.0).to_numpy(dtype=float)
    made = fit_table(build_table(coded))
    np.testing.assert_allclose(made.posteriors, expected, atol=1e-9)
    assert (made.posteriors.argmax(axis=1) == expected.argmax(axis=1)).all()
    assert made.iterations == len(model.loss_history_)


def test_settled_means_that_nothing_moves(real: Build) -> None:
    """Run to the end the fit needs more steps, and a last one that moves no posterior by 1e-8."""
    votes = build_table(real("dog").encode())
    early, late = fit_table(votes), fit_table(votes, stop="converged")
    assert early.iterations < late.iterations
    assert late.converged
    assert late.moved < 1e-8
    assert np.abs(early.posteriors - late.posteriors).max() > 1e-3


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_weights_equal_copied_votes(votes_of: Build, rows: list[tuple[str, str, str]], seed: int) -> None:
    """An annotator or item drawn twice counts as two copies; one that was not drawn does not count."""
    votes = votes_of(rows, classes="xyz")
    coded = votes.encode()
    rng = np.random.default_rng(seed)
    people, items = (rng.integers(0, 3, len(ids)) for ids in (coded.annotator_ids, coded.item_ids))
    copied = [
        (f"{item}-{one}", f"{person}-{two}", answer)
        for item, person, answer in rows
        for one in range(items[list(coded.item_ids).index(item)])
        for two in range(people[list(coded.annotator_ids).index(person)])
    ]
    weights = DrawWeights(annotators=people.astype(float), items=items.astype(float))
    weighed = fit_table(build_table(coded), weights=weights, iterations=3)
    if not copied:
        assert np.isfinite(weighed.posteriors).all()
        return
    expanded = votes_of(copied, classes="xyz").encode()
    expected = fit_table(build_table(expanded), iterations=3)
    assert weighed.iterations == expected.iterations
    assert weighed.priors == pytest.approx(expected.priors, abs=1e-7)
    for row, name in enumerate(expanded.item_ids):
        place = list(coded.item_ids).index(name.rsplit("-", 1)[0])
        assert weighed.posteriors[place] == pytest.approx(expected.posteriors[row], abs=1e-7)


@settings(deadline=None, max_examples=limit_examples(40))
@given(rows=ROWS, seed=st.integers(0, 99))
def test_order_and_names_change_nothing(votes_of: Build, rows: list[tuple[str, str, str]], seed: int) -> None:
    """Shuffled rows give the same bits, renamed people and turned labels the same posteriors."""
    votes = votes_of(rows, classes="xyz")
    one = fit_table(build_table(votes.encode()))
    shuffled = replace(votes, frame=votes.frame.sample(frac=1, random_state=seed).reset_index(drop=True))
    np.testing.assert_array_equal(fit_table(build_table(shuffled.encode())).posteriors, one.posteriors)
    names = {"x": "z", "y": "y", "z": "x"}
    renamed = votes_of([(item, f"p{person}", names[answer]) for item, person, answer in rows], classes="xyz")
    two, again = (fit_table(build_table(given.encode()), iterations=2) for given in (renamed, votes))
    np.testing.assert_allclose(two.posteriors[:, ::-1], again.posteriors, atol=1e-6)


def test_a_label_that_nobody_gave_is_no_candidate(votes_of: Build) -> None:
    """However much people contradict each other, a fourth label does not profit."""
    rows = [("i", "a", "x"), ("i", "b", "y"), ("i", "c", "z"), ("j", "a", "y"), ("j", "b", "z"), ("j", "c", "x")]
    made = fit_table(build_table(votes_of(rows, classes="wxyz").encode()))
    assert made.posteriors[:, 0].tolist() == [0, 0]
    np.testing.assert_allclose(made.posteriors.sum(axis=1), 1)
