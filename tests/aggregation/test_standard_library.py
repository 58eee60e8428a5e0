"""What the bot's process uses of aggregation, and what is copied beside models, needs the standard library alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = ("consensus.skill_posterior", "planning.assumed_variance", "scoring", "errors")


@pytest.mark.process
def test_these_modules_load_neither_numpy_nor_pandas() -> None:
    """Importing them loads no package of another distribution and no other package of ours."""
    names = ", ".join(f"aggregation.{module}" for module in MODULES)
    code = f"import sys, {names}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pandas", "scipy", "annotation", "exports", "bot"} & set(loaded)
