"""The programme file: several projects with one invitation, consent and profile, in an order and with quotas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from annotation import input_files
from annotation.campaigns import project_file, validation_errors, yaml_document
from annotation.campaigns.sections.annotators import (
    AdmissionSection,
    ConsentSection,
    ProfileField,
    find_unknown_profile,
)
from annotation.campaigns.sections.base import Count, Language, ProjectName, Section, Text
from annotation.errors import BadInput


class ProgrammeMember(Section):
    """A project of the programme: its file, and the maximum of its items for one annotator."""

    file: Text
    quota: Count | None = None


class ProgrammeFile(Section):
    """The programme file. `interleaved` alternates between projects, `sequence` finishes one after another."""

    programme: ProjectName
    title: Text
    language: Language
    invitation: Text | None = None
    consent: ConsentSection | None = None
    profile: tuple[ProfileField, ...] = ()
    admission: AdmissionSection | None = None
    order: Literal["sequence", "interleaved"] = "sequence"
    projects: Annotated[tuple[ProgrammeMember, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class CheckedProgramme:
    """A checked programme file with its projects, in the order of the file."""

    file: Path
    definition: ProgrammeFile
    campaigns: tuple[project_file.Campaign, ...]


def is_programme(path: Path) -> bool:
    """Whether a YAML file is a programme rather than a project; raises BadInput where it is no YAML mapping."""
    return "programme" in yaml_document.parse_yaml(input_files.read_text(path), file=path).data


def read_programme(path: Path) -> CheckedProgramme:
    """Read and check a programme file with its projects; raises BadInput with file, line, column and key."""
    source = yaml_document.parse_yaml(input_files.read_text(path), file=path)
    try:
        definition = ProgrammeFile.model_validate(source.data)
    except ValidationError as failure:
        raise validation_errors.explain_error(source, failure, model=ProgrammeFile) from None
    contradiction = find_unknown_profile(definition.profile, definition.admission)
    if contradiction is not None:
        raise BadInput(
            f"{contradiction.message}.", where=source.where(contradiction.key_path), remedy="Ask for it in `profile`."
        )
    if definition.consent is not None:
        input_files.read_text(path.parent / definition.consent.file)
    known: dict[str, project_file.Campaign] = {}
    for number, member in enumerate(definition.projects):
        where = source.where(("projects", number, "file"))
        if not input_files.file_exists(path.parent / member.file):
            raise BadInput(f"There is no file {member.file!r}.", where=where, remedy="Check the path.")
        campaign = project_file.read_project(path.parent / member.file)
        if campaign.name in known:
            raise BadInput(
                f"The project {campaign.name!r} stands twice.", where=where, remedy="Name every project once."
            )
        if campaign.definition.language != definition.language:
            raise BadInput(
                f"The project {campaign.name!r} is in {campaign.definition.language!r}, the programme in"
                f" {definition.language!r}.",
                where=where,
                remedy="People of one programme are asked in one language.",
            )
        if definition.consent is not None and campaign.definition.consent is not None:
            raise BadInput(
                f"The project {campaign.name!r} has a consent of its own.",
                where=where,
                remedy="The programme's consent holds for all; take the project's out.",
            )
        known[campaign.name] = campaign
    return CheckedProgramme(file=path, definition=definition, campaigns=tuple(known.values()))
