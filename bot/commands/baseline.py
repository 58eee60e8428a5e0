"""`hromada baseline`: human performance against gold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aggregation.errors import HromadaError
from aggregation.findings import split_findings
from bot.commands import (
    baseline_tables,
    data_sets,
    opinion_tables,
    panel_tables,
    preference_tables,
    terminal_output,
)
from bot.commands.baseline_tables import ProgrammeNames
from bot.commands.command_line import AsJson
from bot.commands.terminal_output import Cell, format_interval

if TYPE_CHECKING:
    from aggregation.scores.performance import Performance, Unit
    from exports.inputs import DataSet
    from exports.results import DataSetResult

EXPLANATION = "Intervals: for new people and new items (a fresh panel), and for these people and new items."


def baseline(
    projects: ProgrammeNames,
    question: data_sets.QuestionName = None,
    earlier: data_sets.Earlier = False,
    ties: data_sets.ScoreTies = data_sets.Ties.SHARED,
    seed: data_sets.Seed = 0,
    unblind: data_sets.Unblind = False,
    json: AsJson = False,
) -> None:
    """Score people against gold, or summarise their opinions.

    Scored are single answers, the majority and, for closed labels, Dawid-Skene. Ties are shared: each of m tied answers
    counts 1/m; the value with ties wrong is beside it. `--ties` is for results published by another rule. Gold that was
    made of the project's own votes scores nobody: each person's agreement with the others is shown in its place.
    The points of a scale have errors and correlations with gold points. Without gold it shows opinions: shares of
    points, means and differences by the systems that wrote the texts (`items: {system: COLUMN}`), severity of people.
    Compared texts have win rates and a ranking of their systems first, with gold or without.
    Of a programme, or of several projects, the scores of all are shown with the mean over them.
    """
    from aggregation.consensus.consensus import TieChoice
    from exports.results import DataSetResult, ResultOptions

    choice = TieChoice(ties=ties.value, seed=seed)
    with data_sets.open_view(None if earlier else projects, by="baseline", unblind=unblind) as view:
        single = baseline_tables.find_single_project(view, projects)
        if single is None and earlier:
            raise HromadaError("Earlier answers are those of one project.", remedy="Name one.")
        if single is None:
            tasks = baseline_tables.read_tasks(view, projects, question)
        else:
            project = data_sets.read_project(view, single)
            data = data_sets.read_votes(project, question, earlier=earlier)
            data = data if data.has_circular_gold_alone else project.add_people(data)
    if single is None:
        baseline_tables.print_task_means(tasks, question, tie_choice=choice, json=json)
        return
    with terminal_output.show_progress("units", quiet=json) as progress:
        result = DataSetResult(data=data, options=ResultOptions(tie_choice=choice), progress={"scores": progress})
        if _print_without_gold(result, json=json):
            return
        result.require_scores()
    if json:
        _print_json(result)
    else:
        opinion_tables.print_points(result)
        _print_tables(result)
        if result.scale is not None and result.data.systems:
            opinion_tables.print_opinions(result)
        panel_tables.print_panels(result, "score")
        baseline_tables.print_people(result)
        baseline_tables.print_trivial_answers(result)


def _print_without_gold(result: DataSetResult, *, json: bool) -> bool:
    """Print what needs no gold; whether that is all there is."""
    data, found = result.data, result.preference
    if found is not None and not json:
        preference_tables.print_preferences(preference_tables.format_title(data), found)
    if found is not None and data.list_scoring_gold().isna().all():
        if json:
            known = {"dataset": data.name, "simulated": data.simulated, "question": data.question, "kind": data.kind}
            terminal_output.print_json(known | preference_tables.describe(result))
        return True
    if data.has_circular_gold_alone:
        baseline_tables.print_agreement_with_others(result, json=json)
        if not json:
            panel_tables.print_panels(result, "score")
        return True
    if result.scale is not None and result.performance is None:
        _print_opinions(result, json=json)
        return True
    return False


def _print_opinions(result: DataSetResult, *, json: bool) -> None:
    """What a scale says where nobody can be scored: opinions, by the systems that wrote the texts."""
    data = result.data
    if json:
        facts = {"dataset": data.name, "simulated": data.simulated, "question": data.question, "kind": data.kind}
        facts["no_scores"] = result.no_performance
        terminal_output.print_json(facts | opinion_tables.describe_opinions(result))
        return
    opinion_tables.print_opinions(result)
    terminal_output.print_sentence(f"Not scored: {result.no_performance}")


def _print_json(result: DataSetResult) -> None:
    from dataclasses import asdict

    from exports.score_variants import ADJUDICATED

    data, performance, pooled = result.data, result.require_scores(), result.pooled
    adjudicated, ceiling = result.variants.get(ADJUDICATED), result.ceiling
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
            **_describe_sample(result),
            "ties": performance.ties,
            "units": [asdict(unit) for unit in (result.reported or performance).units],
            "fresh_majorities": [asdict(unit) for unit in performance.fresh_majorities],
            "pooled_units": [] if pooled is None else [asdict(unit) for unit in pooled.units],
            "units_as_adjudicated": [] if adjudicated is None else [asdict(unit) for unit in adjudicated.units],
            "gold_review": None if ceiling is None else asdict(ceiling),
            "refused": dict((result.reported or performance).refused),
            "annotators": performance.annotators.rename_axis("annotator").reset_index().to_dict("records"),
            **panel_tables.describe_panels(result, "score"),
            **opinion_tables.describe_opinions(result),
            **baseline_tables.describe_people(result),
            **baseline_tables.describe_trivial_answers(result),
            **preference_tables.describe(result),
        }
    )


def _describe_sample(result: DataSetResult) -> dict[str, object]:
    """The scores of the overlap sample as JSON; nothing without one."""
    from dataclasses import asdict

    scores = _get_sample_scores(result)
    units = [] if scores is None else [asdict(unit) for unit in scores.units]
    return {} if result.data.sample is None else {"overlap_sample_units": units}


def _print_tables(result: DataSetResult) -> None:
    """Print the table of units with notes, and that of the other metrics where there are any."""
    from exports.adjudicated_gold import describe_ceiling
    from exports.score_variants import ADJUDICATED

    data, performance = result.data, result.require_scores()
    adjudicated, ceiling = result.variants.get(ADJUDICATED), result.ceiling
    units = _list_unit_rows(result.reported or performance)
    units += (
        [] if (sampled := _get_sample_scores(result)) is None else _list_unit_rows(sampled, mark=" (overlap sample)")
    )
    units += [] if result.pooled is None else _list_unit_rows(result.pooled, mark=" (all votes pooled)")
    units += [] if adjudicated is None else _list_unit_rows(adjudicated, mark=f" ({ADJUDICATED})")
    columns = ("unit", "total", "wrong", "share right", "new people, 95 %", "these people, 95 %", "ties", "ties wrong")
    notes = [
        *_describe_basis(result),
        *_describe_skips(data),
        *(data_sets.describe_ties(performance.ties) if performance.has_ties else ()),
        *_build_notes(result.reported or performance),
        *data_sets.describe_normalisation(data),
        *_warn_of_circular_gold(data),
        *([] if ceiling is None else [describe_ceiling(ceiling)]),
    ]
    terminal_output.print_table(data_sets.format_title(data, "human performance"), columns, units, notes=notes)
    scores = [
        (
            unit.title,
            score.metric,
            score.value,
            score.value_ties_wrong,
            terminal_output.format_interval(score.ci_low, score.ci_high),
            terminal_output.format_interval(score.item_only_low, score.item_only_high),
        )
        for unit in (result.reported or performance).units
        for score in unit.scores
        if score is not unit.primary
    ]
    if scores:
        score_columns = ("unit", "metric", "value", "ties wrong", "new people, 95 %", "these people, 95 %")
        terminal_output.print_table(
            data_sets.format_title(data, "other metrics"), score_columns, scores, notes=[EXPLANATION]
        )


def _get_sample_scores(result: DataSetResult) -> Performance | None:
    """The scores of the overlap sample; None without one, and without gold in it."""
    return None if result.sample is None else result.sample.performance


def _list_unit_rows(performance: Performance, *, mark: str = "") -> list[tuple[Cell, ...]]:
    """The rows of the table of units, with a mark after the name of each unit."""
    return [
        (f"{unit.title}{mark}", unit.total, unit.wrong, unit.primary.value, *_format_intervals(unit), unit.n_ties,
         unit.primary.value_ties_wrong)
        for unit in (*performance.units, *performance.fresh_majorities)
    ]  # fmt: skip


def _format_intervals(unit: Unit) -> tuple[str, str]:
    score = unit.primary
    return format_interval(score.ci_low, score.ci_high), format_interval(score.item_only_low, score.item_only_high)


def _describe_basis(result: DataSetResult) -> list[str]:
    """Which votes the scores rest on, where items have more than were planned."""
    if result.data.sample is not None:
        drawn = f"{len(result.data.sample.items)} of {len(result.data.items)} items that were drawn at random"
        return [f"Single answers: the first of each item. The overlap sample has all answers to the {drawn}."]
    if result.pooled is None:
        return []
    basis = f"the first {result.data.overlap} votes of each item"
    return [f"Scores rest on {basis}; all pooled give contested items more weight."]


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
        for sentence in split_findings(score.reason):
            metrics.setdefault(sentence, []).append(score.metric)
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
    if "wer_corpus" in {score.metric for score in single.scores}:
        notes.append(
            "wer and cer are means of answers. wer_corpus and cer_corpus are all edits over the length of all right"
            " texts."
        )
    if single.primary.metric == "exact_match":
        notes.append("Right is what equals a right answer: the whole set of boxes or parts, the text as compared.")
    return notes
