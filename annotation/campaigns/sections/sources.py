"""The sections of the project file about sources: the files of items, gold and votes, and their columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from aggregation import spelling
from annotation import text_encodings
from annotation.campaigns.sections import base
from annotation.campaigns.sections.base import (
    Column,
    Columns,
    Count,
    PathInFile,
    Section,
    Share,
    Text,
    Texts,
    Values,
    wrap_in_list,
)
from annotation.vocabulary import GoldOrigin, RepeatPolicy

FormatName = Literal["lmes", "ua-cbt", "label-studio"]
"""Formats of items that the ending of the file does not tell; see `annotation.loading.items.item_reader`."""

Conditions = dict[str, Annotated[tuple[str, ...], BeforeValidator(wrap_in_list)]]
"""Conditions on rows: for each column the values of which a row must have one; `not empty` is any, `empty` is none."""


EMPTY, NOT_EMPTY = "empty", "not empty"
"""The words of conditions for a cell without a value, and for one with any."""


def index_conditions(where: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return the keys (`spelling.build_key`) of the values of conditions, by column."""
    return {column: frozenset(map(spelling.build_key, values)) for column, values in where.items()}


def _check_encoding(name: str) -> str:
    if not text_encodings.is_encoding(name):
        raise ValueError(f"{name!r} is not an encoding of text; write it like cp1251, utf-16 or koi8-u")
    return name


Encoding = Annotated[Text, AfterValidator(_check_encoding)]


class TableKeys(Section):
    """How a table is read, beside its `file`.

    `path` leads to the list inside a .json file, keys joined by dots; `sheet` is the name of a sheet of an .xlsx file;
    `encoding` is that of a text file which is not UTF-8, and `separator` that of its cells where it cannot be told.
    """

    path: Text | None = None
    sheet: Text | None = None
    encoding: Encoding | None = None
    separator: Literal[",", ";", "|", "tab"] | None = None


class ShownColumn(Section):
    """A column (`field`) shown to annotators.

    `as_`, written `as`, says whether its cells are texts, Markdown or paths of pictures. `title` is a heading above it,
    `fold` whether it is folded at first, `gap` the word of the text that the answer fills, `mark` are columns with the
    parts to highlight, and `step` is the step of questions from which on it is shown.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, serialize_by_alias=True)

    field: Column
    as_: Literal["text", "image", "markdown"] = Field(
        default="text", alias="as", exclude_if=lambda written: written == "text"
    )
    title: Text | None = None
    fold: bool = False
    gap: Text | None = None
    mark: Texts = ()
    step: Count = 1

    @property
    def is_picture(self) -> bool:
        """Whether the cells are paths of pictures."""
        return self.as_ == "image"

    @model_validator(mode="after")
    def _consistent(self) -> ShownColumn:
        for key in ("gap", "mark", "fold"):
            if self.is_picture and getattr(self, key):
                raise ValueError(f"A picture has no `{key}`; leave `{key}` or `as: image` out")
            if self.as_ == "markdown" and key != "fold" and getattr(self, key):
                raise ValueError(f"`{key}` is for plain text; leave `{key}` or `as: markdown` out")
        return self


AnyShownColumn = Annotated[
    Annotated[Column, Tag("<column>")] | Annotated[ShownColumn, Tag("<part>")],
    Discriminator(lambda value: "<column>" if isinstance(value, str) else "<part>"),
    BeforeValidator(base.refuse_none),
]
ShownColumns = Annotated[tuple[AnyShownColumn, ...], BeforeValidator(wrap_in_list)]


class SampleSection(Section):
    """A random sample of `number` rows or of a `share`; stratified `by` a column, or of whole `groups`."""

    number: Count | None = None
    share: Share | None = None
    by: Text | None = None
    groups: bool = False
    seed: int = 0

    @model_validator(mode="after")
    def _consistent(self) -> SampleSection:
        if (self.number is None) == (self.share is None):
            raise ValueError("How many? Give `number` or `share`, one of them")
        if self.groups and self.by is not None:
            raise ValueError("Whole groups are drawn at random; leave `by` out")
        return self


class PoolSection(Section):
    """The items of a pool: from a separate `file`, or selected from the campaign's items by `where` and `sample`."""

    file: PathInFile | None = None
    where: Conditions = Field(default_factory=dict)
    sample: SampleSection | None = None

    @model_validator(mode="after")
    def _consistent(self) -> PoolSection:
        if self.file is None and not self.where and self.sample is None:
            raise ValueError("Which items? Name a `file`, or say `where` or `sample`")
        return self


