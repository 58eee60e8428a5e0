"""Memory of the bot: whether its process stays small and flat while annotators answer.

One process on SQLite polls a local Telegram on loopback, without limits; 64 people tap as soon as the next item is on
their screens. The memory is what the process holds (resident set), after the first answers and after all of them, and
the most that it ever held. Linux only.

python benchmarks/memory.py [--answers 100000] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from pathlib import Path
from time import monotonic

sys.path.insert(0, f"{sys.path.pop(0)}/shared")  # what benchmarks share; bot.py beside it is not the package

import _contenders
from _figures import Figure, show
from _tapping import TappingCrowd, run_contender

PEOPLE = 64
WARM_AFTER = 5000
"""Answers after which everything has been used once: statements are compiled, caches are full."""
MOST_SILENCE = 60
"""Seconds without an answer after which the measurement is given up."""
MOST_MEGABYTES, MOST_GROWTH = 150, 5
"""Goals: megabytes, and percent from the first measurement to the last."""


def read_memory(process: int, name: str) -> float:
    """Megabytes of a process: VmRSS is what it holds now, VmHWM the most that it held."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path(f"/proc/{process}/status").read_text("ascii"), re.MULTILINE)
    if found is None:
        raise SystemExit(f"The memory of a process cannot be read here ({name}).")
    return int(found[1]) / 1024


async def wait_for_answers(crowd: TappingCrowd, number: int) -> None:
    """Wait until so many answers were acknowledged."""
    seen, since = 0, monotonic()
    while crowd.answers < number:
        if crowd.answers > seen:
            seen, since = crowd.answers, monotonic()
        if monotonic() - since > MOST_SILENCE:
            raise SystemExit(f"The bot has answered nothing for {MOST_SILENCE} seconds.")
        await asyncio.sleep(0.1)


async def measure_memory(answers: int) -> list[Figure]:
    """The figures after so many answers."""
    items = _contenders.LOADED * -(-2 * answers // (_contenders.LOADED * PEOPLE))
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as name:
        url = f"sqlite:///{Path(name) / 'memory.db'}"
        _contenders.prepare(url, Path(name), items=items, overlap=PEOPLE)
        async with run_contender("hromada", url, people=PEOPLE) as crowd:
            held = {}
            for number in (min(WARM_AFTER, answers // 2), answers):
                await wait_for_answers(crowd, number)
                held[number] = read_memory(crowd.process, "VmRSS")
                print(f"{crowd.answers} answers: {held[number]:.1f} MB", file=sys.stderr)
            most = read_memory(crowd.process, "VmHWM")
    (first, before), (last, after) = held.items()
    growth = 100 * (after - before) / before
    return [
        Figure(f"after {first} answers", before, "MB"),
        Figure(f"after {last} answers", after, "MB"),
        Figure("the most", most, "MB", f"< {MOST_MEGABYTES}", most < MOST_MEGABYTES),
        Figure("growth", growth, "%", f"< {MOST_GROWTH}", growth < MOST_GROWTH),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--answers", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    show("Memory of the bot", asyncio.run(measure_memory(parser.parse_args().answers)))
