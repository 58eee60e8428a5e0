"""Rules about groups: groups in several pools, and items without a group that share a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import LintItem, collapse_spaces
from annotation.campaigns.lint.rules import LintFinding
from annotation.campaigns.lint.texts import build_stimulus_key

LONG = 40
"""Repeated texts from this length on are taken for stories or sentences, shorter ones for categories or labels."""


def find_leaking_groups(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find the items of groups that are in more than one pool."""
    pools: dict[str, set[str]] = {}
    for item in items:
        pools.setdefault(item.group or item.id, set()).add(item.pool)
    leaking = [item for item in items if len(pools[item.group or item.id]) > 1]
    if leaking:
        group = leaking[0].group or leaking[0].id
        number = len({item.group or item.id for item in leaking})
        yield LintFinding(
            rule=rules.GROUP_IN_POOLS,
            ids=tuple(item.id for item in leaking),
            message=f"{number} groups have items in several pools, {len(leaking)} items in all.",
            first=f"The group {group!r} stands in the pools {', '.join(sorted(pools[group]))}.",
        )


def find_missing_groups(items: Sequence[LintItem]) -> Iterator[LintFinding]:
    """Find items without a group that share a long text, but not the whole stimulus, with another item."""
    ungrouped = [item for item in items if item.group is None]
    for field in dict.fromkeys(field for item in ungrouped for field in item.shown):
        sharing: dict[str, dict[tuple[object, ...], list[str]]] = {}
        for item in ungrouped:
            text = collapse_spaces(item.shown.get(field, ""))
            if len(text) >= LONG:
                sharing.setdefault(text, {}).setdefault(build_stimulus_key(item), []).append(item.id)
        shared = [by_stimulus for by_stimulus in sharing.values() if len(by_stimulus) > 1]
        if shared:
            ids = {item_id for by_stimulus in shared for item_ids in by_stimulus.values() for item_id in item_ids}
            yield LintFinding(
                rule=rules.NO_GROUP,
                ids=tuple(item.id for item in ungrouped if item.id in ids),
                message=f"{len(ids)} of {len(items)} items share {len(shared)} texts in the field {field!r}, "
                "and no group is declared.",
                field=field,
            )
