"""Parsed definitions of stored projects and programmes, cached by the hash of their file.

Parsing and checking a definition takes much longer than storing an answer, so each process does it once.
"""

from __future__ import annotations

from annotation.campaigns import project_file as project_files
from annotation.campaigns.programme_file import ProgrammeFile
from annotation.campaigns.project_file import ProjectFile
from annotation.store.models import Programme, Project

MAX_CACHED = 500
"""How many definitions of each kind are kept before the cache is emptied."""

_projects: dict[tuple[int, str, int | None, int | None], ProjectFile] = {}
_programmes: dict[tuple[int, str], ProgrammeFile] = {}


def get_project_definition(project: Project) -> ProjectFile:
    """The definition of a project.

    The cache key holds the overlap too, because extending a project changes it without changing the file.
    """
    key = (project.id or 0, project.definition_sha256, project.overlap, project.overlap_max)
    definition = _projects.get(key)
    if definition is None:
        if len(_projects) >= MAX_CACHED:
            _projects.clear()
        definition = _projects[key] = project_files.parse_definition(project.definition)
    return definition


def get_programme_definition(programme: Programme) -> ProgrammeFile:
    """The definition of a programme."""
    key = (programme.id or 0, programme.definition_sha256)
    definition = _programmes.get(key)
    if definition is None:
        if len(_programmes) >= MAX_CACHED:
            _programmes.clear()
        definition = _programmes[key] = ProgrammeFile.model_validate(programme.definition)
    return definition
