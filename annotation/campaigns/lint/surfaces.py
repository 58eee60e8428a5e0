"""What does not fit where items are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.findings import Finding
from annotation.campaigns.lint.items import Asked, LintItem, Questions, Surface


def fitting(items: Sequence[LintItem], questions: Questions, surface: Surface) -> Iterator[Finding]:
    """Options longer than a button, more of them than buttons, texts longer than a message."""
    for name, pairs in questions.items():
        long = [(item, asked) for item, asked in pairs if _longest(asked) > surface.button]
        if long:
            longest = max((option for _, asked in long for option in asked.options), key=len)
            yield Finding(
                rule=rules.LONG_OPTION,
                ids=tuple(item.id for item, _ in long),
                message=f"{len(long)} of {len(pairs)} items have an option of {name!r} longer than {surface.button} "
                f"characters; the longest has {len(longest)}.",
                field=name,
            )
        many = [item for item, asked in long if len(asked.options) > surface.options]
        if many:
            yield Finding(
                rule=rules.TOO_MANY_OPTIONS,
                ids=tuple(item.id for item in many),
                message=f"{len(many)} of {len(pairs)} items have more than {surface.options} long options of {name!r}.",
                first=f"The item has more than {surface.options} options, and they are too long for buttons.",
                field=name,
            )
    lengths = {item.id: length for item in items if (length := _length(item, surface)) > surface.message}
    if lengths:
        yield Finding(
            rule=rules.LONG_TEXT,
            ids=tuple(lengths),
            message=f"{len(lengths)} of {len(items)} items are longer than a {surface.name} message; "
            f"the longest has {max(lengths.values())} UTF-16 units.",
        )


def _length(item: LintItem, surface: Surface) -> int:
    """UTF-16 units of an item with its questions, and its options where they are listed by letters."""
    parts = [*item.shown.values(), *(asked.text for asked in item.asked)]
    for asked in item.asked:
        parts += _listed(asked, surface)
    text = "\n\n".join(parts)
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _longest(asked: Asked) -> int:
    return max(map(len, asked.options), default=0)


def _listed(asked: Asked, surface: Surface) -> list[str]:
    if _longest(asked) <= surface.button:
        return []
    return [f"A) {option}" for option in asked.options]
