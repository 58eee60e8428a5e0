"""How right answers are, in numbers that add up over answers: what every metric but a label's is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aggregation.kinds.answers import Answers, spans_of
from aggregation.schema import Floats, quotient
from aggregation.scoring import NORMALISATIONS, RULES, chrf, error_rate, ngrams, overlap_f1, token_spans, tokens

Metric = Callable[[Floats], Floats]
"""Takes sums of the columns of grades, a row a draw, and gives a number a draw."""
Piece = tuple[str, ...] | tuple[int, int]
"""A box, or the ends of a span."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One way to measure pieces (boxes; words or characters of spans): how much a piece says, and how much of it is
    gold, by item and piece; and how much gold an item has.
    """

    said: Mapping[tuple[str, Piece], float]
    right: Mapping[tuple[str, Piece], float]
    gold: Mapping[str, float]


def mean(column: int) -> Metric:
    """The mean of a column over answers, whose number is the last column."""
    return lambda sums: quotient(sums[:, column], sums[:, -1])


def pooled_f1(start: int) -> Metric:
    """F1 of three columns: right, gold, said; 0 where nothing is right, as for labels."""

    def metric(sums: Floats) -> Floats:
        total = sums[:, start + 1] + sums[:, start + 2]
        counted = sums[:, -1] > 0
        return np.where(counted, np.nan_to_num(quotient(2 * sums[:, start], total)), np.nan)

    return metric


def f1(right: Floats, *, gold: Floats, said: Floats) -> Floats:
    """2 right / (gold + said), place by place; 1 where neither says anything."""
    total = np.asarray(gold + said, dtype=np.float64)
    return np.where(total > 0, quotient(np.asarray(2 * right, dtype=np.float64), total), 1.0)


def written_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics of texts, by name: the columns of `graded` in their order."""
    names = ("exact_match", "f1") if answers.kind == "text" else ("exact_match", "wer", "cer", "chrf")
    return {name: mean(number) for number, name in enumerate(names)}


def graded(answers: Answers, item: str, said: str, gold: str) -> tuple[float, ...]:
    """One text against the right ones, the best of them for each metric; both are compared under the kind's rule.

    `exact_match`; for answers `f1` of their words, as SQuAD counts it; for corrections `wer`, `cer` and `chrf`.
    """
    right = answers.golds(item, gold)
    text = NORMALISATIONS[RULES[answers.kind]](said)
    exact = float(text in right)
    if answers.kind == "text":
        return exact, max(overlap_f1(tokens(one), tokens(text)) for one in right)
    return (
        exact,
        min(error_rate(tokens(one), tokens(text)) for one in right),
        min(error_rate(one, text) for one in right),
        max(chrf(ngrams(one), ngrams(text)) for one in right),
    )


def pieces(answers: Answers, stored: str) -> tuple[Piece, ...]:
    """What an answer consists of: boxes, or spans."""
    if answers.kind == "boxes":
        return tuple((box,) for box in json.loads(stored))
    return tuple((start, end) for start, end, _ in spans_of(stored))


def layers(answers: Answers, said: Mapping[str, Sequence[Piece]], golds: Mapping[str, str]) -> tuple[Layer, ...]:
    """The layers of the pieces that are said of each item: the pieces themselves; for spans also words, characters."""
    of_gold = {item: pieces(answers, gold) for item, gold in golds.items()}
    whole = Layer(
        said={(item, one): 1.0 for item, several in said.items() for one in several},
        right={(item, one): float(one in of_gold[item]) for item, several in said.items() for one in several},
        gold={item: float(len(several)) for item, several in of_gold.items()},
    )
    if answers.kind == "boxes":
        return (whole,)
    words = {item: token_spans(answers.texts.get(item, "")) for item in golds}
    return (
        whole,
        _layer(said, of_gold, lambda item, span: _words(span, words[item])),
        _layer(said, of_gold, lambda _item, span: frozenset(range(int(span[0]), int(span[1])))),
    )


def _layer(
    said: Mapping[str, Sequence[Piece]],
    of_gold: Mapping[str, Sequence[Piece]],
    parts: Callable[[str, Piece], frozenset[int]],
) -> Layer:
    gold = {item: frozenset().union(*(parts(item, span) for span in several)) for item, several in of_gold.items()}
    cut = {(item, span): parts(item, span) for item, several in said.items() for span in several}
    return Layer(
        said={key: float(len(units)) for key, units in cut.items()},
        right={key: float(len(units & gold[key[0]])) for key, units in cut.items()},
        gold={item: float(len(units)) for item, units in gold.items()},
    )


def _words(span: Piece, words: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The words that a span touches, by number."""
    first, last = int(span[0]), int(span[1])
    return frozenset(number for number, (start, end) in enumerate(words) if first < end and start < last)


def piece_metrics(answers: Answers) -> dict[str, Metric]:
    """The metrics of boxes or spans over the columns exact, F1 of each layer, (boxes: right, gold, said of all boxes
    and then of each), number.
    """
    if answers.kind == "span":
        return {"exact_match": mean(0), "f1": mean(2), "f1_char": mean(3)}
    found: dict[str, Metric] = {"exact_match": mean(0), "f1a": pooled_f1(2), "f1m": mean(1)}
    for number, box in enumerate(answers.boxes or ()):
        found[f"f1 {box}"] = pooled_f1(5 + 3 * number)
    return found
