"""The quality rules as pure functions: control accuracy, straight-lining, minimum time and the content of texts.

Each rule has a function that takes facts about one annotator's answers and returns the breach of the rule, None where
it is kept. Answers of other annotators are never among the facts. The consequences of a breach are applied in
`annotation/workflow/quality/enforcement.py`.
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
from annotation.vocabulary import Exclusion, ExclusionKind

normalise_text = NORMALISATIONS["ukrainian"]
"""Removes differences of apostrophes, case, blanks and stress marks, so that texts that differ only there are equal."""

TEXT_REFUSAL_REASONS = {
    "empty": "text without words",
    "repeated": "text repeated from item to item",
    "copied": "text copied from the item",
    "words": "text with a word of the list",
}
"""The stored reason of a breach of a rule about texts, by what the rule refuses (`refuses` in the project file)."""


class ExclusionScope(StrEnum):
    """Which answers a breach excludes: one answer, the answers of a page, or all answers of the annotator."""

    ANSWER = "answer"
    PAGE = "page"
    ANNOTATOR = "annotator"


@dataclass(frozen=True, kw_only=True)
class RuleBreach:
    """The breach of a quality rule by an answer, a page or an annotator.

    `reason` is stored as the exclusion reason; it describes the rule and never the annotator, so that equal reasons can
    be counted. `scope` says which answers an exclusion takes out, `consequence` what the rule asks for.
    """

    reason: str
    scope: ExclusionScope
    consequence: Consequence

    @property
    def exclusion(self) -> Exclusion:
        """The exclusion of answers that the breach takes out."""
        return Exclusion(ExclusionKind.RULE, self.reason)


def describe_rule(rule: QualityRule, refusal: str = "empty") -> str:
    """The rule in the words that are stored as a reason; for a rule about texts, `refusal` names what it refused."""
    if isinstance(rule, TextRule):
        return TEXT_REFUSAL_REASONS[refusal]
    if isinstance(rule, SecondsRule):
        return f"under {rule.least:g} s for {'a page' if rule.per == 'page' else 'an item'}"
    if isinstance(rule, StraightLiningRule):
        return f"the same place {rule.run} times in a row"
    counted = "control and training items" if rule.training_counts else "control items"
    last = "" if rule.window is None else f", of the last {rule.window}"
    return f"{counted} right {rule.accuracy}{last}, with at least {rule.min_controls}"


def build_exclusion(rule: QualityRule) -> Exclusion:
    """The exclusion of answers by a rule that is about more than one text."""
    return Exclusion(ExclusionKind.RULE, describe_rule(rule))


def hash_rules(rules: Sequence[QualityRule], word_lists: Mapping[str, Sequence[str]] | None) -> str:
    """The sha256 of the rules and their word lists; stored at the start and compared later to detect changed rules."""
    dumped = [rule.model_dump(mode="json") for rule in rules]
    return hashlib.sha256(json.dumps([dumped, word_lists or {}], sort_keys=True).encode()).hexdigest()


def find_control_breach(rule: ControlRule, results: Sequence[bool]) -> RuleBreach | None:
    """The breach of the rule on control accuracy; None where it is kept.

    `results` says of each control item, oldest first, whether the annotator answered it right. The rule holds from
    `rule.min_controls` results on and looks at the last `rule.window` of them, or at all where it has no window.
    """
    counted = results if rule.window is None else results[-rule.window :]
    if len(results) < rule.min_controls or not rule.accuracy.is_met(sum(counted), len(counted)):
        return None
    return RuleBreach(reason=describe_rule(rule), scope=ExclusionScope.ANNOTATOR, consequence=rule.consequence)


def find_shown_position(
    question: Question, answer: str | None, *, item_options: Sequence[str] | None, option_order: Sequence[int] | None
) -> int | None:
    """The position of the answer among the options as they were shown, from 0; None where it is not an option.

    `item_options` are the item's own options, None where it has none. `option_order` are the stored positions of the
    options in the order in which they were shown, None where they were shown in the stored order.
    """
    if answer is None:
        return None
    if isinstance(question, ChoiceQuestion):
        labels = question.get_labels(item_options)
    elif isinstance(question, ScaleQuestion):
        labels = question.options
    else:
        return None
    if answer not in labels:
        return None
    stored_position = labels.index(answer)
    if option_order is None:
        return stored_position
    return option_order.index(stored_position) if stored_position in option_order else None


def find_straight_lining_breach(
    rule: StraightLiningRule, positions: Sequence[int | None], *, index: int
) -> RuleBreach | None:
    """The breach where the answer at `index` lies in a run of at least `rule.run` equal positions; else None.

    `positions` are the positions of consecutive answers among the options as they were shown; None ends a run.
    """
    if positions[index] is None:
        return None
    start = end = index
    while start > 0 and positions[start - 1] == positions[index]:
        start -= 1
    while end + 1 < len(positions) and positions[end + 1] == positions[index]:
        end += 1
    if end - start + 1 < rule.run:
        return None
    return RuleBreach(reason=describe_rule(rule), scope=ExclusionScope.ANNOTATOR, consequence=rule.consequence)


def find_seconds_breach(
    rule: SecondsRule, seconds_spent: Sequence[float | None], *, n_items: int = 1
) -> RuleBreach | None:
    """The breach where an item, or the `n_items` items of a page together, took fewer than `rule.least` seconds.

    `seconds_spent` are the times of the items, each from when the item was shown to its last correction. Returns None
    where a time is unknown or the page is not full.
    """
    known_seconds = [seconds for seconds in seconds_spent if seconds is not None]
    if len(known_seconds) < len(seconds_spent) or len(known_seconds) != n_items or sum(known_seconds) >= rule.least:
        return None
    scope = ExclusionScope.PAGE if rule.per == "page" else ExclusionScope.ANSWER
    return RuleBreach(reason=describe_rule(rule), scope=scope, consequence=rule.consequence)


def find_text_breach(
    rule: TextRule,
    texts: Mapping[str, str],
    *,
    earlier_texts: Sequence[Mapping[str, str]] = (),
    shown_texts: Collection[str] = (),
    refused_words: Collection[str] = (),
) -> RuleBreach | None:
    """The breach where one of the texts breaks the rule; None where no text does.

    `texts` are the texts of one answer by question name. `earlier_texts` are the annotator's texts on other items, also
    by question name, `shown_texts` the texts that the item shows, `refused_words` the words or phrases of the list.
    """
    for refusal in rule.refuses:
        for name, text in texts.items():
            other_texts = [item_texts[name] for item_texts in earlier_texts if name in item_texts]
            if _is_refused(
                refusal, text, other_texts=other_texts, shown_texts=shown_texts, refused_words=refused_words
            ):
                reason = describe_rule(rule, refusal)
                return RuleBreach(reason=reason, scope=ExclusionScope.ANSWER, consequence=rule.consequence)
    return None


def _is_refused(
    refusal: str,
    text: str,
    *,
    other_texts: Collection[str],
    shown_texts: Collection[str],
    refused_words: Collection[str],
) -> bool:
    if refusal == "empty":
        return not split_words(text)
    if refusal == "words":
        return any(_contains_phrase(text, phrase) for phrase in refused_words)
    return _equals_any(text, other_texts if refusal == "repeated" else shown_texts)


def _equals_any(text: str, other_texts: Collection[str]) -> bool:
    normalised_text = normalise_text(text)
    return normalised_text != "" and any(normalised_text == normalise_text(other_text) for other_text in other_texts)


def _contains_phrase(text: str, phrase: str) -> bool:
    """Whether all words of the phrase occur in the text, whole and one directly after another."""
    phrase_words, text_words = split_words(normalise_text(phrase)), split_words(normalise_text(text))
    return bool(phrase_words) and any(
        text_words[start : start + len(phrase_words)] == phrase_words
        for start in range(len(text_words) - len(phrase_words) + 1)
    )
