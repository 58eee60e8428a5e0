"""Where tests leave what nobody reads again: in memory where there is enough of it."""

from __future__ import annotations

import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108
DISK = Path("/tmp")  # noqa: S108
ENOUGH_BYTES = 4 << 30


def choose_scratch_folder() -> Path:
    """Return a folder with a short path, as that of a socket must be.

    A database of PostgreSQL is some 300 files: ext4 makes and deletes one in 85 ms, memory in 20.
    """
    is_roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES
    return MEMORY if is_roomy else DISK
