"""Queries that several use cases share."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import sqlalchemy as sa
from sqlmodel import Session, col, select

from aggregation import spelling
from annotation.errors import NotFound
from annotation.store import judgements
from annotation.store.models import Annotator, Assignment, Item, Judgement, Programme, ProgrammeProject, Project
from annotation.vocabulary import SECOND_PASS_OCCASION, ExclusionKind, Pool


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

    The exact id is looked up first; only where it is not there are all ids compared.
    """
    of_project = select(Item.external_id).where(Item.project_id == project_id)
    found = session.exec(of_project.where(Item.external_id == written)).first()
    return found or spelling.find_name(written, session.exec(of_project)) or written


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
