"""The metrics of labels and texts, and how texts are normalised and cut: one code for people and for models.

Standard library alone, so that this file can be copied beside any model's answers.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

APOSTROPHES = "'`´ʹʻʼʽˈ‘’‛′＇"
"""Everything that is typed where Ukrainian has an apostrophe; the rule `apostrophes` makes each of them U+0027."""

_TOKEN = re.compile(rf"[^\W_][\w\u0300-\u036f]*(?:[{APOSTROPHES}\u2010\u2011-][^\W_][\w\u0300-\u036f]*)*")


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What the metrics of closed labels are made of, one number a declared class: right answers, gold, answers.

    `total` counts all answers, so also those that name no class (a tie, a refusal), which are wrong. Numbers need not
    be whole: a resample weighs them.
    """

    right: tuple[float, ...]
    gold: tuple[float, ...]
    said: tuple[float, ...]
    total: float


def marked(gold: Sequence[str], said: Sequence[str | None], *, classes: Sequence[str]) -> Marks:
    """Lay answers against gold, place by place."""
    golds, answers = Counter(gold), Counter(said)
    rights = Counter(truth for truth, answer in zip(gold, said, strict=True) if truth == answer)
    return Marks(
        right=tuple(float(rights[name]) for name in classes),
        gold=tuple(float(golds[name]) for name in classes),
        said=tuple(float(answers[name]) for name in classes),
        total=float(len(gold)),
    )


def accuracy(marks: Marks) -> float:
    """The share of right answers."""
    return sum(marks.right) / marks.total if marks.total else math.nan


def f1_by_class(marks: Marks) -> tuple[float, ...]:
    """2 right / (gold + answers) of each class, 0 where nothing is right."""
    return tuple(
        2 * right / (gold + said) if right else 0.0
        for right, gold, said in zip(marks.right, marks.gold, marks.said, strict=True)
    )


def macro_f1(marks: Marks) -> float:
    """The unweighted mean over the declared classes."""
    return sum(f1_by_class(marks)) / len(marks.right) if marks.total else math.nan


def weighted_f1(marks: Marks) -> float:
    """The mean over the classes, each weighed by how often it is gold."""
    weighed = sum(gold * f1 for gold, f1 in zip(marks.gold, f1_by_class(marks), strict=True))
    return weighed / sum(marks.gold) if sum(marks.gold) else math.nan


def mcc(marks: Marks) -> float:
    """Matthews' correlation for any number of classes (Gorodkin 2004), 0 where it is undefined.

    What names no class counts as a class of its own that is never gold.
    """
    if not marks.total:
        return math.nan
    s, c = marks.total, sum(marks.right)
    none_said, none_gold = s - sum(marks.said), s - sum(marks.gold)
    both = sum(said * gold for said, gold in zip(marks.said, marks.gold, strict=True))
    of_said = s * s - sum(said * said for said in marks.said) - none_said * none_said
    of_gold = s * s - sum(gold * gold for gold in marks.gold) - none_gold * none_gold
    if min(of_said, of_gold) <= 1e-12 * s * s:
        return 0.0
    return (c * s - both) / math.sqrt(of_said * of_gold)


METRICS: Mapping[str, Callable[[Marks], float]] = MappingProxyType(
    {"accuracy": accuracy, "macro_f1": macro_f1, "weighted_f1": weighted_f1, "mcc": mcc}
)


def _verbatim(text: str) -> str:
    return text


def _spaces(text: str) -> str:
    return " ".join(text.split())


def _apostrophes(text: str) -> str:
    """NFC, and every apostrophe between or after letters as U+0027."""
    return re.sub(rf"(?<=\w)[{APOSTROPHES}]", "'", unicodedata.normalize("NFC", text))


def _ukrainian(text: str) -> str:
    """Apostrophes, case and blanks do not count, nor does the stress mark."""
    bare = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).replace("\u0301", ""))
    return _spaces(_apostrophes(bare).lower())


