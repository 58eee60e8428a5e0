"""Agreement on marked parts of a text: F1 of spans, words and characters, and how often one span has a majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from types import MappingProxyType

import numpy as np

from aggregation.agreement import REASON_NO_PAIRS, Basis, Coefficient, estimate_item_mean
from aggregation.bootstrap import Resampling
from aggregation.scoring import find_words
from aggregation.spans.votes import SpanSet, SpanVotes

DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "span_f1_exact": "mean over items of the mean F1 of each two annotators' spans, same ends",
        "span_f1_token": "mean over items of the mean F1 of the words that each two annotators' spans touch",
        "span_f1_char": "mean over items of the mean F1 of the characters of each two annotators' spans",
        "span_majority": "share of items on which one span (same ends) has more than half of the votes",
    }
)
"""The coefficients; with classes each is there twice, of places and classes, and of places alone."""
CLASS_SUFFIX = "_class"
PLACE, PLACE_AND_CLASS = "place alone", "place and class"


def compute_span_agreement(
    votes: SpanVotes,
    *,
    overlap: int | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> tuple[Coefficient, ...]:
    """The coefficients of DESCRIPTIONS, in its order; F1 is 2 |A and B| / (|A| + |B|), 1 where neither marked anything.

    With classes those of places and classes come first, their names ending in CLASS_SUFFIX: a place under another
    class is another span. `overlap` is the planned number of votes per item; only the first so many votes of each item
    count.
    """
    chosen = votes if overlap is None else votes.first_votes(overlap)
    resampling = Resampling(n_resamples=n_resamples, seed=seed, confidence_level=confidence_level)
    basis: Basis = "pooled" if overlap is None else "first"
    of_classes = _estimate_rows(chosen, resampling, basis=basis, with_classes=True) if votes.has_classes else ()
    return of_classes + _estimate_rows(chosen.drop_classes(), resampling, basis=basis, with_classes=False)


def _estimate_rows(
    chosen: SpanVotes, resampling: Resampling, *, basis: Basis, with_classes: bool
) -> tuple[Coefficient, ...]:
    paired = chosen.frame["item"].map(chosen.frame["item"].value_counts()) >= 2
    frame = chosen.frame.loc[paired]
    spans_by_item = {str(item): list(rows) for item, rows in frame.groupby("item")["spans"]}
    texts = {item: str(chosen.items.loc[item, "text"]) for item in spans_by_item}
    measures: dict[str, Callable[[str], float]] = {
        "span_f1_exact": lambda item: _average_f1(spans_by_item[item]),
        "span_f1_token": lambda item: _average_f1(
            [list_touched_words(spans, texts[item]) for spans in spans_by_item[item]]
        ),
        "span_f1_char": lambda item: _average_f1([_list_characters(spans) for spans in spans_by_item[item]]),
        "span_majority": lambda item: float(_count_most_marked(spans_by_item[item]) * 2 > len(spans_by_item[item])),
    }
    return tuple(
        estimate_item_mean(
            f"{name}{CLASS_SUFFIX * with_classes}",
            np.array([measure(item) for item in spans_by_item], dtype=np.float64),
            groups=chosen.items["group"].reindex(list(spans_by_item)),
            n_votes=len(frame),
            n_annotators=frame["annotator"].nunique(),
            resampling=resampling,
            how=f"{DESCRIPTIONS[name]}; {PLACE_AND_CLASS if with_classes else PLACE}",
            reason_undefined=REASON_NO_PAIRS,
            level="nominal" if name == "span_majority" else "similarity",
            is_share=name == "span_majority",
            basis=basis,
        )
        for name, measure in measures.items()
    )


def _count_most_marked(votes: list[SpanSet]) -> int:
    return max(Counter(span for spans in votes for span in spans).values(), default=0)


def _average_f1(votes: list[frozenset[object]] | list[SpanSet]) -> float:
    return float(np.mean([compute_set_f1(one, two) for one, two in combinations(votes, 2)]))


def compute_set_f1(one: frozenset[object] | SpanSet, two: frozenset[object] | SpanSet) -> float:
    """2 |A and B| / (|A| + |B|); 1 where both are empty."""
    total = len(one) + len(two)
    return 2 * len(frozenset(one) & frozenset(two)) / total if total else 1.0


def _list_characters(spans: SpanSet) -> frozenset[object]:
    return frozenset((number, span.label) for span in spans for number in range(span.start, span.end))


def list_touched_words(spans: SpanSet, text: str) -> frozenset[object]:
    """The number of each word that a span touches, with the span's label."""
    return frozenset(
        (number, span.label)
        for number, (start, end) in enumerate(find_words(text))
        for span in spans
        if span.start < end and start < span.end
    )
