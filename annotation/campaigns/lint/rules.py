"""The rules of the lint, worst first, with severity and remedy, and the finding that a broken rule is reported as.

docs/reference/lint.md has the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    remedy="Fill the cell, or leave the row out.",
)
TOO_FEW_OPTIONS = LintRule(
    name="too-few-options",
    severity=Severity.ERROR,
    description="an item to choose on has fewer than two options",
    remedy="Add the others.",
)
TOO_MANY_OPTIONS = LintRule(
    name="too-many-options",
    severity=Severity.ERROR,
    description="options too long for buttons, and more than 100 of them",
    remedy="Shorten the options, or take some out.",
)
EMPTY_OPTION = LintRule(
    name="empty-option",
    severity=Severity.ERROR,
    description="an option without text",
    remedy="Take it out, or write it.",
)
DUPLICATE_OPTION = LintRule(
    name="duplicate-option",
    severity=Severity.ERROR,
    description="an option that stands twice in one item",
    remedy="Change one of them.",
)
GOLD_NOT_AN_OPTION = LintRule(
    name="gold-not-an-option",
    severity=Severity.ERROR,
    description="gold that nobody can choose",
    remedy="Write one of them, or leave the cell empty.",
)
SHOWN_GOLD = LintRule(
    name="shown-gold",
    severity=Severity.ERROR,
    description="a shown field is the gold, is its place, or marks it among the options, item after item",
    remedy="Take the field out of what is shown.",
)
GROUP_IN_POOLS = LintRule(
    name="group-in-pools",
    severity=Severity.ERROR,
    description="a group with items in more than one pool",
    remedy="Move the whole group into one pool.",
)
GOLD_POSITION = LintRule(
    name="gold-position",
    severity=Severity.WARNING,
    description="gold stands at some places of the options more often than chance allows (χ², p < .001)",
    remedy="Shuffle the options of each item with a recorded seed.",
)
REPEATED_QUESTION = LintRule(
    name="repeated-question",
    severity=Severity.WARNING,
    description="an item with the same text, question and options as an earlier one",
    remedy="Keep one of each, or give both the same group.",
)
NO_GROUP = LintRule(
    name="no-group",
    severity=Severity.WARNING,
    description="a long text that several different items share, and no group declared",
    remedy="Name the column of the story, article or word as `group`.",
)
EMPTY_FIELD = LintRule(
    name="empty-field",
    severity=Severity.WARNING,
    description="a shown field that is empty in some items",
    remedy="Fill it, or leave the rows out.",
)
MIXED_SCRIPT = LintRule(
    name="mixed-script",
    severity=Severity.WARNING,
    description="a word with both Latin and Cyrillic letters",
    remedy="Type the word anew on one keyboard.",
)
LONE_LATIN = LintRule(
    name="lone-latin",
    severity=Severity.WARNING,
    description=(
        "a single Latin letter that looks Cyrillic, between Cyrillic words (I and X, the numerals, are let pass)"
    ),
    remedy="Type the letter anew on the Cyrillic keyboard.",
)
LONG_OPTION = LintRule(
    name="long-option",
    severity=Severity.NOTE,
    description="an option longer than a Telegram button, 20 characters",
    remedy="Nothing needs to be done: the options are listed in the message, and the buttons carry letters.",
)
LONG_TEXT = LintRule(
    name="long-text",
    severity=Severity.NOTE,
    description="an item longer than a Telegram message, 4,000 UTF-16 units with room for the header",
    remedy="Nothing needs to be done: it is sent in several messages. A shorter text is easier to judge.",
)
HIDDEN_GOLD = LintRule(
    name="hidden-gold",
    severity=Severity.NOTE,
    description="a field that is not shown is the gold, is its place, or marks it among the options, item after item",
    remedy="Do not show it before the answer, here or in Label Studio, and mind it when you publish the items.",
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
    REPEATED_QUESTION,
    NO_GROUP,
    EMPTY_FIELD,
    MIXED_SCRIPT,
    LONE_LATIN,
    LONG_OPTION,
    LONG_TEXT,
    HIDDEN_GOLD,
)
