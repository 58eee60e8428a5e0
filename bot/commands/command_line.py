"""Options and command groups that several commands share."""

from __future__ import annotations

import difflib
import importlib
import itertools
import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

LONGEST_SENTENCE = 1000
SHARED_MODULES = dict.fromkeys(("start", "pause", "extend", "close", "reopen"), "project_transitions")
"""The modules of commands that share one; each other command has a module of its name."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]
ProjectFile = Annotated[Path, typer.Argument(help="The project file (YAML).", show_default=False, readable=False)]
AllowOutside = Annotated[
    bool, typer.Option("--allow-outside", help="Also read files outside the project folder and this one.")
]
ProjectName = Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)]
Pseudonym = Annotated[str, typer.Argument(help="The annotator: pseudonym or Label Studio e-mail.", show_default=False)]


def refuse_together(options: Mapping[str, bool]) -> None:
    """Raise BadInput where more than one of these options is given; `options` says of each whether it is."""
    from annotation.errors import BadInput

    given = [name for name, is_given in options.items() if is_given]
    if len(given) > 1:
        raise BadInput(f"{given[0]} and {given[1]} cannot be combined.", remedy="Give one of them.")


def refuse_options(*rules: tuple[bool, str, str]) -> None:
    """Raise BadInput with the problem and the remedy of the first rule that applies: of options that need another."""
    from annotation.errors import BadInput

    for applies, problem, remedy in rules:
        if applies:
            raise BadInput(problem, remedy=remedy)


class CommandGroup(TyperGroup):
    """A group of commands; its help has the whole first sentence of each, where typer would cut it off.

    It is plain text, in panels where the commands have some.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each `rich_help_panel` of the commands, in the order of their first command."""
        commands: dict[str, Any] = {name: self.commands[name] for name in self.list_commands(ctx)}
        width = max(map(len, commands))
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, command in commands.items():
            sentence = command.get_short_help_str(LONGEST_SENTENCE)
            panels.setdefault(command.rich_help_panel or "Commands", []).append((name.ljust(width), sentence))
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


class ListByDefault(CommandGroup):
    """A command group that runs its command `list` where no command is named: `hromada people PROJECT`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `list` before arguments that do not begin with a command of the group, and where there are none."""
        named = bool(args) and (args[0] in self.commands or args[0] == "--help")
        if not named and not (self.no_args_is_help and not args):
            args = ["list", *args]
        return list(super().parse_args(ctx, args))


class CommandTable(CommandGroup):
    """A command group whose commands are only names with a sentence and a panel, until one of them is asked for."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command of that name, imported; None for a name that is not in the table."""
        return _import_command(cmd_name) if cmd_name in self.commands else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer does it; a guessed name, such as `backup`, is looked up in the sentences of the commands."""
        guess = args[0].lower()
        if guess not in self.commands and not difflib.get_close_matches(guess, self.commands):
            named = [name for name, command in self.commands.items() if _has_word(command.help or "", guess)]
            if named:
                offered = "".join(f"\n  {ctx.info_name} {name:16} {self.commands[name].help}" for name in named)
                ctx.fail(f"No such command {args[0]!r}. Perhaps one of these:{offered}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:  # noqa: ARG002
        """What a shell offers in the place of a command or of an option, without importing any command."""
        names = CommandGroup(name=self.name, commands=dict(self.commands), params=self.params)
        return names.shell_complete(typer.Context(names), incomplete)


def _has_word(sentence: str, guess: str) -> bool:
    """Whether a word of the sentence, or two together ("back up"), begin with a guess of three letters or more."""
    words = re.findall(r"[a-z]+", sentence.lower())
    pairs = [first + second for first, second in itertools.pairwise(words)]
    return len(guess) > 2 and any(word.startswith(guess) for word in words + pairs)


def _import_command(name: str) -> Any:
    """Import a command, a function or the group `app`, from its module: the one in SHARED_MODULES, or of its name."""
    function_name = name.replace("-", "_")
    function_name += "_" * keyword.iskeyword(function_name)
    module = importlib.import_module(f"bot.commands.{SHARED_MODULES.get(name, function_name)}")
    program = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    if hasattr(module, "app"):
        program.add_typer(module.app, name=name)
    else:
        program.command(name)(getattr(module, function_name))
    return typer.main.get_group(program).commands[name]
