"""Every example through the commands: `check`, `load`, and `start` where its items are whole."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from annotation.campaigns import project_file
from bot import cli

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(f"{path.parent.name}/{path.stem}" for path in EXAMPLES.glob("*/*.yaml"))
NOT_WHOLE = {
    "rucola/acceptability": 30,
    "rucola/violation-categories": 15,
    "ruatd/human-or-machine": 32,
    "russian-superglue/rucos-filtering": 10,
    "tape/chegeka": 6,
    "tape/ethics1": 5,
    "tape/ethics2": 5,
    "tape/multiq": 14,
    "tape/ru-openbookqa": 7,
    "tape/ru-worldtree": 7,
    "tape/winograd": 20,
}
"""The examples of which one training item is there, and how many training items their protocol has."""


@dataclass(frozen=True)
class Command:
    """The command `hromada`, in this process: a process of its own for each of a hundred would take minutes."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: str | Path) -> tuple[object, str]:
        """Its exit code, and all that it wrote."""
        self.monkeypatch.setattr(sys, "argv", ["hromada", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = self.capsys.readouterr()
        return ended.value.code or 0, out + err


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command in the folder of the examples, some of which share files there, with a database elsewhere."""
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("HROMADA_DATABASE_URL", f"sqlite:///{tmp_path / 'hromada.db'}")
    monkeypatch.setenv("COLUMNS", "160")
    return Command(monkeypatch, capsys)


def test_there_are_33_examples() -> None:
    """Of which 22 are whole."""
    assert len(NAMES) == 33
    assert len(set(NAMES) - NOT_WHOLE.keys()) == 22


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_checked_loaded_and_started(command: Command, tmp_path: Path, name: str) -> None:
    """Nothing is wrong with its file; what lacks training items is refused when it is started, with what it lacks."""
    file = EXAMPLES / f"{name}.yaml"
    project = project_file.read_project(file, allow_outside=True).name
    code, said = command("check", file)
    assert code == 0, said
    assert not (tmp_path / "hromada.db").exists()
    code, said = command("load", file)
    assert code == 0, said
    code, said = command("start", project)
    if name in NOT_WHOLE:
        lacks = f"The training pool has 1 items, and `stages.training.number` is {NOT_WHOLE[name]}."
        assert (code, lacks in said) == (2, True), said
    else:
        assert code == 0, said
    code, said = command("status", project, "--json")
    assert code == 0, said
    state = "loaded" if name in NOT_WHOLE else "running"
    assert f'"state": "{state}"' in said
