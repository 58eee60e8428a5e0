"""Agreement on free texts: equal after a named normalisation, and how many characters apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType

import numpy as np

from aggregation.agreement import Coefficient
from aggregation.agreement.estimates import NOTHING, mean_over_items
from aggregation.bootstrap import Draws
from aggregation.errors import HromadaError
from aggregation.schema import Votes
from aggregation.scoring import NORMALISATIONS, chrf, distance, ngrams

HOW: Mapping[str, str] = MappingProxyType(
    {
        "exact_match": "mean over items of the share of equal pairs of texts",
        "plurality_share": "mean over items of the share of the votes for the most frequent text",
        "mean_cer": "mean over items of the mean character error rate of each two texts, each being the reference once",
        "mean_chrf": "mean over items of the mean chrF (0 to 1) of each two texts, each being the reference once",
    }
)


def normalised(votes: Votes, rule: str) -> Votes:
    """The votes with every text under the normalisation; `consensus` by majority then gives the plurality text.

    Raises HromadaError for an unknown rule and for labels, which are no texts.
    """
    if rule not in NORMALISATIONS:
        raise HromadaError(f"There is no normalisation {rule!r}.", remedy=f"Use one of {', '.join(NORMALISATIONS)}.")
    if votes.classes is not None:
        raise HromadaError("Declared labels are no texts to normalise.")
    return replace(votes, frame=votes.frame.assign(answer=votes.frame["answer"].map(NORMALISATIONS[rule])))


def text_agreement(
    votes: Votes,
    *,
    rule: str = "ukrainian",
    overlap: int | None = None,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The coefficients of HOW, in its order, over the items with two texts or more, after the normalisation `rule`.

    Votes are free texts (no classes). `overlap` is the least number of texts that every item was to get; only the
    first so many of each count.
    """
    chosen = normalised(votes if overlap is None else votes.first_votes(overlap), rule)
    draws = Draws(resamples=resamples, seed=seed, level=level)
    answered = chosen.frame["item"].map(chosen.frame["item"].value_counts()) >= 2
    frame = chosen.frame.loc[answered]
    of_items = {str(item): Counter(texts) for item, texts in frame.groupby("item")["answer"]}
    measures: Mapping[str, Callable[[Counter[str]], float]] = {
        "exact_match": _equal,
        "plurality_share": lambda texts: max(texts.values()) / texts.total(),
        "mean_cer": _cer,
        "mean_chrf": _chrf,
    }
    return tuple(
        mean_over_items(
            name,
            np.array([measure(texts) for texts in of_items.values()], dtype=np.float64),
            groups=chosen.items["group"].reindex(list(of_items)),
            counts=(len(frame), frame["annotator"].nunique()),
            draws=draws,
            how=f"{HOW[name]}; texts normalised by the rule {rule}",
            undefined=NOTHING,
            basis="pooled" if overlap is None else "first",
        )
        for name, measure in measures.items()
    )


def _equal(texts: Counter[str]) -> float:
    n = texts.total()
    return sum(count * (count - 1) for count in texts.values()) / (n * (n - 1))


def _cer(texts: Counter[str]) -> float:
    def both_ways(one: str, two: str) -> float:
        edits = distance(one, two)
        return sum(edits / len(text) if text else float(edits > 0) for text in (one, two)) / 2

    return _mean_of_pairs(texts, both_ways, equal=0.0)


def _chrf(texts: Counter[str]) -> float:
    cut = {text: ngrams(text) for text in texts}

    def both_ways(one: str, two: str) -> float:
        return (chrf(cut[one], cut[two]) + chrf(cut[two], cut[one])) / 2

    return _mean_of_pairs(texts, both_ways, equal=1.0)


def _mean_of_pairs(texts: Counter[str], measure: Callable[[str, str], float], *, equal: float) -> float:
    """The mean over all pairs of votes, from the different texts alone; pairs of equal texts have the value `equal`."""
    n = texts.total()
    apart = sum(texts[one] * texts[two] * measure(one, two) for one, two in combinations(sorted(texts), 2))
    same = sum(count * (count - 1) / 2 for count in texts.values())
    return (apart + equal * same) / (n * (n - 1) / 2)
