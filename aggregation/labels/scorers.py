"""Scorers of closed labels: single answers, majorities and Dawid-Skene refits, when annotators and items are redrawn.

The columns of every scorer are `scoring.LabelCounts` in its order: the right answers, the gold and the answers of each
class, and the total; where items share no classes, each block has one column for all answers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import dawid_skene
from aggregation.bootstrap import encode_groups
from aggregation.consensus import TIE_TOLERANCE
from aggregation.gold_comparison import ScoredAnswers, Scorer, build_scorer, count_cells
from aggregation.schema import Floats, Votes


def build_individual_scorer(scored: ScoredAnswers) -> Scorer:
    """The scorer of single answers; a skip counts as a wrong answer."""
    if scored.classes is None:
        return _build_own_options_scorer(scored, plurality=False)
    return _build_class_scorer(scored, plurality=False)


def build_majority_scorer(scored: ScoredAnswers) -> Scorer:
    """The scorer of the answer that has more votes than each other answer of its item; a tie is wrong.

    Items that no drawn annotator answered or skipped do not count; those that they only skipped are wrong.
    """
    if scored.classes is None:
        return _build_own_options_scorer(scored, plurality=True)
    return _build_class_scorer(scored, plurality=True)


def build_refit_scorer(votes: Votes, scored: ScoredAnswers) -> Scorer:
    """The scorer of Dawid-Skene, fitted again to the drawn annotators' votes on all drawn items.

    It is scored on the items that have gold. The fit is the sparse one with crowd-kit's stop; a tie of posteriors is
    wrong, and so is an item that was only skipped.
    """
    coded, classes = votes.encode(), np.array(votes.classes, dtype=object)
    table = dawid_skene.build_table(coded)
    order = np.array([coded.labels.index(name) for name in classes])
    item_ids = _append_missing(coded.item_ids, scored.gold.index)
    annotator_ids = _append_missing(coded.annotator_ids, scored.annotator_ids)
    scored_items = item_ids.get_indexer(scored.gold.index)
    scored_annotators = annotator_ids.get_indexer(pd.Index(scored.annotator_ids))
    groups, n_groups = encode_groups(votes.items["group"].reindex(item_ids).to_numpy(dtype=object))
    gold, skips = _encode_gold(scored), scored.count_skips()
    n_items, n_annotators = len(coded.item_ids), len(coded.annotator_ids)
    unvoted = np.zeros(len(item_ids) - n_items)

    def sum_draw(annotators: Floats, items: Floats) -> Floats:
        weights = dawid_skene.DrawWeights(annotators=annotators[:n_annotators], items=items[:n_items])
        fit = dawid_skene.fit_table(table, weights=weights)
        answered = np.concatenate([fit.answered, unvoted])[scored_items] > 0
        posteriors = np.vstack([fit.posteriors, np.zeros((len(unvoted), len(order)))])
        posteriors = posteriors[scored_items][:, order].T * answered
        skipped = np.asarray(skips @ annotators[scored_annotators], dtype=np.float64) > 0
        counted = np.where(answered | skipped, items[scored_items], 0.0)
        n_answers = np.ones((len(scored_items), 1))
        return _sum_label_counts(
            _find_leaders(posteriors)[:, :, None], gold, weights=counted[:, None], n_answers=n_answers
        )

    def sum_columns(annotators: Floats, items: Floats) -> Floats:
        return np.concatenate([sum_draw(annotators[:, draw], items[:, draw]) for draw in range(annotators.shape[1])])

    return Scorer(
        sum_columns=sum_columns,
        n_annotators=len(annotator_ids),
        groups=groups,
        n_groups=n_groups,
        width=len(item_ids),
    )


def _build_class_scorer(scored: ScoredAnswers, *, plurality: bool) -> Scorer:
    classes = scored.classes or ()
    n_items, n_annotators, n_classes = len(scored.gold), len(scored.annotator_ids), len(classes)
    voted = scored.voted
    answers = pd.Index(classes).get_indexer(pd.Index(scored.frame["answer"].to_numpy()[voted]))
    rows = answers * n_items + scored.items[voted]
    votes = count_cells(rows, scored.annotators[voted], shape=(n_classes * n_items, n_annotators))
    gold, skips = _encode_gold(scored), scored.count_skips()

    def sum_columns(annotators: Floats, items: Floats) -> Floats:
        counts = np.asarray(votes @ annotators, dtype=np.float64).reshape(n_classes, n_items, -1)
        votes_and_skips = counts.sum(axis=0) + np.asarray(skips @ annotators, dtype=np.float64)
        if plurality:
            n_answers = (votes_and_skips > 0).astype(np.float64)
            return _sum_label_counts(_find_leaders(counts), gold, weights=items, n_answers=n_answers)
        return _sum_label_counts(counts, gold, weights=items, n_answers=votes_and_skips)

    return build_scorer(sum_columns, scored, width=n_classes * n_items)


def _build_own_options_scorer(scored: ScoredAnswers, *, plurality: bool) -> Scorer:
    """For items that share no classes: votes for gold and votes for each other answer of an item are counted apart."""
    n_items, n_annotators = len(scored.gold), len(scored.annotator_ids)
    is_gold, is_other = scored.right == 1, scored.voted & (scored.right == 0)
    pairs = scored.frame.loc[is_other].groupby(["item", "answer"], sort=True).ngroup().to_numpy(dtype=np.intp)
    n_pairs = int(pairs.max(initial=-1)) + 1
    item_of_pair = np.zeros(n_pairs, dtype=np.intp)
    item_of_pair[pairs] = scored.items[is_other]
    with_other, starts = np.unique(item_of_pair, return_index=True)
    gold_votes = count_cells(scored.items[is_gold], scored.annotators[is_gold], shape=(n_items, n_annotators))
    other_votes = count_cells(pairs, scored.annotators[is_other], shape=(n_pairs, n_annotators))
    skips = scored.count_skips()
    combine = np.maximum if plurality else np.add

    def sum_columns(annotators: Floats, items: Floats) -> Floats:
        gold = np.asarray(gold_votes @ annotators, dtype=np.float64)
        other = np.zeros_like(gold)
        if n_pairs:
            other[with_other] = combine.reduceat(np.asarray(other_votes @ annotators), starts, axis=0)
        right, n_answers = gold, gold + other + np.asarray(skips @ annotators, dtype=np.float64)
        if plurality:
            right, n_answers = (gold > other).astype(np.float64), (n_answers > 0).astype(np.float64)
        total = np.einsum("ib,ib->b", n_answers, items)
        return np.column_stack([np.einsum("ib,ib->b", right, items), total, total, total])

    return build_scorer(sum_columns, scored, width=max(n_items, n_pairs))


def _sum_label_counts(answers: Floats, gold: Floats, *, weights: Floats, n_answers: Floats) -> Floats:
    """Label counts of `answers` (classes × items × draws) against one-hot `gold` (classes × items), a row per draw.

    `n_answers` is how many answers are scored of each item (items × draws): its votes and skips, or 1 where the item
    has one label. Those that name no class (a skip, a tie) are included.
    """
    weighted = answers * weights
    right = np.einsum("ci,cib->bc", gold, weighted)
    counted = n_answers * weights
    return np.hstack([right, (gold @ counted).T, weighted.sum(axis=1).T, counted.sum(axis=0)[:, None]])


def _find_leaders(scores: Floats) -> Floats:
    """1 for the class (first axis) that leads alone, else 0; nothing leads where all scores are zero."""
    best = scores.max(axis=0)
    top = (scores >= best - TIE_TOLERANCE) & (best > 0)
    return np.asarray(top & (top.sum(axis=0) == 1), dtype=np.float64)


def _encode_gold(scored: ScoredAnswers) -> Floats:
    """classes × items: 1 at the class that is gold."""
    codes = pd.Index(scored.classes or ()).get_indexer(pd.Index(scored.gold))
    return np.asarray(codes[None, :] == np.arange(len(scored.classes or ()))[:, None], dtype=np.float64)


def _append_missing(known: NDArray[np.object_], more: pd.Index[str] | NDArray[np.object_]) -> pd.Index[str]:
    """The known ids in their order, then those that occur in skips alone."""
    first = pd.Index(known, dtype=object)
    return first.append(pd.Index(more, dtype=object).difference(first, sort=False))
