"""Marked parts of a text against gold: single answers, the majority of each span, and their metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aggregation.answers import Answers
from aggregation.gold_comparison import ScoredAnswers
from aggregation.options import build_column_mean, build_share_metric
from aggregation.panel_variance import Contributions, Metric
from aggregation.part_scores import Layer, Part, PartsByItem, PartType, build_whole_layer, sum_parts
from aggregation.scoring import find_words
from aggregation.spans.votes import parse_spans


def sum_spans(answers: Answers, scored: ScoredAnswers) -> tuple[Contributions, Contributions]:
    """What single answers and the majority of each span contribute, in the layers spans, words and characters.

    For the columns see `aggregation.part_scores`.
    """

    def build_layers(answered: PartsByItem, gold: PartsByItem) -> tuple[Layer, ...]:
        words = {item: find_words(answers.texts.get(item, "")) for item in gold}
        return (
            build_whole_layer(answered, gold),
            _build_unit_layer(answered, gold, lambda item, span: _list_words(span, words[item])),
            _build_unit_layer(answered, gold, lambda _item, span: frozenset(range(int(span[0]), int(span[1])))),
        )

    return sum_parts(scored, PartType(parse=_parse_ends, build_layers=build_layers, boxes=None))


def list_span_metrics() -> dict[str, Metric]:
    """The metrics by name: exact match, and the mean F1 of the words and of the characters."""
    return {
        "exact_match": build_share_metric(),
        "f1": build_column_mean(2, "fraction"),
        "f1_char": build_column_mean(3, "fraction"),
    }


def _parse_ends(stored: str) -> tuple[Part, ...]:
    return tuple((start, end) for start, end, _ in parse_spans(stored))


def _build_unit_layer(
    answered: PartsByItem, gold: PartsByItem, list_units: Callable[[str, Part], frozenset[int]]
) -> Layer:
    """The layer of the units (words or characters) that spans cover."""
    gold_units = {item: frozenset().union(*(list_units(item, span) for span in spans)) for item, spans in gold.items()}
    units = {(item, span): list_units(item, span) for item, spans in answered.items() for span in spans}
    return Layer(
        answered={key: float(len(covered)) for key, covered in units.items()},
        right={key: float(len(covered & gold_units[key[0]])) for key, covered in units.items()},
        gold={item: float(len(covered)) for item, covered in gold_units.items()},
    )


def _list_words(span: Part, words: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The numbers of the words that a span touches."""
    first, last = int(span[0]), int(span[1])
    return frozenset(number for number, (start, end) in enumerate(words) if first < end and start < last)
