"""The plan of what loading a changed project file would change, and which of these changes are forbidden. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.stages import DynamicOverlap

ALWAYS_CHANGEABLE = ("rank", "data", "accepted", "explanation", "stratum", "tags", "lineage")
"""The columns that may change after an item was assigned; all others were shown, or are used for scoring."""

MAX_LISTED = 10
"""How many item ids a sentence lists."""

Row = Mapping[str, Any]
"""An item's values by column."""


@dataclass(frozen=True, kw_only=True)
class StoredItem:
    """An item in the database: its id, whether it was ever assigned, and its columns."""

    id: int
    assigned: bool
    row: Row


@dataclass(frozen=True, kw_only=True)
class ForbiddenChange:
    """A change that is not allowed: `what` would change, and the reason."""

    what: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ChangePlan:
    """What loading would change: `keys` of the project file, and external ids of items by what happens to them."""

    keys: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    forbidden: tuple[ForbiddenChange, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.keys or self.added or self.changed or self.removed or self.moved)

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The plan in words: pairs of what changes and which."""
        changes = {
            "keys of the project file": self.keys,
            "items added": self.added,
            "items changed": self.changed,
            "items removed": self.removed,
            "items in another order": (str(len(self.moved)),) if self.moved else (),
        }
        return tuple((what, format_ids(which)) for what, which in changes.items() if which)

    @property
    def summary(self) -> str:
        """The plan in one line."""
        return "; ".join(f"{what}: {which}" for what, which in self.lines)


def format_ids(ids: Sequence[str]) -> str:
    """The first ids, and how many more there are."""
    shown = ", ".join(ids[:MAX_LISTED])
    return shown if len(ids) <= MAX_LISTED else f"{shown} and {len(ids) - MAX_LISTED} more"


def plan_changes(
    old_definition: ProjectFile,
    new_definition: ProjectFile,
    stored: Mapping[str, StoredItem],
    rows: Mapping[str, Row],
    *,
    started: bool = False,
) -> ChangePlan:
    """The plan for a project from its old and new definition and items.

    `stored` holds the items as they are in the database, `rows` those of the new file, both by external id. After the
    start (`started`) the overlap may not change.
    """
    any_assigned = any(item.assigned for item in stored.values())
    old, new = old_definition.model_dump(mode="json"), new_definition.model_dump(mode="json")
    forbidden = list(_list_forbidden_keys(old_definition, new_definition)) if any_assigned else []
    if started and old_definition.overlap != new_definition.overlap:
        forbidden.append(
            ForbiddenChange(
                what="`overlap`",
                reason=f"it was started with {_format_overlap(old_definition)}; `hromada extend` raises it",
            )
        )
    changed = [
        name for name, row in rows.items() if name in stored and _differs(stored[name].row, row, ignored=("rank",))
    ]
    removed = [name for name in stored if name not in rows]
    for name in changed:
        seen_changes = [
            key for key in rows[name] if key not in ALWAYS_CHANGEABLE and stored[name].row[key] != rows[name][key]
        ]
        if stored[name].assigned and seen_changes:
            forbidden.append(
                ForbiddenChange(
                    what=f"item {name}", reason=f"people have met it ({', '.join(sorted(seen_changes))} changed)"
                )
            )
    forbidden += [
        ForbiddenChange(what=f"item {name}", reason="people have met it") for name in removed if stored[name].assigned
    ]
    return ChangePlan(
        keys=tuple(key for key in new if old[key] != new[key]),
        added=tuple(name for name in rows if name not in stored),
        changed=tuple(changed),
        removed=tuple(removed),
        moved=tuple(name for name, row in rows.items() if name in stored and stored[name].row["rank"] != row["rank"]),
        forbidden=tuple(forbidden),
    )


def _differs(old: Row, new: Row, *, ignored: Sequence[str]) -> bool:
    return any(old[key] != new[key] for key in new if key not in ignored)


def _format_overlap(file: ProjectFile) -> str:
    overlap = file.overlap
    return f"{overlap.min} to {overlap.max}" if isinstance(overlap, DynamicOverlap) else str(overlap)


def _list_forbidden_keys(before: ProjectFile, after: ProjectFile) -> Sequence[ForbiddenChange]:
    """The keys that may not change once there are assignments: questions, kind and the seed of the option order."""
    old, new = (
        [question.model_dump(mode="json", exclude={"metrics"}) for question in file.all_questions]
        for file in (before, after)
    )
    forbidden = [ForbiddenChange(what="the questions", reason="they are answered")] if old != new else []
    keys = [key for key in ("kind", "seed") if getattr(before, key) != getattr(after, key)]
    return [*forbidden, *(ForbiddenChange(what=f"`{key}`", reason="people have answered under it") for key in keys)]
