"""Rules about texts: empty fields, repeated items, letters of the wrong alphabet."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from aggregation.findings import Argument, Finding
from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import LintItem, LintQuestion, PairsByQuestion, SurfaceLimits, collapse_spaces
from annotation.campaigns.lint.rules import LintFinding, LintRule
from annotation.campaigns.questions import compared_texts
from annotation.campaigns.questions.question_base import count_units


def find_exceeded_limits(
    items: Sequence[LintItem], pairs_by_question: PairsByQuestion, limits: SurfaceLimits
) -> Iterator[LintFinding]:
    """Find options that are longer than a button, items with too many of them, and items longer than a message.

    Long options that all items share are in the project file, and listed in the message: they are no finding.
    """
    ids_with_long_option: set[str] = set()
    for name, pairs in pairs_by_question.items():
        with_long_option = [(item, question) for item, question in pairs if _has_long_option(question, limits)]
        ids_with_long_option.update(item.id for item, _ in with_long_option)
        own = [(item, question) for item, question in with_long_option if not question.has_shared_options]
        if own:
            longest = max((option for _, question in own for option in question.options), key=len)
            yield LintFinding(
                rule=rules.LONG_OPTION,
                ids=tuple(item.id for item, _ in own),
                message=Finding(
                    "long-option",
                    n=len(own),
                    m=len(pairs),
                    name=name,
                    letters=limits.button_characters,
                    most=len(longest),
                ),
                field=name,
            )
        with_many_options = [item for item, question in with_long_option if len(question.options) > limits.n_buttons]
        if with_many_options:
            yield LintFinding(
                rule=rules.TOO_MANY_OPTIONS,
                ids=tuple(item.id for item in with_many_options),
                message=Finding(
                    "many-long-options", n=len(with_many_options), m=len(pairs), k=limits.n_buttons, name=name
                ),
                first=f"The item has more than {limits.n_buttons} options, and they are too long for buttons.",
                field=name,
            )
    yield from _find_too_long_to_compare(items)
    lengths = {
        item.id: length
        for item in items
        if (length := _measure_length(item, limits, lists_options=item.id in ids_with_long_option))
        > limits.message_units
    }
    if lengths:
        yield LintFinding(
            rule=rules.LONG_TEXT,
            ids=tuple(lengths),
            message=Finding("long-text", n=len(lengths), m=len(items), most=max(lengths.values())),
        )


def _find_too_long_to_compare(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find items whose texts to compare need more messages than anybody keeps in mind."""
    lengths = {
        item.id: n_messages
        for item in items
        for question in item.questions[:1]
        if question.compares
        and len(question.options) > 1
        and (
            n_messages := compared_texts.count_messages(
                question.options, above="\n\n".join(item.shown.values()), below=question.text
            )
        )
        > compared_texts.MAX_MESSAGES
    }
    if lengths:
        yield LintFinding(
            rule=rules.TOO_LONG_TO_COMPARE,
            ids=tuple(lengths),
            message=Finding("items-too-long-to-compare", n=len(lengths), m=len(items), most=max(lengths.values())),
        )


def _has_long_option(question: LintQuestion, limits: SurfaceLimits) -> bool:
    is_long = bool(question.options) and max(map(len, question.options)) > limits.button_characters
    return is_long and not question.compares


def _measure_length(item: LintItem, limits: SurfaceLimits, *, lists_options: bool) -> int:
    """The UTF-16 units of a message with the shown fields and questions of an item.

    `lists_options`: some options are too long for buttons, so they are listed in the message and count.
    """
    parts = [*item.shown.values(), *[question.text for question in item.questions]]
    for question in item.questions:
        if question.compares or (lists_options and _has_long_option(question, limits)):
            # each option is listed after its letter; here "A" stands for any letter, because only the length matters
            parts += [f"A) {option}" for option in question.options]
    text = "\n\n".join(parts)
    if 2 * len(text) <= limits.message_units:
        return len(text)  # of a short text no more is asked than that it is no longer than a message
    return count_units(text)


_LATIN = "A-Za-zÀ-ÖØ-öø-ɏ"
_CYRILLIC = "\u0400-\u052f"
_COMBINING = "[\u0300-\u036f]*"
"""Stress and other combining marks, which may follow any letter."""

_LATIN_LETTER = re.compile(f"[{_LATIN}]")
_MIXED_PAIR = re.compile(f"[{_LATIN}]{_COMBINING}[{_CYRILLIC}]|[{_CYRILLIC}]{_COMBINING}[{_LATIN}]")
_LONE_LETTER = re.compile(r"(?<![\w'’ʼ])[aceiopxyABCEHKMOPT](?![\w'’ʼ])")
_WORD = rf"((?:[^\W\d_]{_COMBINING})+)"
_WORD_BEFORE, _WORD_AFTER = re.compile(rf"{_WORD}[\W\d_]*$"), re.compile(rf"[\W\d_]*?{_WORD}")
_CYRILLIC_LETTER = re.compile(f"[{_CYRILLIC}]")
_MAX_DISTANCE = 40
"""The number of characters on each side of a single letter in which its neighbouring words are searched."""


def build_stimulus_key(item: LintItem) -> tuple[object, ...]:
    """The key of an item's stimulus: shown texts, questions, and sorted options; equal for items that ask the same."""
    shown = tuple([collapse_spaces(text) for text in item.shown.values()])
    return (shown, tuple([(question.text, tuple(sorted(question.options))) for question in item.questions]))


