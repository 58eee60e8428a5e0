"""`hromada results`: what models and people scored on a benchmark, read from the harness's files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.data_sets import PANELS, describe_reasons
from bot.commands.terminal_output import Cell, format_ends, format_interval

if TYPE_CHECKING:
    from exports.lm_eval import HarnessResults
    from exports.people_beside_models import PeopleBesideModels, Row


def results(
    build: Annotated[Path, typer.Argument(help="The folder of `hromada build`.", show_default=False)],
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders with result files of the harness; people's are always read.", show_default=False),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="The folder of hidden gold; DIR-key by default.", show_default=False)
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="A folder for tables as CSV, and records.", show_default=False)
    ] = None,
    people: Annotated[bool, typer.Option(help="Show a row for each person too, beside the majority.")] = False,
    json: AsJson = False,
) -> None:
    """Show model scores next to people's, on your benchmark.

    Single answers of people, their majority, the ceiling and agreement have intervals. So have the paired differences
    of people and each model, which are those of `hromada compare`. The values of models are the harness's. Items and
    prompts that are not those of the build are found by their hashes, and named.
    """
    from datetime import UTC, datetime

    from exports import every_eval_ever, folder_data, lm_eval, people_beside_models, writers

    key = key or folder_data.find_key(build)
    own = [folder / "results" for folder in (build, *([key] if key else [])) if (folder / "results").is_dir()]
    read = lm_eval.read_results(build, [*own, *(folders or ())], key=key)
    beside = people_beside_models.set_people_beside_models(build, read, key=key)
    written: tuple[Path, ...] = ()
    if to is not None:
        records = every_eval_ever.build_records(build, read, now=int(datetime.now(UTC).timestamp()))
        tables = lm_eval.build_result_files(read) | people_beside_models.build_people_tables(beside)
        written = writers.write_files(to, tables | {f"every_eval_ever/{path}": text for path, text in records.items()})
    if json:
        content = {
            "simulated": beside.simulated,
            "scores": read.scores,
            "differences": read.differences,
            "n_answers": len(read.answers),
            "human": beside.human,
            "people_less_models": beside.differences,
            "notes": beside.notes,
        }
        terminal_output.print_json(content | {"files": [str(path) for path in written]})
        return
    stamp = "SIMULATED · " if beside.simulated else ""
    _print_tables(read, f"{stamp}{build}", people=people)
    _print_people(beside, f"{stamp}{build}")
    for path in written:
        terminal_output.print_line(str(path))


def _print_people(beside: PeopleBesideModels, title: str) -> None:
    """People's numbers by task, then people less each model."""
    rows: list[tuple[Cell, ...]] = [
        (row["task"], row["title"], row["value"], format_interval(row["ci_low"], row["ci_high"]),
         format_interval(row["item_only_low"], row["item_only_high"]), row["n_items"], row["n_annotators"],
         row["n_answers"])
        for row in beside.human
        if row["value"] is not None
    ]  # fmt: skip
    notes = [
        "Intervals, 95 %: for new people and new items, and for these people and new items.",
        _describe_metrics(beside.human),
        *_list_reasons(beside.human),
        *(
            f"{row['task']}: without {row['n_left_out']} items that people answered and models are not asked."
            for row in beside.human
            if row["unit"] == "individual" and row["n_left_out"]
        ),
        *beside.notes,
    ]
    columns: tuple[str, ...] = ("task", "who", "value", "new people", "these people", "items", "people", "answers")
    terminal_output.print_table(f"{title} · people", columns, rows, notes=notes)
    if not beside.differences:
        return
    columns = ("task", "model", "unit", "people", "model's", "diff.", "new people", "these people", "items", "above")
    rows = [
        (row["task"], row["model"], row["unit"], row["people"], row["value"], row["difference"],
         format_ends(row["ci_low"], row["ci_high"]), format_ends(row["item_only_low"], row["item_only_high"]),
         row["n_items"], row["above"])
        for row in beside.differences
    ]  # fmt: skip
    reasons = describe_reasons((f"{row['task']} {row['model']}", row["reason"]) for row in beside.differences)
    terminal_output.print_table(f"{title} · people less models", columns, rows, notes=[PANELS, *reasons])


def _name_unit(row: Row) -> str:
    """A unit without the number of votes of a majority, which differs between tasks."""
    return str(row["title"]).partition(" of ")[0]


def _describe_metrics(rows: Sequence[Row]) -> str:
    """What the numbers of each unit are, over all tasks."""
    metrics: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["metric"]:
            metrics.setdefault(_name_unit(row), {})[row["metric"].replace("_", " ")] = None
    told = [f"{unit.lower()} by {', '.join(names)}" for unit, names in metrics.items()]
    return f"Measured: {'; '.join(told)}."


def _list_reasons(rows: Sequence[Row]) -> Iterator[str]:
    """Why numbers or intervals are missing, once for all tasks that have the same reason."""
    n_tasks = len({row["task"] for row in rows})
    tasks: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["reason"]:
            tasks.setdefault((_name_unit(row), row["reason"]), []).append(row["task"])
    for (unit, reason), names in tasks.items():
        whose = "" if len(names) == n_tasks else f", {', '.join(names)}"
        yield f"{unit}{whose}: {reason}"


def _print_tables(read: HarnessResults, build: str, *, people: bool) -> None:

    def is_shown(model: str) -> bool:
        return people or not model.startswith("human-") or model == "human-majority"

    rows: list[tuple[Cell, ...]] = [
        (row["task"], row["metric"], row["model"], row["value"], row["n_items"], (row["task_hash"] or "")[:8],
         row["value_ties_wrong"])
        for row in sorted(read.scores, key=lambda row: (row["task"], row["metric"], row["model"]))
        if is_shown(row["model"])
    ]  # fmt: skip
    columns: tuple[str, ...] = ("task", "metric", "model", "value", "items", "hash", "ties wrong")
    notes = ["Equal hashes in one task: the same items with the same prompts."]
    if any(row[-1] is not None for row in rows):
        notes.append("A tied majority counts 1/m for each of m answers. Ties wrong: the value if every tie is wrong.")
    else:
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    notes += [
        f"{row['model']}, {row['task']}: {row['difference']}"
        + (f", {row['n_items']} items." if row["n_items"] else ".")
        for row in read.differences
        if is_shown(row["model"])
    ]
    terminal_output.print_table(f"{build} · models and people", columns, rows, notes=notes)
