"""`hromada plan`: how many items and people an interval of a given width needs, or to show that a model differs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aggregation.errors import HromadaError
from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.data_sets import QuestionName, Unblind

if TYPE_CHECKING:
    from aggregation.comparison.scored_units import ScoredUnit
    from aggregation.planning.variance_models import VarianceModel
    from exports.inputs import DataSet
    from exports.plan_files import Plan

UNITS = {"individual": "single answers", "majority": "majority"}
ITEMS, PEOPLE, VOTES = 500, 20, 3  # of a plan without a project
NONE = "none: no number is enough; how people (or items) vary alone makes the interval wider than that."
NO_DESIGN = (
    "No number of items is enough for up to 200 people: there are too few votes to estimate how people and items vary."
    " Ask more people in a pilot, allow a wider interval (--half-width), or plan from assumptions: without the project."
)


ASSUMED = ("votes", "share", "item_correlation", "person_correlation")
"""The options that are used only where there are no votes."""


def plan(
    ctx: typer.Context,
    project: Annotated[
        str | None,
        typer.Argument(help="A project, by name or file; without votes all is assumed.", show_default=False),
    ] = None,
    pilot: Annotated[
        str | None, typer.Option(help="Estimate the variance from the votes of this project instead.")
    ] = None,
    half_width: Annotated[float, typer.Option(min=0.001, max=0.5, help="The half width of the 95 % interval.")] = 0.03,
    difference: Annotated[
        float, typer.Option(min=0.001, max=1, help="The smallest difference from a model to detect.")
    ] = 0.05,
    items: Annotated[int | None, typer.Option(min=10, help="Items; the project's, or 500.")] = None,
    people: Annotated[int | None, typer.Option(min=5, help="People; those who voted, or 20.")] = None,
    votes: Annotated[int | None, typer.Option(min=1, help="Answers per item, without votes.")] = None,
    share: Annotated[float, typer.Option(min=0.01, max=0.99, help="The assumed share of right answers.")] = 0.9,
    model_share: Annotated[
        float | None, typer.Option(min=0.01, max=0.99, help="The assumed score of the model; people's by default.")
    ] = None,
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
    """Plan how many items and people a precise result needs.

    The interval is at most as wide as planned with a probability of 90 % (in simulations 87 to 95 %); a difference from
    a model is detected with a power of 80 %. The variance is estimated from the votes of the project or of its pilot;
    before there are votes it is assumed, for single answers alone.
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
                "All of these votes are right, or none is, so there is no variation from which to plan.",
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


def _refuse_assumptions(ctx: typer.Context) -> None:
    """Raise HromadaError if an assumption is given although the votes already provide that value."""
    sources = {name: ctx.get_parameter_source(name) for name in ASSUMED}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if given:
        raise HromadaError(
            f"{', '.join('--' + name.replace('_', '-') for name in given)} cannot be used here: the votes provide it.",
            remedy="Leave that out, or plan from assumptions: without the project and --pilot.",
        )


def _read_sources(
    project: str | None, pilot: str | None, question: str | None, *, unblind: bool
) -> tuple[DataSet | None, DataSet | None, float | None]:
    """Read the project's data set, the one that gives the variance, and the half width recorded when it was started.

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
        return data, source, (frozen or {}).get("plan", {}).get("half_width")


def _estimate_models(data: DataSet, model_share: float | None, model_correlation: float) -> dict[str, VarianceModel]:
    from aggregation.comparison.scored_units import sum_scored_units
    from aggregation.intervals.resampling import FEWEST_GROUPS
    from aggregation.planning.variance_models import estimate_variance_model

    first = data.keep_first_places()
    units = sum_scored_units(first.build_answers(), first.build_skips())
    if units.individual.n_groups < FEWEST_GROUPS:
        raise HromadaError(
            f"Only {units.individual.n_groups} items (or groups of items) have gold and answers; at least"
            f" {FEWEST_GROUPS} are needed.",
            remedy="Ask about more items, or plan from assumptions: without the project and --pilot.",
        )
    metric = units.metrics[units.primary]
    n_votes = len(units.scored.frame) / len(units.scored.gold)
    has_majority = data.sample is None or data.overlap != 1
    names: tuple[ScoredUnit, ...] = ("individual", "majority") if has_majority else ("individual",)
    measures = {name: units.measure(name) for name in names}
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
    """The half widths of the observed intervals: for these people, as recorded at the start, and for new people."""
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
    from aggregation.planning.assumed_variance import PERSON_CORRELATION
    from aggregation.planning.variance_models import KNOWN

    notes = [
        f"Paired: on the same items; right answers of model and people correlate {model_correlation:g}, as assumed.",
        "Unpaired: a published score on as many other items.",
    ]
    if not is_observed:
        notes.append("Majorities are planned only from votes, such as those of a pilot.")
    elif any(model.people_df >= KNOWN for model in models.values()):
        notes.append(
            "Fewer than 5 people do not show how much people differ: two answers of one person to different items are"
            f" assumed to correlate {PERSON_CORRELATION:g}."
        )
    else:
        notes.append("The plan allows for the uncertainty of the estimated variance: with few people it asks for more.")
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
    columns = ("unit", "share right", "± new people", "± these people", "paired", "unpaired")
    notes = [
        f"Variance: {planned.units[0].basis}.",
        "± new people: the half width of the 95 % interval for new people and new items.",
        f"± these people: for these people and new items. {plan_files.PROMISE}",
        "Paired, unpaired: the least difference from a model that is detected with a power of 80 %.",
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
    """The half width planned at the start beside that of the interval so far."""
    reached = planned.reached.get("this_panel")
    if reached is None:
        return []
    fresh = planned.reached.get("fresh_panel")
    of_fresh = "" if fresh is None else f"; for new people ±{fresh:.4f}"
    promise = (
        "Not started" if planned.promised is None else f"Planned at the start: ±{planned.promised:.4f} for these people"
    )
    return [f"{promise}; the interval so far is ±{reached:.4f} for single answers{of_fresh}."]
