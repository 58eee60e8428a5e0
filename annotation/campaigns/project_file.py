"""The project file: a YAML file that describes one campaign, checked before anything is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError, model_validator

from annotation import input_files
from annotation.campaigns import validation_errors, yaml_document
from annotation.campaigns.consistency import find_contradiction, find_unused_key
from annotation.campaigns.project_sections import FROM_VOTES, ProjectSections
from annotation.campaigns.questions import ChoiceQuestion
from annotation.campaigns.sections.base import Section
from annotation.campaigns.sections.quality import TextRule
from annotation.campaigns.sections.sources import ItemsSection, LabelsSection, ShownColumn, VotesSection
from annotation.errors import BadInput

__all__ = [
    "FROM_VOTES", "Campaign", "ItemsSection", "LabelsSection", "ProjectFile", "ShownColumn", "VotesSection",
    "get_choice", "parse_definition", "read_project",
]  # fmt: skip


class ProjectFile(ProjectSections):
    """The project file, its sections consistent with each other."""

    @model_validator(mode="after")
    def _consistent(self) -> ProjectFile:
        contradiction = find_contradiction(self)
        if contradiction is not None:
            raise contradiction.validation_error
        return self


class Campaign(Section):
    """A checked project file with its path; relative paths in it start from its folder."""

    file: Path
    definition: ProjectFile

    @property
    def name(self) -> str:
        """The project's name, unique in a database."""
        return self.definition.project

    def resolve_path(self, written: str) -> Path:
        """Resolve a path written in the file against the file's folder."""
        return self.file.parent / written

    def check_text_files(self) -> None:
        """Read every text that the file names; raises BadInput where one is missing or empty."""
        if self.definition.consent:
            input_files.read_text(self.resolve_path(self.definition.consent.file))
        self.read_word_lists()

    def read_word_lists(self) -> dict[str, list[str]]:
        """Read the word lists of the quality rules, one word a line, by their paths as written in the project file."""
        named = (rule.words for rule in self.definition.quality if isinstance(rule, TextRule) and rule.words)
        return {
            written: [
                line.strip() for line in input_files.read_text(self.resolve_path(written)).splitlines() if line.strip()
            ]
            for written in sorted(set(named))
        }

    def read_instructions(self) -> str:
        """Return the instructions, from the project file or from a file of their own."""
        written = self.definition.instructions_file
        return (
            self.definition.instructions
            if written is None
            else input_files.read_text(self.resolve_path(written)).strip()
        )


def read_project(path: Path) -> Campaign:
    """Read and check a project file; raises BadInput with file, line, column and key."""
    source = yaml_document.parse_yaml(input_files.read_text(path), file=path)
    if "programme" in source.data and "project" not in source.data:
        raise BadInput(
            "This is a programme, not a project.",
            where=source.where(("programme",)),
            remedy="`hromada check` reads it; load the projects that it lists.",
        )
    try:
        definition = ProjectFile.model_validate(source.data)
    except ValidationError as failure:
        raise validation_errors.explain_error(source, failure, model=ProjectFile) from None
    unused = find_unused_key(definition)
    if unused is not None:
        raise BadInput(f"{unused.message}.", where=source.where(unused.key_path), remedy="Leave it out.")
    return Campaign(file=path, definition=definition)


def parse_definition(stored: dict[str, Any]) -> ProjectFile:
    """Parse a definition as stored in the database."""
    return ProjectFile.model_validate(stored)


def get_choice(definition: ProjectFile, *, most_options: int) -> ChoiceQuestion | None:
    """The first question if it is a choice; `most_options` is the largest number of options of an item."""
    first = definition.all_questions[0]
    return first.with_positions(most_options) if isinstance(first, ChoiceQuestion) else None
