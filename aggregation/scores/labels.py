"""Closed labels against gold: single answers, majorities and Dawid-Skene, for a fresh panel and for this one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation import scoring
from aggregation.consensus import dawid_skene
from aggregation.consensus.consensus import SHARED, TIE_TOLERANCE, Consensus, TieChoice, settle_ties
from aggregation.consensus.methods import Method, build_label_consensus
from aggregation.errors import Refused
from aggregation.findings import join_findings
from aggregation.gold_comparison import ScoredAnswers, compare_with_gold
from aggregation.intervals.few_errors import End, split_errors
from aggregation.intervals.panel import Contributions, Metric, Scale, SetChanges
from aggregation.intervals.resampling import Progress, encode_groups
from aggregation.schema import CodedVotes, Codes, Floats, Votes, divide_safely
from aggregation.scores.graded_answers import GradedOptions, sum_pluralities, sum_single_answers
from aggregation.scores.performance import (
    Performance,
    Unit,
    UnitName,
    add_annotator_range,
    score_annotators,
    score_fresh_majorities,
    score_unit,
)

NO_LABEL = ""
"""The last column of a confusion matrix: what was skipped, or has no label."""


def count_single_answers(votes: Votes, skips: pd.DataFrame) -> pd.DataFrame:
    """The confusion matrix of single answers on items with gold: classes × [classes, NO_LABEL], in declared order.

    `skips` (columns item, annotator) are answers that were due and not given.
    """
    gold = votes.items["gold"]
    answered = votes.frame.loc[votes.frame["item"].map(gold).notna()]
    skipped = skips["item"].map(gold).dropna()
    return _count_cells(
        [*answered["item"].map(gold), *skipped],
        [(answer,) for answer in answered["answer"]] + [()] * len(skipped),
        classes=votes.classes or (),
    )


def count_consensus(consensus: Consensus, votes: Votes, skips: pd.DataFrame) -> pd.DataFrame:
    """The expected confusion matrix of one label per item with gold: a tie counts a share for each tied label.

    Ties of `consensus` must be open. An item that was only skipped has no label.
    """
    gold = votes.items["gold"].dropna()
    labels = consensus.labels.loc[consensus.labels.index.isin(gold.index)]
    skipped = sorted((set(skips["item"]) & set(gold.index)) - set(labels.index))
    chosen = [
        (label,) if isinstance(label, str) else tuple(tied)
        for label, tied in zip(labels["label"], labels["tied"], strict=True)
    ]
    truth = [*gold.reindex(labels.index), *gold.reindex(skipped)]
    return _count_cells(truth, chosen + [()] * len(skipped), classes=votes.classes or ())


def compute_class_scores(confusion: pd.DataFrame) -> pd.DataFrame:
    """Precision, recall, F1, support and answered of each class of a confusion matrix, index class, in declared order.

    `support` is how often the class is gold, `answered` how often it is the answer. What is undefined is nan: the
    precision of a class that nobody gave, the recall of one that is never gold, F1 (2 right / (support + answered)) of
    one that is neither.
    """
    classes = list(confusion.index)
    right = np.diag(confusion[classes].to_numpy(dtype=np.float64))
    support = confusion.to_numpy(dtype=np.float64).sum(axis=1)
    answered = confusion[classes].to_numpy(dtype=np.float64).sum(axis=0)
    return pd.DataFrame(
        {
            "precision": divide_safely(right, answered),
            "recall": divide_safely(right, support),
            "f1": divide_safely(2 * right, support + answered),
            "support": support,
            "answered": answered,
        },
        index=pd.Index(classes, name="class"),
    )


def _count_cells(gold: Sequence[str], answers: Sequence[tuple[str, ...]], *, classes: tuple[str, ...]) -> pd.DataFrame:
    """The matrix of gold against answers; several labels of an item share its weight, none is NO_LABEL."""
    columns = (*classes, NO_LABEL)
    row_of, column_of = ({name: place for place, name in enumerate(names)} for names in (classes, columns))
    table: Floats = np.zeros((len(classes), len(columns)))
    for (truth, labels), n in Counter(zip(gold, answers, strict=True)).items():
        if truth in row_of:
            for label in labels or (NO_LABEL,):
                table[row_of[truth], column_of[label]] += n / max(1, len(labels))
    return pd.DataFrame(table, index=pd.Index(classes, name="gold"), columns=pd.Index(columns, name="answer"))


def grade_labels(scored: ScoredAnswers) -> GradedOptions:
    """The labels that each item's votes name, graded against gold."""
    frame = scored.frame
    answers, names = pd.factorize(frame["answer"].to_numpy()[scored.voted], sort=True)
    named, options = np.unique(scored.items[scored.voted] * len(names) + answers, return_inverse=True)
    votes = np.full(len(frame), -1, dtype=np.intp)
    votes[scored.voted] = options
    items, labels = named // len(names), pd.Index(np.asarray(names, dtype=object)[named % len(names)])
    right = (labels.to_numpy() == scored.gold.to_numpy()[items]).astype(np.float64)
    gold = encode_gold(scored)
    if scored.classes is None:
        answered, is_right = np.ones((len(items), 1)), right[:, None]
    else:
        answered = (pd.Index(scored.classes).get_indexer(labels)[:, None] == np.arange(gold.shape[1])).astype(
            np.float64
        )
        is_right = answered * gold[items]
    return GradedOptions(
        scored=scored,
        items=items,
        grades=join_columns(is_right, gold[items], answered),
        unanswered=join_columns(np.zeros_like(gold), gold, np.zeros_like(gold)),
        right=right,
        votes=votes,
    )


