"""What people read: empty fields, repeated questions, letters of the wrong alphabet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.findings import Finding, Rule
from annotation.campaigns.lint.items import LintItem, plain

_LATIN = "A-Za-zÀ-ÖØ-öø-ɏ"
_CYRILLIC = "\u0400-\u052f"
_MARK = "[\u0300-\u036f]*"
"""Stress and other combining marks may stand between two letters."""

_A_LATIN = re.compile(f"[{_LATIN}]")
_MIXED = re.compile(f"[{_LATIN}]{_MARK}[{_CYRILLIC}]|[{_CYRILLIC}]{_MARK}[{_LATIN}]")
_LONE = re.compile(r"(?<![\w'’ʼ])[aceiopxyABCEHKMOPT](?![\w'’ʼ])")
_WORD = rf"((?:[^\W\d_]{_MARK})+)"
_BEFORE, _AFTER = re.compile(rf"{_WORD}[\W\d_]*$"), re.compile(rf"[\W\d_]*?{_WORD}")
_IS_CYRILLIC = re.compile(f"[{_CYRILLIC}]")
_NEAR = 40


def stimulus_key(item: LintItem) -> tuple[object, ...]:
    """What makes two items the same to people: texts, questions, and the options in whatever order."""
    shown = tuple(plain(text) for text in item.shown.values())
    return (shown, tuple((asked.text, tuple(sorted(asked.options))) for asked in item.asked))


def repeated(items: Sequence[LintItem]) -> Iterator[Finding]:
    """Every item but the first of those with the same stimulus."""
    first: dict[tuple[object, ...], LintItem] = {}
    surplus = [(item, first.setdefault(stimulus_key(item), item)) for item in items]
    surplus = [(item, one) for item, one in surplus if item is not one]
    if surplus:
        item, one = surplus[0]
        other = sum([asked.gold for asked in a.asked] != [asked.gold for asked in b.asked] for a, b in surplus)
        yield Finding(
            rule=rules.REPEATED_QUESTION,
            ids=tuple(item.id for item, _ in surplus),
            message=f"{len(surplus)} of {len(items)} items repeat an earlier one"
            + (f", {other} of them with another gold." if other else "."),
            first=f"The item {item.id!r} asks what {one.id!r} asks.",
        )


def empty(items: Sequence[LintItem]) -> Iterator[Finding]:
    """Items that show nothing, and fields that are empty in some items only."""
    nothing = [item for item in items if item.shown and not any(text.strip() for text in item.shown.values())]
    if nothing:
        yield Finding(
            rule=rules.NOTHING_SHOWN,
            ids=tuple(item.id for item in nothing),
            message=f"{len(nothing)} of {len(items)} items have nothing to show.",
            first="The item has nothing to show.",
            field=next(iter(nothing[0].shown)),
        )
    without = {item.id for item in nothing}
    for field in dict.fromkeys(field for item in items for field in item.shown):
        blank = (item.id for item in items if field in item.shown and not item.shown[field].strip())
        ids = tuple(identity for identity in blank if identity not in without)
        if ids:
            yield Finding(
                rule=rules.EMPTY_FIELD,
                ids=ids,
                message=f"The field {field!r} is empty in {len(ids)} of {len(items)} items.",
                first=f"The field {field!r} of the item is empty.",
                field=field,
            )


def scripts(items: Sequence[LintItem]) -> Iterator[Finding]:
    """Letters of the wrong alphabet in shown fields, questions and options; each text is looked at once."""
    checks: tuple[tuple[Rule, Callable[[str], str | None]], ...] = (
        (rules.MIXED_SCRIPT, _mixed),
        (rules.LONE_LATIN, _lone),
    )
    sound: set[str] = set()
    said: dict[Rule, dict[str, tuple[str, str]]] = {rule: {} for rule, _ in checks}
    for item in items:
        for field, text in _read(item):
            if text in sound:
                continue
            words = (
                [(rule, found) for rule, check in checks if (found := check(text)) is not None] if _both(text) else []
            )
            for rule, found in words:
                said[rule].setdefault(item.id, (field, found))
            if not words:
                sound.add(text)
    for rule, found_in in said.items():
        if found_in:
            identity, (field, found) = next(iter(found_in.items()))
            yield Finding(
                rule=rule,
                ids=tuple(found_in),
                message=f"{len(found_in)} of {len(items)} items: {rule.finds}.",
                first=f"The item {identity!r} has {found} in {field!r}.",
                field=field,
            )


def _read(item: LintItem) -> Iterator[tuple[str, str]]:
    """Everything of an item that people read, with the field's or the question's name."""
    yield from item.shown.items()
    for asked in item.asked:
        yield asked.name, asked.text
        for option in asked.options:
            yield asked.name, option


def _both(text: str) -> bool:
    """Whether a text may have letters of both alphabets: most have not, which is quick to see."""
    return not text.isascii() and _A_LATIN.search(text) is not None


def _mixed(text: str) -> str | None:
    found = _MIXED.search(text)
    if found is None:
        return None
    start = _BEFORE.search(text[: found.start() + 1])
    end = _AFTER.match(text[found.start() :])
    before = start.group(1)[:-1] if start else ""
    return f"the word {before + (end.group(1) if end else found.group())!r}"


def _lone(text: str) -> str | None:
    for found in _LONE.finditer(text):
        near = (
            _BEFORE.search(text[max(0, found.start() - _NEAR) : found.start()]),
            _AFTER.match(text[found.end() : found.end() + _NEAR]),
        )
        words = [one.group(1) for one in near if one is not None]
        if words and all(_IS_CYRILLIC.match(word) for word in words):
            return f"the Latin letter {found.group()!r} (U+{ord(found.group()):04X}) between Cyrillic words"
    return None
