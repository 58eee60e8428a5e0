"""`hromada compare` with the folder of a release or a build in place of a project: no database is opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exports.inputs import DataSet
    from exports.model_answers import ReadModels


def find_folder(written: str) -> Path | None:
    """The folder of a release or a build that the command names; None for a project.

    A name without a slash is a project if the database has one of that name.
    """
    from exports import folder_data

    path = Path(written)
    is_address = len(path.parts) > 1 or written != path.name
    if not folder_data.is_written_folder(path):
        return path if path.is_dir() and is_address else None
    return None if not is_address and _is_project(written) else path


def _is_project(name: str) -> bool:
    """Whether the database has a project of this name; False where there is no database that can be read."""
    from aggregation.errors import HromadaError
    from annotation.store import queries
    from bot.commands import database_session

    try:
        with database_session.open_database() as database, database.reading() as view:
            return any(project.name == name for project in queries.list_projects(view))
    except HromadaError:
        return False


def read_pairs(
    folder: Path, against: Sequence[str], *, key: Path | None, question: str | None
) -> list[tuple[DataSet, ReadModels]]:
    """The data sets of a folder that models answered, with their answers; all that are named are in a single one."""
    from aggregation.errors import HromadaError, Where
    from exports import folder_data, model_answers

    found = folder_data.read_folder_data(folder, key=key)
    chosen = folder_data.choose_data_sets(found, question, folder=folder)
    paths = [Path(written) for written in against]
    if len(chosen) > 1 and not (paths and all(path.is_dir() for path in paths)):
        raise HromadaError(
            f"The folder has several data sets: {', '.join(data.name for data in chosen)}.",
            remedy="Name one with --question, or folders of the harness's results, which name their tasks.",
            where=Where(file=folder),
        )
    read = model_answers.read_models_by_data_set(paths, chosen)
    if len(chosen) == 1:
        return [(chosen[0], read.get(chosen[0].name, model_answers.ReadModels()))]
    return [(data, read[data.name]) for data in chosen if data.name in read]
