"""Definitions: the project and programme files as stored in the database, parsed once per process and cached.

Parsing and checking a definition takes much longer than storing an answer. The caches of this module are the only ones
of a process that hold what a database says. They need not be told of changes: a definition is found by columns that
every transaction reads anew, and that change with it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from sqlmodel import Session, SQLModel

from annotation.campaigns import project_file
from annotation.campaigns.programme_file import ProgrammeFile
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.annotators import ExamplesSection
from annotation.store import queries
from annotation.store.models import ProgrammeRow, Project, ProjectRow

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

    def find_definition(self, row: SQLModel) -> Definition | None:
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

    def _read_key(self, row: SQLModel) -> tuple[Hashable, ...]:
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
    found = _PROJECTS.find_definition(project)
    return found or get_project_definition(session.get_one(Project, project.id, populate_existing=True))


def get_programme_definition(programme: ProgrammeRow) -> ProgrammeFile:
    """The parsed definition of a stored programme."""
    return _PROGRAMMES.get_definition(programme)


def compute_card_version(instructions: str, examples: ExamplesSection | None) -> str:
    """A digest of the instructions and examples; a task card with another version than the one read is shown again."""
    text = instructions + ("" if examples is None else examples.model_dump_json())
    return hashlib.sha256(text.encode()).hexdigest()[:8]
