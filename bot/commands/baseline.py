"""`hromada baseline`: human performance against gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import circular_gold
from bot.commands.command_line import AsJson, ProjectName
from bot.commands.data_sets import QuestionName, Seed, format_title, read_data_set

if TYPE_CHECKING:
    from aggregation.performance import Performance, Unit
    from bot.commands.terminal_output import Cell
    from exports.inputs import DataSet


def baseline(
    project: ProjectName,
    question: QuestionName = None,
    resamples: Annotated[int, typer.Option(min=100, help="Draws of the bootstrap over people and items.")] = 2000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Human performance against gold.

    Scored are single answers, the majority (a tie scores nothing) and, for closed labels, Dawid-Skene. Gold that was
    made of the project's own votes scores nobody: each person's agreement with the others is shown in its place.
    """
    from dataclasses import asdict

    from aggregation.answer_types import score_answers
    from bot.commands import terminal_output

    data = read_data_set(project, question)
    if circular_gold.has_no_other_gold(data):
        circular_gold.print_agreement_with_others(data, json=json)
        return
    scored = data.keep_first_places()
    with terminal_output.show_progress("resamples", quiet=json) as progress:
        performance = score_answers(
            scored.build_answers(), skips=scored.build_skips(), n_resamples=resamples, seed=seed, progress=progress
        )
        pooled = performance
        if scored is not data:
            pooled = score_answers(data.build_answers(), skips=data.build_skips(), n_resamples=resamples, seed=seed)
    if json:
        people = performance.annotators.rename_axis("annotator").reset_index().to_dict("records")
        facts = {"dataset": data.name, "simulated": data.simulated, "question": data.question, "kind": data.kind}
        facts |= {"classes_are_positions": data.classes_are_positions}
        facts |= {
            "random": performance.random,
            "random_exact": performance.random_exact,
            "basis": "pooled" if data.overlap is None else "first",
            "units": [asdict(unit) for unit in performance.units],
            "pooled_units": [] if scored is data else [asdict(unit) for unit in pooled.units],
            "refused": dict(performance.refused),
        }
        terminal_output.print_json(facts | {"annotators": people})
        return
    units = _list_unit_rows(performance)
    units += [] if scored is data else _list_unit_rows(pooled, mark=" (all votes pooled)")
    columns = ("unit", "total", "wrong", "share right", "95 % interval", "Wilson (ignores people)", "ties")
    terminal_output.print_table(
        format_title(data, "human performance"),
        columns,
        units,
        notes=[
            *_describe_basis(data, scored),
            *_describe_skips(data),
            *_build_notes(performance),
            *_warn_of_circular_gold(data),
        ],
    )
    scores = [
        (unit.unit, score.metric, score.value, terminal_output.format_interval(score.low, score.high))
        for unit in performance.units
        for score in unit.scores
        if score is not unit.primary
    ]
    if scores:
        score_columns = ("unit", "metric", "value", "95 % interval")
        terminal_output.print_table(format_title(data, "other metrics, the same intervals"), score_columns, scores)


def _list_unit_rows(performance: Performance, *, mark: str = "") -> list[tuple[Cell, ...]]:
    """The rows of the table of units, with a mark after the name of each unit."""
    return [
        (f"{unit.unit}{mark}", unit.total, unit.wrong, unit.primary.value, *_format_intervals(unit), unit.n_ties)
        for unit in performance.units
    ]


def _format_intervals(unit: Unit) -> tuple[str, str]:
    from bot.commands.terminal_output import format_interval

    accuracy = unit.primary
    return format_interval(accuracy.low, accuracy.high), format_interval(unit.wilson_low, unit.wilson_high)


def _describe_basis(data: DataSet, scored: DataSet) -> list[str]:
    """Which votes the scores rest on, where items have more than were planned."""
    if scored is data:
        return []
    return [f"Scores rest on the first {data.overlap} votes of each item; all pooled give contested items more weight."]


def _describe_skips(data: DataSet) -> list[str]:
    """How skips are scored, where there are any."""
    n_skips = len(data.list_counted_skips())
    note = f"Skips: {n_skips}, each wrong; without them in human_baseline.csv of `hromada export`."
    return [note] if n_skips else []


def _warn_of_circular_gold(data: DataSet) -> list[str]:
    """A note where some gold was made of the votes that would be scored against it."""
    if not data.has_circular_gold:
        return []
    return ["Items whose gold was made of this project's own votes are left out."]


def _build_notes(performance: Performance) -> Sequence[str]:
    notes = [
        f"{unit.unit}: interval by {unit.ci_method}." for unit in performance.units if unit.primary.low is not None
    ]
    units_by_note: dict[str, list[str]] = {}
    for unit in performance.units:
        if unit.note:
            units_by_note.setdefault(unit.note, []).append(unit.unit)
    notes += [f"{', '.join(units)}: {note}" for note, units in units_by_note.items()]
    notes += [f"{unit}: not computed. {reason}" for unit, reason in performance.refused.items()]
    single = performance["individual"]
    if single.ann_mean is not None:
        spread = f"mean {single.ann_mean:.4f}, from {single.ann_min:.4f} to {single.ann_max:.4f}"
        notes.append(f"Annotators ({single.n_annotators}): {spread}.")
    if performance.random is not None and performance.random_exact is not None:
        notes.append(
            f"Random: {performance.random:.4f} as 1 / mean number of options,"
            f" {performance.random_exact:.4f} on the scored items, exactly."
        )
    if single.primary.metric == "exact_match":
        notes.append("Right is what equals a right answer: the whole set of boxes or parts, the text as compared.")
    return notes
