"""Rules about options and gold: options that cannot be chosen, and positions with too much gold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import ItemsByQuestion, LintQuestion
from annotation.campaigns.lint.rules import LintFinding, LintRule

ALPHA = 0.001
FEWEST_EXPECTED = 5
"""The χ² approximation needs about five items for each position."""

Position = tuple[int, int]
"""The number of options, and an index among them."""


def find_option_errors(questions: ItemsByQuestion) -> Iterator[LintFinding]:
    """Find the mistakes in the options and gold of single items."""
    checks: tuple[tuple[LintRule, Callable[[LintQuestion], str | None]], ...] = (
        (rules.TOO_FEW_OPTIONS, _find_too_few),
        (rules.EMPTY_OPTION, _find_empty),
        (rules.DUPLICATE_OPTION, _find_duplicate),
        (rules.GOLD_NOT_AN_OPTION, _find_unknown_gold),
    )
    for name, pairs in questions.items():
        for rule, check in checks:
            problems = [
                (item.id, problem) for item, question in pairs if not question.free and (problem := check(question))
            ]
            if problems:
                yield LintFinding(
                    rule=rule,
                    ids=tuple(item_id for item_id, _ in problems),
                    message=f"{len(problems)} of {len(pairs)} items: {rule.description}.",
                    first=problems[0][1],
                    field=name,
                )


def _find_too_few(question: LintQuestion) -> str | None:
    if len(question.options) >= question.min_options:
        return None
    return "The item has fewer than two options." if question.min_options > 1 else "The item has no options."


def _find_empty(question: LintQuestion) -> str | None:
    return "An option is empty." if not all(map(str.strip, question.options)) else None


def _find_duplicate(question: LintQuestion) -> str | None:
    if len(set(question.options)) == len(question.options):
        return None
    duplicate = next(option for option in question.options if question.options.count(option) > 1)
    return f"The option {duplicate!r} stands twice."


def _find_unknown_gold(question: LintQuestion) -> str | None:
    for gold in question.gold:
        if gold not in question.labels:
            return f"The gold {gold!r} is not among the options ({', '.join(question.labels)})."
    return None


def find_gold_position(questions: ItemsByQuestion) -> Iterator[LintFinding]:
    """Find positions with too much gold, where options differ from item to item; shared options are classes."""
    for name, pairs in questions.items():
        by_position: dict[Position, list[str]] = defaultdict(list)
        for item, question in pairs:
            place = question.gold_index
            if place is not None and not question.classes and len(question.options) > 1:
                by_position[len(question.options), place].append(item.id)
        counts = {place: len(ids) for place, ids in by_position.items()}
        reason = _explain_bias(counts)
        if reason is not None:
            k, place = max(counts, key=lambda position: (_compute_excess(counts, position), position))
            n = sum(number for (size, _), number in counts.items() if size == k)
            yield LintFinding(
                rule=rules.GOLD_POSITION,
                ids=tuple(by_position[k, place]),
                message=f"Gold is option {place + 1} of {k} in {counts[k, place]} of {n} items ({reason}).",
                field=name,
            )


def _count_by_size(counts: Mapping[Position, int]) -> Counter[int]:
    """Count the items by their number of options."""
    sizes: Counter[int] = Counter()
    for (k, _), number in counts.items():
        sizes[k] += number
    return sizes


def _compute_excess(counts: Mapping[Position, int], place: Position) -> float:
    """The excess of a position over its expected count, divided by the root of the expected count."""
    expected = _count_by_size(counts)[place[0]] / place[0]
    return float((counts[place] - expected) / expected**0.5)


def _explain_bias(counts: Mapping[Position, int]) -> str | None:
    """Why the positions are not uniform: a χ² test over all numbers of options with enough items; None if they are.

    With fewer items only gold that is always at one position is found; its chance is k·(1/k)ⁿ.
    """
    statistic, freedom = 0.0, 0
    for k, n in sorted(_count_by_size(counts).items()):
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
