"""Dawid-Skene and one-coin by two group-bys an iteration: over items for posteriors, over pairs for the annotators.

The formulas, floors and stops are those of `consensus.dawid_skene` and `consensus.skills`; an engine takes the sums.
What an iteration knows is one number per pair and label, so that is all a checkpoint holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Literal

import ibis
import ibis.expr.types as ir
import numpy as np

from aggregation.consensus import skills
from aggregation.consensus.dawid_skene import (
    CONVERGED_CHANGE,
    CROWDKIT_FLOOR,
    CROWDKIT_ITERATIONS,
    CROWDKIT_TOLERANCE,
    LOG_DECIMALS,
    MAX_ITERATIONS,
    StopRule,
)
from aggregation.consensus.skill_posterior import compute_evidence, smooth_skill
from aggregation.relations.vote_relation import ITEM, PAIR, Step, VoteRelation, name_columns, tell_nobody
from aggregation.schema import Floats, count_codes

Model = Literal["dawid_skene", "one_coin"]
POSTERIOR = "p"
"""The columns of posteriors are p0, p1 …, one per label."""
N_VOTES = "n_votes"


def _make_empty() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimates:
    """What the next step begins from, and what is known of the steps before.

    `priors` has one share per label. `errors` is pairs × labels: how likely the annotator of the pair gives its label
    where the label of the column is right. `skills` has one number per annotator. Dawid-Skene has no skills, and
    one-coin neither priors nor errors; they are empty. `bound` is crowd-kit's bound per vote; `change` and `moved` are
    those of `consensus.dawid_skene`.
    """

    priors: Floats = field(default_factory=_make_empty)
    errors: Floats = field(default_factory=_make_empty)
    skills: Floats = field(default_factory=_make_empty)
    iterations: int = 0
    bound: float = -np.inf
    change: float = np.inf
    moved: float = np.inf
    converged: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class RelationFit:
    """The posteriors of a fit (item, n_votes, and p0, p1 …, one per label), stored by the engine, and its estimates."""

    posteriors: ir.Table
    estimates: Estimates


@contextmanager
def fit_votes(
    votes: VoteRelation,
    *,
    model: Model,
    stop: StopRule = "crowdkit",
    iterations: int | None = None,
    begin: Estimates | None = None,
    keep: Callable[[Estimates], None] | None = None,
    tell: Step = tell_nobody,
) -> Iterator[RelationFit]:
    """Fit a model to votes; the engine stores the posteriors until the block ends.

    Stops and limits are those of `consensus.dawid_skene.fit_table` and `consensus.skills.fit_one_coin`; `iterations` is
    another limit. Before every step but the first, `keep` gets the estimates that the step before began with. Given as
    `begin`, they lead to the same result as a fit that was never interrupted.
    """
    is_one_coin, is_still = model == "one_coin", model == "one_coin" or stop == "converged"
    limit = iterations or (
        skills.MAX_ITERATIONS if is_one_coin else MAX_ITERATIONS if is_still else CROWDKIT_ITERATIONS
    )
    tolerance = skills.CONVERGED_CHANGE if is_one_coin else CONVERGED_CHANGE
    expect, maximise = (_expect_by_skill, _rate) if is_one_coin else (_expect, _maximise)
    with _Stored(n_kept=2 if is_still else 1) as stored:
        estimates = begin
        if estimates is None:
            tell("shares of votes")
            first = maximise(votes, stored.store(compute_shares(votes)), Estimates())
            estimates = replace(first, bound=-np.inf, change=np.inf)
        may_end, has_ended = begin is None, False
        while not has_ended:
            tell(f"iteration {estimates.iterations + 1}")
            before, posteriors = stored.latest, stored.store(expect(votes, estimates))
            done = replace(estimates, iterations=estimates.iterations + 1)
            if is_still and before is not None:
                done = replace(done, moved=_find_movement(posteriors, before, n_labels=len(votes.labels)))
            is_last = is_one_coin and (done.moved < tolerance or (may_end and done.iterations >= limit))
            after = done if is_last else maximise(votes, posteriors, done)
            is_settled = after.moved < tolerance if is_still else after.change < CROWDKIT_TOLERANCE
            has_ended = may_end and (is_settled or after.iterations >= limit)
            if not has_ended and keep is not None:
                keep(estimates)
            may_end, estimates = True, after
        converged = is_settled if is_still else abs(estimates.change) < CROWDKIT_TOLERANCE
        yield RelationFit(posteriors=posteriors, estimates=replace(estimates, converged=converged))


def compute_shares(votes: VoteRelation) -> ir.Table:
    """The share of each label among an item's votes: item, n_votes, p0, p1 …"""
    sums = sum_by_item(votes, votes.choose_labels())
    shares = {name: sums[f"s{place}"] / sums[N_VOTES] for place, name in enumerate(_list_posteriors(votes))}
    return sums.select(ITEM, N_VOTES, **shares)


