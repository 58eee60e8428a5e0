"""Rules about fields that reveal the gold.

A text that contains the gold proves nothing: stories and lists of options usually do. A field leaks where one of these
is true in at least 95 % of the items with gold, and in at least five items:

- the field *is* the gold (its label or its text, alone or in a list of one);
- the field *is the position* of the gold, counted from 0 or from 1;
- the field contains all options and *marks* the gold: the same sign or word is beside the gold, and beside no other
  option, in all these items (such as the `+` in the column `LS_options_adv`).

Where 95 % of the items have gold with the same label, the first is not tested, because any constant field would match;
where they have it at the same position, the two others are not tested.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from aggregation.findings import Argument, Finding
from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import LintItem, LintQuestion, PairsByQuestion, collapse_spaces
from annotation.campaigns.lint.rules import LintFinding
from annotation.campaigns.lint.texts import build_stimulus_key

MIN_TEXT_CHARACTERS = 40
"""A repeated text of this length or longer is taken for a story or sentence, a shorter one for a category or label."""


def find_leaking_groups(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find the items of groups that are in more than one pool."""
    pools_by_group: dict[str, set[str]] = {}
    for item in items:
        pools_by_group.setdefault(item.group or item.id, set()).add(item.pool)
    leaking = [item for item in items if len(pools_by_group[item.group or item.id]) > 1]
    if leaking:
        group = leaking[0].group or leaking[0].id
        n_groups = len({item.group or item.id for item in leaking})
        yield LintFinding(
            rule=rules.GROUP_IN_POOLS,
            ids=tuple(item.id for item in leaking),
            message=Finding("groups-in-pools", n=n_groups, m=len(leaking)),
            first=f"The group {group!r} is in several pools: {', '.join(sorted(pools_by_group[group]))}.",
        )


