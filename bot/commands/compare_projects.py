"""`hromada compare` with a second project, or of the surfaces of one: wordings or interfaces over the same items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands import terminal_output
from bot.commands.data_sets import PANELS, describe_reasons, name_items

if TYPE_CHECKING:
    import pandas as pd
    from sqlmodel import Session

    from aggregation.comparison.projects import ProjectComparison
    from exports.inputs import DataSet

ITEM_NOTES = {
    "missing_in": "Not compared, as only one of the two has them",
    "text_differs": "The text shown differs",
    "gold_differs": "The gold differs",
}
CHOSEN_SURFACE = "Annotators chose the surface, so a difference can also come from who chose it and for which items."


def list_projects(view: Session, against: Sequence[str]) -> list[str]:
    """Those of the arguments that are project files or the names of projects: loaded ones, or no name of a file."""
    from annotation.store import queries

    names = {project.name for project in queries.list_projects(view)}
    paths = {written: Path(written) for written in against}
    return [
        written
        for written, path in paths.items()
        if written in names or path.suffix in (".yaml", ".yml") or not (path.suffix or path.exists())
    ]


def compare_data_sets(data_sets: Sequence[DataSet], *, to: Path | None, json: bool, caution: str = "") -> None:
    """Print how each differs from those after it: agreement, confidence, time, skips and accuracy.

    These are two projects, or the surfaces of one project. Of three surfaces, each pair has a folder in `to`.
    `caution` is a warning about all of them.
    """
    pairs = list(combinations(data_sets, 2))
    printed = []
    for first, second in pairs:
        own = to / f"{first.name} - {second.name}" if to is not None and len(pairs) > 1 else to
        printed.append(_compare_pair(first, second, to=own, json=json, caution=caution))
    if json:
        terminal_output.print_json(printed[0] if len(printed) == 1 else {"comparisons": printed})


def _compare_pair(first: DataSet, second: DataSet, *, to: Path | None, json: bool, caution: str) -> dict[str, object]:
    """The comparison for JSON; it is also printed as a table if JSON is not wanted."""
    from aggregation.comparison.projects import compare_projects
    from exports import project_comparison, writers

    comparison = compare_projects(
        project_comparison.build_project_answers(first), project_comparison.build_project_answers(second)
    )
    if caution:
        comparison = replace(comparison, warnings=(*comparison.warnings, caution))
    items = project_comparison.match_items([first, second])
    is_simulated = first.simulated or second.simulated
    files = project_comparison.build_comparison_files(comparison, items)
    written = [] if to is None else [str(path) for path in writers.write_files(to, files)]
    if not json:
        title = f"{first.name} less {second.name} on {items['compared'].sum()} items"
        _print_table(f"SIMULATED · {title}" if is_simulated else title, comparison, items)
        for path in written:
            terminal_output.print_line(path)
    return {
        "projects": [first.name, second.name],
        "simulated": is_simulated,
        "confidence_level": comparison.confidence_level,
        "items": items.to_dict("records"),
        "differences": project_comparison.list_difference_rows(comparison),
        "warnings": list(comparison.warnings),
        "files": written,
    }


def _print_table(title: str, comparison: ProjectComparison, items: pd.DataFrame) -> None:
    """A row for each measure, and one for a majority with its ties wrong; then what limits the comparison."""
    rows: list[tuple[terminal_output.Cell, ...]] = []
    for row in comparison.differences:
        ends = ((row.ci_low, row.ci_high), (row.item_only_low, row.item_only_high))
        shown = [terminal_output.format_interval(*pair).replace(" – ", "–") for pair in ends]  # for 80 columns
        rows.append((row.measure, row.first, row.second, row.difference, *shown))
        if row.first_ties_wrong is not None:
            rows.append((f"{row.measure}, ties wrong", row.first_ties_wrong, row.second_ties_wrong, None, "", ""))
    notes = [
        f"{text}: {name_items(items.loc[items[column].astype(bool), 'item_id'].tolist())}."
        for column, text in ITEM_NOTES.items()
        if items[column].any()
    ]
    notes += [*comparison.warnings, *describe_reasons((row.measure, row.reason) for row in comparison.differences)]
    n_people, n_common = max((row.n_people, row.n_common_people) for row in comparison.differences)
    notes.append(f"{n_people} people, {n_common} of them in both. {PANELS}")
    columns = ("measure", "first", "second", "diff.", "new people", "these people")
    terminal_output.print_table(title, columns, rows, notes=notes)
