"""The bot's process stays small."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"pandas", "numpy", "scipy", "sklearn", "crowdkit", "matplotlib", "pyarrow"}


def test_the_bots_process_loads_nothing_heavy() -> None:
    """Numbers are made elsewhere."""
    code = "import sys, bot.application, bot.delivery.webhook; print(*sorted(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(ran.stdout.split())
