"""What `hromada baseline` shows beside the headline: the same answers otherwise counted, the best person, and order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot.commands.data_sets import format_title

if TYPE_CHECKING:
    from aggregation.performance import Performance, Unit
    from aggregation.tie_rules import TieChoice
    from bot.commands.terminal_output import Cell
    from exports.inputs import DataSet
    from exports.order_effects import PeopleEffects

MOST_PEOPLE = 30  # of the rows of a table
FAR = "further from the headline than half its interval"


def score_variants(data: DataSet, choice: TieChoice) -> dict[str, Performance]:
    """The scores of a data set's variants by name, of those in which somebody can be scored; ties by the rule."""
    from aggregation.answer_types import score_answers
    from aggregation.errors import HromadaError
    from exports.score_variants import VARIANT_UNITS, build_variants

    scored = {}
    for name, variant in build_variants(data).items():
        try:
            answers, skips = variant.build_answers(), variant.build_skips()
            scored[name] = score_answers(answers, skips=skips, units=VARIANT_UNITS, tie_choice=choice)
        except HromadaError:  # nobody answered an item with gold in it
            continue
    return scored


def read_people(project: str, data: DataSet) -> PeopleEffects:
    """The best person and the effects of order, with the hours of day of those who told their time zone."""
    from annotation.store import answer_hours
    from bot.commands import database_session
    from exports.order_effects import measure_people

    with database_session.open_database() as database, database.reading() as view:
        hours = answer_hours.read_answer_hours(view, database_session.get_project(view, project))
    return measure_people(data, hours=hours)


def describe_people(variants: Mapping[str, Performance], people: PeopleEffects, primary: Performance) -> dict[str, Any]:
    """Variants, the best person and order as JSON."""
    from exports.score_variants import exceeds_half_width

    return {
        "variants": [
            {"subset": name, "beyond_half_width": exceeds_half_width(primary, unit, unit.primary)} | asdict(unit)
            for name, scores in variants.items()
            for unit in scores.units
        ],
        "best_annotator": None
        if people.best is None
        else asdict(people.best) | {"selection_bias": people.best.selection_bias},
        "order": [{"kind": one.kind, "part": one.part} | asdict(one.unit) for one in people.parts],
        "order_slope": asdict(people.slope),
    }


def print_people(
    data: DataSet, variants: Mapping[str, Performance], people: PeopleEffects, primary: Performance
) -> None:
    """Print the variants beside the headline, and the scores by place, session and hour of day."""
    from bot.commands import terminal_output
    from exports.score_variants import describe_variant, exceeds_half_width

    rows = [
        (name, unit.title, unit.total, unit.primary.value, _format_interval(unit), _subtract(unit, primary),
         "yes" if exceeds_half_width(primary, unit, unit.primary) else "")
        for name, scores in variants.items()
        for unit in scores.units
    ]  # fmt: skip
    if rows:
        heads = ("counted", "unit", "total", "share right", "fresh panel, 95 %", "less headline", "far")
        notes = [f"{name}: {describe_variant(name)}." for name in variants]
        title = format_title(data, "the same answers otherwise counted")
        terminal_output.print_table(title, heads, rows, notes=[*notes, f"Far: {FAR}."])
    _print_single_people(data, people, primary)
    parts: list[tuple[Cell, ...]] = []
    for one in people.parts:
        kind = "" if any(one.kind == row[0] for row in parts) else one.kind
        value = one.unit.primary.value
        parts.append((kind, one.part, one.unit.total, one.unit.n_annotators, value, _format_interval(one.unit)))
    if parts:
        columns = ("by", "part", "answers", "people", "share right", "95 %")
        title = format_title(data, "single answers as people go on")
        terminal_output.print_table(title, columns, parts, notes=[describe_slope(people)])


def _print_single_people(data: DataSet, people: PeopleEffects, primary: Performance) -> None:
    """Every person with their score, the best first; of very many the first and the last."""
    from bot.commands import terminal_output

    ordered = primary.annotators.sort_values(["accuracy", "n"], ascending=False, kind="stable")
    rows: list[tuple[Cell, ...]] = [
        (str(name), int(row["n"]), int(row["right"]), row["accuracy"],
         terminal_output.format_interval(row["wilson_low"], row["wilson_high"]))
        for name, row in ordered.to_dict("index").items()
    ]  # fmt: skip
    notes = list_people_notes(people)
    if len(rows) > MOST_PEOPLE:
        notes.insert(0, f"{len(rows) - MOST_PEOPLE} people between are left out; --json and annotators.csv have all.")
        rows = [*rows[: MOST_PEOPLE // 2], *rows[-(MOST_PEOPLE // 2) :]]
    columns = ("annotator", "answers", "right", "share right", "95 %, Wilson")
    terminal_output.print_table(format_title(data, "single people"), columns, rows, notes=notes)


def list_people_notes(people: PeopleEffects) -> list[str]:
    """A sentence about the best person, if anybody answered enough to be it."""
    best = people.best
    if best is None:
        return []
    tied = f" and {best.n_tied - 1} more" if best.n_tied > 1 else ""
    chosen = f"chosen on one half of the items and scored on the other {best.held_out:.4f}"
    return [
        f"Best of {best.people} people: {best.annotator}{tied}, {best.value:.4f} of {best.n} answers; {chosen}.",
        f"So {best.selection_bias:.4f} of the best's score is what choosing the best adds.",
    ]


def describe_slope(people: PeopleEffects) -> str:
    """What ten answers further into a session change, in words."""
    slope = people.slope
    if slope.value is None or slope.low is None or slope.high is None or slope.p_value is None:
        return f"As a session goes on: {slope.reason}"
    return (
        f"Ten answers further into a session a person's share right changes by {slope.value:+.4f}"
        f" [{slope.low:+.4f}, {slope.high:+.4f}], p {slope.p_value:.2g}; each person's own level is taken out."
    )


def _format_interval(unit: Unit) -> str:
    """The interval for a fresh panel, or for these people where there is none."""
    from bot.commands.terminal_output import format_interval

    score = unit.primary
    if score.ci_low is None:
        return f"{format_interval(score.item_only_low, score.item_only_high)} (this panel)"
    return format_interval(score.ci_low, score.ci_high)


def _subtract(unit: Unit, primary: Performance) -> str:
    own = primary[unit.unit].primary.value if primary.has_unit(unit.unit) else None
    return "" if own is None or unit.primary.value is None else f"{unit.primary.value - own:+.4f}"
