"""A simulated model beside the simulated people of `_panels`: its answers, and how far people are above it in truth.

The model is right on an item with a chance that follows a logistic law: its level, plus `loading` times how much easier
than others the item is to people. So people and the model find the same items hard, the more so the larger it is.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from aggregation.comparison.model_differences import ModelDifference
from aggregation.comparison.people_and_models import ModelAnswers, compare_models
from aggregation.schema import Floats

UNITS = ("individual", "majority")


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


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedCampaign:
    """People less a model as published, by unit, and in truth: of the same people, and of others, on new items."""

    differences: Mapping[str, ModelDifference]
    panel: Mapping[str, float]
    others: Mapping[str, float]


def simulate_comparison(rng: np.random.Generator, design: Design, model: SimulatedModel) -> ComparedCampaign:
    """A campaign, compared with answers of the model to the same items."""
    panel, others = draw_panel(rng, design), draw_panel(rng, design)
    drawn = draw_answers(rng, design, panel)
    is_right = rng.random(design.items) < model.compute_chances(design, drawn.ease)
    accuracy = model.compute_accuracy(design)
    own, fresh = (
        {unit: compute_metrics(counts)["accuracy"] - accuracy for unit, counts in expect_counts(design, people).items()}
        for people in (panel, others)
    )
    found = compare_answers(design, drawn, is_right)
    return ComparedCampaign(differences=found, panel=own, others=fresh)


def compare_answers(design: Design, drawn: DrawnAnswers, is_right: NDArray[np.bool_]) -> dict[str, ModelDifference]:
    """What is published of people less a model that was right on these items, by unit."""
    labels = np.where(is_right, drawn.truth, 1 - drawn.truth)
    said = dict(zip(design.item_ids, np.array(["x", "y"], dtype=object)[labels], strict=True))
    answers = Answers(kind="label", votes=drawn.build_votes(design))
    made = compare_models(answers, [ModelAnswers(name="model", answers=said)])
    return {row.unit: row for row in made.differences if row.metric == "accuracy"}
