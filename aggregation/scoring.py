"""The metrics of labels and texts, and the rules by which two texts are equal: the same code scores people and models.

It needs the standard library alone, so that this file can be copied next to any model's answers.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

APOSTROPHES = "'`´ʹʻʼʽˈ‘’‛′＇"
"""All characters typed as a Ukrainian apostrophe; the rule `apostrophes` replaces each of them with U+0027."""

_WORD = re.compile(rf"[^\W_][\w\u0300-\u036f]*(?:[{APOSTROPHES}\u2010\u2011-][^\W_][\w\u0300-\u036f]*)*")


@dataclass(frozen=True, kw_only=True)
class LabelCounts:
    """The counts from which all metrics of closed labels are computed.

    `right`, `gold` and `answered` have one number per declared class: how many answers were right, how many items have
    it as gold, how many answers named it. `total` counts all answers, so also those that name no class (a refusal),
    which are wrong. The numbers need not be whole: a tie is shared between its labels.
    """

    right: tuple[float, ...]
    gold: tuple[float, ...]
    answered: tuple[float, ...]
    total: float


def count_labels(
    gold: Sequence[str], answers: Sequence[str | Sequence[str] | None], *, classes: Sequence[str]
) -> LabelCounts:
    """Compare answers with gold, item by item. An answer is a label, several tied labels, or None if it names no class.

    A tie is shared equally between its labels: the counts are those expected of an answer drawn from them.
    """
    n_right, n_answers = dict.fromkeys(classes, 0.0), dict.fromkeys(classes, 0.0)
    for truth, answer in zip(gold, answers, strict=True):
        labels = () if answer is None else (answer,) if isinstance(answer, str) else answer
        for label in labels:
            share = 1 / len(labels)
            n_answers[label] = n_answers.get(label, 0.0) + share
            n_right[label] = n_right.get(label, 0.0) + share * (label == truth)
    n_gold = Counter(gold)
    return LabelCounts(
        right=tuple(n_right[name] for name in classes),
        gold=tuple(float(n_gold[name]) for name in classes),
        answered=tuple(n_answers[name] for name in classes),
        total=float(len(gold)),
    )


def accuracy(counts: LabelCounts) -> float:
    """The share of right answers; each of m tied answers counts 1/m."""
    return sum(counts.right) / counts.total if counts.total else math.nan


def f1_by_class(counts: LabelCounts) -> tuple[float, ...]:
    """2 right / (gold + answers) of each class; undefined (nan) for a class that neither gold nor answers have."""
    return tuple(
        2 * right / (gold + answered) if gold + answered else math.nan
        for right, gold, answered in zip(counts.right, counts.gold, counts.answered, strict=True)
    )


def macro_f1(counts: LabelCounts) -> float:
    """The unweighted mean of F1 over the classes that gold or answers have."""
    defined = [f1 for f1 in f1_by_class(counts) if not math.isnan(f1)]
    return sum(defined) / len(defined) if defined else math.nan


def weighted_f1(counts: LabelCounts) -> float:
    """The mean of F1 over the classes, each weighted by how often it is gold."""
    weighted = sum(gold * f1 for gold, f1 in zip(counts.gold, f1_by_class(counts), strict=True) if gold)
    return weighted / sum(counts.gold) if sum(counts.gold) else math.nan


def mcc(counts: LabelCounts) -> float:
    """Matthews' correlation for any number of classes (Gorodkin 2004), undefined where gold or answers never vary.

    Answers that name no class count as a class of their own that is never gold.
    """
    if not counts.total:
        return math.nan
    s, c = counts.total, sum(counts.right)
    unanswered, without_gold = s - sum(counts.answered), s - sum(counts.gold)
    products = sum(answered * gold for answered, gold in zip(counts.answered, counts.gold, strict=True))
    spread_answered = s * s - sum(answered * answered for answered in counts.answered) - unanswered * unanswered
    spread_gold = s * s - sum(gold * gold for gold in counts.gold) - without_gold * without_gold
    if min(spread_answered, spread_gold) <= 1e-12 * s * s:
        return math.nan
    difference = c * s - products
    if abs(difference) <= 1e-12 * s * s:  # what rounding leaves of 0: it would print as -0.000
        return 0.0
    return difference / math.sqrt(spread_answered * spread_gold)


METRICS: Mapping[str, Callable[[LabelCounts], float]] = MappingProxyType(
    {"accuracy": accuracy, "macro_f1": macro_f1, "weighted_f1": weighted_f1, "mcc": mcc}
)


def _verbatim(text: str) -> str:
    return text


def _exact(text: str) -> str:
    """NFC, with single spaces between words; everything else counts."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _apostrophes(text: str) -> str:
    """NFC, with every apostrophe that follows a letter or digit as U+0027."""
    return re.sub(rf"(?<=\w)[{APOSTROPHES}]", "'", unicodedata.normalize("NFC", text))


