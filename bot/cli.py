"""The command `hromada`: the table of its commands, and how errors become exit codes.

A command's module is imported when the command is run, or asked for its own help: `hromada --help` needs the table
alone. What a command says of itself first stands here too; a test compares the two.

Exit codes: 0 done · 1 `doctor` or `database check` found something to mend, or `compare` left items out · 2 bad input,
or a database that does not answer; nothing was changed · 70 a mistake of ours · 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from typer.core import TyperCommand

from aggregation.errors import HromadaError
from bot.commands.command_line import CommandTable

PANELS: Mapping[str, Mapping[str, str]] = {
    "Prepare": {
        "demo": "Show the main job on simulated people.",
        "new": "Begin a campaign from a template.",
        "check": "Check a project or programme file, with items and votes; store nothing.",
        "plan": "Plan items and people for an interval, or to tell a model from people.",
        "try": "Try a campaign in a chat of your own browser.",
        "simulate": "Try a campaign on simulated people, before real ones come.",
        "load": "Store a project with its items, or a programme with its projects.",
        "allocate-groups": "Allocate groups to annotators, so that nobody meets a group in two projects.",
        "follow-up": "Make the next campaign of the consensus of this one.",
    },
    "Run": {
        "start": "Hand out a project's items.",
        "pause": "Hand out nothing until the next start.",
        "extend": "Ask more annotators about every item of a started project.",
        "close": "End a project.",
        "reopen": "Hand out a closed project's items again.",
        "status": "Show how far the projects are, or one of them with annotators, control items and precision.",
        "dashboard": "Show in the browser how all projects get on, until Ctrl-C.",
        "bot": "Run the Telegram bot until it is stopped.",
        "import": "Import votes from another tool.",
        "review": "Accept or reject texts, corrections and marked parts, blind to who gave them.",
        "adjudicate": "Decide what is right where answers disagree, or contradict their gold.",
        "label-studio": "Work in Label Studio, by people who may see everything there.",
    },
    "People": {
        "invite": "Make an invitation.",
        "people": "Who takes part: `hromada people PROJECT` lists them; the commands below decide about one of them.",
        "messages": "What people asked: `hromada messages` lists it, `answer` answers.",
    },
    "Results": {
        "aggregate": "Consensus of the votes; its accuracy against gold.",
        "agreement": "Agreement between annotators.",
        "baseline": "Human performance against gold.",
        "compare": "Compare people with models on the same items, by the same scorer: paired differences, intervals,"
        " tests.",
        "sensitivity": "How scores, agreement and gold depend on quality rules and on the cut of confidence.",
        "compare-pilots": "Compare projects over the same items: agreement, confidence, time, skips and accuracy, in"
        " pairs with intervals.",
        "export": "Write the published files and the report page; corrected texts and filtered items have files of"
        " their own.",
        "build": "Write a benchmark: the items, prompts and scorer that people had, for models.",
        "release": "Write a release: a folder that stands alone, once all that a reader must be told is there.",
        "results": "Read the harness's results of models beside people's.",
        "rank": "Rank systems over many tasks, people among them, by voting rules and means.",
    },
    "Care": {
        "doctor": "Check that all that hromada needs is there.",
        "database": "Look after the database: upgrade, backup, restore, check.",
        "delivery": "What the bot could not handle or send: `hromada delivery` lists it, `retry` and `drop` decide.",
    },
}
"""The commands and command groups with the first sentence of their help, by the panel in which they are listed."""

app = CommandTable(
    name="hromada",
    help=(
        "The human side of language-model benchmarks: people's answers in; agreement, gold labels and human baselines"
        " out.\n\nExit codes: 0 done, 1 doctor or database check found something to mend, or compare left items"
        " out, 2 bad input (nothing was"
        " changed), 70 a mistake of ours, 130 interrupted."
    ),
    commands=[
        TyperCommand(name, help=sentence, rich_help_panel=panel)
        for panel, commands in PANELS.items()
        for name, sentence in commands.items()
    ],
    rich_markup_mode=None,
    no_args_is_help=True,
)


def main() -> None:
    """Run the command line; the only place where an error becomes an exit code."""
    try:
        app.main(prog_name="hromada")
    except HromadaError as failure:
        print(f"hromada: {failure}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("hromada: interrupted", file=sys.stderr)
        sys.exit(130)
    except Exception as failure:  # noqa: BLE001  # the outermost frame: users get a sentence, we get the details
        print(f"hromada: {_write_crash_log(failure)}", file=sys.stderr)
        sys.exit(70)


def _write_crash_log(failure: Exception) -> str:
    """Write the traceback into a file; a sentence that names the file comes back."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="hromada-", suffix=".log", delete=False) as log:
        traceback.print_exception(failure, file=log)
    return f"This is a mistake of ours, sorry. The details are in {log.name}; please send them to us."


if __name__ == "__main__":
    main()
