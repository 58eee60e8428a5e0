"""Simulated campaigns that are scored as Dawid-Skene labels; what a panel scores in the long run is simulated too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from _panels import Campaign, Design, Panel, compute_metrics, draw_panel, draw_votes, list_scores

from aggregation.consensus import dawid_skene
from aggregation.schema import Floats, Votes
from aggregation.scores.labels import score_labels
from aggregation.scoring import LabelCounts, count_labels

REPEATS = 25  # further campaigns of the same people: their mean is the score of the panel
FRESH_PANELS = 2  # panels of other people, for the score of a fresh panel


def simulate_refits(rng: np.random.Generator, design: Design) -> Campaign:
    """A campaign of two labels, scored as Dawid-Skene labels, and further ones of the same people and of others."""
    panel = draw_panel(rng, design)
    made = score_labels(draw_votes(rng, design, panel), units=["dawid_skene"])
    own = np.mean([_count_fitted(rng, design, panel) for _ in range(REPEATS)], axis=0)
    fresh = np.mean([_count_fitted(rng, design, draw_panel(rng, design)) for _ in range(FRESH_PANELS)], axis=0)
    return Campaign(
        intervals=list_scores(made, ("dawid_skene",)),
        panel={"dawid_skene": compute_metrics(own)},
        fresh={"dawid_skene": fresh},
        compute=compute_metrics,
    )


def _count_fitted(rng: np.random.Generator, design: Design, panel: Panel) -> Floats:
    """The label counts of one fit, an item."""
    votes = draw_votes(rng, design, panel)
    counts = count_labels(votes.items["gold"].tolist(), _fit_labels(votes), classes=votes.classes or ())
    return _to_row(counts) / counts.total


def _fit_labels(votes: Votes) -> Sequence[str]:
    coded = votes.encode()
    names = np.array(coded.labels, dtype=object)[fit_posteriors(votes).argmax(axis=1)]
    return [str(name) for name in pd.Series(names, index=coded.item_ids).reindex(votes.items.index)]


def fit_posteriors(votes: Votes) -> Floats:
    """Dawid-Skene's posteriors: coded items × labels."""
    return dawid_skene.fit_table(dawid_skene.build_table(votes.encode())).posteriors


def _to_row(counts: LabelCounts) -> Floats:
    return np.array([*counts.right, *counts.gold, *counts.answered, counts.total])
