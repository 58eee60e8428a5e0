"""What a process uses, from /proc; Linux only."""

from __future__ import annotations

import os
import re
from pathlib import Path


def read_processor_time(process: int) -> float:
    """Seconds of the processor that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_memory(process: int, name: str) -> float:
    """Megabytes of a process: VmRSS is what it holds now, VmHWM the most that it held."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path(f"/proc/{process}/status").read_text("ascii"), re.MULTILINE)
    if found is None:
        raise RuntimeError(f"The memory of a process cannot be read here ({name}).")
    return int(found[1]) / 1024
