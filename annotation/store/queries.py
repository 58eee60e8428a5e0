"""Queries that several use cases share."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from aggregation import spelling
from annotation.errors import NotFound
from annotation.store import judgements, overlap_counts
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Annotator,
    Assignment,
    Item,
    Judgement,
    LabelStudioTask,
    Programme,
    ProgrammeProject,
    Project,
)
from annotation.vocabulary import SECOND_PASS_OCCASION, AdjudicationDecision, ExclusionKind, Pool, Surface


def list_missing_passes(session: Session, project: Project) -> frozenset[tuple[str, str]]:
    """Items (external ids) and pseudonyms of the first passes without a second one; one that was skipped is missing."""
    first_passes = _select_answers(project, col(Item.external_id), col(Annotator.pseudonym))
    first_passes = first_passes.join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
    missing = first_passes.where(_IS_ASKED_TWICE, ~_build_done_condition())
    return frozenset((item, annotator) for item, annotator in session.execute(missing))


def count_judged_items(session: Session, project: Project) -> int:
    """The number of main items with an answer that counts and whose annotator did the second pass, or was asked all the
    questions at once.
    """
    judged = _select_answers(project, sa.func.count(sa.distinct(col(Item.id))))
    judged = judged.where(
        col(Item.pool) == Pool.MAIN,
        judgements.build_counting_condition(),
        ~_IS_ASKED_TWICE | _build_done_condition(),
    )
    return int(session.execute(judged).scalar_one())


_IS_ASKED_TWICE = col(Assignment.surface) != Surface.IMPORT
"""The condition that an answer came from Telegram or Label Studio; imported ones may have been asked all at once."""


def _select_answers(project: Project, *columns: Any) -> sa.Select[Any]:
    """Columns of the final answers of a project that are no skips."""
    query = sa.select(*columns).select_from(Item).join(Assignment, col(Assignment.item_id) == col(Item.id))
    query = query.join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
    is_final = judgements.build_final_revision_condition()
    return query.where(col(Item.project_id) == project.id, is_final, col(Judgement.skip_reason).is_(None))


@cache
def _build_done_condition() -> sa.ColumnElement[bool]:
    """The condition that the annotator of `Assignment` answered the second pass on its item."""
    second, answer = aliased(Assignment), aliased(Judgement)
    passes = sa.select(col(second.id)).join(answer, col(answer.assignment_id) == col(second.id))
    passes = passes.where(
        col(second.item_id) == col(Assignment.item_id),
        col(second.annotator_id) == col(Assignment.annotator_id),
        col(answer.revision) == judgements.build_last_revision(col(second.id)),
        col(answer.excluded_kind) == ExclusionKind.SECOND_PASS,
        col(answer.skip_reason).is_(None),
    )
    done: sa.ColumnElement[bool] = passes.correlate(Assignment).exists()
    return done


def build_holding_condition() -> sa.ColumnElement[bool]:
    """The condition that an adjudication is the last of its item and question, and takes no other back."""
    return _build_last_condition() & (col(Adjudication.decision) != AdjudicationDecision.UNDONE)


@cache
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


def get_project(session: Session, name: str) -> Project:
    """The project of this name; raises NotFound, with the most similar name, where there is none.

    Of a programme the error names its projects.
    """
    project = session.exec(select(Project).where(Project.name == name)).first()
    programme = find_programme(session, name) if project is None else None
    if programme is not None:
        members = ", ".join(member.name for member in list_programme_projects(session, programme))
        raise NotFound(f"{name!r} is a programme; here goes one of its projects.", remedy=f"They are: {members}.")
    if project is None:
        names = [loaded.name for loaded in list_projects(session)]
        raise NotFound(f"No project {name!r} is loaded.", remedy=_suggest_name(name, names))
    return project


def _suggest_name(name: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {close[0]}?" if close else f"Loaded: {', '.join(names) or 'none yet'}."


def list_projects(session: Session) -> Sequence[Project]:
    """All projects in the order of loading."""
    return session.exec(select(Project).order_by(col(Project.id))).all()


def find_programme(session: Session, name: str) -> Programme | None:
    """The programme of that name, if there is one."""
    return session.exec(select(Programme).where(Programme.name == name)).first()


def list_named_projects(session: Session, name: str) -> list[Project]:
    """The projects of the programme of this name in its order, or the one project of this name.

    Raises NotFound, with the most similar name, where there is neither.
    """
    programme = find_programme(session, name)
    if programme is not None:
        return list_programme_projects(session, programme)
    project = session.exec(select(Project).where(Project.name == name)).first()
    if project is None:
        names = [*session.exec(select(Programme.name)).all(), *(loaded.name for loaded in list_projects(session))]
        raise NotFound(f"No project or programme {name!r} is loaded.", remedy=_suggest_name(name, names))
    return [project]


def list_programme_projects(session: Session, programme: Programme) -> list[Project]:
    """The projects of a programme in its order."""
    query = (
        select(Project)
        .join(ProgrammeProject, col(ProgrammeProject.project_id) == col(Project.id))
        .where(ProgrammeProject.programme_id == programme.id)
    )
    return list(session.exec(query.order_by(col(ProgrammeProject.position))).all())


def resolve_item_id(session: Session, *, project_id: int, written: str) -> str:
    """The external id of the project's item that is spelled like `written`; `written` itself where there is none.

    The exact id is looked up first; only where it is not there are all ids compared. `#15` is then the number of a task
    in Label Studio: nothing else of an item is on an annotator's page there.
    """
    of_project = select(Item.external_id).where(Item.project_id == project_id)
    item_id = session.exec(of_project.where(Item.external_id == written)).first()
    item_id = item_id or spelling.find_name(written, session.exec(of_project))
    if item_id is None and re.fullmatch(r"#[0-9]{1,9}", written):
        of_task = of_project.join(Assignment).join(LabelStudioTask).where(LabelStudioTask.remote_id == int(written[1:]))
        found = session.exec(of_task.distinct()).all()
        item_id = found[0] if len(found) == 1 else None
    return item_id or written


def list_final_answers(
    session: Session, *, project_id: int, pilot: bool = False
) -> list[tuple[int, str, dict[str, str] | None, str]]:
    """The final answers that count, without skips: item id, pseudonym, answers by question (None where there is one
    question), response.

    With `pilot` instead the answers to pilot items that do not count only because they are pilot answers.
    """
    counting = judgements.build_counting_condition(ignoring=(ExclusionKind.PILOT,) if pilot else ())
    of_pool = Item.pool == Pool.PILOT if pilot else sa.true()
    query = (
        select(Assignment.item_id, Annotator.pseudonym, Judgement.answers, Judgement.response)
        .select_from(Assignment)
        .join(Item)
        .join(Annotator)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(Item.project_id == project_id, of_pool, judgements.build_final_revision_condition(), counting)
        .where(col(Judgement.skip_reason).is_(None))
        .order_by(col(Assignment.id))
    )
    rows = session.exec(query).all()
    return [
        (item_id, pseudonym, None if answers is None else dict(answers), response)
        for item_id, pseudonym, answers, response in rows
    ]


def list_second_passes(session: Session, *, project_id: int) -> set[tuple[int, str]]:
    """The items that annotators looked at a second time, with their gold, and answered: item id and pseudonym."""
    query = (
        select(Assignment.item_id, Annotator.pseudonym)
        .select_from(Assignment)
        .join(Item)
        .join(Annotator)
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(Item.project_id == project_id, Assignment.occasion == SECOND_PASS_OCCASION)
        .where(judgements.build_final_revision_condition(), col(Judgement.skip_reason).is_(None))
    )
    return set(session.exec(query).all())


def find_annotator(session: Session, telegram_id: int) -> Annotator | None:
    """The annotator with this Telegram id, None where there is none."""
    return session.exec(select(Annotator).where(Annotator.telegram_id == telegram_id)).first()


def has_telegram_people(session: Session) -> bool:
    """Whether anybody who is not simulated came by Telegram."""
    real = select(Annotator.id).where(col(Annotator.telegram_id).is_not(None), col(Annotator.simulated).is_(False))
    return session.exec(real.limit(1)).first() is not None


def read_overlap_sample(session: Session, project: Project) -> dict[str, str]:
    """The main items that get more answers than the overlap of the project, each with its group, by item_id."""
    sampled = select(Item.external_id, Item.group_id).where(
        Item.project_id == project.id, Item.pool == Pool.MAIN, (project.overlap or 0) < overlap_counts.N_PLACES
    )
    return dict(session.exec(sampled.order_by(col(Item.external_id))).all())
