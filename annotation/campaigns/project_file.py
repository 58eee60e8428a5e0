"""The project file: a YAML file that describes one campaign, checked before anything is stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from annotation import input_files
from annotation.campaigns import bot_commands, placeholder_texts, validation_errors, yaml_document
from annotation.campaigns.consistency import (
    MAX_MESSAGE,
    find_impossible_length,
    find_unused_key,
    list_contradictions,
)
from annotation.campaigns.project_sections import ProjectSections
from annotation.campaigns.questions import Question
from annotation.campaigns.sections import base
from annotation.campaigns.sections.base import Section, build_validation_error
from annotation.campaigns.sections.quality import TextRule
from annotation.campaigns.sections.sources import (
    ItemsSection,
    LabelsSection,
    ShownColumn,
    TruthSection,
    VotesSection,
    complete_rest,
)
from annotation.campaigns.yaml_document import KeyPath
from annotation.errors import BadInput, Where

__all__ = [
    "CheckedProject", "ItemsSection", "LabelsSection", "ProjectFile", "ShownColumn", "VotesSection",
    "parse_definition", "read_project",
]  # fmt: skip

_FILE_KEYS = frozenset({"file", "instructions_file", "words", "pool"})
"""The keys whose value is the path of a file."""
LANGUAGES_OF_COUNTRIES = {"ua": "uk"}
"""Codes of countries that are taken for languages, with what is meant. Stored definitions with them stay valid."""


class ProjectFile(ProjectSections):
    """The content of a project file, which is refused where its sections contradict each other."""

    @model_validator(mode="after")
    def _consistent(self) -> ProjectFile:
        contradictions = list_contradictions(self)
        if contradictions:
            raise build_validation_error(contradictions)
        self._fill_options()
        if self.votes is not None:
            sections = (self.items, self.truth)
            others = [one for one in sections if isinstance(one, ItemsSection | TruthSection)]
            columns = [
                column
                for question in self.all_questions
                for column in (*question.required_columns(), *question.option_columns, *question.system_columns)
            ]
            votes = complete_rest(self.votes, others, questions=columns)
            object.__setattr__(self, "votes", votes)  # as the options, it follows from other sections
        return self

    def _fill_options(self) -> None:
        """Name the columns of the compared texts as those of the items' options, since a question names them."""
        columns = next((question.option_columns for question in self.all_questions if question.option_columns), None)
        key = "items" if isinstance(self.items, ItemsSection) else "votes"
        section = getattr(self, key)
        if columns is not None and section.options is None:
            object.__setattr__(self, key, section.model_copy(update={"options": columns}))

    def list_system_columns(self, question: Question) -> tuple[str, ...]:
        """The columns with the systems that wrote what an item shows, one a side where the question compares texts."""
        own = self.items.system if isinstance(self.items, ItemsSection) else None
        return question.system_columns or (() if own is None else (own,))


OVERLAP_SAMPLE = "overlap.sample"
"""The key of the place of the overlap sample in a project file."""


class CheckedProject(Section):
    """A checked project file: its path, and its content. Paths written in the file are relative to its folder.

    `places` has the place of every key that names a file, by the path written there, and that of `overlap.sample` as
    `OVERLAP_SAMPLE`.
    """

    path: Path
    definition: ProjectFile
    places: dict[str, Where] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """The project's name, unique in a database."""
        return self.definition.project

    def resolve_path(self, path_in_file: str) -> Path:
        """Resolve a path as written in the project file against the folder of the project file.

        Raises BadInput, with the key and its line, if there is no such file.
        """
        path = self.path.parent / path_in_file
        if input_files.is_missing(path):
            where = self.places.get(path_in_file, Where(file=self.path))
            raise input_files.build_missing_error(path, written=path_in_file, where=where)
        return path

    def check_text_files(self) -> None:
        """Read the consent and the word lists, so that a bad file is reported early, as BadInput.

        That is a missing or empty one, and a consent that names a command which the bot does not have.

        The instructions are not read here; see `read_instructions`.
        """
        if self.definition.consent:
            read_text_for_annotators(self.resolve_path(self.definition.consent.file))
        self.read_word_lists()

    def read_word_lists(self) -> dict[str, list[str]]:
        """Read the word lists of the quality rules for texts, files with one word on each line.

        Returns the words of each list by its path as written in the project file.
        """
        rules = (rule for rule in self.definition.quality if isinstance(rule, TextRule))
        paths_in_file = {rule.words for rule in rules if rule.words}
        return {
            path_in_file: [
                line.strip()
                for line in input_files.read_text(self.resolve_path(path_in_file)).splitlines()
                if line.strip()
            ]
            for path_in_file in sorted(paths_in_file)
        }

    def read_instructions(self) -> str:
        """Return the instructions: the text in the project file, or that of the file named in `instructions_file`."""
        path_in_file = self.definition.instructions_file
        return (
            self.definition.instructions
            if path_in_file is None
            else read_text_for_annotators(self.resolve_path(path_in_file)).strip()
        )


