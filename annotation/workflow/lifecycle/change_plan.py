"""What loading a changed file would change, and what of it may not be: pure, from what is stored and what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.campaigns.project import ProjectFile
from annotation.campaigns.stages import DynamicOverlap

FREE = ("rank", "data", "accepted", "explanation", "stratum", "tags", "lineage")
"""What may change of an item that people have met; all else is what they met, or what they are scored by."""

NAMED = 10

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Stored:
    """An item as it is stored: its database id, whether anybody has met it, and its columns."""

    id: int
    met: bool
    row: Row


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """What may not change, and why."""

    what: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Keys of the project file, and ids of items, that loading would change; `refused` is what may not be."""

    keys: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.keys or self.added or self.changed or self.removed or self.moved)

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The plan in words: what, and which."""
        told = {
            "keys of the project file": self.keys,
            "items added": self.added,
            "items changed": self.changed,
            "items removed": self.removed,
            "items in another order": (str(len(self.moved)),) if self.moved else (),
        }
        return tuple((what, named(which)) for what, which in told.items() if which)

    @property
    def told(self) -> str:
        """The plan in one line."""
        return "; ".join(f"{what}: {which}" for what, which in self.lines)


def named(ids: Sequence[str]) -> str:
    """Some ids, and how many more."""
    shown = ", ".join(ids[:NAMED])
    return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED} more"


def plan(
    before: ProjectFile,
    after: ProjectFile,
    stored: Mapping[str, Stored],
    rows: Mapping[str, Row],
    *,
    started: bool = False,
) -> Plan:
    """The plan for a project; `stored` and `rows` are its items by external id, as they are and as they would be."""
    met = any(item.met for item in stored.values())
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    refused = list(_questions_refused(before, after)) if met else []
    if started and before.overlap != after.overlap:
        refused.append(
            Refusal(what="`overlap`", why=f"it was started with {_told(before)}; `hromada extend` raises it")
        )
    changed = [name for name, row in rows.items() if name in stored and _differs(stored[name].row, row, but=("rank",))]
    removed = [name for name in stored if name not in rows]
    for name in changed:
        what = [key for key in rows[name] if key not in FREE and stored[name].row[key] != rows[name][key]]
        if stored[name].met and what:
            refused.append(Refusal(what=f"item {name}", why=f"people have met it ({', '.join(sorted(what))} changed)"))
    refused += [Refusal(what=f"item {name}", why="people have met it") for name in removed if stored[name].met]
    return Plan(
        keys=tuple(key for key in new if old[key] != new[key]),
        added=tuple(name for name in rows if name not in stored),
        changed=tuple(changed),
        removed=tuple(removed),
        moved=tuple(name for name, row in rows.items() if name in stored and stored[name].row["rank"] != row["rank"]),
        refused=tuple(refused),
    )


def _differs(one: Row, other: Row, *, but: Sequence[str]) -> bool:
    return any(one[key] != other[key] for key in other if key not in but)


def _told(file: ProjectFile) -> str:
    overlap = file.overlap
    return f"{overlap.min} to {overlap.max}" if isinstance(overlap, DynamicOverlap) else str(overlap)


def _questions_refused(before: ProjectFile, after: ProjectFile) -> Sequence[Refusal]:
    """What is asked, how its answers are stored and in which order options stood cannot change under given answers."""
    old, new = ([one.model_dump(mode="json", exclude={"metrics"}) for one in file.asked] for file in (before, after))
    found = [Refusal(what="the questions", why="they are answered")] if old != new else []
    keys = [key for key in ("kind", "seed") if getattr(before, key) != getattr(after, key)]
    return [*found, *(Refusal(what=f"`{key}`", why="people have answered under it") for key in keys)]
