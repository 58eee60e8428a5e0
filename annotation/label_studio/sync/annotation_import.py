"""One task's annotations, as the server has them now, become answers: each account's set is replaced as a whole.

Everything about a task is settled in one transaction that first locks its line in the list, so that of two pullers the
second finds nothing left to do; what was read earlier than what is known already is left alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.campaigns.project import ProjectFile
from annotation.errors import BadInput, Stale
from annotation.label_studio import payloads
from annotation.label_studio.server_models import RemoteAnnotation, RemoteTask
from annotation.label_studio.sync import task_upload
from annotation.store.models import Assignment, Desk, DeskAside, DeskTask, Item, Judgement
from annotation.workflow.assignments import batches as work
from annotation.workflow.assignments.batches import SECOND

SKIP = "skipped in Label Studio"
UNKNOWN = "nobody is linked to this account"


class Change(StrEnum):
    """What became of one person's annotations of a task."""

    ANSWERED = "answered"
    CHANGED = "changed"
    DELETED = "deleted"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Aside:
    """An annotation that became no answer, and why."""

    annotation_id: int
    remote_task_id: int
    user_id: int | None
    reason: str


@dataclass
class Taken:
    """What became of a task."""

    changes: list[Change] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    strange: bool = False
    """A task that is not ours, or one that is there twice."""


def take(
    session: Session, desk: Desk, definition: ProjectFile, task: RemoteTask, *, people: Mapping[int, int], now: datetime
) -> Taken:
    """Bring what the database knows about a task up to what the server has. `people` are their ids by account."""
    rows = _rows(session, desk, task)
    if not rows:
        return Taken(strange=True)
    owner = next(row for row in rows if row[1].annotator_id == desk.annotator_id)
    version = _version(task)
    if owner[0].seen_at is not None and version < owner[0].seen_at:
        return Taken()
    given: dict[int, list[RemoteAnnotation]] = defaultdict(list)
    taken = Taken()
    for one in task.annotations:
        who = people.get(one.completed_by or 0)
        if who is None:
            taken.asides.append(_aside(task, one, UNKNOWN))
        else:
            given[who].append(one)
    known = {assignment.annotator_id: (row, assignment) for row, assignment in rows}
    for who in sorted({*given, *known}, key=lambda one: (one != desk.annotator_id, one)):
        _of_person(session, desk, definition, task, who, given[who], known.get(who), owner[1], taken=taken, now=now)
    _keep_aside(session, desk, task, taken.asides, now=now)
    owner[0].seen_at = version
    session.add(owner[0])
    session.flush()
    return taken


def _version(task: RemoteTask) -> datetime:
    """When anything about the task last changed; the server writes an annotation first, then the task's own time."""
    return max([task.updated_at, *(one.updated_at for one in task.annotations)])


def news(session: Session, desk: Desk, tasks: Sequence[RemoteTask], *, people: Mapping[int, int]) -> list[RemoteTask]:
    """Those of the tasks of which not all is known; one look for all of them, before each is settled by itself."""
    ids = [task.id for task in tasks]
    chosen = select(DeskTask.remote_id, Assignment.annotator_id, DeskTask.seen).join(
        Assignment, col(Assignment.id) == col(DeskTask.assignment_id)
    )
    seen: dict[int, dict[int, str | None]] = defaultdict(dict)
    mine = chosen.where(DeskTask.desk_id == desk.id, col(DeskTask.remote_id).in_(ids))
    for remote_id, who, digest in session.exec(mine):
        seen[remote_id or 0][who] = digest
    kept = select(DeskAside.remote_task_id).where(DeskAside.desk_id == desk.id, col(DeskAside.remote_task_id).in_(ids))
    aside = set(session.exec(kept))
    return [task for task in tasks if task.id in aside or not _known(task, seen.get(task.id), people)]


def _known(task: RemoteTask, seen: Mapping[int, str | None] | None, people: Mapping[int, int]) -> bool:
    """Whether what each person says of a task is what was taken over last; where nobody ever said anything, it is."""
    given: dict[int | None, list[RemoteAnnotation]] = defaultdict(list)
    for one in task.annotations:
        given[people.get(one.completed_by or 0)].append(one)
    if seen is None or not given.keys() <= seen.keys():
        return False
    return all(_same(digest, given.get(who, [])) for who, digest in seen.items())


def _same(seen: str | None, given: Sequence[RemoteAnnotation]) -> bool:
    return not given if seen is None else seen == _digest(given)


