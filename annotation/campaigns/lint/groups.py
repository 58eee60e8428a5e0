"""Rules about groups of items: groups in several pools, and items without a group that share a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from annotation.campaigns.lint import rules
from annotation.campaigns.lint.items import LintItem, collapse_spaces
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
            message=f"{n_groups} groups have items in several pools, {len(leaking)} items in all.",
            first=f"The group {group!r} stands in the pools {', '.join(sorted(pools_by_group[group]))}.",
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
                message=f"{len(ids)} of {len(items)} items share {len(shared_texts)} texts in the field {field!r}, "
                "and no group is declared.",
                field=field,
            )