def _squad(text: str) -> str:
    """SQuAD's own without the English articles: lower case, ASCII punctuation away, blanks squeezed."""
    return _spaces(text.lower().translate(str.maketrans("", "", string.punctuation)))


def _unicode_punct(text: str) -> str:
    """As `squad`, with all punctuation of Unicode, apostrophes of every kind among it."""
    kept = "".join(
        letter
        for letter in text.lower()
        if letter not in APOSTROPHES and not unicodedata.category(letter).startswith("P")
    )
    return _spaces(kept)


NORMALISATIONS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "verbatim": _verbatim,
        "spaces": _spaces,
        "apostrophes": _apostrophes,
        "ukrainian": _ukrainian,
        "squad": _squad,
        "unicode_punct": _unicode_punct,
    }
)


RULES: Mapping[str, str] = MappingProxyType({"text": "unicode_punct", "edit": "spaces"})
"""Under which normalisation texts are compared: words alone count in answers, every sign in corrections."""


def token_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each word begins and ends; п'ять, п’ять, обʼєкт and будь-який are one word each, punctuation is none."""
    return tuple(found.span() for found in _TOKEN.finditer(text))


def tokens(text: str) -> tuple[str, ...]:
    """The words of a text, as `token_spans` cuts them."""
    return tuple(text[start:end] for start, end in token_spans(text))


def distance(one: Sequence[Hashable], two: Sequence[Hashable]) -> int:
    """Levenshtein's distance between two sequences, by Myers' bit vectors (Hyyrö 2003): a word of `one` at a time."""
    if len(one) < len(two):
        one, two = two, one
    if not two:
        return len(one)
    places: dict[Hashable, int] = {}
    for number, sign in enumerate(two):
        places[sign] = places.get(sign, 0) | 1 << number
    full, last = (1 << len(two)) - 1, 1 << (len(two) - 1)
    up, down, score = full, 0, len(two)
    for sign in one:
        match = places.get(sign, 0) | down
        across = (((match & up) + up) ^ up) | match
        rises, falls = down | (full & ~(across | up)), up & across
        score += bool(rises & last) - bool(falls & last)
        rises, falls = (rises << 1 | 1) & full, (falls << 1) & full
        up, down = falls | (full & ~(across | rises)), rises & across
    return score


def error_rate(reference: Sequence[Hashable], said: Sequence[Hashable]) -> float:
    """Edits over the length of the reference: CER of two texts, WER of their words; 1 for anything against nothing."""
    if not reference:
        return float(bool(said))
    return distance(reference, said) / len(reference)


def overlap_f1(reference: Sequence[Hashable], said: Sequence[Hashable]) -> float:
    """F1 of what two sequences share, repeats counted: SQuAD's, of the tokens of two texts; empty ones are equal."""
    total = len(reference) + len(said)
    return 2 * (Counter(reference) & Counter(said)).total() / total if total else 1.0


def ngrams(text: str, *, longest: int = 6) -> tuple[Counter[str], ...]:
    """How often each stretch of 1 to `longest` characters occurs, blanks left out: what chrF compares."""
    plain = "".join(text.split())
    return tuple(
        Counter(plain[start : start + size] for start in range(len(plain) - size + 1)) for size in range(1, longest + 1)
    )


def chrf(reference: tuple[Counter[str], ...], said: tuple[Counter[str], ...], *, beta: float = 2.0) -> float:
    """chrF, Popović (2015), of two texts' `ngrams`, 0 to 1, as sacreBLEU counts it.

    Precision and recall are averaged over the lengths that both texts have; two empty texts are equal.
    """
    precision, recall, orders = 0.0, 0.0, 0
    for expected, found in zip(reference, said, strict=True):
        n_expected, n_found = expected.total(), found.total()
        if n_expected and n_found:
            matched = (expected & found).total()
            precision, recall, orders = precision + matched / n_found, recall + matched / n_expected, orders + 1
    if not orders:
        return float(not reference[0] and not said[0])
    if not precision + recall:
        return 0.0
    precision, recall = precision / orders, recall / orders
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
