"""Tasks on their way: listed with their assignments, marked before they are sent, numbered once they are there."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from annotation.campaigns.project import ProjectFile
from annotation.errors import HromadaError, Unavailable
from annotation.label_studio import payloads
from annotation.label_studio.client import Client
from annotation.store import judgements
from annotation.store.database import Database
from annotation.store.models import Assignment, DeskTask, Item, Judgement
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.assignments.batches import SECOND

BATCH = 1000
"""How many tasks one request carries."""
SETTLE = 30.0
"""For so many seconds a request that broke may still be at work on the server."""
PAUSE = 1.0


def list_tasks(session: Session, assignment_ids: Collection[int], *, desk_id: int) -> None:
    """Write down which assignments are tasks at the desk; those that came back to it keep their task there."""
    known = set(session.exec(select(DeskTask.assignment_id).where(col(DeskTask.assignment_id).in_(assignment_ids))))
    session.add_all([DeskTask(assignment_id=one, desk_id=desk_id) for one in assignment_ids if one not in known])
    session.flush()


@dataclass(frozen=True)
class Line:
    """The way to one project there."""

    database: Database
    client: Client
    desk_id: int
    remote_id: int
    clock: Callable[[], datetime]
    keep: Callable[[], None]
    """Holds the desk for longer."""

    def recover(self, *, settle: float) -> int:
        """Look up what became of tasks that were sent without an answer; how many are there. The others are sent anew
        once the request that broke can be at work no more.
        """
        found = 0
        while doubted := self._doubted():
            found += self._adopt(doubted)
            left = self._doubted()
            if not left:
                break
            waited = (self.clock() - max(left.values())).total_seconds()
            if waited >= settle:
                self._unmark(left)
                break
            self.keep()
            time.sleep(min(PAUSE, settle - waited))
        return found

    def send(self, definition: ProjectFile, *, least: int = 1) -> int:
        """Send live assignments that wait to be sent, while there are so many of them at least; how many were sent."""
        sent = 0
        while True:
            self.keep()
            with self.database.transaction() as session:
                ids = list(session.exec(self._waiting()))
                if len(ids) < least:
                    return sent
                tasks = built(session, definition, ids)
                self._mark(session, ids, sent_at=self.clock())
            self._store(ids, self._imported(ids, tasks))
            sent += len(ids)

    def _imported(self, ids: Sequence[int], tasks: Sequence[dict[str, Any]]) -> list[int]:
        """Send tasks; where the server certainly took none of them, they are unmarked again."""
        try:
            made = self.client.import_tasks(self.remote_id, tasks)
        except Unavailable:
            raise
        except HromadaError:
            self._unmark(ids)
            raise
        if len(made) != len(ids):
            remedy = "Run this again: it looks up what is there before it sends anything."
            raise Unavailable(f"Label Studio took {len(made)} of {len(ids)} tasks.", remedy=remedy)
        return made

    def _store(self, ids: Sequence[int], made: Sequence[int]) -> None:
        with self.database.transaction() as session:
            session.connection().execute(
                sa.update(DeskTask)
                .where(col(DeskTask.assignment_id) == sa.bindparam("which"))
                .values(remote_id=sa.bindparam("there")),
                [{"which": one, "there": remote} for one, remote in zip(ids, made, strict=True)],
            )

    def _adopt(self, doubted: Mapping[int, datetime]) -> int:
        """Number those of the tasks that are there: the server gave them ids beyond those that are known."""
        with self.database.reading() as session:
            highest = session.exec(select(func.max(DeskTask.remote_id)).where(DeskTask.desk_id == self.desk_id)).one()
        there: dict[int, int] = {}
        for page in self.client.tasks(self.remote_id, after=highest or 0):
            for task in page:
                ours = task.data.get(payloads.OUR_ID)
                if isinstance(ours, int) and ours in doubted:
                    there.setdefault(ours, task.id)
        if there:
            self._store(list(there), list(there.values()))
        return len(there)

    def _doubted(self) -> dict[int, datetime]:
        """Assignments whose tasks were sent and never numbered, with the time of sending."""
        chosen = select(DeskTask.assignment_id, DeskTask.sent_at).where(
            DeskTask.desk_id == self.desk_id, col(DeskTask.remote_id).is_(None), col(DeskTask.sent_at).is_not(None)
        )
        with self.database.reading() as session:
            return {one: at for one, at in session.exec(chosen) if at is not None}

    def _unmark(self, ids: Collection[int]) -> None:
        with self.database.transaction() as session:
            self._mark(session, ids, sent_at=None)

    def _mark(self, session: Session, ids: Collection[int], *, sent_at: datetime | None) -> None:
        marked = sa.update(DeskTask).where(col(DeskTask.assignment_id) == sa.bindparam("which"))
        if ids:
            session.connection().execute(marked.values(sent_at=sent_at), [{"which": one} for one in ids])

    def _waiting(self) -> SelectOfScalar[int]:
        """Tasks of live assignments that were not sent yet, as many as one request carries."""
        joined = select(DeskTask.assignment_id).join(Assignment, col(Assignment.id) == DeskTask.assignment_id)
        waiting = joined.where(
            DeskTask.desk_id == self.desk_id,
            col(DeskTask.remote_id).is_(None),
            col(DeskTask.sent_at).is_(None),
            Assignment.status == AssignmentStatus.LIVE,
        )
        return waiting.order_by(col(DeskTask.assignment_id)).limit(BATCH)


def built(session: Session, definition: ProjectFile, ids: Collection[int]) -> list[dict[str, Any]]:
    """The tasks of these assignments, in the order of their ids; gold only beside an answer that was given blind."""
    chosen = select(Assignment, Item).join(Item, col(Item.id) == col(Assignment.item_id))
    rows = session.exec(chosen.where(col(Assignment.id).in_(ids)).order_by(col(Assignment.id))).all()
    name = definition.asked[0].name
    tasks = []
    for assignment, item in rows:
        orders = assignment.option_orders
        if orders is None and assignment.option_order is not None:
            orders = {name: assignment.option_order}
        beside: dict[str, Any] = {}
        if assignment.occasion == SECOND:
            golds = item.golds or ({} if item.gold is None else {name: item.gold})
            beside = {"first": blind(session, assignment, name), "gold": golds or None}
        tasks.append(payloads.task(definition, item, assignment_id=assignment.id or 0, option_order=orders, **beside))
    return tasks


def blind(session: Session, second: Assignment, name: str) -> Mapping[str, str]:
    """What the person answered before the second pass, by question; `name` is the first question's."""
    chosen = (
        select(Judgement)
        .join(Assignment, col(Assignment.id) == col(Judgement.assignment_id))
        .where(Assignment.item_id == second.item_id, Assignment.annotator_id == second.annotator_id)
        .where(Assignment.occasion == 0, judgements.final_revision())
    )
    found = session.exec(chosen).one()
    return found.answers or {name: found.response}
