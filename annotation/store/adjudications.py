"""Which adjudication holds: of an item and question, the last row, unless that takes the one before back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from annotation.store.models import Adjudication, AdjudicationCase, Item
from annotation.vocabulary import AdjudicationDecision


def build_holding_condition() -> sa.ColumnElement[bool]:
    """The condition that an adjudication is the last of its item and question, and takes no other back."""
    return _build_last_condition() & (col(Adjudication.decision) != AdjudicationDecision.UNDONE)


def _build_last_condition() -> sa.ColumnElement[bool]:
    other = aliased(Adjudication)
    last = sa.select(func.max(other.number)).where(
        col(other.item_id) == col(Adjudication.item_id), col(other.question) == col(Adjudication.question)
    )
    return col(Adjudication.number) == last.scalar_subquery()


def build_decided_condition(item_id: Any, question: Any) -> sa.ColumnElement[bool]:
    """The condition that an adjudication of an item and question holds, for each row of a query."""
    held = sa.select(col(Adjudication.id)).where(
        col(Adjudication.item_id) == item_id, col(Adjudication.question) == question, build_holding_condition()
    )
    return held.exists()


def list_holding(session: Session, *, project_id: int, question: str) -> Sequence[tuple[Item, Adjudication]]:
    """The adjudications of a question that hold, with their items, in the order of external ids."""
    rows = select(Item, Adjudication).join(Adjudication, col(Adjudication.item_id) == col(Item.id))
    rows = rows.where(Item.project_id == project_id, Adjudication.question == question, build_holding_condition())
    return session.exec(rows.order_by(col(Item.external_id))).all()


def add_row(session: Session, row: Adjudication) -> Adjudication:
    """Store an adjudication with the next number of its item and question."""
    row.number = get_next_number(session, item_id=row.item_id, question=row.question)
    session.add(row)
    session.flush()
    return row


def get_next_number(session: Session, *, item_id: int, question: str) -> int:
    """The number that the next adjudication of an item and question gets, from 0."""
    last = select(func.max(Adjudication.number)).where(
        Adjudication.item_id == item_id, Adjudication.question == question
    )
    number = session.exec(last).one()
    return 0 if number is None else number + 1


def add_undone_row(
    session: Session, *, last: Adjudication, annotator_id: int | None, item_revision: int, now: datetime
) -> None:
    """Take a decision, the last of its item and question, back."""
    undone = Adjudication(
        item_id=last.item_id,
        item_revision=item_revision,
        question=last.question,
        number=0,
        annotator_id=annotator_id,
        decision=AdjudicationDecision.UNDONE,
        labels=[],
        at=now,
    )
    add_row(session, undone)


def undo_item_decisions(session: Session, *, item: Item, now: datetime) -> int:
    """Take back all decisions on an item that was changed in substance since; how many there were.

    What models answered to it as it was is no candidate any more.
    """
    cases = sa.update(AdjudicationCase).where(col(AdjudicationCase.item_id) == item.id)
    session.connection().execute(cases.values(candidates=[]))
    held = select(Adjudication).where(Adjudication.item_id == item.id, build_holding_condition())
    decisions = session.exec(held.order_by(col(Adjudication.question))).all()
    for last in decisions:
        add_undone_row(session, last=last, annotator_id=None, item_revision=item.revision, now=now)
    return len(decisions)
