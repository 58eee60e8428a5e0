"""Fields that give gold away.

That a text contains the gold proves nothing: stories and lists of options contain it honestly. A field leaks where, in
95 of 100 items and at least five, one of these holds, and gold is not nearly always the same label or place, which
would make any constant field look like it:

- the field *is* the gold (its label or its text, alone or in a list of one);
- the field *is the place* of the gold, counted from 0 or from 1;
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
from annotation.campaigns.lint.findings import Finding
from annotation.campaigns.lint.items import Asked, LintItem, Questions, plain

SHARE = 0.95
FEWEST = 5

Pairs = Sequence[tuple[LintItem, Asked]]

_STAND_IN = 0xE000
"""Options are replaced by characters of the private use area before the text between them is looked at."""
_PIECES = re.compile("([\ue000-\uf8ff])")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def leaking(questions: Questions) -> Iterator[Finding]:
    """One finding a field and question."""
    for name, pairs in questions.items():
        known = [(item, asked) for item, asked in pairs if len(asked.gold) == 1]
        if len(known) < FEWEST:
            continue
        labels_vary = _varies(asked.gold for _, asked in known)
        places_vary = _varies(asked.gold_at for _, asked in known)
        for field in dict.fromkeys(field for item, _ in known for field in (*item.shown, *item.hidden)):
            found = _leak(known, field, labels_vary=labels_vary, places_vary=places_vary)
            if found is not None:
                ids, how = found
                yield Finding(
                    rule=rules.SHOWN_GOLD if field in known[0][0].shown else rules.HIDDEN_GOLD,
                    ids=tuple(ids),
                    message=f"The field {field!r} {how} in {len(ids)} of {len(known)} items with gold ({name}).",
                    field=field,
                )


def _leak(known: Pairs, field: str, *, labels_vary: bool, places_vary: bool) -> tuple[list[str], str] | None:
    values = [item.shown.get(field, item.hidden.get(field)) for item, _ in known]
    if labels_vary and (same := _holding(known, values, _is_gold)):
        return same, "is the gold"
    if not places_vary:
        return None
    for base in (0, 1):
        if placed := _holding(known, values, partial(_is_place, base=base)):
            return placed, f"is the place of the gold (counted from {base})"
    return _marked(known, values)


def _varies(golds: Iterable[Hashable]) -> bool:
    """Whether no gold is so frequent that a constant field would pass for a leak."""
    counts = Counter(golds)
    return max(counts.values()) < SHARE * counts.total()


def _most_misses(known: Pairs) -> int:
    """How many items may be otherwise before a field is no leak."""
    return len(known) - math.ceil(max(FEWEST, SHARE * len(known)))


def _holding(known: Pairs, values: Sequence[object], test: Callable[[object, Asked], bool]) -> list[str]:
    """The items that pass the test, where nearly all do; none as soon as too many do not."""
    ids: list[str] = []
    most = _most_misses(known)
    for number, ((item, asked), value) in enumerate(zip(known, values, strict=True), start=1):
        if test(value, asked):
            ids.append(item.id)
        elif number - len(ids) > most:
            return []
    return ids


def _alone(value: object) -> object:
    """The value, or the only one of a list."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _is_gold(value: object, asked: Asked) -> bool:
    alone = _alone(value)
    if not isinstance(alone, str):
        return False
    place = asked.gold_at
    texts = {asked.gold[0].casefold()} | ({asked.options[place].casefold()} if place is not None else set())
    return plain(alone).casefold() in texts


def _is_place(value: object, asked: Asked, base: int) -> bool:
    alone = _alone(value)
    if asked.gold_at is None or isinstance(alone, bool) or not isinstance(alone, int | float | str):
        return False
    return str(alone).strip().removesuffix(".0") == str(asked.gold_at + base)


def _marked(known: Pairs, values: Sequence[object]) -> tuple[list[str], str] | None:
    """The items whose options all stand in the field, where one mark is beside gold alone in all of them."""
    ids: list[str] = []
    marks: set[tuple[str, str]] | None = None
    most = _most_misses(known)
    for number, ((item, asked), value) in enumerate(zip(known, values, strict=True)):
        if number - len(ids) > most:
            return None
        text = "\n".join(_strings(value))
        if asked.gold_at is None or len(asked.options) < 2 or not all(one and one in text for one in asked.options):
            continue
        own = _marks(text, asked.options, asked.gold_at)
        marks = own if marks is None else marks & own
        if not marks:
            return None
        ids.append(item.id)
    if len(known) - len(ids) > most or not marks:
        return None
    return ids, f"marks the gold among the options with {min(token for _, token in marks)!r}"


def _strings(value: object) -> Iterator[str]:
    """Every text in a value, in its order."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
    elif value is not None:
        yield str(value)


def _marks(text: str, options: Sequence[str], gold: int) -> set[tuple[str, str]]:
    """Signs and words that stand before or after the gold, up to the next option, and at no other option."""
    for place in sorted(range(len(options)), key=lambda one: -len(options[one])):
        text = text.replace(options[place], chr(_STAND_IN + place))
    pieces = _PIECES.split(text)
    beside: dict[bool, set[tuple[str, str]]] = {True: set(), False: set()}
    for number in range(1, len(pieces), 2):
        is_gold = ord(pieces[number]) - _STAND_IN == gold
        beside[is_gold] |= {("before", token) for token in _TOKEN.findall(pieces[number - 1])}
        beside[is_gold] |= {("after", token) for token in _TOKEN.findall(pieces[number + 1])}
    return beside[True] - beside[False]
