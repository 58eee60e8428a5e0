"""`hromada agreement`: how far annotators agree."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import data_sets, panel_tables, terminal_output
from bot.commands.command_line import AsJson, ProjectName

if TYPE_CHECKING:
    from aggregation.agreement.table import Coefficient
    from aggregation.intervals.resampling import Progress
    from aggregation.schema import Votes
    from exports.inputs import DataSet
    from exports.results import DataSetResult


THESE_PEOPLE, NEW_PEOPLE = "these people and new items", "new people and new items"
"""The populations of the intervals."""
WHOLE_SETS = "whole sets"
"""In place of a label or annotator, for a coefficient of all answers."""


class By(StrEnum):
    """What agreement can be broken down by."""

    LABEL = "label"
    ANNOTATOR = "annotator"
    PAIR = "pair"
    TIME = "time"
    CLASS = "class"


def agreement(
    project: ProjectName,
    question: data_sets.QuestionName = None,
    earlier: data_sets.Earlier = False,
    by: Annotated[By | None, typer.Option(help="Break it down: by label, annotator, pair, time or class.")] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Draws of the bootstrap, where one is needed.")] = 1000,
    seed: data_sets.Seed = 0,
    unblind: data_sets.Unblind = False,
    json: AsJson = False,
) -> None:
    """Measure agreement between annotators.

    Every coefficient comes with its intervals, or with the reason why it has none: one for these people and new items,
    and from five people on one for new people and new items. If a minimum overlap was planned, the first rows rest on
    each item's first votes, as many as that; all votes pooled follow. If only a random sample of the items gets
    several answers, all rows rest on the sample.
    """
    from dataclasses import asdict

    with data_sets.open_view(None if earlier else [project], by="agreement", unblind=unblind) as view:
        inputs = data_sets.read_project(view, project)
        data = data_sets.read_votes(inputs, question, earlier=earlier)
        asked = [one.name for one in inputs.definition.all_questions]
    if by is By.PAIR and data.answer_type.is_label:
        _print_pairs(data, json=json)
        return
    with terminal_output.show_progress("resamples", quiet=json) as progress:
        result = _build_result(data, resamples=resamples, seed=seed, progress=progress)
        rows = _compute_coefficients(result, by)
    if json:
        as_dictionaries = [asdict(row) for row in rows]
        facts = {"dataset": data.name, "simulated": data.simulated, "normalise": data.normalise}
        facts |= {"sample": data.sample.words} if data.sample is not None else {}
        of_panels = {} if by is not None else panel_tables.describe_panels(result, "agreement")
        terminal_output.print_json(facts | {"coefficients": as_dictionaries} | of_panels)
        return
    has_several_bases = len({row.basis for row in rows}) > 1
    is_breakdown = any(row.of for row in rows)
    has_new_people = not is_breakdown or any(row.new_people_low is not None for row in rows)
    columns = (
        *(("of",) if is_breakdown else ()),
        *("coefficient", "level", "value", f"95 %, {THESE_PEOPLE}"),
        *((f"95 %, {NEW_PEOPLE}",) if has_new_people else ()),
        *("items", "votes"),
    )
    shown = [
        (
            *((row.of or WHOLE_SETS,) if is_breakdown else ()),
            f"{row.name} ({row.basis})" if has_several_bases else row.name,
            row.level,
            row.value,
            _format_interval(row.low, row.high),
            *((_format_interval(row.new_people_low, row.new_people_high),) if has_new_people else ()),
            row.n_items,
            row.n_votes,
        )
        for row in rows
    ]
    notes = [
        *_name_headline(data, rows, by),
        *_describe_sample(data),
        *data_sets.describe_normalisation(data),
        *_build_notes(rows, has_new_people=has_new_people, resamples=resamples, seed=seed),
        *_name_other_questions(asked, question),
    ]
    if by is By.TIME and data.responses["position"].isna().all():
        notes.append("Imported votes have no times: the stretches follow the order of the file.")
    terminal_output.print_table(data_sets.format_title(data, _describe_basis(data, by)), columns, shown, notes=notes)
    if by is None:
        panel_tables.print_panels(result, "agreement")


def _name_other_questions(asked: Sequence[str], chosen: str | None) -> list[str]:
    """Which question a table is about, and how to see the others; nothing where one was chosen or there is only one."""
    first, *others = asked
    if chosen is not None or not others:
        return []
    return [f"This is the question '{first}'. The others, by --question: {', '.join(others)}."]


def _name_headline(data: DataSet, rows: Sequence[Coefficient], by: By | None) -> list[str]:
    """Which coefficient to report, if several are shown."""
    headline = data.headline_coefficient
    return [f"Report {headline}."] if by is None and headline in {row.name for row in rows} and len(rows) > 1 else []


def _describe_basis(data: DataSet, by: By | None) -> str:
    """What a table shows; a breakdown rests on each item's first votes where an overlap was planned, else on all."""
    if data.sample is not None:
        return f"agreement{'' if by is None else f' by {by.value}'}, overlap sample"
    if by is None:
        return "agreement"
    basis = "all votes pooled" if data.overlap is None else f"the first {data.overlap} votes of each item"
    return f"agreement by {by.value}, {basis}"


