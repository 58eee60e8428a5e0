"""What keeps answers good: quality rules with their consequence, caps, leases, reports."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from annotation.campaigns.sections import Comparison, Count, Seconds, Section, Share, Text, part

Consequence = Literal["flag", "pause", "exclude"]
_THRESHOLD = re.compile(r"(<=?)\s*(.+)")


class Threshold(Section):
    """`< 50 %` or `<= 50 %`: whoever is there meets the consequence; the sign is part of the rule."""

    sign: Comparison
    share: Share

    def meets(self, right: int, of: int) -> bool:
        """Whether so many right of so many fall under the rule."""
        limit = part(self.share, of)
        return right < limit if self.sign == "<" else right <= limit

    def __str__(self) -> str:
        return f"{self.sign} {100 * self.share:g}%"


def _threshold(value: object) -> object:
    if not isinstance(value, str):
        return value
    found = _THRESHOLD.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"{value!r} says not whether the limit itself counts; write it like < 50 % or <= 50 %")
    return {"sign": found[1], "share": found[2]}


class ControlRule(Section):
    """Too few control items right, of at least `min_controls`, among the last `window` where it is given."""

    rule: Literal["control"]
    accuracy: Annotated[Threshold, BeforeValidator(_threshold)]
    min_controls: Count = 10
    window: Count | None = None
    training_counts: bool = False
    consequence: Consequence


class SecondsRule(Section):
    """Too fast: fewer than `least` seconds for an item, or for a page."""

    rule: Literal["seconds"]
    least: Seconds
    per: Literal["item", "page"] = "item"
    consequence: Consequence


class StraightLiningRule(Section):
    """The same place among the options, `run` times in a row."""

    rule: Literal["straight_lining"]
    run: Annotated[int, Field(ge=2)]
    consequence: Consequence


class TextRule(Section):
    """Texts that are empty of words, repeated from item to item, copied from the item, or hold a word of the list."""

    rule: Literal["text"]
    refuses: Annotated[tuple[Literal["empty", "repeated", "copied", "words"], ...], Field(min_length=1)]
    words: Text | None = None
    consequence: Consequence


RULES = ("control", "seconds", "straight_lining", "text")


def _rule(value: object) -> str:
    rule = value.get("rule") if isinstance(value, dict) else getattr(value, "rule", None)
    return f"<{rule if isinstance(rule, str) and rule in RULES else 'control'}>"


QualityRule = Annotated[
    Annotated[ControlRule, Tag("<control>")]
    | Annotated[SecondsRule, Tag("<seconds>")]
    | Annotated[StraightLiningRule, Tag("<straight_lining>")]
    | Annotated[TextRule, Tag("<text>")],
    Discriminator(_rule),
]


class CapsSection(Section):
    """`caps:` how much one person may do: items in all, items a day, and for how long at a stretch."""

    items: Count | None = None
    items_per_day: Count | None = None
    sitting: Seconds | None = None


class ReportsSection(Section):
    """`reports:` an item that so many people reported is taken out until somebody has looked at it."""

    threshold: Count = 2
    reasons: tuple[Text, ...] = ()
