"""What Dawid-Skene labels contribute to scores, fitted again without each of about 20 groups of people and of items.

All labels depend on all votes, so what a group changes is found by leaving it out (a delete-a-group jackknife).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import dawid_skene
from aggregation.bootstrap import encode_groups
from aggregation.consensus import TIE_TOLERANCE
from aggregation.gold_comparison import ScoredAnswers
from aggregation.labels.scorers import encode_gold, join_columns
from aggregation.panel_variance import Contributions, SetChanges
from aggregation.schema import CodedVotes, Codes, Floats, Votes

FEWEST_REFITTED_PEOPLE = 8  # with fewer a fit hangs on each person, and a fresh panel is covered too seldom
MOST_GROUPS = 20  # groups of people, and of items, that are left out one at a time
# The labels of an item that was only skipped, and of one that has no votes or is itself left out.
UNANSWERED, ABSENT = -1, -2


@dataclass(frozen=True, kw_only=True, eq=False)
class _Labels:
    """Codes of labels: the place of a class, or a number of its own for each set of tied classes (in `ties`)."""

    n_classes: int
    ties: dict[tuple[int, ...], int] = field(default_factory=dict)

    def encode(self, posteriors: Floats, *, is_answered: NDArray[np.bool_]) -> Codes:
        """The code of the class with the highest posterior of each item, or of those that share it."""
        top = posteriors >= posteriors.max(axis=1, keepdims=True) - TIE_TOLERANCE
        codes = top.argmax(axis=1)
        for row in np.flatnonzero((top.sum(axis=1) > 1) & is_answered):
            tied = tuple(np.flatnonzero(top[row]).tolist())
            codes[row] = self.ties.setdefault(tied, self.n_classes + len(self.ties))
        return np.where(is_answered, codes, UNANSWERED)

    def share_columns(self, codes: Codes, gold: Floats) -> Floats:
        """The columns (see `labels.scorers`) of items with these labels; tied classes share the item."""
        shares = np.vstack([np.eye(self.n_classes), np.zeros((len(self.ties) + 2, self.n_classes))])
        for tied, code in self.ties.items():
            shares[code, list(tied)] = 1 / len(tied)
        answered = shares[codes]  # the two last rows are those of the codes -1 and -2
        columns = join_columns(answered * gold, gold, answered)
        columns[codes == ABSENT] = 0.0
        return columns


def sum_refitted_labels(votes: Votes, scored: ScoredAnswers) -> Contributions:
    """What Dawid-Skene labels contribute, fitted to all votes, and what changes without groups of people and items.

    People are dealt to MOST_GROUPS groups (where they are fewer each is one), and so are the groups of items.
    """
    coded = votes.encode()
    table = dawid_skene.build_table(coded)
    order = np.array([coded.labels.index(name) for name in votes.classes or ()])
    places = pd.Index(coded.item_ids).get_indexer(scored.gold.index)  # -1: only skipped
    of_people, of_items = _deal_people(coded), _deal_items(votes, coded)
    everyone, everything = np.ones(len(of_people)), np.ones(len(of_items))
    labels, gold = _Labels(n_classes=len(order)), encode_gold(scored)

    def fit_labels(people: Floats = everyone, items: Floats = everything) -> Codes:
        weights = None
        if people is not everyone or items is not everything:
            weights = dawid_skene.DrawWeights(annotators=people, items=items)
        fit = dawid_skene.fit_table(table, weights=weights)
        is_answered = (places >= 0) & (fit.answered[places] > 0)
        codes = labels.encode(fit.posteriors[places][:, order], is_answered=is_answered)
        is_lost = (places >= 0) & (~is_answered | (items[places] == 0))
        return np.where(is_lost, ABSENT, codes)

    fitted = fit_labels()
    tied = fitted >= labels.n_classes
    without_people = [fit_labels(people=_leave_out(of_people, group)) for group in range(int(of_people.max()) + 1)]
    without_items = [fit_labels(items=_leave_out(of_items, group)) for group in range(int(of_items.max()) + 1)]
    n_groups, n_items = len(without_people), len(scored.gold)
    of_person_groups = _list_changes(without_people, fitted, labels=labels, gold=gold)
    cells = np.arange(n_groups * n_items)
    factor = (n_groups - 1) / n_groups
    without_ties = labels.share_columns(np.where(tied, UNANSWERED, fitted), gold)
    return Contributions(
        columns=labels.share_columns(fitted, gold),
        groups=scored.groups,
        n_groups=scored.n_groups,
        changes=of_person_groups.changes,
        change=of_person_groups.change.ravel(),
        items=cells % n_items,
        people=cells // n_items,
        n_people=n_groups,
        people_factor=factor,
        cell_factor=factor,
        n_independent=n_items,
        fewest_people=FEWEST_REFITTED_PEOPLE,
        item_sets=_list_changes(without_items, fitted, labels=labels, gold=gold),
        ties_wrong=without_ties if tied.any() else None,
        tied=tied if tied.any() else None,
    )


def _leave_out(groups: Codes, group: int) -> Floats:
    return np.asarray(groups != group, dtype=np.float64)


def _list_changes(without: list[Codes], fitted: Codes, *, labels: _Labels, gold: Floats) -> SetChanges:
    """The different changes of an item's columns, and which one each set (first axis) makes of each item."""
    lowest, width = ABSENT, labels.n_classes + len(labels.ties) - ABSENT
    classes = gold.argmax(axis=1)
    keys = ((classes * width + fitted - lowest) * width)[None, :] + np.stack(without) - lowest
    known, change = np.unique(keys, return_inverse=True)
    truth = np.eye(gold.shape[1])[known // width**2]
    before = labels.share_columns(known // width % width + lowest, truth)
    after = labels.share_columns(known % width + lowest, truth)
    is_lost = known % width + lowest == ABSENT
    return SetChanges(changes=before - after, change=change.reshape(keys.shape), is_lost=is_lost)


def _deal_items(votes: Votes, coded: CodedVotes) -> Codes:
    """The set of each item with votes: groups of items are dealt by their names in turn."""
    groups, n_groups = encode_groups(votes.items["group"].reindex(coded.item_ids).to_numpy(dtype=object))
    return groups % min(n_groups, MOST_GROUPS)


def _deal_people(coded: CodedVotes) -> Codes:
    """The group of each person: dealt in turn by their number of votes, so that groups are of like size.

    People with equally many votes follow in the order of what they answered, so that names have no influence.
    """
    n_people = len(coded.annotator_ids)
    order = np.lexsort((coded.answers, coded.items, coded.annotators))
    starts = np.searchsorted(coded.annotators[order], np.arange(n_people + 1))
    said = np.column_stack([coded.items[order], coded.answers[order]]).astype(">i8")

    def rank(person: int) -> tuple[int, bytes]:
        start, end = starts[person], starts[person + 1]
        return int(end - start), said[start:end].tobytes()

    groups = np.empty(n_people, dtype=np.intp)
    groups[sorted(range(n_people), key=rank)] = np.arange(n_people) % min(n_people, MOST_GROUPS)
    return groups
