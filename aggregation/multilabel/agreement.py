"""Agreement on any number of boxes: box by box, and on whole sets with Jaccard's and MASI distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.agreement import REASON_NO_PAIRS, Coefficient, build_item_columns, estimate_coefficient
from aggregation.answers import Answers
from aggregation.bootstrap import Resampling
from aggregation.labels.agreement import compute_label_agreement
from aggregation.multilabel.votes import BOXES_DIFFER, Selections, build_pooled_box_votes, read_selections
from aggregation.schema import Floats, count_codes, divide_safely

BOX_COEFFICIENTS = ("percent_agreement", "krippendorff_alpha_nominal", "gwet_ac1")
EVERY_BOX = "every box"
REASON_NO_SETS = (
    f"{BOXES_DIFFER} whose sets could be compared by chance; every box as a yes or no of its own has an alpha."
)
REASON_NO_VARIATION = "All compared sets are equal, so the expected disagreement is 0 and alpha is undefined."

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
    of_sets = compute_set_agreement(
        selections, overlap=overlap, n_resamples=n_resamples, seed=seed, confidence_level=confidence_level
    )
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
        votes = selections.box_votes(box)
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
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """Agreement on whole sets: `exact_sets` (share of equal pairs, mean over items) and alpha with both DISTANCES.

    Alpha takes the distances as they are, not squared, as Passonneau does. `overlap` is the planned number of votes
    per item; only the first so many votes of each item count.
    """
    chosen = selections if overlap is None else selections.first_votes(overlap)
    resampling = Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level)
    paired = chosen.frame["item"].map(chosen.frame["item"].value_counts()).to_numpy() >= 2
    frame, ticked = chosen.frame.loc[paired], chosen.ticked[paired]
    sets, set_of_vote = np.unique(ticked, axis=0, return_inverse=True)
    row, items = pd.factorize(frame["item"], sort=True)
    table = count_codes(row * len(sets) + set_of_vote.ravel(), size=len(items) * len(sets))
    table = table.reshape(len(items), len(sets))
    size = table.sum(axis=1)
    distances = [_build_distance_matrix(sets, distance) for distance in DISTANCES.values()]
    observed = [np.einsum("iu,iu->i", table @ matrix, table) / (size - 1) for matrix in distances]
    equal = np.einsum("iu,iu->i", table, table - 1) / (size * (size - 1))
    item_columns = build_item_columns(
        np.column_stack([np.ones(len(items)), equal, size, *observed, table]),
        groups=chosen.items["group"].reindex(items),
        n_votes=len(frame),
        n_annotators=frame["annotator"].nunique(),
    )
    statistics: dict[str, Callable[[Floats], Floats]] = {"exact_sets": _share_equal_pairs}
    for number, name in enumerate(DISTANCES):
        statistics[name] = _build_distance_alpha(number, distances[number], start=3 + len(DISTANCES))
    sums = item_columns.resample(resampling)
    return tuple(
        estimate_coefficient(
            name,
            item_columns.compute(statistic),
            resampled=None if sums is None else statistic(sums),
            item_columns=item_columns,
            resampling=resampling,
            how="mean over items of the share of equal pairs of sets"
            if name == "exact_sets"
            else _describe_alpha(name),
            reason_undefined=REASON_NO_VARIATION if len(items) else REASON_NO_PAIRS,
            level="nominal" if name == "exact_sets" else "similarity",
            is_share=name == "exact_sets",
            basis="pooled" if overlap is None else "first",
        )
        for name, statistic in statistics.items()
    )


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
        level="similarity",
    )


def _describe_alpha(name: str) -> str:
    return f"1 - observed / expected distance of pairs of sets, {name.rsplit('_', 1)[1]}"


def _build_distance_matrix(sets: NDArray[np.bool_], distance: Callable[[BoxSet, BoxSet], float]) -> Floats:
    return np.array([[distance(one, two) for two in sets] for one in sets]).reshape(len(sets), len(sets))


def _share_equal_pairs(sums: Floats) -> Floats:
    return divide_safely(sums[:, 1], sums[:, 0])


def _build_distance_alpha(number: int, distances: Floats, *, start: int) -> Callable[[Floats], Floats]:
    """Alpha from the sums of the items' columns; the votes for each set begin at the column `start`."""

    def statistic(sums: Floats) -> Floats:
        set_votes = sums[:, start:]
        expected = np.einsum("du,du->d", set_votes @ distances, set_votes)
        return 1 - divide_safely(sums[:, 3 + number] * (sums[:, 2] - 1), expected, above=1e-9)

    return statistic
