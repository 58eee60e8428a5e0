"""Pull: what changed at the desks since they were last read, task by task; killed half way, the next pull goes on.

How far a desk was read is the server's own time less a margin: what is written there at this moment is met next time,
and what was met already is known by its hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from annotation.errors import Conflict, NotFound, Unavailable, Where
from annotation.label_studio import server_errors
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject
from annotation.label_studio.sync import accounts, annotation_import, batches
from annotation.label_studio.sync.annotation_import import Change, Taken
from annotation.store.database import Database
from annotation.store.models import Annotator, Desk, DeskAside, DeskTask, Project
from annotation.workflow import definitions

MARGIN = timedelta(seconds=10)
"""A change may be seen so long after the moment that the server writes on it."""


@dataclass(frozen=True, kw_only=True)
class Pulled:
    """What a pull found at one desk. `problem` says why it could not be read, or not whole; nothing is lost by it.

    `aside` counts the annotations there that are no answers, by reason. `missing` are tasks that were deleted there.
    """

    project: str
    person: str
    second: bool
    remote_id: int | None
    read: int = 0
    answered: int = 0
    changed: int = 0
    deleted: int = 0
    skipped: int = 0
    strange: int = 0
    missing: int = 0
    aside: tuple[tuple[str, int], ...] = ()
    problem: str | None = None

    @property
    def news(self) -> int:
        """How many answers are other ones than before."""
        return self.answered + self.changed + self.deleted + self.skipped


def pull(
    database: Database,
    client: Client,
    *,
    clock: Callable[[], datetime],
    project_id: int | None = None,
    annotator_id: int | None = None,
    everything: bool = False,
    progress: Callable[[float], None] = lambda share: None,  # noqa: ARG005
) -> tuple[Pulled, ...]:
    """Read the desks of a project, or of a person, or all on this server; with `everything` from the beginning.

    A desk that cannot be read says so in its `problem`, and the others are read. Raises Unavailable where the server
    does not answer at all, and BadInput for a token that it does not know.
    """
    with database.reading() as session:
        found = batches.of_project(session, server=client.server, project_id=project_id, annotator_id=annotator_id)
    pulled = []
    for number, (desk, project, person) in enumerate(found):
        pulled.append(_desk(database, client, desk, project, person, clock=clock, everything=everything))
        progress((number + 1) / len(found))
    return tuple(pulled)


def _desk(
    database: Database,
    client: Client,
    desk: Desk,
    project: Project,
    person: Annotator,
    *,
    clock: Callable[[], datetime],
    everything: bool,
) -> Pulled:
    whose = {"project": project.name, "person": person.pseudonym, "second": desk.second, "remote_id": desk.remote_id}
    if desk.remote_id is None:
        return Pulled(**whose)  # type: ignore[arg-type]
    counted: Counter[str] = Counter()
    problem = None
    try:
        remote = client.project(desk.remote_id)
        _refuse_changed(desk, remote, url=client.url)
        begun = (client.clock or remote_now(desk, clock)) - MARGIN
        since = None if everything else desk.watermark
        definition = definitions.of(project)
        for page in client.tasks(remote.id, since=since):
            with database.reading() as session:
                people = accounts.linked(session, server=client.server)
                fresh = annotation_import.news(session, desk, page, people=people)
            counted["read"] += len(page)
            for task in fresh:
                with database.transaction() as session:
                    _count(counted, annotation_import.take(session, desk, definition, task, people=people, now=clock()))
        with database.transaction() as session:
            batches.read_until(session, desk.id or 0, begun)
            counted["missing"] = _missing(session, desk, remote)
    except Unavailable:
        raise
    except (Conflict, NotFound) as failure:
        problem = str(failure)
    with database.reading() as session:
        aside = _aside(session, desk)
    return Pulled(**whose, **counted, aside=aside, problem=problem)  # type: ignore[arg-type]


def remote_now(desk: Desk, clock: Callable[[], datetime]) -> datetime:
    """Where a proxy took the server's clock away: ours, an hour back."""
    return max(desk.watermark or desk.created_at, clock() - timedelta(hours=1))


def _refuse_changed(desk: Desk, remote: RemoteProject, *, url: str) -> None:
    if desk.config_sha256 not in {None, batches.config_digest(remote.label_config)}:
        raise Conflict(
            "The questions of this desk were changed in Label Studio, so that its answers could mean something else.",
            where=Where(file=server_errors.shown(url), field=f"project {remote.id}"),
            remedy="Push it again, which puts them back; the next pull reads all that came meanwhile.",
        )


def _count(counted: Counter[str], taken: Taken) -> None:
    counted["strange"] += taken.strange
    names = {
        Change.ANSWERED: "answered", Change.CHANGED: "changed", Change.DELETED: "deleted", Change.SKIPPED: "skipped",
    }  # fmt: skip
    counted.update(names[one] for one in taken.changes)


def _missing(session: Session, desk: Desk, remote: RemoteProject) -> int:
    """How many tasks fewer are there than we sent."""
    sent = select(func.count(func.distinct(DeskTask.remote_id))).where(DeskTask.desk_id == desk.id)
    return max(0, int(session.exec(sent).one()) - (remote.task_number or 0)) if remote.task_number is not None else 0


def _aside(session: Session, desk: Desk) -> tuple[tuple[str, int], ...]:
    chosen = select(DeskAside.reason, DeskAside.user_id, func.count()).where(DeskAside.desk_id == desk.id)
    rows = session.exec(chosen.group_by(col(DeskAside.reason), col(DeskAside.user_id))).all()
    told: Counter[str] = Counter()
    for reason, user, number in rows:
        told[f"{reason} (account {user})" if reason == annotation_import.UNKNOWN else reason] += number
    return tuple(sorted(told.items()))
