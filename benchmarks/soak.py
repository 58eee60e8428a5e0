"""A soak of the bot: whether half an hour of 50 answers a second loses an answer, fills its memory or slows it.

One process on SQLite, as `hromada bot` is by default, polls a local Telegram on loopback, without limits; 64 people
answer. The memory is what the process holds (resident set): when everything has been used once, and its median in the
last ten minutes, read each second. The time from tap to acknowledgement, which follows the commit, and the processor
time are compared between the first and the last ten minutes; a run of less than half an hour has three windows. Linux
only.

python benchmarks/soak.py [--minutes 30] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _soak
from _figures import Figure, build_ratio, show

MOST_MEGABYTES, MOST_GROWTH, MOST_SLOWING = 150, 1.05, 1.2
"""Goals: megabytes, and the ratios of memory and of times."""


def list_figures(report: _soak.SoakReport, *, minutes: float) -> list[Figure]:
    """The figures of a run."""
    rate, first, last = report.answers / (60 * minutes), report.windows[0], report.windows[-1]
    windows = [
        figure
        for number, window in enumerate(report.windows, start=1)
        for figure in (
            Figure(f"window {number}: tap to saved, p50", window.p50, "ms"),
            Figure(f"window {number}: tap to saved, p99", window.p99, "ms"),
            Figure(f"window {number}: processor time an answer", window.processor_time, "ms"),
            Figure(f"window {number}: memory", window.memory, "MB"),
        )
    ]
    return [
        Figure("answers", report.answers, ""),
        Figure("answers a second", rate, "1/s", f">= {0.98 * _soak.RATE:g}", rate >= 0.98 * _soak.RATE),
        Figure("answers lost", report.lost, "", "0", report.lost == 0),
        Figure("answers doubled", report.doubled, "", "0", report.doubled == 0),
        Figure("memory after the warm-up", report.warm, "MB"),
        *windows,
        Figure("the most memory", report.most, "MB", f"< {MOST_MEGABYTES}", report.most < MOST_MEGABYTES),
        build_ratio("memory, last window to warm-up", last.memory, report.warm, most=MOST_GROWTH),
        build_ratio("p99, last window to first", last.p99, first.p99, most=MOST_SLOWING),
        build_ratio("processor time, last to first", last.processor_time, first.processor_time, most=MOST_SLOWING),
    ]


async def main(*, minutes: float) -> list[Figure]:
    """Every figure."""
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name:
        return list_figures(await _soak.soak(Path(name), minutes=minutes), minutes=minutes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--json", action="store_true")
    show("A soak of the bot", asyncio.run(main(minutes=parser.parse_args().minutes)))
