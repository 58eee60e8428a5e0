"""`hromada demo`: the main job on simulated people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.commands.command_line import AsJson


def demo(
    to: Annotated[Path, typer.Option(help="The folder for the demo's files; made if it is not there.")] = Path("demo"),
    json: AsJson = False,
) -> None:
    """See all of it on simulated people, in a minute.

    Answers go in through the bot; agreement, gold, baselines and a page come out.
    """
    from bot.commands import terminal_output
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
        alpha = data_result.agreement["krippendorff_alpha_nominal"] if data_result.agreement else None
        percent = data_result.agreement["percent_agreement"] if data_result.agreement else None
        for unit in data_result.performance.units if data_result.performance else ():
            shown = (percent.value, alpha.value) if percent and alpha and unit.unit == "individual" else (None, None)
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
    columns = ("data set", "unit", "share right", "95 % interval", "agreement", "α")
    notes = [
        f"{result.answers} answers by {result.people} simulated people.",
        f"Files in {to}; open {to / 'report.html'} in a browser.",
    ]
    terminal_output.print_table("SIMULATED people, not a result", columns, rows, notes=notes)
