"""Tables in terminals of 60, 80 and 100 columns: nothing is cut off, no pseudonym, state or number is broken."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from bot.commands import case_screen, terminal_output

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from _command import Hromada

PROJECT = "SIMULATED-odd-one-out"
COMMANDS = (
    ("status",),
    ("status", PROJECT),
    ("agreement", PROJECT, "--unblind"),
    ("agreement", PROJECT, "--by", "annotator", "--unblind"),
    ("baseline", PROJECT, "--unblind"),
    ("baseline", PROJECT, "SIMULATED-longer-word", "--unblind"),
    ("aggregate", PROJECT, "--unblind"),
    ("sensitivity", PROJECT, "--unblind"),
    ("compare", PROJECT, "SIMULATED-longer-word", "--unblind"),
    ("people", PROJECT),
    ("invite", PROJECT, "--list"),
    ("plan", PROJECT, "--unblind"),
    ("doctor",),
    ("delivery",),
    ("messages",),
    ("database", "check"),
    ("check", f"{PROJECT}.yaml"),
    ("new", "--list"),
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one demo."""
    from _command import Hromada

    folder = tmp_path_factory.mktemp("tables")
    ran = Hromada(folder)("demo", "--to", "demo")
    assert ran.code == 0, ran.err
    return folder / "demo"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_table_is_whole_in_every_terminal(hromada: Hromada, demo: Path, words: Sequence[str]) -> None:
    """The words of a terminal of 400 columns stand in a narrow one too, and no line is longer than it."""
    shutil.copytree(demo, hromada.folder, dirs_exist_ok=True)
    wide = hromada(*words, env={"COLUMNS": "400"})
    assert wide.code == 0, wide.err
    for width in (60, 80, 100):
        narrow = hromada(*words, env={"COLUMNS": str(width)})
        missing = set(wide.out.split()) - set(narrow.out.split())
        assert not {word for word in missing if word.strip("─━")}, (width, narrow.out)
        too_long = [line for line in narrow.out.splitlines() if len(line) > width]
        assert not too_long, (width, too_long)


def test_several_long_texts_of_a_row_stand_below_together(hromada: Hromada) -> None:
    """Each row's own, after what is short in it; no text names a row."""
    rows = "".join(f"item-{n},text {n},the option number one of {n},two {n}\n" for n in range(1000, 1009))
    hromada.write("items.csv", f"id,text,first,second\n{rows}")
    for name in ("apples", "pears"):
        hromada.write(
            f"{name}.yaml",
            f"project: {name}\ntitle: t\nlanguage: en\ninstructions: Read.\nquestion: {{type: choice, text: Which?}}\n"
            "items: {file: items.csv, id: id, show: text, options: [first, second]}\noverlap: 3\n",
        )
    programme = "programme: all\ntitle: t\nlanguage: en\nprojects: [{file: apples.yaml}, {file: pears.yaml}]\n"
    hromada.write("all.yaml", programme)
    found = hromada("check", "all.yaml", env={"COLUMNS": "60"}).out.partition("What the lint found")[2]
    assert [line.split(":")[:2] for line in found.splitlines() if line.startswith(("note:", "  items:"))] == [
        ["note", " apples"], ["  items", " item-1000, item-1001, item-1002 and 6 more"],
        ["note", " pears"], ["  items", " item-1000, item-1001, item-1002 and 6 more"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "command"),
    [
        ("Send again: {} then", "hromada label-studio push stories --person olha@example.org --number 5"),
        ("Take it back from them now: `{}`.", "hromada people release olha@example.org --project stories --item s1"),
        ("On paper, which is kept: {} (and more).", "hromada people agree o@example.org --how 'signed, folder 3'"),
    ],
)
def test_a_command_in_a_sentence_is_in_one_line(sentence: str, command: str) -> None:
    """It is copied from there, and half of a command would do something else; other words end lines as they fit."""
    for width in (40, 60, 80):
        lines = terminal_output.wrap_sentence(f"One two three four. {sentence.format(command)}", width).splitlines()
        assert any(command in line for line in lines)
        assert all(len(line) <= max(width, len(command) + 6) for line in lines)
    assert max(map(len, terminal_output.wrap_sentence("tasks that hromada did not send " * 9, 40).splitlines())) <= 40


def test_no_color_means_no_colours(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What was removed is red in a terminal, and is not where NO_COLOR is set; its brackets stay."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = []
    for no_color in ("", "1"):
        monkeypatch.setenv("NO_COLOR", no_color)
        terminal_output.get_console().print(case_screen.build_difference("one cat", "one dog"))
        shown.append(capsys.readouterr().out)
    assert ["\x1b[31m" in text for text in shown] == [True, False]
    assert all("[-cat-]" in text for text in shown)
