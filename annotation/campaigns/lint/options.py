"""Rules about options and gold: options that cannot be chosen, and positions with too much gold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping

from aggregation import spelling
from aggregation.findings import Finding
from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import LintQuestion, PairsByQuestion
from annotation.campaigns.lint.rules import LintFinding, LintRule

SIGNIFICANCE = 0.001
"""A test with a p-value below this is reported."""
MIN_EXPECTED_COUNT = 5
"""The χ² approximation needs about five items for each position."""

POSITION_CODES = ("ABCDEFGH", "abcdefgh", "АБВГДЕЖЗ", "абвгдежз", "12345678", "01234567")
"""What gold is written as where it names the place of an option."""

SizedPosition = tuple[int, int]
"""The number of options of an item, and the position of its gold among them, from 0."""


def find_option_errors(pairs_by_question: PairsByQuestion) -> Iterator[LintFinding]:
    """Find the items with too few, empty or repeated options, or with gold that is not among them.

    Questions with free answers have no options and are passed over.
    """
    checks: tuple[tuple[LintRule, Callable[[LintQuestion], str | None]], ...] = (
        (rules.TOO_FEW_OPTIONS, _explain_too_few),
        (rules.EMPTY_OPTION, _explain_empty),
        (rules.DUPLICATE_OPTION, lambda question: None if question.compares else _explain_duplicate(question)),
        (rules.EQUAL_TEXTS, lambda question: _explain_duplicate(question) if question.compares else None),
        (rules.GOLD_NOT_AN_OPTION, _explain_unknown_gold),
    )
    for name, pairs in pairs_by_question.items():
        for rule, check in checks:
            problems = [
                (item.id, problem) for item, question in pairs if not question.free and (problem := check(question))
            ]
            if problems:
                yield LintFinding(
                    rule=rule,
                    ids=tuple(item_id for item_id, _ in problems),
                    message=Finding("items-with", n=len(problems), m=len(pairs), problem=rule.description),
                    first=problems[0][1],
                    field=name,
                )


def _explain_too_few(question: LintQuestion) -> str | None:
    """A sentence about too few options; None where there are enough."""
    if len(question.options) >= question.min_options:
        return None
    return "The item has fewer than two options." if question.min_options > 1 else "The item has no options."


def _explain_empty(question: LintQuestion) -> str | None:
    """A sentence about an empty option; None where there is none."""
    return "An option is empty." if not all(map(str.strip, question.options)) else None


def _explain_duplicate(question: LintQuestion) -> str | None:
    """A sentence about the first option that occurs more than once; None where all differ."""
    keys = [spelling.build_key(option) for option in question.options]
    if len(set(keys)) == len(keys):
        return None
    duplicate = next(option for option, key in zip(question.options, keys, strict=True) if keys.count(key) > 1)
    return f"The {'text' if question.compares else 'option'} {duplicate!r} occurs twice."


def _explain_unknown_gold(question: LintQuestion) -> str | None:
    """A sentence about the first gold that is not among the labels; None where every gold is."""
    for gold in question.gold:
        if gold not in question.labels:
            hint = _suggest_positions(gold, question)
            named = spelling.quote_word(gold, beside=question.labels)
            labels = spelling.list_words(question.labels, beside=(gold,))
            return f"The gold {named} is not among the options ({labels}).{hint}"
    return None


def _suggest_positions(gold: str, question: LintQuestion) -> str:
    """How to say what gold means that seems to name the place of an option; empty where it does not look like it."""
    n_options = len(question.options)
    codes = next((codes for codes in POSITION_CODES if gold in codes[:n_options]), None)
    if codes is None:
        return ""
    if question.has_shared_options:
        return f" If it is the place of an option, write the option itself: {question.options[codes.index(gold)]!r}."
    labels = "positions" if gold == "0" else f"{{positions: [{', '.join(codes[:n_options])}]}}"
    from_zero = " (`labels: positions` where they count from 0)" if codes[0] == "1" else ""
    return f" If it is the place of an option, add `labels: {labels}` to the question{from_zero}."


def find_frequent_gold_positions(pairs_by_question: PairsByQuestion) -> Iterator[LintFinding]:
    """Find the position that is gold more often than chance allows, at most one for each question.

    Only questions whose options differ from item to item are examined: where all items have the same options, the gold
    is at the position of the most frequent class, which is no mistake.
    """
    for name, pairs in pairs_by_question.items():
        ids_by_position: dict[SizedPosition, list[str]] = defaultdict(list)
        for item, question in pairs:
            index = question.gold_index
            if index is not None and not question.has_shared_options and len(question.options) > 1:
                ids_by_position[len(question.options), index].append(item.id)
        counts = {position: len(ids) for position, ids in ids_by_position.items()}
        reason = _explain_bias(counts)
        if reason is not None:
            n_options, index = max(counts, key=lambda position: (_compute_pearson_residual(counts, position), position))
            n_items = _count_items_by_n_options(counts)[n_options]
            yield LintFinding(
                rule=rules.GOLD_POSITION,
                ids=tuple(ids_by_position[n_options, index]),
                message=Finding(
                    "gold-position",
                    place=index + 1,
                    options=n_options,
                    n=counts[n_options, index],
                    m=n_items,
                    reason=reason,
                ),
                field=name,
            )


def _count_items_by_n_options(counts: Mapping[SizedPosition, int]) -> Counter[int]:
    """The number of items with each number of options; `counts` are the items with gold at each position."""
    n_items: Counter[int] = Counter()
    for (n_options, _), count in counts.items():
        n_items[n_options] += count
    return n_items


def _compute_pearson_residual(counts: Mapping[SizedPosition, int], position: SizedPosition) -> float:
    """The Pearson residual of a position: (observed - expected) / √expected items with gold there."""
    n_options, _ = position
    expected = _count_items_by_n_options(counts)[n_options] / n_options
    return float((counts[position] - expected) / expected**0.5)


def _explain_bias(counts: Mapping[SizedPosition, int]) -> Finding | None:
    """The result of a test that finds gold not equally frequent at all positions; None where no test finds it.

    Items with the same number of options are tested together. Where they are enough, their χ² statistics and degrees
    of freedom are added up for one test. Where they are fewer, only gold that is always at the same position is found:
    n items with k options each have it there by chance with probability k · (1/k)ⁿ = k¹⁻ⁿ.
    """
    chi_square, degrees_of_freedom = 0.0, 0
    for k, n in sorted(_count_items_by_n_options(counts).items()):
        observed = [counts.get((k, index), 0) for index in range(k)]
        if n >= MIN_EXPECTED_COUNT * k:
            chi_square += sum((count - n / k) ** 2 / (n / k) for count in observed)
            degrees_of_freedom += k - 1
        elif n > 1 and n in observed and (probability := float(k) ** (1 - n)) < SIGNIFICANCE:
            return Finding("by-chance", share=probability)
    if degrees_of_freedom == 0:
        return None
    from scipy.special import chdtrc

    p_value = float(chdtrc(degrees_of_freedom, chi_square))
    if p_value >= SIGNIFICANCE:
        return None
    return Finding("chi-square", chi_square=chi_square, df=degrees_of_freedom, p=p_value)