def _build_result(data: DataSet, *, resamples: int, seed: int, progress: Progress) -> DataSetResult:
    from exports.results import DataSetResult, ResultOptions

    options = ResultOptions(method="dawid_skene", ties="first", seed=seed, agreement_resamples=resamples)
    return DataSetResult(data=data, options=options, progress={"agreement": progress})


def _compute_coefficients(result: DataSetResult, by: By | None) -> tuple[Coefficient, ...]:
    """The coefficients asked for; without a breakdown also the mean posterior that publications call an IAA."""
    data, options = result.data, result.options
    if by is not None:
        answers = data.build_answers().with_votes(_list_first_votes(data))
        return data.answer_type.break_down(
            answers, by.value, n_resamples=options.agreement_resamples, seed=options.seed
        )
    rows = () if result.agreement is None else result.agreement.rows
    if not data.answer_type.is_label or result.votes.classes is None:
        return rows
    result.require_consensus()  # without which there would be the posterior of no method
    return rows if result.iaa is None else (*rows, result.iaa)


def _list_first_votes(data: DataSet) -> Votes:
    data = data.keep_sample()
    votes = data.build_answers().votes
    return votes if data.overlap is None else votes.first_votes(data.overlap)


def _describe_sample(data: DataSet) -> list[str]:
    """On which items agreement rests, where only a sample of them got several answers."""
    if data.sample is None:
        return []
    n_items, n_sampled = len(data.items), len(data.sample.items)
    others = f"answers to the {n_items - n_sampled} others are not in them"
    return [f"Agreement is {data.sample.words}. The values and intervals stand for all {n_items} items; {others}."]


def _format_interval(low: float | None, high: float | None) -> str:
    return terminal_output.format_interval(low, high).replace(" – ", "–")  # else 80 columns are too few


def _build_notes(rows: Sequence[Coefficient], *, has_new_people: bool, resamples: int, seed: int) -> list[str]:
    """Reasons first, equal ones together; then how the intervals were made, and how often such intervals cover."""
    from aggregation.agreement.two_populations import describe_coverage

    reasons: dict[str, list[str]] = {}
    for row in rows:
        for reason in row.explanations if has_new_people else filter(None, (row.reason,)):
            reasons.setdefault(reason, []).append(row.of or row.name)
    notes = [f"{', '.join(dict.fromkeys(names))}: {reason}" for reason, names in reasons.items()]
    resampled = [row.name for row in rows if row.low is not None and "percentile interval" in row.how]
    if any(row.low is not None and row.name not in resampled for row in rows):
        notes.append(describe_coverage())
    if resampled:
        names = ", ".join(dict.fromkeys(resampled))
        notes.append(f"{names}: 95 % percentiles of {resamples} resamples of items, seed {seed}, for {THESE_PEOPLE}.")
    notes += [
        f"{row.of or row.name}: {row.undefined_resamples} resamples were undefined and are left out."
        for row in rows
        if row.undefined_resamples
    ]
    notes += [
        f"{row.of or row.name}: the value is outside its interval: redrawn items give it other pairs to rest on."
        for row in rows
        if row.value is not None
        and row.low is not None
        and row.high is not None
        and not row.low <= row.value <= row.high
    ]
    notes += [f"{row.name}: {row.how}." for row in rows if row.name == "dawid_skene_iaa"]
    return notes


def _print_pairs(data: DataSet, *, json: bool) -> None:
    """Cohen's kappa of every two annotators who met on an item."""
    from aggregation.agreement import people

    pairs = people.compute_cohen_pairs(_list_first_votes(data)).assign(level="nominal").astype(object)
    rows = pairs.mask(pairs.isna(), None).to_dict("records")
    if json:
        terminal_output.print_json({"dataset": data.name, "simulated": data.simulated, "pairs": rows})
        return
    notes = [
        *_describe_sample(data),
        "κ is undefined (–) where both always gave the same one label.",
        "A pair's κ rests on the items that both answered: with few of them it says little.",
    ]
    shown = [tuple(row.values()) for row in rows]
    terminal_output.print_table(
        data_sets.format_title(data, _describe_basis(data, By.PAIR)), tuple(pairs.columns), shown, notes=notes
    )
