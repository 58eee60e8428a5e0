"""A plan as published files: what it assumes, what designs give, and items against people as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import pairwise
from typing import Any

import pandas as pd

from aggregation.comparison.difference_tests import POWER
from aggregation.planning.assumed_variance import MODEL_CORRELATION, PlannedResult, plan_share
from aggregation.planning.design import (
    ASSURANCE,
    PlannedDesign,
    find_items,
    find_people,
    list_trade_offs,
    plan_design,
)
from aggregation.planning.variance_models import KNOWN, VarianceModel
from exports import writers
from exports.pages.svg import SvgDrawing, build_svg_file
from exports.rounding import round_row

PROMISE = "With known variances, 87 to 95 % of simulated campaigns reached the half-widths planned at 90 %."
"""What was simulated of half-widths (`benchmarks/planning.py`); docs/explanation/intervals-plans.md has the table."""
PROMISE_OF_OPINIONS = PROMISE.replace("87 to 95", "86 to 97")
"""What was simulated of win rates and mean opinions (docs/explanation/intervals-plans.md)."""
PEOPLE = (5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)
"""The numbers of people for which items are planned."""
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 420, 64, 110, 72, 48
COLUMNS = ("unit", *(column.name for column in fields(PlannedDesign)))

Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class UnitPlan:
    """The plan of a unit: the variance it rests on, what designs give, and what is needed.

    `basis` says where the variance comes from. `needed` has the items for the half width, `paired` and `unpaired` those
    for the difference, by number of people (None: no number is enough). `people_needed` is for the planned items.
    """

    unit: str
    basis: str
    variance: VarianceModel
    design: PlannedDesign
    needed: tuple[tuple[int, int | None], ...]
    paired: int | None
    unpaired: int | None
    people_needed: int | None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Plans by unit for one target; `promised` and `reached` are half widths of a started project, where known.

    `half_width`, `difference` and the half widths are in the units of the result.
    """

    title: str
    result: PlannedResult = field(default_factory=plan_share)
    half_width: float
    difference: float
    units: tuple[UnitPlan, ...]
    simulated: bool = False
    promised: float | None = None
    reached: Mapping[str, float | None] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def promise(self) -> str:
        """How often half widths planned so were reached."""
        return PROMISE if self.result.kind == "share" else PROMISE_OF_OPINIONS


def plan_unit(
    unit: str,
    variance: VarianceModel,
    *,
    basis: str,
    items: int,
    people: int,
    half_width: float,
    difference: float,
    width: float = 1.0,
    correlation: float = MODEL_CORRELATION,
) -> UnitPlan:
    """Plan one unit for a half width and a difference, from a design of so many items and people.

    `width` is that of the scale on which both are, and on which the design is told; `correlation` as in `plan_design`.
    """
    half_width, difference = half_width / width, difference / width
    design = plan_design(variance, items=items, people=people, correlation=correlation)
    find = partial(find_items, variance, people=people, difference=difference, correlation=correlation)
    return UnitPlan(
        unit=unit,
        basis=basis,
        variance=variance,
        design=replace(
            design,
            half_width=design.half_width * width,
            this_panel=design.this_panel * width,
            paired=design.paired * width,
            unpaired=None if design.unpaired is None else design.unpaired * width,
        ),
        needed=list_trade_offs(variance, PEOPLE, half_width=half_width),
        paired=find(),
        unpaired=None if design.unpaired is None else find(is_paired=False),
        people_needed=find_people(variance, items=items, half_width=half_width),
    )


def build_plan_json(plan: Plan) -> Row:
    """The plan as an object for JSON, numbers rounded."""
    return {
        "title": plan.title,
        "result": plan.result.kind,
        "scale": [plan.result.lowest, plan.result.highest],
        "simulated": plan.simulated,
        "half_width": plan.half_width,
        "assurance": ASSURANCE,
        "promise": plan.promise,
        "difference": plan.difference,
        "power": POWER,
        "promised_half_width": plan.promised,
        "reached_half_width": dict(plan.reached),
        "units": [
            {
                "unit": unit.unit,
                "basis": unit.basis,
                "variance": round_row(
                    {name: None if value == KNOWN else value for name, value in asdict(unit.variance).items()}
                ),
                "design": round_row(asdict(unit.design)),
                "items_for_half_width": [{"people": people, "items": items} for people, items in unit.needed],
                "people_for_half_width": unit.people_needed,
                "items_for_difference_paired": unit.paired,
                "items_for_difference_unpaired": unit.unpaired,
            }
            for unit in plan.units
        ],
        "notes": list(plan.notes),
    }


