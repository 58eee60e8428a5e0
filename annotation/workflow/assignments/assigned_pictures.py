"""The pictures of an assigned item: their sizes, and their content for the annotator who holds or has answered it."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.campaigns.stimulus import list_images
from annotation.store import pictures
from annotation.store.models import Annotator, Assignment, Item, Picture
from annotation.vocabulary import AssignmentStatus


def get_picture_sizes(session: Session, names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The width and height of stored pictures, by name."""
    return pictures.get_sizes(session, names)


def find_assigned_picture(session: Session, *, assignment_id: int, name: str) -> Picture | None:
    """Return a picture of an assigned item; None if the item shows no such picture, or is out of the annotator's hands.

    An annotator sees the pictures of an item while they hold the assignment and once they have answered it, unless they
    are suspended or erased.
    """
    query = (
        sa.select(col(Item.pieces))
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .where(
            col(Assignment.id) == assignment_id,
            col(Assignment.status).in_((AssignmentStatus.LIVE, AssignmentStatus.DONE)),
            col(Annotator.suspended_at).is_(None),
            col(Annotator.forgotten_at).is_(None),
            ~col(Annotator.detached),
        )
    )
    pieces = session.connection().execute(query).scalar_one_or_none()
    return pictures.find_picture(session, name) if name in list_images(pieces or ()) else None
