"""`hromada compare-pilots`: wordings or interfaces over the same items, compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.command_line import AsJson
from bot.commands.data_sets import QuestionName, Unblind, check_blindness, read_data_set

if TYPE_CHECKING:
    from exports.pilot_comparison import ComparedDataSets

NAMED_ITEMS = 5  # of those that a note names


def compare_pilots(
    projects: Annotated[list[str], typer.Argument(help="Two projects or more, by name or file.", show_default=False)],
    question: QuestionName = None,
    to: Annotated[Path | None, typer.Option(help="A folder for the tables as CSV.", show_default=False)] = None,
    unblind: Unblind = False,
    json: AsJson = False,
) -> None:
    """Compare two or more ways to ask about the same items.

    Agreement, confidence, time, skips and accuracy, in pairs with intervals. Items are matched by their ids. Each
    difference is the first project's value less the second's.
    """
    from bot import release
    from bot.commands import database_session, terminal_output
    from exports import pilot_comparison, writers

    check_blindness(projects, by="compare-pilots", unblind=unblind)
    data_sets = [read_data_set(name, question) for name in projects]
    with database_session.open_database() as database, database.reading() as view:
        hashes = [release.hash_item_texts(view, database_session.get_project(view, name)) for name in projects]
    compared = pilot_comparison.compare_data_sets(data_sets, text_hashes=hashes)
    written = () if to is None else writers.write_files(to, pilot_comparison.build_comparison_files(compared))
    if json:
        terminal_output.print_json(
            {
                "projects": list(compared.comparison.pilots),
                "simulated": compared.simulated,
                "confidence_level": compared.confidence_level,
                "items": list(compared.comparison.items),
                "items_left_out": {item.item_id: list(item.missing_in) for item in compared.items if item.missing_in},
                "items_with_other_text": compared.list_items(which="text_differs"),
                "items_with_other_gold": compared.list_items(which="gold_differs"),
                "values": pilot_comparison.list_value_rows(compared),
                "differences": pilot_comparison.list_difference_rows(compared),
                "warnings": list(compared.comparison.warnings),
                "files": [str(path) for path in written],
            }
        )
        return
    _print_tables(compared)
    for path in written:
        terminal_output.print_line(str(path))


def _print_tables(compared: ComparedDataSets) -> None:
    """The values of all projects side by side, then a table of differences for every two of them."""
    from bot.commands import terminal_output

    found = compared.comparison
    stamp = "SIMULATED · " if compared.simulated else ""
    values = {(row.measure, row.pilot): row for row in found.values}
    measures = list(dict.fromkeys(row.measure for row in found.values))
    rows = [
        (name, *(values[name, pilot].value for pilot in found.pilots), values[name, found.pilots[0]].n_items)
        for name in measures
    ]
    for name in measures:
        wrong = [values[name, pilot].value_ties_wrong for pilot in found.pilots]
        if any(one is not None for one in wrong):
            shown_values = [values[name, pilot].value if one is None else one
                            for pilot, one in zip(found.pilots, wrong, strict=True)]  # fmt: skip
            rows.append((f"{name}, ties wrong", *shown_values, values[name, found.pilots[0]].n_items))
    title = f"{stamp}pilots compared on {len(found.items)} items"
    terminal_output.print_table(title, ("measure", *found.pilots, "items"), rows, notes=_list_item_notes(compared))
    pairs = list(dict.fromkeys((row.one, row.two) for row in found.differences))
    for one, two in pairs:
        of_pair = [row for row in found.differences if (row.one, row.two) == (one, two)]
        shown = [
            (
                row.measure,
                row.value,
                terminal_output.format_interval(row.ci_low, row.ci_high).replace(" – ", "–"),  # for 80 columns
                terminal_output.format_interval(row.item_only_low, row.item_only_high).replace(" – ", "–"),
            )
            for row in of_pair
        ]
        reasons: dict[str, list[str]] = {}
        for row in of_pair:
            if row.reason:
                reasons.setdefault(row.reason, []).append(row.measure)
        notes = [f"{', '.join(names)}: {reason}" for reason, names in reasons.items()]
        n_people, n_common = max((row.n_people, row.n_common_people) for row in of_pair)
        notes.append(f"{n_people} people, {n_common} of them in both. The intervals are of the paired difference.")
        columns = ("measure", "difference", "fresh panel, 95 %", "this panel, 95 %")
        terminal_output.print_table(f"{stamp}{one} less {two}", columns, shown, notes=notes)


def _list_item_notes(compared: ComparedDataSets) -> list[str]:
    """Which items are not compared, and which are though they differ; then the warnings."""
    notes = [
        f"{text}: {_name_items(items)}."
        for text, items in (
            ("Not compared, as not every project has them", compared.list_items(which="others")),
            ("The text shown differs", compared.list_items(which="text_differs")),
            ("The gold differs", compared.list_items(which="gold_differs")),
        )
        if items
    ]
    return [*notes, *compared.comparison.warnings]


def _name_items(items: Sequence[str]) -> str:
    named = ", ".join(items[:NAMED_ITEMS])
    more = f" and {len(items) - NAMED_ITEMS} more" if len(items) > NAMED_ITEMS else ""
    return f"{len(items)} ({named}{more})"
