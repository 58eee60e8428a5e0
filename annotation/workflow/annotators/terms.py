"""The terms on which people take part in a project: its own, and those of the programme that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, select

from annotation.campaigns.people import AdmissionSection, ConsentSection, ProfileField
from annotation.campaigns.programme import ProgrammeFile
from annotation.campaigns.project import ProjectFile
from annotation.errors import Conflict
from annotation.store.models import Programme, ProgrammeProject, Project
from annotation.vocabulary import WordingKind
from annotation.workflow import definitions


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """A text that has to be agreed to; `scope` says for which project or programme."""

    scope: str
    version: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Terms:
    """A project with its programme, both as stored and as their files say."""

    project: Project
    definition: ProjectFile
    programme: Programme | None
    programme_file: ProgrammeFile | None

    @property
    def fields(self) -> tuple[ProfileField, ...]:
        """What is asked of a person: the programme's fields, then the project's; of the same name, the project's."""
        shared = self.programme_file.profile if self.programme_file else ()
        found = {field.name: field for field in (*shared, *self.definition.profile)}
        return tuple(found.values())

    @property
    def admissions(self) -> tuple[AdmissionSection, ...]:
        """Every admission that has to be met."""
        both = (self.programme_file.admission if self.programme_file else None, self.definition.admission)
        return tuple(one for one in both if one is not None)

    @property
    def agreement(self) -> Agreement | None:
        """The consent that is asked for, the programme's where it has one."""
        shared = self.programme_file.consent if self.programme_file else None
        if self.programme is not None and shared is not None:
            return _agreement(programme_scope(self.programme), shared, self.programme.texts)
        own = self.definition.consent
        return None if own is None else _agreement(project_scope(self.project), own, self.project.texts)


def of(session: Session, *, project: Project, definition: ProjectFile) -> Terms:
    """The terms of a project."""
    chosen = select(Programme).join(ProgrammeProject).where(col(ProgrammeProject.project_id) == project.id)
    return under(session.exec(chosen).first(), project=project, definition=definition)


def under(programme: Programme | None, *, project: Project, definition: ProjectFile) -> Terms:
    """The terms of a project that belongs to that programme, or to none."""
    file = None if programme is None else definitions.of_programme(programme)
    return Terms(project=project, definition=definition, programme=programme, programme_file=file)


def project_scope(project: Project) -> str:
    """The scope of a project's own consent."""
    return f"project {project.name}"


def programme_scope(programme: Programme) -> str:
    """The scope of a programme's consent."""
    return f"programme {programme.name}"


def _agreement(scope: str, section: ConsentSection, texts: dict[str, str] | None) -> Agreement:
    sha256 = (texts or {}).get(WordingKind.CONSENT.value)
    if sha256 is None:
        raise Conflict(f"The text of the consent to {scope} is not stored.", remedy="Load its file again.")
    return Agreement(scope=scope, version=section.version, sha256=sha256)
