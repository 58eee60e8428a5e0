"""Erasure of the copies that Label Studio holds of annotators who were erased or detached here.

These are the projects of their batches, whose titles hold the former pseudonym, and their annotations in batches of
others. What is still to be erased is what the database still knows: their batches and accounts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import BadInput, Conflict, HromadaError, NotFound
from annotation.label_studio.client import Client
from annotation.store.database import Database
from annotation.store.models import (
    IS_KNOWN,
    Annotator,
    Assignment,
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioReviewTask,
    LabelStudioSetAside,
    LabelStudioTask,
)


def erase_copies(database: Database, client: Client) -> int:
    """Delete what the server holds of erased annotators, and then what led to it here; the number of deletions there.

    Raises the errors of the client; what was deleted until then is done, and the next call goes on. Where the server
    refuses one project or account, the others are erased before its error is raised.
    """
    deleted, refusals = 0, list[HromadaError]()
    with database.reading() as session:
        erased = select(LabelStudioBatch).join(Annotator).where(~IS_KNOWN)
        batches = session.exec(erased.where(LabelStudioBatch.server == client.server_id)).all()
    for batch in batches:
        with _collect_refusals(client, refusals):
            deleted += _delete_project(client, batch)
            with database.transaction() as session:
                _remove_batch(session, batch.id or 0)
    with database.reading() as session:
        linked = select(LabelStudioAccount).join(Annotator).where(~IS_KNOWN)
        accounts = session.exec(linked.where(LabelStudioAccount.server == client.server_id)).all()
    for account in accounts:
        with _collect_refusals(client, refusals):
            deleted += _erase_account(database, client, account)
    for refusal in refusals:
        raise refusal
    return deleted


@contextmanager
def _collect_refusals(client: Client, refusals: list[HromadaError]) -> Iterator[None]:
    """Add what the server refused to a list; raises it where the server or the token is wrong, and not this copy."""
    try:
        yield
    except (BadInput, Conflict) as refusal:
        client.get_own_account()
        refusals.append(refusal)


def _delete_project(client: Client, batch: LabelStudioBatch) -> int:
    """Delete the project of a batch, also one whose number was never stored; 1 where there was one."""
    remote_id = batch.remote_id
    if remote_id is None:
        project = client.find_project(batch.mark)
        remote_id = None if project is None else project.id
    return 0 if remote_id is None else _delete_existing(client.delete_project, remote_id)


def _remove_batch(session: Session, batch_id: int) -> None:
    """Remove a batch with its tasks; assignments, answers and decisions stay."""
    for table in (LabelStudioTask, LabelStudioReviewTask, LabelStudioSetAside):
        session.connection().execute(sa.delete(table).where(col(table.batch_id) == batch_id))
    session.connection().execute(sa.delete(LabelStudioBatch).where(col(LabelStudioBatch.id) == batch_id))


def _erase_account(database: Database, client: Client, account: LabelStudioAccount) -> int:
    """Delete the annotations of an account in batches of others, and forget whose account it was."""
    with database.reading() as session:
        tasks = (
            select(LabelStudioTask)
            .join(Assignment, col(Assignment.id) == col(LabelStudioTask.assignment_id))
            .join(LabelStudioBatch, col(LabelStudioBatch.id) == col(LabelStudioTask.batch_id))
            .where(Assignment.annotator_id == account.annotator_id, LabelStudioBatch.server == account.server)
        )
        borrowed = session.exec(tasks).all()
        aside = select(LabelStudioSetAside).join(LabelStudioBatch).where(LabelStudioBatch.server == account.server)
        set_aside = session.exec(aside.where(LabelStudioSetAside.user_id == account.user_id)).all()
    annotation_ids = {row.annotation_id for row in set_aside}
    for task_id in sorted({row.remote_id for row in borrowed if row.remote_id is not None}):
        annotation_ids |= set(client.list_annotations(task_id, by=account.user_id))
    deleted = sum(_delete_existing(client.delete_annotation, number) for number in sorted(annotation_ids))
    with database.transaction() as session:
        execute = session.connection().execute
        own = col(LabelStudioTask.assignment_id).in_([row.assignment_id for row in borrowed])
        execute(sa.delete(LabelStudioTask).where(own))
        kept = col(LabelStudioSetAside.annotation_id).in_(annotation_ids)
        execute(sa.delete(LabelStudioSetAside).where(kept, col(LabelStudioSetAside.user_id) == account.user_id))
        whose = (col(LabelStudioAccount.server) == account.server, col(LabelStudioAccount.user_id) == account.user_id)
        execute(sa.delete(LabelStudioAccount).where(*whose))
    return deleted


def _delete_existing(delete: Callable[[int], None], number: int) -> int:
    """Delete a project or an annotation; 0 where it was gone already."""
    try:
        delete(number)
    except NotFound:
        return 0
    return 1