class ItemsSection(TableKeys):
    """`items:` the file of items, and which of its columns have a role.

    `options` are columns with the options of each item, `golds`
    has the columns of gold by question name, `accepted` is the column with further right answers, `system` the one with
    the name of who or what wrote the item, which is shown to nobody, and `lineage` the one that `hromada follow-up`
    writes. `where` and `sample` select the items of the main pool.
    """

    file: PathInFile
    format: FormatName | None = None
    id: Column
    show: ShownColumns
    options: Columns | None = None
    gold: Column | None = None
    golds: dict[str, Column] = Field(default_factory=dict)
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None
    accepted: Column | None = None
    explanation: Column | None = None
    group: Column | None = None
    revision: Column | None = None
    system: Column | None = None
    stratum: Column | None = None
    tags: Columns | None = None
    lineage: Column | None = None
    where: Conditions = Field(default_factory=dict)
    sample: SampleSection | None = None

    @property
    def shown_columns(self) -> tuple[ShownColumn, ...]:
        """The shown columns; a column written as its name alone has the defaults of ShownColumn."""
        return tuple(ShownColumn(field=column) if isinstance(column, str) else column for column in self.show)

    @property
    def required_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that the file must have, by the key of the section under which they are named."""
        keys = ("id", "gold", "accepted", "explanation", "group", "revision", "system", "stratum", "lineage")
        single_columns = {key: (column,) for key in keys if (column := getattr(self, key)) is not None}
        several_columns = {"options": self.options or (), "tags": self.tags or (), "golds": tuple(self.golds.values())}
        shown = {"show": tuple(column.field for column in self.shown_columns)}
        marks = {"show.mark": tuple(mark for column in self.shown_columns for mark in column.mark)}
        return (
            single_columns
            | shown
            | marks
            | several_columns
            | {"where": tuple(self.where)}
            | ({} if self.sample is None or self.sample.by is None else {"sample.by": (self.sample.by,)})
        )


class LabelsSection(Section):
    """How labels in a file of votes become labels of the project: white space is stripped, then `map` renames them."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False)

    strip: bool = True
    map: dict[str, Text] = Field(default_factory=dict)


REST = "rest"
"""The word for all columns that no key names."""
_PLACE = re.compile(r"\{(item|annotator|question)\}")


class StatusSection(Section):
    """`status:` the column with the state of each row, and the states with which a row counts."""

    column: Column
    counts: Values


def _name_csv_table(value: object) -> object:
    return "table" if value == "csv" else value


