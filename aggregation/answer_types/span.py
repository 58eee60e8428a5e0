"""Questions whose answers are parts of a text: votes on each position, consensus, agreement and scores."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Unpack

import numpy as np
import pandas as pd

from aggregation.agreement.pair_means import estimate_pair_mean
from aggregation.agreement.table import Basis, Coefficient, Definition, estimate_item_mean
from aggregation.answer_types.answer_type import AnswerType, ConsensusOptions, ResamplingOptions
from aggregation.answers import Answers
from aggregation.consensus.consensus import Consensus, TieRule, choose_tied
from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.gold_comparison import ScoredAnswers
from aggregation.intervals.panel import Contributions, Metric
from aggregation.intervals.resampling import Resampling
from aggregation.schema import VOTE_COLUMNS, check_item_ids, check_items, check_rows
from aggregation.scores.graded_answers import GradedOptions, build_column_mean, build_share_metric
from aggregation.scores.part_scores import Layer, Part, PartsByItem, PartType, build_whole_layer, sum_parts
from aggregation.scoring import find_words


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
    checked_items = check_items(items, ("group", "text"))
    names = rows[["item", "annotator"]].astype(str).astype(object)
    check_item_ids(names, checked_items)
    span_sets = [
        frozenset(LabelledSpan(start=int(start), end=int(end), label=str(label)) for start, end, label in answer)
        for answer in rows["answer"]
    ]
    for item, spans in zip(names["item"], span_sets, strict=True):
        for span in sorted(spans):
            if not 0 <= span.start < span.end <= len(checked_items.loc[item, "text"]):
                raise HromadaError(f"The span {span.start} to {span.end} is not within the text of {item!r}.")
    return SpanVotes(
        frame=names.assign(spans=pd.Series(span_sets, index=names.index, dtype=object)),
        items=checked_items,
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
            settled[str(item)] = tuple(format_spans(spans, text) for spans in made)
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
    texts = chosen.items["text"].to_dict()
    units: dict[str, list[frozenset[object]]] = {
        "span_f1_exact": [frozenset(spans) for spans in frame["spans"]],
        "span_f1_token": [
            list_touched_words(spans, str(texts[item]))
            for item, spans in zip(frame["item"], frame["spans"], strict=True)
        ],
        "span_f1_char": [_list_characters(spans) for spans in frame["spans"]],
    }
    suffix, compared = CLASS_SUFFIX * with_classes, PLACE_AND_CLASS if with_classes else PLACE
    of_pairs = tuple(
        estimate_pair_mean(
            Definition(
                name=f"{name}{suffix}", how=f"{DESCRIPTIONS[name]}; {compared}", level="similarity", basis=basis
            ),
            frame.assign(said=pd.Series(said, index=frame.index, dtype=object)),
            lambda _: compute_set_f1,
            resampling,
            groups=chosen.items["group"],
        )
        for name, said in units.items()
    )
    spans_by_item = {str(item): list(rows) for item, rows in frame.groupby("item")["spans"]}
    majority = estimate_item_mean(
        Definition(
            name=f"span_majority{suffix}",
            how=f"{DESCRIPTIONS['span_majority']}; {compared}",
            scale="share",
            basis=basis,
        ),
        np.array([_count_most_marked(spans) * 2 > len(spans) for spans in spans_by_item.values()], dtype=np.float64),
        resampling,
        groups=chosen.items["group"].reindex(list(spans_by_item)),
        n_votes=len(frame),
        n_annotators=frame["annotator"].nunique(),
    )
    return (*of_pairs, majority)


def _count_most_marked(votes: list[SpanSet]) -> int:
    return max(Counter(span for spans in votes for span in spans).values(), default=0)


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


def sum_spans(answers: Answers, scored: ScoredAnswers) -> tuple[Contributions, Contributions]:
    """What single answers and the majority of each span contribute, in the layers spans, words and characters.

    With classes a word or character counts under its class, as parts of two classes may share it. For the columns see
    `aggregation.scores.part_scores`.
    """
    with_class = answers.span_classes is not None

    def build_layers(answered: PartsByItem, gold: PartsByItem) -> tuple[Layer, ...]:
        words = {item: find_words(answers.texts.get(item, "")) for item in gold}

        def list_words(item: str, span: Part) -> frozenset[object]:
            return _list_units(_list_words(span, words[item]), span, with_class=with_class)

        def list_characters(_item: str, span: Part) -> frozenset[object]:
            return _list_units(range(int(span[0]), int(span[1])), span, with_class=with_class)

        return (
            build_whole_layer(answered, gold),
            _build_unit_layer(answered, gold, list_words),
            _build_unit_layer(answered, gold, list_characters),
        )

    return sum_parts(scored, PartType(parse=_parse_parts, build_layers=build_layers, boxes=None))


def list_span_metrics(*, has_classes: bool) -> dict[str, Metric]:
    """The metrics by name: exact match, and the mean F1 of the words and of the characters.

    Without classes they are of places; with classes of places and classes, and F1 is named `f1_class`, `f1_char_class`.
    """
    names = ("f1_class", "f1_char_class") if has_classes else ("f1", "f1_char")
    means = {name: build_column_mean(column, "fraction") for column, name in enumerate(names, start=2)}
    return {"exact_match": build_share_metric(), **means}


def _parse_parts(stored: str) -> tuple[Part, ...]:
    return tuple(parse_spans(stored))


def _build_unit_layer(
    answered: PartsByItem, gold: PartsByItem, list_units: Callable[[str, Part], frozenset[object]]
) -> Layer:
    """The layer of the units (words or characters) that spans cover."""
    gold_units = {item: frozenset().union(*(list_units(item, span) for span in spans)) for item, spans in gold.items()}
    units = {(item, span): list_units(item, span) for item, spans in answered.items() for span in spans}
    return Layer(
        answered={key: float(len(covered)) for key, covered in units.items()},
        right={key: float(len(covered & gold_units[key[0]])) for key, covered in units.items()},
        gold={item: float(len(covered)) for item, covered in gold_units.items()},
    )


def _list_units(numbers: Iterable[int], span: Part, *, with_class: bool) -> frozenset[object]:
    """The units of a span: the numbers of its words or characters, with its class."""
    return frozenset((number, span[2]) if with_class else number for number in numbers)


def _list_words(span: Part, words: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The numbers of the words that a span touches."""
    first, last = int(span[0]), int(span[1])
    return frozenset(number for number, (start, end) in enumerate(words) if first < end and start < last)


