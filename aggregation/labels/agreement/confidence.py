"""Two figures that published campaigns report as agreement: the mean posterior of labels, and class confidence."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aggregation.agreement import Coefficient, estimate_item_mean
from aggregation.bootstrap import Draws
from aggregation.consensus import Consensus
from aggregation.errors import Refused
from aggregation.schema import Votes

OVERCONFIDENT = (
    "A mean posterior is what the model believes of its own labels, not how far people agree: it takes its estimates "
    "for known and annotators for independent, and is near 100 % where alpha is not. Report it beside alpha, under its "
    "own name."
)
IAA = "100 times the mean over items of the posterior of the item's label, {made}, labels and posteriors fixed"
CONFIDENCE = "mean over the items of a class of the share of their first {n} votes that give the class"


def estimate_mean_posterior(
    labels: Consensus, votes: Votes, *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> Coefficient:
    """The "Dawid-Skene IAA" of published campaigns, in percent, as `dawid_skene_iaa`; `how` ends in its warning.

    Raises Refused for labels whose confidence is a share of votes, not a posterior.
    """
    if labels.method not in ("dawid_skene", "one_coin_dawid_skene", "one_coin", "glad", "skills"):
        raise Refused(
            f"The labels by {labels.method} have no posterior to take the mean of.", remedy="Use dawid_skene, or alpha."
        )
    posteriors = np.asarray(labels.labels["confidence"], dtype=np.float64) * 100
    return estimate_item_mean(
        f"{labels.method}_iaa",
        posteriors,
        groups=votes.items["group"].reindex(labels.labels.index),
        counts=(len(votes.frame), votes.frame["annotator"].nunique()),
        draws=Draws(resamples=resamples, seed=seed, level=level),
        how=f"{IAA.format(made=labels.provenance)}. {OVERCONFIDENT.rstrip('.')}",
    )


def estimate_class_confidence(
    votes: Votes,
    labels: pd.Series[str],
    *,
    annotators: int = 3,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The share of `annotators` who give the target class: one row over all items, then one per class, sorted.

    `labels` (index item; label or None) is the class of each item: its gold, or its consensus. The first so many votes
    of an item count; items with fewer are left out.
    """
    first = votes.first_votes(annotators).frame
    size = first.groupby("item")["answer"].transform("size")
    full = first.loc[(size == annotators) & first["item"].map(labels).notna()]
    target = full["item"].map(labels)
    share = (full["answer"] == target).astype(float).groupby(full["item"]).mean()
    target_class = labels.reindex(share.index)
    draws = Draws(resamples=resamples, seed=seed, level=level)
    rows = []
    for name in ("", *sorted(target_class.dropna().unique())):
        part = share if not name else share.loc[target_class == name]
        class_votes = full.loc[full["item"].isin(part.index)]
        rows.append(
            estimate_item_mean(
                "class_confidence",
                np.asarray(part, dtype=np.float64),
                groups=votes.items["group"].reindex(part.index),
                counts=(len(class_votes), class_votes["annotator"].nunique()),
                draws=draws,
                how=CONFIDENCE.format(n=annotators),
                undefined=f"No item of the class has {annotators} votes.",
                of=name,
            )
        )
    return tuple(rows)
