"""Consents, profile answers and warnings of annotators who work only in Label Studio, recorded by organisers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from annotation.campaigns import stimulus
from annotation.errors import BadInput, Conflict, Where
from annotation.store import annotator_locks
from annotation.store.annotator_locks import LockedAnnotator
from annotation.store.models import Annotator, Project
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import consents, invitations, profiles, terms
from annotation.workflow.annotators.terms import RequiredConsent


@dataclass(frozen=True, kw_only=True)
class OfflineAgreement:
    """What was recorded: the consent, None where none was missing; profile fields; whether a warning was accepted."""

    consent: RequiredConsent | None
    fields: tuple[str, ...]
    warned: bool


def record_agreement(
    session: Session,
    *,
    annotator: Annotator,
    project: Project,
    how: str,
    profile: Mapping[str, str],
    now: datetime,
    code: str | None = None,
) -> OfflineAgreement:
    """Record that the annotator agreed to everything that the project asks now, with version and hash.

    `how` says where the agreement can be looked up, `profile` holds answers by field name (an empty one is "I would
    rather not say"), `code` is an invitation to redeem first. Raises Conflict for an annotator who has Telegram,
    BadInput for an empty `how`, a code that cannot be redeemed, and profile fields that are missing, unknown or do not
    allow their answer.
    """
    annotator_id, definition = annotator.id or 0, definitions.get_project_definition(project)
    required = terms.get_terms(session, project=project, definition=definition)
    if not how.strip():
        raise BadInput("How did they agree?", where=Where(field="how"), remedy="Say it: --how 'signed, folder 3'.")
    if annotator.telegram_id is not None:
        raise Conflict(f"{annotator.pseudonym} has Telegram.", remedy="They agree to it there themselves.")
    if code is not None:
        _redeem_code(session, annotator=annotator, code=code, now=now)
    answers = terms.get_profile_answers(session, annotator_id=annotator_id)
    fields = {field.name: field for field in required.fields}
    unknown = sorted(profile.keys() - fields.keys())
    missing = [field.name for field in terms.list_missing_fields(required.fields, answers) if field.name not in profile]
    if unknown or missing:
        raise BadInput(
            f"The project asks for no {', '.join(unknown)}." if unknown else f"Not said yet: {', '.join(missing)}.",
            where=Where(field="profile"),
            remedy="Say what it asks: " + (" ".join(f"--profile {name}=…" for name in fields) or "nothing") + ".",
        )
    locked = annotator_locks.lock_annotator(session, annotator_id)
    participations.get_or_create_participation(locked, project=project, now=now)
    request = consents.get_consent_request(session, annotator_id=annotator_id, terms=required)
    if request is not None:
        sha256 = request.required.sha256
        consents.give_consent(
            session, annotator_id=annotator_id, terms=required, sha256=sha256, now=now, how=how.strip()
        )
    for name, value in profile.items():
        profiles.save_profile_answer(session, annotator_id=annotator_id, field=fields[name], value=value, now=now)
    return OfflineAgreement(
        consent=None if request is None else request.required,
        fields=tuple(sorted(profile)),
        warned=_record_warning(locked, project=project, how=how.strip(), now=now),
    )


def _redeem_code(session: Session, *, annotator: Annotator, code: str, now: datetime) -> None:
    result = invitations.redeem_invitation(session, annotator_id=annotator.id or 0, code=code, now=now)
    if isinstance(result, invitations.InvitationRefusal):
        remedy = "`hromada invite PROJECT` makes a code."
        raise BadInput(f"The code lets nobody in: {result.value}.", where=Where(field="code"), remedy=remedy)


def _record_warning(locked: LockedAnnotator, *, project: Project, how: str, now: datetime) -> bool:
    definition = definitions.get_project_definition(project)
    participation = participations.get_participation(locked, project_id=project.id or 0)
    if definition.content_warning is None or not terms.is_warning_missing(definition, participation):
        return False
    sha256 = stimulus.compute_text_digest(definition.content_warning)
    consents.accept_warning(
        locked.session, annotator_id=locked.annotator_id, project=project, sha256=sha256, now=now, how=how
    )
    return True
