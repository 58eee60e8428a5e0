"""What `hromada baseline` shows beside the headline: people, tasks, trivial baselines, and circular gold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import terminal_output
from bot.commands.data_sets import format_title, read_votes
from bot.commands.panel_tables import describe_panels
from bot.commands.terminal_output import Cell, format_interval

if TYPE_CHECKING:
    from sqlmodel import Session

    from aggregation.consensus.consensus import TieChoice
    from aggregation.scores.performance import Performance, Unit
    from exports.inputs import DataSet
    from exports.order_effects import PeopleEffects
    from exports.results import DataSetResult
    from exports.task_means import ProgrammeScores


FOR_NEW_PEOPLE = "Intervals: for new people and new items; those marked so for these people and new items."
FOR_NEW_ITEMS = "Intervals: for this person and new items, answers as if independent."
MOST_PEOPLE = 30  # of the rows of a table
FAR = "further from the headline than half its interval"


def describe_people(result: DataSetResult) -> dict[str, Any]:
    """Variants, the best person and order as JSON."""
    people = result.people
    if people is None:
        return {}
    return {
        "variants": [
            {"subset": name, "beyond_half_width": result.exceeds_half_width(unit, unit.primary)} | asdict(unit)
            for name, scores in result.variants.items()
            for unit in scores.units
        ],
        "best_annotator": None
        if people.best is None
        else asdict(people.best) | {"selection_bias": people.best.selection_bias},
        "order": [{"kind": part.kind, "part": part.part} | asdict(part.unit) for part in people.parts],
        "order_slope": asdict(people.slope),
    }


def print_people(result: DataSetResult) -> None:
    """Print the variants beside the headline, and the scores by place, session and hour of day."""
    from exports.score_variants import describe_variant

    data, primary, people = result.data, result.require_scores(), result.people
    rows = [
        (name, unit.title, unit.total, unit.primary.value, _format_interval(unit), _subtract(unit, primary),
         "yes" if result.exceeds_half_width(unit, unit.primary) else "")
        for name, scores in result.variants.items()
        for unit in scores.units
    ]  # fmt: skip
    if rows:
        heads = ("counted", "unit", "total", "share right", "new people, 95 %", "less headline", "far")
        notes = [f"{name}: {describe_variant(name)}." for name in result.variants]
        title = format_title(data, "the same answers otherwise counted")
        terminal_output.print_table(title, heads, rows, notes=[*notes, f"Far: {FAR}.", FOR_NEW_PEOPLE])
    if people is None:
        return
    _print_single_people(data, people, primary)
    parts: list[tuple[Cell, ...]] = []
    for part in people.parts:
        kind = "" if any(part.kind == row[0] for row in parts) else part.kind
        value = part.unit.primary.value
        parts.append((kind, part.part, part.unit.total, part.unit.n_annotators, value, _format_interval(part.unit)))
    if parts:
        columns = ("by", "part", "answers", "people", "share right", "new people, 95 %")
        title = format_title(data, "single answers as people go on")
        terminal_output.print_table(title, columns, parts, notes=[describe_slope(people), FOR_NEW_PEOPLE])


def _print_single_people(data: DataSet, people: PeopleEffects, primary: Performance) -> None:
    """Every person with their score, the best first; of very many the first and the last."""
    ordered = primary.annotators.sort_values(["accuracy", "n"], ascending=False, kind="stable")
    rows: list[tuple[Cell, ...]] = [
        (str(name), int(row["n"]), int(row["right"]), row["accuracy"],
         terminal_output.format_interval(row["independent_low"], row["independent_high"]))
        for name, row in ordered.to_dict("index").items()
    ]  # fmt: skip
    notes = [*list_people_notes(people), FOR_NEW_ITEMS]
    if len(rows) > MOST_PEOPLE:
        notes.insert(0, f"{len(rows) - MOST_PEOPLE} people between are left out; --json and annotators.csv have all.")
        rows = [*rows[: MOST_PEOPLE // 2], *rows[-(MOST_PEOPLE // 2) :]]
    columns = ("annotator", "answers", "right", "share right", "95 %, new items")
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
        f"So {best.selection_bias:z.4f} of the best's score is what choosing the best adds.",
    ]


def describe_slope(people: PeopleEffects) -> str:
    """What ten answers further into a session change, in words."""
    slope = people.slope
    if slope.value is None or slope.low is None or slope.high is None or slope.p_value is None:
        return f"As a session goes on: {slope.reason}"
    return (
        f"Per 10 answers into a session, a person's accuracy changes by {slope.value:+z.4f}"
        f" [{slope.low:+z.4f}, {slope.high:+z.4f}], p {slope.p_value:.2g}; each person's own level is taken out."
    )


def _format_interval(unit: Unit) -> str:
    """The interval for a fresh panel, or for these people where there is none."""
    score = unit.primary
    if score.ci_low is None:
        return f"{format_interval(score.item_only_low, score.item_only_high)} (these people)"
    return format_interval(score.ci_low, score.ci_high)


def _subtract(unit: Unit, primary: Performance) -> str:
    own = primary[unit.unit].primary.value if primary.has_unit(unit.unit) else None
    return "" if own is None or unit.primary.value is None else f"{unit.primary.value - own:+z.4f}"


ProgrammeNames = Annotated[
    list[str],
    typer.Argument(
        metavar="PROJECT", help="A project, a programme, or several projects, by name or file.", show_default=False
    ),
]
UNIT_NAMES = {"individual": "single answers", "majority": "majority"}
EXPLANATION = "Intervals: for new people and new items, and for these people and new items. Every task counts the same."


def find_single_project(view: Session, names: Sequence[str]) -> str | None:
    """The one project that was named; None for a programme, and for several projects."""
    from annotation.store import queries
    from bot.commands import database_session

    if len(names) > 1:
        return None
    is_programme = queries.find_programme(view, database_session.resolve_name(names[0])) is not None
    return None if is_programme else names[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Tasks:
    """The data sets that are scored as tasks, and by project the names of all its questions."""

    data_sets: Sequence[DataSet]
    questions: Mapping[str, Sequence[str]]


def read_tasks(view: Session, names: Sequence[str], question: str | None) -> Tasks:
    """Read the data set of each project, with the hashes of its items' texts."""
    from bot.commands import database_session
    from bot.release import ProjectInputs

    stored = [project for name in names for project in database_session.list_projects(view, name)]
    projects = [ProjectInputs(view=view, project=project) for project in stored]
    return Tasks(
        data_sets=[project.add_text_hashes(read_votes(project, question)) for project in projects],
        questions={
            project.project.name: [asked.name for asked in project.definition.all_questions] for project in projects
        },
    )


