"""`hromada baseline`: human performance against gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.command_line import AsJson, ProjectName
from bot.commands.data_sets import QuestionName, Seed, describe_normalisation, format_title, read_data_set

if TYPE_CHECKING:
    from aggregation.performance import Performance, Unit
    from exports.inputs import DataSet


def baseline(
    project: ProjectName,
    question: QuestionName = None,
    resamples: Annotated[int, typer.Option(min=100, help="Draws of the bootstrap over people and items.")] = 2000,
    seed: Seed = 0,
    json: AsJson = False,
) -> None:
    """Human performance against gold.

    Scored are single answers, the majority (a tie scores nothing) and, for closed labels, Dawid-Skene.
    """
    from dataclasses import asdict

    from aggregation.answer_types import score_answers
    from bot.commands import terminal_output

    data = read_data_set(project, question)
    with terminal_output.show_progress("resamples", quiet=json) as progress:
        performance = score_answers(
            data.build_answers(), skips=data.build_skips(), n_resamples=resamples, seed=seed, progress=progress
        )
    if json:
        people = performance.annotators.rename_axis("annotator").reset_index().to_dict("records")
        facts = {"dataset": data.name, "simulated": data.simulated, "question": data.question, "kind": data.kind}
        facts |= {"classes_are_positions": data.classes_are_positions, "normalise": data.normalise}
        facts |= {
            "random": performance.random,
            "random_exact": performance.random_exact,
            "units": [asdict(unit) for unit in performance.units],
            "refused": dict(performance.refused),
        }
        terminal_output.print_json(facts | {"annotators": people})
        return
    units = [
        (unit.unit, unit.total, unit.wrong, unit.primary.value, *_format_intervals(unit), unit.n_ties)
        for unit in performance.units
    ]
    columns = ("unit", "total", "wrong", "share right", "95 % interval", "Wilson (ignores people)", "ties")
    terminal_output.print_table(
        format_title(data, "human performance"),
        columns,
        units,
        notes=[
            *_describe_skips(data),
            *_build_notes(performance),
            *describe_normalisation(data),
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


def _format_intervals(unit: Unit) -> tuple[str, str]:
    from bot.commands.terminal_output import format_interval

    accuracy = unit.primary
    return format_interval(accuracy.low, accuracy.high), format_interval(unit.wilson_low, unit.wilson_high)


def _describe_skips(data: DataSet) -> list[str]:
    """How skips are scored, where there are any."""
    n_skips = len(data.list_counted_skips())
    note = f"Skips: {n_skips}, each wrong; without them in human_baseline.csv of `hromada export`."
    return [note] if n_skips else []


def _warn_of_circular_gold(data: DataSet) -> list[str]:
    """A warning where the gold was itself made of votes."""
    if not (data.items["gold_origin"] == "votes").any():
        return []
    return ["Some gold has the origin `votes`: people agree with what they made, so this is no score of theirs."]


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
            f" {performance.random_exact:.4f} on the items seen."
        )
    if single.primary.metric == "exact_match":
        notes.append("Right is what equals a right answer: the whole set of boxes or parts, the text as compared.")
    return notes
