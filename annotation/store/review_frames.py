"""Reviews and adjudications as pandas frames, from which releases are made.

Imports pandas; the bot's process never loads this.
"""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from annotation.review_vocabulary import AdjudicationDecision, ReviewDecision
from annotation.store.item_frames import read_frame
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Annotator,
    Assignment,
    Item,
    Judgement,
    Project,
    SubmissionReview,
)


def read_adjudications(session: Session, project: Project, *, question: str) -> pd.DataFrame:
    """One row per decision on a main item, by item_id and number: what was decided, by whom, when, and why it waited.

    Columns: item_id, item_revision, number, decision, labels (the right answers, the gold first, as a JSON list),
    version, adjudicator, decided_on (the day), comment, holds (it was not taken back), reasons (a JSON list), stratum;
    adjudicator is None where a fix of the item took the decision back.
    """
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Adjudication.item_revision),
        col(Adjudication.number),
        col(Adjudication.decision),
        col(Adjudication.labels),
        col(Adjudication.gold_version).label("version"),
        col(Annotator.pseudonym).label("adjudicator"),
        col(Adjudication.at).label("decided_on"),
        col(Adjudication.comment),
        col(AdjudicationCase.reasons),
        col(AdjudicationCase.stratum),
    ]
    query = (
        sa.select(*columns)
        .select_from(Adjudication)
        .join(Item, col(Item.id) == col(Adjudication.item_id))
        .outerjoin(Annotator, col(Annotator.id) == col(Adjudication.annotator_id))
        .outerjoin(
            AdjudicationCase,
            (col(AdjudicationCase.item_id) == col(Adjudication.item_id))
            & (col(AdjudicationCase.question) == col(Adjudication.question)),
        )
        .where(col(Item.project_id) == project.id, col(Adjudication.question) == question)
        .order_by(col(Item.external_id), col(Adjudication.number))
    )
    frame = read_frame(session, query)
    last = frame.groupby("item_id")["number"].transform("max") if len(frame) else frame["number"]
    undone = frame["decision"] == AdjudicationDecision.UNDONE
    frame = frame.assign(holds=((frame["number"] == last) & ~undone).astype(object))
    return _write_values(frame, lists=("labels", "reasons"), time="decided_on")


def read_gold_strata(session: Session, project: Project, *, question: str) -> dict[str, str]:
    """The stratum of each item that was drawn for the gold review of a question, by item_id, in the offered order."""
    drawn = sa.select(col(Item.external_id), col(AdjudicationCase.stratum)).join(
        AdjudicationCase, col(AdjudicationCase.item_id) == col(Item.id)
    )
    of_question = drawn.where(col(Item.project_id) == project.id, col(AdjudicationCase.question) == question)
    rows = session.execute(
        of_question.where(col(AdjudicationCase.gold_review_id).is_not(None)).order_by(
            col(AdjudicationCase.position), col(AdjudicationCase.id)
        )
    )
    return {item: str(stratum) for item, stratum in rows}


def read_reviews(session: Session, project: Project) -> pd.DataFrame:
    """One row per decision on an answer, by item_id, annotator and number.

    Columns: item_id, annotator (whose answer it is), revision (of the answer), number, decision, reason, reviewer,
    reviewed_on (the day), gold_shown, holds (it was not taken back, and the answer was not corrected since).
    """
    reviewer = aliased(Annotator)
    revisions = (
        sa.select(sa.func.max(col(Judgement.revision)))
        .where(col(Judgement.assignment_id) == col(Assignment.id))
        .scalar_subquery()
    )
    columns: list[Any] = [
        col(Item.external_id).label("item_id"),
        col(Annotator.pseudonym).label("annotator"),
        col(SubmissionReview.assignment_id),
        col(SubmissionReview.revision),
        col(SubmissionReview.number),
        col(SubmissionReview.decision),
        col(SubmissionReview.reason),
        col(reviewer.pseudonym).label("reviewer"),
        col(SubmissionReview.at).label("reviewed_on"),
        col(SubmissionReview.gold_shown),
        revisions.label("last_revision"),
    ]
    query = (
        sa.select(*columns)
        .select_from(SubmissionReview)
        .join(Assignment, col(Assignment.id) == col(SubmissionReview.assignment_id))
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(reviewer, col(reviewer.id) == col(SubmissionReview.annotator_id))
        .where(col(Assignment.project_id) == project.id)
        .order_by(col(Item.external_id), col(Annotator.pseudonym), col(Assignment.id), col(SubmissionReview.number))
    )
    frame = read_frame(session, query)
    last = frame.groupby("assignment_id")["number"].transform("max") if len(frame) else frame["number"]
    holds = (frame["number"] == last) & (frame["decision"] != ReviewDecision.UNDONE)
    frame = frame.assign(holds=(holds & (frame["revision"] == frame["last_revision"])).astype(object))
    return _write_values(frame.drop(columns=["assignment_id", "last_revision"]), lists=(), time="reviewed_on")


def _write_values(frame: pd.DataFrame, *, lists: tuple[str, ...], time: str) -> pd.DataFrame:
    """Lists as JSON, times as days, decisions as text, None for an unknown or empty cell."""

    def encode_list(value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False)

    columns: dict[str, list[Any]] = {name: [encode_list(value) for value in frame[name]] for name in lists}
    columns[time] = [value.date().isoformat() for value in frame[time]]
    columns["decision"] = [str(decision.value) for decision in frame["decision"]]
    written = frame.assign(
        **{name: pd.Series(values, index=frame.index, dtype=object) for name, values in columns.items()}
    )
    return written.astype(object).mask(written.isna() | (written == ""), None)
