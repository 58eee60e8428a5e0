"""Push: a person's desk is filled up to a number of items; done twice, or begun anew after a failure, it adds nothing.

What is handed out is committed before it is sent, and marked before it is sent; what became of a request that broke is
looked up by our own ids before anything is sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

from annotation.errors import BadInput, Where
from annotation.label_studio import configs
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject
from annotation.label_studio.sync import accounts, batches, fixed_tasks, task_upload
from annotation.label_studio.sync.batches import Holder
from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import Annotator, Desk, Project
from annotation.vocabulary import Hindrance, ProjectStatus
from annotation.workflow import definitions
from annotation.workflow.annotators import administration
from annotation.workflow.assignments import batches as work
from annotation.workflow.waiting import Waiting

CHUNK = 50
"""How many items are handed out in one transaction: others write in between."""
TITLE = 50
"""The longest title that Label Studio takes."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is pushed: to whose desk, and how many items are to wait there in all.

    `second` asks for the second pass, `handed_over` for items that Telegram gave up, `anew` for a new project where the
    old one is gone.
    """

    project: str
    person: str
    number: int
    second: bool = False
    handed_over: bool = False
    anew: bool = False
    lease: timedelta = work.LEASE


@dataclass(frozen=True, kw_only=True)
class Pushed:
    """What a push did: items that wait at the desk now, of them newly handed out; tasks sent, and found again.

    `waiting` says why fewer wait than were asked for. `linked` says that an account there is known to be hers.
    """

    project: str
    person: str
    remote_id: int
    in_hand: int
    handed: int
    sent: int
    recovered: int
    waiting: Waiting | None
    linked: bool


def push(
    database: Database,
    client: Client,
    order: Order,
    *,
    clock: Callable[[], datetime],
    progress: Callable[[float], None] = lambda share: None,  # noqa: ARG005
    settle: float = task_upload.SETTLE,
) -> Pushed:
    """Fill a desk. Raises Conflict while another push fills it, and whatever the server's client raises; what was done
    until then is kept, and the next push goes on. `settle` is how many seconds a broken request may still be at work.
    """
    holder = batches.holder()
    with database.transaction() as session:
        project = queries.project(session, order.project)
        person = administration.known_as(session, order.person)
        desk_id = _taken(session, order, project, person, server=client.server, holder=holder, now=clock())
    try:
        return _Push(database, client, order, clock, progress, holder, desk_id, project, person).run(settle=settle)
    finally:
        with database.transaction() as session:
            batches.release(session, desk_id, by=holder)


def _taken(
    session: Session, order: Order, project: Project, person: Annotator, *, server: str, holder: Holder, now: datetime
) -> int:
    """The desk, held by this push."""
    if project.status is ProjectStatus.LOADED:
        remedy = f"Start it: hromada start {project.name}."
        raise BadInput(f"{project.name} has not started.", where=Where(field="project"), remedy=remedy)
    found = batches.desk(session, project=project, person=person, second=order.second, server=server, now=now)
    desk_id = found.id or 0
    batches.hold(session, desk_id, by=holder, now=now)
    if order.anew:
        batches.renew(session, desk_id)
    return desk_id


@dataclass
class _Push:
    """A push on its way."""

    database: Database
    client: Client
    order: Order
    clock: Callable[[], datetime]
    progress: Callable[[float], None]
    holder: Holder
    desk_id: int
    project: Project
    person: Annotator
    handed: int = 0
    waiting: Waiting | None = None

    def run(self, *, settle: float) -> Pushed:
        """The project there, what a broken request left, items handed out, tasks sent."""
        remote = self._remote()
        line = task_upload.Line(
            self.database, self.client, desk_id=self.desk_id, remote_id=remote.id, clock=self.clock, keep=self._keep
        )
        recovered = line.recover(settle=settle)
        fixed_tasks.renew(self.database, self.client, definitions.of(self.project), desk_id=self.desk_id)
        sent = self._sent(line)
        with self.database.reading() as session:
            held = self._in_hand(session)
            known = self.person.id in accounts.linked(session, server=self.client.server).values()
        return Pushed(
            project=self.project.name,
            person=self.person.pseudonym,
            remote_id=remote.id,
            in_hand=held,
            handed=self.handed,
            sent=sent,
            recovered=recovered,
            waiting=self.waiting,
            linked=known,
        )

    def _remote(self) -> RemoteProject:
        """The desk's project there with today's configuration; made, and found by its mark, where need be."""
        definition = definitions.of(self.project)
        config = configs.rendered(definition, second_pass=self.order.second)
        told = configs.instructions(definition, text=self.project.instructions)
        with self.database.reading() as session:
            desk = session.get_one(Desk, self.desk_id)
        if desk.remote_id is not None:
            remote = self.client.project(desk.remote_id)
        else:
            remote = self.client.find_project(desk.mark) or self.client.create_project(
                title=self._title(desk), mark=desk.mark, config=config, instructions=told
            )
        if remote.label_config != config or remote.expert_instruction != told:
            remote = self.client.update_project(remote.id, config=config, instructions=told)
        with self.database.transaction() as session:
            batches.remember(
                session, self.desk_id, remote_id=remote.id, config_sha256=batches.config_digest(remote.label_config)
            )
        return remote

    def _title(self, desk: Desk) -> str:
        """As organisers read it there; the beginning of the mark lets it be found again."""
        rest = f" · {self.person.pseudonym}{' · 2' if self.order.second else ''} · {desk.mark[:8]}"
        return self.project.name[: TITLE - len(rest)] + rest

    def _sent(self, line: task_upload.Line) -> int:
        """Hand out, and send what is handed out meanwhile; how many tasks were sent. A failure there ends both."""
        definition = definitions.of(self.project)
        with ThreadPoolExecutor(1) as sender:
            on_the_way: list[Future[int]] = []
            for _ in self._hand_out():
                if on_the_way and on_the_way[-1].done():
                    on_the_way[-1].result()
                on_the_way.append(sender.submit(line.send, definition, least=task_upload.BATCH))
            on_the_way.append(sender.submit(line.send, definition))
            return sum(one.result() for one in on_the_way)

    def _hand_out(self) -> Iterator[None]:
        """Fill the desk in small transactions, each item together with its line in the list; after every thousand, a
        moment to send them.
        """
        told = 0
        while True:
            with self.database.transaction() as session:
                held = self._in_hand(session)
                given = self._given(session, min(CHUNK, self.order.number - held))
                task_upload.list_tasks(session, given, desk_id=self.desk_id)
            self.handed += len(given)
            searching = self.waiting is not None and self.waiting.reason is Hindrance.SEARCHING
            if not given and not searching:
                return
            self._keep()
            self.progress(min(1.0, (held + len(given)) / self.order.number))
            if self.handed - told >= task_upload.BATCH:
                told = self.handed
                yield

    def _given(self, session: Session, number: int) -> tuple[int, ...]:
        whose = {"annotator_id": self.person.id or 0, "project_id": self.project.id or 0}
        self.waiting = None
        if number <= 0:
            return ()
        if self.order.second:
            return work.open_second(session, **whose, number=number, now=self.clock(), lease=self.order.lease)
        batch = work.hand_out(
            session,
            **whose,
            number=number,
            now=self.clock(),
            lease=self.order.lease,
            handed_over=self.order.handed_over,
        )
        self.waiting = batch.waiting
        return batch.assignments

    def _in_hand(self, session: Session) -> int:
        count = work.second_in_hand if self.order.second else work.in_hand
        return count(session, annotator_id=self.person.id or 0, project_id=self.project.id or 0)

    def _keep(self) -> None:
        """Hold the desk for longer; raises Conflict where somebody else took it meanwhile."""
        with self.database.transaction() as session:
            batches.hold(session, self.desk_id, by=self.holder, now=self.clock())
