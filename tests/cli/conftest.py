"""The command line as a person runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sysconfig.get_path("scripts")) / "hromada"


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Hromada:
    """The installed command, or that of another release, run in one folder with that folder's database."""

    folder: Path
    words: tuple[str | Path, ...] = (COMMAND,)

    def __call__(self, *arguments: str | Path, env: Mapping[str, str] | None = None) -> Ran:
        done = subprocess.run(
            [*self.words, *map(str, arguments)],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "PYTHONWARNINGS": "error", "COLUMNS": "160", **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    @property
    def command(self) -> Path:
        """The installed script."""
        return COMMAND

    def with_command(self, *words: str | Path) -> Hromada:
        """The command of another release, in the same folder."""
        return Hromada(self.folder, words)

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file in the folder."""
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def loaded(self, project: str, *, name: str = "project.yaml", outside: bool = False) -> str:
        """Write a project file, load it, import its votes; give its name. Its files may lie `outside` the folder."""
        path = self.write(name, project)
        loaded = self("load", path, "--json", *(["--allow-outside"] if outside else []))
        assert loaded.code == 0, loaded.err
        imported = self("import", path, "--json")
        assert imported.code == 0, imported.err
        found: str = loaded.json["project"]
        return found


@pytest.fixture
def hromada(tmp_path: Path) -> Hromada:
    """The command in an empty folder."""
    return Hromada(tmp_path)
