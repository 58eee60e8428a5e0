"""What the bot uses, is copied beside models, or runs without a page loads no library that it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = ("consensus.skill_posterior", "planning.assumed_variance", "scoring", "errors")


@pytest.mark.process
def test_modules_load_only_what_they_need() -> None:
    """These of aggregation need the standard library alone; the report neither matplotlib nor Jinja before a page."""
    names = ", ".join(f"aggregation.{module}" for module in MODULES)
    loaded = "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    code = f"import sys, {names}\n{loaded}\nimport exports.report\n{loaded}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = (set(line.split()) for line in ran.stdout.splitlines())
    assert not {"numpy", "pandas", "scipy", "annotation", "exports", "bot"} & before
    assert "exports" in after
    assert not {"matplotlib", "jinja2"} & after
