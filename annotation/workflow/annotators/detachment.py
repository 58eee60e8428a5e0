"""Detachment: the answers of a project that has ended stay, and become nobody's.

Who answered gets a random pseudonym, and all that tells who they are goes. Whoever takes part in a project that is not
closed, or has met groups of one that runs, stays who they are until that one ends: the bot must know them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from aggregation.findings import Finding
from annotation.errors import Conflict, Where
from annotation.store import database, journal, models, pseudonyms
from annotation.vocabulary import Event, ProjectStatus
from annotation.workflow import definitions
from annotation.workflow.annotators import pending_messages

IDS_AT_ONCE = 500
"""How many ids one statement names; a statement may have a limited number of parameters."""
_OPEN = (ProjectStatus.RUNNING, ProjectStatus.PAUSED)


@dataclass(frozen=True, kw_only=True)
class Detachment:
    """Who of a project is detached (`annotator_ids`), and who stays, by pseudonym, and why, in words.

    `detached` is how many of the project are detached already, `imported` how many are known only by a file of votes.
    """

    annotator_ids: tuple[int, ...]
    staying: dict[str, str]
    detached: int
    imported: int


def find_due(session: Session, project: models.Project) -> datetime | None:
    """When the people of a closed project are to be detached at the latest (`declared.retention`).

    None where it declares no time, or nobody is left who can be found.
    """
    days = definitions.get_project_definition(project).declared.retention_days
    if days is None or project.closed_at is None:
        return None
    known = (
        select(models.Annotator.id)
        .join(models.Participation, col(models.Participation.annotator_id) == col(models.Annotator.id))
        .where(models.Participation.project_id == project.id, models.IS_KNOWN)
    )
    return None if session.exec(known.limit(1)).first() is None else project.closed_at + timedelta(days=days)


def plan_detachment(session: Session, project: models.Project) -> Detachment:
    """Find who of a project can be detached now, and lock all projects and these people until the transaction ends.

    Raises Conflict where the project is not closed, or one with some of its groups runs.
    """
    session.exec(select(models.Project.id).order_by(col(models.Project.id)).with_for_update()).all()
    session.refresh(project)
    if project.status is not ProjectStatus.CLOSED:
        raise Conflict(
            f"{project.name!r} is {project.status.value}: only the people of a closed project can be detached.",
            where=Where(field="project"),
            remedy=f"Close it first: hromada close {project.name}",
        )
    _refuse_shared_groups(session, project)
    people = session.exec(
        select(models.Annotator)
        .where(
            col(models.Annotator.id).in_(_select_people(project.id or 0)), col(models.Annotator.forgotten_at).is_(None)
        )
        .order_by(col(models.Annotator.id))
        .with_for_update()
        .execution_options(populate_existing=True)
    ).all()
    known = {row.id or 0: row.pseudonym for row in people if not row.detached and _is_identifiable(session, row)}
    reasons = _explain_staying(session, list(known))
    n_detached = sum(row.detached for row in people)
    return Detachment(
        annotator_ids=tuple(number for number in known if number not in reasons),
        staying={known[number]: reason for number, reason in reasons.items()},
        detached=n_detached,
        imported=len(people) - n_detached - len(known),
    )


def detach_people(session: Session, project: models.Project, *, now: datetime) -> Detachment:
    """Detach everybody of a closed project whom no other one needs, and journal how many; raises Conflict.

    Answers, times, decisions, exposure and payments stay, under a random pseudonym. Texts to organisers, notes and
    reasons in people's words are emptied; profile, cohorts, messages and invitation ties go.
    """
    plan = plan_detachment(session, project)
    remove_identity(session, plan.annotator_ids, now=now)
    data = {"detached": len(plan.annotator_ids), "staying": len(plan.staying)}
    journal.record_event(session, Event.PEOPLE_DETACHED, now=now, project_id=project.id, data=data)
    return plan


def remove_identity(session: Session, annotator_ids: Sequence[int], *, now: datetime) -> None:
    """Delete all that tells who these locked annotators are, and store their marks."""
    if not annotator_ids:
        return
    session.flush()
    database.request_checkpoint(session)
    suspended = dict[str, bool]()
    for chunk in _split_ids(annotator_ids):
        rows = session.exec(select(models.Annotator).where(col(models.Annotator.id).in_(chunk))).all()
        names = {
            name: row.suspended_at is not None
            for row in rows
            for name in (row.pseudonym, *pseudonyms.list_former_pseudonyms(session, row.id or 0))
        }
        suspended |= names
        _empty_rows(session, chunk, now=now)
        telegram_ids = [row.telegram_id for row in rows if row.telegram_id is not None]
        pending_messages.delete_pending_messages(session, chunk, telegram_ids=telegram_ids, now=now)
        _blank_journal(session, {row.id or 0 for row in rows}, set(names))
        _remove_makers(session, set(names))
        for row in rows:
            row.pseudonym, row.detached = pseudonyms.make_random_pseudonym(simulated=row.simulated), True
            for name in _IDENTIFYING:
                setattr(row, name, None)
        session.flush()
    pseudonyms.record_detachment(session, suspended, now=now)
    session.expire_all()


_IDENTIFYING = ("telegram_id", "bot_id", "language", "time_zone", "suspended_at", "suspended_reason", "unreachable_at")


def _split_ids(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), IDS_AT_ONCE):
        yield ids[start : start + IDS_AT_ONCE]


def _refuse_shared_groups(session: Session, project: models.Project) -> None:
    own = select(models.Item.group_id).where(models.Item.project_id == project.id)
    shared = (
        select(models.Project.name)
        .join(models.Item, col(models.Item.project_id) == col(models.Project.id))
        .where(
            col(models.Project.id) != project.id,
            col(models.Project.status).in_(_OPEN),
            col(models.Item.group_id).in_(own),
        )
    )
    names = session.exec(shared.distinct().order_by(col(models.Project.name))).all()
    if names:
        raise Conflict(
            f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} groups of {project.name!r} and"
            f" {'is' if len(names) == 1 else 'are'} not closed: who met them must be known there.",
            where=Where(field="project"),
            remedy=f"Close {'it' if len(names) == 1 else 'them'} first, then detach.",
        )


def _select_people(project_id: int) -> sa.CompoundSelect[Any]:
    """The ids of everybody who took part in a project: joined, was assigned, reviewed, or adjudicated."""
    assignments = sa.select(col(models.Assignment.id)).where(col(models.Assignment.project_id) == project_id)
    items = sa.select(col(models.Item.id)).where(col(models.Item.project_id) == project_id)
    return sa.union(
        *(
            sa.select(col(table.annotator_id)).where(col(table.project_id) == project_id)
            for table in (models.Participation, models.Assignment, models.Adjudicator)
        ),
        sa.select(col(models.SubmissionReview.annotator_id)).where(
            col(models.SubmissionReview.assignment_id).in_(assignments)
        ),
        sa.select(col(models.Adjudication.annotator_id)).where(
            col(models.Adjudication.item_id).in_(items), col(models.Adjudication.annotator_id).is_not(None)
        ),
    )


def _is_identifiable(session: Session, annotator: models.Annotator) -> bool:
    """Whether the database tells who they are.

    It does not of people of imported votes, and of reviewers without an account: whoever has the file of votes, or
    the name, finds them by the key.
    """
    if annotator.telegram_id is not None:
        return True
    tables = (models.Participation, models.LabelStudioAccount)
    queries = (sa.select(col(table.annotator_id)).where(col(table.annotator_id) == annotator.id) for table in tables)
    return any(session.connection().execute(query.limit(1)).first() for query in queries)


def _explain_staying(session: Session, annotator_ids: Sequence[int]) -> dict[int, str]:
    """Why some of these annotators cannot be detached now: the open projects that they belong to, or met groups of."""
    is_open = col(models.Project.status) != ProjectStatus.CLOSED
    belongs, met = dict[int, set[str]](), dict[int, set[str]]()
    for chunk in _split_ids(annotator_ids):
        for table in (models.Participation, models.Adjudicator, models.Assignment):
            joined = (
                sa.select(col(table.annotator_id), col(models.Project.name))
                .join(models.Project, col(models.Project.id) == col(table.project_id))
                .where(col(table.annotator_id).in_(chunk), is_open)
            )
            for annotator_id, name in session.connection().execute(joined.distinct()):
                belongs.setdefault(annotator_id, set()).add(name)
        groups = (
            sa.select(col(models.Exposure.annotator_id), col(models.Project.name))
            .join(models.Item, col(models.Item.group_id) == col(models.Exposure.group_id))
            .join(models.Project, col(models.Project.id) == col(models.Item.project_id))
            .where(col(models.Exposure.annotator_id).in_(chunk), col(models.Project.status).in_(_OPEN))
        )
        for annotator_id, name in session.connection().execute(groups.distinct()):
            met.setdefault(annotator_id, set()).add(name)
    reasons = {number: f"has met groups of {', '.join(sorted(names))}, not closed" for number, names in met.items()}
    reasons |= {number: f"belongs to {', '.join(sorted(names))}, not closed" for number, names in belongs.items()}
    return dict(sorted(reasons.items()))


def _empty_rows(session: Session, ids: Sequence[int], *, now: datetime) -> None:
    """Delete what tells who they are beside the row of the annotator, and cut who invited whom."""
    execute = session.connection().execute
    for table in (models.ProfileAnswer, models.Cohort, models.Adjudicator):
        execute(sa.delete(table).where(col(table.annotator_id).in_(ids)))
    answered = sa.case((col(models.SupportMessage.answer).is_(None), None), else_="")
    emptied: dict[Any, dict[str, Any]] = {
        models.SupportMessage: {"text": "", "answer": answered},
        models.Report: {"text": ""},
        models.Payment: {"note": ""},
        models.Participation: {"invitation_id": None},
    }
    for table, values in emptied.items():
        execute(sa.update(table).where(col(table.annotator_id).in_(ids)).values(**values))
    own = col(models.Participation.annotator_id).in_(ids)
    reasons = sa.select(models.Participation.__table__).where(own)  # type: ignore[attr-defined]
    for row in execute(reasons.where(col(models.Participation.reason).is_not(None))).all():
        if not isinstance(row.reason, Finding):  # words of a person, which may name somebody
            theirs = sa.and_(
                col(models.Participation.annotator_id) == row.annotator_id,
                col(models.Participation.project_id) == row.project_id,
            )
            execute(sa.update(models.Participation).where(theirs).values(reason=None))
    _cut_invitations(session, ids, now=now)


def _cut_invitations(session: Session, ids: Sequence[int], *, now: datetime) -> None:
    """End the links that they gave to friends, and forget which friends came by them, as far as they may go on."""
    given = sa.select(col(models.Invitation.id)).where(col(models.Invitation.invited_by).in_(ids))
    closed = sa.select(col(models.Project.id)).where(col(models.Project.status) == ProjectStatus.CLOSED)
    needless = sa.or_(col(models.Participation.shown) > 0, col(models.Participation.project_id).in_(closed))
    friends = sa.update(models.Participation).where(col(models.Participation.invitation_id).in_(given), needless)
    session.connection().execute(friends.values(invitation_id=None))
    for invitation_id in session.connection().execute(given).scalars().all():
        ended = {"code": f"ended-{pseudonyms.make_random_pseudonym()}"}
        own = sa.update(models.Invitation).where(col(models.Invitation.id) == invitation_id)
        expires = func.coalesce(col(models.Invitation.expires_at), now)
        session.connection().execute(own.values(**ended, expires_at=expires))


_TELLING = frozenset({"reason", "how", "note", "invitation", "announcement", "pseudonym"})
"""The keys of events that hold words about a person, or lead to an invitation or a message."""


def _blank_journal(session: Session, annotator_ids: set[int], names: set[str]) -> None:
    """Remove what tells who they are from the annotators' events, and from all events their pseudonyms."""
    is_read = sa.select(col(models.Journal.id), col(models.Journal.annotator_id), col(models.Journal.data))
    for entry_id, annotator_id, data in session.connection().execute(is_read).all():
        kept = data
        if annotator_id in annotator_ids:
            kept = {key: value for key, value in data.items() if key not in _TELLING}
        if kept.get("by") in annotator_ids:
            kept = {key: value for key, value in kept.items() if key != "by"}
        kept = _remove_words(kept, names)
        if kept != data:
            changed = sa.update(models.Journal).where(col(models.Journal.id) == entry_id)
            session.connection().execute(changed.values(data=kept))


def _remove_makers(session: Session, names: set[str]) -> None:
    """Remove the pseudonyms from the column of the items that says who made them (`review.made_by`)."""
    for project in session.exec(select(models.Project)).all():
        review = definitions.get_project_definition(project).review
        if review is None or review.made_by is None:
            continue
        items = sa.select(col(models.Item.id), col(models.Item.data)).where(col(models.Item.project_id) == project.id)
        for item_id, data in session.connection().execute(items).all():
            kept = _remove_words(data, names)
            if kept != data:
                session.connection().execute(
                    sa.update(models.Item).where(col(models.Item.id) == item_id).values(data=kept)
                )


def _remove_words(value: Any, words: set[str]) -> Any:
    """The same JSON value without these words in any of its texts, keys apart. Pure."""
    if isinstance(value, dict):
        return {key: _remove_words(each, words) for key, each in value.items()}
    if isinstance(value, list):
        return [_remove_words(each, words) for each in value]
    if isinstance(value, str) and words & set(_WORD.findall(value)):
        return _WORD.sub(lambda found: "" if found[0] in words else found[0], value)
    return value


_WORD = re.compile(r"[\w-]+")
