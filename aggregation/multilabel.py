"""Agreement on any number of boxes: box by box, and on the sets as wholes with Jaccard's and MASI distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.agreement import Coefficient, agreement
from aggregation.agreement.estimates import NOTHING, estimated, pool
from aggregation.bootstrap import Draws
from aggregation.errors import HromadaError
from aggregation.schema import COLUMNS, Floats, Votes, checked_items, checked_rows, named_items, quotient, tally, votes

YES, NO = "yes", "no"
PER_BOX = ("percent_agreement", "krippendorff_alpha_nominal", "gwet_ac1")
NO_VARIATION = "All compared sets are equal, so the expected disagreement is 0 and alpha is undefined."


@dataclass(frozen=True, kw_only=True, eq=False)
class Selections:
    """Which boxes each annotator ticked on each item.

    `frame` has the text columns item and annotator, one row a vote in the order of assignment; `ticked` says which
    boxes (votes × boxes, in declared order); `items` has the index item and the column group. No box is an answer.
    """

    frame: pd.DataFrame
    ticked: NDArray[np.bool_]
    boxes: tuple[str, ...]
    items: pd.DataFrame

    def of_box(self, box: str) -> Votes:
        """The votes for one box, yes or no: what consensus, agreement and performance take."""
        answers = np.where(self.ticked[:, self.boxes.index(box)], YES, NO)
        items = self.items.assign(gold=None, n_options=2)
        return votes(self.frame.assign(answer=answers), items=items, classes=(YES, NO))

    def first_votes(self, number: int) -> Selections:
        """The first `number` votes of each item in the order of assignment."""
        kept = (self.frame.groupby("item").cumcount() < number).to_numpy()
        return replace(self, frame=self.frame.loc[kept].reset_index(drop=True), ticked=self.ticked[kept])


def selections(frame: pd.DataFrame, *, items: pd.DataFrame, boxes: Sequence[str]) -> Selections:
    """Check and freeze votes (`frame`: item, annotator, answer as an iterable of boxes) on items (index item; group).

    Raises HromadaError for a missing column, an empty cell, an unknown item, and a box that is not declared.
    """
    plain = checked_rows(frame, COLUMNS)
    known = checked_items(items, ("group",))
    names = plain[["item", "annotator"]].astype(str).astype(object)
    named_items(names, known)
    ticked = np.zeros((len(plain), len(boxes)), dtype=bool)
    for row, answer in enumerate(plain["answer"]):
        for box in answer:
            if box not in boxes:
                raise HromadaError(f"A vote says {box!r}, which is not a declared box.")
            ticked[row, list(boxes).index(box)] = True
    return Selections(frame=names, ticked=ticked, boxes=tuple(boxes), items=known)


def by_box(
    given: Selections, *, overlap: int | None = None, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[Coefficient, ...]:
    """The coefficients PER_BOX of each box in declared order, `of` naming it; the headline alone (see `agreement`)."""
    rows = []
    for box in given.boxes:
        made = agreement(given.of_box(box), overlap=overlap, resamples=resamples, seed=seed, level=level)
        rows += [replace(made[name], of=box) for name in PER_BOX]
    return tuple(rows)


def jaccard(one: NDArray[np.bool_], two: NDArray[np.bool_]) -> float:
    """1 - |A and B| / |A or B|; two empty sets are equal."""
    either = int((one | two).sum())
    return 1 - int((one & two).sum()) / either if either else 0.0


def masi(one: NDArray[np.bool_], two: NDArray[np.bool_]) -> float:
    """Passonneau (2006): 1 - J · M; M is 1 for equal sets, 2/3 for one within the other, 1/3 for an overlap, else 0."""
    both = int((one & two).sum())
    if (one == two).all():
        return 0.0
    if not both:
        return 1.0
    nested = both in (int(one.sum()), int(two.sum()))
    return 1 - (1 - jaccard(one, two)) * (2 / 3 if nested else 1 / 3)


DISTANCES: Mapping[str, Callable[[NDArray[np.bool_], NDArray[np.bool_]], float]] = MappingProxyType(
    {"krippendorff_alpha_jaccard": jaccard, "krippendorff_alpha_masi": masi}
)


def of_sets(
    given: Selections, *, overlap: int | None = None, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[Coefficient, ...]:
    """Agreement on whole sets: `exact_sets` (share of equal pairs, mean over items) and alpha with both DISTANCES.

    Alpha takes the distances as they are, not squared, as Passonneau does. `overlap` is the least number of votes that
    every item was to get; only the first so many of each count.
    """
    chosen = given if overlap is None else given.first_votes(overlap)
    draws = Draws(resamples=resamples, seed=seed, level=level)
    answered = chosen.frame["item"].map(chosen.frame["item"].value_counts()).to_numpy() >= 2
    frame, ticked = chosen.frame.loc[answered], chosen.ticked[answered]
    sets, of_vote = np.unique(ticked, axis=0, return_inverse=True)
    row, items = pd.factorize(frame["item"], sort=True)
    table = tally(row * len(sets) + of_vote.ravel(), size=len(items) * len(sets)).reshape(len(items), len(sets))
    size = table.sum(axis=1)
    apart = [_between(sets, distance) for distance in DISTANCES.values()]
    observed = [np.einsum("iu,iu->i", table @ matrix, table) / (size - 1) for matrix in apart]
    equal = np.einsum("iu,iu->i", table, table - 1) / (size * (size - 1))
    sums_up = pool(
        np.column_stack([np.ones(len(items)), equal, size, *observed, table]),
        groups=chosen.items["group"].reindex(items),
        n_votes=len(frame),
        n_annotators=frame["annotator"].nunique(),
    )
    statistics: dict[str, Callable[[Floats], Floats]] = {"exact_sets": _equal_pairs}
    for number, name in enumerate(DISTANCES):
        statistics[name] = _alpha(number, apart[number], start=3 + len(DISTANCES))
    sums = sums_up.resampled(draws)
    return tuple(
        estimated(
            name,
            sums_up.value(statistic),
            resampled=None if sums is None else statistic(sums),
            pool=sums_up,
            draws=draws,
            how="mean over items of the share of equal pairs of sets"
            if name == "exact_sets"
            else f"1 - observed / expected distance of pairs of sets, {name.rsplit('_', 1)[1]}",
            undefined=NO_VARIATION if len(items) else NOTHING,
            basis="pooled" if overlap is None else "first",
        )
        for name, statistic in statistics.items()
    )


def _between(sets: NDArray[np.bool_], distance: Callable[[NDArray[np.bool_], NDArray[np.bool_]], float]) -> Floats:
    return np.array([[distance(one, two) for two in sets] for one in sets]).reshape(len(sets), len(sets))


def _equal_pairs(sums: Floats) -> Floats:
    return quotient(sums[:, 1], sums[:, 0])


def _alpha(number: int, apart: Floats, *, start: int) -> Callable[[Floats], Floats]:
    def statistic(sums: Floats) -> Floats:
        of_sets = sums[:, start:]
        expected = np.einsum("du,du->d", of_sets @ apart, of_sets)
        return 1 - quotient(sums[:, 3 + number] * (sums[:, 2] - 1), expected, above=1e-9)

    return statistic
