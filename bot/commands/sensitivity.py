"""`hromada sensitivity`: what the results would be under other quality rules, and what a cut of confidence leaves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import data_sets, terminal_output
from bot.commands.command_line import AsJson, ProjectName
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from exports.inputs import DataSet
    from exports.sensitivity import CutResult, SettingResult


def sensitivity(
    project: ProjectName,
    question: data_sets.QuestionName = None,
    control: Annotated[
        list[float] | None, typer.Option(help="Keep people above this share of control items; may be repeated.")
    ] = None,
    seconds: Annotated[
        list[float] | None, typer.Option(help="Keep answers that took at least this many seconds; may be repeated.")
    ] = None,
    cut: Annotated[list[float] | None, typer.Option(help="A least confidence of labels; may be repeated.")] = None,
    method: data_sets.MethodOption = data_sets.Method.MAJORITY,
    seed: data_sets.Seed = 0,
    to: Annotated[Path | None, typer.Option(help="Write the tables and a page into this folder.")] = None,
    unblind: data_sets.Unblind = False,
    json: AsJson = False,
) -> None:
    """Show results under other quality rules.

    Scores, agreement and gold by rule, and by the cut of confidence. Each rule is applied to all answers, those that
    rules of the campaign excluded among them.
    """
    from exports import sensitivity as tables
    from exports import writers

    with data_sets.open_view([project], by="sensitivity", unblind=unblind) as view:
        data = data_sets.read_votes(data_sets.read_project(view, project), question)
    settings = tables.list_settings(
        data, accuracies=control or tables.CONTROL_ACCURACIES, seconds=seconds or tables.LEAST_SECONDS
    )
    cuts = tables.measure_cuts(data, method=method.value, cuts=cut or tables.CUTS, seed=seed)
    with terminal_output.show_progress("settings", quiet=json) as progress:
        results = tables.measure_settings(data, settings, progress=progress)
    written = () if to is None else writers.write_files(to, tables.build_sensitivity_files(data, results, cuts))
    if json:
        terminal_output.print_json(
            {
                "dataset": data.name,
                "simulated": data.simulated,
                "settings": tables.list_setting_rows(results),
                "cuts": tables.list_cut_rows(cuts),
                "files": [str(path) for path in written],
            }
        )
        return
    _print_settings(data, results)
    _print_cuts(data, cuts)
    for path in written:
        terminal_output.print_line(str(path))


def _print_settings(data: DataSet, results: Sequence[SettingResult]) -> None:
    rows: list[tuple[Cell, ...]] = [
        (
            result.name,
            result.n_answers,
            result.n_people,
            result.n_gold,
            *(None if score is None else score.value for score in (result.single, result.majority)),
            "" if result.majority is None else _format_interval(result.majority.ci_low, result.majority.ci_high),
            result.agreement,
        )
        for result in results
    ]
    columns = ("setting", "answers", "people", "gold", "single", "majority", "95 %", "agree")
    names = sorted({result.agreement_name for result in results if result.agreement_name})
    notes = ["Gold: items with a unique majority. The interval is that of the majority for new people and new items."]
    notes += [f"Agree: {', '.join(names)}."] if names else []
    notes += [
        f"{result.name}: ties are shared; the majority with ties wrong is {result.majority.value_ties_wrong:.4f}."
        for result in results
        if result.majority is not None and result.majority.value_ties_wrong is not None
    ]
    if len(results) == 2:
        notes.append("No answer has a time and nobody answered a control item, so there is no rule to try.")
    terminal_output.print_table(data_sets.format_title(data, "under other rules"), columns, rows, notes=notes)


def _print_cuts(data: DataSet, cuts: Sequence[CutResult]) -> None:
    labels = list(data.counted_classes or ())
    rows: list[tuple[Cell, ...]] = [
        (
            f"{cut.cut:g}",
            cut.n_kept,
            cut.kept,
            f"{cut.n_right:g} of {cut.n_known}" if cut.n_known else "",
            cut.right,
            _format_interval(cut.right_low, cut.right_high),
            *(cut.balance.get(label) for label in labels),
        )
        for cut in cuts
    ]
    columns = ("confidence ≥", "kept", "share", "right", "share right", "95 %", *labels)
    notes = ["Right: of the items whose gold is known, declared or of control items. Intervals: for new items."]
    notes += [
        f"≥ {cut.cut:g}: {cut.n_ties} ties are shared; the share right with ties wrong is {cut.right_ties_wrong:.4f}."
        for cut in cuts
        if cut.right_ties_wrong is not None
    ]
    terminal_output.print_table(data_sets.format_title(data, "labels above a confidence"), columns, rows, notes=notes)


def _format_interval(low: float | None, high: float | None) -> str:
    """An interval with two decimals, so that the table fits a line of 80 signs."""
    return "" if low is None or high is None else f"{low:.2f}–{high:.2f}"
