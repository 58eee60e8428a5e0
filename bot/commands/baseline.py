"""`hromada baseline`: human performance against gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from bot.commands import baseline_tables
from bot.commands.baseline_tables import ProgrammeNames
from bot.commands.command_line import AsJson
from bot.commands.data_sets import (
    Earlier,
    QuestionName,
    ScoreTies,
    Seed,
    Ties,
    Unblind,
    check_blindness,
    describe_normalisation,
    describe_ties,
    format_title,
    read_data_set,
)

if TYPE_CHECKING:
    from aggregation.scores.performance import Performance, Unit
    from bot.commands.baseline_tables import TrivialAnswers
    from bot.commands.terminal_output import Cell
    from exports.inputs import DataSet
    from exports.order_effects import PeopleEffects

EXPLANATION = "A fresh panel: new people on new items. This panel: these people on new items."


def baseline(
    projects: ProgrammeNames,
    question: QuestionName = None,
    earlier: Earlier = False,
    ties: ScoreTies = Ties.SHARED,
    seed: Seed = 0,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Measure how often people are right, by gold.

    Scored are single answers, the majority and, for closed labels, Dawid-Skene. Ties are shared: each of m tied answers
    counts 1/m; the value with ties wrong is beside it. `--ties` is for results published by another rule. Gold that was
    made of the project's own votes scores nobody: each person's agreement with the others is shown in its place.
    Of a programme, or of several projects, the scores of all are shown with the mean over them.
    """
    from aggregation.answer_types import score_answers
    from aggregation.consensus.consensus import TieChoice
    from aggregation.errors import HromadaError
    from bot.commands import terminal_output

    choice = TieChoice(ties=ties.value, seed=seed)
    if not earlier:
        check_blindness(projects, by="baseline", unblind=unblind)
    project = baseline_tables.find_single_project(projects)
    if project is None and earlier:
        raise HromadaError("Earlier answers are those of one project.", remedy="Name one.")
    if project is None:
        baseline_tables.print_task_means(projects, question, tie_choice=choice, json=json)
        return
    data = read_data_set(project, question, earlier=earlier)
    if baseline_tables.has_no_other_gold(data):
        baseline_tables.print_agreement_with_others(data, json=json)
        return
    scored = data.keep_first_places()
    with terminal_output.show_progress("units", quiet=json) as progress:
        score = partial(score_answers, tie_choice=choice)
        performance = score(scored.build_answers(), skips=scored.build_skips(), progress=progress)
        pooled = performance
        if scored is not data:
            pooled = score(data.build_answers(), skips=data.build_skips())
    variants = baseline_tables.score_variants(scored, choice)
    people = baseline_tables.read_people(project, scored)
    trivial = baseline_tables.read_trivial_answers(project, data)
    if json:
        _print_json(data, scored, performance, pooled, variants, people, trivial)
    else:
        _print_tables(data, scored, performance, pooled, variants)
        baseline_tables.print_people(data, variants, people, performance)
        baseline_tables.print_trivial_answers(data, trivial)


def _print_json(
    data: DataSet,
    scored: DataSet,
    performance: Performance,
    pooled: Performance,
    variants: Mapping[str, Performance],
    people: PeopleEffects,
    trivial: TrivialAnswers,
) -> None:
    from dataclasses import asdict

    from bot.commands import terminal_output
    from exports.adjudicated_gold import estimate_gold_ceiling
    from exports.score_variants import ADJUDICATED

    adjudicated = variants.get(ADJUDICATED)
    ceiling = estimate_gold_ceiling(data)
    terminal_output.print_json(
        {
            "dataset": data.name,
            "simulated": data.simulated,
            "question": data.question,
            "kind": data.kind,
            "classes_are_positions": data.classes_are_positions,
            "normalise": data.normalise,
            "random": performance.random,
            "random_exact": performance.random_exact,
            "basis": "pooled" if data.overlap is None else "first",
            "ties": performance.ties,
            "units": [asdict(unit) for unit in performance.units],
            "fresh_majorities": [asdict(unit) for unit in performance.fresh_majorities],
            "pooled_units": [] if scored is data else [asdict(unit) for unit in pooled.units],
            "units_as_adjudicated": [] if adjudicated is None else [asdict(unit) for unit in adjudicated.units],
            "gold_review": None if ceiling is None else asdict(ceiling),
            "refused": dict(performance.refused),
            "annotators": performance.annotators.rename_axis("annotator").reset_index().to_dict("records"),
            **baseline_tables.describe_people(variants, people, performance),
            **baseline_tables.describe_trivial_answers(trivial),
        }
    )


