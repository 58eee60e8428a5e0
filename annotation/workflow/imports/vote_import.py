"""Votes from other tools become judgements; every one is kept, those that do not count with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlmodel import Session, select

from annotation import files
from annotation.campaigns import project as project_files
from annotation.campaigns.questions import Choice, Material, Question
from annotation.errors import BadInput, Conflict, Where
from annotation.loading import campaign as campaigns
from annotation.loading.drafts import VoteDraft, as_text
from annotation.store import journal, pseudonyms
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.vocabulary import AssignmentStatus, Event, Pool, Repeats, Surface
from annotation.workflow.imports import control_rules, repeated_votes
from annotation.workflow.imports.repeated_votes import Placed
from annotation.workflow.lifecycle.item_writer import BATCH, Progress


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What became of a file of votes: `excluded` counts by reason, `changed` by (raw label, label).

    `judged` is what control rules made of everybody whose votes were imported, by this file or an earlier one.
    """

    project: str
    votes: int
    retained: int
    annotators: int
    repeats: int
    policy: Repeats
    excluded: Mapping[str, int]
    changed: Mapping[tuple[str, str], int]
    judged: control_rules.Judged


@dataclass(frozen=True, kw_only=True)
class Ballot:
    """A file of votes, read and checked against the items of a project, not yet stored."""

    file: Path
    sha256: str
    definition_sha256: str
    section: project_files.VotesSection
    read: campaigns.ReadVotes


def read_votes(session: Session, project: Project, *, path: Path | None = None) -> Ballot:
    """Read a file of votes (by default the one that the project file names); stores nothing.

    Raises BadInput for anything in the file that cannot be used and Conflict for a file imported before.
    """
    definition = project_files.definition_of(project.definition)
    section = definition.votes
    if section is None or (path is None and section.file is None):
        raise BadInput(
            "The project does not say how votes are read.",
            where=Where(file=project.source, field="votes"),
            remedy="Add a `votes` section with the format and the file.",
        )
    source = path or Path(project.source).parent / (section.file or "")
    materials = _materials(session, project)
    read = campaigns.votes(source, section, questions=_questions(definition, materials.values()), materials=materials)
    ballot = Ballot(
        file=source,
        sha256=files.sha256(source),
        definition_sha256=project.definition_sha256,
        section=section,
        read=read,
    )
    _refuse_twice(session, project, ballot)
    return ballot


def store_votes(
    session: Session, project: Project, ballot: Ballot, *, key: bytes, now: datetime, progress: Progress | None = None
) -> Imported:
    """Store all votes of a file; raises Conflict where it was imported, or the project changed, meanwhile."""
    _refuse_twice(session, project, ballot)
    _refuse_changed(session, project, ballot)
    section, votes = ballot.section, ballot.read.votes
    people = _annotators(session, votes, namespace=section.people or _namespace(section, project), key=key, now=now)
    items = _items(session, project)
    definition = project_files.definition_of(project.definition)
    control_rules.lift(session, project=project, definition=definition, now=now)
    placed = [(items[vote.item].id, people[vote.annotator], _pooled(vote, items[vote.item].pool)) for vote in votes]
    repeated, settled = repeated_votes.settle(session, project, placed, policy=section.repeats)
    _insert(session, project, settled, items={one.id: one for one in items.values()}, progress=progress)
    judged = control_rules.enforce(session, project=project, definition=definition, now=now)
    fallen = {who: reason for reason, failed in reversed(list(judged.excluded.items())) for who in failed}
    reasons = [vote.excluded or fallen.get(who) for _, who, _, vote in settled]
    excluded = Counter(reason for reason in reasons if reason is not None)
    result = Imported(
        project=project.name,
        votes=len(settled),
        retained=len(settled) - excluded.total(),
        annotators=len(people),
        repeats=repeated,
        policy=section.repeats,
        excluded=dict(sorted(excluded.items())),
        changed=ballot.read.changed,
        judged=judged,
    )
    _record(session, project, result, digest=ballot.sha256, now=now)
    return result


def _namespace(section: project_files.VotesSection, project: Project) -> str:
    """Toloka's worker ids mean the same person everywhere; the 0, 1, 2 of a CSV file only within its project."""
    return "toloka" if section.format == "toloka" else f"project {project.name}"


@dataclass(frozen=True, kw_only=True)
class _Known:
    """An item of the project: its database id, revision and pool."""

    id: int
    revision: int
    pool: Pool


def _items(session: Session, project: Project) -> dict[str, _Known]:
    """Every item, by external id."""
    columns = select(Item.external_id, Item.id, Item.revision, Item.pool).where(Item.project_id == project.id)
    return {
        name: _Known(id=item_id or 0, revision=revision, pool=Pool(pool))
        for name, item_id, revision, pool in session.exec(columns)
    }


def _materials(session: Session, project: Project) -> dict[str, Material]:
    """What the questions need to know of every item, by external id."""
    columns = select(Item.external_id, Item.options, Item.data).where(Item.project_id == project.id)
    return {
        name: Material(
            options=None if own is None else tuple(own),
            fields={column: as_text(value) for column, value in data.items()},
        )
        for name, own, data in session.exec(columns)
    }


