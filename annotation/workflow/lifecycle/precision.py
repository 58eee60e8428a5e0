"""What a plan promises before the first answer: the interval of a baseline, the work of an annotation. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

Z95 = 1.959964
"""The normal quantile of a 95 % interval."""

RIGHT = 0.9
WORST = 0.5
WITHIN_ITEM = 0.3
WITHIN_GROUP = 0.05


@dataclass(frozen=True, kw_only=True)
class Plan:
    """`half_width` at the share right that people usually reach, `half_width_most` at the share that is worst for it.

    Both are None where no baseline is planned; `hours` is None where nobody said how long an item takes.
    """

    items: int
    groups: int
    judgements: int
    judgements_most: int
    hours: float | None = None
    half_width: float | None = None
    half_width_most: float | None = None

    def stored(self) -> dict[str, float | int | None]:
        """As it is frozen, with what was assumed."""
        told: dict[str, float | int | None] = {
            "items": self.items,
            "groups": self.groups,
            "judgements": self.judgements,
            "judgements_most": self.judgements_most,
            "hours": self.hours,
        }
        if self.half_width is None:
            return told
        assumed = {"share_right": RIGHT, "within_item": WITHIN_ITEM, "within_group": WITHIN_GROUP}
        return told | {"half_width": self.half_width, "half_width_most": self.half_width_most} | assumed


def plan(sizes: Collection[int], *, overlap: int, most: int, seconds: float | None, baseline: bool) -> Plan:
    """The plan of a project whose main items stand in groups of these `sizes`."""
    items = sum(sizes)
    return Plan(
        items=items,
        groups=len(sizes),
        judgements=items * overlap,
        judgements_most=items * most,
        hours=None if seconds is None else round(items * overlap * seconds / 3600, 2),
        half_width=_rounded(sizes, overlap=overlap, share=RIGHT) if baseline else None,
        half_width_most=_rounded(sizes, overlap=overlap, share=WORST) if baseline else None,
    )


def half_width(sizes: Collection[int], *, overlap: int, share: float) -> float:
    """Half of the 95 % interval that is expected for the share of right answers.

    n items with k answers each, in groups: 1.96 · √(p(1 − p)/(n·k) · D) with the design effect of three levels
    D = 1 + (k − 1)·ρ_item + k·(m − 1)·ρ_group (Heo and Leon 2008, Biometrics 64:1256; Teerenstra et al. 2010,
    Biometrics 66:1230; for one level Kish 1965, Survey Sampling), where m = Σm²/Σm allows for unequal groups (Kish).
    ρ_item, how far two answers to one item go together, and ρ_group, two answers to two items of a group, are unknown
    before the first answer: `WITHIN_ITEM` and `WITHIN_GROUP` are assumed, and frozen with the plan. That people differ
    is not in it.
    """
    items = sum(sizes)
    answers = items * overlap
    if not answers:
        return math.nan
    together = sum(size * size for size in sizes) / items
    effect = 1 + (overlap - 1) * WITHIN_ITEM + overlap * (together - 1) * WITHIN_GROUP
    return Z95 * math.sqrt(share * (1 - share) / answers * effect)


def achieved(groups: Collection[tuple[int, int]]) -> float | None:
    """Half of the 95 % interval of a share, from (answers, right) of every group; None with fewer than two groups.

    The linearised variance of a ratio over clusters, G/(G − 1) · Σ(r − p·n)²/(Σn)² (Cochran 1977, Sampling Techniques,
    ch. 9A, without the correction for a finite population).
    """
    answers = sum(number for number, _ in groups)
    if len(groups) < 2 or not answers:
        return None
    share = sum(right for _, right in groups) / answers
    spread = sum((right - share * number) ** 2 for number, right in groups)
    return round(Z95 * math.sqrt(len(groups) / (len(groups) - 1) * spread) / answers, 4)


def _rounded(sizes: Collection[int], *, overlap: int, share: float) -> float | None:
    width = half_width(sizes, overlap=overlap, share=share)
    return None if math.isnan(width) else round(width, 4)


def words(plan: Mapping[str, float | int | None]) -> str:
    """A frozen plan in a sentence."""
    most = plan["judgements_most"]
    answers = str(plan["judgements"]) + (f" to {most}" if most != plan["judgements"] else "")
    hours = plan["hours"]
    said = f"{plan['items']} items in {plan['groups']} groups, {answers} answers"
    said += "" if hours is None else f", about {hours:g} hours"
    width = plan.get("half_width")
    return said + (
        "" if width is None else f"; 95 % interval about ±{width:.3f}, at most ±{plan['half_width_most']:.3f}"
    )
