"""Meets the requirements of projects for a simulated annotator: invitation, consent, profile, warning, attestation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlmodel import Session, col, select

from annotation.campaigns import stimulus
from annotation.campaigns.sections.annotators import ProfileField
from annotation.campaigns.sections.panels import Panels, PanelSection
from annotation.simulation.answer_generator import SimulatedAnnotator
from annotation.store import queries
from annotation.store.models import Invitation, Participation, Project
from annotation.vocabulary import UnassignedReason
from annotation.workflow import definitions
from annotation.workflow.annotators import consents, invitations, registration, roster
from annotation.workflow.participations import NothingAssigned

PSEUDONYM_KEY = b"the key of simulations, no secret"
FIRST_TELEGRAM_ID = 1_000_000
"""The first Telegram id of simulated annotators."""
REFUSAL_RATE = 0.1
"""The chance that an optional profile question is left open."""


def join_projects(session: Session, *, annotator: SimulatedAnnotator, language: str, now: datetime) -> int:
    """Register the annotator and redeem all invitations; returns the annotator's id."""
    registered = registration.register_telegram_annotator(
        session,
        telegram_id=FIRST_TELEGRAM_ID + annotator.number,
        language=language,
        key=PSEUDONYM_KEY,
        now=now,
        simulated=True,
    )
    codes = select(Invitation.code).where(~col(Invitation.adjudicates)).order_by(col(Invitation.id))
    for code in session.exec(codes).all():
        invitations.redeem_invitation(session, annotator_id=registered.id or 0, code=code, now=now)
    for project in queries.list_projects(session):
        panel = choose_panel(definitions.get_project_definition(project).panels, annotator)
        if panel is not None and panel.cohort:
            roster.join_cohort(session, annotator=registered, name=panel.cohort[0])
    return registered.id or 0


def choose_panel(panels: Panels, annotator: SimulatedAnnotator) -> PanelSection | None:
    """The panel of an annotator: people are shared out by the answers that panels give; None without panels."""
    places = [name for name, panel in panels.items() for _ in range(panel.votes or 1)]
    return panels[places[annotator.number % len(places)]] if places else None


def meet_requirement(
    session: Session, unassigned: NothingAssigned, *, annotator_id: int, annotator: SimulatedAnnotator, now: datetime
) -> None:
    """Meet the requirement that blocks the next item: consent, profile or content warning."""
    project = queries.get_project(session, unassigned.project or "")
    definition = definitions.get_project_definition(project)
    project_terms = definitions.get_terms(session, project=project, definition=definition)
    if unassigned.reason is UnassignedReason.CONSENT and project_terms.consent is not None:
        consents.give_consent(
            session, annotator_id=annotator_id, terms=project_terms, sha256=project_terms.consent.sha256, now=now
        )
    elif unassigned.reason is UnassignedReason.WARNING and definition.content_warning is not None:
        sha256 = stimulus.compute_text_digest(definition.content_warning)
        consents.accept_warning(session, annotator_id=annotator_id, project=project, sha256=sha256, now=now)
    elif unassigned.reason is UnassignedReason.PROFILE:
        admitting_answers = {
            name: values for section in project_terms.admissions for name, values in section.profile.items()
        }
        panel = choose_panel(definition.panels, annotator)
        own = {} if panel is None else panel.profile
        of_others = {
            name: values for other in definition.panels.values() if other is not panel
            for name, values in other.profile.items() if name not in own
        }  # fmt: skip
        profile_answers = definitions.get_profile_answers(session, annotator_id=annotator_id)
        for field in definitions.list_missing_fields(project_terms.fields, profile_answers):
            value = _draw_profile_answer(field, {**admitting_answers, **own}, annotator)
            if value in of_others.get(field.name, ()):
                value = next((option for option in field.options if option not in of_others[field.name]), None)
            registration.save_profile_answer(session, annotator_id=annotator_id, field=field, value=value, now=now)


def _draw_profile_answer(
    field: ProfileField, admitting_answers: Mapping[str, tuple[str, ...]], annotator: SimulatedAnnotator
) -> str | None:
    """Draw a profile answer: one that admits the annotator where admission asks for it, else any."""
    if field.name in admitting_answers:
        return admitting_answers[field.name][0]
    rng = annotator.rng("profile", field.name)
    if not field.required and rng.random() < REFUSAL_RATE:
        return None
    if field.type == "choice":
        return rng.choice(field.options)
    return str(rng.randint(18, 70))


def attest_sessions(session: Session, *, annotator_id: int, annotator: SimulatedAnnotator, now: datetime) -> None:
    """Attest the tools used in every finished work session."""
    chosen = select(Participation, Project).join(Project, col(Project.id) == col(Participation.project_id))
    for participation, project in session.exec(chosen.where(Participation.annotator_id == annotator_id)).all():
        definition = definitions.get_project_definition(project)
        work_session = consents.get_due_work_session(
            session, definition=definition, participation=participation, now=now
        )
        if work_session is not None and definition.attestation is not None:
            used = annotator.rng("tools", project.name, work_session).choice(definition.attestation.options)
            consents.save_attestation(
                session, annotator_id=annotator_id, project=project, work_session=work_session, used=used, now=now
            )
