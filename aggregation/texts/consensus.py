"""Consensus on free texts and corrected texts: the plurality of equal texts, the closest text, or ROVER."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from aggregation.answers import Answers
from aggregation.consensus import Consensus, TieRule
from aggregation.labels.consensus import Method, build_label_consensus

TEXT_METHODS: tuple[Method, ...] = ("majority", "rover", "closest")


def build_text_consensus(answers: Answers, *, method: Method, ties: TieRule, seed: int) -> Consensus:
    """The consensus by one of METHODS; texts that are equal after normalisation count as one.

    All texts that are accepted as right count as one too. A label is published as the most frequent original text
    among the equal ones; `rover` aligns the original texts.
    """
    if method == "rover":
        return build_label_consensus(answers.votes, method=method, ties=ties, seed=seed)
    merged = answers.merge_right_answers()
    consensus = build_label_consensus(merged, method=method, ties=ties, seed=seed)
    originals = _find_originals(answers.votes.frame.assign(normalised=merged.frame["answer"]))
    labels = consensus.labels.copy()
    labels["label"] = [_restore_text(originals, item, label) for item, label in consensus.labels["label"].items()]
    labels["tied"] = [
        tuple(sorted(originals[item, text] for text in tied)) for item, tied in consensus.labels["tied"].items()
    ]
    labels["label"] = labels["label"].astype(object)
    return replace(consensus, labels=labels)


def _restore_text(originals: Mapping[tuple[object, str], str], item: object, label: object) -> str | None:
    """The original text of a label, None for a label that was left open."""
    return originals[item, label] if isinstance(label, str) else None


def _find_originals(frame: pd.DataFrame) -> dict[tuple[object, str], str]:
    """The most frequent original of each normalised text, by item; the alphabetically first of several."""
    originals = {}
    for (item, normalised), texts in frame.groupby(["item", "normalised"])["answer"]:
        counts = Counter(texts)
        originals[item, str(normalised)] = min(counts, key=lambda text: (-counts[text], text))
    return originals
