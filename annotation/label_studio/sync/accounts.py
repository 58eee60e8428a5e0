"""Which account on a server is whose: numbers only, no name and no address."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.errors import Conflict
from annotation.store.models import Annotator, Desk, DeskUser


def linked(session: Session, *, server: str) -> Mapping[int, int]:
    """People's ids by the numbers of their accounts on the server."""
    chosen = select(DeskUser.user_id, DeskUser.annotator_id).where(DeskUser.server == server)
    return dict(session.exec(chosen).all())


def pseudonyms(session: Session, *, server: str) -> Mapping[int, str]:
    """People's pseudonyms by the numbers of their accounts on the server."""
    chosen = select(DeskUser.user_id, Annotator.pseudonym).join(
        Annotator, col(Annotator.id) == col(DeskUser.annotator_id)
    )
    return dict(session.exec(chosen.where(DeskUser.server == server)).all())


def link(session: Session, *, server: str, user_id: int, person: Annotator) -> bool:
    """Say whose an account is; False where it is known already. Everything on the server is read anew at the next pull.

    Raises Conflict where the account is somebody else's: answers that were taken over stay whose they are.
    """
    found = session.get(DeskUser, (server, user_id))
    if found is not None and found.annotator_id != person.id:
        raise Conflict(
            f"The account {user_id} is another person's already.",
            remedy="`hromada label-studio doctor` shows whose; give this person an account of her own.",
        )
    if found is not None:
        return False
    session.add(DeskUser(server=server, user_id=user_id, annotator_id=person.id or 0))
    session.flush()
    session.connection().execute(sa.update(Desk).where(col(Desk.server) == server).values(watermark=None))
    return True
