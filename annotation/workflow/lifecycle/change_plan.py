"""The plan of a change: what loading a changed project file would change, and which changes are forbidden. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.stages import DynamicOverlap

ALWAYS_CHANGEABLE_COLUMNS = ("rank", "data", "accepted", "explanation", "stratum", "tags", "lineage")
"""The columns of an item that may change after it was assigned; the others were shown, or are used for scoring."""

MAX_IDS_LISTED = 10
"""The most item ids that a sentence lists."""

ItemColumns = Mapping[str, Any]
"""The values of an item by column."""


@dataclass(frozen=True, kw_only=True)
class StoredItem:
    """An item in the database: its id, whether anybody was ever assigned it or it came to adjudicators, its columns."""

    id: int
    was_met: bool
    columns: ItemColumns


SUBSTANTIVE_COLUMNS = frozenset({"options", "gold", "golds", "accepted"})
"""The columns of an item with whose change the answers to it lose their meaning."""


@dataclass(frozen=True, kw_only=True)
class ForbiddenChange:
    """A change that is not allowed: `what` names the item or key that would change, `reason` says why it may not.

    `fixable_item` is the id of an item whose change can be taken over as a fix, which `may_keep_answers` unless it
    changes what was asked.
    """

    what: str
    reason: str
    fixable_item: str | None = None
    may_keep_answers: bool = False


@dataclass(frozen=True, kw_only=True)
class TextChange:
    """A text that would change: which one, in which language, and what follows for how many people.

    `people` is None where nobody has to read, agree or answer again.
    """

    text: str
    language: str
    people: int | None
    effect: str

    @property
    def name(self) -> str:
        """The text and its language."""
        return f"{self.text} ({self.language})"

    @property
    def consequence(self) -> str:
        """What follows, with how many people."""
        counted = "" if self.people is None else f"{self.people} {'person' if self.people == 1 else 'people'}: "
        return f"{counted}{self.effect}"


@dataclass(frozen=True, kw_only=True)
class ChangePlan:
    """The changes that loading a file would make.

    `keys` are the changed keys of the file, which is that of a project or a programme. The other fields hold external
    ids of items: `added`, `changed` and `removed` ones, and `moved` ones, whose position in the file changed. `texts`
    are the texts that people see or agree to. `forbidden` changes refuse the loading.
    """

    file: Literal["project", "programme"] = "project"
    keys: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    texts: tuple[TextChange, ...] = ()
    forbidden: tuple[ForbiddenChange, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing would change."""
        return not (self.keys or self.added or self.changed or self.removed or self.moved or self.texts)

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The plan as pairs of words: a kind of change ("items added"), and the keys or items that it changes."""
        changes = {
            f"keys of the {self.file} file": self.keys,
            "items added": self.added,
            "items changed": self.changed,
            "items removed": self.removed,
            "items in another order": (str(len(self.moved)),) if self.moved else (),
            "texts": tuple(change.name for change in self.texts),
        }
        return tuple((kind, format_ids(names)) for kind, names in changes.items() if names)

    @property
    def summary(self) -> str:
        """The plan in one line."""
        return "; ".join(f"{kind}: {names}" for kind, names in self.lines)


def describe_texts(changes: Sequence[TextChange]) -> str:
    """What follows from each changed text, as sentences behind another one; empty without changes."""
    return "".join(f" {change.name}: {change.consequence}." for change in changes)


def format_ids(ids: Sequence[str]) -> str:
    """The first ids with commas between them, and how many more there are."""
    shown = ", ".join(ids[:MAX_IDS_LISTED])
    return shown if len(ids) <= MAX_IDS_LISTED else f"{shown} and {len(ids) - MAX_IDS_LISTED} more"


def plan_changes(
    old_definition: ProjectFile,
    new_definition: ProjectFile,
    stored: Mapping[str, StoredItem],
    rows: Mapping[str, ItemColumns],
    *,
    started: bool = False,
) -> ChangePlan:
    """Compare the old and the new definition and items of a project; returns the plan of what changes.

    `stored` holds the items as they are in the database, `rows` the items of the new file, both by external id. After
    the start of the project (`started`) the overlap and the panels may not change.
    """
    any_met = any(item.was_met for item in stored.values())
    old, new = old_definition.model_dump(mode="json"), new_definition.model_dump(mode="json")
    forbidden = list(_list_forbidden_keys(old_definition, new_definition)) if any_met else []
    if started and old_definition.overlap != new_definition.overlap:
        forbidden.append(
            ForbiddenChange(
                what="`overlap`",
                reason=f"it was started with {_format_overlap(old_definition)}; `hromada extend` raises it",
            )
        )
    if started and old["panels"] != new["panels"]:
        reason = "it was started with them, and people have their places in them"
        forbidden.append(ForbiddenChange(what="`panels`", reason=reason))
    if started and any(question.part_classes is not None for question in new_definition.all_questions):
        reason = "it was started, and neither the chat nor Label Studio asks for the class of a part"
        forbidden.append(ForbiddenChange(what="`labels` of the question", reason=reason))
    changed = [
        name for name, row in rows.items() if name in stored and _differs(stored[name].columns, row, ignored=("rank",))
    ]
    removed = [name for name in stored if name not in rows]
    for name in changed:
        restricted_changes = [
            column
            for column, value in rows[name].items()
            if column not in ALWAYS_CHANGEABLE_COLUMNS and stored[name].columns[column] != value
        ]
        if stored[name].was_met and restricted_changes:
            forbidden.append(
                ForbiddenChange(
                    what=f"item {name}",
                    reason=f"people have met it ({', '.join(sorted(restricted_changes))} changed)",
                    fixable_item=name,
                    may_keep_answers=not set(restricted_changes) & SUBSTANTIVE_COLUMNS,
                )
            )
    forbidden += [
        ForbiddenChange(what=f"item {name}", reason="people have met it") for name in removed if stored[name].was_met
    ]
    return ChangePlan(
        keys=tuple(key for key in new if old[key] != new[key]),
        added=tuple(name for name in rows if name not in stored),
        changed=tuple(changed),
        removed=tuple(removed),
        moved=tuple(
            name for name, row in rows.items() if name in stored and stored[name].columns["rank"] != row["rank"]
        ),
        forbidden=tuple(forbidden),
    )


def _differs(old: ItemColumns, new: ItemColumns, *, ignored: Sequence[str]) -> bool:
    return any(old[key] != new[key] for key in new if key not in ignored)


def _format_overlap(file: ProjectFile) -> str:
    overlap = file.overlap
    return f"{overlap.min} to {overlap.max}" if isinstance(overlap, DynamicOverlap) else str(overlap)


def _list_forbidden_keys(before: ProjectFile, after: ProjectFile) -> Sequence[ForbiddenChange]:
    """The changes of keys that are forbidden once there are assignments: questions, kind, seed of the option order."""
    old, new = (
        [question.model_dump(mode="json", exclude={"metrics", "level"}) for question in file.all_questions]
        for file in (before, after)
    )
    forbidden = [ForbiddenChange(what="the questions", reason="they are answered")] if old != new else []
    keys = [key for key in ("kind", "seed") if getattr(before, key) != getattr(after, key)]
    return [*forbidden, *(ForbiddenChange(what=f"`{key}`", reason="people have answered under it") for key in keys)]