def _ukrainian(text: str) -> str:
    """Without differences of apostrophe, case, white space and stress marks."""
    bare = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).replace("\u0301", ""))
    return _exact(_apostrophes(bare).lower())


_ANSWER_WORDS = (
    r"(?:(?:so|therefore|the|my|final|correct|right|отже|моя|правильна|остаточна|итак|мой|правильный|верный|окончательный)"
    r"[,\s]+)*(?:answer|відповідь|ответ)\b[\s*_]*"
)
_ANNOUNCED_FIRST = re.compile(
    rf"\A[\s*_#«“\"]*{_ANSWER_WORDS}(?:[:=]|[–—-]+(?=\s)|\bis\b:?|\b(?:це|это)\b)[\s*_]*(?=[^\s*_])", re.IGNORECASE
)
_ANNOUNCED_LAST = re.compile(rf"(?:\n|[.!?]\s)[\s*_#]*{_ANSWER_WORDS}:[\s*_]*(?=[^\s*_][^\n]*\Z)", re.IGNORECASE)


def strip_announcement(text: str) -> str:
    """The answer after the words that announce it: `Відповідь: Київ` is `Київ`.

    They are the first words, or those of the last sentence if a colon follows; any other text stays as it is.
    """
    first = _ANNOUNCED_FIRST.match(text)
    if first is not None:
        return text[first.end() :]
    last = None if ":" not in text else _ANNOUNCED_LAST.search(text.rstrip())
    return text if last is None else text.rstrip()[last.end() :]


def _words(text: str) -> str:
    """SQuAD's normalisation, but English articles, and the minus and separators of numbers, stay.

    Words that announce an answer go first (`strip_announcement`).

    That is lower case, no Unicode punctuation, NFC. Any dash used as a minus becomes U+002D, and a comma between
    digits a point: −3,5 and -3.5 are equal, −6 and 6, 3.5 and 35 are not.
    """
    return _build_bare_words(text).translate(_COMMA_TO_POINT)


def _number(text: str) -> str:
    """A number in one form: 3,50 is 3.5, +6 is 6, −0 is 0, 10 963 is 10963; any other text as `words`.

    A number is written in digits 0 to 9 and nothing else once the punctuation around it is gone (3 кг, 1/2, 1e3 and
    5-7 are none). One comma or one point is its decimal mark. Spaces and apostrophes group thousands. So does a comma
    or point that occurs more than once (1,234,567) or comes before the other one (1,234.5 equals 1.234,5).
    """
    written = _build_bare_words(text)
    match = _NUMBER_FORM.fullmatch(written)
    if match is None:
        return written.translate(_COMMA_TO_POINT)
    whole = re.sub("[ .,]", "", match["plain"] or match["grouped"] or "").lstrip("0") or "0"
    part = (match["part"] or match["last"] or "").rstrip("0")
    value = f"{whole}.{part}" if part else whole
    return f"-{value}" if match["sign"] == "-" and value != "0" else value


def is_number(text: str) -> bool:
    """Whether the normalisation `number` recognises the text as a number."""
    return _NUMBER_FORM.fullmatch(_build_bare_words(text)) is not None


_DASHES = "\u002d\u058a\u2010-\u2015\u2212\ufe58\ufe63\uff0d"
_SIGNED_NUMBER = re.compile(
    r"(?:(?<![^\W_])-(?=[.,]?\d)|\A-\s+(?=[\d\s.,]+\Z))?"
    rf"(?:(?<![\w.,])[.,])?\d+(?:[^\w\s{APOSTROPHES}]\d+)*"
)
"""Digits with their minus (also of an answer like `- 6`), and with commas and points before and between them."""
_NUMBER_FORM = re.compile(
    r"(?P<sign>[-+]?)(?:(?=[.,]?[0-9])(?P<plain>[0-9]{1,3}(?: [0-9]{3})+|[0-9]*)(?:[.,](?P<part>[0-9]+))?"
    r"|(?P<grouped>[0-9]{1,3}(?:(?P<mark>[.,])[0-9]{3})(?:(?P=mark)[0-9]{3})*)"
    r"(?:(?!(?P=mark))[.,](?P<last>[0-9]+)|(?<=[.,][0-9]{3}[.,][0-9]{3})))"
)
_COMMA_TO_POINT = {ord(","): "."}


def _build_bare_words(text: str) -> str:
    """A text without punctuation and without words that announce an answer, also those that punctuation hid."""
    bare = remove_punctuation(strip_announcement(text))
    answer = strip_announcement(bare)
    return bare if answer == bare else _build_bare_words(answer)


def remove_punctuation(text: str) -> str:
    """Lower case, single spaces, no punctuation except the minus and separators of numbers; dashes are U+002D."""
    lower = re.sub(f"[{_DASHES}]", "-", unicodedata.normalize("NFC", text).strip().lower())
    parts, position = [], 0
    for number in _SIGNED_NUMBER.finditer(lower):
        signed = "".join(number[0].split())
        parts += [_drop_punctuation(lower[position : number.start()]), signed if signed[0].isdigit() else f" {signed}"]
        position = number.end()
    return _exact("".join([*parts, _drop_punctuation(lower[position:])]))


