"""`hromada demo`: the main job on simulated people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson


def demo(
    to: Annotated[Path, typer.Option(help="The folder for the demo's files; made if it is not there.")] = Path("demo"),
    json: AsJson = False,
) -> None:
    """Run the whole pipeline on simulated people.

    Answers go in through the bot; agreement, gold, baselines and a page come out.
    """
    from bot.demo import demo_run

    with terminal_output.show_progress("simulated people", quiet=json) as report:
        result = demo_run.run_demo(
            to, progress=lambda step, share: report(share * 0.5 + (0.5 if step == "numbers" else 0.0))
        )
    if json:
        terminal_output.print_json(
            {"simulated": True, "answers": result.answers, "files": [str(path) for path in result.files]}
        )
        return
    rows: list[tuple[terminal_output.Cell, ...]] = []
    for data_result in result.release.results:
        agreed = data_result.headline_agreement
        for unit in data_result.performance.units if data_result.performance else ():
            shown = (agreed.name, agreed.value) if agreed and unit.unit == "individual" else ("", None)
            score = unit.primary
            rows.append(
                (
                    data_result.data.name,
                    unit.unit,
                    score.value,
                    terminal_output.format_interval(score.ci_low, score.ci_high),
                    *shown,
                )
            )
    columns = ("data set", "unit", "share right", "new people, 95 %", "coefficient", "agreement")
    notes = [
        "Intervals: for new people and new items.",
        f"{result.answers} answers by {result.people} simulated people.",
        f"Files in {to}; open {to / 'report.html'} in a browser.",
    ]
    terminal_output.print_table("SIMULATED people, not a result", columns, rows, notes=notes)
