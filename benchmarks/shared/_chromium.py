"""Debian's Chromium without a window, as tests and screenshots start it."""

from __future__ import annotations

import shutil

PROGRAM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
"""It must request nothing beyond the pages that it is given."""
