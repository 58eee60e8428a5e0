"""The command `hromada`. Each command imports what it needs when it runs, so that `--help` is quick.

Exit codes: 0 done · 1 `doctor` or `database check` found something to mend · 2 bad input, or a database that does not
answer; nothing was changed · 70 a mistake of ours · 130 interrupted.
"""

from __future__ import annotations

import sys

import typer

from aggregation.errors import HromadaError
from bot.commands import (
    aggregate,
    agreement,
    baseline,
    campaigns,
    database,
    export,
    inviting,
    label_studio,
    living,
    loading,
    messages,
    people,
    preparing,
    running,
    simulating,
    standing,
    trying,
)

app = typer.Typer(
    name="hromada",
    help=(
        "The human side of language-model benchmarks: people's answers in; agreement, gold labels and human baselines"
        " out.\n\nExit codes: 0 done, 1 doctor or database check found something to mend, 2 bad input (nothing was"
        " changed), 70 a mistake of ours, 130 interrupted."
    ),
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)
for command in (
    preparing.new,
    campaigns.check,
    loading.load,
    simulating.simulate,
    living.allot,
    living.start,
    living.pause,
    living.extend,
    living.close,
    living.reopen,
    campaigns.import_,
    preparing.derive,
    aggregate.aggregate,
    agreement.agreement,
    baseline.baseline,
    export.export,
    inviting.invite,
    standing.status,
    running.doctor,
    running.bot,
    running.demo,
    trying.try_,
):
    app.command(command.__name__.rstrip("_"))(command)
app.add_typer(people.app, name="people")
app.add_typer(messages.app, name="messages")
app.add_typer(database.app, name="database")
app.add_typer(label_studio.app, name="label-studio")


def main() -> None:
    """Run the command line; the only place where an error becomes an exit code."""
    try:
        app(prog_name="hromada")
    except HromadaError as failure:
        print(f"hromada: {failure}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("hromada: interrupted", file=sys.stderr)
        sys.exit(130)
    except Exception as failure:  # noqa: BLE001  # the outermost frame: people get a sentence, we get the details
        print(f"hromada: {_unexpected(failure)}", file=sys.stderr)
        sys.exit(70)


def _unexpected(failure: Exception) -> str:
    """Write the details where they can be sent to us, and say so in a sentence."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="hromada-", suffix=".log", delete=False) as log:
        traceback.print_exception(failure, file=log)
    return f"This is a mistake of ours, sorry. The details are in {log.name}; please send them to us."


if __name__ == "__main__":
    main()
