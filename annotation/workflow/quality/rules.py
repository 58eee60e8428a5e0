"""The quality rules: control accuracy, straight-lining, minimum time and the content of texts.

Pure functions: facts in, breaches out. The facts are only what one annotator did, never what others answered. What
follows from a breach is decided in `annotation/workflow/quality/enforcement.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from aggregation.scoring import NORMALISATIONS, split_words
from annotation.campaigns.questions import ChoiceQuestion, Question, ScaleQuestion
from annotation.campaigns.sections.quality import (
    Consequence,
    ControlRule,
    QualityRule,
    SecondsRule,
    StraightLiningRule,
    TextRule,
)

normalise_text = NORMALISATIONS["ukrainian"]
"""Apostrophes, case, blanks and stress marks do not count: as texts are compared everywhere else."""

Rule = ControlRule | SecondsRule | StraightLiningRule | TextRule

REFUSED_TEXTS = {
    "empty": "text without words",
    "repeated": "text repeated from item to item",
    "copied": "text copied from the item",
    "words": "text with a word of the list",
}


class ExclusionScope(StrEnum):
    """Which answers a breach excludes: one answer, the answers of a page, or all answers of the annotator."""

    ANSWER = "answer"
    PAGE = "page"
    ANNOTATOR = "annotator"


@dataclass(frozen=True, kw_only=True)
class RuleBreach:
    """A broken rule. `words` describe the rule and never the annotator, so that reasons can be counted."""

    words: str
    scope: ExclusionScope
    consequence: Consequence


def describe_rule(rule: Rule, refused: str = "empty") -> str:
    """The rule in the words that are stored as a reason; for a rule about texts, `refused` names what was refused."""
    if isinstance(rule, TextRule):
        return REFUSED_TEXTS[refused]
    if isinstance(rule, SecondsRule):
        return f"under {rule.least:g} s for {'a page' if rule.per == 'page' else 'an item'}"
    if isinstance(rule, StraightLiningRule):
        return f"the same place {rule.run} times in a row"
    counted = "control and training items" if rule.training_counts else "control items"
    last = "" if rule.window is None else f", of the last {rule.window}"
    return f"{counted} right {rule.accuracy}{last}, with at least {rule.min_controls}"


def hash_rules(rules: Sequence[QualityRule], word_lists: Mapping[str, Sequence[str]] | None) -> str:
    """sha256 of the rules and their word lists: frozen at the start, and compared later to see whether they changed."""
    dumped = [rule.model_dump(mode="json") for rule in rules]
    return hashlib.sha256(json.dumps([dumped, word_lists or {}], sort_keys=True).encode()).hexdigest()


def check_control_accuracy(rule: ControlRule, results: Sequence[bool]) -> RuleBreach | None:
    """The breach of an annotator whose control items were right or wrong as in `results`, oldest first.

    The rule's `min_controls` is how many results there must be at all, `window` how many of the last are counted.
    """
    counted = results if rule.window is None else results[-rule.window :]
    if len(results) < rule.min_controls or not rule.accuracy.is_met(sum(counted), len(counted)):
        return None
    return RuleBreach(words=describe_rule(rule), scope=ExclusionScope.ANNOTATOR, consequence=rule.consequence)


def find_shown_position(
    question: Question, answer: str | None, *, own: Sequence[str] | None, order: Sequence[int] | None
) -> int | None:
    """The index of the answer among the options as they were shown; None where the answer is none of the options.

    `own` are the item's own options, `order` the options' indices in the order shown (None for the stored order).
    """
    if answer is None:
        return None
    if isinstance(question, ChoiceQuestion):
        labels = question.get_labels(own)
    elif isinstance(question, ScaleQuestion):
        labels = question.options
    else:
        return None
    if answer not in labels:
        return None
    index = labels.index(answer)
    if order is None:
        return index
    return order.index(index) if index in order else None


def check_straight_lining(rule: StraightLiningRule, positions: Sequence[int | None], *, at: int) -> RuleBreach | None:
    """The breach where the answer at index `at` lies in a run of at least `rule.run` equal positions.

    `positions` are those of consecutive answers among the options shown; None ends a run.
    """
    if positions[at] is None:
        return None
    first = last = at
    while first > 0 and positions[first - 1] == positions[at]:
        first -= 1
    while last + 1 < len(positions) and positions[last + 1] == positions[at]:
        last += 1
    if last - first + 1 < rule.run:
        return None
    return RuleBreach(words=describe_rule(rule), scope=ExclusionScope.ANNOTATOR, consequence=rule.consequence)


def check_seconds(rule: SecondsRule, spent: Sequence[float | None], *, items: int = 1) -> RuleBreach | None:
    """The breach where the seconds `spent` on `items` items together are too few.

    There is none where a time is unknown or a page is not full. The time of an item goes from when it was shown to the
    last correction.
    """
    known = [seconds for seconds in spent if seconds is not None]
    if len(known) < len(spent) or len(known) != items or sum(known) >= rule.least:
        return None
    scope = ExclusionScope.PAGE if rule.per == "page" else ExclusionScope.ANSWER
    return RuleBreach(words=describe_rule(rule), scope=scope, consequence=rule.consequence)


def check_texts(
    rule: TextRule,
    given: Mapping[str, str],
    *,
    earlier: Sequence[Mapping[str, str]] = (),
    shown: Collection[str] = (),
    refused: Collection[str] = (),
) -> RuleBreach | None:
    """The breach where one of the texts `given` (by question) breaks the rule.

    `earlier` are the annotator's texts on other items, `shown` the texts of the item, `refused` the words of the list.
    """
    for refusal in rule.refuses:
        for name, answer in given.items():
            others = [texts[name] for texts in earlier if name in texts]
            if _is_refused(refusal, answer, others=others, shown=shown, refused=refused):
                words = describe_rule(rule, refusal)
                return RuleBreach(words=words, scope=ExclusionScope.ANSWER, consequence=rule.consequence)
    return None


def _is_refused(
    refusal: str, answer: str, *, others: Collection[str], shown: Collection[str], refused: Collection[str]
) -> bool:
    if refusal == "empty":
        return not split_words(answer)
    if refusal == "words":
        return any(_contains_words(answer, words) for words in refused)
    return _is_among(answer, others if refusal == "repeated" else shown)


def _is_among(answer: str, others: Collection[str]) -> bool:
    plain = normalise_text(answer)
    return plain != "" and any(plain == normalise_text(other) for other in others)


def _contains_words(answer: str, words: str) -> bool:
    """Whether the words stand in the answer, whole and one after another."""
    wanted, given = split_words(normalise_text(words)), split_words(normalise_text(answer))
    return bool(wanted) and any(
        given[start : start + len(wanted)] == wanted for start in range(len(given) - len(wanted) + 1)
    )
