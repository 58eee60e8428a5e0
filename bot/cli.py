"""The command `hromada`. Each command imports what it needs when it runs, so that `--help` is fast.

Exit codes: 0 done · 1 `doctor` or `database check` found something to mend · 2 bad input, or a database that does not
answer; nothing was changed · 70 a mistake of ours · 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

import typer

from aggregation.errors import HromadaError
from bot.commands import (
    aggregate,
    agreement,
    allocate_groups,
    baseline,
    bot,
    check,
    close,
    database,
    delivery,
    demo,
    doctor,
    export,
    extend,
    follow_up,
    import_,
    invite,
    label_studio,
    load,
    messages,
    new,
    pause,
    people,
    reopen,
    simulate,
    start,
    status,
    try_,
)
from bot.commands.command_line import HelpPanels

PANELS: Mapping[str, Sequence[Callable[..., None] | tuple[str, typer.Typer]]] = {
    "Prepare": (
        demo.demo,
        new.new,
        check.check,
        try_.try_,
        simulate.simulate,
        load.load,
        allocate_groups.allocate_groups,
        follow_up.follow_up,
    ),
    "Run": (
        start.start,
        pause.pause,
        extend.extend,
        close.close,
        reopen.reopen,
        status.status,
        bot.bot,
        ("label-studio", label_studio.app),
        import_.import_,
    ),
    "People": (invite.invite, ("people", people.app), ("messages", messages.app)),
    "Results": (aggregate.aggregate, agreement.agreement, baseline.baseline, export.export),
    "Care": (doctor.doctor, ("database", database.app), ("delivery", delivery.app)),
}
"""The commands and command groups by the panel of `hromada --help` in which they are listed."""

app = typer.Typer(
    cls=HelpPanels,
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
for panel, commands in PANELS.items():
    for command in commands:
        if isinstance(command, tuple):
            app.add_typer(command[1], name=command[0], rich_help_panel=panel)
        else:
            app.command(command.__name__.rstrip("_").replace("_", "-"), rich_help_panel=panel)(command)


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
