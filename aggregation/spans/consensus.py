"""Consensus on marked parts of a text: the spans that more than half of an item's answers mark."""

from __future__ import annotations

from collections import Counter

import pandas as pd

from aggregation.answers import Answers
from aggregation.consensus import Consensus, TieRule
from aggregation.labels.consensus import choose_tied
from aggregation.spans.votes import format_spans, read_span_votes

VERSION = "hromada majority of each span 1"


def build_span_consensus(answers: Answers, *, ties: TieRule = "drop", seed: int = 0) -> Consensus:
    """All spans that more than half of an item's answers mark; `ties` settles an item with a tie, by one of its votes.

    The empty label needs more than half of the answers too. The confidence is the smallest share of a span of the
    label; `tied` names the spans that exactly half mark. A vote settles all of these at once, and is the label itself
    where no span would be chosen (`Consensus.settled`).
    """
    votes = read_span_votes(answers)
    rows, ids = [], []
    settled: dict[str, tuple[str, ...]] = {}
    for item, span_sets in votes.frame.groupby("item")["spans"]:
        n, counts = len(span_sets), Counter(span for spans in span_sets for span in spans)
        n_empty = sum(not spans for spans in span_sets)
        majority = sorted(span for span, count in counts.items() if 2 * count > n)
        tied = [span for span, count in counts.items() if 2 * count == n]
        is_open = bool(tied) or (not majority and 2 * n_empty <= n)
        shares = [counts[span] / n for span in majority] if majority else [max([n_empty, *counts.values()]) / n]
        text = answers.texts.get(str(item), "")
        label: str | None = None
        if is_open:
            made = [[span for span in sorted(spans) if span in majority or span in tied] for spans in span_sets]
            made = [sorted({*majority, *own}) or sorted(spans) for own, spans in zip(made, span_sets, strict=True)]
            settled[str(item)] = tuple(format_spans(one, text) for one in made)
            label = choose_tied(settled[str(item)], item=str(item), ties=ties, seed=seed)
        else:
            label = format_spans(majority, text)
        rows.append(
            {
                "label": label,
                "confidence": min(shares),
                "tie": is_open,
                "tied": tuple(format_spans([span], text) for span in sorted(tied)),
                "n_votes": n,
            }
        )
        ids.append(item)
    labels = pd.DataFrame(rows, index=pd.Index(ids, name="item", dtype=object))
    return Consensus(method="majority", version=VERSION, ties=ties, seed=seed, labels=labels, settled=settled)
