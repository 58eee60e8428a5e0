"""The sections of the project file about sources: the files of items, gold and votes, and their columns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from annotation.campaigns.sections.base import Columns, Count, Section, Share, Text, Texts, as_list
from annotation.vocabulary import GoldOrigin, RepeatPolicy

Form = Literal["lmes", "ua-cbt", "label-studio"]
"""Item formats that the file ending does not tell; see `annotation.loading.items.formats`."""

Conditions = dict[str, Annotated[tuple[str, ...], BeforeValidator(as_list)]]
"""Column → the values of which a row must have one."""


class ShownColumn(Section):
    """A column shown to annotators: its title, folding, gap, highlighted parts, and the step that shows it."""

    field: Text
    title: Text | None = None
    fold: bool = False
    gap: Text | None = None
    mark: Texts = ()
    step: Count = 1


def _get_column_tag(value: object) -> str:
    return "<column>" if isinstance(value, str) else "<part>"


def _refuse_none(value: object) -> object:
    if value is None:
        raise ValueError("It is empty")
    return value


AnyShownColumn = Annotated[
    Annotated[Text, Tag("<column>")] | Annotated[ShownColumn, Tag("<part>")],
    Discriminator(_get_column_tag),
    BeforeValidator(_refuse_none),
]
ShownColumns = Annotated[tuple[AnyShownColumn, ...], BeforeValidator(as_list), Field(min_length=1)]


class SampleSection(Section):
    """A sample of rows: random, or stratified `by` a column; `groups` draws whole groups."""

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
    """The items of a stage: from a `file` of their own, or selected from the items of the campaign."""

    file: Text | None = None
    where: Conditions = Field(default_factory=dict)
    sample: SampleSection | None = None

    @model_validator(mode="after")
    def _consistent(self) -> PoolSection:
        if self.file is None and not self.where and self.sample is None:
            raise ValueError("Which items? Name a `file`, or say `where` or `sample`")
        return self


class ItemsSection(Section):
    """`items:` the file of items, and its columns."""

    file: Text
    format: Form | None = None
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
        """The shown columns, a bare name as a ShownColumn with defaults."""
        return tuple(ShownColumn(field=column) if isinstance(column, str) else column for column in self.show)

    @property
    def required_columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that the file must have, by the key that names them."""
        single = ("id", "gold", "accepted", "explanation", "group", "revision", "stratum", "lineage")
        named = {key: (value,) for key in single if (value := getattr(self, key)) is not None}
        several = {"options": self.options or (), "tags": self.tags or (), "golds": tuple(self.golds.values())}
        shown = {"show": tuple(column.field for column in self.shown_columns)}
        marks = {"show.mark": tuple(mark for column in self.shown_columns for mark in column.mark)}
        return named | shown | marks | several | {"where": tuple(self.where)} | _get_sample_column(self.sample)


def _get_sample_column(sample: SampleSection | None) -> dict[str, tuple[str, ...]]:
    return {} if sample is None or sample.by is None else {"sample.by": (sample.by,)}


class LabelsSection(Section):
    """How raw labels become labels of the project: strip white space, then map."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False)

    strip: bool = True
    map: dict[str, Text] = Field(default_factory=dict)


class VotesSection(Section):
    """`votes:` how files of votes are read; missing columns have the usual names of the format."""

    format: Literal["toloka", "crowd-kit", "csv", "label-studio", "human-response-bot"]
    file: Text | None = None
    item: Columns | None = None
    annotator: Text | None = None
    answer: Text | None = None
    answers: dict[str, Text] = Field(default_factory=dict)
    show: Columns | None = None
    options: Columns | None = None
    people: Text | None = None
    repeats: RepeatPolicy = RepeatPolicy.FIRST
    labels: LabelsSection = LabelsSection()

    @model_validator(mode="after")
    def _complete(self) -> VotesSection:
        if self.answer is not None and self.answers:
            raise ValueError("`answer` is for one question, `answers` for several; keep one of them")
        if self.format == "csv" and (None in (self.item, self.annotator) or not (self.answer or self.answers)):
            raise ValueError("A csv file of votes needs the columns item, annotator and answer")
        return self


class TruthSection(Section):
    """`truth:` the file of gold for items that are made from votes; it may cover only some of them."""

    file: Text
    format: Form | None = None
    path: Text | None = None
    item: Columns
    gold: Text
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None