def sum_by_item(votes: VoteRelation, weights: Floats) -> ir.Table:
    """Sums over the votes of each item of a number per pair and label: item, n_votes, s0, s1 …"""
    names = name_columns("w", len(votes.labels))
    joined = votes.join_pairs(dict(zip(names, weights.T, strict=True)))
    sums = {f"s{place}": joined[name].sum() for place, name in enumerate(names)}
    return joined.group_by(ITEM).agg(n_votes=joined.count(), **sums)


def _sum_by_pair(votes: VoteRelation, posteriors: ir.Table) -> Floats:
    """The sum of the posteriors of the items that each pair was given to: pairs × labels."""
    names = _list_posteriors(votes)
    joined = votes.coded.join(posteriors, ITEM)
    sums = joined.group_by(PAIR).agg(**{name: joined[name].sum() for name in names}).execute()
    return np.asarray(sums.sort_values(PAIR)[names], dtype=np.float64)


def _soften(votes: VoteRelation, sums: ir.Table, scores: list[ir.Column], *, base: float, unseen: int) -> ir.Table:
    """Posteriors in proportion to base^score; `unseen` options that nobody chose have the score 0."""
    named = sums.select(ITEM, N_VOTES, **{f"s{place}": score for place, score in enumerate(scores)})
    columns = [named[f"s{place}"] for place in range(len(scores))]
    top = (
        ibis.greatest(*columns, ibis.literal(0.0)) if unseen else ibis.greatest(*columns) if columns[1:] else columns[0]
    )
    topped = named.mutate(top=top)
    raised = topped.select(
        ITEM,
        N_VOTES,
        "top",
        **{f"e{place}": _raise(base, topped[f"s{place}"] - topped["top"]) for place in range(len(scores))},
        **{f"given{place}": topped[f"s{place}"] != 0 for place in range(len(scores))},
    )
    total = reduce(add, [raised[f"e{place}"] for place in range(len(scores))])
    if unseen:
        total = total + unseen * _raise(base, -raised["top"])
    summed = raised.mutate(total=total)
    names = _list_posteriors(votes)
    found = {name: summed[f"e{place}"] / summed["total"] for place, name in enumerate(names)}
    given = {f"given_{name}": summed[f"given{place}"] for place, name in enumerate(names)}
    return summed.select(ITEM, N_VOTES, **found, **given)


def find_greatest(columns: list[ir.Column]) -> ir.Column:
    """The largest number of each row."""
    return ibis.greatest(*columns) if len(columns) > 1 else columns[0]


def _raise(base: float, power: ir.Column) -> ir.Column:
    return power.exp() if base == np.e else ibis.literal(base) ** power.round(LOG_DECIMALS)


def _expect(votes: VoteRelation, estimates: Estimates) -> ir.Table:
    """The posteriors under priors and errors, logarithms rounded as in `consensus.dawid_skene`."""
    sums = sum_by_item(votes, np.log2(estimates.errors))
    priors = np.log2(np.maximum(estimates.priors, CROWDKIT_FLOOR))
    scores = [sums[f"s{place}"] + float(prior) for place, prior in enumerate(priors)]
    return _soften(votes, sums, scores, base=2.0, unseen=0)


