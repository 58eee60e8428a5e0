"""A rule that an answer or a person broke, in words that are stored beside what follows from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.campaigns.rules import Consequence, ControlRule, QualityRule, SecondsRule, StraightLiningRule, TextRule

Rule = ControlRule | SecondsRule | StraightLiningRule | TextRule

REFUSED = {
    "empty": "text without words",
    "repeated": "text repeated from item to item",
    "copied": "text copied from the item",
    "words": "text with a word of the list",
}


class Scope(StrEnum):
    """What a breach takes out where its consequence is to exclude: one answer, a page of them, or the person's all."""

    ANSWER = "answer"
    PAGE = "page"
    PERSON = "person"


@dataclass(frozen=True, kw_only=True)
class Breach:
    """`words` name the rule and not the person, so that reasons can be counted."""

    words: str
    scope: Scope
    consequence: Consequence


def in_words(rule: Rule, refused: str = "empty") -> str:
    """The rule as a reason; `refused` is what a rule about texts refused."""
    if isinstance(rule, TextRule):
        return REFUSED[refused]
    if isinstance(rule, SecondsRule):
        return f"under {rule.least:g} s for {'a page' if rule.per == 'page' else 'an item'}"
    if isinstance(rule, StraightLiningRule):
        return f"the same place {rule.run} times in a row"
    counted = "control and training items" if rule.training_counts else "control items"
    last = "" if rule.window is None else f", of the last {rule.window}"
    return f"{counted} right {rule.accuracy}{last}, with at least {rule.min_controls}"


def rules_digest(rules: Sequence[QualityRule], word_lists: Mapping[str, Sequence[str]] | None) -> str:
    """sha256 of the rules with their words: what is frozen at the start, and says later whether they were changed."""
    told = [rule.model_dump(mode="json") for rule in rules]
    return hashlib.sha256(json.dumps([told, word_lists or {}], sort_keys=True).encode()).hexdigest()
