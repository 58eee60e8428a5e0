"""How often the interval of a majority that is right on every item covers what new people would score.

    python benchmarks/all_right.py [--json] [--quick]

A campaign without an error shows nothing of how people differ, and its interval for new people is that for these. So
coverage is asked here of such campaigns alone: their truth is drawn from a prior (accuracy, how much people and items
differ), campaigns are drawn of it, and those whose majority has all items right are kept. The interval is
[(α/2)^(1/n), 1]; what new people score is computed by quadrature. Up to 50 items it is held against .90. `--json`
prints one object a line: figure, value, unit, goal, holds. It takes a minute on one core.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import bdtr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))

from _figures import Figure, end, tell
from _panels import squash_logits

from aggregation.intervals.shares import share_interval
from aggregation.schema import Floats

PRIORS: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "people alike or not": ((3.0, 3**0.5), (0.0, 1.0)),
    "people differ": ((3.0, 3**0.5), (0.5, 1.5)),
    "people differ, and are worse": ((2.0, 1.0), (0.5, 1.5)),
}
"""The mean and standard deviation of the level in logits, normal, and the range of how much people differ, uniform."""
DESIGNS = ((5, 20), (5, 50), (5, 200), (8, 20), (8, 50), (10, 50), (20, 50), (20, 200))
"""Numbers of people, who answer everything, and of items."""
MOST_ITEMS_HELD, LEAST = 50, 0.90
CAMPAIGNS, CHUNK = 24_000, 500
NODES = 21  # of the quadratures over items and over people


def main() -> int:
    """Simulate all designs and print the coverage; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the campaigns")
    given = parser.parse_args()
    end(tell("Coverage for new people of majorities without an error", measure(20 if given.quick else 1)))
    return 0


def measure(part: int) -> Iterator[Figure]:
    """The coverage of each design and prior."""
    for name, prior in PRIORS.items():
        for people, items in DESIGNS:
            rng = np.random.default_rng([people, items, *name.encode()])
            low = share_interval(items, items).low or 0.0
            truths = [draw_truths(rng, prior, people=people, items=items) for _ in range(CAMPAIGNS // CHUNK // part)]
            kept = np.concatenate(truths)
            figure = f"{name}: {people} people, {items} items"
            yield Figure(f"{figure}, campaigns without an error", len(kept), "")
            covered = float(np.mean(kept >= low)) if len(kept) else float("nan")
            is_held = items <= MOST_ITEMS_HELD and part == 1
            goal = f"{LEAST:.2f}-1.00" if items <= MOST_ITEMS_HELD else ""
            yield Figure(f"{figure}, new people", covered, "share", goal, covered >= LEAST if is_held else None)


def draw_truths(
    rng: np.random.Generator, prior: tuple[tuple[float, float], tuple[float, float]], *, people: int, items: int
) -> Floats:
    """What new people score in truth, of the campaigns of a chunk whose majority has everything right."""
    (mean, deviation), differs = prior
    level = rng.normal(mean, deviation, CHUNK)
    people_sd, items_sd = rng.uniform(*differs, CHUNK), rng.uniform(0, 2, CHUNK)
    skills = people_sd[:, None] * rng.standard_normal((CHUNK, people))
    ease = level[:, None] + items_sd[:, None] * rng.standard_normal((CHUNK, items))
    right = rng.random((CHUNK, items, people)) < squash_logits(ease[:, :, None] + skills[:, None, :])
    kept = (2 * right.sum(axis=2) > people).all(axis=1)
    return score_new_people(level[kept], people_sd[kept], items_sd[kept], people=people)


def score_new_people(level: Floats, people_sd: Floats, items_sd: Floats, *, people: int) -> Floats:
    """The share of new items that the majority of new people has right, a tie shared."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    logits = level[:, None, None] + items_sd[:, None, None] * nodes[:, None] + people_sd[:, None, None] * nodes
    chances = squash_logits(logits) @ weights  # of each item, over people
    most_wrong = (people - 1) // 2  # of people, for a majority
    right = bdtr(most_wrong, people, 1 - chances)
    if people % 2 == 0:
        right = (right + bdtr(most_wrong + 1, people, 1 - chances)) / 2
    return np.asarray(right @ weights)


if __name__ == "__main__":
    sys.exit(main())