def _maximise(votes: VoteRelation, posteriors: ir.Table, before: Estimates) -> Estimates:
    """Priors and errors from the posteriors, and crowd-kit's bound per vote."""
    names = _list_posteriors(votes)
    floored = [ibis.greatest(posteriors[name], CROWDKIT_FLOOR) for name in names]
    entropy = reduce(add, [column * column.ln() for column in floored]).sum()
    of_items = posteriors.agg(entropy=entropy, **{name: posteriors[name].sum() for name in names}).execute().iloc[0]
    priors = np.asarray(of_items[names], dtype=np.float64) / votes.n_items
    counts = _sum_by_pair(votes, posteriors)
    errors = np.maximum(counts, CROWDKIT_FLOOR)
    errors /= np.add.reduceat(errors, votes.starts, axis=0)[votes.annotator]
    joint = (counts * np.log(errors)).sum() + counts.sum(axis=0) @ np.log(np.maximum(priors, CROWDKIT_FLOOR))
    bound = float((joint - of_items["entropy"]) / votes.n_votes)
    return replace(before, priors=priors, errors=errors, bound=bound, change=bound - before.bound)


def _expect_by_skill(votes: VoteRelation, estimates: Estimates) -> ir.Table:
    """The posteriors under one skill per annotator, where every label is an option of every item."""
    n_options = count_options(votes)
    evidence = np.array([compute_evidence(skill, n_options) for skill in estimates.skills.tolist()])
    sums = sum_by_item(votes, votes.choose_labels() * evidence[votes.annotator][:, None])
    scores = [sums[f"s{place}"] for place in range(len(votes.labels))]
    return _soften(votes, sums, scores, base=np.e, unseen=n_options - len(votes.labels))


def count_options(votes: VoteRelation) -> int:
    """How many labels a vote can have: those that occur, and at least two."""
    return max(2, len(votes.labels))


def _rate(votes: VoteRelation, posteriors: ir.Table, before: Estimates) -> Estimates:
    """The smoothed skills from the expected number of right answers, and the mean posteriors as priors."""
    counts = _sum_by_pair(votes, posteriors)
    size = len(votes.annotators)
    right = count_codes(votes.annotator, size=size, weights=counts[np.arange(len(counts)), votes.label])
    total = count_codes(votes.annotator, size=size, weights=counts.sum(axis=1))
    return replace(before, skills=smooth_skill(right, total))


def _find_movement(posteriors: ir.Table, before: ir.Table, *, n_labels: int) -> float:
    """The largest change of a posterior; of labels that an item's votes do not name, one-coin's EM looks at none."""
    names = name_columns(POSTERIOR, n_labels)
    joined = posteriors.join(before.select(ITEM, **{f"before_{name}": before[name] for name in names}), ITEM)
    change = {name: (joined[name] - joined[f"before_{name}"]).abs() for name in names}
    moved = joined.agg(**{name: (one * joined[f"given_{name}"].cast("float64")).max() for name, one in change.items()})
    found = moved.execute()
    return float(found.to_numpy(dtype=np.float64).max(initial=0.0))


def _list_posteriors(votes: VoteRelation) -> list[str]:
    return name_columns(POSTERIOR, len(votes.labels))


class _Stored:
    """The latest tables that an engine stores for a fit. They are few, since each has a row for every item."""

    def __init__(self, *, n_kept: int) -> None:
        self._n_kept = n_kept
        self._tables: list[ir.CachedTable] = []

    def __enter__(self) -> _Stored:
        return self

    def __exit__(self, *_exception: object) -> None:
        for table in self._tables:
            table.release()

    @property
    def latest(self) -> ir.Table | None:
        """The table that was stored last."""
        return self._tables[-1] if self._tables else None

    def store(self, table: ir.Table) -> ir.Table:
        """Compute and store a table in the place of the oldest, if there are as many as are kept."""
        while len(self._tables) >= self._n_kept:
            self._tables.pop(0).release()
        self._tables.append(table.cache())
        return self._tables[-1]
