"""Marked parts of texts as votes: which spans each annotator marked on each item."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from aggregation.answers import Answers
from aggregation.errors import HromadaError
from aggregation.schema import VOTE_COLUMNS, check_item_ids, check_items, check_rows


@dataclass(frozen=True, kw_only=True, order=True)
class LabelledSpan:
    """The characters from `start` up to `end` of a text, under a label."""

    start: int
    end: int
    label: str


SpanSet = frozenset[LabelledSpan]


@dataclass(frozen=True, kw_only=True, eq=False)
class SpanVotes:
    """Which spans each annotator marked on each item.

    `frame` has the columns item, annotator (text) and spans (frozenset of LabelledSpan), one row per vote in the order
    of assignment; `items` has the index item and the columns group and text. No span is an answer. `has_classes` says
    that the labels of spans are classes; without classes every label is empty.
    """

    frame: pd.DataFrame
    items: pd.DataFrame
    has_classes: bool

    def drop_classes(self) -> SpanVotes:
        """The votes for places alone; two spans of one place under two classes are one."""
        spans = [frozenset(replace(span, label="") for span in spans) for spans in self.frame["spans"]]
        frame = self.frame.assign(spans=pd.Series(spans, index=self.frame.index, dtype=object))
        return replace(self, frame=frame, has_classes=False)

    def first_votes(self, number: int) -> SpanVotes:
        """The first `number` votes of each item in the order of assignment."""
        return replace(self, frame=self.frame.loc[self.frame.groupby("item").cumcount() < number])


def check_span_votes(frame: pd.DataFrame, *, items: pd.DataFrame, has_classes: bool = False) -> SpanVotes:
    """Check and freeze votes (`frame`: item, annotator, answer as an iterable of (start, end, label)) on `items`.

    `items` has the index item and the columns group and text. Spans have classes where `has_classes` says so, or any
    label is not empty. Raises HromadaError for a missing column, an empty cell,
    an unknown item, and a span that does not lie within its text or is empty.
    """
    rows = check_rows(frame, VOTE_COLUMNS)
    known = check_items(items, ("group", "text"))
    names = rows[["item", "annotator"]].astype(str).astype(object)
    check_item_ids(names, known)
    span_sets = [
        frozenset(LabelledSpan(start=int(start), end=int(end), label=str(label)) for start, end, label in answer)
        for answer in rows["answer"]
    ]
    for item, spans in zip(names["item"], span_sets, strict=True):
        for span in sorted(spans):
            if not 0 <= span.start < span.end <= len(known.loc[item, "text"]):
                raise HromadaError(f"The span {span.start} to {span.end} does not lie within the text of {item!r}.")
    return SpanVotes(
        frame=names.assign(spans=pd.Series(span_sets, index=names.index, dtype=object)),
        items=known,
        has_classes=has_classes or any(span.label for spans in span_sets for span in spans),
    )


def read_span_votes(answers: Answers) -> SpanVotes:
    """The votes for parts of the items' texts, from answers as they are stored."""
    spans = [parse_spans(stored) for stored in answers.votes.frame["answer"]]
    frame = answers.votes.frame.assign(answer=pd.Series(spans, index=answers.votes.frame.index, dtype=object))
    items = answers.votes.items
    texts = pd.Series([answers.texts.get(str(item), "") for item in items.index], index=items.index, dtype=object)
    return check_span_votes(frame, items=items.assign(text=texts), has_classes=answers.span_classes is not None)


def parse_spans(stored: str) -> Sequence[tuple[int, int, str]]:
    """The spans of a stored answer: start, end, and the label, empty without classes."""
    return [(span["start"], span["end"], span.get("label", "")) for span in json.loads(stored)]


def format_spans(spans: Sequence[LabelledSpan], text: str) -> str:
    """Spans of a text in the form in which answers are stored."""
    stored = [
        {"start": span.start, "end": span.end, "text": text[span.start : span.end]}
        | ({"label": span.label} if span.label else {})
        for span in spans
    ]
    return json.dumps(stored, ensure_ascii=False)
