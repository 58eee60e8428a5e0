"""Scores of baselines that answer without understanding: chance, the majority class, a position, the longest option …

They are scored by the metrics of `aggregation.scoring`, as people and models are. Where several options fit a baseline
equally well it draws one of them, and metrics are computed from the expected counts. Of places that hold the gold
equally often it takes the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from aggregation.errors import HromadaError
from aggregation.findings import Finding
from aggregation.scoring import METRICS, LabelCounts, count_labels, split_words

REASON_NO_CLASSES = Finding("no-shared-classes")
REASON_NO_TEXTS = Finding("no-option-in-texts")
REASON_SAME_OPTIONS = Finding("same-options")


@dataclass(frozen=True, kw_only=True)
class OptionItem:
    """An item with gold whose answer is one of its options.

    `labels` are the options as answers name them, `options` as they are read, both in the order of the data set, and
    `gold` is one of `labels`; `text` is what the item shows without its options.
    """

    gold: str
    labels: tuple[str, ...]
    options: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class TrivialBaseline:
    """What a baseline scores: `scores` by metric (nan where undefined), or the `reason` why there is none.

    `answer` says what it answers, where that is the same for all items. `n_torn` is the number of items on which it
    takes one of several options by lot.
    """

    name: str
    scores: Mapping[str, float]
    answer: str = ""
    n_torn: int = 0
    reason: str = ""


def score_trivial_baselines(
    items: Sequence[OptionItem],
    *,
    classes: Sequence[str] | None,
    normalise: Callable[[str], str] = str.casefold,
) -> tuple[TrivialBaseline, ...]:
    """Score every trivial baseline on items with gold; raises HromadaError where there are none.

    `classes` are the labels that mean the same on all items, None where there are none; then only the accuracy is
    defined. `random` takes an option of the item with the chance 1/k, `random_by_class` a class as often as gold has
    it; `majority_class` is the most frequent gold; `position` and `position_from_end` count options in their stored
    order and take the place where gold is most often; `longest_option` and `shortest_option` count characters;
    `most_mentioned_option` is the option that occurs most often in the item's text, as a run of words compared by
    `normalise` (Eval-UA-tion's most-frequent baseline compares lemmas: give it a lemmatiser).
    """
    if not items:
        raise HromadaError("No item has gold to score baselines against.", remedy="Declare gold or a truth file.")
    return (
        _score_choices("random", items, [item.labels for item in items], classes=classes),
        _score_class_distribution(items, classes=classes),
        _score_majority_class(items, classes=classes),
        _score_position("position", items, classes=classes, is_from_end=False),
        _score_position("position_from_end", items, classes=classes, is_from_end=True),
        _score_lengths("longest_option", items, classes=classes, sign=1),
        _score_lengths("shortest_option", items, classes=classes, sign=-1),
        _score_mentions(items, classes=classes, normalise=normalise),
    )


def _split_normalised(text: str, normalise: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(map(normalise, split_words(text)))


def _count_runs(words: tuple[str, ...], sought: tuple[str, ...]) -> int:
    """How often words stand one after another in others."""
    if not sought or sought[0] not in words:
        return 0
    return sum(words[start : start + len(sought)] == sought for start in range(len(words) - len(sought) + 1))


def _score_choices(
    name: str,
    items: Sequence[OptionItem],
    answers: Sequence[tuple[str, ...]],
    *,
    classes: Sequence[str] | None,
    answer: str = "",
) -> TrivialBaseline:
    """Score a tuple of options for each item: one of several is drawn at random; an empty tuple is a wrong answer."""
    gold = [item.gold for item in items]
    labels = classes if classes is not None else sorted({*gold, *(label for tied in answers for label in tied)})
    counts = count_labels(gold, answers, classes=labels)
    n_torn = sum(len(tied) > 1 for tied in answers)
    return TrivialBaseline(name=name, scores=_compute_scores(counts, classes=classes), answer=answer, n_torn=n_torn)


def _compute_scores(counts: LabelCounts, *, classes: Sequence[str] | None) -> dict[str, float]:
    """All metrics of the expected counts: a draw counts with its probability of being right."""
    names = METRICS if classes is not None else ("accuracy",)
    return {name: METRICS[name](counts) for name in names}


def _score_class_distribution(items: Sequence[OptionItem], *, classes: Sequence[str] | None) -> TrivialBaseline:
    name = "random_by_class"
    if classes is None:
        return TrivialBaseline(name=name, scores={}, reason=REASON_NO_CLASSES)
    n_gold, total = Counter(item.gold for item in items), float(len(items))
    gold = tuple(float(n_gold[label]) for label in classes)
    right = tuple(number * number / total for number in gold)
    counts = LabelCounts(right=right, gold=gold, answered=gold, total=total)
    return TrivialBaseline(name=name, scores=_compute_scores(counts, classes=classes), n_torn=len(items))


def _score_majority_class(items: Sequence[OptionItem], *, classes: Sequence[str] | None) -> TrivialBaseline:
    name = "majority_class"
    if classes is None:
        return TrivialBaseline(name=name, scores={}, reason=REASON_NO_CLASSES)
    n_gold = Counter(item.gold for item in items)
    most = tuple(label for label in classes if n_gold[label] == max(n_gold.values()))
    return _score_choices(name, items, [most] * len(items), classes=classes, answer=reduce(_join_labels, most))


def _join_labels(first: str, second: str) -> str:
    return Finding("or", first=first, second=second)


def _score_position(
    name: str, items: Sequence[OptionItem], *, classes: Sequence[str] | None, is_from_end: bool
) -> TrivialBaseline:
    """Always answer at the place where gold is most frequent; an item with fewer options is answered wrong."""
    if classes is not None and len({item.options for item in items}) == 1:
        return TrivialBaseline(name=name, scores={}, reason=REASON_SAME_OPTIONS)
    ordered = [item.labels[::-1] if is_from_end else item.labels for item in items]
    places = Counter(labels.index(item.gold) for item, labels in zip(items, ordered, strict=True))
    best = min(places, key=lambda place: (-places[place], place))
    answers = [labels[best : best + 1] for labels in ordered]
    return _score_choices(name, items, answers, classes=classes, answer=str(best + 1))


def _score_lengths(
    name: str, items: Sequence[OptionItem], *, classes: Sequence[str] | None, sign: int
) -> TrivialBaseline:
    answers = [_find_best(item, [sign * len(option) for option in item.options]) for item in items]
    return _score_choices(name, items, answers, classes=classes)


def _score_mentions(
    items: Sequence[OptionItem], *, classes: Sequence[str] | None, normalise: Callable[[str], str]
) -> TrivialBaseline:
    counts = []
    for item in items:
        words = _split_normalised(item.text, normalise)
        counts.append([_count_runs(words, _split_normalised(option, normalise)) for option in item.options])
    if not any(map(any, counts)):
        return TrivialBaseline(name="most_mentioned_option", scores={}, reason=REASON_NO_TEXTS)
    answers = [_find_best(item, numbers) for item, numbers in zip(items, counts, strict=True)]
    return _score_choices("most_mentioned_option", items, answers, classes=classes)


def _find_best(item: OptionItem, numbers: Sequence[int]) -> tuple[str, ...]:
    """The labels of the options with the highest number."""
    return tuple(label for label, number in zip(item.labels, numbers, strict=True) if number == max(numbers))
