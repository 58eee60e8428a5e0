"""Where the votes of a project come from: the file, how it is read, and whose ids its annotators have there."""

from __future__ import annotations

from pathlib import Path

from annotation.campaigns import project_file
from annotation.errors import BadInput, Where
from annotation.loading import judgements
from annotation.store import pseudonyms
from annotation.store.models import Project


def map_pseudonyms_to_names(project: Project, *, key: bytes, path: Path) -> dict[str, str]:
    """The ids that annotators have in a file of votes, by the pseudonyms that they got here with `key`.

    Nothing of it is stored. Raises BadInput for a file that cannot be read as the project's `votes` say.
    """
    section, _ = locate_votes(project_file.parse_definition(project.definition), project, path)
    namespace = get_namespace(section, project)
    names = dict.fromkeys(raw.annotator for raw in judgements.read_raw_votes(path, section))
    return {pseudonyms.make_pseudonym(key, namespace=namespace, name=name): name for name in names}


def locate_votes(
    definition: project_file.ProjectFile, project: Project, path: Path | None
) -> tuple[project_file.VotesSection, Path]:
    """How votes are read, and the file: `path`, else the one of the project file."""
    section = definition.votes
    if section is None or (path is None and section.file is None):
        raise BadInput(
            "The project does not say how votes are read.",
            where=Where(file=project.source, field="votes"),
            remedy="Add a `votes` section with the format and the file.",
        )
    return section, path or Path(project.source).parent / (section.file or "")


def get_namespace(section: project_file.VotesSection, project: Project) -> str:
    """The namespace of worker ids, where `people` does not name it: Toloka's are the same in all projects, those of a
    CSV file only in its project.
    """
    return section.people or ("toloka" if section.format == "toloka" else f"project {project.name}")