def build_plan_files(plan: Plan) -> dict[str, str]:
    """The files of a plan: plan.json, plan.csv (items by number of people), plan.svg."""
    rows = [(unit.unit, people, items) for unit in plan.units for people, items in unit.needed]
    frame = pd.DataFrame(rows, columns=["unit", "people", "items"], dtype=object)
    return {
        "plan.json": writers.format_json(build_plan_json(plan)),
        "plan.csv": writers.format_csv(frame),
        "plan.svg": build_svg_file(draw_plan(plan)),
    }


def draw_plan(plan: Plan) -> str:
    """Items against people, both on a scale of ratios: a line for each unit, and the planned design as a dot."""
    drawing = SvgDrawing(width=WIDTH, height=HEIGHT)
    points = [items for unit in plan.units for _, items in unit.needed if items is not None]
    design = plan.units[0].design
    low = 10 ** math.floor(math.log10(min([*points, design.items])))
    high = 10 ** math.ceil(math.log10(max([*points, design.items, low * 10])))
    most_people = max(PEOPLE[-1], design.people)

    def place(people: float, items: float) -> tuple[float, float]:
        x = math.log(people / PEOPLE[0]) / math.log(most_people / PEOPLE[0])
        y = math.log(items / low) / math.log(high / low)
        return LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM)

    drawing.text(f"Items and people for ±{plan.half_width:g}", at=(8, 20), bold=True, size=14)
    subtitle = f"{plan.title}; a fresh panel, reached with {100 * ASSURANCE:.0f} %"
    drawing.text(("SIMULATED · " if plan.simulated else "") + subtitle, at=(8, 38), colour="muted")
    for tick in (5, 10, 20, 50, 100, 200):
        start, end = place(tick, low), place(tick, high)
        drawing.line(start=start, end=end, colour="rule")
        drawing.text(str(tick), at=(start[0], HEIGHT - BOTTOM + 18), colour="muted", anchor="center")
    for exponent in range(round(math.log10(low)), round(math.log10(high)) + 1):
        start, end = place(PEOPLE[0], 10**exponent), place(most_people, 10**exponent)
        drawing.line(start=start, end=end, colour="rule")
        drawing.text(f"{10**exponent:,}", at=(LEFT - 6, start[1] + 4), colour="muted", anchor="right")
    drawing.text("people", at=((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8), colour="muted", anchor="center")
    drawing.text("items", at=(LEFT - 6, TOP - 8), colour="muted", anchor="right")
    last = [unit.needed[-1][1] or 0 for unit in plan.units]
    for number, unit in enumerate(plan.units):
        _draw_line(drawing, unit, place, is_second=number == 1, is_above=last[number] == max(last))
    at = place(max(design.people, PEOPLE[0]), design.items)
    drawing.dot(at=at, colour="ink", size=9)
    label = f"{design.items} items × {design.people} people"
    drawing.text(
        label, at=(at[0] - 8, at[1] + 4), bold=True, anchor="right"
    )  # the lines fall, so that left below is free
    return drawing.to_svg(label="; ".join(_describe_units(plan)))


def _draw_line(drawing: SvgDrawing, unit: UnitPlan, place: Any, *, is_second: bool, is_above: bool) -> None:
    points = [place(people, items) for people, items in unit.needed if items is not None]
    for start, end in pairwise(points):
        drawing.line(start=start, end=end, colour="second" if is_second else "accent", width=2.2)
    if points:
        x, y = points[-1]
        drawing.text(unit.unit, at=(x + 8, y + (-4 if is_above else 14)), colour="second" if is_second else "accent")


def _describe_units(plan: Plan) -> Iterator[str]:
    for unit in plan.units:
        designs = [f"{items} items with {people} people" for people, items in unit.needed if items is not None]
        yield f"{unit.unit}, half-width {plan.half_width:g}: {', '.join(designs) or 'no number of items is enough'}"
