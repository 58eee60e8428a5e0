"""Write commands.md and a page for each command in commands/, from what each of them says by `--help`.

python docs/reference/list_commands.py [--check]: with --check nothing is written, and a page that is old is an error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

from bot.cli import PANELS, app

FOLDER = Path(__file__).parent
WIDTH = 80
INTRODUCTION = """\
# Commands

The help of every command, as `hromada COMMAND --help` prints it. `make reference` writes these pages. Every command
that prints a table can also print JSON with `--json` ([schemas](versions.md#json-schemas)). [Settings and exit
codes](running.md) have their own page.
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


def write_pages() -> dict[Path, str]:
    """The text of each page, the list of all commands first."""
    pages = {FOLDER / "commands.md": "".join(_list_panels())}
    of_commands = [(name.split(), name, text) for name, text in list_helps() if name != "hromada"]
    for command, parts in groupby(of_commands, key=lambda part: part[0][1]):
        sections = [
            f"{'#' if len(words) == 2 else '##'} {name}\n\n```text\n{text}\n```\n" for words, name, text in parts
        ]
        pages[FOLDER / f"commands/{command}.md"] = "\n".join(sections)
    return pages


def _list_panels() -> Iterator[str]:
    yield INTRODUCTION
    for panel, commands in PANELS.items():
        yield f"\n## {panel}\n\n| command | what it does |\n|---|---|\n"
        for name, sentence in commands.items():
            yield f"| [`{name}`](commands/{name}.md) | {sentence} |\n"


def main() -> None:
    """Renew the pages, or say which one is old."""
    pages = write_pages()
    left = [page for page in sorted((FOLDER / "commands").glob("*.md")) if page not in pages]
    if "--check" in sys.argv[1:]:
        old = [page for page, text in pages.items() if not page.exists() or page.read_text("utf-8") != text]
        for page in (old + left)[:1]:
            sys.exit(f"{page.name} is old. Renew it: make reference")
        return
    for page in left:
        page.unlink()
    for page, text in pages.items():
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
