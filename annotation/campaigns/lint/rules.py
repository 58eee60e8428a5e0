"""The rules of the lint, worst first, with severity and remedy, and the finding that a broken rule is reported as.

docs/reference/lint.md has the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aggregation.findings import Finding


class Severity(StrEnum):
    """For an error the items are not loaded, a warning asks for a decision, a note informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, kw_only=True)
class LintRule:
    """A rule of the lint: `description` is the possible mistake in items, `remedy` what to do about it."""

    name: str
    severity: Severity
    description: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class LintFinding:
    """A rule, and the ids of all items that break it, in the order of the file.

    `message` is a sentence about all these items, `first` a sentence about the first of them, empty where `message`
    says enough. `field` is the name of the shown or hidden field, or of the question, in which the mistake is; None
    where the mistake is in none of them.
    """

    rule: LintRule
    ids: tuple[str, ...]
    message: str
    first: str = ""
    field: str | None = None


NOTHING_SHOWN = LintRule(
    name="nothing-shown",
    severity=Severity.ERROR,
    description="every shown field of the item is empty",
    remedy=Finding("fill-cell"),
)
TOO_FEW_OPTIONS = LintRule(
    name="too-few-options",
    severity=Severity.ERROR,
    description=Finding("too-few-options"),
    remedy=Finding("add-options"),
)
TOO_MANY_OPTIONS = LintRule(
    name="too-many-options",
    severity=Severity.ERROR,
    description="options too long for buttons, and more than 100 of them",
    remedy=Finding("shorten-options"),
)
EMPTY_OPTION = LintRule(
    name="empty-option",
    severity=Severity.ERROR,
    description=Finding("empty-option"),
    remedy=Finding("write-option"),
)
DUPLICATE_OPTION = LintRule(
    name="duplicate-option",
    severity=Severity.ERROR,
    description=Finding("double-option"),
    remedy=Finding("change-option"),
)
EQUAL_TEXTS = LintRule(
    name="equal-texts",
    severity=Severity.WARNING,
    description=Finding("equal-texts"),
    remedy=Finding("leave-equal-out"),
)
TOO_LONG_TO_COMPARE = LintRule(
    name="too-long-to-compare",
    severity=Severity.WARNING,
    description=Finding("too-long-to-compare"),
    remedy=Finding("compare-at-computer"),
)
GOLD_NOT_AN_OPTION = LintRule(
    name="gold-not-an-option",
    severity=Severity.ERROR,
    description=Finding("gold-not-an-option"),
    remedy=Finding("write-gold"),
)
SHOWN_GOLD = LintRule(
    name="shown-gold",
    severity=Severity.ERROR,
    description="a shown field is the gold, is its place, or marks it among the options, item after item",
    remedy=Finding("hide-field"),
)
GROUP_IN_POOLS = LintRule(
    name="group-in-pools",
    severity=Severity.ERROR,
    description="a group with items in more than one pool",
    remedy=Finding("one-pool"),
)
GOLD_POSITION = LintRule(
    name="gold-position",
    severity=Severity.WARNING,
    description="gold is at some places of the options more often than chance allows (χ², p < .001)",
    remedy=Finding("shuffle"),
)
REPEATED_QUESTION = LintRule(
    name="repeated-question",
    severity=Severity.WARNING,
    description="an item with the same text, question and options as an earlier one",
    remedy=Finding("keep-one"),
)
NO_GROUP = LintRule(
    name="no-group",
    severity=Severity.WARNING,
    description="a long text that several different items share, and no group declared",
    remedy=Finding("name-group"),
)
EMPTY_FIELD = LintRule(
    name="empty-field",
    severity=Severity.WARNING,
    description="a shown field that is empty in some items",
    remedy=Finding("fill-field"),
)
MIXED_SCRIPT = LintRule(
    name="mixed-script",
    severity=Severity.WARNING,
    description=Finding("mixed-script"),
    remedy=Finding("retype-word"),
)
LONE_LATIN = LintRule(
    name="lone-latin",
    severity=Severity.WARNING,
    description=Finding("lone-latin"),
    remedy=Finding("retype-letter"),
)
LONG_OPTION = LintRule(
    name="long-option",
    severity=Severity.NOTE,
    description="an option of an item's own longer than a Telegram button, 20 characters",
    remedy=Finding("options-listed"),
)
LONG_TEXT = LintRule(
    name="long-text",
    severity=Severity.NOTE,
    description="an item longer than a Telegram message, 4,000 UTF-16 units with room for the header",
    remedy=Finding("text-split"),
)
HIDDEN_GOLD = LintRule(
    name="hidden-gold",
    severity=Severity.NOTE,
    description="a field that is not shown is the gold, is its place, or marks it among the options, item after item",
    remedy=Finding("keep-hidden"),
)

RULES: tuple[LintRule, ...] = (
    NOTHING_SHOWN,
    TOO_FEW_OPTIONS,
    TOO_MANY_OPTIONS,
    EMPTY_OPTION,
    DUPLICATE_OPTION,
    GOLD_NOT_AN_OPTION,
    SHOWN_GOLD,
    GROUP_IN_POOLS,
    GOLD_POSITION,
    EQUAL_TEXTS,
    TOO_LONG_TO_COMPARE,
    REPEATED_QUESTION,
    NO_GROUP,
    EMPTY_FIELD,
    MIXED_SCRIPT,
    LONE_LATIN,
    LONG_OPTION,
    LONG_TEXT,
    HIDDEN_GOLD,
)
