"""How long it takes to put people beside models.

    python benchmarks/performance.py [--json]

Each goal is the issue's, for the machine with two cores that it names. `--json` prints one object a line: figure,
value, unit, goal, holds. A figure is a function that returns figures, listed in MEASURES.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

import numpy as np
import pandas as pd
from _comparison import measure_comparison
from _figures import Figure, end, tell
from _sensitivity import measure_sensitivity

from aggregation.ranking import rank_in_two_steps, rank_systems, weigh_groups

SEED = 20
SYSTEMS, TASKS, GROUPS = 100, 50, 7
RANKING_SECONDS = 2.0


def main() -> int:
    """Measure everything; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.parse_args()
    end(tell("People beside models", (figure for measure in MEASURES for figure in measure())))
    return 0


def measure_ranking() -> Iterator[Figure]:
    """100 systems on 50 tasks under every rule, plain, weighted and in two steps; scores of two decimals often tie."""
    rng = np.random.default_rng(SEED)
    names = [f"task {number}" for number in range(TASKS)]
    scores = pd.DataFrame(
        rng.beta(5, 2, size=(SYSTEMS, TASKS)).round(2),
        index=[f"system {number}" for number in range(SYSTEMS)],
        columns=names,
    )
    groups = {name: f"group {number % GROUPS}" for number, name in enumerate(names)}
    start = time.perf_counter()
    rank_systems(scores)
    rank_systems(scores, weights=weigh_groups(scores, groups))
    rank_in_two_steps(scores, groups)
    seconds = time.perf_counter() - start
    title = f"ranking of {SYSTEMS} systems on {TASKS} tasks"
    yield Figure(title, seconds, "s", f"< {RANKING_SECONDS:g}", seconds < RANKING_SECONDS)


MEASURES: tuple[Callable[[], Iterator[Figure]], ...] = (measure_ranking, measure_comparison, measure_sensitivity)


if __name__ == "__main__":
    sys.exit(main())
