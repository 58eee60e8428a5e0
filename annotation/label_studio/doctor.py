"""What `hromada label-studio doctor` looks at: the server, its accounts, and every desk there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, func, select

from annotation.errors import NotFound
from annotation.label_studio import server_errors
from annotation.label_studio.client import Client
from annotation.label_studio.sync import accounts, batches
from annotation.store.database import Database
from annotation.store.models import Annotator, Desk, DeskTask, Project

WELL = "well"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What was found. `accounts` are (number, name there, pseudonym or None), `desks` (project, person, pass, number
    of the project there, tasks, how it is).
    """

    url: str
    version: str
    accounts: tuple[tuple[int, str, str | None], ...]
    desks: tuple[tuple[str, str, int, int | None, int, str], ...]

    @property
    def well(self) -> bool:
        """Whether nothing is to be mended."""
        return all(state == WELL for *_, state in self.desks)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        names = ("project", "person", "pass", "remote_id", "tasks", "is")
        return {
            "url": self.url,
            "version": self.version,
            "accounts": [dict(zip(("account", "name", "person"), one, strict=True)) for one in self.accounts],
            "desks": [dict(zip(names, one, strict=True)) for one in self.desks],
        }


def examine(database: Database, client: Client) -> Found:
    """Look at everything; raises what the client raises where the server does not answer, or not to this token."""
    client.whoami()
    with database.reading() as session:
        known = accounts.pseudonyms(session, server=client.server)
        rows = [
            (desk, project, person, _tasks(session, desk))
            for desk, project, person in batches.of_project(session, server=client.server)
        ]
    return Found(
        url=server_errors.shown(client.url),
        version=client.version(),
        accounts=tuple((one.id, one.name, known.get(one.id)) for one in sorted(client.users(), key=lambda one: one.id)),
        desks=tuple(_desk(client, *row, linked=row[2].pseudonym in known.values()) for row in rows),
    )


def _desk(
    client: Client, desk: Desk, project: Project, person: Annotator, tasks: int, *, linked: bool
) -> tuple[str, str, int, int | None, int, str]:
    state = WELL if linked else "nobody there is linked to this person"
    if desk.remote_id is None:
        state = "not pushed yet: push again"
    else:
        try:
            remote = client.project(desk.remote_id)
        except NotFound:
            state = "deleted there: push with --anew"
        else:
            if desk.config_sha256 != batches.config_digest(remote.label_config):
                state = "its questions were changed there: push again"
            elif (remote.task_number or 0) < tasks:
                state = f"{tasks - (remote.task_number or 0)} of its tasks were deleted there"
    return project.name, person.pseudonym, 2 if desk.second else 1, desk.remote_id, tasks, state


def _tasks(session: Session, desk: Desk) -> int:
    sent = select(func.count(func.distinct(DeskTask.remote_id))).where(DeskTask.desk_id == desk.id)
    return int(session.exec(sent).one())
