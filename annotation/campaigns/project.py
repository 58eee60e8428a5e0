"""The project file: one campaign described by one YAML file, checked before anything is stored."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from annotation import files
from annotation.campaigns import document
from annotation.campaigns.questions import Choice
from annotation.errors import BadInput
from annotation.vocabulary import GoldOrigin, Repeats

FROM_VOTES = "from votes"


def _as_list(value: object) -> object:
    """One column may be written without brackets."""
    return [value] if isinstance(value, str) else value


def _text(value: object) -> object:
    """A key without a value is a mistake where text is asked for; pydantic's own sentence would speak of None."""
    if value is None:
        raise ValueError("It is empty")
    return value


def _name(value: str) -> str:
    """A project's name stands in file names, columns and commands."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", value):
        raise ValueError(f"{value!r} cannot be a name: use Latin letters, digits, `-`, `_` and `.`, 64 at the most")
    if value.endswith((".yaml", ".yml")):
        raise ValueError(f"{value!r} would be taken for a file: leave the ending out")
    return value


def _language(value: str) -> str:
    """The code of a language without a country."""
    if not re.fullmatch(r"[a-z]{2,3}", value):
        raise ValueError(f"{value!r} is no code of a language: write it like uk, en or ru")
    return value


Text = Annotated[str, BeforeValidator(_text), Field(min_length=1)]
Columns = Annotated[tuple[Text, ...], BeforeValidator(_as_list), Field(min_length=1)]


class Section(BaseModel):
    """A part of the file: unknown keys are refused, values are frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Positions(Section):
    """`labels: {positions: [A, B, C, D]}`: the codes of the options' places."""

    positions: Annotated[tuple[Text, ...], Field(min_length=2)]


class ChoiceSection(Section):
    """`question:` with `type: choice`."""

    type: Literal["choice"]
    text: Text
    options: Annotated[tuple[Text, ...], Field(min_length=2)] | None = None
    labels: Literal["positions"] | Positions | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ChoiceSection:
        if self.options is not None and len(set(self.options)) < len(self.options):
            twice = next(option for option in self.options if self.options.count(option) > 1)
            raise ValueError(f"The option {twice!r} stands twice")
        if self.options is not None and self.labels is not None:
            raise ValueError(
                "Positions are for options that differ from item to item; fixed options are classes already"
            )
        return self


class ItemsSection(Section):
    """`items:` read from a file of their own."""

    file: Text
    format: Literal["lmes", "ua-cbt", "label-studio"] | None = None
    path: Text | None = None
    id: Text
    show: Columns
    options: Columns | None = None
    gold: Text | None = None
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None
    group: Text | None = None


class LabelsSection(Section):
    """How raw labels become the project's: strip white space, then map."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False)

    strip: bool = True
    map: dict[str, Text] = {}


class VotesSection(Section):
    """`votes:` how files of votes are read; columns left out take the format's usual names."""

    format: Literal["toloka", "crowd-kit", "csv", "label-studio", "human-response-bot"]
    file: Text | None = None
    item: Columns | None = None
    annotator: Text | None = None
    answer: Text | None = None
    show: Columns | None = None
    options: Columns | None = None
    people: Text | None = None
    repeats: Repeats = Repeats.FIRST
    labels: LabelsSection = LabelsSection()

    @model_validator(mode="after")
    def _complete(self) -> VotesSection:
        if self.format == "csv" and None in (self.item, self.annotator, self.answer):
            raise ValueError("A csv file of votes needs the columns item, annotator and answer")
        return self


class TruthSection(Section):
    """`truth:` gold for items made of votes; it may cover only some of them."""

    file: Text
    item: Columns
    gold: Text
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None