def _rows(session: Session, desk: Desk, task: RemoteTask) -> Sequence[tuple[DeskTask, Assignment]]:
    """The lines of the task, locked; one that was sent and never numbered is known by our own id."""
    chosen = (
        select(DeskTask, Assignment)
        .join(Assignment, col(Assignment.id) == col(DeskTask.assignment_id))
        .where(DeskTask.desk_id == desk.id)
        .order_by(col(DeskTask.assignment_id))
        .with_for_update(of=DeskTask)
        .execution_options(populate_existing=True)
    )
    found = session.exec(chosen.where(DeskTask.remote_id == task.id)).all()
    ours = task.data.get(payloads.OUR_ID)
    if found or not isinstance(ours, int):
        return found
    sent = chosen.where(DeskTask.assignment_id == ours, col(DeskTask.remote_id).is_(None))
    found = session.exec(sent.where(col(DeskTask.sent_at).is_not(None))).all()
    for row, _ in found:
        row.remote_id = task.id
        session.add(row)
    return found


def _of_person(
    session: Session,
    desk: Desk,
    definition: ProjectFile,
    task: RemoteTask,
    who: int,
    given: Sequence[RemoteAnnotation],
    known: tuple[DeskTask, Assignment] | None,
    owners: Assignment,
    *,
    taken: Taken,
    now: datetime,
) -> None:
    if known is not None and _same(known[0].seen, given):
        return
    digest = _digest(given)
    current = _current(given)
    try:
        with session.begin_nested():
            row = known or _borrowed(session, desk, task, who, owners, now=now)
            change = _applied(session, definition, row[1], current, now=now)
            row[0].seen = digest
            session.add(row[0])
            session.flush()
    except (BadInput, Stale) as failure:
        session.expire_all()
        for one in [current] if current is not None else []:
            taken.asides.append(_aside(task, one, str(failure)))
        return
    if change is not None:
        taken.changes.append(change)


def _borrowed(
    session: Session, desk: Desk, task: RemoteTask, who: int, owners: Assignment, *, now: datetime
) -> tuple[DeskTask, Assignment]:
    """A line for whoever answered at this desk, which is somebody else's."""
    if owners.occasion == SECOND:
        raise Stale("This second pass is another person's.")
    mine = work.borrow(session, annotator_id=who, item_id=owners.item_id, now=now)
    row = session.get(DeskTask, mine)
    if row is not None:
        raise Stale("She has this item at her own desk.")
    row = DeskTask(assignment_id=mine, desk_id=desk.id or 0, remote_id=task.id, sent_at=now)
    return row, session.get_one(Assignment, mine)


def _applied(
    session: Session,
    definition: ProjectFile,
    assignment: Assignment,
    current: RemoteAnnotation | None,
    *,
    now: datetime,
) -> Change | None:
    """Store what stands there now; None where that is known."""
    whose = {"annotator_id": assignment.annotator_id, "assignment_id": assignment.id or 0}
    before = session.exec(select(Judgement.id).where(Judgement.assignment_id == assignment.id).limit(1)).first()
    if current is None:
        return Change.DELETED if work.take_back(session, **whose, now=now) else None
    times = {"seconds": current.lead_time, "at": min(current.updated_at, now)}
    if current.was_cancelled:
        return Change.SKIPPED if work.skip(session, **whose, reason=SKIP, **times, now=now) else None  # type: ignore[arg-type]
    item = session.get_one(Item, assignment.item_id)
    second = assignment.occasion == SECOND
    first = task_upload.blind(session, assignment, definition.asked[0].name) if second else None
    answers = payloads.answers(definition, item, current.result, first=first)
    if not work.answer(session, **whose, answers=answers, **times, now=now):  # type: ignore[arg-type]
        return None
    return Change.ANSWERED if before is None else Change.CHANGED


def _current(given: Sequence[RemoteAnnotation]) -> RemoteAnnotation | None:
    """The one that stands: the latest answer, else the latest skip."""
    ordered = sorted(given, key=lambda one: (not one.was_cancelled, one.updated_at, one.id))
    return ordered[-1] if ordered else None


def _digest(given: Sequence[RemoteAnnotation]) -> str:
    """The hash of what one account says of a task."""
    told = [[one.id, one.was_cancelled, one.result] for one in sorted(given, key=lambda one: one.id)]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def _aside(task: RemoteTask, one: RemoteAnnotation, reason: str) -> Aside:
    return Aside(annotation_id=one.id, remote_task_id=task.id, user_id=one.completed_by, reason=reason)


def _keep_aside(session: Session, desk: Desk, task: RemoteTask, asides: Sequence[Aside], *, now: datetime) -> None:
    """What is aside of this task, and nothing else of it."""
    mine = (col(DeskAside.desk_id) == desk.id, col(DeskAside.remote_task_id) == task.id)
    since = dict(session.exec(select(DeskAside.annotation_id, DeskAside.since).where(*mine)).all())
    if since:
        session.connection().execute(sa.delete(DeskAside).where(*mine))
    rows = [{**asdict(one), "desk_id": desk.id, "since": since.get(one.annotation_id, now)} for one in asides]
    if rows:
        session.connection().execute(sa.insert(DeskAside), rows)
