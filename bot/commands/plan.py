"""`hromada plan`: how many items and people an interval of a given width needs, or to show a difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aggregation.errors import HromadaError
from bot.commands import plan_results, terminal_output
from bot.commands.command_line import AsJson
from bot.commands.data_sets import QuestionName, Unblind

if TYPE_CHECKING:
    from aggregation.planning.assumed_variance import PlannedResult, ResultKind
    from aggregation.planning.variance_models import VarianceModel
    from exports.inputs import DataSet
    from exports.plan_files import Plan

RESULTS: Mapping[ResultKind, str] = {
    "share": "the share right", "win_rate": "the win rate", "mean": "the mean opinion",
    "at_least": "the share at a point or above",
}  # fmt: skip
"""What is planned, in words."""
COMPARED: Mapping[ResultKind, tuple[str, ...]] = {
    "share": ("paired", "unpaired"), "win_rate": ("from ½",), "mean": ("same people", "other people"),
    "at_least": ("same people", "other people"),
}  # fmt: skip
"""The differences that are planned."""
UNITS = {"individual": "single answers", "majority": "majority"}
ITEMS, PEOPLE, VOTES = 500, 20, 3  # of a plan without a project
NONE = "none: no number is enough; how people (or items) vary alone makes the interval wider than that."
NO_DESIGN = (
    "No number of items is enough for up to 200 people: there are too few votes to estimate how people and items vary."
    " Ask more people in a pilot, allow a wider interval (--half-width), or plan from assumptions: without the project."
)


ASSUMED = ("votes", "share", "ties", "deviation", "item_correlation", "person_correlation")
"""The options that are used only where there are no votes."""
ONLY_FOR: Mapping[str, ResultKind] = {"ties": "win_rate", "deviation": "mean", "model_share": "share"}
"""The result that an option is about."""
TARGETS: Mapping[ResultKind, tuple[float, float]] = {
    "share": (0.03, 0.05), "win_rate": (0.05, 0.1), "mean": (0.05, 0.1), "at_least": (0.05, 0.1),
}  # fmt: skip
"""The half-width and the difference to plan for, as shares of the scale's range."""


