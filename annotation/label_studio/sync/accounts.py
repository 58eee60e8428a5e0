"""Which annotator an account on a server belongs to: numbers only, no names and no addresses."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict
from annotation.store.models import Annotator, LabelStudioAccount, LabelStudioBatch
from annotation.workflow.annotators import registration

_IS_NOT_ERASED = col(Annotator.forgotten_at).is_(None)
"""An account of an erased annotator is kept only until what it wrote is erased on the server, too."""


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
    known = session.get(LabelStudioAccount, (server, user_id))
    if known is not None and known.annotator_id != annotator.id:
        raise Conflict(
            f"The account {user_id} belongs to another annotator already.",
            remedy="`hromada label-studio doctor` shows whose it is; this annotator needs another account.",
        )
    if known is not None:
        return False
    session.add(LabelStudioAccount(server=server, user_id=user_id, annotator_id=annotator.id or 0))
    session.flush()
    session.connection().execute(
        sa.update(LabelStudioBatch).where(col(LabelStudioBatch.server) == server).values(watermark=None)
    )
    return True
