"""Guesses what kind of question people answered, from their answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from aggregation import spelling
from annotation.campaigns.questions import KINDS, Question
from annotation.campaigns.questions.question_base import decode_json
from annotation.input_files import parse_printed_list
from annotation.loading.project_drafts.column_names import says_rating
from annotation.loading.project_drafts.column_profiles import MAX_LABEL, MAX_LABELS
from annotation.loading.project_drafts.yaml_lines import YamlLine

QuestionClass = type[Question]
_WHOLE = re.compile(r"-?\d{1,6}")
_WHOLE_WITH_POINT = re.compile(r"(-?\d{1,6})\.0+")
_NUMBER = re.compile(r"[-−+]?\d+(?:[.,]\d+)?")  # the minus of a text
_SEVERAL = ("; ", ";", ", ", " | ", "|", ",", "\n")
"""What is between several answers in one cell; Google Forms writes a comma and a blank."""
_FIRST_LABELS = (
    "yes",
    "true",
    "left",
    "a",
    "так",
    "правда",
    "ліва",
    "лівий",
    "ліворуч",
    "да",
    "верно",
    "левая",
    "слева",
)
"""Labels that come first among the options; all others are in the order of the alphabet."""
_ABSTENTIONS = frozenset(
    {
        "i don t know", "don t know", "dont know", "do not know", "unsure", "not sure", "cannot tell", "can t tell",
        "cannot say", "skip", "не знаю", "важко сказати", "не впевнений", "не впевнена", "складно сказати",
        "не уверен", "трудно сказать", "затрудняюсь ответить",
    }
)  # fmt: skip
MAX_POINTS = 11
"""The most points that whole numbers are taken for a scale with."""


@dataclass(frozen=True, kw_only=True)
class QuestionGuess:
    """A question: its `type` with the comment on how sure it is, its other keys, and labels that have to be mapped.

    `text` is what was asked, if the files say so. With `item_options` the options are columns of the items.
    """

    type: YamlLine
    keys: tuple[YamlLine, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    is_required: bool = True
    item_options: bool = False

    @property
    def question(self) -> QuestionClass:
        """The class of questions of the type, which knows what suits it."""
        return KINDS[str(self.type.value)]

    @property
    def options(self) -> tuple[str, ...]:
        """The options; empty if it has none."""
        return tuple(str(one) for line in self.keys if line.key == "options" for one in line.value)


def guess_question(answers: Iterable[str], *, column: str = "") -> QuestionGuess:
    """Return the question to which these are answers; empty ones do not count.

    The name of their column decides whether whole numbers from 0 are points of a scale or classes.
    """
    counts = Counter(key for answer in answers if (key := spelling.build_key(answer)))
    lists = {answer: _read_list(answer) for answer in counts}
    if lists and all(found is not None for found in lists.values()):
        elements = [element for found in lists.values() for element in found or ()]
        if all(isinstance(element, dict) and "start" in element for element in elements):
            return _guess_span([element for element in elements if isinstance(element, dict)], lists)
    if any(found is not None for found in lists.values()) and (guess := _guess_lists(counts, lists)):
        return guess
    return (
        _guess_numbers(counts, is_rating=says_rating(column))
        or _guess_several(counts)
        or _guess_labels(counts)
        or _guess_text(counts)
    )


def guess_item_choice(answers: Iterable[str]) -> QuestionGuess:
    """Return a choice among each item's own options."""
    n = sum(1 for answer in answers if answer.strip())
    comment = f"every answer ({n}) is an option of its item" if n else "each item has its own options"
    return QuestionGuess(type=YamlLine("type", "choice", comment), item_options=True)


def _read_list(answer: str) -> list[object] | None:
    value = decode_json(answer) if answer.startswith("[") else None
    value = parse_printed_list(answer) if not isinstance(value, list) else value
    return value if isinstance(value, list) else None


def _guess_lists(counts: Counter[str], lists: Mapping[str, list[object] | None]) -> QuestionGuess | None:
    """Several labels in a list, or a ranking of the same ones; None if the elements are no labels."""
    times = Counter[str]()
    for answer, found in lists.items():
        for element in [answer] if found is None else found:
            if not isinstance(element, str) or len(element) > MAX_LABEL:
                return None
            times[element] += counts[answer]
    if len(times) > MAX_LABELS:
        return None
    if all(found and len(found) == len(times) > 1 for found in lists.values()) and len(lists) > 1:
        return QuestionGuess(
            type=YamlLine("type", "text", "lists of the same labels in other orders: a ranking", sure=False)
        )
    return _guess_choices(times, "lists of labels in one cell")


def _guess_span(parts: Sequence[Mapping[str, object]], lists: Mapping[str, object]) -> QuestionGuess:
    labels = sorted({str(part["label"]) for part in parts if part.get("label")})
    most = max((len(found) for found in lists.values() if isinstance(found, list)), default=1)
    keys = [YamlLine("most", str(max(1, most)), "as many parts as one answer has")]
    keys += [YamlLine("labels", tuple(labels))] if labels else []
    return QuestionGuess(type=YamlLine("type", "span", "marked parts of a text"), keys=tuple(keys))


