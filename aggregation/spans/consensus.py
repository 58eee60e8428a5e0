"""Consensus on marked parts of a text: the spans that more than half of an item's answers mark."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from aggregation.answers import Answers
from aggregation.consensus import Consensus
from aggregation.spans.votes import SpanVotes, format_spans, read_span_votes

VERSION = "hromada majority of each span 1"


def build_span_consensus(answers: Answers, *, seed: int) -> Consensus:
    """All spans that more than half of an item's answers mark; an item with a tie is left without a label.

    The empty label needs more than half of the answers too. The confidence is the smallest share of a span of the
    label; `tied` names the spans that exactly half mark.
    """
    votes = read_span_votes(answers)
    rows, ids = [], []
    for item, span_sets in votes.frame.groupby("item")["spans"]:
        n, counts = len(span_sets), Counter(span for spans in span_sets for span in spans)
        n_empty = sum(not spans for spans in span_sets)
        majority = sorted(span for span, count in counts.items() if 2 * count > n)
        tied = [span for span, count in counts.items() if 2 * count == n]
        is_open = bool(tied) or (not majority and 2 * n_empty <= n)
        shares = [counts[span] / n for span in majority] if majority else [max([n_empty, *counts.values()]) / n]
        text = answers.texts.get(str(item), "")
        rows.append(
            {
                "label": None if is_open else format_spans(majority, text),
                "confidence": min(shares),
                "tie": is_open,
                "tied": tuple(format_spans([span], text) for span in sorted(tied)),
                "n_votes": n,
            }
        )
        ids.append(item)
    labels = pd.DataFrame(rows, index=pd.Index(ids, name="item", dtype=object))
    return Consensus(method="majority", version=VERSION, ties="drop", seed=seed, labels=labels)


def list_majority_spans(votes: SpanVotes) -> pd.DataFrame:
    """One row per span that more than half of an item's votes mark, sorted; columns item, start, end, label, share."""
    rows = []
    for item, span_sets in votes.frame.groupby("item")["spans"]:
        counts = Counter(span for spans in span_sets for span in spans)
        rows += [
            (item, span.start, span.end, span.label, counts[span] / len(span_sets))
            for span in sorted(counts)
            if 2 * counts[span] > len(span_sets)
        ]
    return pd.DataFrame(rows, columns=["item", "start", "end", "label", "share"])