def find_missing_groups(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find items without a group that share a long text with another item, but not the whole stimulus.

    Items with the same stimulus are repeated items, which another rule finds. One finding for each shown field.
    """
    ungrouped = [item for item in items if item.group is None]
    for field in dict.fromkeys(field for item in ungrouped for field in item.shown):
        ids_by_text: dict[str, dict[tuple[object, ...], list[str]]] = {}  # by text, then by stimulus
        for item in ungrouped:
            text = collapse_spaces(item.shown.get(field, ""))
            if len(text) >= MIN_TEXT_CHARACTERS:
                ids_by_text.setdefault(text, {}).setdefault(build_stimulus_key(item), []).append(item.id)
        shared_texts = [ids_by_stimulus for ids_by_stimulus in ids_by_text.values() if len(ids_by_stimulus) > 1]
        if shared_texts:
            ids = {
                item_id
                for ids_by_stimulus in shared_texts
                for item_ids in ids_by_stimulus.values()
                for item_id in item_ids
            }
            yield LintFinding(
                rule=rules.NO_GROUP,
                ids=tuple(item.id for item in ungrouped if item.id in ids),
                message=Finding("shared-texts", n=len(ids), m=len(items), k=len(shared_texts), field=field),
                field=field,
            )


MIN_LEAK_SHARE = 0.95
"""The share of the items with gold in which a field must match, to be a leak."""
MIN_LEAKING_ITEMS = 5
"""The number of items in which a field must match, to be a leak."""

Pairs = Sequence[tuple[LintItem, LintQuestion]]
"""Items with gold, each with its question."""

Leak = tuple[list[str], str, dict[str, Argument]]
"""The ids of the items in which a field reveals the gold, the code of the finding, and its arguments of its own."""

Mark = tuple[str, str]
"""A sign or word beside an option: `before` or `after` the option, and the sign or word."""

_FIRST_SUBSTITUTE = 0xE000
"""The option at index i is replaced by the character U+E000 + i, to examine the text between the options.

U+E000 to U+F8FF is Unicode's private use area, whose characters are in no ordinary text.
"""
_SUBSTITUTE = re.compile("([\ue000-\uf8ff])")
_SIGN_OR_WORD = re.compile(r"\w+|[^\w\s]")


def find_gold_leaks(pairs_by_question: PairsByQuestion) -> Iterator[LintFinding]:
    """Find the fields that reveal the gold of a question; one finding per field and question."""
    for name, pairs in pairs_by_question.items():
        with_gold = [(item, question) for item, question in pairs if len(question.gold) == 1]
        if len(with_gold) < MIN_LEAKING_ITEMS:
            continue
        labels_vary = _is_varied(question.gold for _, question in with_gold)
        positions_vary = _is_varied(question.gold_index for _, question in with_gold)
        for field in dict.fromkeys(field for item, _ in with_gold for field in (*item.shown, *item.hidden)):
            leak = _find_leak(with_gold, field, labels_vary=labels_vary, positions_vary=positions_vary)
            if leak is not None:
                ids, code, how = leak
                yield LintFinding(
                    rule=rules.SHOWN_GOLD if field in with_gold[0][0].shown else rules.HIDDEN_GOLD,
                    ids=tuple(ids),
                    message=Finding(code, field=field, n=len(ids), m=len(with_gold), name=name, **how),
                    field=field,
                )


def _find_leak(with_gold: Pairs, field: str, *, labels_vary: bool, positions_vary: bool) -> Leak | None:
    """The items in which a field reveals the gold, and how; None if none."""
    values = [item.shown.get(field, item.hidden.get(field)) for item, _ in with_gold]
    if labels_vary and (matching := _list_matching_items(with_gold, values, _is_gold)):
        return matching, "field-is-gold", {}
    if not positions_vary:
        return None
    for base in (0, 1):
        if matching := _list_matching_items(with_gold, values, partial(_is_gold_position, base=base)):
            return matching, "field-is-place", {"base": base}
    return _find_marks(with_gold, values)


def _is_varied(golds: Iterable[Hashable]) -> bool:
    """Whether no gold is so frequent that a constant field would look like a leak."""
    counts = Counter(golds)
    return max(counts.values()) < MIN_LEAK_SHARE * counts.total()


def _get_max_misses(with_gold: Pairs) -> int:
    """The largest number of items that may not match in a field that leaks."""
    return len(with_gold) - math.ceil(max(MIN_LEAKING_ITEMS, MIN_LEAK_SHARE * len(with_gold)))


def _list_matching_items(
    with_gold: Pairs, values: Sequence[object], reveals_gold: Callable[[object, LintQuestion], bool]
) -> list[str]:
    """The ids of the items whose value of a field reveals the gold, if they are nearly all items; else an empty list.

    `values` are the values of the field, one for each pair of an item and its question.
    """
    ids: list[str] = []
    max_misses = _get_max_misses(with_gold)
    for n_tested, ((item, question), value) in enumerate(zip(with_gold, values, strict=True), start=1):
        if reveals_gold(value, question):
            ids.append(item.id)
        elif n_tested - len(ids) > max_misses:
            return []
    return ids


def _unwrap(value: object) -> object:
    """The only element of a list; any other value unchanged."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _is_gold(value: object, question: LintQuestion) -> bool:
    """Whether the value of a field is the label or the text of the gold, upper or lower case."""
    single = _unwrap(value)
    if not isinstance(single, str):
        return False
    index = question.gold_index
    gold_texts = {question.gold[0].casefold()} | ({question.options[index].casefold()} if index is not None else set())
    return collapse_spaces(single).casefold() in gold_texts


def _is_gold_position(value: object, question: LintQuestion, base: int) -> bool:
    """Whether the value of a field is the position of the gold among the options, counted from `base`."""
    single = _unwrap(value)
    if question.gold_index is None or isinstance(single, bool) or not isinstance(single, int | float | str):
        return False
    return str(single).strip().removesuffix(".0") == str(question.gold_index + base)


def _find_marks(with_gold: Pairs, values: Sequence[object]) -> Leak | None:
    """Find a mark that is beside the gold alone, in every item whose value of the field contains all options.

    Returns None where no mark is common to all of
    them, or where they are not nearly all items.
    """
    ids: list[str] = []
    common_marks: set[Mark] | None = None
    max_misses = _get_max_misses(with_gold)
    for n_tested, ((item, question), value) in enumerate(zip(with_gold, values, strict=True)):
        if n_tested - len(ids) > max_misses:
            return None
        text = "\n".join(_list_strings(value))
        if (
            question.gold_index is None
            or len(question.options) < 2
            or not all(option and option in text for option in question.options)
        ):
            continue
        item_marks = _list_marks(text, question.options, question.gold_index)
        common_marks = item_marks if common_marks is None else common_marks & item_marks
        if not common_marks:
            return None
        ids.append(item.id)
    if len(with_gold) - len(ids) > max_misses or not common_marks:
        return None
    return ids, "field-marks-gold", {"mark": min(mark for _, mark in common_marks)}


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


def _list_marks(text: str, options: Sequence[str], gold_index: int) -> set[Mark]:
    """The signs and words between the gold and its neighbouring options that are beside no other option."""
    # the longest option first, because it may contain a shorter one
    for index in sorted(range(len(options)), key=lambda index: -len(options[index])):
        text = text.replace(options[index], chr(_FIRST_SUBSTITUTE + index))
    # texts between the options at even indices of `pieces`, the options' substitutes at odd ones
    pieces = _SUBSTITUTE.split(text)
    marks_by_is_gold: dict[bool, set[Mark]] = {True: set(), False: set()}
    for number in range(1, len(pieces), 2):
        is_gold = ord(pieces[number]) - _FIRST_SUBSTITUTE == gold_index
        marks_by_is_gold[is_gold] |= {("before", mark) for mark in _SIGN_OR_WORD.findall(pieces[number - 1])}
        marks_by_is_gold[is_gold] |= {("after", mark) for mark in _SIGN_OR_WORD.findall(pieces[number + 1])}
    return marks_by_is_gold[True] - marks_by_is_gold[False]
