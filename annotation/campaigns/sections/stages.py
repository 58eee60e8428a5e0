"""The sections of the project file about stages, pass marks, pages, control items, repeated items and overlap."""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from annotation.campaigns.sections.base import (
    MAX_SECONDS,
    Count,
    Seconds,
    Section,
    Share,
    Texts,
    multiply_share,
    parse_duration,
)
from annotation.campaigns.sections.sources import PoolSection

_RIGHT_OF_ALL = re.compile(r"(\d+) of (\d+)")


class PassMark(Section):
    """The number of right answers needed to pass: at least `21 of 30`, or at least `60 %` of all answers.

    `of` is how many answers an attempt needs before it is decided.
    """

    right: Count | None = None
    of: Count | None = None
    share: Share | None = None

    @model_validator(mode="after")
    def _consistent(self) -> PassMark:
        if (self.share is None) == (self.right is None or self.of is None):
            raise ValueError("A pass mark is written like 21 of 30 or 60 %")
        if self.right is not None and self.of is not None and self.right > self.of:
            raise ValueError(f"{self.right} of {self.of} cannot be reached")
        return self

    def is_reached(self, right: int, of: int) -> bool:
        """Whether an annotator with `right` right answers of `of` passes; for `21 of 30` only `right` decides."""
        if self.right is not None and self.of is not None:
            return right >= self.right
        return of > 0 and right >= multiply_share(self.share or 0.0, of)

    def count_needed(self, of: int) -> int:
        """How many right answers of `of` pass."""
        return math.ceil(multiply_share(self.share, of)) if self.share is not None else self.right or 0

    def __str__(self) -> str:
        return f"{self.right} of {self.of}" if self.share is None else f"{self.share:.0%}"


def _parse_pass_mark(value: object) -> object:
    if not isinstance(value, str):
        return value
    if re.fullmatch(r"\d{2,}|[2-9]", value.strip()):
        raise ValueError(f"{value!r} of how many: write `3 of 5` or `60 %`")
    match = _RIGHT_OF_ALL.fullmatch(value.strip())
    return {"right": match[1], "of": match[2]} if match else {"share": value}


class StageSection(Section):
    """A stage before the main one.

    `number` is how many items of the pool an annotator gets (default: all), `attempts` the maximum of attempts (1), and
    `cool_down` the seconds between a failed attempt and the next. With `explain` a training shows the item's
    explanation after each answer, below the gold, which it shows in any case.
    """

    pool: PoolSection
    number: Count | None = None
    pass_mark: Annotated[PassMark, BeforeValidator(_parse_pass_mark)] | None = None
    attempts: Count | None = None
    cool_down: Seconds | None = None
    explain: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> StageSection:
        n_items = self.pass_mark.of if self.pass_mark else None
        if n_items is not None and self.number is not None and n_items > self.number:
            raise ValueError(f"The pass mark speaks of {n_items} items, the stage has {self.number}")
        return self


class StagesSection(Section):
    """`stages:` the stages before the main one, in this order; the items of the main stage are `items`."""

    pilot: StageSection | None = None
    training: StageSection | None = None
    qualification: StageSection | None = None

    @property
    def by_name(self) -> dict[str, StageSection]:
        """The stages that the project has, by name."""
        stages = {"pilot": self.pilot, "training": self.training, "qualification": self.qualification}
        return {name: stage for name, stage in stages.items() if stage is not None}


class PagesSection(Section):
    """`pages:` the number of consecutive items of one annotator that make a page, control items included.

    A chat shows them one by one; control items and the rule on time are counted by page, as on crowd platforms.
    """

    items: Count


class ControlsSection(Section):
    """`controls:` control items, which have known gold and look like other items.

    They come `per_page`, or at a `rate` (a share of an annotator's items). `number` is how many items the pool is
    to have; `hromada check` says where it has fewer. If `questions` are named, only the answers to these are checked.
    """

    pool: PoolSection
    number: Count | None = None
    per_page: Count | None = None
    rate: Share | None = None
    questions: Texts = ()

    @model_validator(mode="after")
    def _consistent(self) -> ControlsSection:
        if (self.per_page is None) == (self.rate is None):
            raise ValueError("Control items need either `per_page` or `rate`; give one of them")
        return self


class RepeatsSection(Section):
    """`repeats:` a share of each annotator's items is assigned again, at least `after` seconds later.

    Repeated answers measure self-agreement and are used for nothing else.
    """

    share: Share
    after: Annotated[float, BeforeValidator(parse_duration), Field(ge=86400, le=MAX_SECONDS)] = 86400.0


class DynamicOverlap(Section):
    """`overlap:` an item is done with `min` answers and a posterior of at least `confidence`, or with `max` answers."""

    min: Count
    max: Count
    confidence: Share

    @model_validator(mode="after")
    def _consistent(self) -> DynamicOverlap:
        if self.min >= self.max:
            raise ValueError(f"From {self.min} to {self.max} is not a range; write `overlap: {self.min}`")
        return self


class SampledOverlap(Section):
    """`overlap:` each item gets `each` answers, and the items of a random `sample` of the groups get `of` answers.

    The sample is a share of the groups of main items (`annotation.loading.overlap_sample`). Pilot items get `of`
    answers, as a pilot is there to measure agreement.
    """

    each: Count = 1
    sample: Share
    of: Count

    @model_validator(mode="before")
    @classmethod
    def _not_dynamic(cls, value: object) -> object:
        dynamic = [key for key in DynamicOverlap.model_fields if isinstance(value, dict) and key in value]
        if dynamic:
            raise ValueError(
                f"`{dynamic[0]}` belongs to a dynamic overlap, which has no sample: write {{each, sample, of}} or"
                " {min, max, confidence}"
            )
        return value

    @model_validator(mode="after")
    def _consistent(self) -> SampledOverlap:
        if self.of <= self.each:
            raise ValueError(
                f"The sample gets {self.of} answers per item and the other items get {self.each}: write `of:"
                f" {self.each + 2}`, or `overlap: {self.each}` without a sample"
            )
        if not 0 < self.sample < 1:
            items, number = ("all items", self.of) if self.sample else ("no item", self.each)
            raise ValueError(
                f"A sample of {self.sample:.0%} has {items}: write `overlap: {number}`, or a share like 10 %"
            )
        return self

    def __str__(self) -> str:
        return f"{self.each}, and {self.of} on a sample of {self.sample * 100:g}%"


def _choose_overlap(value: object) -> str:
    """The tag of an overlap as it is written, or as it was parsed."""
    if isinstance(value, SampledOverlap) or (isinstance(value, dict) and SampledOverlap.model_fields.keys() & value):
        return "<sample>"
    return "<range>" if isinstance(value, dict | DynamicOverlap) else "<number>"


Overlap = Annotated[
    Annotated[Count, Tag("<number>")]
    | Annotated[DynamicOverlap, Tag("<range>")]
    | Annotated[SampledOverlap, Tag("<sample>")],
    Discriminator(_choose_overlap),
]


def find_least_overlap(overlap: int | DynamicOverlap | SampledOverlap | None) -> int | None:
    """The smallest planned number of answers per item; None where no overlap is set."""
    if isinstance(overlap, SampledOverlap):
        return overlap.each
    return overlap.min if isinstance(overlap, DynamicOverlap) else overlap


def find_largest_overlap(overlap: int | DynamicOverlap | SampledOverlap | None) -> int | None:
    """The largest planned number of answers per item; None where no overlap is set."""
    if isinstance(overlap, SampledOverlap):
        return overlap.of
    return overlap.max if isinstance(overlap, DynamicOverlap) else overlap
