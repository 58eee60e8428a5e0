"""Groups: none that leaks from one pool into another, none missing where texts repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.findings import Finding
from annotation.campaigns.lint.items import LintItem, plain
from annotation.campaigns.lint.texts import stimulus_key

LONG = 40
"""Characters from which on a text that repeats is taken for a story or a sentence, not for a category or a label."""


def leaking(items: Sequence[LintItem]) -> Iterator[Finding]:
    """Items of groups that stand in more than one pool."""
    pools: dict[str, set[str]] = {}
    for item in items:
        pools.setdefault(item.group or item.id, set()).add(item.pool)
    both = [item for item in items if len(pools[item.group or item.id]) > 1]
    if both:
        group = both[0].group or both[0].id
        number = len({item.group or item.id for item in both})
        yield Finding(
            rule=rules.GROUP_IN_POOLS,
            ids=tuple(item.id for item in both),
            message=f"{number} groups have items in several pools, {len(both)} items in all.",
            first=f"The group {group!r} stands in the pools {', '.join(sorted(pools[group]))}.",
        )


def missing(items: Sequence[LintItem]) -> Iterator[Finding]:
    """Items without a group that share a long text, but not the whole stimulus, with another item."""
    lone = [item for item in items if item.group is None]
    for field in dict.fromkeys(field for item in lone for field in item.shown):
        sharing: dict[str, dict[tuple[object, ...], list[str]]] = {}
        for item in lone:
            text = plain(item.shown.get(field, ""))
            if len(text) >= LONG:
                sharing.setdefault(text, {}).setdefault(stimulus_key(item), []).append(item.id)
        shared = [several for several in sharing.values() if len(several) > 1]
        if shared:
            ids = {one for several in shared for ones in several.values() for one in ones}
            yield Finding(
                rule=rules.NO_GROUP,
                ids=tuple(item.id for item in lone if item.id in ids),
                message=f"{len(ids)} of {len(items)} items share {len(shared)} texts in the field {field!r}, "
                "and no group is declared.",
                field=field,
            )
