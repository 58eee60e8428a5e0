"""Closed labels as graded options, and what Dawid-Skene labels contribute, refitted without each group of people.

The columns are `scoring.LabelCounts` in its order: the right answers, the gold and the answers of each class, what ties
added to the right ones, and the total; where items share no classes, each block has one column for all answers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from aggregation import dawid_skene
from aggregation.consensus import TIE_TOLERANCE
from aggregation.gold_comparison import ScoredAnswers
from aggregation.options import GradedOptions
from aggregation.panel_intervals import Contributions
from aggregation.schema import Codes, Floats, Votes, divide_safely

REFITTED_GROUPS = 20  # groups of people that are left out one at a time


def grade_labels(scored: ScoredAnswers) -> GradedOptions:
    """The labels that each item's votes name, graded against gold."""
    frame = scored.frame
    answers, names = pd.factorize(frame["answer"].to_numpy()[scored.voted], sort=True)
    named, codes = np.unique(scored.items[scored.voted] * len(names) + answers, return_inverse=True)
    votes = np.full(len(frame), -1, dtype=np.intp)
    votes[scored.voted] = codes
    items, labels = named // len(names), pd.Index(np.asarray(names, dtype=object)[named % len(names)])
    right = (labels.to_numpy() == scored.gold.to_numpy()[items]).astype(np.float64)
    gold = _encode_gold(scored)
    if scored.classes is None:
        answered, is_right = np.ones((len(items), 1)), right[:, None]
    else:
        answered = (pd.Index(scored.classes).get_indexer(labels)[:, None] == np.arange(gold.shape[1])).astype(np.float64)
        is_right = answered * gold[items]
    return GradedOptions(
        scored=scored,
        items=items,
        grades=_join_columns(is_right, gold[items], answered),
        unanswered=_join_columns(np.zeros_like(gold), gold, np.zeros_like(gold)),
        right=right,
        votes=votes,
    )


def sum_refitted_labels(votes: Votes, scored: ScoredAnswers) -> Contributions:
    """What Dawid-Skene labels contribute, fitted to all votes, and how that changes without each group of people.

    The people are dealt to REFITTED_GROUPS groups (or each is a group of their own); the fit is made again without
    each, on all items, and compared on those with gold. A tie of posteriors is shared as by `options.sum_pluralities`.
    """
    coded = votes.encode()
    table = dawid_skene.build_table(coded)
    order = np.array([coded.labels.index(name) for name in votes.classes or ()])
    places = pd.Index(coded.item_ids).get_indexer(scored.gold.index)  # -1: only skipped
    groups = _deal_people(coded.items, coded.annotators, coded.answers, n_people=len(coded.annotator_ids))
    n_groups, n_items = int(groups.max()) + 1, len(scored.gold)
    gold = _encode_gold(scored)

    def fit_columns(annotators: Floats | None) -> Floats:
        weights = None
        if annotators is not None:
            weights = dawid_skene.DrawWeights(annotators=annotators, items=np.ones(len(coded.item_ids)))
        fit = dawid_skene.fit_table(table, weights=weights)
        answered = (places >= 0) & (fit.answered[places] > 0)
        columns = _share_labels(fit.posteriors[places][:, order] * answered[:, None], gold)
        columns[(places >= 0) & ~answered] = 0.0  # nobody is left who answered the item
        return columns

    columns = fit_columns(None)
    changes = np.zeros((n_groups, n_items, columns.shape[1]))
    if n_groups > 1:
        for group in range(n_groups):
            changes[group] = columns - fit_columns((groups != group).astype(np.float64))
    changes[:, :, -2] = 0.0
    cells = np.arange(n_groups * n_items)
    different, change = np.unique(changes.reshape(len(cells), -1), axis=0, return_inverse=True)
    factor = (n_groups - 1) / n_groups
    return Contributions(
        columns=columns,
        groups=scored.groups,
        n_groups=scored.n_groups,
        changes=different,
        change=change.ravel(),
        items=cells % n_items,
        people=cells // n_items,
        n_people=n_groups,
        people_factor=factor,
        cell_factor=factor,
        n_independent=n_items,
    )


def _deal_people(items: Codes, people: Codes, answers: Codes, *, n_people: int) -> Codes:
    """The group of each person: dealt in turn by their number of votes, so that groups are of like size.

    People with equally many votes follow in the order of what they answered, so that names have no influence.
    """
    order = np.lexsort((answers, items, people))
    starts = np.searchsorted(people[order], np.arange(n_people + 1))
    said = np.column_stack([items[order], answers[order]]).astype(">i8")
    keys = [(starts[person + 1] - starts[person], said[starts[person] : starts[person + 1]].tobytes()) for person in range(n_people)]
    groups = np.empty(n_people, dtype=np.intp)
    ranked = sorted(range(n_people), key=lambda person: keys[person])
    groups[ranked] = np.arange(n_people) % min(n_people, REFITTED_GROUPS)
    return groups


def _share_labels(scores: Floats, gold: Floats) -> Floats:
    """The columns of items by the classes with the highest score, tied ones sharing the item; no score, no answer."""
    best = scores.max(axis=1, keepdims=True)
    top = ((scores >= best - TIE_TOLERANCE) & (best > 0)).astype(np.float64)
    n_top = top.sum(axis=1, keepdims=True)
    shares = np.nan_to_num(divide_safely(top, n_top))
    columns = _join_columns(shares * gold, gold, shares)
    columns[:, -2] = np.where(n_top[:, 0] > 1, (shares * gold).sum(axis=1), 0.0)
    return columns


def _join_columns(right: Floats, gold: Floats, answered: Floats) -> Floats:
    return np.hstack([right, gold, answered, np.zeros((len(right), 1)), np.ones((len(right), 1))])


def _encode_gold(scored: ScoredAnswers) -> Floats:
    """items × classes: 1 at the class that is gold; a single column of ones where items share no classes."""
    if scored.classes is None:
        return np.ones((len(scored.gold), 1))
    codes = pd.Index(scored.classes).get_indexer(pd.Index(scored.gold))
    return np.asarray(codes[:, None] == np.arange(len(scored.classes)), dtype=np.float64)
