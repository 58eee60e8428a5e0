"""Definitions: the project and programme files as stored in the database, parsed once per process and cached.

Parsing and checking a definition takes much longer than storing an answer. A definition is cached by the id of its
project or programme and its `definition_sha256`, which changes with any of its files; that of a project by its overlap
too.
"""

from __future__ import annotations

from sqlmodel import Session

from annotation.campaigns import project_file
from annotation.campaigns.programme_file import ProgrammeFile
from annotation.campaigns.project_file import ProjectFile
from annotation.store import queries
from annotation.store.models import Programme, Project

MAX_CACHED_DEFINITIONS = 500
"""How many definitions of projects, and how many of programmes, are kept before their cache is emptied."""

_projects: dict[tuple[int, str, int | None, int | None], ProjectFile] = {}
_programmes: dict[tuple[int, str], ProgrammeFile] = {}


def find_project(session: Session, *, project_id: int) -> tuple[Project, ProjectFile] | None:
    """A project with its definition; None for an unknown id."""
    project = session.get(Project, project_id)
    return None if project is None else (project, get_project_definition(project))


def get_named_project(session: Session, name: str) -> tuple[Project, ProjectFile]:
    """The project of this name with its definition; raises NotFound where there is none."""
    project = queries.get_project(session, name)
    return project, get_project_definition(project)


def get_project_definition(project: Project) -> ProjectFile:
    """The parsed definition of a stored project.

    The cache key holds the overlap too, because extending a project changes the overlap and leaves `definition_sha256`
    as it is.
    """
    key = (project.id or 0, project.definition_sha256, project.overlap, project.overlap_max)
    definition = _projects.get(key)
    if definition is None:
        if len(_projects) >= MAX_CACHED_DEFINITIONS:
            _projects.clear()
        definition = _projects[key] = project_file.parse_definition(project.definition)
    return definition


def get_programme_definition(programme: Programme) -> ProgrammeFile:
    """The parsed definition of a stored programme."""
    key = (programme.id or 0, programme.definition_sha256)
    definition = _programmes.get(key)
    if definition is None:
        if len(_programmes) >= MAX_CACHED_DEFINITIONS:
            _programmes.clear()
        definition = _programmes[key] = ProgrammeFile.model_validate(programme.definition)
    return definition
