"""How fast a million comparisons of 50 systems are ranked with intervals, and in how much memory.

    python benchmarks/preferences.py [--json] [--quick] [--rounds N]

Comparisons are drawn from a seed, with text ids: 500 people, 20,000 items, a fifth ties. Ranked are strengths by
Bradley-Terry with intervals by people and items and places by Holm's tests; then both models, all 1,225 pairs, sides
and cycles. Beside each ranking, in turns, the same frame is grouped once by pair with pandas, so that the ratio does
not depend on the machine. Last `hromada rank` reads the same votes from a CSV file. Seconds are those of the processor.
`--quick` takes a tenth of the comparisons.
"""

from __future__ import annotations

import argparse
import csv
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _figures import Figure, build_ratio, end, tell
from _imported_votes import run_command

from aggregation.preferences.results import PreferenceResults, measure_preferences

COMPARISONS, SYSTEMS, ITEMS, PEOPLE = 1_000_000, 50, 20_000, 500
MOST_SECONDS, MOST_RATIO, MOST_MEGABYTES = 10.0, 30.0, 1500.0
MEGABYTE = 1024.0  # ru_maxrss counts kilobytes


def draw_comparisons(n: int) -> pd.DataFrame:
    """Comparisons of systems whose strengths are normal."""
    rng = np.random.default_rng(0)
    names = np.array([f"system {number}" for number in range(SYSTEMS)], dtype=object)
    strengths = rng.normal(size=SYSTEMS)
    one = rng.integers(SYSTEMS, size=n)
    two = (one + rng.integers(1, SYSTEMS, size=n)) % SYSTEMS
    wins = rng.random(n) < 1 / (1 + np.exp(strengths[two] - strengths[one]))
    outcome = np.where(rng.random(n) < 0.2, 0.5, wins.astype(np.float64))
    items = np.array([f"item {number}" for number in range(ITEMS)], dtype=object)
    people = np.array([f"person {number}" for number in range(PEOPLE)], dtype=object)
    return pd.DataFrame(
        {
            "item": items[rng.integers(ITEMS, size=n)],
            "annotator": people[rng.integers(PEOPLE, size=n)],
            "one": names[one],
            "two": names[two],
            "outcome": outcome,
            "left": 1.0,
        }
    )


def rank(frame: pd.DataFrame) -> PreferenceResults:
    """The ranking by Bradley-Terry with intervals and places."""
    found = measure_preferences(frame)
    require(found.bradley_terry.systems[0].strength.ci_low is not None)
    return found


def require(is_there: bool) -> None:
    """Stop if a result that was measured is not there."""
    if not is_there:
        raise ValueError("A result is missing.")


def measure(frame: pd.DataFrame, rounds: int) -> Iterator[Figure]:
    """Seconds, the ratio to a plain group-by, and memory."""
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ranked, grouped = [], []
    for _ in range(rounds):
        start = time.process_time()
        found = rank(frame)
        between = time.process_time()
        frame.groupby(["one", "two"])["outcome"].agg(["sum", "size"])
        ranked.append(between - start)
        grouped.append(time.process_time() - between)
    name = f"{len(frame):,} comparisons of {SYSTEMS} systems"
    seconds = median(ranked)
    yield Figure(f"ranking {name}", seconds, "s", goal=f"< {MOST_SECONDS:g}", holds=seconds < MOST_SECONDS)
    yield Figure("grouping them by pair (pandas)", median(grouped), "s")
    yield build_ratio("ranking / grouping", seconds, median(grouped), most=MOST_RATIO)
    start = time.process_time()
    require(len(found.pairs) == SYSTEMS * (SYSTEMS - 1) // 2)
    require(found.davidson.tie_parameter is not None)
    require(len(found.positions) == PEOPLE + 1)
    require(found.cycles is not None)
    every = seconds + time.process_time() - start
    yield Figure(
        "all pairs, both models, sides, cycles", every, "s", goal=f"< {MOST_SECONDS:g}", holds=every < MOST_SECONDS
    )
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / MEGABYTE
    yield Figure("memory beyond the frame", used, "MB", goal=f"< {MOST_MEGABYTES:g}", holds=used < MOST_MEGABYTES)


def measure_command(frame: pd.DataFrame) -> Iterator[Figure]:
    """Seconds of `hromada rank` on a CSV file of the same comparisons."""
    with tempfile.TemporaryDirectory(prefix="hromada-bench-") as folder:
        path = Path(folder) / "votes.csv"
        winners = np.select([frame["outcome"] == 1, frame["outcome"] == 0], ["model_a", "model_b"], "tie")
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["question_id", "judge", "model_a", "model_b", "winner"])
            columns = (frame["item"], frame["annotator"], frame["one"], frame["two"], winners)
            writer.writerows(zip(*columns, strict=True))
        before = count_child_seconds()
        run_command(Path(folder), "rank", str(path), "--json")
        yield Figure("hromada rank, from a CSV file", count_child_seconds() - before, "s")


def count_child_seconds() -> float:
    """The seconds that ended child processes had of the processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a tenth of the comparisons")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    frame = draw_comparisons(COMPARISONS // 10 if given.quick else COMPARISONS)
    figures = tell("Ranking by comparisons", measure(frame, given.rounds))
    figures += tell("The command", measure_command(frame))
    end(figures)


if __name__ == "__main__":
    main()
