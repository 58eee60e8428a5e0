"""What a project and its programme ask of an annotator before the first item, and what of it is still missing.

A text of consent has to be agreed to again only where it differs from every text that the annotator agreed to for this
project or programme and has not withdrawn; neither a new version name alone nor the return to an earlier text asks
anybody again. Profile answers are kept once for all projects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotation.campaigns import stimulus
from annotation.campaigns.programme_file import ProgrammeFile
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.annotators import AdmissionSection, ConsentSection, ProfileField
from annotation.errors import BadInput, Conflict, Where
from annotation.store.models import (
    Consent,
    ParticipationRow,
    ProfileAnswer,
    Programme,
    ProgrammeProject,
    ProgrammeRow,
    ProjectRow,
)
from annotation.vocabulary import TextKind
from annotation.workflow import definitions

MAX_ANSWER_LENGTH = 500
PROJECT_SCOPE, PROGRAMME_SCOPE = "project ", "programme "
"""How the scope of a consent begins; the name of the project or programme follows."""
NOT_TOLD = ""
"""How "I would rather not say" is stored."""

_NUMBER = re.compile(r"-?\d{1,12}(?:[.,]\d{1,6})?")


@dataclass(frozen=True, kw_only=True)
class RequiredConsent:
    """A text that has to be agreed to; `scope` names the project or programme that asks for it."""

    scope: str
    version: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Terms:
    """A project with its programme, both as stored and as their files say."""

    project: ProjectRow
    definition: ProjectFile
    programme: ProgrammeRow | None
    programme_file: ProgrammeFile | None

    @property
    def fields(self) -> tuple[ProfileField, ...]:
        """The profile fields: the programme's, then the project's; of two with the same name, the project's."""
        shared = self.programme_file.profile if self.programme_file else ()
        by_name = {field.name: field for field in (*shared, *self.definition.profile)}
        return tuple(by_name.values())

    @property
    def admissions(self) -> tuple[AdmissionSection, ...]:
        """The admission sections, all of which have to be met."""
        sections = (self.programme_file.admission if self.programme_file else None, self.definition.admission)
        return tuple(section for section in sections if section is not None)

    @property
    def is_consent_shared(self) -> bool:
        """Whether the programme asks for consent, so that the project's own text is asked of nobody."""
        return self.programme_file is not None and self.programme_file.consent is not None

    @property
    def consent(self) -> RequiredConsent | None:
        """The consent that is asked for: the programme's where it has one, else the project's."""
        shared = self.programme_file.consent if self.programme_file else None
        if self.programme is not None and shared is not None:
            return _get_required_consent(get_programme_scope(self.programme), shared, self.programme.texts)
        own = self.definition.consent
        return None if own is None else _get_required_consent(get_project_scope(self.project), own, self.project.texts)


def get_terms(session: Session, *, project: ProjectRow, definition: ProjectFile) -> Terms:
    """The terms of a project, with its programme read from the database."""
    of_project = select(Programme).join(ProgrammeProject).where(col(ProgrammeProject.project_id) == project.id)
    return build_terms(session.exec(of_project).first(), project=project, definition=definition)


def build_terms(programme: ProgrammeRow | None, *, project: ProjectRow, definition: ProjectFile) -> Terms:
    """The terms of a project that belongs to this programme, or to none."""
    file = None if programme is None else definitions.get_programme_definition(programme)
    return Terms(project=project, definition=definition, programme=programme, programme_file=file)


def get_project_scope(project: ProjectRow) -> str:
    """The scope of a project's own consent."""
    return f"{PROJECT_SCOPE}{project.name}"


def get_programme_scope(programme: ProgrammeRow) -> str:
    """The scope of a programme's consent."""
    return f"{PROGRAMME_SCOPE}{programme.name}"


