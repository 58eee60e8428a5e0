"""Items of a baseline that are closed to annotators, who met their groups in other projects; to whom, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns import project_file
from annotation.store.models import Annotator, Exposure, Item, Project
from annotation.vocabulary import POOLS_WITH_OVERLAP, ExposureCause

PEOPLE_NAMED = 10
"""How many annotators are named; of the others it is told how many they are."""

CAUSES = {
    ExposureCause.ANSWERED: "met in {project}",
    ExposureCause.CONTROL: "control items in {project}",
    ExposureCause.PILOT: "pilot of {project}",
    ExposureCause.TRAINING: "training in {project}",
    ExposureCause.QUALIFICATION: "qualification in {project}",
}


@dataclass(frozen=True, kw_only=True)
class ClosedItems:
    """How many items are closed to an annotator (a pseudonym), and by which reasons; an item may have several."""

    annotator: str
    number: int
    reasons: Mapping[str, int] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The number with its reasons."""
        named = ", ".join(f"{reason}: {number}" for reason, number in self.reasons.items())
        return f"{self.number} {'item' if self.number == 1 else 'items'} ({named})"


def list_closed_items(session: Session, project: Project) -> tuple[ClosedItems, ...]:
    """What is closed in a stored baseline, to the annotator with most such items first; nothing in another project.

    Only items that are to be answered count, those of the main and pilot pool.
    """
    definition = project_file.parse_definition(project.definition)
    if definition.kind != "baseline":
        return ()
    query = (
        select(Annotator.pseudonym, Project.name, Exposure.cause, Item.id)
        .select_from(Exposure)
        .join(Item, col(Item.group_id) == col(Exposure.group_id))
        .join(Annotator, col(Annotator.id) == col(Exposure.annotator_id))
        .join(Project, col(Project.id) == col(Exposure.project_id))
        .where(Item.project_id == project.id, col(Item.pool).in_(POOLS_WITH_OVERLAP))
        .where(_is_elsewhere(definition))
    )
    return _count(session.exec(query).all())


def list_items_to_close(
    session: Session, definition: project_file.ProjectFile, groups: Iterable[str]
) -> tuple[ClosedItems, ...]:
    """What would be closed in a project file that need not be loaded; `groups` are those of its items, one for each."""
    if definition.kind != "baseline":
        return ()
    items_by_group: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        items_by_group[group].append(number)
    query = (
        select(Annotator.pseudonym, Project.name, Exposure.cause, Exposure.group_id)
        .select_from(Exposure)
        .join(Annotator, col(Annotator.id) == col(Exposure.annotator_id))
        .join(Project, col(Project.id) == col(Exposure.project_id))
        .where(_is_elsewhere(definition))
    )
    return _count(
        (who, name, cause, item)
        for who, name, cause, group in session.exec(query)
        for item in items_by_group.get(group, ())
    )


def describe_closed_items(closed: tuple[ClosedItems, ...]) -> list[tuple[str, str]]:
    """Pairs of an annotator and what is closed to them, and how many annotators more there are."""
    lines = [(one.annotator, one.words) for one in closed[:PEOPLE_NAMED]]
    more = len(closed) - PEOPLE_NAMED
    return [*lines, ("others", f"{more} more people")] if more > 0 else lines


def _is_elsewhere(definition: project_file.ProjectFile) -> sa.ColumnElement[bool]:
    """The condition that an exposure is of another project, which the file does not except."""
    exceptions = definition.exposure.exceptions if definition.exposure else ()
    return col(Project.name).not_in((definition.project, *exceptions))


def _count(rows: Iterable[tuple[str, str, str, int | None]]) -> tuple[ClosedItems, ...]:
    items: dict[str, set[int]] = defaultdict(set)
    reasons: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for who, name, cause, item in rows:
        items[who].add(item or 0)
        reasons[who][CAUSES[ExposureCause(cause)].format(project=name)].add(item or 0)
    closed = (
        ClosedItems(
            annotator=who,
            number=len(found),
            reasons={reason: len(of_reason) for reason, of_reason in sorted(reasons[who].items())},
        )
        for who, found in items.items()
    )
    return tuple(sorted(closed, key=lambda one: (-one.number, one.annotator)))
