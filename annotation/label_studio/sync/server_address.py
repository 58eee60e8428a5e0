"""The same server at another address: its batches and accounts are taken over.

A server has no id of its own, and is known by a hash of its address. It is recognised by a project of ours: nobody else
can have made one with the same number and the mark, a random key, in its description.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import BadInput, NotFound
from annotation.label_studio.client import Client
from annotation.store.database import Database
from annotation.store.models import LabelStudioAccount, LabelStudioBatch


def adopt_server(database: Database, client: Client) -> None:
    """Store the server's present address with batches and accounts that were made at another address of it.

    Where batches of both addresses are the same annotator's work of the same pass, that of the present address stays
    the one that is pushed to, and the other is left as it is.
    """
    with database.reading() as session:
        projects = _list_projects_elsewhere(session, server=client.server_id)
    for server, batches in projects.items():
        if any(_is_on_server(client, remote_id, mark) for remote_id, mark in batches):
            with database.transaction() as session:
                _move_batches(session, server=server, to=client.server_id)


def _list_projects_elsewhere(session: Session, *, server: str) -> dict[str, list[tuple[int, str]]]:
    """The number and the mark of projects, by the other addresses under which they were made."""
    query = select(LabelStudioBatch.server, LabelStudioBatch.remote_id, LabelStudioBatch.mark).where(
        LabelStudioBatch.server != server, col(LabelStudioBatch.remote_id).is_not(None)
    )
    projects: dict[str, list[tuple[int, str]]] = {}
    for other, remote_id, mark in session.exec(query.order_by(col(LabelStudioBatch.id).desc())):
        projects.setdefault(other, []).append((remote_id or 0, mark))
    return projects


def _is_on_server(client: Client, remote_id: int, mark: str) -> bool:
    try:
        return mark in (client.get_project(remote_id).description or "")
    except NotFound:
        return False
    except BadInput:
        client.get_own_account()  # raises where it is the server or the token, and not this project
        return False


def _move_batches(session: Session, *, server: str, to: str) -> None:
    known = set(session.exec(select(LabelStudioAccount.user_id).where(LabelStudioAccount.server == to)))
    accounts = sa.update(LabelStudioAccount).where(
        col(LabelStudioAccount.server) == server, col(LabelStudioAccount.user_id).not_in(known)
    )
    session.connection().execute(accounts.values(server=to))
    taken = {
        (batch.project_id, batch.annotator_id, batch.second)
        for batch in session.exec(select(LabelStudioBatch).where(LabelStudioBatch.server == to))
    }
    for batch in session.exec(select(LabelStudioBatch).where(LabelStudioBatch.server == server)).all():
        if (batch.project_id, batch.annotator_id, batch.second) not in taken:
            batch.server = to
            session.add(batch)
    session.flush()