def _print_tables(
    data: DataSet,
    scored: DataSet,
    performance: Performance,
    pooled: Performance,
    variants: Mapping[str, Performance],
) -> None:
    """Print the table of units with notes, and that of the other metrics where there are any."""
    from bot.commands import terminal_output
    from exports.adjudicated_gold import describe_ceiling, estimate_gold_ceiling
    from exports.score_variants import ADJUDICATED

    adjudicated = variants.get(ADJUDICATED)
    ceiling = estimate_gold_ceiling(data)
    units = _list_unit_rows(performance)
    units += [] if scored is data else _list_unit_rows(pooled, mark=" (all votes pooled)")
    units += [] if adjudicated is None else _list_unit_rows(adjudicated, mark=f" ({ADJUDICATED})")
    columns = ("unit", "total", "wrong", "share right", "fresh panel, 95 %", "this panel, 95 %", "ties", "ties wrong")
    notes = [
        *_describe_basis(data, scored),
        *_describe_skips(data),
        *(describe_ties(performance.ties) if performance.has_ties else ()),
        *_build_notes(performance),
        *describe_normalisation(data),
        *_warn_of_circular_gold(data),
        *([] if ceiling is None else [describe_ceiling(ceiling)]),
    ]
    terminal_output.print_table(format_title(data, "human performance"), columns, units, notes=notes)
    scores = [
        (
            unit.title,
            score.metric,
            score.value,
            score.value_ties_wrong,
            terminal_output.format_interval(score.ci_low, score.ci_high),
            terminal_output.format_interval(score.item_only_low, score.item_only_high),
        )
        for unit in performance.units
        for score in unit.scores
        if score is not unit.primary
    ]
    if scores:
        score_columns = ("unit", "metric", "value", "ties wrong", "fresh panel, 95 %", "this panel, 95 %")
        terminal_output.print_table(format_title(data, "other metrics, the same intervals"), score_columns, scores)


def _list_unit_rows(performance: Performance, *, mark: str = "") -> list[tuple[Cell, ...]]:
    """The rows of the table of units, with a mark after the name of each unit."""
    return [
        (f"{unit.title}{mark}", unit.total, unit.wrong, unit.primary.value, *_format_intervals(unit), unit.n_ties,
         unit.primary.value_ties_wrong)
        for unit in (*performance.units, *performance.fresh_majorities)
    ]  # fmt: skip


def _format_intervals(unit: Unit) -> tuple[str, str]:
    from bot.commands.terminal_output import format_interval

    score = unit.primary
    return format_interval(score.ci_low, score.ci_high), format_interval(score.item_only_low, score.item_only_high)


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


def _describe_annotators(single: Unit) -> str:
    """The mean and the quartiles of annotators' accuracies, and their extremes where people answered enough."""
    parts = [f"mean {single.ann_mean:.4f}, quartiles {single.ann_q1:.4f}, {single.ann_median:.4f}, {single.ann_q3:.4f}"]
    if single.ann_min is not None:
        parts.append(f"those with 20 answers or more from {single.ann_min:.4f} to {single.ann_max:.4f}")
    return "; ".join(parts)


def _list_reasons(unit: Unit) -> list[str]:
    """Why scores of a unit have no interval, each reason once, after the metrics that it is true of."""
    metrics: dict[str, list[str]] = {}
    for score in unit.scores:
        if score.reason:
            metrics.setdefault(score.reason, []).append(score.metric)
    return [f"{', '.join(names)}: {reason}" for reason, names in metrics.items()]


def _build_notes(performance: Performance) -> Sequence[str]:
    units = (*performance.units, *performance.fresh_majorities)
    units_by_note: dict[str, list[str]] = {}
    for unit in units:
        methods = [f"Intervals: {unit.primary.ci_method}."] if unit.primary.ci_method != "none" else []
        for note in (*methods, *unit.warnings, *_list_reasons(unit)):
            units_by_note.setdefault(note, []).append(unit.title)
    notes = [EXPLANATION, *(f"{', '.join(names)}: {note}" for note, names in units_by_note.items())]
    notes += [f"{unit}: not computed. {reason}" for unit, reason in performance.refused.items()]
    single = performance["individual"]
    if single.ann_mean is not None:
        notes.append(f"Annotators ({single.n_annotators}): {_describe_annotators(single)}.")
    if performance.random is not None and performance.random_exact is not None:
        notes.append(
            f"Random: {performance.random:.4f} as 1 / mean number of options,"
            f" {performance.random_exact:.4f} on the scored items, exactly."
        )
    if single.primary.metric == "exact_match":
        notes.append("Right is what equals a right answer: the whole set of boxes or parts, the text as compared.")
    return notes
