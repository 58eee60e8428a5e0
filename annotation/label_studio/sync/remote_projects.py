"""The project of a batch on the server: found by its mark, or created, and given the present configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import BadInput, Conflict, NotFound
from annotation.label_studio.client import Client
from annotation.label_studio.server_models import RemoteProject
from annotation.label_studio.sync import batches
from annotation.store.database import Database
from annotation.store.models import IS_KNOWN, Annotator, LabelStudioAccount, LabelStudioBatch
from annotation.workflow.annotators import registration

_IS_NOT_ERASED = IS_KNOWN
"""An account of an erased or detached annotator is kept only until what it wrote is erased on the server, too."""


def map_accounts_to_annotators(session: Session, *, server: str) -> Mapping[int, int]:
    """The ids of annotators by the numbers of their accounts on the server."""
    query = select(LabelStudioAccount.user_id, LabelStudioAccount.annotator_id).join(Annotator)
    return dict(session.exec(query.where(LabelStudioAccount.server == server, _IS_NOT_ERASED)).all())


def map_accounts_to_pseudonyms(session: Session, *, server: str) -> Mapping[int, str]:
    """The pseudonyms of annotators by the numbers of their accounts on the server."""
    query = select(LabelStudioAccount.user_id, Annotator.pseudonym).join(
        Annotator, col(Annotator.id) == col(LabelStudioAccount.annotator_id)
    )
    return dict(session.exec(query.where(LabelStudioAccount.server == server, _IS_NOT_ERASED)).all())


def register_account(
    session: Session, *, server: str, user_id: int, key: bytes, now: datetime
) -> tuple[Annotator, bool]:
    """The annotator of an account, made with a link to it where it is nobody's yet; and whether the link is new.

    `key` is that of the pseudonyms.
    """
    annotator = registration.register_label_studio_annotator(
        session,
        account=f"{server} {user_id}",
        annotator_id=map_accounts_to_annotators(session, server=server).get(user_id),
        key=key,
        now=now,
    )
    return annotator, link_account(session, server=server, user_id=user_id, annotator=annotator)


def link_account(session: Session, *, server: str, user_id: int, annotator: Annotator) -> bool:
    """Link an account to an annotator; False where it is linked already. The next pull reads all from the start.

    Raises Conflict where the account belongs to another annotator: answers that were pulled stay as they are.
    """
    account = session.get(LabelStudioAccount, (server, user_id))
    if account is not None and account.annotator_id != annotator.id:
        raise Conflict(
            f"The account {user_id} belongs to another annotator already.",
            remedy="`hromada label-studio doctor` shows whose it is; this annotator needs another account.",
        )
    if account is not None:
        return False
    session.add(LabelStudioAccount(server=server, user_id=user_id, annotator_id=annotator.id or 0))
    session.flush()
    session.connection().execute(
        sa.update(LabelStudioBatch).where(col(LabelStudioBatch.server) == server).values(watermark=None)
    )
    return True


def adopt_server(database: Database, client: Client) -> None:
    """Store the server's present address with batches and accounts that were made at another address of it.

    Where batches of both addresses are the same annotator's work of the same pass, that of the present address stays
    the one that is pushed to, and the other is left as it is.
    """
    with database.reading() as session:
        projects = _list_projects_elsewhere(session, server=client.server_id)
    for server, marks in projects.items():
        if any(_is_on_server(client, remote_id, mark) for remote_id, mark in marks):
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
    existing = set(session.exec(select(LabelStudioAccount.user_id).where(LabelStudioAccount.server == to)))
    accounts = sa.update(LabelStudioAccount).where(
        col(LabelStudioAccount.server) == server, col(LabelStudioAccount.user_id).not_in(existing)
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


MAX_TITLE_LENGTH = 50
"""The longest project title that Label Studio accepts."""


@dataclass(frozen=True, kw_only=True)
class RemoteSettings:
    """What a project on the server is to be.

    Its title is that of the campaign, the kind of `work` where it is not the usual one, and the pseudonym.
    """

    title: str
    work: str
    pseudonym: str
    config: str
    instructions: str


def ensure_remote_project(
    database: Database, client: Client, settings: RemoteSettings, *, batch_id: int
) -> RemoteProject:
    """The project of the batch on the server, with the present configuration; raises NotFound where it was deleted."""
    config, instructions = settings.config, settings.instructions
    with database.reading() as session:
        batch = session.get_one(LabelStudioBatch, batch_id)
    if batch.remote_id is not None:
        remote = client.get_project(batch.remote_id)
    else:
        remote = client.find_project(batch.mark, title=settings.pseudonym) or client.create_project(
            title=_build_title(settings),
            mark=batch.mark,
            config=config,
            instructions=instructions,
        )
    present = (remote.label_config, remote.expert_instruction, remote.enable_empty_annotation)
    if present != (config, instructions, True):
        remote = client.update_project(remote.id, config=config, instructions=instructions)
    with database.transaction() as session:
        digest = batches.compute_config_digest(remote.label_config)
        batches.update_batch(session, batch_id, remote_id=remote.id, config_sha256=digest)
    return remote


def _build_title(settings: RemoteSettings) -> str:
    """The title on the server; by the pseudonym in it the project is found again, among others of the annotator."""
    rest = "".join(f" · {part}" for part in (settings.work, settings.pseudonym) if part)
    room = MAX_TITLE_LENGTH - len(rest)
    return (settings.title if len(settings.title) <= room else f"{settings.title[: room - 1].rstrip()}…") + rest
