"""A quota of processor time for each of several processes, by the control groups of Linux (version 1 or 2)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import sleep

GROUPS = Path("/sys/fs/cgroup")
PERIOD = 50_000
"""Microseconds in which a process gets its quota once: short, so that a tap does not wait long for the next one."""
TICKS = os.sysconf("SC_CLK_TCK")
END_SECONDS = 5.0


@dataclass(frozen=True)
class CpuQuota:
    """Control groups of which each has the same quota, in processors; a process gets one of its own."""

    folder: Path
    share: float
    _groups: list[Path] = field(default_factory=list)

    def hold(self, process: int) -> None:
        """Hold a process to the quota from now on, with all of its threads."""
        group = self.folder / f"hromada-{os.getpid()}-{process}"
        group.mkdir()
        self._groups.append(group)
        quota = int(PERIOD * self.share)
        if (group / "cpu.max").exists():
            (group / "cpu.max").write_text(f"{quota} {PERIOD}", "ascii")
            (group / "cpu.weight").write_text("10000", "ascii")  # it gets its quota, whatever else the machine does
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD), "ascii")
            (group / "cpu.cfs_quota_us").write_text(str(quota), "ascii")
            (group / "cpu.shares").write_text("262144", "ascii")
        (group / "cgroup.procs").write_text(str(process), "ascii")

    def end(self) -> None:
        """Remove the groups, whose processes have ended or are moved out."""
        for group in self._groups:
            for process in (group / "cgroup.procs").read_text("ascii").split():
                with suppress(OSError):
                    (self.folder / "cgroup.procs").write_text(process, "ascii")
            for _ in range(int(END_SECONDS / 0.05)):
                with suppress(OSError):
                    group.rmdir()
                    break
                sleep(0.05)


@contextmanager
def limit_processors(share: float) -> Iterator[CpuQuota]:
    """Quotas of this share of a processor, until the block ends; raises SystemExit if no group can be made."""
    quota = CpuQuota(_find_controller(), share)
    try:
        yield quota
    finally:
        quota.end()


def _find_controller() -> Path:
    """The folder of the control groups that limit processors."""
    own = next((GROUPS / name for name in ("cpu", "cpu,cpuacct") if (GROUPS / name / "cgroup.procs").exists()), None)
    controllers = GROUPS / "cgroup.subtree_control"
    if own is None and controllers.exists() and "cpu" in controllers.read_text("ascii").split():
        own = GROUPS
    if own is None or not os.access(own, os.W_OK):
        raise SystemExit("No quota can be set: it needs root, and Linux with the cpu controller of control groups.")
    return own


def measure_processor_time(process: int) -> float:
    """Seconds of processor time that a process has used, its threads included."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
