"""Whether people prefer a side of the screen, and whether they answer the same when the sides are swapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from aggregation.agreement.people import SelfAgreement, compute_self_agreement
from aggregation.findings import Finding
from aggregation.preferences.comparisons import HALF, Comparisons
from aggregation.preferences.win_rates import Estimate, estimate_fraction
from aggregation.schema import Floats

EVERYBODY = "everybody"
"""The row of all people together."""


@dataclass(frozen=True, kw_only=True)
class SideShare:
    """How often one person, or everybody, chose the text that was shown first (`left`).

    `estimate` is that share with a tie of k texts as 1/k. `p_value` is two-sided against 1/k: the two-way test for
    everybody, the exact binomial test of the decided answers for one person. `swap_consistency` is the share of
    equal answers to the same texts with their sides swapped (`n_swapped` of them), None if there are none.
    """

    who: str
    left: int
    right: int
    ties: int
    estimate: Estimate
    p_value: float | None
    swap_consistency: float | None
    n_swapped: int


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """How far people agree with themselves: `repeated` over all repeats, `swapped` where the sides were swapped."""

    repeated: SelfAgreement
    swapped: SelfAgreement


def compute_consistency(repeats: pd.DataFrame, *, confidence_level: float = 0.95) -> Consistency:
    """Compare first and later answers; `repeats` has the columns annotator, first, again and swapped (true or not)."""
    swapped = repeats.loc[repeats["swapped"].to_numpy(dtype=bool)]
    return Consistency(
        repeated=compute_self_agreement(repeats, has_classes=True, confidence_level=confidence_level),
        swapped=compute_self_agreement(swapped, has_classes=True, confidence_level=confidence_level),
    )


def measure_positions(
    comparisons: Comparisons, repeats: pd.DataFrame, *, n_sides: int, confidence_level: float = 0.95
) -> tuple[SideShare, ...]:
    """The row of everybody, then one for each person by name; none if nobody knows which text was shown first."""
    known = comparisons.keep(~np.isnan(comparisons.left))
    if not len(known):
        return ()
    shown, first = _find_first_choices(known, n_sides)
    swaps = repeats.loc[repeats["swapped"].to_numpy(dtype=bool)]
    equal = (swaps["first"] == swaps["again"]).groupby(swaps["annotator"]).agg(["mean", "size"])
    together, p_value = estimate_fraction(
        shown.sum_values(first), shown, confidence_level=confidence_level, chance=1 / n_sides
    )
    rows = [
        _build_row(
            EVERYBODY,
            first,
            shown.outcome,
            estimate=together,
            p_value=p_value,
            same=float((swaps["first"] == swaps["again"]).mean()) if len(swaps) else None,
            n_swapped=len(swaps),
        )
    ]
    order = np.argsort(shown.people, kind="stable")
    starts = np.flatnonzero(np.diff(shown.people[order], prepend=-1))
    for person, own in zip(shown.person_ids, np.split(order, starts[1:]), strict=False):
        value, decided = first[own], shown.outcome[own] != HALF
        n = int(decided.sum())
        found = binomtest(int(value[decided].sum()), n, 1 / n_sides).pvalue if n else None
        n_items = len(np.unique(shown.items[own]))
        rows.append(
            _build_row(
                str(person),
                value,
                shown.outcome[own],
                estimate=Estimate(
                    value=float(value.mean()),
                    n_items=n_items,
                    n_annotators=1,
                    n_answers=len(value),
                    ci_method=Finding("exact-binomial"),
                ),
                p_value=None if found is None else float(found),
                same=float(equal.loc[person, "mean"]) if person in equal.index else None,
                n_swapped=int(equal.loc[person, "size"]) if person in equal.index else 0,
            )
        )
    return tuple(rows)


def _find_first_choices(known: Comparisons, n_sides: int) -> tuple[Comparisons, Floats]:
    """One comparison per answer, and how far it chose what was shown first: 1, 0, or 1/k for a tie of k texts."""
    is_tie = known.outcome == HALF
    before = np.where(known.outcome == 1, known.left, 1 - known.left)  # the chosen text was shown before the other
    least = np.ones(int(known.answers.max()) + 1)
    np.minimum.at(least, known.answers, np.where(is_tie, 1 / n_sides, before))
    answers, places = np.unique(known.answers, return_index=True)
    return known.keep(places), least[answers]


def _build_row(
    who: str,
    first: Floats,
    outcome: Floats,
    *,
    estimate: Estimate,
    p_value: float | None,
    same: float | None,
    n_swapped: int,
) -> SideShare:
    decided = outcome != HALF
    left = int(first[decided].sum())
    return SideShare(
        who=who,
        left=left,
        right=int(decided.sum()) - left,
        ties=int((~decided).sum()),
        estimate=estimate,
        p_value=p_value,
        swap_consistency=same,
        n_swapped=n_swapped,
    )