def get_consent(session: Session, *, annotator_id: int, required: RequiredConsent) -> Consent | None:
    """The annotator's consent to exactly this text, under whatever version name; withdrawn only if no other is."""
    given = select(Consent).where(
        Consent.annotator_id == annotator_id, Consent.scope == required.scope, Consent.sha256 == required.sha256
    )
    return session.exec(given.order_by(col(Consent.withdrawn_at).is_not(None), col(Consent.id).desc()).limit(1)).first()


def is_consent_missing(session: Session, *, annotator_id: int, terms: Terms) -> bool:
    """Whether the annotator has yet to agree to the current text."""
    if terms.consent is None:
        return False
    consent = get_consent(session, annotator_id=annotator_id, required=terms.consent)
    return consent is None or consent.withdrawn_at is not None


def is_consent_withdrawn(session: Session, *, annotator_id: int, terms: Terms) -> bool:
    """Whether the annotator had agreed to the current text and has withdrawn that consent."""
    if terms.consent is None:
        return False
    consent = get_consent(session, annotator_id=annotator_id, required=terms.consent)
    return consent is not None and consent.withdrawn_at is not None


def is_warning_missing(definition: ProjectFile, participation: ParticipationRow | None) -> bool:
    """Whether the annotator has yet to accept the current text of the content warning. Pure."""
    if definition.content_warning is None:
        return False
    return participation is None or participation.warning_sha256 != stimulus.compute_text_digest(
        definition.content_warning
    )


def get_profile_answers(session: Session, *, annotator_id: int) -> dict[str, str]:
    """The annotator's profile answers by field name; `NOT_TOLD` where they would rather not say."""
    rows = session.exec(select(ProfileAnswer).where(ProfileAnswer.annotator_id == annotator_id))
    return {row.field: row.value for row in rows}


def list_missing_fields(fields: tuple[ProfileField, ...], answers: Mapping[str, str]) -> tuple[ProfileField, ...]:
    """The fields without an answer, or with one that the field does not allow. Pure."""
    return tuple(field for field in fields if field.name not in answers or not _is_valid(field, answers[field.name]))


def parse_profile_answer(field: ProfileField, value: str | None) -> str:
    """A profile answer as it is stored; None is "I would rather not say". Raises BadInput for a value that the field
    does not allow. Pure.
    """
    text = (value or "").strip()
    where = Where(field=field.name)
    if not text:
        if field.required:
            raise BadInput("This has to be answered.", where=where, remedy="Give an answer, or stay out.")
        return NOT_TOLD
    if field.type == "choice" and text not in field.options:
        options = ", ".join(repr(option) for option in field.options)
        raise BadInput(f"{text!r} is not among the options.", where=where, remedy=f"There are: {options}.")
    if field.type == "number":
        if not _NUMBER.fullmatch(text):
            raise BadInput(f"{text!r} is no number.", where=where, remedy="Write it in digits, like 34.")
        _check_bounds(field, float(text.replace(",", ".")))
        return text.replace(",", ".")
    if len(text) > MAX_ANSWER_LENGTH:
        remedy = f"Use {MAX_ANSWER_LENGTH} characters at the most."
        raise BadInput("This is too long.", where=where, remedy=remedy)
    return text


def _check_bounds(field: ProfileField, number: float) -> None:
    least, most = field.bounds
    if (least is not None and number < least) or (most is not None and number > most):
        limits = [f"{name} {limit:g}" for name, limit in (("at least", least), ("at most", most)) if limit is not None]
        raise BadInput(
            f"{number:g} is out of range.", where=Where(field=field.name), remedy=f"It is {', '.join(limits)}."
        )


def _get_required_consent(scope: str, section: ConsentSection, texts: dict[str, str] | None) -> RequiredConsent:
    sha256 = (texts or {}).get(TextKind.CONSENT.value)
    if sha256 is None:
        raise Conflict(f"The text of the consent to {scope} is not stored.", remedy="Load its file again.")
    return RequiredConsent(scope=scope, version=section.version, sha256=sha256)


def _is_valid(field: ProfileField, value: str) -> bool:
    try:
        return parse_profile_answer(field, value) == value
    except BadInput:
        return False
