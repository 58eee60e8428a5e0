"""Write commands.md, the reference of all commands, from what each of them says by `--help`.

python docs/reference/list_commands.py [--check]: with --check nothing is written, and a page that is old is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from bot.cli import app

PAGE = Path(__file__).with_name("commands.md")
WIDTH = 80
INTRODUCTION = """\
# Commands

What `hromada COMMAND --help` says of each, written by `make commands`. Every command that prints a table prints the
same for machines with `--json`. [Settings and exit codes](running.md) are a page of their own.
"""


def list_helps() -> Iterator[tuple[str, str]]:
    """Every command by its whole name, groups before their commands, with its help in a terminal of 80 columns."""
    with typer.Context(app, info_name="hromada", max_content_width=WIDTH, terminal_width=WIDTH) as context:
        yield "hromada", app.get_help(context)
        for name in app.list_commands(context):
            yield from _list_helps_of(app.get_command(context, name), context, name)


def _list_helps_of(command: Any, parent: Any, name: str) -> Iterator[tuple[str, str]]:
    with typer.Context(
        command, parent=parent, info_name=name, max_content_width=WIDTH, terminal_width=WIDTH
    ) as context:
        yield context.command_path, command.get_help(context)
        for below in getattr(command, "commands", ()):
            yield from _list_helps_of(command.get_command(context, below), context, below)


def write_page() -> str:
    """The text of the page."""
    parts = (f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in list_helps())
    return INTRODUCTION + "".join(parts)


def main() -> None:
    """Renew the page, or say that it is old."""
    renewed = write_page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(renewed, "utf-8")
    elif renewed != PAGE.read_text("utf-8"):
        sys.exit(f"{PAGE.name} is old. Renew it: make commands")


if __name__ == "__main__":
    main()
