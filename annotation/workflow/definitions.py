"""Definitions of projects as they are stored, checked once and kept: no answer pays for reading a whole file."""

from __future__ import annotations

from annotation.campaigns import project as project_files
from annotation.campaigns.project import ProjectFile
from annotation.store.models import Project

MOST = 500
_kept: dict[tuple[int, str, int | None, int | None], ProjectFile] = {}


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