class VotesSection(TableKeys):
    """`votes:` how files of votes are read.

    A table has one vote in each row, with the columns `item`, `annotator` and `answer` (`answers` by question name). A
    wide table has a column for each annotator (`annotators`) or for each item (`wide`): a list of columns, `rest`, or a
    pattern of their names with `{annotator}` or `{item}`, and `{question}` for the words in `answers`; `ignore` are
    columns that `rest` leaves out. `show`, `options` and `group` are the columns of items made from votes. A column
    that is not named has the usual name of the format.

    `where` and `status` say which rows count, and `prolific`, the export of submissions to Prolific, whose. `repeats`
    says which of several votes of an annotator on an item count, in the order of the column `time` or else of the file;
    `people` is a file with facts about the annotators. `earlier` keeps the votes apart from the answers that the
    project itself asks for. With `empty: tie` no chosen side is a tie. `class_`, written `class`, is the one class of
    marked parts that is read, for all span questions or by question name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, serialize_by_alias=True)

    format: Annotated[
        Literal[
            "table",
            "toloka",
            "crowd-kit",
            "label-studio",
            "human-response-bot",
            "prodigy",
            "doccano",
            "argilla",
            "potato",
            "brat",
            "inception",
            "mturk",
            "crowdtruth",
            "datasets",
            "comparisons",
        ],
        BeforeValidator(_name_csv_table),
    ] = "table"
    file: PathInFile | None = None
    item: Columns | None = None
    annotator: Column | None = None
    answer: Column | None = None
    answers: dict[str, Column] = Field(default_factory=dict)
    annotators: Columns | None = None
    wide: Columns | None = None
    ignore: Annotated[tuple[Column, ...], BeforeValidator(wrap_in_list)] = ()
    show: Columns | None = None
    options: Columns | None = None
    group: Column | None = None
    time: Column | None = None
    where: Conditions = Field(default_factory=dict)
    status: StatusSection | None = None
    prolific: PathInFile | None = None
    people: Text | None = None
    repeats: RepeatPolicy = RepeatPolicy.FIRST
    earlier: bool = False
    labels: LabelsSection = LabelsSection()
    empty: Literal["tie"] | None = None
    class_: Text | dict[str, Text] | None = Field(default=None, alias="class")

    def get_class(self, question: str) -> str | None:
        """The one class of the parts that count as answers to a question; None where all do."""
        return self.class_.get(question) if isinstance(self.class_, dict) else self.class_

    def resolve(self, folder: Path) -> VotesSection:
        """Return the section with the paths beside `file` that it names, from the folder of the project file."""
        return self if self.prolific is None else self.model_copy(update={"prolific": str(folder / self.prolific)})

    @cached_property
    def conditions(self) -> dict[str, frozenset[str]]:
        """The conditions of `where` with the keys of their values."""
        return index_conditions(self.where)

    @property
    def vote_columns(self) -> tuple[str, ...] | None:
        """What says which columns of a wide table hold votes; None for a table with one vote in each row."""
        return self.annotators or self.wide

    @property
    def required_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that every row has, by the key that names them, without those that hold the answers."""
        one = {"annotator": self.annotator, "group": self.group, "time": self.time}
        several = {"item": self.item, "show": self.show, "options": self.options, "where": tuple(self.where)}
        status = {} if self.status is None else {"votes.status": (self.status.column,)}
        return (
            {f"votes.{key}": (column,) for key, column in one.items() if column is not None}
            | {f"votes.{key}": columns for key, columns in several.items() if columns}
            | status
        )

    @model_validator(mode="after")
    def _complete(self) -> VotesSection:
        for message in self._list_contradictions():
            raise ValueError(message)
        return self

    def _list_contradictions(self) -> Iterator[str]:
        if self.answer is not None and self.answers:
            yield "`answer` is for one question, `answers` for several; keep one of them"
        if self.vote_columns is not None:
            yield from self._list_contradictions_of_wide()
        elif self.ignore:
            yield "`ignore` takes columns out of `rest`; leave it out"
        elif self.format == "table" and (None in (self.item, self.annotator) or not (self.answer or self.answers)):
            yield (
                "A table of votes needs the columns `item`, `annotator` and `answer`; with a column for each annotator"
                " `item` and `annotators`, with a column for each item `annotator` and `wide`"
            )
        answers = {column for column in (self.answer, *self.answers.values()) if column is not None}
        for key, columns in (("item", self.item or ()), ("annotator", (self.annotator,))):
            twice = [column for column in columns if column in answers and self.vote_columns is None]
            if twice:
                yield f"The column {twice[0]!r} cannot be the {key} and the answer; name another one"

    def _list_contradictions_of_wide(self) -> Iterator[str]:
        key, other, needed = ("annotators", "annotator", "item") if self.annotators else ("wide", "item", "annotator")
        if self.format != "table":
            yield f"`{key}` is for tables; leave it or `format` out"
        if self.annotators and self.wide:
            yield "`annotators` is for a column for each annotator, `wide` for a column for each item; keep one of them"
        if getattr(self, other) is not None or self.answer is not None:
            yield f"With `{key}` the columns say {other} and answer; leave `{other}` and `answer` out"
        if getattr(self, needed) is None:
            yield f"With `{key}` every row is of one {needed}; name its column as `{needed}`"
        if self.wide and (self.show or self.options or self.group):
            yield "With `wide` no column is about an item; leave `show`, `options` and `group` out"
        columns = self.vote_columns or ()
        places = {place for column in columns for place in _PLACE.findall(column)}
        if places and (len(columns) > 1 or key.removesuffix("s").replace("wide", "item") not in places):
            yield f"A pattern of columns is one text with {{{'annotator' if self.annotators else 'item'}}}"
        if ("question" in places) != bool(self.answers):
            yield (
                "With several questions a pattern has {question}, and `answers` its words; write"
                " answers: {QUESTION: WORD, …}"
            )


def complete_rest(
    votes: VotesSection, others: Iterable[ItemsSection | TruthSection], *, questions: Iterable[str]
) -> VotesSection:
    """Return the section of votes; `rest` takes no column that sections about the same file name."""
    if votes.vote_columns != (REST,):
        return votes
    named = {*questions}
    for other in others:
        if other.file == votes.file:
            named.update(column for columns in other.required_columns.values() for column in columns)
    more = sorted(named - {*votes.ignore})
    return votes.model_copy(update={"ignore": (*votes.ignore, *more)}) if more else votes


class TruthSection(TableKeys):
    """`truth:` the file of gold for items that are made from votes; some items may be without gold.

    `item` are the columns that identify the item, as under `votes`.
    """

    file: PathInFile
    format: FormatName | None = None
    item: Columns
    gold: Column
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None

    @property
    def required_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that the file must have, by the key of the section under which they are named."""
        return {"item": self.item, "gold": (self.gold,)}
