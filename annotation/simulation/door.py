"""What stands before the first item, as a simulated person passes it: code, consent, profile, warning, attestation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns import stimulus
from annotation.campaigns.people import ProfileField
from annotation.simulation.crowd import Person
from annotation.store import queries
from annotation.store.models import Invitation, Participation, Project
from annotation.vocabulary import Hindrance
from annotation.workflow import definitions
from annotation.workflow.annotators import (
    attestations,
    consents,
    content_warnings,
    invitations,
    profiles,
    registration,
    terms,
)
from annotation.workflow.waiting import Waiting

KEY = b"the key of simulations, no secret"
FIRST_ID = 1_000_000
"""Telegram ids of simulated people count from here."""
UNSAID = 0.1
"""How often she would rather not say what she need not."""


def enter(session: Session, *, person: Person, language: str, now: datetime) -> int:
    """Let her in: to the bot, and by every invitation that there is."""
    joined = registration.join(
        session, telegram_id=FIRST_ID + person.number, language=language, key=KEY, now=now, simulated=True
    )
    for code in session.exec(select(Invitation.code).order_by(col(Invitation.id))).all():
        invitations.redeem(session, annotator_id=joined.id or 0, code=code, now=now)
    return joined.id or 0


def pass_(session: Session, waiting: Waiting, *, annotator_id: int, person: Person, now: datetime) -> None:
    """Do what she is asked for before she gets an item: agree, tell of herself, accept the warning."""
    project = queries.project(session, waiting.project or "")
    definition = definitions.of(project)
    found = terms.of(session, project=project, definition=definition)
    if waiting.reason is Hindrance.CONSENT and found.agreement is not None:
        consents.agree(session, annotator_id=annotator_id, terms=found, sha256=found.agreement.sha256, now=now)
    elif waiting.reason is Hindrance.WARNING and definition.content_warning is not None:
        sha256 = stimulus.text_digest(definition.content_warning)
        content_warnings.accept(session, annotator_id=annotator_id, project=project, sha256=sha256, now=now)
    elif waiting.reason is Hindrance.PROFILE:
        admitting = {name: values for section in found.admissions for name, values in section.profile.items()}
        given = profiles.answers(session, annotator_id=annotator_id)
        for field in profiles.missing(found.fields, given):
            value = _said(field, admitting, person)
            profiles.say(session, annotator_id=annotator_id, field=field, value=value, now=now)


def _said(field: ProfileField, admitting: Mapping[str, tuple[str, ...]], person: Person) -> str | None:
    """An answer that admits her where one does, else any."""
    if field.name in admitting:
        return admitting[field.name][0]
    rng = person.rng("profile", field.name)
    if not field.required and rng.random() < UNSAID:
        return None
    if field.type == "choice":
        return rng.choice(field.options)
    return str(rng.randint(18, 70))


def attest(session: Session, *, annotator_id: int, person: Person, now: datetime) -> None:
    """Say of each sitting that is over which tools helped her."""
    chosen = select(Participation, Project).join(Project, col(Project.id) == col(Participation.project_id))
    for standing, project in session.exec(chosen.where(Participation.annotator_id == annotator_id)).all():
        definition = definitions.of(project)
        due = attestations.due(session, definition=definition, participation=standing, now=now)
        if due is not None and definition.attestation is not None:
            used = person.rng("tools", project.name, due).choice(definition.attestation.options)
            attestations.attest(session, annotator_id=annotator_id, project=project, sitting=due, used=used, now=now)
