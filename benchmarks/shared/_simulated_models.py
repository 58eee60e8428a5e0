"""A simulated model beside the simulated people of `_panels`: its answers, and how far people are above it in truth.

The model is right on an item with a chance that follows a logistic law: its level, plus `loading` times how much easier
than others the item is to people. So people and the model find the same items hard, the more so the larger it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from _panels import (
    Design,
    DrawnAnswers,
    compute_metrics,
    draw_answers,
    draw_panel,
    expect_counts,
    list_ease,
    squash_logits,
)
from numpy.typing import NDArray

from aggregation.answers import Answers
from aggregation.comparison.model_differences import ModelDifference, PublishedScore
from aggregation.comparison.people_and_models import ModelAnswers, compare_models
from aggregation.schema import Floats

PUBLISHED = "a published score"
N_PUBLISHED = 1000  # other items, of which a published score is the share right


@dataclass(frozen=True, kw_only=True)
class SimulatedModel:
    """A model: its level in logits, and how strongly it finds the same items easy as people."""

    level: float
    loading: float = 1.0

    def compute_chances(self, design: Design, ease: Floats) -> Floats:
        """How likely it is right on items of this ease."""
        return squash_logits(self.level + self.loading * (ease - design.level))

    def compute_accuracy(self, design: Design) -> float:
        """Its accuracy in the long run."""
        ease, weights = list_ease(design)
        return float(self.compute_chances(design, ease) @ weights)

    def compute_scores(self, design: Design) -> Mapping[str, float]:
        """Every metric in the long run; a label is as hard as the other."""
        accuracy, gold = self.compute_accuracy(design), np.array([1 - design.second, design.second])
        answered = accuracy * gold + (1 - accuracy) * gold[::-1]
        return compute_metrics(np.array([*(accuracy * gold), *gold, *answered, 1.0]))


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedCampaign:
    """People less a model as published, by unit and metric, and in truth, of the same people and of others."""

    differences: Mapping[tuple[str, str], ModelDifference]
    panel: Mapping[tuple[str, str], float]
    others: Mapping[tuple[str, str], float]


def simulate_comparison(
    rng: np.random.Generator, design: Design, models: Mapping[str, SimulatedModel]
) -> dict[str, ComparedCampaign]:
    """A campaign, compared with answers of each model to the same items, and with the published score of the last."""
    panel, others = draw_panel(rng, design), draw_panel(rng, design)
    drawn = draw_answers(rng, design, panel)
    own, fresh = (
        {unit: compute_metrics(counts) for unit, counts in expect_counts(design, people).items()}
        for people in (panel, others)
    )
    is_right = {
        name: rng.random(design.items) < model.compute_chances(design, drawn.ease) for name, model in models.items()
    }
    *_, last = models.values()
    score = float(rng.binomial(N_PUBLISHED, last.compute_accuracy(design)) / N_PUBLISHED)
    published = PublishedScore(name=PUBLISHED, value=score, n_items=N_PUBLISHED)
    found = compare_answers(design, drawn, is_right, published=[published])
    return {
        name: _hold_against(found[name], own, fresh, model.compute_scores(design))
        for name, model in {**models, PUBLISHED: last}.items()
    }


def _hold_against(
    found: Mapping[tuple[str, str], ModelDifference],
    own: Mapping[str, Mapping[str, float]],
    fresh: Mapping[str, Mapping[str, float]],
    model: Mapping[str, float],
) -> ComparedCampaign:
    panel, others = (
        {(unit, metric): people[unit][metric] - model[metric] for unit, metric in found} for people in (own, fresh)
    )
    return ComparedCampaign(differences=found, panel=panel, others=others)


def compare_answers(
    design: Design,
    drawn: DrawnAnswers,
    is_right: Mapping[str, NDArray[np.bool_]],
    *,
    published: Sequence[PublishedScore] = (),
) -> dict[str, dict[tuple[str, str], ModelDifference]]:
    """What is published of people less each model, right on these items, by model, and by unit and metric."""
    models = []
    for name, right in is_right.items():
        labels = np.array(["x", "y"], dtype=object)[np.where(right, drawn.truth, 1 - drawn.truth)]
        models.append(ModelAnswers(name=name, answers=dict(zip(design.item_ids, labels, strict=True))))
    answers = Answers(kind="label", votes=drawn.build_votes(design))
    rows: dict[str, dict[tuple[str, str], ModelDifference]] = {}
    for row in compare_models(answers, models, published=published).differences:
        rows.setdefault(row.model, {})[row.unit, row.metric] = row
    return rows
