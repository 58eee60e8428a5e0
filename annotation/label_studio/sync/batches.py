"""Label Studio batches in the database: created once, and filled by one push at a time."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.errors import Conflict
from annotation.store.models import (
    Annotator,
    Assignment,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    LabelStudioTask,
    Project,
)
from annotation.store.table_base import UtcDateTime
from annotation.vocabulary import AssignmentStatus, BatchWork

HOLD_DURATION = timedelta(minutes=6)
"""How long one push holds a batch: longer than the longest request takes."""
OPEN_STATUSES = (AssignmentStatus.LIVE, AssignmentStatus.EXPIRED)


def ensure_batch(
    session: Session,
    *,
    project: Project,
    annotator: Annotator,
    server: str,
    now: datetime,
    work: BatchWork = BatchWork.ANSWERS,
    question: str = "",
    second: bool = False,
) -> LabelStudioBatch:
    """The batch of an annotator for some work of a project, created where there is none yet."""
    owner = {"project": project.id, "annotator": annotator.id, "second": second, "server": server}
    owner |= {"work": work.value, "question": question}
    session.connection().execute(_INSERT_BATCH, owner | {"mark": secrets.token_hex(16), "now": now})
    chosen = select(LabelStudioBatch).where(
        LabelStudioBatch.project_id == project.id,
        LabelStudioBatch.annotator_id == annotator.id,
        LabelStudioBatch.work == work,
        LabelStudioBatch.question == question,
        LabelStudioBatch.second == second,
        LabelStudioBatch.server == server,
    )
    return session.exec(chosen).one()


def list_batches(
    session: Session, *, server: str, project_id: int | None = None, annotator_id: int | None = None
) -> Sequence[tuple[LabelStudioBatch, Project, Annotator]]:
    """The batches on a server, of one project or of one annotator where they are named, oldest first."""
    chosen = select(LabelStudioBatch, Project, Annotator).join(
        Project, col(Project.id) == col(LabelStudioBatch.project_id)
    )
    chosen = chosen.join(Annotator, col(Annotator.id) == col(LabelStudioBatch.annotator_id)).where(
        LabelStudioBatch.server == server
    )
    if project_id is not None:
        chosen = chosen.where(LabelStudioBatch.project_id == project_id)
    if annotator_id is not None:
        chosen = chosen.where(LabelStudioBatch.annotator_id == annotator_id)
    return session.exec(chosen.order_by(col(LabelStudioBatch.id))).all()


def update_batch(session: Session, batch_id: int, **values: object) -> None:
    """Set columns of a batch."""
    session.connection().execute(
        sa.update(LabelStudioBatch).where(col(LabelStudioBatch.id) == batch_id).values(**values)
    )


def count_tasks(session: Session, batch: LabelStudioBatch) -> int:
    """How many tasks of a batch were sent."""
    table = LabelStudioTask if batch.work is BatchWork.ANSWERS else LabelStudioReviewTask
    sent = select(func.count(func.distinct(table.remote_id))).where(table.batch_id == batch.id)
    return int(session.exec(sent).one())


def describe_work(work: BatchWork, *, second: bool) -> int | str:
    """The pass of a batch that is answered, 1 or 2; else what is decided in it."""
    return work.value if work is not BatchWork.ANSWERS else 2 if second else 1


def compute_config_digest(config: str) -> str:
    """The SHA-256 of a labelling configuration, by which a change on the server is noticed."""
    return hashlib.sha256(config.encode()).hexdigest()


def advance_watermark(session: Session, batch_id: int, moment: datetime) -> None:
    """Store the time up to which a batch was read, unless a later one is stored already."""
    earlier = sa.or_(col(LabelStudioBatch.watermark).is_(None), col(LabelStudioBatch.watermark) < moment)
    session.connection().execute(
        sa.update(LabelStudioBatch).where(col(LabelStudioBatch.id) == batch_id, earlier).values(watermark=moment)
    )


def reset_batch(session: Session, batch_id: int) -> None:
    """Detach a batch from its project on the server: answers and decisions stay, all else is sent to a new project."""
    execute = session.connection().execute
    open_assignments = sa.select(col(Assignment.id)).where(col(Assignment.status).in_(OPEN_STATUSES))
    mine = col(LabelStudioTask.batch_id) == batch_id
    execute(sa.delete(LabelStudioTask).where(mine, col(LabelStudioTask.assignment_id).not_in(open_assignments)))
    execute(sa.update(LabelStudioTask).where(mine).values(remote_id=None, sent_at=None, seen=None, seen_at=None))
    execute(sa.delete(LabelStudioReviewTask).where(col(LabelStudioReviewTask.batch_id) == batch_id))
    execute(sa.delete(LabelStudioSetAside).where(col(LabelStudioSetAside.batch_id) == batch_id))
    update_batch(session, batch_id, mark=secrets.token_hex(16), remote_id=None, config_sha256=None, watermark=None)


@dataclass(frozen=True, kw_only=True)
class BatchHolder:
    """One push: its machine, its process and a random number."""

    machine: str
    process: int
    number: str

    def __str__(self) -> str:
        """The text that is stored in the batch."""
        return f"{self.machine} {self.process} {self.number}"


def create_holder() -> BatchHolder:
    """A holder for a push of this process."""
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:12]
    return BatchHolder(machine=machine, process=os.getpid(), number=secrets.token_hex(8))


def hold_batch(session: Session, batch_id: int, *, by: BatchHolder, now: datetime) -> None:
    """Hold a batch for a push, or go on holding it; raises Conflict while another push holds it.

    A holder whose process on this machine has ended does not count.
    """
    batch = session.exec(
        select(LabelStudioBatch)
        .where(LabelStudioBatch.id == batch_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()
    held_until = None if batch.holder is None else batch.held_until
    is_held = held_until is not None and held_until >= now
    if held_until is not None and is_held and batch.holder != str(by) and not _is_dead(batch.holder or "", by):
        raise Conflict(
            "Another push is filling this batch.",
            remedy=f"Wait until it has ended, at most {ceil((held_until - now).total_seconds())} seconds.",
        )
    batch.holder, batch.held_until = str(by), now + HOLD_DURATION
    session.add(batch)
    session.flush()


def is_held(session: Session, batch_id: int, *, now: datetime) -> bool:
    """Whether a push is at work on the batch."""
    until = session.exec(select(LabelStudioBatch.held_until).where(LabelStudioBatch.id == batch_id)).one()
    return until is not None and until >= now


def release_batch(session: Session, batch_id: int, *, by: BatchHolder) -> None:
    """End the hold of this push."""
    mine = sa.update(LabelStudioBatch).where(
        col(LabelStudioBatch.id) == batch_id, col(LabelStudioBatch.holder) == str(by)
    )
    session.connection().execute(mine.values(holder=None, held_until=None))


def delete_unused_batch(session: Session, batch_id: int) -> None:
    """Delete a batch that has no project there and no task: a push found nothing for it."""
    batch = session.get_one(LabelStudioBatch, batch_id)
    tasks = select(func.count()).select_from(LabelStudioTask).where(LabelStudioTask.batch_id == batch_id)
    if batch.remote_id is None and not session.exec(tasks).one():
        session.delete(batch)
        session.flush()


def _is_dead(stored: str, by: BatchHolder) -> bool:
    machine, _, rest = stored.partition(" ")
    process = rest.partition(" ")[0]
    if machine != by.machine or not process.isdecimal():
        return False
    if int(process) == by.process:
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


_INSERT_BATCH = sa.text("""
INSERT INTO label_studio_batch (project_id, annotator_id, work, question, second, server, mark, created_at)
VALUES (:project, :annotator, :work, :question, :second, :server, :mark, :now) ON CONFLICT DO NOTHING""").bindparams(
    sa.bindparam("now", type_=UtcDateTime()), sa.bindparam("second", type_=sa.Boolean())
)
