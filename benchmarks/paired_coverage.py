"""How often the intervals of a difference of people and a model cover the true difference, by simulation.

    python benchmarks/paired_coverage.py [--json] [--quick] [--only NAME] [--processes N]

Each design of benchmarks/score_coverage.py with two labels is simulated 300 times from a fixed seed, beside two models
that find the same items hard, one far below people and one about as good, and a published score of a model that
answered other items. *This panel*: the difference of the same people and the model on new items; *a fresh panel*: that
of new people. The bounds of accuracy are those of the scores themselves, but for two designs (`choose_paired_goals`);
other metrics and a published score may cover up to 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "shared"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from _coverage_goals import LABELS, choose_paired_goals
from _figures import Figure
from _panels import Design
from _simulated_models import PUBLISHED, ComparedCampaign, SimulatedModel, simulate_comparison
from _simulations import Job, Suite, average, judge_share, measure_error, name_figure, run

CAMPAIGNS, SEED = 300, 20
MODELS = {"a model far below": -1.5, "a model about as good": 0.0}
"""How far each model's level is above that of people, in logits."""


@dataclass(frozen=True, kw_only=True)
class PairedDesign(Job):
    """Campaigns of one design, each beside all models."""

    design: Design

    def simulate(self, number: int) -> dict[str, ComparedCampaign]:
        """What is published of people less each model, and the truth."""
        rng = np.random.default_rng([SEED, *self.name.encode(), number])
        models = {name: SimulatedModel(level=self.design.level + gap) for name, gap in MODELS.items()}
        return simulate_comparison(rng, self.design, models)

    def summarise(self, found: list[dict[str, ComparedCampaign]]) -> Iterator[Figure]:
        """The coverage of both intervals for both units of people, and the width of that for a fresh panel."""
        for model in found[0]:
            for unit, metric in found[0][model].differences:
                yield from self._judge([one[model] for one in found], model, unit, metric)

    def _judge(self, found: list[ComparedCampaign], model: str, unit: str, metric: str) -> Iterator[Figure]:
        name = name_figure(self.name, f"{unit}, {model}", metric)
        fresh = average(one.others[unit, metric] for one in found)
        rows = [(one.differences[unit, metric], one.panel[unit, metric]) for one in found]
        known = [(row, own) for row, own in rows if row.ci_low is not None]
        if len(known) < len(rows):
            yield Figure(name_figure(name, "without interval"), 1 - len(known) / len(rows), "share")
        if not known:
            return
        ends = np.array([(row.item_only_low, row.item_only_high, row.ci_low, row.ci_high, own) for row, own in known])
        own_low, own_high, low, high, own = ends.astype(np.float64).T
        goals = choose_paired_goals(self.design, unit, metric=metric, is_paired=model != PUBLISHED)
        covered = ((own_low <= own) & (own <= own_high), (low <= fresh) & (fresh <= high))
        for kind, hits, goal in zip(("this panel", "a fresh panel"), covered, goals, strict=True):
            share = average(hits)
            yield judge_share(name_figure(name, kind), share, goal, sure=measure_error(share, len(known)))
        if metric == "accuracy":
            width = name_figure(self.name, f"{unit}, {model}", f"width of {metric}", "a fresh panel")
            yield Figure(width, float(np.mean(high - low)), "")


SUITE = Suite(
    name="models",
    title="Coverage of intervals of people less a model, nominal level .95",
    list_jobs=lambda: (PairedDesign(name=one.name, campaigns=CAMPAIGNS, design=one) for one in LABELS),
)

if __name__ == "__main__":
    sys.exit(run(SUITE))
