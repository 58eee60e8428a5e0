"""Agreement on marked parts of a text: F1 of spans, of words and of characters, and the spans that most people mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType

import numpy as np
import pandas as pd

from aggregation.agreement import Coefficient
from aggregation.agreement.estimates import NOTHING, mean_over_items
from aggregation.bootstrap import Draws
from aggregation.errors import HromadaError
from aggregation.schema import COLUMNS, checked_items, checked_rows, named_items
from aggregation.scoring import token_spans

HOW: Mapping[str, str] = MappingProxyType(
    {
        "span_f1_exact": "mean over items of the mean F1 of each two annotators' spans, same ends and label",
        "span_f1_token": "mean over items of the mean F1 of the labelled words that each two annotators' spans touch",
        "span_f1_char": "mean over items of the mean F1 of the labelled characters of each two annotators' spans",
        "span_majority": "share of items on which one span (same ends and label) has more than half of the votes",
    }
)


@dataclass(frozen=True, kw_only=True, order=True)
class Span:
    """The characters from `start` up to `end` of a text, under a label."""

    start: int
    end: int
    label: str


Marked = frozenset[Span]


@dataclass(frozen=True, kw_only=True, eq=False)
class SpanVotes:
    """Which spans each annotator marked on each item.

    `frame` has the columns item, annotator (text) and spans (frozenset of Span), one row a vote in the order of
    assignment; `items` has the index item and the columns group and text. No span is an answer.
    """

    frame: pd.DataFrame
    items: pd.DataFrame

    def first_votes(self, number: int) -> SpanVotes:
        """The first `number` votes of each item in the order of assignment."""
        return replace(self, frame=self.frame.loc[self.frame.groupby("item").cumcount() < number])


def span_votes(frame: pd.DataFrame, *, items: pd.DataFrame) -> SpanVotes:
    """Check and freeze votes (`frame`: item, annotator, answer as an iterable of (start, end, label)) on `items`.

    `items` has the index item and the columns group and text. Raises HromadaError for a missing column, an empty cell,
    an unknown item, and a span that does not lie within its text or is empty.
    """
    plain = checked_rows(frame, COLUMNS)
    known = checked_items(items, ("group", "text"))
    names = plain[["item", "annotator"]].astype(str).astype(object)
    named_items(names, known)
    spans = [
        frozenset(Span(start=int(start), end=int(end), label=str(label)) for start, end, label in answer)
        for answer in plain["answer"]
    ]
    for item, marked in zip(names["item"], spans, strict=True):
        for span in sorted(marked):
            if not 0 <= span.start < span.end <= len(known.loc[item, "text"]):
                raise HromadaError(f"The span {span.start} to {span.end} does not lie within the text of {item!r}.")
    return SpanVotes(frame=names.assign(spans=pd.Series(spans, index=names.index, dtype=object)), items=known)


def span_agreement(
    given: SpanVotes, *, overlap: int | None = None, resamples: int = 1000, seed: int = 0, level: float = 0.95
) -> tuple[Coefficient, ...]:
    """The coefficients of HOW, in its order; F1 is 2 |A and B| / (|A| + |B|), and 1 where neither marked anything.

    `overlap` is the least number of votes that every item was to get; only the first so many of each count.
    """
    chosen = given if overlap is None else given.first_votes(overlap)
    draws = Draws(resamples=resamples, seed=seed, level=level)
    answered = chosen.frame["item"].map(chosen.frame["item"].value_counts()) >= 2
    frame = chosen.frame.loc[answered]
    of_items = {str(item): list(rows) for item, rows in frame.groupby("item")["spans"]}
    texts = {item: str(chosen.items.loc[item, "text"]) for item in of_items}
    measures: dict[str, Callable[[str], float]] = {
        "span_f1_exact": lambda item: _mean_f1(of_items[item]),
        "span_f1_token": lambda item: _mean_f1([_words(spans, texts[item]) for spans in of_items[item]]),
        "span_f1_char": lambda item: _mean_f1([_characters(spans) for spans in of_items[item]]),
        "span_majority": lambda item: float(_most_marked(of_items[item]) * 2 > len(of_items[item])),
    }
    return tuple(
        mean_over_items(
            name,
            np.array([measure(item) for item in of_items], dtype=np.float64),
            groups=chosen.items["group"].reindex(list(of_items)),
            counts=(len(frame), frame["annotator"].nunique()),
            draws=draws,
            how=HOW[name],
            undefined=NOTHING,
            basis="pooled" if overlap is None else "first",
        )
        for name, measure in measures.items()
    )


def majority_spans(given: SpanVotes) -> pd.DataFrame:
    """One row a span that more than half of an item's votes mark, sorted; columns item, start, end, label, share."""
    rows = []
    for item, marked in given.frame.groupby("item")["spans"]:
        counts = Counter(span for spans in marked for span in spans)
        rows += [
            (item, span.start, span.end, span.label, counts[span] / len(marked))
            for span in sorted(counts)
            if 2 * counts[span] > len(marked)
        ]
    return pd.DataFrame(rows, columns=["item", "start", "end", "label", "share"])


def _most_marked(votes: list[Marked]) -> int:
    return max(Counter(span for spans in votes for span in spans).values(), default=0)


def _mean_f1(votes: list[frozenset[object]] | list[Marked]) -> float:
    return float(np.mean([_f1(one, two) for one, two in combinations(votes, 2)]))


def _f1(one: frozenset[object] | Marked, two: frozenset[object] | Marked) -> float:
    total = len(one) + len(two)
    return 2 * len(frozenset(one) & frozenset(two)) / total if total else 1.0


def _characters(spans: Marked) -> frozenset[object]:
    return frozenset((place, span.label) for span in spans for place in range(span.start, span.end))


def _words(spans: Marked, text: str) -> frozenset[object]:
    """The words that a span touches, by number, each under the span's label."""
    return frozenset(
        (number, span.label)
        for number, (start, end) in enumerate(token_spans(text))
        for span in spans
        if span.start < end and start < span.end
    )
