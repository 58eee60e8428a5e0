"""The programme file: several projects with one invitation, consent and profile, in an order and with quotas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from annotation import input_files
from annotation.campaigns import bot_commands, placeholder_texts, project_file, validation_errors, yaml_document
from annotation.campaigns.sections import base
from annotation.campaigns.sections.annotators import (
    FRIENDS,
    AdmissionSection,
    ConsentSection,
    ProfileField,
    find_impossible_admission,
)
from annotation.campaigns.sections.base import Count, Language, PathInFile, ProjectName, Section, Text
from annotation.errors import BadInput, ErrorCollector, Where


class ProgrammeProjectSection(Section):
    """One of the `projects:` of a programme: the path of its project file, and the most items of an annotator."""

    file: PathInFile
    quota: Count | None = None


class ProgrammeFile(Section):
    """The keys of a programme file.

    With the order `interleaved` an annotator's items alternate between the projects; with `sequence` one project is
    finished before the next begins. `invite_friends` is how many friends each annotator may invite to all of them.
    """

    programme: ProjectName
    title: Text
    language: Language
    invitation: Text | None = None
    consent: ConsentSection | None = None
    profile: tuple[ProfileField, ...] = ()
    admission: AdmissionSection | None = None
    invite_friends: Count | None = None
    order: Literal["sequence", "interleaved"] = "sequence"
    projects: Annotated[tuple[ProgrammeProjectSection, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class CheckedProgramme:
    """A checked programme file: its path, its content, and its checked project files in the order of the programme."""

    path: Path
    definition: ProgrammeFile
    projects: tuple[project_file.CheckedProject, ...]


def is_programme(path: Path) -> bool:
    """Whether a YAML file is a programme rather than a project; raises BadInput where it is no YAML mapping."""
    return "programme" in yaml_document.parse_yaml(input_files.read_text(path), file=path).data


def read_programme(path: Path, *, allow_outside: bool = False) -> CheckedProgramme:
    """Read and check a programme file with its projects; raises BadInput with file, line, column and key.

    Files outside are refused as by `project_file.read_project`.
    """
    source = yaml_document.parse_yaml(input_files.read_text(path), file=path)
    try:
        definition = ProgrammeFile.model_validate(
            source.data, context=base.find_allowed_folders(path, allow_outside=allow_outside)
        )
    except ValidationError as failure:
        raise validation_errors.explain_errors(source, failure, model=ProgrammeFile) from None
    profile = [(field.text, source.where(("profile", index, "text"))) for index, field in enumerate(definition.profile)]
    texts = [(definition.invitation, source.where(("invitation",))), *profile]
    bot_commands.refuse_in_texts(texts)
    placeholder_texts.refuse_in_texts([(definition.title, source.where(("title",))), *texts])
    contradiction = find_impossible_admission(
        definition.profile, definition.admission, invites_friends=definition.invite_friends is not None
    )
    if contradiction is not None:
        is_profile = contradiction.key_path[1] == "profile"
        raise BadInput(
            f"{contradiction.message}.",
            where=source.where(contradiction.key_path),
            remedy="Ask for it in `profile`." if is_profile else f"Write cohort: [{FRIENDS}, …].",
        )
    if definition.consent is not None:
        # the text is not needed here: a missing or empty file is to be reported now
        project_file.read_text_for_annotators(path.parent / definition.consent.file)
    projects_by_name: dict[str, project_file.CheckedProject] = {}
    errors = ErrorCollector()
    for index, section in enumerate(definition.projects):
        where = source.where(("projects", index, "file"))
        with errors:
            project = _read_project_of(path, definition, section, where=where, allow_outside=allow_outside)
            if project.name in projects_by_name:
                raise BadInput(
                    f"Project {project.name!r} is listed twice.", where=where, remedy="List each project once."
                )
            projects_by_name[project.name] = project
    errors.refuse()
    return CheckedProgramme(path=path, definition=definition, projects=tuple(projects_by_name.values()))


def _read_project_of(
    path: Path, definition: ProgrammeFile, section: ProgrammeProjectSection, *, where: Where, allow_outside: bool
) -> project_file.CheckedProject:
    """Read one of the projects; raises BadInput where it does not fit into the programme."""
    if not input_files.file_exists(path.parent / section.file):
        raise input_files.build_missing_error(path.parent / section.file, written=section.file, where=where)
    project = project_file.read_project(path.parent / section.file, allow_outside=allow_outside)
    if project.definition.language != definition.language:
        raise BadInput(
            f"The project {project.name!r} is in {project.definition.language!r}, the programme in"
            f" {definition.language!r}.",
            where=where,
            remedy="People of one programme are asked in one language.",
        )
    if definition.consent is not None and project.definition.consent is not None:
        raise BadInput(
            f"The project {project.name!r} has a consent of its own.",
            where=where,
            remedy="The programme's consent holds for all; take the project's out.",
        )
    if project.definition.invite_friends is not None:
        raise BadInput(
            f"The project {project.name!r} has `invite_friends`, which a programme does not read.",
            where=where,
            remedy="Write it into the programme's file: friends are invited to all of it.",
        )
    return project
