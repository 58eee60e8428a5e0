"""The script that a researcher would write instead of the main job: pandas, crowd-kit, `krippendorff`, a loop.

It stores nothing, checks nothing and has one coefficient with an interval, where the main job has five. It is written
well: `krippendorff` gets counts of labels, which it takes far faster than the matrix of people and items.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene, MajorityVote


@dataclass(frozen=True)
class ScriptResults:
    """What the script finds: labels by item, and Krippendorff's alpha with its interval."""

    majority: pd.Series[str]
    dawid_skene: pd.Series[str]
    alpha: float
    low: float
    high: float


def run_script(file: Path, *, resamples: int, seed: int) -> ScriptResults:
    """Labels by the majority and by Dawid-Skene, and nominal alpha with a percentile interval over items."""
    votes = pd.read_csv(file)
    majority = MajorityVote().fit_predict(votes)
    dawid_skene = DawidSkene(n_iter=100).fit_predict(votes)
    counts = pd.crosstab(votes["task"], votes["label"]).to_numpy()
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(resamples):
        drawn = counts[rng.integers(len(counts), size=len(counts))]
        draws.append(krippendorff.alpha(value_counts=drawn, level_of_measurement="nominal"))
    low, high = np.percentile(draws, [2.5, 97.5])
    alpha = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    return ScriptResults(majority, dawid_skene, float(alpha), float(low), float(high))