def _drop_punctuation(text: str) -> str:
    return "".join(
        letter for letter in text if letter not in APOSTROPHES and not unicodedata.category(letter).startswith("P")
    )


Normalisation = Literal["words", "exact", "number"]
"""The rules that a project file may name; the other rules are used in lints and by the program itself."""

NORMALISATIONS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "words": _words,
        "exact": _exact,
        "number": _number,
        "verbatim": _verbatim,
        "apostrophes": _apostrophes,
        "ukrainian": _ukrainian,
    }
)
NORMALISATION_BY_TYPE: Mapping[str, Normalisation] = MappingProxyType({"text": "words", "edit": "exact"})
"""The default of an answer type. Corrections are compared by `exact`, because every character matters in them."""


def normalise_answer(rule: str | None, answer: str) -> str:
    """An answer in the form in which answers are compared, by the name of the normalisation; None changes nothing."""
    return answer if rule is None else NORMALISATIONS[rule](answer)


def is_right_answer(rule: str | None, answer: str, right_answers: Iterable[str]) -> bool:
    """Whether an answer equals one of the right ones under a normalisation; None takes only the same text."""
    return normalise_answer(rule, answer) in {normalise_answer(rule, right) for right in right_answers}


def find_words(text: str) -> tuple[tuple[int, int], ...]:
    """The start and end of each word; п'ять, п’ять, обʼєкт and будь-який are one word each, punctuation is no word."""
    return tuple(match.span() for match in _WORD.finditer(text))


def split_words(text: str) -> tuple[str, ...]:
    """The words of a text, as `find_words` cuts them."""
    return tuple(text[start:end] for start, end in find_words(text))


def edit_distance(one: Sequence[Hashable], two: Sequence[Hashable]) -> int:
    """Levenshtein's distance between two sequences, by Myers' bit vectors (Hyyrö 2003)."""
    if len(one) < len(two):
        one, two = two, one
    if not two:
        return len(one)
    places: dict[Hashable, int] = {}
    for number, element in enumerate(two):
        places[element] = places.get(element, 0) | 1 << number
    full, last = (1 << len(two)) - 1, 1 << (len(two) - 1)
    up, down, score = full, 0, len(two)
    for element in one:
        match = places.get(element, 0) | down
        across = (((match & up) + up) ^ up) | match
        rises, falls = down | (full & ~(across | up)), up & across
        score += bool(rises & last) - bool(falls & last)
        rises, falls = (rises << 1 | 1) & full, (falls << 1) & full
        up, down = falls | (full & ~(across | rises)), rises & across
    return score


def error_rate(reference: Sequence[Hashable], answer: Sequence[Hashable]) -> float:
    """Edits over the length of the reference: CER of two texts, WER of their words.

    For an empty reference: 0 if the answer is empty too, otherwise 1.
    """
    if not reference:
        return float(bool(answer))
    return edit_distance(reference, answer) / len(reference)


def count_edits(right: Iterable[Sequence[Hashable]], answer: Sequence[Hashable]) -> tuple[int, int]:
    """The edits from the right answer with the least `error_rate` (the first of several), and that one's length.

    The corpus value of CER or WER is the sum of edits over the sum of lengths, of all answers.
    """
    nearest = min(right, key=lambda reference: error_rate(reference, answer))
    return edit_distance(nearest, answer), len(nearest)


def overlap_f1(reference: Sequence[Hashable], answer: Sequence[Hashable]) -> float:
    """F1 of the elements that two sequences share, repeats counted (SQuAD's, of words); two empty ones have 1."""
    total = len(reference) + len(answer)
    return 2 * (Counter(reference) & Counter(answer)).total() / total if total else 1.0


def count_ngrams(text: str, *, longest: int = 6) -> tuple[Counter[str], ...]:
    """The character n-grams of a text without blanks, counted, by length from 1 to `longest`: what chrF compares."""
    joined = "".join(text.split())
    return tuple(
        Counter(joined[start : start + size] for start in range(len(joined) - size + 1))
        for size in range(1, longest + 1)
    )


def chrf(reference: tuple[Counter[str], ...], answer: tuple[Counter[str], ...], *, beta: float = 2.0) -> float:
    """chrF, Popović (2015), from the n-grams (`count_ngrams`) of two texts, 0 to 1, as sacreBLEU counts it.

    Precision and recall are averaged over the lengths that both texts have; two empty texts are equal.
    """
    precision, recall, orders = 0.0, 0.0, 0
    for expected, actual in zip(reference, answer, strict=True):
        n_expected, n_actual = expected.total(), actual.total()
        if n_expected and n_actual:
            matched = (expected & actual).total()
            precision, recall, orders = precision + matched / n_actual, recall + matched / n_expected, orders + 1
    if not orders:
        return float(not reference[0] and not answer[0])
    if not precision + recall:
        return 0.0
    precision, recall = precision / orders, recall / orders
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
