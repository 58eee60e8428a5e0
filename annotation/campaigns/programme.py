"""The programme file: several projects behind one invitation, one consent, one profile, in an order and with quotas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from annotation import files
from annotation.campaigns import document, mistakes, project
from annotation.campaigns.people import AdmissionSection, ConsentSection, ProfileField, unknown_profile
from annotation.campaigns.sections import Count, Language, ProjectName, Section, Text
from annotation.errors import BadInput


class Member(Section):
    """A project of the programme: its file, and how many of its items one person gets at most."""

    file: Text
    quota: Count | None = None


class ProgrammeFile(Section):
    """The whole file. `interleaved` takes an item of each project in turn, `sequence` one project after another."""

    programme: ProjectName
    title: Text
    language: Language
    invitation: Text | None = None
    consent: ConsentSection | None = None
    profile: tuple[ProfileField, ...] = ()
    admission: AdmissionSection | None = None
    order: Literal["sequence", "interleaved"] = "sequence"
    projects: Annotated[tuple[Member, ...], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class Programme:
    """A checked programme with its projects, in the order of the file."""

    file: Path
    definition: ProgrammeFile
    campaigns: tuple[project.Campaign, ...]


def is_one(path: Path) -> bool:
    """Whether a file is a programme and not a project; raises BadInput for one that is neither."""
    return "programme" in document.parse(files.read_text(path), file=path).data


def read(path: Path) -> Programme:
    """Read and check a programme with its projects; raises BadInput naming file, line, column, key and remedy."""
    source = document.parse(files.read_text(path), file=path)
    try:
        definition = ProgrammeFile.model_validate(source.data)
    except ValidationError as failure:
        raise mistakes.sentence(source, failure, model=ProgrammeFile) from None
    wrong = unknown_profile(definition.profile, definition.admission)
    if wrong is not None:
        raise BadInput(f"{wrong.says}.", where=source.where(wrong.at), remedy="Ask for it in `profile`.")
    if definition.consent is not None:
        files.read_text(path.parent / definition.consent.file)
    known: dict[str, project.Campaign] = {}
    for number, member in enumerate(definition.projects):
        where = source.where(("projects", number, "file"))
        if not files.there(path.parent / member.file):
            raise BadInput(f"There is no file {member.file!r}.", where=where, remedy="Check the path.")
        campaign = project.read(path.parent / member.file)
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
    return Programme(file=path, definition=definition, campaigns=tuple(known.values()))
