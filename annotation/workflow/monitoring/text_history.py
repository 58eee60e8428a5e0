"""The versions of texts that people of a project read or agreed to, with how many of them did."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from annotation.store import judgements
from annotation.store.models import Assignment, Consent, Judgement, Participation, Programme, Project, TextVersion
from annotation.vocabulary import Stage, TextKind
from annotation.workflow.annotators.terms import get_programme_scope


@dataclass(frozen=True, kw_only=True)
class ReadText:
    """A version of a text: `version` is the organiser's own number, of consents alone.

    `n_people` counts who agreed to it and still does, or answered a main item under it; `n_answers` the main answers
    under it.
    """

    kind: TextKind
    scope: str
    version: str | None
    sha256: str
    text: str
    n_people: int
    n_answers: int | None = None


def list_read_texts(session: Session, project: Project, *, scopes: tuple[str, ...]) -> tuple[ReadText, ...]:
    """The versions of instructions, consents (of `scopes`) and content warnings; those in force are there unread, too.

    Sorted by kind, scope, and sha256.
    """
    own = f"project {project.name}"
    found = [
        *_list_instructions(session, project, own),
        *_list_consents(session, scopes),
        *_list_warnings(session, project, own),
    ]
    known = {(one.kind, one.sha256) for one in found}
    in_force = {own: project.texts or {}}
    for programme in session.exec(select(Programme)):
        if get_programme_scope(programme) in scopes:
            in_force[get_programme_scope(programme)] = programme.texts or {}
    for scope, texts in in_force.items():
        for kind, sha256 in texts.items():
            if (TextKind(kind), sha256) not in known:
                text = _find_text(session, TextKind(kind), sha256)
                found.append(
                    ReadText(kind=TextKind(kind), scope=scope, version=None, sha256=sha256, text=text, n_people=0)
                )
    return tuple(sorted(found, key=lambda one: (one.kind.value, one.scope, one.version or "", one.sha256)))


def _find_text(session: Session, kind: TextKind, sha256: str) -> str:
    stored = session.get(TextVersion, (sha256, kind))
    return "" if stored is None else stored.text


def _list_instructions(session: Session, project: Project, scope: str) -> list[ReadText]:
    counted = (
        sa.select(
            col(Assignment.instructions_sha256),
            func.count(func.distinct(col(Assignment.annotator_id))),
            func.count(),
        )
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.project_id) == project.id,
            col(Assignment.stage) == Stage.MAIN,
            col(Assignment.instructions_sha256).is_not(None),
            judgements.build_final_revision_condition(),
        )
        .group_by(col(Assignment.instructions_sha256))
    )
    return [
        ReadText(
            kind=TextKind.INSTRUCTIONS,
            scope=scope,
            version=None,
            sha256=sha256,
            text=_find_text(session, TextKind.INSTRUCTIONS, sha256)
            or (project.instructions if sha256 == project.instructions_sha256 else ""),
            n_people=people,
            n_answers=answers,
        )
        for sha256, people, answers in session.execute(counted)
    ]


def _list_consents(session: Session, scopes: tuple[str, ...]) -> list[ReadText]:
    counted = (
        select(
            Consent.scope,
            Consent.version,
            Consent.sha256,
            func.count(func.distinct(col(Consent.annotator_id))).filter(col(Consent.withdrawn_at).is_(None)),
        )
        .where(col(Consent.scope).in_(scopes))
        .group_by(col(Consent.scope), col(Consent.version), col(Consent.sha256))
    )
    return [
        ReadText(
            kind=TextKind.CONSENT,
            scope=scope,
            version=version,
            sha256=sha256,
            text=_find_text(session, TextKind.CONSENT, sha256),
            n_people=people,
        )
        for scope, version, sha256, people in session.exec(counted)
    ]


def _list_warnings(session: Session, project: Project, scope: str) -> list[ReadText]:
    counted = (
        select(Participation.warning_sha256, func.count())
        .where(Participation.project_id == project.id, col(Participation.warning_sha256).is_not(None))
        .group_by(col(Participation.warning_sha256))
    )
    return [
        ReadText(
            kind=TextKind.WARNING,
            scope=scope,
            version=None,
            sha256=sha256,
            text=_find_text(session, TextKind.WARNING, sha256),
            n_people=people,
        )
        for sha256, people in session.exec(counted)
        if sha256 is not None
    ]
