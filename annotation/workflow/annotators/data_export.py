"""Everything that is held about a person, for her to read."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlmodel import Session, SQLModel, col, select

from annotation.store.models import (
    AllottedPerson,
    Annotator,
    Assignment,
    Attestation,
    Cohort,
    Consent,
    Desk,
    DeskUser,
    Exposure,
    Inbox,
    Invitation,
    Item,
    Journal,
    Judgement,
    Message,
    Outbox,
    Participation,
    Payment,
    ProfileAnswer,
    Project,
    Report,
    Screen,
    Talk,
    Walk,
    Wording,
)
from annotation.vocabulary import Cause, ProjectStatus, WordingKind

TABLES: dict[str, type[SQLModel]] = {
    "participations": Participation,
    "cohorts": Cohort,
    "profile": ProfileAnswer,
    "consents": Consent,
    "assignments": Assignment,
    "reports": Report,
    "messages": Message,
    "attestations": Attestation,
    "payments": Payment,
    "exposures": Exposure,
    "walks": Walk,
    "allotments": AllottedPerson,
    "talk": Talk,
    "desks": Desk,
    "desk accounts": DeskUser,
    "journal": Journal,
}
"""Every table with a person in it, under the name that she reads."""


def of(session: Session, *, annotator_id: int) -> dict[str, Any]:
    """All rows about the person, as JSON: times in ISO 8601, projects and items by name, answers under assignments.

    Which items are hidden control items is left out of projects that are not closed: it would give them away.
    """
    projects = dict(session.exec(select(Project.id, Project.name)).all())
    closed = set(session.exec(select(Project.id).where(Project.status == ProjectStatus.CLOSED)))
    person = session.get_one(Annotator, annotator_id)
    found: dict[str, Any] = {"person": person.model_dump(mode="json")}
    for name, table in TABLES.items():
        key = table.__table__.c  # type: ignore[attr-defined]
        chosen = select(table).where(key.annotator_id == annotator_id).order_by(*table.__table__.primary_key)  # type: ignore[attr-defined]
        rows = [one.model_dump(mode="json", exclude={"annotator_id"}) for one in session.exec(chosen)]
        for row in rows:
            _keep_secret(name, row, closed=row.get("project_id") in closed)
            if "project_id" in row:
                row["project"] = projects.get(row.pop("project_id"))
        found[name] = rows
    _name_items(session, [*found["assignments"], *found["reports"]])
    _add_answers(session, annotator_id, found["assignments"])
    _hide_controls(found, _controls(session, annotator_id=annotator_id, closed=closed))
    _add_texts(session, found["consents"])
    _add_codes(session, found["participations"])
    found["screens"] = _screens(session, annotator_id)
    return found | _waiting(session, person.telegram_id)


def _screens(session: Session, annotator_id: int) -> list[dict[str, Any]]:
    """The messages under which her items stand."""
    chosen = select(Screen).join(Assignment).where(Assignment.annotator_id == annotator_id)
    return [one.model_dump(mode="json") for one in session.exec(chosen.order_by(col(Screen.assignment_id)))]


def _waiting(session: Session, telegram_id: int | None) -> dict[str, Any]:
    """What came from her and is not handled yet, and what is to be sent to her."""
    came = select(Inbox).where(col(Inbox.done_at).is_(None), col(Inbox.telegram_id) == telegram_id)
    goes = select(Outbox).where(col(Outbox.chat_id) == telegram_id)
    return {
        "received": [one.model_dump(mode="json") for one in session.exec(came.order_by(col(Inbox.update_id)))],
        "to_send": [
            one.model_dump(mode="json", exclude={"content"}) for one in session.exec(goes.order_by(col(Outbox.id)))
        ],
    }


def _keep_secret(table: str, row: dict[str, Any], *, closed: bool) -> None:
    if table == "assignments":
        row.pop("holds")
        if not closed:
            row.pop("is_control")
    if table == "exposures" and not closed and row["cause"] == Cause.CONTROL.value:
        row["cause"] = Cause.ANSWERED.value


def _controls(session: Session, *, annotator_id: int, closed: set[int | None]) -> set[int | None]:
    chosen = select(Assignment.id, Assignment.project_id).where(Assignment.annotator_id == annotator_id)
    return {known for known, project in session.exec(chosen.where(Assignment.is_control)) if project not in closed}


def _hide_controls(found: dict[str, Any], controls: set[int | None]) -> None:
    """Rules about control items are broken by an answer to one, and stand beside it."""
    for row in found["assignments"]:
        for answer in row["answers"] if row["id"] in controls else ():
            answer.pop("flags")
    for row in found["journal"]:
        if row["data"].get("assignment") in controls:
            row["data"].pop("assignment")


def _name_items(session: Session, rows: list[dict[str, Any]]) -> None:
    ids = {row["item_id"] for row in rows}
    names = dict(session.exec(select(Item.id, Item.external_id).where(col(Item.id).in_(ids))).all())
    for row in rows:
        row["item"] = names[row.pop("item_id")]


def _add_answers(session: Session, annotator_id: int, assignments: list[dict[str, Any]]) -> None:
    chosen = select(Judgement).join(Assignment).where(Assignment.annotator_id == annotator_id)
    answers: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in session.exec(chosen.order_by(col(Judgement.assignment_id), col(Judgement.revision))):
        answers[one.assignment_id].append(one.model_dump(mode="json", exclude={"id", "assignment_id"}))
    for row in assignments:
        row["answers"] = answers[row["id"]]


def _add_texts(session: Session, consents: list[dict[str, Any]]) -> None:
    for row in consents:
        wording = session.get(Wording, (row["sha256"], WordingKind.CONSENT))
        row["text"] = None if wording is None else wording.text


def _add_codes(session: Session, participations: list[dict[str, Any]]) -> None:
    for row in participations:
        invitation_id = row.pop("invitation_id")
        invitation = None if invitation_id is None else session.get(Invitation, invitation_id)
        row["invitation"] = None if invitation is None else invitation.code
