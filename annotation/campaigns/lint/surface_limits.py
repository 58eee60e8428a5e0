"""Rules about limits of the surface (Telegram or Label Studio) that annotators use: options too long for a button,
more options than buttons, texts longer than a message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import LintItem, LintQuestion, PairsByQuestion, SurfaceLimits
from annotation.campaigns.lint.rules import LintFinding


def find_exceeded_limits(
    items: Sequence[LintItem], pairs_by_question: PairsByQuestion, limits: SurfaceLimits
) -> Iterator[LintFinding]:
    """Find options longer than a button, items with more long options than buttons, and items longer than a message."""
    ids_with_long_option: set[str] = set()
    for name, pairs in pairs_by_question.items():
        with_long_option = [(item, question) for item, question in pairs if _has_long_option(question, limits)]
        ids_with_long_option.update(item.id for item, _ in with_long_option)
        if with_long_option:
            longest = max((option for _, question in with_long_option for option in question.options), key=len)
            yield LintFinding(
                rule=rules.LONG_OPTION,
                ids=tuple(item.id for item, _ in with_long_option),
                message=f"{len(with_long_option)} of {len(pairs)} items have an option of {name!r} longer than "
                f"{limits.button_characters} characters; the longest has {len(longest)}.",
                field=name,
            )
        with_many_options = [item for item, question in with_long_option if len(question.options) > limits.n_buttons]
        if with_many_options:
            yield LintFinding(
                rule=rules.TOO_MANY_OPTIONS,
                ids=tuple(item.id for item in with_many_options),
                message=f"{len(with_many_options)} of {len(pairs)} items have more than {limits.n_buttons} long "
                f"options of {name!r}.",
                first=f"The item has more than {limits.n_buttons} options, and they are too long for buttons.",
                field=name,
            )
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
            message=f"{len(lengths)} of {len(items)} items are longer than a {limits.surface_name} message; "
            f"the longest has {max(lengths.values())} UTF-16 units.",
        )


def _has_long_option(question: LintQuestion, limits: SurfaceLimits) -> bool:
    return bool(question.options) and max(map(len, question.options)) > limits.button_characters


def _measure_length(item: LintItem, limits: SurfaceLimits, *, lists_options: bool) -> int:
    """The UTF-16 units of a message with the shown fields and questions of an item.

    `lists_options`: some options are too long for buttons, so they are listed in the message and count.
    """
    parts = [*item.shown.values(), *[question.text for question in item.questions]]
    for question in item.questions if lists_options else ():
        if _has_long_option(question, limits):
            # each option is listed after its letter; here "A" stands for any letter, because only the length matters
            parts += [f"A) {option}" for option in question.options]
    text = "\n\n".join(parts)
    if 2 * len(text) <= limits.message_units or text.isascii():
        return len(text)  # of a short text no more is asked than that it is no longer than a message
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
