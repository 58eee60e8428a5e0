"""Options and gold: what cannot be chosen, and where gold stands too often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.findings import Finding, Rule
from annotation.campaigns.lint.items import Asked, Questions

ALPHA = 0.001
FEWEST_EXPECTED = 5
"""The χ² approximation needs about five items a place."""

Place = tuple[int, int]
"""The number of options, and a place among them from 0."""


def single(questions: Questions) -> Iterator[Finding]:
    """Findings that each item shows alone."""
    checks: tuple[tuple[Rule, Callable[[Asked], str | None]], ...] = (
        (rules.TOO_FEW_OPTIONS, _too_few),
        (rules.EMPTY_OPTION, _empty),
        (rules.DUPLICATE_OPTION, _twice),
        (rules.GOLD_NOT_AN_OPTION, _strange_gold),
    )
    for name, pairs in questions.items():
        for rule, check in checks:
            said = [(item.id, words) for item, asked in pairs if not asked.free and (words := check(asked))]
            if said:
                yield Finding(
                    rule=rule,
                    ids=tuple(identity for identity, _ in said),
                    message=f"{len(said)} of {len(pairs)} items: {rule.finds}.",
                    first=said[0][1],
                    field=name,
                )


def _too_few(asked: Asked) -> str | None:
    if len(asked.options) >= asked.least:
        return None
    return "The item has fewer than two options." if asked.least > 1 else "The item has no options."


def _empty(asked: Asked) -> str | None:
    return "An option is empty." if not all(map(str.strip, asked.options)) else None


def _twice(asked: Asked) -> str | None:
    if len(set(asked.options)) == len(asked.options):
        return None
    twice = next(option for option in asked.options if asked.options.count(option) > 1)
    return f"The option {twice!r} stands twice."


def _strange_gold(asked: Asked) -> str | None:
    for gold in asked.gold:
        if gold not in asked.labels:
            return f"The gold {gold!r} is not among the options ({', '.join(asked.labels)})."
    return None


def gold_position(questions: Questions) -> Iterator[Finding]:
    """Gold that prefers places, where options differ from item to item; shared options are classes, not places."""
    for name, pairs in questions.items():
        at: dict[Place, list[str]] = defaultdict(list)
        for item, asked in pairs:
            place = asked.gold_at
            if place is not None and not asked.classes and len(asked.options) > 1:
                at[len(asked.options), place].append(item.id)
        counts = {place: len(ids) for place, ids in at.items()}
        reason = _reason(counts)
        if reason is not None:
            k, place = max(counts, key=lambda one: (_excess(counts, one), one))
            n = sum(number for (size, _), number in counts.items() if size == k)
            yield Finding(
                rule=rules.GOLD_POSITION,
                ids=tuple(at[k, place]),
                message=f"Gold is option {place + 1} of {k} in {counts[k, place]} of {n} items ({reason}).",
                field=name,
            )


def _sizes(counts: Mapping[Place, int]) -> Counter[int]:
    """How many items have how many options."""
    sizes: Counter[int] = Counter()
    for (k, _), number in counts.items():
        sizes[k] += number
    return sizes


def _excess(counts: Mapping[Place, int], place: Place) -> float:
    """How far a place is above its expected count, in units of the expected count's root."""
    expected = _sizes(counts)[place[0]] / place[0]
    return float((counts[place] - expected) / expected**0.5)


def _reason(counts: Mapping[Place, int]) -> str | None:
    """Why the places are not uniform: χ² over all sizes with enough items, else an exact chance; None where they are.

    With few items only gold that never moves is told from chance: it happens by chance in k·(1/k)ⁿ of all sets.
    """
    statistic, freedom = 0.0, 0
    for k, n in sorted(_sizes(counts).items()):
        if n >= FEWEST_EXPECTED * k:
            statistic += sum((counts.get((k, place), 0) - n / k) ** 2 / (n / k) for place in range(k))
            freedom += k - 1
        elif n > 1 and n in {counts.get((k, place), 0) for place in range(k)} and float(k) ** (1 - n) < ALPHA:
            return f"by chance in {float(k) ** (1 - n):.1g} of all sets"
    if freedom == 0:
        return None
    from scipy.special import chdtrc

    chance = float(chdtrc(freedom, statistic))
    return f"χ² = {statistic:.1f}, df {freedom}, p = {chance:.1g}" if chance < ALPHA else None
