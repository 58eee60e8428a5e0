"""Rules about fields that reveal the gold.

A text that contains the gold proves nothing: stories and lists of options usually do. A field leaks where one of these
holds in 95 of 100 items and in at least five, unless gold is nearly always the same label or position, so that any
constant field would match:

- the field *is* the gold (its label or its text, alone or in a list of one);
- the field *is the position* of the gold, counted from 0 or from 1;
- the field names all options and *marks* one: beside the gold, and beside no other option, stands the same sign or
  word in every such item (the `+` of `LS_options_adv`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import ItemsByQuestion, LintItem, LintQuestion, collapse_spaces
from annotation.campaigns.lint.rules import LintFinding

SHARE = 0.95
FEWEST = 5

Pairs = Sequence[tuple[LintItem, LintQuestion]]

_STAND_IN = 0xE000
"""Options are replaced by characters of the private use area, to examine the text between them."""
_PIECES = re.compile("([\ue000-\uf8ff])")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def find_gold_leaks(questions: ItemsByQuestion) -> Iterator[LintFinding]:
    """Find the fields that reveal the gold of a question; one finding per field and question."""
    for name, pairs in questions.items():
        known = [(item, question) for item, question in pairs if len(question.gold) == 1]
        if len(known) < FEWEST:
            continue
        labels_vary = _is_varied(question.gold for _, question in known)
        places_vary = _is_varied(question.gold_index for _, question in known)
        for field in dict.fromkeys(field for item, _ in known for field in (*item.shown, *item.hidden)):
            leak = _find_leak(known, field, labels_vary=labels_vary, places_vary=places_vary)
            if leak is not None:
                ids, how = leak
                yield LintFinding(
                    rule=rules.SHOWN_GOLD if field in known[0][0].shown else rules.HIDDEN_GOLD,
                    ids=tuple(ids),
                    message=f"The field {field!r} {how} in {len(ids)} of {len(known)} items with gold ({name}).",
                    field=field,
                )


def _find_leak(known: Pairs, field: str, *, labels_vary: bool, places_vary: bool) -> tuple[list[str], str] | None:
    values = [item.shown.get(field, item.hidden.get(field)) for item, _ in known]
    if labels_vary and (matching := _list_matching_items(known, values, _is_gold)):
        return matching, "is the gold"
    if not places_vary:
        return None
    for base in (0, 1):
        if matching := _list_matching_items(known, values, partial(_is_place, base=base)):
            return matching, f"is the place of the gold (counted from {base})"
    return _find_marks(known, values)


def _is_varied(golds: Iterable[Hashable]) -> bool:
    """Whether no gold is so frequent that a constant field would look like a leak."""
    counts = Counter(golds)
    return max(counts.values()) < SHARE * counts.total()


def _most_misses(known: Pairs) -> int:
    """The maximum of items that may differ in a leaking field."""
    return len(known) - math.ceil(max(FEWEST, SHARE * len(known)))


def _list_matching_items(
    known: Pairs, values: Sequence[object], test: Callable[[object, LintQuestion], bool]
) -> list[str]:
    """The ids of the items that pass the test if nearly all do, else none."""
    ids: list[str] = []
    most = _most_misses(known)
    for number, ((item, question), value) in enumerate(zip(known, values, strict=True), start=1):
        if test(value, question):
            ids.append(item.id)
        elif number - len(ids) > most:
            return []
    return ids


def _unwrap(value: object) -> object:
    """The value, or the only element of a list."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _is_gold(value: object, question: LintQuestion) -> bool:
    single = _unwrap(value)
    if not isinstance(single, str):
        return False
    index = question.gold_index
    texts = {question.gold[0].casefold()} | ({question.options[index].casefold()} if index is not None else set())
    return collapse_spaces(single).casefold() in texts


def _is_place(value: object, question: LintQuestion, base: int) -> bool:
    single = _unwrap(value)
    if question.gold_index is None or isinstance(single, bool) or not isinstance(single, int | float | str):
        return False
    return str(single).strip().removesuffix(".0") == str(question.gold_index + base)


def _find_marks(known: Pairs, values: Sequence[object]) -> tuple[list[str], str] | None:
    """The items whose field contains all options, if the same mark stands beside the gold alone in all of them."""
    ids: list[str] = []
    marks: set[tuple[str, str]] | None = None
    most = _most_misses(known)
    for number, ((item, question), value) in enumerate(zip(known, values, strict=True)):
        if number - len(ids) > most:
            return None
        text = "\n".join(_list_strings(value))
        if (
            question.gold_index is None
            or len(question.options) < 2
            or not all(option and option in text for option in question.options)
        ):
            continue
        own = _list_marks(text, question.options, question.gold_index)
        marks = own if marks is None else marks & own
        if not marks:
            return None
        ids.append(item.id)
    if len(known) - len(ids) > most or not marks:
        return None
    return ids, f"marks the gold among the options with {min(token for _, token in marks)!r}"


def _list_strings(value: object) -> Iterator[str]:
    """Yield every text in a nested value."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _list_strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _list_strings(inner)
    elif value is not None:
        yield str(value)


def _list_marks(text: str, options: Sequence[str], gold: int) -> set[tuple[str, str]]:
    """Signs and words before or after the gold, up to the next option, that stand at no other option."""
    for place in sorted(range(len(options)), key=lambda index: -len(options[index])):
        text = text.replace(options[place], chr(_STAND_IN + place))
    pieces = _PIECES.split(text)
    beside: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
    for number in range(1, len(pieces), 2):
        is_gold = ord(pieces[number]) - _STAND_IN == gold
        beside[is_gold] |= {("before", token) for token in _TOKEN.findall(pieces[number - 1])}
        beside[is_gold] |= {("after", token) for token in _TOKEN.findall(pieces[number + 1])}
    return beside[True] - beside[False]
