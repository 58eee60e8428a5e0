"""Definitions: the project and programme files as stored in the database, parsed once per process and cached.

Parsing and checking a definition takes much longer than storing an answer. The caches of this module are the only ones
of a process that hold what a database says. They need not be told of changes: a definition is found by columns that
every transaction reads anew, and that change with it.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlmodel import Session, SQLModel, col, select

from aggregation import spelling
from annotation.campaigns import project_file, stimulus
from annotation.campaigns.programme_file import ProgrammeFile
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.annotators import AdmissionSection, ConsentSection, ExamplesSection, ProfileField
from annotation.errors import BadInput, Conflict, Where
from annotation.store import queries
from annotation.store.models import (
    Consent,
    ParticipationRow,
    ProfileAnswer,
    Programme,
    ProgrammeProject,
    ProgrammeRow,
    Project,
    ProjectRow,
)
from annotation.vocabulary import TextKind

MAX_CACHED_DEFINITIONS = 500
"""How many definitions of projects, and how many of programmes, a process keeps."""

Definition = TypeVar("Definition")
Row = TypeVar("Row", bound=SQLModel)


class DefinitionCache(Generic[Row, Definition]):
    """Parsed definitions by the values of the `columns` that change with them: `size` of them, those used last.

    The threads of a process share it. Where two parse the same definition at once, one of the results is kept.
    """

    def __init__(self, parse: Callable[[Row], Definition], *, columns: tuple[str, ...], size: int) -> None:
        self._parse: Callable[[Row], Definition] = parse
        self._columns, self._size = columns, size
        self._definitions: OrderedDict[tuple[Hashable, ...], Definition] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._definitions)

    def find_definition(self, row: SQLModel | sa.Row[Any]) -> Definition | None:
        """Return the definition that belongs to the row's columns, or None if the cache lacks it."""
        key = self._read_key(row)
        with self._lock:
            if key in self._definitions:
                self._definitions.move_to_end(key)
            return self._definitions.get(key)

    def get_definition(self, row: Row) -> Definition:
        """The definition of a stored project or programme, parsed where the cache does not hold it."""
        definition = self.find_definition(row)
        if definition is not None:
            return definition
        definition = self._parse(row)
        with self._lock:
            self._definitions[self._read_key(row)] = definition
            if len(self._definitions) > self._size:
                self._definitions.popitem(last=False)
        return definition

    def _read_key(self, row: SQLModel | sa.Row[Any]) -> tuple[Hashable, ...]:
        return tuple(getattr(row, name) for name in self._columns)


def _parse_project(project: Project) -> ProjectFile:
    return project_file.parse_definition(project.definition)


def _parse_programme(programme: ProgrammeRow) -> ProgrammeFile:
    return ProgrammeFile.model_validate(programme.definition)


_PROJECTS = DefinitionCache(
    _parse_project,
    # extending a project changes its overlap, and leaves the digest of its files as it is
    columns=("id", "definition_sha256", "overlap", "overlap_max"),
    size=MAX_CACHED_DEFINITIONS,
)
_PROGRAMMES = DefinitionCache(_parse_programme, columns=("id", "definition_sha256"), size=MAX_CACHED_DEFINITIONS)


def find_project(session: Session, *, project_id: int) -> tuple[Project, ProjectFile] | None:
    """A project with its definition; None for an unknown id."""
    project = session.get(Project, project_id)
    return None if project is None else (project, get_project_definition(project))


def get_named_project(session: Session, name: str) -> tuple[Project, ProjectFile]:
    """The project of this name with its definition; raises NotFound where there is none."""
    project = queries.get_project(session, name)
    return project, get_project_definition(project)


def get_project_definition(project: Project) -> ProjectFile:
    """The parsed definition of a stored project."""
    return _PROJECTS.get_definition(project)


def read_project_definition(session: Session, project: ProjectRow) -> ProjectFile:
    """Return the parsed definition of a project whose row was read without it.

    If the cache lacks it, read the whole row again: the definition alone could be one that another process has stored
    since, and the cache would keep it under the old key.
    """
    definition = _PROJECTS.find_definition(project)
    return definition or get_project_definition(session.get_one(Project, project.id, populate_existing=True))


def read_listed_definition(session: Session, row: sa.Row[Any]) -> ProjectFile:
    """Return the parsed definition of a project of which only the columns were listed by which definitions are kept."""
    definition = _PROJECTS.find_definition(row)
    return definition or get_project_definition(session.get_one(Project, row.id, populate_existing=True))


def get_programme_definition(programme: ProgrammeRow) -> ProgrammeFile:
    """The parsed definition of a stored programme."""
    return _PROGRAMMES.get_definition(programme)


def compute_card_version(instructions: str, examples: ExamplesSection | None) -> str:
    """A digest of the instructions and examples; a task card with another version than the one read is shown again."""
    text = instructions + ("" if examples is None else examples.model_dump_json())
    return hashlib.sha256(text.encode()).hexdigest()[:8]


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
    file = None if programme is None else get_programme_definition(programme)
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
            raise BadInput("This question is required.", where=where, remedy="Answer it to take part.")
        return NOT_TOLD
    if field.type == "choice" and text not in field.options:
        options = spelling.join_first(repr(option) for option in field.options)
        raise BadInput(f"{text!r} is not among the options.", where=where, remedy=f"There are: {options}.")
    if field.type == "number":
        if not _NUMBER.fullmatch(text):
            raise BadInput(f"{text!r} is not a number.", where=where, remedy="Write it in digits, like 34.")
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