class SpanType(AnswerType):
    """Parts of the item's text, with or without classes."""

    name = "span"
    plural = Finding("parts")
    questions = ("span",)
    methods = ("majority",)
    why_no_dawid_skene = Finding("parts-apart")
    marks_text = True
    headlines = similarities = ("span_f1_token", "span_f1_token_class")

    def build_consensus(self, answers: Answers, **options: Unpack[ConsensusOptions]) -> Consensus:
        """By `build_span_consensus`."""
        return build_span_consensus(answers, ties=options["ties"], seed=options["seed"])

    def list_coefficients(
        self, answers: Answers, overlap: int | None, **options: Unpack[ResamplingOptions]
    ) -> tuple[Coefficient, ...]:
        """By `compute_span_agreement`."""
        return compute_span_agreement(read_span_votes(answers), overlap=overlap, **options)

    def build_similarity(self, answers: Answers) -> tuple[pd.DataFrame, Callable[..., float]]:
        """F1 of the words that two answers' spans touch."""
        votes = read_span_votes(answers)
        pairs = zip(votes.frame["spans"], votes.frame["item"], strict=True)
        said = [list_touched_words(spans, str(votes.items.loc[item, "text"])) for spans, item in pairs]
        return votes.frame.assign(said=pd.Series(said, dtype=object)), compute_set_f1

    def list_metrics(self, answers: Answers) -> dict[str, Metric]:
        """By `list_span_metrics`."""
        return list_span_metrics(has_classes=answers.span_classes is not None)

    def sum_contributions(
        self, answers: Answers, scored: ScoredAnswers
    ) -> tuple[Contributions, Contributions, GradedOptions | None]:
        """By `sum_spans`."""
        return (*sum_spans(answers, scored), None)
