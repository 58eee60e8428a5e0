"""Questions whose answers are sets of options: each option is a box, judged by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.agreement.coefficients import CoefficientName, compute_label_agreement
from aggregation.agreement.counted_votes import code_votes, leave_people_out
from aggregation.agreement.item_columns import ItemColumns, Statistic, build_item_columns
from aggregation.agreement.table import REASON_NO_PAIRS, Coefficient, Definition, estimate_statistic
from aggregation.agreement.two_way_variance import measure_agreement
from aggregation.answer_types.answer_type import AnswerType, ConsensusOptions, ResamplingOptions
from aggregation.answer_types.box_votes import (
    ITEM_BOX_SEPARATOR,
    YES,
    Selections,
    build_box_votes,
    build_pooled_box_votes,
    join_item_and_box,
    read_selections,
)
from aggregation.answers import Answers
from aggregation.consensus.consensus import Consensus, TieRule
from aggregation.consensus.dawid_skene import StopRule
from aggregation.consensus.methods import Method, build_label_consensus, derive_anchors_and_skills
from aggregation.errors import Refused
from aggregation.findings import Finding
from aggregation.gold_comparison import ScoredAnswers
from aggregation.intervals.few_errors import End
from aggregation.intervals.paired_measures import ItemMeasure
from aggregation.intervals.panel import Contributions, Metric
from aggregation.schema import Codes, Floats, Votes, divide_safely
from aggregation.scores.graded_answers import GradedOptions, build_column_mean, build_share_metric
from aggregation.scores.part_scores import Part, PartType, build_whole_layer, sum_parts

BOXES_DIFFER = "The boxes differ from item to item and share no classes"

ConsensusByBox = Mapping[str, Consensus]
"""The consensus of each declared box; the one of all boxes together under the empty name where boxes differ."""


def build_box_consensus(
    answers: Answers,
    *,
    method: Method,
    ties: TieRule,
    seed: int = 0,
    anchors: bool = False,
    stop: StopRule = "crowdkit",
) -> Consensus:
    """The consensus on each box by itself; a tied box that the rule leaves open leaves its item without a label.

    An item's label is the JSON list of the boxes whose consensus is yes, in their order; its confidence is that of the
    least certain box, and `tied` names the tied boxes; each vote settles all of them at once (`Consensus.settled`).
    Raises Refused for any method but the majority where the boxes differ from item to item.
    """
    if answers.boxes is None:
        if method != "majority":
            raise Refused(Finding("boxes-differ"), remedy=Finding("use", method="majority"))
        votes = build_pooled_box_votes(answers)
        by_box: ConsensusByBox = {"": build_label_consensus(votes, method=method, ties=ties, seed=seed)}
    else:
        by_box = {}
        for box in answers.boxes:
            votes = build_box_votes(answers, box)
            anchored, skills = derive_anchors_and_skills(votes, method=method, anchors=anchors)
            by_box[box] = build_label_consensus(
                votes, method=method, ties=ties, seed=seed, anchors=anchored, skills=skills, stop=stop
            )
    first = next(iter(by_box.values()))
    return Consensus(
        method=method,
        version=f"{first.version}, of each box by itself",
        ties=ties,
        seed=seed,
        labels=_join_labels(answers, by_box),
        settled=_settle_ties(answers, by_box),
        n_anchors=first.n_anchors,
        warnings=_join_warnings(by_box),
    )


def _list_rows(answers: Answers, by_box: ConsensusByBox) -> Iterator[tuple[str, Sequence[str], list[dict[str, Any]]]]:
    """Each item with votes, sorted, with its boxes and the row of `Consensus.labels` of each of them."""
    rows_by_box: dict[str, Any] = {box: consensus.labels.to_dict("index") for box, consensus in by_box.items()}
    for item in sorted(set(answers.votes.frame["item"])):
        boxes = answers.get_boxes(item)
        yield (
            item,
            boxes,
            [
                rows_by_box[box][item] if box in rows_by_box else rows_by_box[""][join_item_and_box(item, box)]
                for box in boxes
            ],
        )


def _settle_ties(answers: Answers, by_box: ConsensusByBox) -> dict[str, tuple[str, ...]]:
    """By item with a tied box, the ticked boxes where each of its votes decides all that are tied."""
    said = answers.votes.frame.groupby("item")["answer"]
    settled = {}
    for item, boxes, rows in _list_rows(answers, by_box):
        if any(row["tie"] for row in rows):
            votes = [json.loads(answer) for answer in said.get_group(item)]
            settled[item] = tuple(
                json.dumps(
                    [
                        box
                        for box, row in zip(boxes, rows, strict=True)
                        if (box in vote if row["tie"] else row["label"] == YES)
                    ],
                    ensure_ascii=False,
                )
                for vote in votes
            )
    return settled


def _join_labels(answers: Answers, by_box: ConsensusByBox) -> pd.DataFrame:
    """The columns of `Consensus.labels` from those of each box."""
    items = []
    counts = answers.votes.frame["item"].value_counts()
    labels = []
    for item, boxes, rows in _list_rows(answers, by_box):
        items.append(item)
        is_open = any(row["label"] is None for row in rows)
        ticked = [box for box, row in zip(boxes, rows, strict=True) if row["label"] == YES]
        labels.append(
            {
                "label": None if is_open else json.dumps(ticked, ensure_ascii=False),
                "confidence": min((row["confidence"] for row in rows), default=1.0),
                "tie": any(row["tie"] for row in rows),
                "tied": tuple(sorted(box for box, row in zip(boxes, rows, strict=True) if row["tie"])),
                "n_votes": int(counts[item]),
            }
        )
    return pd.DataFrame(labels, index=pd.Index(items, name="item", dtype=object))


def _join_warnings(by_box: ConsensusByBox) -> tuple[str, ...]:
    """Every different warning once, after the names of the boxes that it is about."""
    boxes_by_warning: dict[str, list[str]] = {}
    for box, consensus in by_box.items():
        for warning in consensus.warnings:
            boxes_by_warning.setdefault(warning, []).append(box)
    return tuple(f"{', '.join(boxes)}: {warning}" for warning, boxes in boxes_by_warning.items())


BOX_COEFFICIENTS = ("percent_agreement", "krippendorff_alpha_nominal", "gwet_ac1")
EVERY_BOX = "every box"
REASON_NO_SETS = Finding("no-classes-of-boxes")
REASON_NO_VARIATION = Finding("sets-equal")

BoxSet = NDArray[np.bool_]
"""Which boxes are ticked, one truth value per declared box."""


def compute_multilabel_agreement(
    answers: Answers,
    *,
    overlap: int | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The coefficients of whole sets, then BOX_COEFFICIENTS of all boxes together (`of` is EVERY_BOX) and of each box.

    Where the boxes differ from item to item, of the sets only `exact_sets` has a value (the rows of
    both alphas say why not), and there are no rows of single boxes.
    `overlap` is the planned number of votes per item; only the first so many votes of each item count.
    """
    pooled = compute_label_agreement(
        build_pooled_box_votes(answers),
        overlap=overlap,
        n_resamples=n_resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    every_box = tuple(replace(pooled[name], of=EVERY_BOX) for name in BOX_COEFFICIENTS)
    if answers.boxes is None:
        votes = answers.normalise_votes()
        sets = compute_label_agreement(
            votes, overlap=overlap, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
        )
        equal = replace(sets["percent_agreement"], name="exact_sets")
        return (equal, *(_build_undefined_alpha(equal, name) for name in DISTANCES), *every_box)
    selections = read_selections(answers)
    of_sets = compute_set_agreement(selections, overlap=overlap, confidence_level=confidence_level)
    of_boxes = compute_box_agreement(
        selections, overlap=overlap, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
    )
    return (*of_sets, *every_box, *of_boxes)


def compute_box_agreement(
    selections: Selections,
    *,
    overlap: int | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """BOX_COEFFICIENTS of each box in declared order, `of` naming it; headline rows (see `AgreementTable`) alone."""
    rows = []
    for box in selections.boxes:
        votes = selections.build_votes(box)
        table = compute_label_agreement(
            votes, overlap=overlap, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
        )
        rows += [replace(table[name], of=box) for name in BOX_COEFFICIENTS]
    return tuple(rows)


def jaccard_distance(one: BoxSet, two: BoxSet) -> float:
    """1 - |A and B| / |A or B|; two empty sets are equal."""
    n_union = int((one | two).sum())
    return 1 - int((one & two).sum()) / n_union if n_union else 0.0


def masi_distance(one: BoxSet, two: BoxSet) -> float:
    """Passonneau (2006): 1 - J · M; M is 1 for equal sets, 2/3 for one within the other, 1/3 for an overlap, else 0."""
    n_shared = int((one & two).sum())
    if (one == two).all():
        return 0.0
    if not n_shared:
        return 1.0
    is_nested = n_shared in (int(one.sum()), int(two.sum()))
    return 1 - (1 - jaccard_distance(one, two)) * (2 / 3 if is_nested else 1 / 3)


DISTANCES: Mapping[str, Callable[[BoxSet, BoxSet], float]] = MappingProxyType(
    {"krippendorff_alpha_jaccard": jaccard_distance, "krippendorff_alpha_masi": masi_distance}
)


def compute_set_agreement(
    selections: Selections,
    *,
    overlap: int | None = None,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """Agreement on whole sets: `exact_sets` (share of equal pairs, mean over items) and alpha with both DISTANCES.

    Alpha takes the distances as they are, not squared, as Passonneau does. `overlap` is the planned number of votes
    per item; only the first so many votes of each item count.
    """
    chosen = selections if overlap is None else selections.first_votes(overlap)
    paired = chosen.frame["item"].map(chosen.frame["item"].value_counts()).to_numpy() >= 2
    frame, ticked = chosen.frame.loc[paired], chosen.ticked[paired]
    sets, set_of_vote = np.unique(ticked, axis=0, return_inverse=True)
    distances = [_build_distance_matrix(sets, distance) for distance in DISTANCES.values()]
    item_columns = _sum_sets(chosen, frame, set_of_vote.ravel(), distances)
    statistics: dict[str, Statistic] = {"exact_sets": _share_equal_pairs}
    for number, name in enumerate(DISTANCES):
        statistics[name] = _build_distance_alpha(number, distances[number], start=3 + len(DISTANCES))
    return tuple(
        estimate_statistic(
            Definition(
                name=name,
                how="mean over items of the share of equal pairs of sets"
                if name == "exact_sets"
                else _describe_alpha(name),
                scale="share" if name == "exact_sets" else "correlation",
                level="nominal" if name == "exact_sets" else "similarity",
                basis="pooled" if overlap is None else "first",
                reason_undefined=REASON_NO_VARIATION if len(frame) else REASON_NO_PAIRS,
            ),
            statistic,
            item_columns,
            confidence_level=confidence_level,
        )
        for name, statistic in statistics.items()
    )


def _sum_sets(chosen: Selections, frame: pd.DataFrame, set_of_vote: Codes, distances: Sequence[Floats]) -> ItemColumns:
    """The columns of the items with two sets or more, as `_list_set_columns` has them, with people's losses."""
    n_sets = len(distances[0])
    votes = Votes(
        frame=frame.assign(answer=set_of_vote.astype(str).astype(object)),
        items=chosen.items.assign(n_options=2),
        classes=tuple(str(number) for number in range(n_sets)),
    )
    coded = code_votes(votes)
    rests, kept = leave_people_out(coded), np.ones(len(coded.item_ids), dtype=bool)
    item_columns = build_item_columns(
        _list_set_columns(coded.counted.build_table(n_answers=n_sets), distances),
        groups=chosen.items["group"].reindex(coded.item_ids),
        n_votes=len(frame),
        n_annotators=coded.count_people(kept),
    )
    of_rests = _list_set_columns(rests.counted.build_table(n_answers=n_sets), distances)
    return rests.add_losses(item_columns, of_rests, kept=kept, n_people=coded.count_people(kept))


def _list_set_columns(table: Floats, distances: Sequence[Floats]) -> Floats:
    """Of the votes for each set (rows × sets): 1, equal pairs, votes, observed distances, votes for each set.

    All are 0 in a row with fewer than two votes.
    """
    paired = np.where(table.sum(axis=1, keepdims=True) >= 2, table, 0.0)
    size = paired.sum(axis=1)
    others = np.maximum(size - 1, 1)
    observed = [np.einsum("iu,iu->i", paired @ matrix, paired) / others for matrix in distances]
    equal = np.einsum("iu,iu->i", paired, paired - 1) / np.maximum(size * others, 1)
    return np.column_stack([(size > 0).astype(np.float64), equal, size, *observed, paired])


def _build_undefined_alpha(equal: Coefficient, name: str) -> Coefficient:
    """The row of an alpha that sets of different boxes do not have, with the counts of the row `equal`."""
    return replace(
        equal,
        name=name,
        how=_describe_alpha(name),
        value=None,
        low=None,
        high=None,
        undefined_resamples=0,
        reason=REASON_NO_SETS,
        new_people_low=None,
        new_people_high=None,
        new_people_reason="",
        level="similarity",
    )


def _describe_alpha(name: str) -> str:
    return f"1 - observed / expected distance of pairs of sets, {name.rsplit('_', 1)[1]}"


def _build_distance_matrix(sets: NDArray[np.bool_], distance: Callable[[BoxSet, BoxSet], float]) -> Floats:
    return np.array([[distance(first, second) for second in sets] for first in sets]).reshape(len(sets), len(sets))


def _share_equal_pairs(sums: Floats) -> Floats:
    return divide_safely(sums[:, 1], sums[:, 0])


def _build_distance_alpha(number: int, distances: Floats, *, start: int) -> Callable[[Floats], Floats]:
    """Alpha from the sums of the items' columns; the votes for each set begin at the column `start`."""

    def statistic(sums: Floats) -> Floats:
        set_votes = sums[:, start:]
        expected = np.einsum("du,du->d", set_votes @ distances, set_votes)
        return 1 - divide_safely(sums[:, 3 + number] * (sums[:, 2] - 1), expected, above=1e-9)

    return statistic


def sum_boxes(answers: Answers, scored: ScoredAnswers) -> tuple[Contributions, Contributions]:
    """What single answers and the majority of each box contribute; the columns are those of `scores.part_scores`."""
    part_type = PartType(
        parse=_parse_boxes,
        build_layers=lambda answered, gold: (build_whole_layer(answered, gold),),
        boxes=answers.boxes or (),
    )
    return sum_parts(scored, part_type)


def list_box_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics by name: exact match, F1 over all boxes (`f1a`), mean F1 of answers (`f1m`), F1 of each box.

    `f1m_of_averages` is the other reading of F1m, by the script of Russian SuperGLUE (and of MultiRC before it): the
    harmonic mean of the mean precision and the mean recall of answers, 1 each where nothing is ticked or nothing gold.
    """
    metrics: dict[str, Metric] = {
        "exact_match": build_share_metric(),
        "f1a": _build_pooled_f1(4, most=None),
        "f1m": build_column_mean(1, "fraction"),
        "f1m_of_averages": Metric(compute=_compute_f1_of_averages, scale="fraction"),
    }
    for number, box in enumerate(answers.boxes or ()):
        metrics[f"f1 {box}"] = _build_pooled_f1(7 + 3 * number, most=1)
    return metrics


def _parse_boxes(stored: str) -> tuple[Part, ...]:
    return tuple((box,) for box in json.loads(stored))


def _compute_f1_of_averages(sums: Floats) -> Floats:
    """2PR / (P + R) of the mean precision and recall; 0 where no answer has anything right."""
    precision, recall = sums[:, 2], sums[:, 3]
    f1 = divide_safely(2 * precision * recall, (precision + recall) * sums[:, -1])
    return np.where(precision + recall > 0, f1, 0.0)


def _build_pooled_f1(start: int, *, most: int | None) -> Metric:
    """F1 from three columns, right, gold and answered; undefined where nothing is gold and nothing was ticked.

    `most` is how many boxes a wrong answer can have wrong; None: as many again as an answer has at most in gold, or
    ticked.
    """

    def compute(sums: Floats) -> Floats:
        return divide_safely(2 * sums[:, start], sums[:, start + 1] + sums[:, start + 2])

    def carry(columns: Floats, share: float, end: End) -> float:
        """At least with every wrong answer missing what it can of gold, and ticking what else it can."""
        if end == "most":
            return 1.0
        per_answer = columns[:, start + 1 : start + 3].max(axis=1) / columns[:, -1]
        wrong = (1 - share) * columns[:, -1].sum() * float(most or max(1.0, per_answer.max()))
        gold = float(columns[:, start + 1].sum())
        missed = min(gold, wrong)
        added = wrong - missed if most else wrong
        total = 2 * gold - missed + added
        return 2 * (gold - missed) / total if total else 1.0

    return Metric(compute=compute, scale="fraction", carry=carry)


class BoxesType(AnswerType):
    """Any number of boxes, each judged by itself."""

    name = "boxes"
    plural = Finding("boxes")
    questions = ("choices",)
    why_no_dawid_skene = Finding("boxes-apart")
    has_options = True
    headlines = ("exact_sets", "krippendorff_alpha_masi")

    def list_parts(self, stored: str) -> tuple[str, ...]:
        """The ticked boxes."""
        return tuple(json.loads(stored))

    def build_consensus(self, answers: Answers, **options: Unpack[ConsensusOptions]) -> Consensus:
        """By `build_box_consensus`."""
        return build_box_consensus(answers, **options)

    def list_coefficients(
        self, answers: Answers, overlap: int | None, **options: Unpack[ResamplingOptions]
    ) -> tuple[Coefficient, ...]:
        """By `compute_multilabel_agreement`."""
        return compute_multilabel_agreement(answers, overlap=overlap, **options)

    def break_down(self, answers: Answers, by: str, *, n_resamples: int, seed: int) -> tuple[Coefficient, ...]:
        """By `label` (each box, where items share them), else as every type."""
        if by == "label" and answers.boxes is not None:
            return compute_box_agreement(read_selections(answers), n_resamples=n_resamples, seed=seed)
        return super().break_down(answers, by, n_resamples=n_resamples, seed=seed)

    def list_pair_coefficients(self, answers: Answers) -> tuple[CoefficientName, ...]:
        """Alpha of every box: an alpha of sets is no sum over pairs."""
        return ("krippendorff_alpha_nominal",)

    def measure_pairs(self, answers: Answers, coefficient: CoefficientName) -> ItemMeasure:
        """Percent agreement of whole sets, but alpha of every box."""
        if not coefficient.startswith("krippendorff"):
            return super().measure_pairs(answers, coefficient)
        votes = build_pooled_box_votes(answers)
        return measure_agreement(votes, coefficient, find_item=lambda box: box.partition(ITEM_BOX_SEPARATOR)[0])

    def list_metrics(self, answers: Answers) -> dict[str, Metric]:
        """By `list_box_metrics`."""
        return list_box_metrics(answers)

    def sum_contributions(
        self, answers: Answers, scored: ScoredAnswers
    ) -> tuple[Contributions, Contributions, GradedOptions | None]:
        """By `sum_boxes`."""
        return (*sum_boxes(answers, scored), None)
