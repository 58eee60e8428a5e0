"""`hromada plan`: items and people for an interval, or to tell a model from people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aggregation.errors import HromadaError
from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.data_sets import QuestionName, Unblind

if TYPE_CHECKING:
    from aggregation.planning.variance_models import VarianceModel
    from exports.inputs import DataSet
    from exports.plan_files import Plan

UNITS = {"individual": "single answers", "majority": "majority"}
ITEMS, PEOPLE, VOTES = 500, 20, 3  # of a plan without a project
NONE = "none: no number is enough, as the people, or the items, alone leave more uncertain than that."
NO_DESIGN = (
    "No number of items is enough for up to 200 people: so few votes say too little of what people and items vary. Ask"
    " more people in a pilot, allow a wider interval (--half-width), or plan from assumptions (without the project)."
)


ASSUMED = ("votes", "share", "item_correlation", "person_correlation")
"""The options that are used only where there are no votes."""


def plan(
    ctx: typer.Context,
    project: Annotated[
        str | None, typer.Argument(help="A project, by name or file; without one all is assumed.", show_default=False)
    ] = None,
    pilot: Annotated[
        str | None, typer.Option(help="A project whose votes tell the variance, if not the project itself.")
    ] = None,
    half_width: Annotated[float, typer.Option(min=0.001, max=0.5, help="The half width of the 95 % interval.")] = 0.03,
    difference: Annotated[float, typer.Option(min=0.001, max=1, help="The difference from a model to show.")] = 0.05,
    items: Annotated[int | None, typer.Option(min=10, help="Items; those of the project by default.")] = None,
    people: Annotated[int | None, typer.Option(min=5, help="People; those of the project by default, or 20.")] = None,
    votes: Annotated[int | None, typer.Option(min=1, help="Answers an item, where all is assumed.")] = None,
    share: Annotated[float, typer.Option(min=0.01, max=0.99, help="The assumed share of right answers.")] = 0.9,
    model_share: Annotated[
        float | None, typer.Option(min=0.01, max=0.99, help="The assumed score of the model; people's by default.")
    ] = None,
    item_correlation: Annotated[
        float, typer.Option(min=0, max=1, metavar="R", help="Assumed, of two answers to an item.")
    ] = 0.3,
    person_correlation: Annotated[
        float, typer.Option(min=0, max=1, metavar="R", help="Assumed, of two answers of one.")
    ] = 0.05,
    model_correlation: Annotated[
        float, typer.Option(min=-1, max=1, metavar="R", help="Assumed, of people and the model.")
    ] = 0.3,
    question: QuestionName = None,
    to: Annotated[Path | None, typer.Option(help="A folder for plan.json, plan.csv and the picture plan.svg.")] = None,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Plan how many items and people a precise result needs.

    For an interval, reached with a chance of 90 % (in simulations 87 to 95 %), or for a difference from a model, found
    with 80 %. The variance is that of the votes of the project or of its pilot; before there are votes it is assumed,
    for single answers alone.
    """
    from aggregation.planning.assumed_variance import compute_mean_group_size
    from aggregation.planning.variance_models import assume_variance
    from exports import plan_files, writers

    data, source, promised = None, None, None
    if project is not None or pilot is not None:
        data, source, promised = _read_sources(project, pilot, question, unblind=unblind)
    is_observed = source is not None and not source.list_counted_answers().empty
    n_items = items or (ITEMS if data is None else len(data.items))
    if is_observed and source is not None:
        _refuse_assumptions(ctx)
        n_seen = source.list_counted_answers()["annotator"].nunique()
        estimated = _estimate_models(source, model_share, model_correlation)
        models = {unit: model for unit, model in estimated.items() if model.item > 0 and 0 < model.share < 1}
        unknown = [UNITS[unit] for unit in estimated if unit not in models]
        if not models:
            raise HromadaError(
                "All of these votes are right, or none is: nothing varies that a plan could rest on.",
                remedy="Plan from assumptions: without the project and --pilot.",
            )
        n_people = people or max(5, n_seen)
        stage = "the pilot of " if pilot is None and source is not data else ""
        basis = f"votes of {n_seen} people of {stage}{source.name}"
    else:
        n_votes = votes or (VOTES if data is None or data.overlap is None else data.overlap)
        group_size = 1.0 if data is None else compute_mean_group_size(data.items.groupby("group").size().tolist())
        models = {
            "individual": assume_variance(
                share=share,
                votes=n_votes,
                group_size=group_size,
                item_correlation=item_correlation,
                person_correlation=person_correlation,
                model_share=model_share,
                model_correlation=model_correlation,
            )
        }
        n_people = people or PEOPLE
        unknown = []
        basis = f"assumed: {share:g} right, {n_votes} answers an item, ρ item {item_correlation:g}, person"
        basis += f" {person_correlation:g}"
    planned = plan_files.Plan(
        title="a campaign" if data is None else data.name,
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
            )
            for unit, model in models.items()
        ),
        simulated=source is not None and source.simulated,
        promised=promised,
        reached=_measure_reached(data) if data is not None and source is data and is_observed else {},
        notes=(
            *_list_notes(models, is_observed=is_observed, model_correlation=model_correlation),
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


def _refuse_assumptions(ctx: typer.Context) -> None:
    """Raises HromadaError where an assumption is named though votes tell what it assumes."""
    sources = {name: ctx.get_parameter_source(name) for name in ASSUMED}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if given:
        raise HromadaError(
            f"Votes tell what {', '.join('--' + name.replace('_', '-') for name in given)} would assume.",
            remedy="Leave that out, or plan from assumptions: without the project and --pilot.",
        )


def _read_sources(
    project: str | None, pilot: str | None, question: str | None, *, unblind: bool
) -> tuple[DataSet | None, DataSet | None, float | None]:
    """The project's data set, the one whose votes tell the variance, and the half width that the start promised.

    The second is that of another project, or of the project's own pilot while that alone has answers, or the first.
    Raises HromadaError where it would show votes of a blind project, without `unblind`.
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
        return data, source, (frozen or {}).get("plan", {}).get("half_width")


def _estimate_models(data: DataSet, model_share: float | None, model_correlation: float) -> dict[str, VarianceModel]:
    from aggregation.comparison.scored_units import sum_scored_units
    from aggregation.intervals.resampling import FEWEST_GROUPS
    from aggregation.planning.variance_models import estimate_variance_model

    first = data.keep_first_places()
    units = sum_scored_units(first.build_answers(), first.build_skips())
    if units.individual.n_groups < FEWEST_GROUPS:
        raise HromadaError(
            f"{units.individual.n_groups} items with gold and answers, or groups of them, are fewer than"
            f" {FEWEST_GROUPS}.",
            remedy="Ask about more items, or plan from assumptions: without the project and --pilot.",
        )
    metric = units.metrics[units.primary]
    n_votes = len(units.scored.frame) / len(units.scored.gold)
    measures = {"individual": units.measure("individual"), "majority": units.measure("majority")}
    return {
        name: estimate_variance_model(
            metric,
            measure.contributions,
            votes=n_votes,
            model_share=model_share,
            model_correlation=model_correlation,
        )
        for name, measure in measures.items()
    }


def _measure_reached(data: DataSet) -> dict[str, float | None]:
    """The half widths of the observed intervals: for these people, as `start` promises, and for a fresh panel."""
    from aggregation.answer_types import score_answers

    first = data.keep_first_places()
    scored = score_answers(first.build_answers(), skips=first.build_skips(), units=["individual"])
    score = scored["individual"].primary
    return {
        name: None if low is None or high is None else round((high - low) / 2, 4)
        for name, low, high in (
            ("this_panel", score.item_only_low, score.item_only_high),
            ("fresh_panel", score.ci_low, score.ci_high),
        )
    }


def _list_notes(models: dict[str, VarianceModel], *, is_observed: bool, model_correlation: float) -> list[str]:
    notes = [
        f"Paired: on the same items; being right has an assumed correlation with people of {model_correlation:g}.",
        "Unpaired: a published score on as many other items.",
    ]
    if not is_observed:
        notes.append("Nothing is known of majorities before votes; a pilot tells it.")
    elif any(model.person != model.person for model in models.values()):  # nan differs from itself
        notes.append("Fewer than 5 people: what people vary is unknown, and counts as chance alone.")
    else:
        notes.append("How well the votes know the variance is part of the plan: few people make it cautious.")
    return notes


def _print_tables(planned: Plan, *, n_items: int, n_people: int) -> None:
    from exports import plan_files

    stamp = "SIMULATED · " if planned.simulated else ""
    rows = [
        (
            row.unit,
            row.variance.share,
            row.design.half_width,
            row.design.this_panel,
            row.design.paired,
            row.design.unpaired,
        )
        for row in planned.units
    ]
    columns = ("unit", "share right", "± fresh panel", "± this panel", "paired", "unpaired")
    notes = [
        f"Variance: {planned.units[0].basis}.",
        "± fresh panel: the half width of the 95 % interval for new people and new items.",
        f"± this panel: for these people and new items. {plan_files.PROMISE}",
        "Paired, unpaired: the least difference from a model that is found with 80 %.",
        *planned.notes,
        *_describe_promise(planned),
    ]
    title = f"{stamp}{planned.title} · {n_items} items, {n_people} people"
    terminal_output.print_table(title, columns, rows, notes=notes)
    needed = [
        (row.unit, *("none" if number is None else number for number in (row.people_needed, row.paired, row.unpaired)))
        for row in planned.units
    ]
    terminal_output.print_table(
        f"{stamp}needed for ±{planned.half_width:g}, or to show a difference of {planned.difference:g}",
        ("unit", f"people for ± with {n_items} items", f"items, paired, {n_people} people", "items, unpaired"),
        needed,
        notes=[] if not any("none" in row for row in needed) else [NONE],
    )
    by_people = [
        (people, *("none" if row.needed[place][1] is None else row.needed[place][1] for row in planned.units))
        for place, (people, _) in enumerate(planned.units[0].needed)
    ]
    enough = [row for row in by_people if set(row[1:]) != {"none"}]
    least = f"No number of items is enough for fewer than {enough[0][0]} people." if enough else NO_DESIGN
    terminal_output.print_table(
        f"{stamp}items against people for ±{planned.half_width:g}",
        ("people", *(f"items, {row.unit}" for row in planned.units)),
        enough,
        notes=[] if len(enough) == len(by_people) else [least],
    )


def _describe_promise(planned: Plan) -> list[str]:
    """What `start` promised beside what was reached."""
    reached = planned.reached.get("this_panel")
    if reached is None:
        return []
    fresh = planned.reached.get("fresh_panel")
    of_fresh = "" if fresh is None else f"; for a fresh panel ±{fresh:.4f}"
    promise = (
        "Not started here" if planned.promised is None else f"Start promised ±{planned.promised:.4f} for these people"
    )
    return [f"{promise}; reached is ±{reached:.4f} of single answers{of_fresh}."]
