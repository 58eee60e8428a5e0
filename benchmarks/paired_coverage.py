"""How often the intervals of a difference of people and a model cover the true difference, by simulation.

    python benchmarks/paired_coverage.py [--json] [--quick] [--only NAME]

Each design of benchmarks/coverage.py with two labels is simulated 2,000 times from a fixed seed, beside a model that
finds the same items hard, once far below people and once about as good. *This panel*: the difference of the same
people and the model on new items; *a fresh panel*: that of new people. The bounds are those of the scores themselves,
but for three designs (`choose_paired_goals`).
`--quick` simulates a twentieth, held against no goal. `--json` prints one object a line: figure, value, unit, goal,
holds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import multiprocessing.pool
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from _coverage_goals import CAMPAIGNS, CHUNK, LABELS, choose_paired_goals, judge_coverage
from _figures import Figure, end, tell
from _panels import Design
from _simulated_models import UNITS, ComparedCampaign, SimulatedModel, simulate_comparison

SEED = 20
BELOW, EQUAL = "a model far below", "a model about as good"
MODELS = {BELOW: -1.5, EQUAL: 0.0}
"""How far each model's level is above that of people, in logits."""

Job = tuple[Design, str, range]


def main() -> int:
    """Simulate all designs and print the coverage; ends with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the campaigns")
    parser.add_argument("--only", default="", help="the designs whose names contain this text")
    given = parser.parse_args()
    designs = [design for design in LABELS if given.only in design.name]
    with multiprocessing.Pool(2) as pool:
        figures = (
            figure
            for design in designs
            for model in MODELS
            for figure in measure_design(design, model, pool, quick=given.quick)
        )
        end(tell("Coverage of intervals of people less a model, nominal level .95", figures))
    return 0


def measure_design(design: Design, model: str, pool: multiprocessing.pool.Pool, *, quick: bool) -> Iterator[Figure]:
    """The coverage of both intervals for both units of people."""
    n_campaigns = CAMPAIGNS // 20 if quick else CAMPAIGNS
    jobs = [(design, model, range(start, min(start + CHUNK, n_campaigns))) for start in range(0, n_campaigns, CHUNK)]
    campaigns = [one for chunk in pool.imap(simulate_chunk, jobs) for one in chunk]
    for unit in UNITS:
        name = f"{design.name}, {model}: {unit}"
        fresh = float(np.mean([one.others[unit] for one in campaigns]))
        rows = [(one.differences[unit], one.panel[unit]) for one in campaigns]
        known = [(row, own) for row, own in rows if row.ci_low is not None]
        if len(known) < len(rows):
            yield Figure(f"{name}, without interval", 1 - len(known) / len(rows), "share")
        ends = np.array([(row.item_only_low, row.item_only_high, row.ci_low, row.ci_high, own) for row, own in known])
        own_low, own_high, low, high, own = ends.astype(np.float64).T
        this, other = np.mean((own_low <= own) & (own <= own_high)), np.mean((low <= fresh) & (fresh <= high))
        of_this, of_fresh = choose_paired_goals(design, unit)
        yield judge_coverage(f"{name}, this panel", float(this), of_this, is_held=not quick)
        yield judge_coverage(f"{name}, a fresh panel", float(other), of_fresh, is_held=not quick)
        yield Figure(f"{name}, width for a fresh panel", float(np.mean(high - low)), "")


def simulate_chunk(job: Job) -> list[ComparedCampaign]:
    """Some campaigns of a design; each has a generator of its own, so that chunks change no number."""
    design, model, numbers = job
    key = [SEED, *f"{design.name}, {model}".encode()]
    simulated = SimulatedModel(level=design.level + MODELS[model])
    return [simulate_comparison(np.random.default_rng([*key, number]), design, simulated) for number in numbers]


if __name__ == "__main__":
    sys.exit(main())
