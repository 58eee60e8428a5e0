"""Two figures that published campaigns call agreement: the mean posterior of the labels, and confidence in a class."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aggregation.agreement.estimates import Coefficient, mean_over_items
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


def mean_posterior(
    labels: Consensus, votes: Votes, *, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> Coefficient:
    """The "Dawid-Skene IAA" of published campaigns, in percent, as `dawid_skene_iaa`; `how` ends in its warning.

    Raises Refused for labels whose confidence is a share of votes and no posterior.
    """
    if labels.method not in ("dawid_skene", "one_coin_dawid_skene", "one_coin", "glad", "skills"):
        raise Refused(
            f"The labels by {labels.method} have no posterior to take the mean of.", remedy="Use dawid_skene, or alpha."
        )
    of_items = np.asarray(labels.labels["confidence"], dtype=np.float64) * 100
    return mean_over_items(
        f"{labels.method}_iaa",
        of_items,
        groups=votes.items["group"].reindex(labels.labels.index),
        counts=(len(votes.frame), votes.frame["annotator"].nunique()),
        draws=Draws(resamples=resamples, seed=seed, level=level),
        how=f"{IAA.format(made=labels.made)}. {OVERCONFIDENT.rstrip('.')}",
    )


def class_confidence(
    votes: Votes,
    labels: pd.Series[str],
    *,
    annotators: int = 3,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The share of `annotators` who agree in the target class: one row over all items, then one a class, sorted.

    `labels` (index item; label or None) says which class each item belongs to: its gold, or its consensus. The first
    so many votes of an item count; items with fewer are left out.
    """
    first = votes.first_votes(annotators).frame
    size = first.groupby("item")["answer"].transform("size")
    full = first.loc[(size == annotators) & first["item"].map(labels).notna()]
    target = full["item"].map(labels)
    share = (full["answer"] == target).astype(float).groupby(full["item"]).mean()
    of_class = labels.reindex(share.index)
    draws = Draws(resamples=resamples, seed=seed, level=level)
    rows = []
    for name in ("", *sorted(of_class.dropna().unique())):
        part = share if not name else share.loc[of_class == name]
        votes_of = full.loc[full["item"].isin(part.index)]
        rows.append(
            mean_over_items(
                "class_confidence",
                np.asarray(part, dtype=np.float64),
                groups=votes.items["group"].reindex(part.index),
                counts=(len(votes_of), votes_of["annotator"].nunique()),
                draws=draws,
                how=CONFIDENCE.format(n=annotators),
                undefined=f"No item of the class has {annotators} votes.",
                of=name,
            )
        )
    return tuple(rows)
