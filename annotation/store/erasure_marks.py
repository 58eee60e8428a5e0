"""Marks of erased annotators: that somebody was erased, when, and what must hold if they return; never who.

A mark is the SHA-256 of the pseudonym that was taken from the annotator. The pseudonym is keyed (`store/pseudonyms`),
so that without the key no mark can be made from a Telegram id, and none leads back to one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store.models import Annotator, ErasedAnnotator

KEPT_REASON = "as it was before their data were erased"
"""The reason of a suspension, and of a standing in a project, that holds again because the annotator returned."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What still holds for an erased annotator who returns.

    `projects` maps names of projects to `status`, `stage`, `attempt` and `retry_at` of a participation.
    """

    suspended: bool = False
    projects: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The standing as the table stores it; empty where nothing holds."""
        projects = {name: dict(values) for name, values in sorted(self.projects.items())}
        return ({"suspended": True} if self.suspended else {}) | ({"projects": projects} if projects else {})


def compute_mark(pseudonym: str) -> str:
    """The mark of an annotator with this pseudonym: 64 hexadecimal digits."""
    return hashlib.sha256(f"erased annotator\x1f{pseudonym}".encode()).hexdigest()


def find_mark(session: Session, pseudonym: str) -> ErasedAnnotator | None:
    """The mark of an annotator who had this pseudonym and was erased; None where nobody was."""
    return session.get(ErasedAnnotator, compute_mark(pseudonym))


def get_standing(session: Session, pseudonym: str) -> Standing:
    """What holds for an annotator with this pseudonym from before their data were erased."""
    found = find_mark(session, pseudonym)
    return Standing() if found is None else Standing(**found.standing)


def record_erasure(session: Session, *, pseudonym: str, standing: Standing, now: datetime) -> None:
    """Record that the annotator is erased.

    Where they were erased before, what they did not touch since their return stays as it was.
    """
    found = find_mark(session, pseudonym)
    if found is None:
        found = ErasedAnnotator(mark=compute_mark(pseudonym), erased_at=now, standing=standing.as_json())
    else:
        found.erased_at, found.standing = now, standing.as_json()
    session.add(found)
    session.flush()


def list_marks(connection: sa.Connection) -> dict[str, dict[str, Any]]:
    """All marks with `erased_at` (ISO 8601) and `standing`; empty where the database has no table of them."""
    if not sa.inspect(connection).has_table(ErasedAnnotator.__tablename__):
        return {}
    table = sa.select(ErasedAnnotator.mark, ErasedAnnotator.erased_at, ErasedAnnotator.standing)  # type: ignore[call-overload]
    rows = connection.execute(table.order_by(col(ErasedAnnotator.mark)))
    return {mark: {"erased_at": erased_at.isoformat(), "standing": standing} for mark, erased_at, standing in rows}


def merge_marks(*sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The marks of several lists; of a mark that is in more than one, the latest erasure."""
    merged: dict[str, Mapping[str, Any]] = {}
    for source in sources:
        for mark, values in source.items():
            known = merged.get(mark)
            if known is None or _parse_time(known) < _parse_time(values):
                merged[mark] = values
    return merged


def add_marks(connection: sa.Connection, marks: Mapping[str, Mapping[str, Any]]) -> None:
    """Store the marks, in place of older ones of the same annotators; nothing where there is no table of them."""
    if not marks or not sa.inspect(connection).has_table(ErasedAnnotator.__tablename__):
        return
    merged = merge_marks(list_marks(connection), marks)
    connection.execute(sa.delete(ErasedAnnotator))
    rows = [
        {"mark": mark, "erased_at": _parse_time(values), "standing": values["standing"]}
        for mark, values in sorted(merged.items())
    ]
    connection.execute(sa.insert(ErasedAnnotator), rows)


def list_revived_annotators(session: Session) -> Sequence[Annotator]:
    """Annotators with the mark of an erased one: a backup that was restored has brought them back.

    Annotators who came after that erasure are new ones. Where nobody was ever erased, no annotator is read.
    """
    erased_at = dict(session.exec(select(ErasedAnnotator.mark, ErasedAnnotator.erased_at)).all())
    if not erased_at:
        return []
    present = select(Annotator).where(col(Annotator.forgotten_at).is_(None)).order_by(col(Annotator.id))
    return [
        annotator
        for annotator in session.exec(present)
        if annotator.created_at < erased_at.get(compute_mark(annotator.pseudonym), annotator.created_at)
    ]


def _parse_time(values: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(values["erased_at"])
