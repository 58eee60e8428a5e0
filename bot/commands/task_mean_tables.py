"""What `hromada baseline` shows of a programme or of several projects: the score of each task, and their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.data_sets import read_data_set

if TYPE_CHECKING:
    from aggregation.tie_rules import TieChoice
    from bot.commands.terminal_output import Cell
    from exports.task_means import ProgrammeScores

ProgrammeNames = Annotated[
    list[str],
    typer.Argument(
        metavar="PROJECT", help="A project, a programme, or several projects, by name or file.", show_default=False
    ),
]
UNIT_NAMES = {"individual": "single answers", "majority": "majority"}
EXPLANATION = (
    "A fresh panel: new people on new items. This panel: these people on new items. Every task counts the same."
)


def find_single_project(names: Sequence[str]) -> str | None:
    """The one project that was named; None for a programme, and for several projects."""
    from annotation.store import queries
    from bot.commands import database_session

    if len(names) > 1:
        return None
    with database_session.open_database() as database, database.reading() as view:
        is_programme = queries.find_programme(view, database_session.resolve_name(names[0])) is not None
    return None if is_programme else names[0]


def print_task_means(names: Sequence[str], question: str | None, *, tie_choice: TieChoice, json: bool) -> None:
    """Print the score of each task, and the mean over all of them, for single answers and for the majority."""
    from bot import release
    from bot.commands import database_session, terminal_output
    from exports import task_means

    with database_session.open_database() as database, database.reading() as view:
        projects = [project for name in names for project in database_session.list_projects(view, name)]
        hashes = {project.name: release.hash_item_texts(view, project) for project in projects}
        asked = {project.name: release.list_question_names(project) for project in projects}
    data_sets = [read_data_set(project.name, question) for project in projects]
    text_hashes = {data.name: hashes[project.name] for project, data in zip(projects, data_sets, strict=True)}
    found = task_means.score_tasks(data_sets, text_hashes=text_hashes, tie_choice=tie_choice)
    if json:
        terminal_output.print_json({"question": question, **task_means.describe_scores(found)})
        return
    _print_tables(found, () if question else _list_other_questions(asked))


def _list_other_questions(asked: Mapping[str, Sequence[str]]) -> list[str]:
    """A note on each project that asks more than the first question, by which it is scored."""
    return [
        f"{name} is scored by its question {first}; by --question it can be {' or '.join(others)}."
        for name, (first, *others) in asked.items()
        if others
    ]


def _print_tables(found: ProgrammeScores, notes: Sequence[str]) -> None:
    from bot.commands import terminal_output

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
    columns = ("unit", "mean", "fresh panel, 95 %", "this panel, 95 %")
    reasons = [f"{UNIT_NAMES[unit]}: {mean.reason}" for unit, mean in found.means.items() if mean.reason]
    n_people, n_common = found.means["individual"].n_people, found.means["individual"].n_common_people
    people = f"{n_people} people answered; {n_common} of them in two tasks or more, and count once."
    below = [EXPLANATION, people, *notes, *found.notes, *reasons]
    terminal_output.print_table(f"{stamp}mean over {len(found.tasks)} tasks", columns, means, notes=below)


def _get_number(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124  # only nan differs from itself
