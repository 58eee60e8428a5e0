"""How a campaign proceeds: stages with their pools, pages, control items, overlap, pass marks."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from annotation.campaigns.sections import LONGEST, Count, Seconds, Section, Share, Words, part, seconds
from annotation.campaigns.sources import PoolSection

_MARK = re.compile(r"(\d+) of (\d+)")


class PassMark(Section):
    """How many right answers admit a person: `21 of 30`, or `60 %` of however many there are; that many are enough."""

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

    def reached(self, right: int, of: int) -> bool:
        """Whether so many right answers of so many given pass."""
        if self.right is not None and self.of is not None:
            return right >= self.right
        return of > 0 and right >= part(self.share or 0.0, of)

    def __str__(self) -> str:
        return f"{self.right} of {self.of}" if self.share is None else f"{self.share:.0%}"


def _mark(value: object) -> object:
    if not isinstance(value, str):
        return value
    found = _MARK.fullmatch(value.strip())
    return {"right": found[1], "of": found[2]} if found else {"share": value}


class StageSection(Section):
    """A stage before the main one; `explain` shows why after each answer, `number` is how many items it needs.

    `attempts` is how often one may try, `cool_down` how long after a failure the next attempt opens.
    """

    pool: PoolSection
    number: Count | None = None
    pass_mark: Annotated[PassMark, BeforeValidator(_mark)] | None = None
    attempts: Count | None = None
    cool_down: Seconds | None = None
    explain: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> StageSection:
        of = self.pass_mark.of if self.pass_mark else None
        if of is not None and self.number is not None and of > self.number:
            raise ValueError(f"The pass mark speaks of {of} items, the stage has {self.number}")
        return self


class StagesSection(Section):
    """`stages:` those before the main one, in this order; the main stage is `items`."""

    pilot: StageSection | None = None
    training: StageSection | None = None
    qualification: StageSection | None = None

    @property
    def named(self) -> dict[str, StageSection]:
        """The stages that there are, by name."""
        found = {"pilot": self.pilot, "training": self.training, "qualification": self.qualification}
        return {name: stage for name, stage in found.items() if stage is not None}


class PagesSection(Section):
    """`pages:` so many consecutive items of one person, control items among them."""

    items: Count


class ControlsSection(Section):
    """`controls:` hidden items with gold: so many a page, or a rate; only on `questions`, if they are named."""

    pool: PoolSection
    number: Count | None = None
    per_page: Count | None = None
    rate: Share | None = None
    questions: Words = ()

    @model_validator(mode="after")
    def _consistent(self) -> ControlsSection:
        if (self.per_page is None) == (self.rate is None):
            raise ValueError("How often do control items come? Give `per_page` or `rate`, one of them")
        return self


class RepeatsSection(Section):
    """`repeats:` a share of a person's items comes again, `after` at least so long; such answers are for agreement of
    people with themselves, and for nothing else."""

    share: Share
    after: Annotated[float, BeforeValidator(seconds), Field(ge=86400, le=LONGEST)] = 86400.0


class DynamicOverlap(Section):
    """From `min` answers on, an item is done when its consensus is this sure, at the latest with `max`."""

    min: Count
    max: Count
    confidence: Share

    @model_validator(mode="after")
    def _consistent(self) -> DynamicOverlap:
        if self.min >= self.max:
            raise ValueError(f"From {self.min} to {self.max} is no range; write `overlap: {self.min}`")
        return self


def _overlap_form(value: object) -> str:
    return "<range>" if isinstance(value, dict | DynamicOverlap) else "<number>"


Overlap = Annotated[
    Annotated[Count, Tag("<number>")] | Annotated[DynamicOverlap, Tag("<range>")], Discriminator(_overlap_form)
]
