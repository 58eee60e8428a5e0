"""Rules about the limits of a surface: long options, many options, long texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import ItemsByQuestion, LintItem, LintQuestion, SurfaceLimits
from annotation.campaigns.lint.rules import LintFinding


def find_misfits(
    items: Sequence[LintItem], questions: ItemsByQuestion, surface: SurfaceLimits
) -> Iterator[LintFinding]:
    """Find options longer than a button, more long options than buttons, and texts longer than a message."""
    for name, pairs in questions.items():
        long = [(item, question) for item, question in pairs if _get_longest_option(question) > surface.button]
        if long:
            longest = max((option for _, question in long for option in question.options), key=len)
            yield LintFinding(
                rule=rules.LONG_OPTION,
                ids=tuple(item.id for item, _ in long),
                message=f"{len(long)} of {len(pairs)} items have an option of {name!r} longer than {surface.button} "
                f"characters; the longest has {len(longest)}.",
                field=name,
            )
        many = [item for item, question in long if len(question.options) > surface.options]
        if many:
            yield LintFinding(
                rule=rules.TOO_MANY_OPTIONS,
                ids=tuple(item.id for item in many),
                message=f"{len(many)} of {len(pairs)} items have more than {surface.options} long options of {name!r}.",
                first=f"The item has more than {surface.options} options, and they are too long for buttons.",
                field=name,
            )
    lengths = {item.id: length for item in items if (length := _measure_length(item, surface)) > surface.message}
    if lengths:
        yield LintFinding(
            rule=rules.LONG_TEXT,
            ids=tuple(lengths),
            message=f"{len(lengths)} of {len(items)} items are longer than a {surface.name} message; "
            f"the longest has {max(lengths.values())} UTF-16 units.",
        )


def _measure_length(item: LintItem, surface: SurfaceLimits) -> int:
    """The UTF-16 units of an item with its questions, and with its options where they are listed by letters."""
    parts = [*item.shown.values(), *(question.text for question in item.questions)]
    for question in item.questions:
        parts += _list_options(question, surface)
    text = "\n\n".join(parts)
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _get_longest_option(question: LintQuestion) -> int:
    return max(map(len, question.options), default=0)


def _list_options(question: LintQuestion, surface: SurfaceLimits) -> list[str]:
    if _get_longest_option(question) <= surface.button:
        return []
    return [f"A) {option}" for option in question.options]
