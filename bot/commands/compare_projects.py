"""`hromada compare` with a second project: wordings or interfaces over the same items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.data_sets import describe_reasons, name_items, read_data_set

if TYPE_CHECKING:
    from exports.pilot_comparison import ComparedDataSets

ITEM_NOTES = {
    "missing_in": "Not compared, as only one project has them",
    "text_differs": "The text shown differs",
    "gold_differs": "The gold differs",
}


def list_projects(against: Sequence[str]) -> list[str]:
    """Those of the arguments that are project files or the names of projects: loaded ones, or no name of a file."""
    from annotation.store import queries
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        names = {project.name for project in queries.list_projects(view)}
    paths = {written: Path(written) for written in against}
    return [
        written
        for written, path in paths.items()
        if written in names or path.suffix in (".yaml", ".yml") or not (path.suffix or path.exists())
    ]


def compare_two_projects(names: tuple[str, str], question: str | None, *, to: Path | None, json: bool) -> None:
    """Print how the first project differs from the second: agreement, confidence, time, skips and accuracy."""
    from bot import release
    from bot.commands import database_session, terminal_output
    from exports import pilot_comparison, writers

    data_sets = read_data_set(names[0], question), read_data_set(names[1], question)
    with database_session.open_database() as database, database.reading() as view:
        hashes = [release.hash_item_texts(view, database_session.get_project(view, name)) for name in names]
    compared = pilot_comparison.compare_data_sets(data_sets, text_hashes=hashes)
    titles = [data.name for data in data_sets]
    written = () if to is None else writers.write_files(to, compared.build_files())
    if json:
        terminal_output.print_json(
            {
                "projects": titles,
                "simulated": compared.simulated,
                "confidence_level": compared.comparison.confidence_level,
                "items": compared.items.to_dict("records"),
                "differences": compared.list_differences(),
                "warnings": list(compared.comparison.warnings),
                "files": [str(path) for path in written],
            }
        )
        return
    _print_table(compared, titles)
    for path in written:
        terminal_output.print_line(str(path))


def _print_table(compared: ComparedDataSets, titles: Sequence[str]) -> None:
    """A row for each measure, and one for a majority with its ties wrong; then what limits the comparison."""
    from bot.commands import terminal_output

    found = compared.comparison.differences
    rows: list[tuple[terminal_output.Cell, ...]] = []
    for row in found:
        ends = ((row.ci_low, row.ci_high), (row.item_only_low, row.item_only_high))
        shown = [terminal_output.format_interval(*pair).replace(" – ", "–") for pair in ends]  # for 80 columns
        rows.append((row.measure, row.first, row.second, row.difference, *shown))
        if row.first_ties_wrong is not None:
            rows.append((f"{row.measure}, ties wrong", row.first_ties_wrong, row.second_ties_wrong, None, "", ""))
    is_compared = compared.items["compared"].astype(bool)
    notes = []
    for column, text in ITEM_NOTES.items():
        is_meant = ~is_compared if column == "missing_in" else is_compared & compared.items[column].astype(bool)
        if is_meant.any():
            notes.append(f"{text}: {name_items(compared.items.loc[is_meant, 'item_id'].tolist())}.")
    n_people, n_common = max((row.n_people, row.n_common_people) for row in found)
    notes += [*compared.comparison.warnings, *describe_reasons((row.measure, row.reason) for row in found)]
    notes.append(f"{n_people} people, {n_common} of them in both. The intervals are of the paired difference.")
    stamp = "SIMULATED · " if compared.simulated else ""
    title = f"{stamp}{titles[0]} less {titles[1]} on {is_compared.sum()} items"
    columns = ("measure", *titles, "difference", "fresh panel, 95%", "this panel, 95%")
    terminal_output.print_table(title, columns, rows, notes=notes)
