"""`hromada texts`: the texts of the bot in a further language, written to be translated, and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson, CommandGroup

if TYPE_CHECKING:
    from bot.conversation.texts.file_check import CheckedFile

MAX_SHOWN = 8
"""How many names of messages a table shows; --json gives all."""

app = typer.Typer(cls=CommandGroup, help="Make the bot speak one more language.", no_args_is_help=True)


@app.command()
def new(
    language: Annotated[str, typer.Argument(help="The code of the language, such as kk.", show_default=False)],
    to: Annotated[
        Path | None, typer.Option(help="The file; LANGUAGE.ftl in this folder by default.", show_default=False)
    ] = None,
    json: AsJson = False,
) -> None:
    """Write a file with all texts, to be translated.

    Each message has its meaning, an example of each variable and its English text above it.
    """
    from annotation.errors import BadInput, Conflict, Where
    from bot.conversation import texts

    written = texts.build_template(language)
    file = to or Path(f"{language}.ftl")
    if file.name != f"{language}.ftl":
        raise BadInput(
            f"{file.name} is not named after its language.",
            where=Where(field="--to"),
            remedy=f"Write {file.with_name(f'{language}.ftl')}.",
        )
    if file.exists():
        raise Conflict("The file already exists.", where=Where(file=file), remedy="Name another folder with --to.")
    if not file.parent.is_dir():
        raise BadInput("The folder does not exist.", where=Where(file=file.parent), remedy="Make it first.")
    file.write_text(written, encoding="utf-8")
    if json:
        terminal_output.print_json({"file": str(file), "messages": texts.check_file(file).messages})
        return
    terminal_output.print_sentence(f"{file} has {texts.check_file(file).messages} messages to translate. Then:")
    for line in (f"hromada texts check {file}", f"HROMADA_TEXTS={file} hromada try PROJECT.yaml"):
        terminal_output.print_line(f"    {line}")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The file of the language, such as kk.ftl.", show_default=False)],
    json: AsJson = False,
) -> None:
    """Look for faults in a file of texts.

    Finds what the bot would refuse: lost variables, missing plural forms, buttons too long, words with two meanings.
    Counts messages that are still English.
    """
    from bot.conversation import texts

    checked = texts.check_file(file)
    if json:
        terminal_output.print_json(_build_json(checked))
    else:
        rows: list[tuple[terminal_output.Cell, ...]] = [
            ("messages", checked.messages),
            ("translated", checked.messages - len(checked.missing) - len(checked.unchanged)),
            ("missing, in English", _format_names(checked.missing)),
            ("same as the English", _format_names(checked.unchanged)),
            ("plural forms", ", ".join(checked.plural_forms)),
            ("faults", len(checked.faults)),
        ]
        terminal_output.print_table(str(file), ("what", "is"), rows)
    checked.refuse()


def _format_names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:MAX_SHOWN])
    more = len(names) - MAX_SHOWN
    return f"{len(names)}" + (f": {shown}" if names else "") + (f" and {more} more" if more > 0 else "")


def _build_json(checked: CheckedFile) -> dict[str, object]:
    return {
        "language": checked.file.language,
        "messages": checked.messages,
        "missing": list(checked.missing),
        "unchanged": list(checked.unchanged),
        "plural_forms": list(checked.plural_forms),
        "faults": [
            {
                "line": fault.where.line if fault.where else None,
                "message": fault.where.field if fault.where else None,
                "problem": fault.problem,
                "remedy": fault.remedy,
            }
            for fault in checked.faults
        ],
    }
