"""Every rule of the lint, worst first; docs/reference/lint.md holds the same table."""

from __future__ import annotations

from annotation.campaigns.lint.findings import Rule, Severity

NOTHING_SHOWN = Rule(
    name="nothing-shown",
    severity=Severity.ERROR,
    finds="every shown field of the item is empty",
    remedy="Fill the cell, or leave the row out.",
)
TOO_FEW_OPTIONS = Rule(
    name="too-few-options",
    severity=Severity.ERROR,
    finds="an item to choose on has fewer than two options",
    remedy="Add the others.",
)
TOO_MANY_OPTIONS = Rule(
    name="too-many-options",
    severity=Severity.ERROR,
    finds="options too long for buttons, and more than 100 of them",
    remedy="Shorten the options, or take some out.",
)
EMPTY_OPTION = Rule(
    name="empty-option",
    severity=Severity.ERROR,
    finds="an option without text",
    remedy="Take it out, or write it.",
)
DUPLICATE_OPTION = Rule(
    name="duplicate-option",
    severity=Severity.ERROR,
    finds="an option that stands twice in one item",
    remedy="Change one of them.",
)
GOLD_NOT_AN_OPTION = Rule(
    name="gold-not-an-option",
    severity=Severity.ERROR,
    finds="gold that nobody can choose",
    remedy="Write one of them, or leave the cell empty.",
)
SHOWN_GOLD = Rule(
    name="shown-gold",
    severity=Severity.ERROR,
    finds="a shown field is the gold, is its place, or marks it among the options, item after item",
    remedy="Take the field out of what is shown.",
)
GROUP_IN_POOLS = Rule(
    name="group-in-pools",
    severity=Severity.ERROR,
    finds="a group with items in more than one pool",
    remedy="Move the whole group into one pool.",
)
GOLD_POSITION = Rule(
    name="gold-position",
    severity=Severity.WARNING,
    finds="gold stands at some places of the options more often than chance allows (χ², p < .001)",
    remedy="Shuffle the options of each item with a recorded seed.",
)
REPEATED_QUESTION = Rule(
    name="repeated-question",
    severity=Severity.WARNING,
    finds="an item with the same text, question and options as an earlier one",
    remedy="Keep one of each, or give both the same group.",
)
NO_GROUP = Rule(
    name="no-group",
    severity=Severity.WARNING,
    finds="a long text that several different items share, and no group declared",
    remedy="Name the column of the story, article or word as `group`.",
)
EMPTY_FIELD = Rule(
    name="empty-field",
    severity=Severity.WARNING,
    finds="a shown field that is empty in some items",
    remedy="Fill it, or leave the rows out.",
)
MIXED_SCRIPT = Rule(
    name="mixed-script",
    severity=Severity.WARNING,
    finds="a word with both Latin and Cyrillic letters",
    remedy="Type the word anew on one keyboard.",
)
LONE_LATIN = Rule(
    name="lone-latin",
    severity=Severity.WARNING,
    finds="a single Latin letter that looks Cyrillic, between Cyrillic words (I and X, the numerals, are let pass)",
    remedy="Type the letter anew on the Cyrillic keyboard.",
)
LONG_OPTION = Rule(
    name="long-option",
    severity=Severity.NOTE,
    finds="an option longer than a Telegram button, 20 characters",
    remedy="Nothing needs to be done: the options are listed in the message, and the buttons carry letters.",
)
LONG_TEXT = Rule(
    name="long-text",
    severity=Severity.NOTE,
    finds="an item longer than a Telegram message, 4,000 UTF-16 units with room for the header",
    remedy="Nothing needs to be done: it is sent in several messages. A shorter text is easier to judge.",
)
HIDDEN_GOLD = Rule(
    name="hidden-gold",
    severity=Severity.NOTE,
    finds="a field that is not shown is the gold, is its place, or marks it among the options, item after item",
    remedy="Do not show it before the answer, here or in Label Studio, and mind it when you publish the items.",
)

RULES: tuple[Rule, ...] = (
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
