"""The sections of the project file about sources: the files of items, gold and votes, and their columns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from annotation.campaigns.sections import base
from annotation.campaigns.sections.base import Columns, Count, PathInFile, Section, Share, Text, Texts, wrap_in_list
from annotation.vocabulary import GoldOrigin, RepeatPolicy

FormatName = Literal["lmes", "ua-cbt", "label-studio"]
"""Formats of items that the ending of the file does not tell; see `annotation.loading.items.item_reader`."""

Conditions = dict[str, Annotated[tuple[str, ...], BeforeValidator(wrap_in_list)]]
"""Conditions on rows: for each column the values of which a row must have one."""


class ShownColumn(Section):
    """A column (`field`) shown to annotators.

    `title` is a heading above the text, `fold` whether it is folded at first, `gap` the word of the text that the
    answer fills, `mark` are columns with the parts to highlight, and `step` is the step of questions from which on it
    is shown.
    """

    field: Text
    title: Text | None = None
    fold: bool = False
    gap: Text | None = None
    mark: Texts = ()
    step: Count = 1


AnyShownColumn = Annotated[
    Annotated[Text, Tag("<column>")] | Annotated[ShownColumn, Tag("<part>")],
    Discriminator(lambda value: "<column>" if isinstance(value, str) else "<part>"),
    BeforeValidator(base.refuse_none),
]
ShownColumns = Annotated[tuple[AnyShownColumn, ...], BeforeValidator(wrap_in_list), Field(min_length=1)]


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


class ItemsSection(Section):
    """`items:` the file of items, and which of its columns have a role.

    `path` leads to the list of items inside a JSON file, `options` are columns with the options of each item, `golds`
    has the columns of gold by question name, `accepted` is the column with further right answers, and `lineage` the one
    that `hromada follow-up` writes. `where` and `sample` select the items of the main pool.
    """

    file: PathInFile
    format: FormatName | None = None
    path: Text | None = None
    id: Text
    show: ShownColumns
    options: Columns | None = None
    gold: Text | None = None
    golds: dict[str, Text] = Field(default_factory=dict)
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None
    accepted: Text | None = None
    explanation: Text | None = None
    group: Text | None = None
    revision: Text | None = None
    stratum: Text | None = None
    tags: Columns | None = None
    lineage: Text | None = None
    where: Conditions = Field(default_factory=dict)
    sample: SampleSection | None = None

    @property
    def shown_columns(self) -> tuple[ShownColumn, ...]:
        """The shown columns; a column written as its name alone has the defaults of ShownColumn."""
        return tuple(ShownColumn(field=column) if isinstance(column, str) else column for column in self.show)

    @property
    def required_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that the file must have, by the key of the section under which they are named."""
        keys = ("id", "gold", "accepted", "explanation", "group", "revision", "stratum", "lineage")
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


class VotesSection(Section):
    """`votes:` how files of votes are read.

    `item` are the columns that identify the item, `answers` the columns of the answers by question name, and `show`,
    `options` and `group` the columns of items made from votes. A column that is not named has the usual name of the
    format. `repeats` says which of several votes of an annotator on an item count, `people` is a file with facts about
    the annotators. `earlier` keeps the votes apart from the answers that the project itself asks for. `class_`, written
    `class`, is the one class of marked parts that is read, for all span questions or by question name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, serialize_by_alias=True)

    format: Literal["toloka", "crowd-kit", "csv", "label-studio", "human-response-bot"]
    file: PathInFile | None = None
    item: Columns | None = None
    annotator: Text | None = None
    answer: Text | None = None
    answers: dict[str, Text] = Field(default_factory=dict)
    show: Columns | None = None
    options: Columns | None = None
    group: Text | None = None
    people: Text | None = None
    repeats: RepeatPolicy = RepeatPolicy.FIRST
    earlier: bool = False
    labels: LabelsSection = LabelsSection()
    class_: Text | dict[str, Text] | None = Field(default=None, alias="class")

    def get_class(self, question: str) -> str | None:
        """The one class of the parts that count as answers to a question; None where all do."""
        return self.class_.get(question) if isinstance(self.class_, dict) else self.class_

    @model_validator(mode="after")
    def _complete(self) -> VotesSection:
        if self.answer is not None and self.answers:
            raise ValueError("`answer` is for one question, `answers` for several; keep one of them")
        if self.format == "csv" and (None in (self.item, self.annotator) or not (self.answer or self.answers)):
            raise ValueError("A csv file of votes needs the columns item, annotator and answer")
        return self


class TruthSection(Section):
    """`truth:` the file of gold for items that are made from votes; some items may be without gold.

    `item` are the columns that identify the item, as under `votes`; `path` leads to the list inside a JSON file.
    """

    file: PathInFile
    format: FormatName | None = None
    path: Text | None = None
    item: Columns
    gold: Text
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None
