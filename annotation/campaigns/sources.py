"""Where items, gold and votes are read from: files, their columns, and what is taken of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from annotation.campaigns.sections import Columns, Count, Section, Share, Text, Words, as_list
from annotation.vocabulary import GoldOrigin, Repeats

Form = Literal["lmes", "ua-cbt", "label-studio"]
"""Files of items that are not what their ending says; see `annotation.loading.items`."""

Conditions = dict[str, Annotated[tuple[str, ...], BeforeValidator(as_list)]]
"""Column → the values of which a row must have one."""


class Part(Section):
    """One column as it is shown: under a title, folded, with a gap, with parts highlighted, or only at a later step."""

    field: Text
    title: Text | None = None
    fold: bool = False
    gap: Text | None = None
    mark: Words = ()
    step: Count = 1


def _part_form(value: object) -> str:
    return "<column>" if isinstance(value, str) else "<part>"


def _with_empty_refused(value: object) -> object:
    if value is None:
        raise ValueError("It is empty")
    return value


Shown = Annotated[
    Annotated[Text, Tag("<column>")] | Annotated[Part, Tag("<part>")],
    Discriminator(_part_form),
    BeforeValidator(_with_empty_refused),
]
ShownColumns = Annotated[tuple[Shown, ...], BeforeValidator(as_list), Field(min_length=1)]


class SampleSection(Section):
    """A sample of the rows: random, or the same share `by` every value of a column; `groups` draws whole groups."""

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
    """The items of a stage: from a `file` of their own or, without one, out of the campaign's: all, some, a sample."""

    file: Text | None = None
    where: Conditions = Field(default_factory=dict)
    sample: SampleSection | None = None

    @model_validator(mode="after")
    def _consistent(self) -> PoolSection:
        if self.file is None and not self.where and self.sample is None:
            raise ValueError("Which items? Name a `file`, or say `where` or `sample`")
        return self


class ItemsSection(Section):
    """`items:` read from a file of their own."""

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
    def parts(self) -> tuple[Part, ...]:
        """What is shown, every column as a part."""
        return tuple(Part(field=one) if isinstance(one, str) else one for one in self.show)

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The columns that the file must have, by the key that names them."""
        single = ("id", "gold", "accepted", "explanation", "group", "revision", "stratum", "lineage")
        named = {key: (value,) for key in single if (value := getattr(self, key)) is not None}
        several = {"options": self.options or (), "tags": self.tags or (), "golds": tuple(self.golds.values())}
        shown = {"show": tuple(part.field for part in self.parts)}
        marks = {"show.mark": tuple(column for part in self.parts for column in part.mark)}
        return named | shown | marks | several | {"where": tuple(self.where)} | _sampled(self.sample)


def _sampled(sample: SampleSection | None) -> dict[str, tuple[str, ...]]:
    return {} if sample is None or sample.by is None else {"sample.by": (sample.by,)}


class LabelsSection(Section):
    """How raw labels become the project's: strip white space, then map."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False)

    strip: bool = True
    map: dict[str, Text] = Field(default_factory=dict)


class VotesSection(Section):
    """`votes:` how files of votes are read; columns left out take the format's usual names."""

    format: Literal["toloka", "crowd-kit", "csv", "label-studio", "human-response-bot"]
    file: Text | None = None
    item: Columns | None = None
    annotator: Text | None = None
    answer: Text | None = None
    answers: dict[str, Text] = Field(default_factory=dict)
    show: Columns | None = None
    options: Columns | None = None
    people: Text | None = None
    repeats: Repeats = Repeats.FIRST
    labels: LabelsSection = LabelsSection()

    @model_validator(mode="after")
    def _complete(self) -> VotesSection:
        if self.answer is not None and self.answers:
            raise ValueError("`answer` is for one question, `answers` for several; keep one of them")
        if self.format == "csv" and (None in (self.item, self.annotator) or not (self.answer or self.answers)):
            raise ValueError("A csv file of votes needs the columns item, annotator and answer")
        return self


class TruthSection(Section):
    """`truth:` gold for items made of votes, in a file of any form of items; it may cover only some of them."""

    file: Text
    format: Form | None = None
    path: Text | None = None
    item: Columns
    gold: Text
    gold_origin: GoldOrigin = GoldOrigin.DECLARED
    gold_version: Text | None = None