def plan(
    ctx: typer.Context,
    project: Annotated[
        str | None,
        typer.Argument(help="A project, by name or file; without votes all is assumed.", show_default=False),
    ] = None,
    pilot: Annotated[
        str | None, typer.Option(help="Estimate the variance from the votes of this project instead.")
    ] = None,
    half_width: Annotated[float | None, typer.Option(help="The half-width of the 95 % interval.")] = None,
    difference: Annotated[float | None, typer.Option(help="The smallest difference to detect.")] = None,
    items: Annotated[int | None, typer.Option(min=10, help="Items; the project's, or 500.")] = None,
    people: Annotated[int | None, typer.Option(min=5, help="People; those who voted, or 20.")] = None,
    votes: Annotated[int | None, typer.Option(min=1, help="Answers per item, without votes.")] = None,
    share: Annotated[float | None, typer.Option(help="Assumed share of right answers (0.9), or win rate.")] = None,
    ties: Annotated[float | None, typer.Option(help="Assumed share of ties (0.2): plans a win rate.")] = None,
    deviation: Annotated[
        float | None, typer.Option(help="Assumed standard deviation of ratings: plans a mean.")
    ] = None,
    model_share: Annotated[float | None, typer.Option(help="Assumed score of the model; people's by default.")] = None,
    item_correlation: Annotated[
        float, typer.Option(min=0, max=1, metavar="R", help="Assumed correlation of two answers to the same item.")
    ] = 0.3,
    person_correlation: Annotated[
        float, typer.Option(min=0, max=1, metavar="R", help="Assumed correlation of two answers by the same person.")
    ] = 0.05,
    model_correlation: Annotated[
        float, typer.Option(min=-1, max=1, metavar="R", help="Assumed correlation of people and the model.")
    ] = 0.3,
    question: QuestionName = None,
    to: Annotated[Path | None, typer.Option(help="A folder for plan.json, plan.csv and the picture plan.svg.")] = None,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Work out how many items and people you need.

    The interval is at most as wide as planned with a probability of 90 % (in simulations 87 to 95 %); a difference is
    detected with a power of 80 %. The variance comes from the votes of the project or of its pilot, or is assumed.
    Without gold, a preference is planned for its win rate and a rating for its mean, in points.
    """
    from aggregation.planning.assumed_variance import compute_mean_group_size
    from exports import plan_files, writers

    data, source, frozen = None, None, dict[str, Any]()
    if project is not None or pilot is not None:
        data, source, frozen = _read_sources(project, pilot, question, unblind=unblind)
    is_observed = source is not None and not source.list_counted_answers().empty
    n_items = items or (ITEMS if data is None else len(data.items))
    given = _check_assumptions(share=share, ties=ties, deviation=deviation, model_share=model_share)
    result = plan_results.choose_result(data or source, **given)
    _refuse_options(ctx, result.kind)
    least_width, least_difference = (part * result.width for part in TARGETS[result.kind])
    half_width = _check_target("half-width", half_width or least_width, result.width)
    difference = _check_target("difference", difference or least_difference, result.width)
    if is_observed and source is not None:
        _refuse_assumptions(ctx)
        n_seen = source.list_counted_answers()["annotator"].nunique()
        estimated = plan_results.estimate_models(source, result, model_share, model_correlation)
        models = {unit: model for unit, model in estimated.items() if model.item > 0 and 0 < model.share < 1}
        unknown = [UNITS[unit] for unit in estimated if unit not in models]
        if not models:
            raise HromadaError(
                "All of these votes are right, or none is, so there is no variation from which to plan."
                if result.kind == "share"
                else "All of these votes are the same, so there is no variation from which to plan.",
                remedy="Plan from assumptions: without the project and --pilot.",
            )
        n_people = people or max(5, n_seen)
        stage = "the pilot of " if pilot is None and source is not data else ""
        basis = f"votes of {n_seen} people of {stage}{source.name}"
    else:
        n_votes = votes or (VOTES if data is None or data.overlap is None else data.overlap)
        group_size = 1.0 if data is None else compute_mean_group_size(data.items.groupby("group").size().tolist())
        model = plan_results.assume_model(
            result,
            votes=n_votes,
            group_size=group_size,
            item_correlation=item_correlation,
            person_correlation=person_correlation,
            model_share=model_share,
            model_correlation=model_correlation,
        )
        models = {"individual": model}
        n_people = people or PEOPLE
        unknown = []
        basis = f"assumed: {plan_results.describe_assumption(result)}, {n_votes} answers per item, ρ item"
        basis += f" {item_correlation:g}, person {person_correlation:g}"
    planned = plan_files.Plan(
        title="a campaign" if data is None else data.name,
        result=result,
        half_width=half_width,
        difference=difference,
        units=tuple(
            plan_files.plan_unit(
                UNITS[unit],
                model,
                basis=basis,
                items=n_items,
                people=n_people,
                half_width=half_width,
                difference=difference,
                width=result.width,
                correlation=model_correlation,
            )
            for unit, model in models.items()
        ),
        simulated=source is not None and source.simulated,
        promised=frozen.get("half_width") if frozen.get("result", "share") == result.kind else None,
        reached=(
            plan_results.measure_reached(data, result) if data is not None and source is data and is_observed else {}
        ),
        notes=(
            *_list_notes(models, result, is_observed=is_observed, model_correlation=model_correlation),
            *([] if data is None or data.sample is None else [SAMPLE_NOTE]),
            *(f"{unit}: not planned, as all are right or none is." for unit in unknown),
        ),
    )
    written = () if to is None else writers.write_files(to, plan_files.build_plan_files(planned))
    if json:
        terminal_output.print_json(plan_files.build_plan_json(planned) | {"files": [str(path) for path in written]})
        return
    _print_tables(planned, n_items=n_items, n_people=n_people)
    for path in written:
        terminal_output.print_line(str(path))


SAMPLE_NOTE = (
    "Scores rest on the first answers to each item. The overlap sample gets further answers, which measure agreement"
    " and are not in this plan."
)


def _check_assumptions(**given: float | None) -> dict[str, float | None]:
    """The assumptions; raises HromadaError for one that no campaign can have."""
    limits = {"share": (0.01, 0.99), "model_share": (0.01, 0.99), "ties": (0.0, 0.99), "deviation": (1e-6, math.inf)}
    for name, value in given.items():
        low, high = limits[name]
        if value is not None and not low <= value <= high:
            span = "a number above 0" if high == math.inf else f"a number from {low:g} to {high:g}"
            raise HromadaError(f"Invalid --{name.replace('_', '-')} {value:g}.", remedy=f"Write {span}.")
    return {name: given[name] for name in ("share", "ties", "deviation")}


def _check_target(name: str, value: float, width: float) -> float:
    """A half-width or a difference; raises HromadaError for one that the scale cannot have."""
    if not 0.001 * width <= value <= width:
        span = f"from {0.001 * width:g} to {width:g}"
        raise HromadaError(f"Invalid --{name} {value:g}.", remedy=f"Write a number {span}.")
    return value


def _refuse_options(ctx: typer.Context, kind: ResultKind) -> None:
    """Raise HromadaError for an option that is about another result."""
    for name, only in ONLY_FOR.items():
        if only != kind and _is_given(ctx, name):
            raise HromadaError(
                f"--{name.replace('_', '-')} is for {RESULTS[only]}, and this plan is for {RESULTS[kind]}.",
                remedy="Leave it out.",
            )


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _refuse_assumptions(ctx: typer.Context) -> None:
    """Raise HromadaError if an assumption is given although the votes already provide that value."""
    given = [name for name in ASSUMED if _is_given(ctx, name)]
    if given:
        raise HromadaError(
            f"{', '.join('--' + name.replace('_', '-') for name in given)} cannot be used here: the votes provide it.",
            remedy="Leave that out, or plan from assumptions: without the project and --pilot.",
        )


def _read_sources(
    project: str | None, pilot: str | None, question: str | None, *, unblind: bool
) -> tuple[DataSet | None, DataSet | None, dict[str, Any]]:
    """Read the project's data set, the one that gives the variance, and the plan recorded when it was started.

    The second is the data set of `pilot` if given; otherwise the project's own pilot, while only the pilot has answers;
    otherwise the first. Raise HromadaError if it would show votes of a blind project, other than of its own pilot,
    without `unblind`.
    """
    from annotation.vocabulary import Pool
    from bot.commands import data_sets, database_session

    with database_session.open_database() as database, database.reading() as view:
        own = None if project is None else data_sets.read_project(view, project)
        data = source = None if own is None else own.read_data_set(question)
        if pilot is not None:
            source = data_sets.read_project(view, pilot).read_data_set(question)
        elif own is not None and data is not None and data.list_counted_answers().empty:
            stage = own.read_data_set(question, pool=Pool.PILOT)
            source = data if stage.list_counted_answers().empty else stage
        is_own_pilot = pilot is None and source is not data
        if source is not None and not source.list_counted_answers().empty and not is_own_pilot:
            names = [str(pilot or project)]
            if unblind:
                data_sets.record_unblinding(database, names, by="plan")
            else:
                data_sets.refuse_blind(view, names)
        frozen = None if own is None else own.project.frozen
        return data, source, (frozen or {}).get("plan", {})


def _list_notes(
    models: dict[str, VarianceModel], result: PlannedResult, *, is_observed: bool, model_correlation: float
) -> list[str]:
    from aggregation.planning.assumed_variance import PERSON_CORRELATION
    from aggregation.planning.variance_models import KNOWN

    assumed = f"correlate {model_correlation:g}, as assumed."
    notes = [
        f"Same people: they rate the texts of both systems, whose items' means {assumed}",
        "Other people: as many rate each system.",
    ]
    if result.kind in ("share", "win_rate"):
        paired = f"Paired: on the same items; right answers of model and people {assumed}"
        notes = [paired, "Unpaired: a published score on as many other items."] if result.kind == "share" else []
    if not is_observed and result.kind == "share":
        notes.append("Majorities are planned only from votes, such as those of a pilot.")
    elif is_observed and any(model.people_df >= KNOWN for model in models.values()):
        notes.append(
            "Fewer than 5 people do not show how much people differ: two answers of one person to different items are"
            f" assumed to correlate {PERSON_CORRELATION:g}."
        )
    elif is_observed:
        notes.append("The plan allows for the uncertainty of the estimated variance: with few people it asks for more.")
    return notes


def _print_tables(planned: Plan, *, n_items: int, n_people: int) -> None:

    stamp, result = "SIMULATED · " if planned.simulated else "", planned.result
    found = COMPARED[result.kind]
    rows = [
        (
            row.unit,
            result.lowest + row.variance.share * result.width,
            row.design.half_width,
            row.design.this_panel,
            *(row.design.paired, row.design.unpaired)[: len(found)],
        )
        for row in planned.units
    ]
    columns = ("unit", RESULTS[result.kind].split(" ", 1)[1], "± new people", "± these people", *found)
    least = {
        "share": "Paired, unpaired: the least difference from a model that is detected with a power of 80 %.",
        "win_rate": "From ½: the least difference of the win rate from ½ that is detected with a power of 80 %.",
    }.get(
        result.kind,
        "Same people, other people: the least difference of two systems that is detected with a power of 80 %.",
    )
    notes = [
        f"Variance: {planned.units[0].basis}.",
        "± new people: the half-width of the 95 % interval for new people and new items.",
        f"± these people: for these people and new items. {planned.promise}",
        least,
        *planned.notes,
        *_describe_promise(planned),
    ]
    if result.kind == "mean" and result.width != 1:
        notes.insert(1, f"In points of the scale from {result.lowest:g} to {result.highest:g}.")
    title = f"{stamp}{planned.title} · {n_items} items, {n_people} people"
    terminal_output.print_table(title, columns, rows, notes=notes)
    needed = [
        (
            row.unit,
            *(
                "none" if number is None else number
                for number in (row.people_needed, row.paired, row.unpaired)[: 1 + len(found)]
            ),
        )
        for row in planned.units
    ]
    terminal_output.print_table(
        f"{stamp}needed for ±{planned.half_width:g}, or to show a difference of {planned.difference:g}",
        (
            "unit",
            f"people for ± with {n_items} items",
            f"items, {found[0]}, {n_people} people",
            *(f"items, {name}" for name in found[1:]),
        ),
        needed,
        notes=[] if not any("none" in row for row in needed) else [NONE],
    )
    by_people = [
        (people, *("none" if row.needed[place][1] is None else row.needed[place][1] for row in planned.units))
        for place, (people, _) in enumerate(planned.units[0].needed)
    ]
    enough = [row for row in by_people if set(row[1:]) != {"none"}]
    fewest = f"No number of items is enough for fewer than {enough[0][0]} people." if enough else NO_DESIGN
    terminal_output.print_table(
        f"{stamp}items against people for ±{planned.half_width:g}",
        ("people", *(f"items, {row.unit}" for row in planned.units)),
        enough,
        notes=[] if len(enough) == len(by_people) else [fewest],
    )


def _describe_promise(planned: Plan) -> list[str]:
    """The half-width planned at the start beside that of the interval so far."""
    reached = planned.reached.get("this_panel")
    if reached is None:
        return []
    fresh = planned.reached.get("fresh_panel")
    of_fresh = "" if fresh is None else f"; for new people ±{fresh:.4f}"
    promise = (
        "Not started" if planned.promised is None else f"Planned at the start: ±{planned.promised:.4f} for these people"
    )
    return [f"{promise}; the interval so far is ±{reached:.4f} for single answers{of_fresh}."]