def _questions(definition: project_files.ProjectFile, materials: Iterable[Material]) -> tuple[Question, ...]:
    most = max(len(one.options or ()) for one in materials)
    return tuple(one.counted(most) if isinstance(one, Choice) else one for one in definition.asked)


def _pooled(vote: VoteDraft, pool: Pool) -> VoteDraft:
    """A vote on an item that is not for the numbers does not count, and says so."""
    if pool is Pool.MAIN:
        return vote
    control = vote.is_control or pool is Pool.CONTROL
    return replace(vote, excluded=vote.excluded or pool.excludes, is_control=control)


def _refuse_twice(session: Session, project: Project, ballot: Ballot) -> None:
    for entry in journal.of_project(session, Event.VOTES_IMPORTED, project_id=project.id or 0):
        if entry.data["sha256"] == ballot.sha256:
            raise Conflict(
                f"This file was imported into {project.name!r} already.",
                where=Where(file=ballot.file),
                remedy="Nothing is left to do.",
            )


def _refuse_changed(session: Session, project: Project, ballot: Ballot) -> None:
    """The votes were checked against the items as they were then."""
    now_known = session.get(Project, project.id)
    if now_known is None or now_known.definition_sha256 != ballot.definition_sha256:
        raise Conflict(
            f"{project.name!r} was changed while the votes were read.",
            where=Where(file=ballot.file),
            remedy="Import them again.",
        )


def _annotators(
    session: Session, votes: Sequence[VoteDraft], *, namespace: str, key: bytes, now: datetime
) -> dict[str, int]:
    """Database ids by the name in the file; people who are not known yet are added in order of appearance."""
    names = {
        name: pseudonyms.pseudonym(key, namespace=namespace, name=name)
        for name in dict.fromkeys(vote.annotator for vote in votes)
    }
    known = dict(session.exec(select(Annotator.pseudonym, Annotator.id)).all())
    fresh = [{"pseudonym": one, "simulated": False, "created_at": now} for one in names.values() if one not in known]
    if fresh:
        session.execute(sa.insert(Annotator), fresh)
        known = dict(session.exec(select(Annotator.pseudonym, Annotator.id)).all())
    return {name: known[one] or 0 for name, one in names.items()}


def _insert(
    session: Session,
    project: Project,
    settled: Sequence[Placed],
    *,
    items: Mapping[int, _Known],
    progress: Progress | None,
) -> None:
    connection = session.connection()
    told = progress or (lambda _share: None)
    for start in range(0, len(settled), BATCH):
        connection.execute(sa.insert(Assignment), list(_assignments(project, settled[start : start + BATCH], items)))
        told(0.5 * start / len(settled))
    ids = _ids(session, project)
    for start in range(0, len(settled), BATCH):
        connection.execute(sa.insert(Judgement), list(_judgements(ids, settled[start : start + BATCH])))
        told(0.5 + 0.5 * start / len(settled))
    repeated_votes.count(session, Counter(item for item, _, _, vote in settled if vote.excluded is None))


def _assignments(project: Project, batch: Sequence[Placed], items: Mapping[int, _Known]) -> Iterator[dict[str, object]]:
    for item, annotator, occasion, vote in batch:
        yield {
            "project_id": project.id,
            "item_id": item,
            "item_revision": items[item].revision,
            "annotator_id": annotator,
            "occasion": occasion,
            "surface": Surface.IMPORT,
            "status": AssignmentStatus.DONE,
            "stage": items[item].pool.stage,
            "is_control": vote.is_control,
            "is_repeat": False,  # nobody here asked again; whether votes that repeat count is the policy's to say
            "holds": vote.excluded is None,
        }


def _ids(session: Session, project: Project) -> dict[tuple[int, int, int], int | None]:
    """Assignment ids by item, annotator, occasion: read back in one query, faster than returning them row by row."""
    columns = select(Assignment.item_id, Assignment.annotator_id, Assignment.occasion, Assignment.id)
    rows = session.exec(columns.join(Item).where(Item.project_id == project.id))
    return {(item, annotator, occasion): identity for item, annotator, occasion, identity in rows}


def _judgements(ids: Mapping[tuple[int, int, int], int | None], batch: Sequence[Placed]) -> Iterator[dict[str, object]]:
    for item, annotator, occasion, vote in batch:
        yield {
            "assignment_id": ids[item, annotator, occasion],
            "revision": 0,
            "response": vote.response,
            "response_raw": vote.raw,
            "answers": vote.answers,
            "seconds": vote.seconds,
            "excluded_reason": vote.excluded,
        }


def _record(session: Session, project: Project, result: Imported, *, digest: str, now: datetime) -> None:
    changed = [[raw, label, times] for (raw, label), times in sorted(result.changed.items())]
    journal.record(
        session,
        Event.VOTES_IMPORTED,
        now=now,
        project_id=project.id,
        data={
            "sha256": digest,
            "votes": result.votes,
            "repeats": result.repeats,
            "policy": result.policy.value,
            "excluded": dict(result.excluded),
            "changed": changed,
        },
    )
