"""Expected work and precision of a project before the first answer. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from aggregation.findings import Finding
from aggregation.planning.assumed_variance import (
    GROUP_CORRELATION,
    ITEM_CORRELATION,
    LARGEST_VARIANCE,
    PlannedResult,
    compute_item_variance,
    compute_mean_group_size,
)

Z95 = 1.959964
"""The normal quantile of a 95 % interval."""


@dataclass(frozen=True, kw_only=True)
class PrecisionPlan:
    """Expected work and precision: counts of items, groups and judgements, hours, half widths of 95 % intervals.

    `judgements` is for the overlap of the project, `judgements_most` for the maximum of a dynamic overlap. `half_width`
    is for the spread of answers that the `result` expects, `half_width_most` for the largest one; both are None where
    nothing is planned for. `hours` is None where the project does not say how long an item takes. `sampled` of the
    items get `sampled_overlap` answers each; both are 0 where all items get as many.
    """

    items: int
    groups: int
    judgements: int
    judgements_most: int
    hours: float | None = None
    result: PlannedResult | None = None
    half_width: float | None = None
    half_width_most: float | None = None
    sampled: int = 0
    sampled_overlap: int = 0

    def to_dict(self) -> dict[str, str | float | int | None]:
        """The plan as it is stored in the frozen record, with what is assumed of answers and their correlations."""
        values: dict[str, str | float | int | None] = {
            "items": self.items,
            "groups": self.groups,
            "judgements": self.judgements,
            "judgements_most": self.judgements_most,
            "hours": self.hours,
        }
        if self.sampled:
            values |= {"sampled": self.sampled, "sampled_overlap": self.sampled_overlap}
        if self.half_width is None or self.result is None:
            return values
        result = self.result
        assumed = {"within_item": ITEM_CORRELATION, "within_group": GROUP_CORRELATION}
        widths = {"half_width": self.half_width, "half_width_most": self.half_width_most}
        if result.kind == "share":
            return values | widths | {"share_right": result.value} | assumed
        deviation = round(result.spread**0.5 * result.width, 4)
        return values | {"result": result.kind} | widths | {"standard_deviation": deviation} | assumed


def plan_precision(
    sizes: Collection[int],
    *,
    overlap: int,
    max_overlap: int,
    seconds: float | None,
    result: PlannedResult | None,
    n_sampled: int = 0,
) -> PrecisionPlan:
    """The plan of a project; `sizes` are how many main items each group has, `seconds` the expected time of an item.

    `result` is what has an expected half width; None for nothing. `n_sampled` items get `max_overlap` answers and the
    others `overlap`; with 0 of them every item gets between both.
    """
    n_items = sum(sizes)
    n_answers = n_items * overlap + n_sampled * (max_overlap - overlap)
    return PrecisionPlan(
        items=n_items,
        groups=len(sizes),
        judgements=n_answers,
        judgements_most=n_answers if n_sampled else n_items * max_overlap,
        hours=None if seconds is None else round(n_answers * seconds / 3600, 2),
        sampled=n_sampled,
        sampled_overlap=max_overlap if n_sampled else 0,
        result=result,
        half_width=None if result is None else _plan_half_width(sizes, result, result.spread, overlap=overlap),
        half_width_most=None if result is None else _plan_half_width(sizes, result, LARGEST_VARIANCE, overlap=overlap),
    )


def compute_half_width(sizes: Collection[int], *, overlap: int, spread: float) -> float:
    """The half width of the 95 % interval that is expected where single answers vary so; nan without answers.

    For n items in groups of `sizes`, with `overlap` answers to each: 1.96 · √(S/n), S of `compute_item_variance`.
    ρ_item and ρ_group are unknown before the first answer: `ITEM_CORRELATION` and `GROUP_CORRELATION` are assumed, and
    frozen with the plan. Differences between annotators are not modelled: the interval is that of these people.
    """
    n_items = sum(sizes)
    if not n_items * overlap:
        return math.nan
    mean_group_size = compute_mean_group_size(sizes)
    return Z95 * math.sqrt(compute_item_variance(spread, votes=overlap, group_size=mean_group_size) / n_items)


def _plan_half_width(sizes: Collection[int], result: PlannedResult, spread: float, *, overlap: int) -> float | None:
    width = compute_half_width(sizes, overlap=overlap, spread=spread) * result.width
    return None if math.isnan(width) else round(width, 4)


def get_share_half_width(plan: Mapping[str, Any]) -> float | None:
    """The planned half width of a share of right answers; None in a stored plan for another result, or for none."""
    return None if "result" in plan else plan.get("half_width")


def describe_plan(plan: Mapping[str, Any]) -> Finding:
    """A stored plan in one sentence."""
    low, high = plan["judgements"], plan["judgements_most"]
    described = {"items": plan["items"], "groups": plan["groups"]}
    described["answers"] = low if high == low else Finding("to", low=low, high=high)
    hours, width = plan["hours"], plan.get("half_width")
    code = "plan" + "-hours" * (hours is not None)
    if width is not None:
        code += {"win_rate": "-win-rate", "mean": "-mean", "at_least": "-at-least"}.get(
            plan.get("result", ""), "-width"
        )
    if hours is not None:
        described["hours"] = hours
    if width is not None:
        described |= {"width": width, "most": plan["half_width_most"]}
    if code.endswith("-width"):
        described["right"] = round(100 * plan["share_right"])
    sentence, sampled = Finding(code, **described), plan.get("sampled")
    if not sampled:
        return sentence
    each = (low - sampled * plan["sampled_overlap"]) // (plan["items"] - sampled)
    return Finding("plan-with-sample", plan=sentence, sampled=sampled, n=plan["sampled_overlap"], each=each)
