"""The sections of the project file about quality: quality rules, caps, problem reports, item filtering."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from annotation.campaigns.sections.base import (
    Comparison,
    Count,
    Name,
    Seconds,
    Section,
    Share,
    Text,
    Texts,
    Values,
    multiply_share,
)

Consequence = Literal["flag", "pause", "exclude"]
_THRESHOLD = re.compile(r"(<=?)\s*(.+)")


class Threshold(Section):
    """`< 50 %` or `<= 50 %`: an accuracy for which the rule applies; the sign decides about the limit itself."""

    sign: Comparison
    share: Share

    def is_met(self, right: int, of: int) -> bool:
        """Whether `right` of `of` answers fall under the threshold."""
        limit = multiply_share(self.share, of)
        return right < limit if self.sign == "<" else right <= limit

    def __str__(self) -> str:
        return f"{self.sign} {100 * self.share:g}%"


def _parse_threshold(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = _THRESHOLD.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{value!r} says not whether the limit itself counts; write it like < 50 % or <= 50 %")
    return {"sign": match[1], "share": match[2]}


class ControlRule(Section):
    """Too few right answers to control items, among the last `window` if given; applies from `min_controls` on."""

    rule: Literal["control"]
    accuracy: Annotated[Threshold, BeforeValidator(_parse_threshold)]
    min_controls: Count = 10
    window: Count | None = None
    training_counts: bool = False
    consequence: Consequence


class SecondsRule(Section):
    """Too fast: fewer than `least` seconds for an item or a page."""

    rule: Literal["seconds"]
    least: Seconds
    per: Literal["item", "page"] = "item"
    consequence: Consequence


class StraightLiningRule(Section):
    """The same position among the options, `run` times in a row."""

    rule: Literal["straight_lining"]
    run: Annotated[int, Field(ge=2)]
    consequence: Consequence


class TextRule(Section):
    """Texts without words, repeated from item to item, copied from the item, or containing a listed word."""

    rule: Literal["text"]
    refuses: Annotated[tuple[Literal["empty", "repeated", "copied", "words"], ...], Field(min_length=1)]
    words: Text | None = None
    consequence: Consequence


RULES = ("control", "seconds", "straight_lining", "text")


def _get_rule_tag(value: object) -> str:
    rule = value.get("rule") if isinstance(value, dict) else getattr(value, "rule", None)
    return f"<{rule if isinstance(rule, str) and rule in RULES else 'control'}>"


QualityRule = Annotated[
    Annotated[ControlRule, Tag("<control>")]
    | Annotated[SecondsRule, Tag("<seconds>")]
    | Annotated[StraightLiningRule, Tag("<straight_lining>")]
    | Annotated[TextRule, Tag("<text>")],
    Discriminator(_get_rule_tag),
]


class CapsSection(Section):
    """`caps:` limits for one annotator: items in all, items a day, and the length of a work session (`sitting`)."""

    items: Count | None = None
    items_per_day: Count | None = None
    sitting: Seconds | None = None


class ReportsSection(Section):
    """`reports:` an item reported by `threshold` annotators is paused until an organiser has reviewed it."""

    threshold: Count = 2
    reasons: tuple[Text, ...] = ()


class FilteringSection(Section):
    """`filtering:` an item is removed for a problem that more than `share` of its annotators name.

    Each option of the questions in `problems` (or any text, for a text question) is a problem of its own; `keep` names,
    for other questions, the answers that are no problem. With `failure` a wrong answer to the first question, given
    before the right one was shown, is a problem too.
    """

    problems: Texts = ()
    keep: dict[Name, Values] | None = None
    share: Share = 0.5
    failure: bool = False