def read_text_for_annotators(path: Path) -> str:
    """Read a file that annotators are shown.

    Raises BadInput also for a file that holds a placeholder alone, and for commands in it that the bot does not have.
    """
    text = input_files.read_text(path)
    placeholder_texts.refuse_unwritten(text.strip(), where=Where(file=path, line=1))
    bot_commands.refuse_unknown_commands(text, where=Where(file=path), has_lines=True)
    return text


def _list_texts(definition: ProjectFile) -> Iterator[tuple[KeyPath, str | None]]:
    """The texts in a project file that are instructions to annotators, with their places; items are not among them."""
    yield ("instructions",), definition.instructions
    yield ("content_warning",), definition.content_warning
    if definition.attestation is not None:
        yield ("attestation", "text"), definition.attestation.text
    for index, field in enumerate(definition.profile):
        yield ("profile", index, "text"), field.text
    for index, question in enumerate(definition.all_questions):
        yield ("question", "help") if definition.questions is None else ("questions", index, "help"), question.help
    for kind in ("good", "bad") if definition.examples is not None else ():
        for index, example in enumerate(getattr(definition.examples, kind)):
            yield ("examples", kind, index), example


def read_project(path: Path, *, allow_outside: bool = False) -> CheckedProject:
    """Read and check a project file; raises BadInput with file, line, column and key.

    Files that it names outside its folder and the current one are refused unless `allow_outside`.
    """
    source = yaml_document.parse_yaml(input_files.read_text(path), file=path)
    if "programme" in source.data and "project" not in source.data:
        raise BadInput(
            "This is a programme, not a project.",
            where=source.where(("programme",)),
            remedy="check, load, try, start, status and export take it; name one of its `projects` here.",
        )
    try:
        definition = ProjectFile.model_validate(
            source.data, context=base.find_allowed_folders(path, allow_outside=allow_outside)
        )
    except ValidationError as failure:
        raise validation_errors.explain_errors(source, failure, model=ProjectFile) from None
    if definition.language in LANGUAGES_OF_COUNTRIES:
        language = LANGUAGES_OF_COUNTRIES[definition.language]
        raise BadInput(
            f"{definition.language!r} is a country, not a language.",
            where=source.where(("language",)),
            remedy=f"Write language: {language}.",
        )
    texts = [(text, source.where(key_path)) for key_path, text in _list_texts(definition)]
    bot_commands.refuse_in_texts(texts)
    placeholder_texts.refuse_in_project(definition, texts, place=source.where)
    unused = find_unused_key(definition)
    if unused is not None:
        raise BadInput(f"{unused.message}.", where=source.where(unused.key_path), remedy="Leave it out.")
    impossible = find_impossible_length(definition)
    if impossible is not None:
        remedy = f"Write {MAX_MESSAGE} or less."
        raise BadInput(f"{impossible.message}.", where=source.where(impossible.key_path), remedy=remedy)
    return CheckedProject(path=path, definition=definition, places=_list_places(source))


def _list_places(source: yaml_document.YamlDocument) -> dict[str, Where]:
    return dict(_list_files(source, source.data, ())) | {OVERLAP_SAMPLE: source.where(("overlap", "sample"))}


def _list_files(source: yaml_document.YamlDocument, value: object, key_path: KeyPath) -> Iterator[tuple[str, Where]]:
    """The texts under keys that name files, each with its place."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        if key in _FILE_KEYS and isinstance(child, str):
            yield child.strip(), source.where((*key_path, key))
        yield from _list_files(source, child, (*key_path, key))


def parse_definition(stored: dict[str, Any]) -> ProjectFile:
    """Parse the content of a project file as the database stores it, a JSON object."""
    return ProjectFile.model_validate(stored)
