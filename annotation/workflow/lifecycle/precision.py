"""Expected work and precision of a project before the first answer, and the precision reached later. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

Z95 = 1.959964
"""The normal quantile of a 95 % interval."""

EXPECTED_ACCURACY = 0.9
WORST_ACCURACY = 0.5
WITHIN_ITEM = 0.3
WITHIN_GROUP = 0.05


@dataclass(frozen=True, kw_only=True)
class PrecisionPlan:
    """Expected work and precision: numbers of items, groups and judgements, hours, half widths of 95 % intervals.

    `half_width` is for the accuracy that people usually reach, `half_width_most` for the accuracy that makes it widest;
    both are None where the project is no baseline. `hours` is None where the project does not say how long an item
    takes. `judgements_most` is for the maximum overlap.
    """

    items: int
    groups: int
    judgements: int
    judgements_most: int
    hours: float | None = None
    half_width: float | None = None
    half_width_most: float | None = None

    def stored(self) -> dict[str, float | int | None]:
        """The plan as it is stored in the frozen record, with its assumptions."""
        values: dict[str, float | int | None] = {
            "items": self.items,
            "groups": self.groups,
            "judgements": self.judgements,
            "judgements_most": self.judgements_most,
            "hours": self.hours,
        }
        if self.half_width is None:
            return values
        assumed = {"share_right": EXPECTED_ACCURACY, "within_item": WITHIN_ITEM, "within_group": WITHIN_GROUP}
        return values | {"half_width": self.half_width, "half_width_most": self.half_width_most} | assumed


def plan_precision(
    sizes: Collection[int], *, overlap: int, max_overlap: int, seconds: float | None, baseline: bool
) -> PrecisionPlan:
    """The plan of a project with main items in groups of these `sizes`, and `seconds` expected for an item."""
    items = sum(sizes)
    return PrecisionPlan(
        items=items,
        groups=len(sizes),
        judgements=items * overlap,
        judgements_most=items * max_overlap,
        hours=None if seconds is None else round(items * overlap * seconds / 3600, 2),
        half_width=_round_half_width(sizes, overlap=overlap, share=EXPECTED_ACCURACY) if baseline else None,
        half_width_most=_round_half_width(sizes, overlap=overlap, share=WORST_ACCURACY) if baseline else None,
    )


def compute_half_width(sizes: Collection[int], *, overlap: int, share: float) -> float:
    """Half of the 95 % interval that is expected for the share of right answers.

    n items with k answers each, in groups: 1.96 · √(p(1 − p)/(n·k) · D) with the design effect of three levels
    D = 1 + (k − 1)·ρ_item + k·(m − 1)·ρ_group (Heo and Leon 2008, Biometrics 64:1256; Teerenstra et al. 2010,
    Biometrics 66:1230; for one level Kish 1965, Survey Sampling), where m = Σm²/Σm allows for unequal groups (Kish).
    ρ_item, the correlation of two answers to one item, and ρ_group, of two answers to two items of a group, are unknown
    before the first answer: `WITHIN_ITEM` and `WITHIN_GROUP` are assumed, and frozen with the plan. Differences between
    annotators are not modelled.
    """
    items = sum(sizes)
    answers = items * overlap
    if not answers:
        return math.nan
    mean_group_size = sum(size * size for size in sizes) / items
    effect = 1 + (overlap - 1) * WITHIN_ITEM + overlap * (mean_group_size - 1) * WITHIN_GROUP
    return Z95 * math.sqrt(share * (1 - share) / answers * effect)


def estimate_half_width(groups: Collection[tuple[int, int]]) -> float | None:
    """Half of the 95 % interval of a share, from (answers, right answers) of every group; None for fewer than two.

    The linearised variance of a ratio over clusters, G/(G − 1) · Σ(r − p·n)²/(Σn)² (Cochran 1977, Sampling Techniques,
    ch. 9A, without the correction for a finite population).
    """
    answers = sum(number for number, _ in groups)
    if len(groups) < 2 or not answers:
        return None
    share = sum(right for _, right in groups) / answers
    spread = sum((right - share * number) ** 2 for number, right in groups)
    return round(Z95 * math.sqrt(len(groups) / (len(groups) - 1) * spread) / answers, 4)


def _round_half_width(sizes: Collection[int], *, overlap: int, share: float) -> float | None:
    width = compute_half_width(sizes, overlap=overlap, share=share)
    return None if math.isnan(width) else round(width, 4)


def describe_plan(plan: Mapping[str, float | int | None]) -> str:
    """A stored plan in one sentence."""
    max_judgements = plan["judgements_most"]
    answers = str(plan["judgements"]) + (f" to {max_judgements}" if max_judgements != plan["judgements"] else "")
    hours = plan["hours"]
    sentence = f"{plan['items']} items in {plan['groups']} groups, {answers} answers"
    sentence += "" if hours is None else f", about {hours:g} hours"
    width = plan.get("half_width")
    return sentence + (
        "" if width is None else f"; 95 % interval about ±{width:.3f}, at most ±{plan['half_width_most']:.3f}"
    )
