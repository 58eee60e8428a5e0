"""Marked parts of a text against gold: single answers, the majority of each span, and their metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from aggregation.answers import Answers
from aggregation.gold_comparison import ScoredAnswers
from aggregation.options import build_column_mean, build_share_metric
from aggregation.panel_variance import Contributions, Metric
from aggregation.part_scores import Layer, Part, PartsByItem, PartType, build_whole_layer, sum_parts
from aggregation.scoring import find_words
from aggregation.spans.votes import parse_spans


def sum_spans(answers: Answers, scored: ScoredAnswers) -> tuple[Contributions, Contributions]:
    """What single answers and the majority of each span contribute, in the layers spans, words and characters.

    With classes a word or character counts under its class, as parts of two classes may share it. For the columns see
    `aggregation.part_scores`.
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
