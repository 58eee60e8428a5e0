"""What the bot's process uses of aggregation, and what is copied beside models, needs the standard library alone."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.process
@pytest.mark.parametrize("module", ["intervals", "skill_posterior", "scoring", "errors"])
def test_a_module_loads_neither_numpy_nor_pandas(module: str) -> None:
    """Importing it loads no package of another distribution and no other module of ours."""
    code = f"import sys, aggregation.{module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pandas", "scipy", "annotation", "exports", "bot"} & set(loaded)
