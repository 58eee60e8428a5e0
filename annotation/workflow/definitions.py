"""Definitions of projects and programmes, checked once and kept: no answer pays for reading a whole file."""

from __future__ import annotations

from annotation.campaigns import project as project_files
from annotation.campaigns.programme import ProgrammeFile
from annotation.campaigns.project import ProjectFile
from annotation.store.models import Programme, Project

MOST = 500
_kept: dict[tuple[int, str, int | None, int | None], ProjectFile] = {}
_programmes: dict[tuple[int, str], ProgrammeFile] = {}


def of(project: Project) -> ProjectFile:
    """The definition of a project. Whether the one that is kept still holds, the hash of its file says, and its
    overlap, which an extension changes without the file.
    """
    key = (project.id or 0, project.definition_sha256, project.overlap, project.overlap_max)
    found = _kept.get(key)
    if found is None:
        if len(_kept) >= MOST:
            _kept.clear()
        found = _kept[key] = project_files.definition_of(project.definition)
    return found


def of_programme(programme: Programme) -> ProgrammeFile:
    """The definition of a programme."""
    key = (programme.id or 0, programme.definition_sha256)
    found = _programmes.get(key)
    if found is None:
        if len(_programmes) >= MOST:
            _programmes.clear()
        found = _programmes[key] = ProgrammeFile.model_validate(programme.definition)
    return found
