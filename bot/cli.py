"""The command `hromada`: the table of its commands, and how errors become exit codes.

A command's module is imported when the command is run, or asked for its own help: `hromada --help` needs the table
alone. What a command says of itself first stands here too; a test compares the two.

Exit codes: 0 done · 1 a check found a problem, or something was left out · 2 bad input,
a disk that is full, or a database that does not answer; nothing was changed · 70 a mistake of ours · 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Annotated, cast

import typer
from typer.core import TyperGroup

from aggregation.errors import HromadaError, explain_disk
from bot.commands.command_line import CommandTable

FIRST_STEPS = """\
hromada demo                          simulated people
hromada new words --template baseline a campaign
hromada try words/project.yaml        in your browser
hromada bot                           ask people
hromada export --to results           a report"""
"""The top of `hromada --help`: from nothing to a report."""
PANELS: Mapping[str, Mapping[str, str]] = {
    "Prepare": {
        "demo": "Run the whole pipeline on simulated people.",
        "new": "Create a campaign from your files or a template.",
        "check": "Check a campaign's files for mistakes; store nothing.",
        "plan": "Work out how many items and people you need.",
        "texts": "Make the bot speak one more language.",
        "try": "Answer a campaign yourself, in your browser.",
        "simulate": "Estimate cost, time and overlap with simulated people.",
        "load": "Store a campaign and its items, or update it.",
        "allocate-groups": "Allocate groups so nobody sees one in two projects.",
        "follow-up": "Create the next campaign from this one's consensus.",
    },
    "Run": {
        "start": "Start or resume a campaign.",
        "pause": "Stop assigning items until the next start.",
        "extend": "Collect more answers per item.",
        "close": "Close a campaign; later answers do not count.",
        "reopen": "Reopen a closed campaign.",
        "status": "Show campaign progress.",
        "dashboard": "Show live campaign progress in the browser.",
        "bot": "Run the Telegram bot until Ctrl-C.",
        "import": "Import votes from a file.",
        "review": "Accept or reject texts, corrections and text spans.",
        "adjudicate": "Settle items on which people disagree.",
        "label-studio": "Run long texts in Label Studio, for trusted people.",
    },
    "People": {
        "invite": "Create an invitation link.",
        "people": "List and manage annotators.",
        "messages": "Answer annotators' questions and problem reports.",
    },
    "Results": {
        "aggregate": "Combine the votes on each item into one label.",
        "agreement": "Measure agreement between annotators.",
        "baseline": "Score people against gold, or summarise their opinions.",
        "compare": "Compare people with models, or two projects.",
        "sensitivity": "Show results under other quality rules.",
        "export": "Export result tables and a report page.",
        "build": "Build a model benchmark: items, prompts, scorer.",
        "release": "Write a folder to publish, if the checklist is met.",
        "results": "Show model scores next to people's, on your benchmark.",
        "rank": "Rank systems by scores on many tasks, or by comparisons.",
        "votes": "Label files of votes of any size, without a project.",
    },
    "Maintain": {
        "doctor": "Check settings, database, keys, backups, disk, clock.",
        "database": "Check, upgrade, back up and restore the database.",
        "delivery": "Retry or drop messages the bot could not process.",
    },
}
"""The commands and command groups with the first sentence of their help, by the panel in which they are listed."""


def _print_version(asked: bool) -> None:
    """Print the version of the installed package, and end the command."""
    if asked:
        from importlib import metadata

        print(f"hromada {metadata.version('hromada')}")
        raise typer.Exit


def _build_app() -> TyperGroup:
    """The group of all commands, each with no more than its sentence and its panel."""
    program = typer.Typer(
        cls=CommandTable,
        name="hromada",
        help=(
            "Collect people's answers for language-model benchmarks. Get agreement, gold labels and human baselines."
            f"\n\n\b\n{FIRST_STEPS}"
            "\n\nExit codes: 0 done, 1 a check found a problem or something was left out, 2 bad input (nothing was"
            " changed), 70 a mistake of ours, 130 interrupted."
        ),
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings={"color": False},  # typer's own messages are green, whatever NO_COLOR says
    )
    for panel, commands in PANELS.items():
        for name, sentence in commands.items():
            program.command(name, help=sentence, rich_help_panel=panel)(_stand_in)

    @program.callback()
    def read_options(
        version: Annotated[  # its callback reads it
            bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
        ] = False,
    ) -> None:
        """Nothing is left to do where no version was asked for."""

    return cast(TyperGroup, typer.main.get_command(program))


def _stand_in() -> None:
    """In the place of a command until it is imported; never called."""


app = _build_app()


def main() -> None:
    """Run the command line; the only place where an error becomes an exit code."""
    try:
        try:
            app.main(prog_name="hromada")
        finally:
            _flush_output()
    except HromadaError as failure:
        _print_error(failure)
        sys.exit(2)
    except KeyboardInterrupt:
        print("hromada: interrupted", file=sys.stderr)
        sys.exit(130)
    except Exception as failure:  # noqa: BLE001  # the outermost frame: users get a sentence, we get the details
        if isinstance(failure, OSError) and (explained := explain_disk(failure)):
            _print_error(explained)
            sys.exit(2)
        print(f"hromada: {_write_crash_log(failure)}", file=sys.stderr)
        sys.exit(70)


def _print_error(failure: HromadaError) -> None:
    from bot.commands.terminal_text import clean_text

    for line in str(failure).splitlines():
        print(f"hromada: {clean_text(line)}", file=sys.stderr)


def _flush_output() -> None:
    """Write what is left of the output; raises OSError for a full disk, and nothing for a reader who has gone.

    The interpreter would try it once more at its end, and print that in its own words.
    """
    if sys.stdout is None:  # it was closed before we began
        return
    try:
        sys.stdout.flush()
    except OSError as failure:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if explain_disk(failure):
            raise


def _write_crash_log(failure: Exception) -> str:
    """Write the traceback into a file, or to the error stream if no file can be written; a sentence about it."""
    import tempfile
    import traceback

    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="hromada-", suffix=".log", delete=False) as log:
            traceback.print_exception(failure, file=log)
    except OSError:
        traceback.print_exception(failure)
        return "This is a mistake of ours, sorry. The details are above; please send them to us."
    return f"This is a mistake of ours, sorry. The details are in {log.name}; please send them to us."


if __name__ == "__main__":
    main()