def _guess_numbers(counts: Counter[str], *, is_rating: bool) -> QuestionGuess | None:
    """A scale, a choice of 0 and 1, or free numbers; None if some answer is not a number."""
    if not counts or not all(_NUMBER.fullmatch(answer) for answer in counts):
        return None
    labels = {answer: found[1] for answer in counts if (found := _WHOLE_WITH_POINT.fullmatch(answer))}
    whole = {labels.get(answer, answer) for answer in counts}
    if not all(_WHOLE.fullmatch(answer) for answer in whole):
        return _build_number_question(counts)
    numbers = sorted({int(answer) for answer in whole})
    if len(numbers) <= 2 and set(numbers) <= {0, 1}:
        keys = (YamlLine("options", ("0", "1")),)
        return QuestionGuess(type=YamlLine("type", "choice", _count(counts)), keys=keys, labels=labels)
    if len(numbers) < MAX_POINTS and numbers[0] == 0 and not is_rating:
        keys = (YamlLine("options", tuple(map(str, numbers))),)
        comment = f"whole numbers from 0 to {numbers[-1]}; if their order means something, write scale"
        return QuestionGuess(type=YamlLine("type", "choice", comment, sure=False), keys=keys, labels=labels)
    low = 1 if numbers[0] > 1 and numbers[-1] <= 10 else numbers[0]
    high = next((top for top in (3, 5, 7, 10) if low in {0, 1} and numbers[-1] <= top), numbers[-1])
    high = numbers[-1] if numbers[-1] in {2, 4, 6} and len(numbers) == numbers[-1] - low + 1 else high
    if high - low >= MAX_POINTS:
        return _build_number_question(counts)
    points = tuple(str(point) for point in range(low, high + 1))
    missing = [point for point in points if int(point) not in numbers]
    comment = f"whole numbers from {numbers[0]} to {numbers[-1]}"
    comment += "" if is_rating else "; if they are names of classes, write choice"
    note = f"nobody answered {', '.join(missing)}" if missing else ""
    keys = (YamlLine("options", points, note, sure=not missing),)
    return QuestionGuess(type=YamlLine("type", "scale", comment, sure=is_rating), keys=keys, labels=labels)


def _build_number_question(counts: Counter[str]) -> QuestionGuess:
    comment = f"{len(counts)} different numbers"
    return QuestionGuess(type=YamlLine("type", "text", comment), keys=(YamlLine("normalise", "number"),))


def _guess_several(counts: Counter[str]) -> QuestionGuess | None:
    """Several labels in one cell, if most of them also occur in other answers; None for all other answers."""
    for separator in _SEVERAL:
        parts = {answer: [part.strip() for part in answer.split(separator)] for answer in counts}
        several = [found for found in parts.values() if len(found) > 1]
        uses = Counter(part for found in parts.values() for part in set(found))
        in_several = {part for found in several for part in found}
        is_list = all(part and len(part) <= MAX_LABEL for part in uses) and len(uses) <= MAX_LABELS
        if several and is_list and sum(uses[part] > 1 for part in in_several) * 2 > len(in_several):
            times = Counter[str]()
            for answer, found in parts.items():
                times.update(dict.fromkeys(found, counts[answer]))
            sign = separator.strip() or ("new line" if separator == "\n" else "blank")
            guess = _guess_choices(times, f"{len(several)} of {len(counts)} different cells hold several, by {sign!r}")
            labels = {
                answer: json.dumps(found, ensure_ascii=False) for answer, found in parts.items() if len(found) > 1
            }
            return replace(guess, type=replace(guess.type, sure=False), labels=labels)
    return None


def _guess_choices(counts: Counter[str], comment: str) -> QuestionGuess:
    return QuestionGuess(type=YamlLine("type", "choices", comment), keys=(YamlLine("options", sort_labels(counts)),))


def _guess_labels(counts: Counter[str]) -> QuestionGuess | None:
    """A choice among few short labels; None for other answers."""
    total = counts.total()
    are_short = all(len(answer) <= MAX_LABEL and "\n" not in answer for answer in counts)
    if len(counts) < 2 or not are_short or len(counts) > MAX_LABELS or (len(counts) > 3 and total < 2 * len(counts)):
        return None
    spelled: dict[str, str] = {}
    for answer, _ in counts.most_common():
        spelled.setdefault(answer.casefold(), answer)
    labels = {answer: spelled[answer.casefold()] for answer in counts if spelled[answer.casefold()] != answer}
    options = sort_labels(spelled.values())
    abstain = [option for option in options if _to_words(option) in _ABSTENTIONS]
    if len(abstain) == 1 and len(options) > 1:
        keys = [YamlLine("options", tuple(option for option in options if option not in abstain))]
        keys.append(YamlLine("abstain", abstain[0], "counts as no answer", sure=False))
    else:
        keys = [YamlLine("options", options)]
    is_sure = total >= 2 * len(counts)
    return QuestionGuess(type=YamlLine("type", "choice", _count(counts), sure=is_sure), keys=tuple(keys), labels=labels)


def _guess_text(counts: Counter[str]) -> QuestionGuess:
    longest = max(map(len, counts), default=0)
    if len(counts) == 1 and longest <= MAX_LABEL:
        comment = f"all answers are {next(iter(counts))}; if others were possible, write type: choice, options: […]"
        return QuestionGuess(type=YamlLine("type", "text", comment, sure=False))
    keys = (YamlLine("longest", str(longest)),) if longest > 2000 else ()
    comment = f"{len(counts)} different answers" if counts else "nothing in the files says how people answer"
    return QuestionGuess(type=YamlLine("type", "text", comment, sure=bool(counts)), keys=keys)


def sort_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Return labels in the order of options: yes before no, left before right, else by the alphabet."""
    return tuple(
        sorted(set(labels), key=lambda label: (label.casefold() not in _FIRST_LABELS, label.casefold(), label))
    )


def _to_words(label: str) -> str:
    return re.sub(r"\W+", " ", label).strip().casefold()


def _count(counts: Counter[str]) -> str:
    shown = ", ".join(f"{label} {times}" for label, times in counts.most_common(5))
    return shown + (f" and {len(counts) - 5} more" if len(counts) > 5 else "")
