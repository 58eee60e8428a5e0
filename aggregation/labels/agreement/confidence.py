"""Two numbers that published campaigns report as agreement: the mean posterior of labels, and class confidence."""

from __future__ import annotations

import numpy as np
import pandas as pd

from aggregation.agreement import Coefficient, estimate_item_mean
from aggregation.bootstrap import Resampling
from aggregation.consensus import Consensus
from aggregation.errors import Refused
from aggregation.schema import Votes

OVERCONFIDENCE_WARNING = (
    "A mean posterior is what the model believes of its own labels, not how far people agree: it takes its estimates "
    "for known and annotators for independent, and is near 1 where alpha is not. Report it beside alpha, under its "
    "own name."
)
DESCRIPTION_MEAN_POSTERIOR = "mean over items of the posterior of the item's label, {made}, labels and posteriors fixed"
DESCRIPTION_CLASS_CONFIDENCE = (
    "mean over the items of a class of the share of their first {n} votes that give the class"
)


def estimate_mean_posterior(
    labels: Consensus, votes: Votes, *, n_resamples: int = 1000, seed: int = 0, confidence_level: float = 0.95
) -> Coefficient:
    """The mean posterior of the labels, a fraction, which published campaigns call "Dawid-Skene IAA".

    The row is named after the method (`dawid_skene_iaa`), and its `how` ends in OVERCONFIDENCE_WARNING.

    Raises Refused for labels whose confidence is a share of votes, not a posterior.
    """
    if labels.method not in ("dawid_skene", "one_coin_dawid_skene", "one_coin", "glad", "skills"):
        raise Refused(
            f"The labels by {labels.method} have no posterior to take the mean of.", remedy="Use dawid_skene, or alpha."
        )
    posteriors = np.asarray(labels.labels["confidence"], dtype=np.float64)
    return estimate_item_mean(
        f"{labels.method}_iaa",
        posteriors,
        groups=votes.items["group"].reindex(labels.labels.index),
        n_votes=len(votes.frame),
        n_annotators=votes.frame["annotator"].nunique(),
        resampling=Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level),
        how=f"{DESCRIPTION_MEAN_POSTERIOR.format(made=labels.provenance)}. {OVERCONFIDENCE_WARNING.rstrip('.')}",
    )


def estimate_class_confidence(
    votes: Votes,
    labels: pd.Series[str],
    *,
    n_votes: int = 3,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The share of votes that equal the class of their item: one row over all items, then one per class, sorted.

    `labels` (index item; label or None) is the class of each item: its gold, or its consensus. The first `n_votes`
    votes of an item count; items with fewer votes are left out.
    """
    first_votes = votes.first_votes(n_votes).frame
    size = first_votes.groupby("item")["answer"].transform("size")
    counted = first_votes.loc[(size == n_votes) & first_votes["item"].map(labels).notna()]
    item_class = counted["item"].map(labels)
    share = (counted["answer"] == item_class).astype(float).groupby(counted["item"]).mean()
    classes = labels.reindex(share.index)
    resampling = Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level)
    rows = []
    for name in ("", *sorted(classes.dropna().unique())):
        class_share = share if not name else share.loc[classes == name]
        class_votes = counted.loc[counted["item"].isin(class_share.index)]
        rows.append(
            estimate_item_mean(
                "class_confidence",
                np.asarray(class_share, dtype=np.float64),
                groups=votes.items["group"].reindex(class_share.index),
                n_votes=len(class_votes),
                n_annotators=class_votes["annotator"].nunique(),
                resampling=resampling,
                how=DESCRIPTION_CLASS_CONFIDENCE.format(n=n_votes),
                reason_undefined=f"No item of the class has {n_votes} votes.",
                of=name,
                is_share=True,
            )
        )
    return tuple(rows)