def find_repeated_items(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find the items with the same stimulus as an earlier one."""
    texts = [tuple([collapse_spaces(text) for text in item.shown.values()]) for item in items]
    counts = Counter(texts)
    alike = [item for item, shown in zip(items, texts, strict=True) if counts[shown] > 1]  # few, if any
    original_by_key: dict[tuple[object, ...], LintItem] = {}
    with_original = [(item, original_by_key.setdefault(build_stimulus_key(item), item)) for item in alike]
    repeated = [(item, original) for item, original in with_original if item is not original]
    if repeated:
        item, original = repeated[0]
        n_other_gold = sum(
            [question.gold for question in item.questions] != [question.gold for question in original.questions]
            for item, original in repeated
        )
        code = "repeats-with-other-gold" if n_other_gold else "repeats"
        other: dict[str, Argument] = {"k": n_other_gold} if n_other_gold else {}
        yield LintFinding(
            rule=rules.REPEATED_QUESTION,
            ids=tuple(item.id for item, _ in repeated),
            message=Finding(code, n=len(repeated), m=len(items), **other),
            first=f"The item {item.id!r} asks what {original.id!r} asks.",
        )


def find_empty_fields(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find items that show nothing, and fields that are empty in some items only."""
    blank_items = [item for item in items if item.shown and not any(text.strip() for text in item.shown.values())]
    if blank_items:
        yield LintFinding(
            rule=rules.NOTHING_SHOWN,
            ids=tuple(item.id for item in blank_items),
            message=Finding("nothing-shown", n=len(blank_items), m=len(items)),
            first="The item has nothing to show.",
            field=next(iter(blank_items[0].shown)),
        )
    blank_ids = {item.id for item in blank_items}
    for field in dict.fromkeys(field for item in items for field in item.shown):
        ids_with_blank_field = (item.id for item in items if field in item.shown and not item.shown[field].strip())
        ids = tuple(item_id for item_id in ids_with_blank_field if item_id not in blank_ids)
        if ids:
            yield LintFinding(
                rule=rules.EMPTY_FIELD,
                ids=ids,
                message=Finding("empty-field", field=field, n=len(ids), m=len(items)),
                first=f"The field {field!r} of the item is empty.",
                field=field,
            )


def find_mixed_scripts(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find letters of the wrong alphabet in shown fields, questions and options; each text is examined once."""
    checks: tuple[tuple[LintRule, Callable[[str], str | None]], ...] = (
        (rules.MIXED_SCRIPT, _describe_mixed_word),
        (rules.LONE_LATIN, _describe_lone_letter),
    )
    clean_texts: set[str] = set()
    # by rule and item id: the field or question of the first problem, and its description
    problems_by_rule: dict[LintRule, dict[str, tuple[str, str]]] = {rule: {} for rule, _ in checks}
    for item in items:
        for field, text in _list_texts(item):
            if text in clean_texts:
                continue
            problems = (
                [(rule, problem) for rule, check in checks if (problem := check(text)) is not None]
                if not text.isascii() and _LATIN_LETTER.search(text) is not None
                else []
            )
            for rule, problem in problems:
                problems_by_rule[rule].setdefault(item.id, (field, problem))
            if not problems:
                clean_texts.add(text)
    for rule, problems_by_item in problems_by_rule.items():
        if problems_by_item:
            item_id, (field, problem) = next(iter(problems_by_item.items()))
            yield LintFinding(
                rule=rule,
                ids=tuple(problems_by_item),
                message=Finding("items-with", n=len(problems_by_item), m=len(items), problem=rule.description),
                first=f"The item {item_id!r} has {problem} in {field!r}.",
                field=field,
            )


def _list_texts(item: LintItem) -> Iterator[tuple[str, str]]:
    """Yield every text of an item, with the name of its field or question."""
    yield from item.shown.items()
    for question in item.questions:
        yield question.name, question.text
        for option in question.options:
            yield question.name, option


def _describe_mixed_word(text: str) -> str | None:
    """The first word with letters of both alphabets, as the object of a sentence; None where there is none."""
    match = _MIXED_PAIR.search(text)
    if match is None:
        return None
    # the word is joined from its part before the match and its part from the match on
    word_start = _WORD_BEFORE.search(text[: match.start() + 1])
    word_end = _WORD_AFTER.match(text[match.start() :])
    before = word_start.group(1)[:-1] if word_start else ""
    return f"the word {before + (word_end.group(1) if word_end else match.group())!r}"


def _describe_lone_letter(text: str) -> str | None:
    """The first single Latin letter between Cyrillic words, as the object of a sentence; None where there is none."""
    for match in _LONE_LETTER.finditer(text):
        neighbours = (
            _WORD_BEFORE.search(text[max(0, match.start() - _MAX_DISTANCE) : match.start()]),
            _WORD_AFTER.match(text[match.end() : match.end() + _MAX_DISTANCE]),
        )
        words = [neighbour.group(1) for neighbour in neighbours if neighbour is not None]
        if words and all(_CYRILLIC_LETTER.match(word) for word in words):
            return f"the Latin letter {match.group()!r} (U+{ord(match.group()):04X}) between Cyrillic words"
    return None