def print_task_means(tasks: Tasks, question: str | None, *, tie_choice: TieChoice, json: bool) -> None:
    """Print the score of each task, and the mean over all of them, for single answers and for the majority."""
    from exports import task_means

    means = task_means.score_tasks(tasks.data_sets, tie_choice=tie_choice)
    if json:
        terminal_output.print_json({"question": question, **task_means.describe_scores(means)})
        return
    _print_tables(means, () if question else _list_other_questions(tasks.questions))


def _list_other_questions(asked: Mapping[str, Sequence[str]]) -> list[str]:
    """A note on each project that asks more than the first question, by which it is scored."""
    return [
        f"{name} is scored by its question {first}; by --question it can be {' or '.join(others)}."
        for name, (first, *others) in asked.items()
        if others
    ]


def _print_tables(found: ProgrammeScores, notes: Sequence[str]) -> None:
    stamp = "SIMULATED · " if found.simulated else ""
    columns = ("task", "items", "people", "metric", *UNIT_NAMES.values())
    rows: list[tuple[Cell, ...]] = []
    for task in found.tasks:
        single, majority = task.values["individual"], task.values["majority"]
        rows += [
            (task.name, task.n_items, task.n_people, metric, _get_number(single[metric]), _get_number(majority[metric]))
            for metric in single
        ]
        if len(single) > 1:
            averaged = [_get_number(mean.task_values[task.name]) for mean in found.means.values()]
            rows.append((task.name, task.n_items, task.n_people, "mean", *averaged))
    terminal_output.print_table(f"{stamp}human performance by task", columns, rows)
    means: list[tuple[Cell, ...]] = [
        (
            UNIT_NAMES[unit],
            _get_number(mean.value),
            terminal_output.format_interval(mean.fresh_panel.low, mean.fresh_panel.high),
            terminal_output.format_interval(mean.this_panel.low, mean.this_panel.high),
        )
        for unit, mean in found.means.items()
    ]
    columns = ("unit", "mean", "new people, 95 %", "these people, 95 %")
    reasons = [f"{UNIT_NAMES[unit]}: {mean.reason}" for unit, mean in found.means.items() if mean.reason]
    n_people, n_common = found.means["individual"].n_people, found.means["individual"].n_common_people
    people = f"{n_people} people answered; {n_common} of them in two tasks or more, and count once."
    below = [EXPLANATION, people, *notes, *found.notes, *reasons]
    terminal_output.print_table(f"{stamp}mean over {len(found.tasks)} tasks", columns, means, notes=below)