def join_columns(right: Floats, gold: Floats, answered: Floats) -> Floats:
    """The columns of answers, from their blocks (each rows × classes)."""
    return np.hstack([right, gold, answered, np.ones((len(right), 1))])


def encode_gold(scored: ScoredAnswers) -> Floats:
    """items × classes: 1 at the class that is gold; a single column of ones where items share no classes."""
    if scored.classes is None:
        return np.ones((len(scored.gold), 1))
    codes = pd.Index(scored.classes).get_indexer(pd.Index(scored.gold))
    return np.asarray(codes[:, None] == np.arange(len(scored.classes)), dtype=np.float64)


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
        """The columns (see `scores.labels`) of items with these labels; tied classes share the item."""
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
        is_refitted=True,
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
    distinct_keys, change = np.unique(keys, return_inverse=True)
    truth = np.eye(gold.shape[1])[distinct_keys // width**2]
    before = labels.share_columns(distinct_keys // width % width + lowest, truth)
    after = labels.share_columns(distinct_keys % width + lowest, truth)
    is_lost = distinct_keys % width + lowest == ABSENT
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


SCALES: Mapping[str, Scale] = MappingProxyType(
    {"accuracy": "share", "macro_f1": "fraction", "weighted_f1": "fraction", "mcc": "correlation"}
)


def score_labels(
    votes: Votes,
    *,
    skips: pd.DataFrame | None = None,
    confidence_level: float = 0.95,
    units: Collection[UnitName] = get_args(UnitName),
    tie_choice: TieChoice = SHARED,
    progress: Progress | None = None,
) -> Performance:
    """Score the votes against gold as single answers, as majorities and (closed labels) as Dawid-Skene labels.

    `skips` (columns item, annotator) are answers that were due and not given: wrong as single answers, no vote in a
    majority or a fit, where an item that was only skipped is wrong. Units other than the individual one can be left
    out. A tie is shared, so that every metric is that of the expected confusion matrix; `tie_choice` names another
    rule.

    Raises HromadaError where no item has gold, or nobody answered one that has.
    """
    scored = compare_with_gold(votes, skips)
    options = grade_labels(scored)
    annotators = score_annotators(scored, confidence_level=confidence_level)
    build_unit = partial(
        score_unit,
        scored=scored,
        metrics=list_label_metrics(has_classes=votes.classes is not None),
        confidence_level=confidence_level,
    )
    single = build_unit("individual", sum_single_answers(options), n_annotators=len(scored.annotator_ids))
    scored_units: list[Unit] = [add_annotator_range(single, annotators)]
    fresh: tuple[Unit, ...] = ()
    refused: dict[str, str] = {}
    fitted = None
    if "majority" in units:
        pluralities = _settle(sum_pluralities(options), "majority", votes, scored, tie_choice)
        scored_units.append(build_unit("majority", pluralities, n_annotators=pluralities.n_people))
        fresh = score_fresh_majorities(options, metric="accuracy", confidence_level=confidence_level)
    _report_progress(progress, 0.2)
    if "dawid_skene" in units:
        try:
            unit, fitted = _score_fit(build_unit, votes, scored, tie_choice)
            scored_units.append(unit)
        except Refused as refusal:
            refused["dawid_skene"] = join_findings(refusal.problem, refusal.remedy)
    _report_progress(progress, 1.0)
    return Performance(
        units=tuple(scored_units),
        refused=refused,
        annotators=annotators,
        random=1 / float(votes.items["n_options"].to_numpy(dtype=float).mean()),
        random_exact=_compute_random_accuracy(votes, scored),
        n_items=len(votes.items),
        confidence_level=confidence_level,
        classes_are_positions=votes.classes_are_positions,
        dawid_skene=fitted,
        fresh_majorities=fresh,
        ties=tie_choice.ties,
    )


def _score_fit(
    build_unit: Callable[..., Unit], votes: Votes, scored: ScoredAnswers, tie_choice: TieChoice
) -> tuple[Unit, Consensus]:
    """The unit of Dawid-Skene labels, and these labels. Raises Refused where they are refused."""
    fitted = build_label_consensus(votes, method="dawid_skene", ties="drop")
    settled = _settle(sum_refitted_labels(votes, scored), "dawid_skene", votes, scored, tie_choice)
    n_annotators = votes.frame["annotator"].nunique()
    return build_unit("dawid_skene", settled, n_annotators=n_annotators, warnings=fitted.warnings), fitted


def _settle(
    contributions: Contributions, method: Method, votes: Votes, scored: ScoredAnswers, tie_choice: TieChoice
) -> Contributions:
    def grade(rows: pd.DataFrame, skips: pd.DataFrame) -> Contributions:
        return sum_single_answers(grade_labels(compare_with_gold(replace(votes, frame=rows), skips)))

    return settle_ties(
        contributions,
        tie_choice,
        scored=scored,
        label_items=lambda: build_label_consensus(votes, method=method, ties=tie_choice.ties, seed=tie_choice.seed),
        grade=grade,
    )


def _compute_random_accuracy(votes: Votes, scored: ScoredAnswers) -> float:
    """The mean of one over the number of options of the items that are scored."""
    return float((1 / votes.items["n_options"].reindex(scored.gold.index).to_numpy(dtype=float)).mean())


def list_label_metrics(*, has_classes: bool) -> dict[str, Metric]:
    """The metrics of `scoring` by name; the accuracy alone where items share no classes."""
    names = list(scoring.METRICS) if has_classes else ["accuracy"]
    computes = {name: _score_sums(scoring.METRICS[name]) for name in names}
    return {
        name: Metric(compute=compute, scale=SCALES[name], carry=partial(_carry_share, compute))
        for name, compute in computes.items()
    }


def _carry_share(compute: Callable[[Floats], Floats], columns: Floats, share: float, end: End) -> float:
    """The least or the largest value of a metric with this share of right answers, by the classes of gold."""
    width = columns.shape[1] // 3
    return split_errors(compute, columns[:, width : 2 * width].sum(axis=0), share, end)


def _score_sums(function: Callable[[scoring.LabelCounts], float]) -> Callable[[Floats], Floats]:
    """A metric of `scoring` as a function of column sums (see `scores.labels`)."""

    def compute(sums: Floats) -> Floats:
        width = sums.shape[1] // 3
        counts = (
            scoring.LabelCounts(
                right=row[:width],
                gold=row[width : 2 * width],
                answered=row[2 * width : -1],
                total=row[-1],
            )
            for row in map(tuple, sums.tolist())
        )
        return np.array([function(each) for each in counts])

    return compute


def _report_progress(progress: Progress | None, share: float) -> None:
    if progress is not None:
        progress(share)
