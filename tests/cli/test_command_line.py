"""The table of commands: `hromada --help` loads nothing else, and it says of each command what the command says."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import typer
from _command import Hromada

from bot import cli
from bot.commands import command_line

MOST_MODULES = 140
"""typer with what it needs of Python is 109 modules, hromada adds 10. asyncio would add 48, SQLAlchemy 136."""
OURS = {"aggregation", "aggregation.errors", "bot", "bot.cli", "bot.commands", "bot.commands.command_line"}
LIBRARIES = {"aggregation", "annotated_doc", "bot", "shellingham", "typer"}
"""Packages that `--help` may load beside Python's own: ours, typer, and what typer itself needs."""


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """The modules that are loaded when `hromada --help` ends, without those that every Python starts with."""
    help_and_modules = (
        "import sys; start = set(sys.modules); sys.argv = ['hromada', '--help']; from bot import cli\n"
        "try: cli.main()\n"
        "except SystemExit: print(*set(sys.modules) - start, file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", help_and_modules], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("Usage: hromada")
    return set(ran.stderr.split())


@pytest.mark.process
def test_help_loads_few_modules(loaded: set[str]) -> None:
    """Time is noisy; modules are counted. Nothing of asyncio, and no library but typer."""
    assert {name for name in loaded if name.split(".")[0] in {"aggregation", "annotation", "bot", "exports"}} == OURS
    assert {name.split(".")[0] for name in loaded} - sys.stdlib_module_names <= LIBRARIES
    assert loaded & {"asyncio", "multiprocessing", "sqlite3", "ssl", "unittest"} == set()
    assert len(loaded) <= MOST_MODULES, sorted(loaded)


def list_commands() -> Iterator[tuple[str, Any, Any]]:
    """The name of each command, what the table has of it, and the command itself."""
    with typer.Context(cli.app) as context:
        for name in cli.app.list_commands(context):
            yield name, cli.app.commands[name], cli.app.get_command(context, name)


def test_the_table_says_what_the_commands_say() -> None:
    """The sentence of a command in `hromada --help` is the first one of its own help."""
    told = {name: (entry.get_short_help_str(1000), command.name) for name, entry, command in list_commands()}
    assert told == {name: (command.get_short_help_str(1000), name) for name, _, command in list_commands()}


def test_every_module_of_a_command_is_in_the_table() -> None:
    """A module of `bot.commands` is a command, has several, or helps one."""
    folder = Path(command_line.__file__).parent
    modules = {path.stem for path in folder.iterdir() if not path.name.startswith("__")}
    commands = {module.rstrip("_").replace("_", "-") for module in modules} & set(cli.app.commands)
    assert commands | command_line.SHARED_MODULES.keys() == set(cli.app.commands)
    assert not commands & command_line.SHARED_MODULES.keys()
    assert modules >= set(command_line.SHARED_MODULES.values())
    helpers = {module for module in modules if module.rstrip("_").replace("_", "-") not in commands}
    assert helpers == {
        "added_texts", "baseline_tables", "campaign_check", "case_screen", "command_line", "compare_folders",
        "compare_judges", "compare_projects", "comparison_files", "data_sets", "database_session", "decision_files",
        "decision_push", "follow_up_files", "item_preview", "local_chat", "local_times", "machine_checks", "need_lines",
        "new_from_files", "opinion_tables", "other_projects", "panel_tables", "plan_results", "preference_tables",
        "project_transitions", "scheduled_backups", "score_files", "system_checks", "terminal_output",
        "terminal_text",
    }  # fmt: skip


def list_helps(command: Any, parent: Any, name: str) -> Iterator[tuple[str, str]]:
    """The help of a command and of those below it, in a terminal of 80 columns."""
    with typer.Context(command, parent=parent, info_name=name, max_content_width=80, terminal_width=80) as context:
        yield context.command_path, command.get_help(context)
        for below in getattr(command, "commands", ()):
            yield from list_helps(command.get_command(context, below), context, below)


def test_the_help_of_a_command_is_one_screen() -> None:
    """40 lines of 80 columns at most; no sentence is cut off."""
    with typer.Context(cli.app, info_name="hromada", max_content_width=80, terminal_width=80) as context:
        table = cli.app.get_help(context).partition("Options:")[2]
        helps = {
            path: text for name, _, command in list_commands() for path, text in list_helps(command, context, name)
        }
    assert len(helps) > 60
    assert {path: len(text.splitlines()) for path, text in helps.items() if len(text.splitlines()) > 40} == {}
    lines = {line for text in [table, *helps.values()] for line in text.splitlines() if not line.startswith("Usage:")}
    assert {line for line in lines if line.endswith(("...", "…")) or len(line) > 80} == set()


def test_the_version_is_that_of_the_package(hromada: Hromada) -> None:
    """`hromada --version`."""
    ran = hromada("--version")
    assert ran.out == f"hromada {metadata.version('hromada')}\n"


@pytest.mark.parametrize(
    ("guess", "offered"),
    [
        ("stop", ["pause"]),
        ("backup", ["doctor", "database"]),
        ("Progress", ["status", "dashboard"]),
        ("ru", []),
        ("xylophone", []),
    ],
)
def test_a_guessed_command_is_looked_up_in_the_sentences(hromada: Hromada, guess: str, offered: list[str]) -> None:
    """People guess by what they want; `back up` counts as one word, and fewer than three letters as none."""
    ran = hromada(guess)
    assert ran.code == 2
    assert re.findall(r"^  hromada (\S+)", ran.err, re.MULTILINE) == offered
    assert f"No such command {guess!r}." in ran.err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("agg", {"aggregate"}),
        ("label-studio pu", {"push", "pull"}),
        ("--ver", {"--version"}),
        ("agreement animals --by", {"--by"}),
    ],
)
def test_a_shell_completes_what_is_typed(hromada: Hromada, typed: str, offered: set[str]) -> None:
    """Bash asks in this way after `hromada --install-completion`."""
    words = {"COMP_WORDS": f"hromada {typed}", "COMP_CWORD": str(len(typed.split()))}
    ran = hromada(env={**words, "_HROMADA_COMPLETE": "complete_bash"})
    assert set(ran.out.split()) == offered


def test_completing_a_command_imports_none(hromada: Hromada, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names are in the table, and a person waits."""
    monkeypatch.setattr(command_line, "_import_command", pytest.fail)
    ran = hromada(env={"COMP_WORDS": "hromada ", "COMP_CWORD": "1", "_HROMADA_COMPLETE": "complete_bash"})
    assert set(ran.out.split()) == set(cli.app.commands)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_each_shell(
    hromada: Hromada, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    """Into the person's own folder, told without colours; the shell is found out, which a test has not."""
    monkeypatch.setattr("typer._click._compat.isatty", lambda _: True)
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    monkeypatch.setattr("typer._completion_shared.subprocess.run", lambda *_, **__: None)
    ran = hromada("--install-completion", env={"HOME": str(tmp_path)})
    assert f"{shell} completion installed in {tmp_path}" in ran.out
    assert "\x1b" not in ran.out
    assert any("_HROMADA_COMPLETE" in file.read_text() for file in tmp_path.rglob("*") if file.is_file())
