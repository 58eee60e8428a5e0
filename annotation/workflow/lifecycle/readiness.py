"""What hinders the start of a campaign: all of it is named at once, each in a sentence with its remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from annotation.campaigns import lint
from annotation.campaigns import project as project_files
from annotation.errors import Conflict, Where
from annotation.loading import inspection
from annotation.store import queries
from annotation.store.models import Annotator, Assignment, Item, Programme, ProgrammeProject, Project
from annotation.vocabulary import Pool, Surface, WordingKind
from annotation.workflow.allocation import group_allocation
from annotation.workflow.lifecycle import campaign_reader

NAMED = 5


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """One thing that hinders the start, and what to do about it."""

    problem: str
    remedy: str


def check(session: Session, project: Project, *, rehearsal: bool = False) -> tuple[str, ...]:
    """Raise Conflict with all obstacles; without any, what organisers should know all the same.

    In a `rehearsal`, which nobody real comes to, pools may be too small.
    """
    definition = project_files.definition_of(project.definition)
    looks = [look for look in _LOOKS if not (rehearsal and look is _pools)]
    found = [one for look in looks for one in look(session, project, definition)]
    if found:
        raise Conflict(
            " ".join([f"{project.name!r} cannot start.", *(one.problem for one in found)]),
            where=Where(file=project.source),
            remedy=" ".join(dict.fromkeys(one.remedy for one in found)),
        )
    return tuple(_notes(session, project, definition))


def _notes(session: Session, project: Project, definition: project_files.ProjectFile) -> Iterator[str]:
    if definition.consent is None and _programme(session, project) is None:
        yield "People are asked for no consent; `consent` in the project file would ask for it."
    if definition.declared.missing:
        yield f"A release will ask for: {', '.join(f'declared.{name}' for name in definition.declared.missing)}."


def _items(session: Session, project: Project, definition: project_files.ProjectFile) -> Iterator[Obstacle]:
    if definition.overlap is None:
        problem = "It has imported votes only: there is nothing to hand out."
        yield Obstacle(problem=problem, remedy="It needs no start; export it as it is.")
        return
    if session.exec(select(Item.id).where(Item.project_id == project.id).limit(1)).first() is None:
        yield Obstacle(problem="It has no items.", remedy="Load the file again with items in it.")
        return
    campaign, contents = campaign_reader.contents(session, project)
    errors = [one for one in inspection.findings(campaign, contents) if one.rule.severity is lint.Severity.ERROR]
    for finding in errors:
        ids = ", ".join(finding.ids[:NAMED]) + (" and more" if len(finding.ids) > NAMED else "")
        problem = f"{finding.message.rstrip('.')} ({ids})."
        yield Obstacle(problem=problem, remedy=finding.rule.remedy)


def _texts(session: Session, project: Project, definition: project_files.ProjectFile) -> Iterator[Obstacle]:
    if not project.instructions:
        yield Obstacle(
            problem="It has no instructions.", remedy="Write `instructions` or `instructions_file`, and load it again."
        )
    known = project.texts or {}
    if definition.consent is not None and WordingKind.CONSENT not in known:
        yield Obstacle(
            problem=f"The text of its consent, {definition.consent.file}, was not stored.",
            remedy="Load the file again.",
        )
    programme = _programme(session, project)
    if programme and programme.definition.get("consent") and WordingKind.CONSENT not in (programme.texts or {}):
        yield Obstacle(
            problem=f"The text of the consent of {programme.name!r} was not stored.", remedy="Load the programme again."
        )


def short(definition: project_files.ProjectFile, have: Mapping[Pool, int]) -> Iterator[Obstacle]:
    """The stages whose pools, of so many items, cannot give what the stage asks of everybody: pure."""
    for name in ("training", "qualification"):
        stage = definition.stages.named.get(name)
        if stage is None:
            continue
        marked = stage.pass_mark.of if stage.pass_mark is not None else None
        number = max(stage.number or 0, marked or 0)
        found = have.get(Pool(name), 0)
        if found < number:
            asks = f"`stages.{name}.number` is {number}" if stage.number == number else f"its pass mark is of {number}"
            yield Obstacle(
                problem=f"The {name} pool has {found} items, and {asks}.",
                remedy=f"Put more items into the {name} pool, or ask for fewer.",
            )


def _pools(session: Session, project: Project, definition: project_files.ProjectFile) -> Iterator[Obstacle]:
    counted = select(Item.pool, func.count()).where(Item.project_id == project.id).group_by(col(Item.pool))
    return short(definition, {Pool(pool): number for pool, number in session.exec(counted)})


def _programme(session: Session, project: Project) -> Programme | None:
    chosen = select(Programme).join(ProgrammeProject).where(ProgrammeProject.project_id == project.id)
    return session.exec(chosen).first()


def _exposure(session: Session, project: Project, definition: project_files.ProjectFile) -> Iterator[Obstacle]:
    """Imported answers to groups of a baseline: whether their people come again nobody knows."""
    if definition.kind != "baseline":
        return
    excepted = definition.exposure.exceptions if definition.exposure else ()
    own = select(Item.group_id).where(Item.project_id == project.id)
    chosen = (
        select(Project.name, func.count(func.distinct(Item.group_id)), func.min(Item.group_id))
        .select_from(Item)
        .join(Project)
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .where(
            col(Item.group_id).in_(own),
            Item.project_id != project.id,
            Assignment.surface == Surface.IMPORT,
            col(Annotator.telegram_id).is_(None),
        )
    )
    for name, groups, first in session.exec(chosen.group_by(col(Project.name)).order_by(col(Project.name))):
        if name not in excepted:
            yield Obstacle(
                problem=f"{groups} of its groups ({first} and so on) were answered in {name!r} by people from outside,"
                " of whom nobody knows whether they come here.",
                remedy=f"Take these groups out, or list {name} under `exposure.exceptions`: it is scored apart.",
            )


def _allotment(session: Session, project: Project, _definition: project_files.ProjectFile) -> Iterator[Obstacle]:
    """Groups of an allotment for which too few people are planned, in this project or in one that it would spoil."""
    for share in group_allocation.shares(session, project_id=project.id or 0):
        other = queries.project(session, share.project)
        if share.short and not group_allocation.excepted(session, project_id=other.id or 0):
            yield Obstacle(
                problem=f"{share.short} groups of {share.project!r} get too few people who have not met them:"
                f" {share.missing} judgements are missing.",
                remedy="Allot with more --people, or list the other projects under `exposure.exceptions` of that one.",
            )


_LOOKS: tuple[Callable[[Session, Project, project_files.ProjectFile], Iterator[Obstacle]], ...] = (
    _items,
    _pools,
    _texts,
    _exposure,
    _allotment,
)
