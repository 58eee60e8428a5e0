"""Desks as the database knows them: made once, found again, held by one pusher at a time."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict
from annotation.store.models import Annotator, Assignment, Desk, DeskAside, DeskTask, Project
from annotation.store.models.base import Moment
from annotation.vocabulary import AssignmentStatus

HELD = timedelta(minutes=6)
"""How long a pusher has a desk for itself: longer than the longest request takes."""
OPEN = (AssignmentStatus.LIVE, AssignmentStatus.EXPIRED)


def desk(session: Session, *, project: Project, person: Annotator, second: bool, server: str, now: datetime) -> Desk:
    """The desk of a person for a pass of a project, made where there is none yet."""
    whose = {"project": project.id, "who": person.id, "second": second, "server": server}
    session.connection().execute(_MAKE, whose | {"mark": secrets.token_hex(16), "now": now})
    chosen = select(Desk).where(
        Desk.project_id == project.id,
        Desk.annotator_id == person.id,
        Desk.second == second,
        Desk.server == server,
    )
    return session.exec(chosen).one()


def of_project(
    session: Session, *, server: str, project_id: int | None = None, annotator_id: int | None = None
) -> Sequence[tuple[Desk, Project, Annotator]]:
    """The desks on a server, of a project or of a person where one is named, oldest first."""
    chosen = select(Desk, Project, Annotator).join(Project, col(Project.id) == col(Desk.project_id))
    chosen = chosen.join(Annotator, col(Annotator.id) == col(Desk.annotator_id)).where(Desk.server == server)
    if project_id is not None:
        chosen = chosen.where(Desk.project_id == project_id)
    if annotator_id is not None:
        chosen = chosen.where(Desk.annotator_id == annotator_id)
    return session.exec(chosen.order_by(col(Desk.id))).all()


def remember(session: Session, desk_id: int, **values: object) -> None:
    """Write down what is known of a desk now."""
    session.connection().execute(sa.update(Desk).where(col(Desk.id) == desk_id).values(**values))


def config_digest(config: str) -> str:
    """The hash of a configuration, to see whether somebody changed it there."""
    return hashlib.sha256(config.encode()).hexdigest()


def read_until(session: Session, desk_id: int, moment: datetime) -> None:
    """Say how far a desk was read; it never goes back, whoever else reads it."""
    earlier = sa.or_(col(Desk.watermark).is_(None), col(Desk.watermark) < moment)
    session.connection().execute(sa.update(Desk).where(col(Desk.id) == desk_id, earlier).values(watermark=moment))


def renew(session: Session, desk_id: int) -> None:
    """Begin a desk anew, its project there being gone: what is answered stays, the rest is sent once more."""
    execute = session.connection().execute
    open_ones = sa.select(col(Assignment.id)).where(col(Assignment.status).in_(OPEN))
    mine = col(DeskTask.desk_id) == desk_id
    execute(sa.delete(DeskTask).where(mine, col(DeskTask.assignment_id).not_in(open_ones)))
    execute(sa.update(DeskTask).where(mine).values(remote_id=None, sent_at=None, seen=None, seen_at=None))
    execute(sa.delete(DeskAside).where(col(DeskAside.desk_id) == desk_id))
    remember(session, desk_id, mark=secrets.token_hex(16), remote_id=None, config_sha256=None, watermark=None)


@dataclass(frozen=True, kw_only=True)
class Holder:
    """One pusher: which process on which machine, and a number of its own."""

    machine: str
    process: int
    number: str

    def __str__(self) -> str:
        """As it is written down."""
        return f"{self.machine} {self.process} {self.number}"


def holder() -> Holder:
    """This process as a pusher."""
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:12]
    return Holder(machine=machine, process=os.getpid(), number=secrets.token_hex(8))


def hold(session: Session, desk_id: int, *, by: Holder, now: datetime) -> None:
    """Take a desk for oneself, or keep it; raises Conflict while somebody else pushes to it.

    Who holds it and was killed on this machine holds it no longer.
    """
    found = session.exec(
        select(Desk).where(Desk.id == desk_id).with_for_update().execution_options(populate_existing=True)
    ).one()
    free = found.holder is None or found.held_until is None or found.held_until < now
    if not free and found.holder != str(by) and not _dead(found.holder or "", by):
        raise Conflict(
            "Another push is filling this desk.",
            remedy=f"Wait until it has ended, at the latest until {found.held_until:%H:%M:%S} UTC.",
        )
    found.holder, found.held_until = str(by), now + HELD
    session.add(found)
    session.flush()


def release(session: Session, desk_id: int, *, by: Holder) -> None:
    """Let others have the desk."""
    mine = sa.update(Desk).where(col(Desk.id) == desk_id, col(Desk.holder) == str(by))
    session.connection().execute(mine.values(holder=None, held_until=None))


def _dead(written: str, by: Holder) -> bool:
    machine, _, rest = written.partition(" ")
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


_MAKE = sa.text("""
INSERT INTO desk (project_id, annotator_id, second, server, mark, created_at)
VALUES (:project, :who, :second, :server, :mark, :now) ON CONFLICT DO NOTHING""").bindparams(
    sa.bindparam("now", type_=Moment()), sa.bindparam("second", type_=sa.Boolean())
)