class ProjectFile(Section):
    """The whole file."""

    project: Annotated[str, BeforeValidator(_text), AfterValidator(_name)]
    title: Text
    language: Annotated[str, AfterValidator(_language)]
    instructions: str = ""
    question: ChoiceSection
    items: ItemsSection | Literal["from votes"]
    votes: VotesSection | None = None
    truth: TruthSection | None = None
    overlap: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> ProjectFile:
        if self.items == FROM_VOTES:
            self._check_from_votes()
        elif self.truth is not None:
            raise ValueError("Items from a file carry their gold in a column; leave `truth` out")
        elif self.votes is None and self.overlap is None:
            raise ValueError("How many people answer each item? Add `overlap: 3`")
        own = self.items.options if isinstance(self.items, ItemsSection) else self.votes and self.votes.options
        if self.question.options is None and not own:
            raise ValueError(
                "There are no options: write question.options, or name the columns that hold each item's own"
            )
        if self.question.options is not None and own:
            raise ValueError("The options are given twice, in the question and as columns of the items")
        return self

    def _check_from_votes(self) -> None:
        if self.votes is None or self.votes.file is None:
            raise ValueError("Items from votes need `votes` with a `file`")
        if self.overlap is not None:
            raise ValueError("Imported votes have the overlap that they have; leave `overlap` out")


class Campaign(Section):
    """A checked project file with its place; relative paths start from its folder."""

    file: Path
    definition: ProjectFile

    @property
    def name(self) -> str:
        """The project's name, unique in a database."""
        return self.definition.project

    def path(self, written: str) -> Path:
        """A path as written in the file, seen from the file's folder."""
        return self.file.parent / written


def read(path: Path) -> Campaign:
    """Read and check a project file; raises BadInput naming file, line, column, key and remedy."""
    source = document.parse(files.read_text(path), file=path)
    try:
        definition = ProjectFile.model_validate(source.data)
    except ValidationError as failure:
        raise _sentence(source, failure) from None
    return Campaign(file=path, definition=definition)


def definition_of(stored: dict[str, Any]) -> ProjectFile:
    """The definition as the database keeps it."""
    return ProjectFile.model_validate(stored)


def choice(definition: ProjectFile, *, most_options: int) -> Choice:
    """The question; `most_options` is the largest number of options that an item has."""
    section = definition.question
    positions: tuple[str, ...] | None = None
    if isinstance(section.labels, Positions):
        positions = section.labels.positions
    elif section.labels == "positions":
        positions = tuple(str(number) for number in range(most_options))
    return Choice(text=section.text, options=section.options, positions=positions)


def _sentence(source: document.Document, failure: ValidationError) -> BadInput:
    """The first mistake in the order of the file, a misspelt key before a missing one, with a remedy."""
    mistakes = [(source.where(_keys(error["loc"])), error) for error in failure.errors(include_url=False)]
    where, error = min(mistakes, key=lambda found: (found[1]["type"] == "missing", found[0].line, found[0].column))
    match error["type"]:
        case "missing":
            return BadInput("This key is missing.", where=where, remedy=f"Add `{error['loc'][-1]}: …`.")
        case "extra_forbidden":
            return BadInput("This key is not known here.", where=where, remedy=_suggestion(str(error["loc"][-1])))
        case "value_error":
            return BadInput(f"{error['ctx']['error']}.", where=where)
    return BadInput(f"{error['msg']}.", where=where, remedy="The documentation of the project file shows an example.")


def _keys(loc: tuple[str | int, ...]) -> document.KeyPath:
    """Pydantic's location less the names of union members, which are no keys of the file."""
    unions = {"ItemsSection", "Positions", "literal['from votes']", "literal['positions']"}
    return tuple(part for part in loc if part not in unions)


def _suggestion(name: str) -> str:
    sections = (ProjectFile, ChoiceSection, ItemsSection, VotesSection, TruthSection, LabelsSection)
    known = sorted({key for section in sections for key in section.model_fields})
    close = difflib.get_close_matches(name, known, n=1)
    return f"Did you mean `{close[0]}`?" if close else "Take it out, or check the indentation."
