"""How long `hromada --help` takes beside a bare interpreter of the same environment, alternated, medians of 21."""

from __future__ import annotations

import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, f"{Path(__file__).parent}/shared")  # what benchmarks share

from _figures import Figure, show

TIMES = 21


def seconds(command: Sequence[str]) -> float:
    """One run, from start to end."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> None:
    """Measure and show."""
    commands = {
        "bare interpreter": [sys.executable, "-c", "pass"],
        "hromada --help": [str(Path(sysconfig.get_path("scripts")) / "hromada"), "--help"],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(TIMES):
        for name, command in commands.items():
            taken[name].append(seconds(command))
    medians = {name: statistics.median(values) for name, values in taken.items()}
    ratio = medians["hromada --help"] / medians["bare interpreter"]
    show(
        "Start of the command line",
        [
            *(Figure(name, 1000 * value, "ms") for name, value in medians.items()),
            Figure("ratio", ratio, "times", goal="<= 8", holds=ratio <= 8),
        ],
    )


if __name__ == "__main__":
    main()
