"""What right answers vary by: people, groups of items, items, and their cell; and the correlations that these give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aggregation.gold_comparison import ScoredAnswers
from aggregation.schema import Codes, Floats

LEAST_DETERMINANT = 1e-9  # of the scaled equations: below it the answers do not tell the components apart


@dataclass(frozen=True, kw_only=True)
class VarianceComponents:
    """The variance components of y = 1 for a right answer, else 0: y_ijk = μ + p_j + g_k + i_i + e_ij.

    `people`, `groups`, `items` are the variances of p, g and i; `cell` is that of e, one answer of a person to an item
    (their interaction, and chance: one answer each does not tell these apart). `groups` is None where no item shares
    one. All are unbiased, so they can be negative where the truth is near 0.

    The intraclass correlations are what `hromada plan` assumes: `icc_people` ρ_person, of two answers of one person to
    two items; `icc_items` ρ_item, of two people's answers to one item (its group's part included); `icc_groups`
    ρ_group, of two people's answers to two items of one group. Each is the variance that both answers share over the
    sum of all.
    """

    people: float
    groups: float | None
    items: float
    cell: float
    icc_people: float | None
    icc_groups: float | None
    icc_items: float | None


def estimate_components(scored: ScoredAnswers) -> VarianceComponents | None:
    """Henderson's method 1 (1953), Biometrics 9:226, for unbalanced data; a skip is a wrong answer.

    The uncorrected sums of squares T_0 = Σy², T_f = Σ_l (Σ_l y)²/n_l of each factor f, and T_μ = (Σy)²/N are set equal
    to their expectations under random effects (Searle, Casella and McCulloch 1992, "Variance Components", 5.3):
    E T_f = N·μ² + Σ_g σ²_g·Σ_l Σ_m n_lm²/n_l + L_f·σ²_e, with l over the L_f levels of f, m over those of g.
    A balanced table gives the estimates of the analysis of variance.

    None where the answers do not tell the components apart: of one person, or if nobody answered two items, or if no
    item has two people.
    """
    y = scored.right
    factors: dict[str, Codes] = {"people": scored.annotators, "items": scored.items}
    if scored.n_groups < len(scored.gold):
        factors["groups"] = scored.groups[scored.items]
    n = len(y)
    everything, single = np.zeros(n, dtype=np.intp), np.arange(n)
    rows = [everything, *factors.values(), single]
    left = np.array([[n, *(_count_shared(row, factor) for factor in factors.values()), row.max() + 1] for row in rows])
    right = np.array([_sum_squares(row, y) for row in rows])
    left = left.astype(np.float64)
    if np.linalg.matrix_rank(left / n, tol=LEAST_DETERMINANT) < len(rows):
        return None
    _, *of_factors, cell = np.linalg.solve(left, right).tolist()
    estimates = dict(zip(factors, of_factors, strict=True))
    people, items, groups = estimates["people"], estimates["items"], estimates.get("groups")
    total = people + items + (groups or 0.0) + cell
    is_defined = total > LEAST_DETERMINANT
    return VarianceComponents(
        people=people,
        groups=groups,
        items=items,
        cell=cell,
        icc_people=people / total if is_defined else None,
        icc_groups=groups / total if is_defined and groups is not None else None,
        icc_items=(items + (groups or 0.0)) / total if is_defined else None,
    )


def _count_shared(one: Codes, two: Codes) -> float:
    """Σ_l Σ_m n_lm²/n_l over the levels l of one factor and m of another."""
    if one is two or int(one.max()) + 1 == len(one):
        return float(len(one))
    cells = one.astype(np.int64) * (int(two.max()) + 1) + two
    _, place, counts = np.unique(cells, return_index=True, return_counts=True)
    return float((counts.astype(np.float64) ** 2 / np.bincount(one)[one[place]]).sum())


def _sum_squares(levels: Codes, y: Floats) -> float:
    """Σ_l (Σ_l y)²/n_l."""
    sums, counts = np.bincount(levels, weights=y), np.bincount(levels)
    return float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
