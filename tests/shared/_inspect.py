"""The environment of Inspect AI, which `make consumers` makes: what we build is run there, by a process of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

PYTHON = Path(os.environ.get("HROMADA_INSPECT") or Path(__file__).parents[2] / "build/inspect/bin/python")
CHECKS = PYTHON.parents[1] / "every-eval-ever"
"""Where the package `every_eval_ever` lies, without what it requires."""

needs_inspect = pytest.mark.skipif(
    not PYTHON.exists(), reason="Inspect AI: `make consumers` was not run, and HROMADA_INSPECT names no Python"
)


def run(*words: str | Path, folder: Path, env: Mapping[str, str] | None = None) -> str:
    """What a command of that Python prints; it must succeed."""
    done = subprocess.run(
        [str(PYTHON), *map(str, words)],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
