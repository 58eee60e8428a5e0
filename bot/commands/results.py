"""`hromada results`: what models and people scored on a benchmark, read from the harness's files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from exports.lm_eval import HarnessResults


def results(
    build: Annotated[Path, typer.Argument(help="The folder of `hromada build`.", show_default=False)],
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders with result files of the harness; people's are always read.", show_default=False),
    ] = None,
    key: Annotated[Path | None, typer.Option(help="The folder of hidden gold.", show_default=False)] = None,
    to: Annotated[
        Path | None, typer.Option(help="A folder for tables as CSV, and records.", show_default=False)
    ] = None,
    people: Annotated[bool, typer.Option(help="Show a row for each person too, beside the majority.")] = False,
    json: AsJson = False,
) -> None:
    """Read what models scored on a built benchmark.

    Results are the harness's. Items and prompts that are not those of the build are found by their hashes, and named.
    """
    from datetime import UTC, datetime

    from exports import every_eval_ever, lm_eval, writers

    own = [folder / "results" for folder in (build, *([key] if key else [])) if (folder / "results").is_dir()]
    read = lm_eval.read_results(build, [*own, *(folders or ())], key=key)
    written: tuple[Path, ...] = ()
    if to is not None:
        records = every_eval_ever.build_records(build, read, now=int(datetime.now(UTC).timestamp()))
        files = lm_eval.build_result_files(read) | {f"every_eval_ever/{path}": text for path, text in records.items()}
        written = writers.write_files(to, files)
    if json:
        tables = {"scores": read.scores, "differences": read.differences, "n_answers": len(read.answers)}
        terminal_output.print_json(tables | {"files": [str(path) for path in written]})
        return
    _print_tables(read, build, people=people)
    for path in written:
        terminal_output.print_line(str(path))


def _print_tables(read: HarnessResults, build: Path, *, people: bool) -> None:

    def is_shown(model: str) -> bool:
        return people or not model.startswith("human-") or model == "human-majority"

    rows: list[tuple[Cell, ...]] = [
        (row["task"], row["metric"], row["model"], row["value"], row["n_items"], (row["task_hash"] or "")[:8],
         row["value_ties_wrong"])
        for row in sorted(read.scores, key=lambda row: (row["task"], row["metric"], row["model"]))
        if is_shown(row["model"])
    ]  # fmt: skip
    columns: tuple[str, ...] = ("task", "metric", "model", "value", "items", "hash", "ties wrong")
    notes = ["Equal hashes: the same items with the same prompts."]
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
