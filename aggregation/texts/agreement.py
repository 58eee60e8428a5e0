"""Agreement on free texts: how often they are equal after a named normalisation, and how similar they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType

import numpy as np

from aggregation.agreement import REASON_NO_PAIRS, Coefficient, estimate_item_mean
from aggregation.bootstrap import Resampling
from aggregation.errors import HromadaError
from aggregation.schema import Votes
from aggregation.scoring import NORMALISATIONS, chrf, count_ngrams, edit_distance

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "exact_match": "mean over items of the share of equal pairs of texts",
        "plurality_share": "mean over items of the share of the votes for the most frequent text",
        "mean_cer": "mean over items of the mean character error rate of each two texts, each being the reference once",
        "mean_chrf": "mean over items of the mean chrF (0 to 1) of each two texts, each being the reference once",
    }
)

SHARE_NAMES = ("exact_match", "plurality_share")


def normalise_votes(votes: Votes, rule: str) -> Votes:
    """The votes with every text normalised by the rule.

    Raises HromadaError for an unknown rule and for votes with classes, which are no texts.
    """
    if rule not in NORMALISATIONS:
        raise HromadaError(f"There is no normalisation {rule!r}.", remedy=f"Use one of {', '.join(NORMALISATIONS)}.")
    if votes.classes is not None:
        raise HromadaError("Declared labels are no texts to normalise.")
    return replace(votes, frame=votes.frame.assign(answer=votes.frame["answer"].map(NORMALISATIONS[rule])))


def compute_text_agreement(
    votes: Votes,
    *,
    rule: str = "ukrainian",
    overlap: int | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The coefficients of HOW, in its order, over the items with two texts or more, after the normalisation `rule`.

    Votes are free texts (no classes). `overlap` is the planned number of texts per item; only the first so many texts
    of each item count.
    """
    chosen = normalise_votes(votes if overlap is None else votes.first_votes(overlap), rule)
    resampling = Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level)
    paired = chosen.frame["item"].map(chosen.frame["item"].value_counts()) >= 2
    frame = chosen.frame.loc[paired]
    texts_by_item = {str(item): Counter(texts) for item, texts in frame.groupby("item")["answer"]}
    measures: Mapping[str, Callable[[Counter[str]], float]] = {
        "exact_match": _share_equal_pairs,
        "plurality_share": lambda texts: max(texts.values()) / texts.total(),
        "mean_cer": _average_cer,
        "mean_chrf": _average_chrf,
    }
    return tuple(
        estimate_item_mean(
            name,
            np.array([measure(texts) for texts in texts_by_item.values()], dtype=np.float64),
            groups=chosen.items["group"].reindex(list(texts_by_item)),
            n_votes=len(frame),
            n_annotators=frame["annotator"].nunique(),
            resampling=resampling,
            how=f"{DESCRIPTIONS[name]}; texts normalised by the rule {rule}",
            reason_undefined=REASON_NO_PAIRS,
            level="nominal" if name in SHARE_NAMES else "similarity",
            is_share=name in SHARE_NAMES,
            basis="pooled" if overlap is None else "first",
        )
        for name, measure in measures.items()
    )


def _share_equal_pairs(texts: Counter[str]) -> float:
    n = texts.total()
    return sum(count * (count - 1) for count in texts.values()) / (n * (n - 1))


def _average_cer(texts: Counter[str]) -> float:
    def measure(one: str, two: str) -> float:
        edits = edit_distance(one, two)
        return sum(edits / len(text) if text else float(edits > 0) for text in (one, two)) / 2

    return _average_over_pairs(texts, measure, equal=0.0)


def _average_chrf(texts: Counter[str]) -> float:
    return _average_over_pairs(texts, build_chrf_measure(texts), equal=1.0)


def build_chrf_measure(texts: Iterable[str]) -> Callable[[str, str], float]:
    """The mean chrF (0 to 1) of two of these texts, each being the reference once, as a function of both."""
    ngrams = {text: count_ngrams(text) for text in texts}

    def measure(one: str, two: str) -> float:
        return (chrf(ngrams[one], ngrams[two]) + chrf(ngrams[two], ngrams[one])) / 2

    return measure


def _average_over_pairs(texts: Counter[str], measure: Callable[[str, str], float], *, equal: float) -> float:
    """The mean over all pairs of votes; pairs of equal texts have the value `equal` and are not measured."""
    n = texts.total()
    different = sum(texts[one] * texts[two] * measure(one, two) for one, two in combinations(sorted(texts), 2))
    same = sum(count * (count - 1) / 2 for count in texts.values())
    return (different + equal * same) / (n * (n - 1) / 2)