BY_LOT = "Where a baseline is torn between options it takes one by lot; every metric is the one expected of that."


def describe_trivial_answers(result: DataSetResult) -> dict[str, Any]:
    """Both as JSON; an undefined score is None."""
    baselines = [
        asdict(trivial) | {"scores": {name: _get_number(value) for name, value in trivial.scores.items()}}
        for trivial in result.trivial
    ]
    preferences = result.preferences
    people = [] if preferences is None else preferences.rename_axis("annotator").reset_index().to_dict("records")
    return {"trivial_baselines": baselines, "position_preferences": people}


def print_trivial_answers(result: DataSetResult) -> None:
    """Print the table of baselines, and that of people who prefer a place, if there are any."""
    data = result.data
    if result.trivial:
        metrics = tuple(dict.fromkeys(name for trivial in result.trivial for name in trivial.scores))
        rows = [
            (
                trivial.name.replace("_", " "),
                trivial.answer,
                *(_get_number(trivial.scores.get(name)) for name in metrics),
                trivial.n_torn,
            )
            for trivial in result.trivial
            if not trivial.reason
        ]
        notes = [
            BY_LOT,
            *(f"{trivial.name.replace('_', ' ')}: {trivial.reason}" for trivial in result.trivial if trivial.reason),
        ]
        columns = ("baseline", "answer", *metrics, "by lot")
        terminal_output.print_table(format_title(data, "without understanding"), columns, rows, notes=notes)
    preferences = result.preferences
    if preferences is not None and preferences["is_found"].any():
        rows = [
            (str(name), f"{row['place']} from the {row['side']}", row["n"], row["n_chosen"], row["n_expected"],
             row["preference"], f"{row['p_value']:.1g}")
            for name, row in preferences.loc[preferences["is_found"]].to_dict("index").items()
        ]  # fmt: skip
        columns = ("annotator", "place", "answers", "there", "expected", "preference", "p")
        note = "More answers at a place than their accuracy and the places of gold explain: look before you exclude."
        terminal_output.print_table(format_title(data, "people who prefer a place"), columns, rows, notes=[note])


def _get_number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def print_agreement_with_others(result: DataSetResult, *, json: bool) -> None:
    """Print how often each annotator says what the others say, where the gold was made of their own votes."""
    from aggregation.agreement.people import MOST_REFITS
    from exports.results import CIRCULAR

    data, table = result.data, result.with_others
    if table is None:
        return
    columns = {"n": "n", "majority": "agreement_with_others", "dawid_skene": "agreement_with_others_dawid_skene"}
    frame = table.rename(columns=columns).rename_axis("annotator").reset_index().astype(object)
    rows = frame.mask(frame.isna(), None).to_dict("records")
    if json:
        facts = {"dataset": data.name, "simulated": data.simulated, "question": data.question, "kind": data.kind}
        of_panels = describe_panels(result, "score")
        terminal_output.print_json(facts | {"units": [], "reason": CIRCULAR, "annotators": rows} | of_panels)
        return
    fitted = "with the others' skills fixed" if len(table) > MOST_REFITS else "fitted again without the person"
    terminal_output.print_table(
        format_title(data, "agreement of each person with the others"),
        ("annotator", "votes", "majority of the others", "Dawid-Skene of the others"),
        [tuple(row.values()) for row in rows],
        notes=[
            f"No score: {CIRCULAR[0].lower()}{CIRCULAR[1:]}",
            f"Each person's own votes are left out of the label; Dawid-Skene {fitted}.",
        ],
    )
