"""The quality rules as pure functions: control accuracy, straight-lining, minimum time and the content of texts.

Each rule has a function that takes facts about one annotator's answers and returns the breach of the rule, None where
it is kept. Answers of other annotators are never among the facts. The consequences of a breach are applied in
`annotation/workflow/quality/enforcement.py`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from sqlmodel import Session

from aggregation.findings import Finding, name_figure
from aggregation.scoring import NORMALISATIONS, split_words
from annotation.campaigns.project_file import ItemsSection, ProjectFile
from annotation.campaigns.questions import Question
from annotation.campaigns.sections import quality
from annotation.store import judgements, models
from annotation.store.judgements import FinalAnswer
from annotation.store.models import (
    AssignmentRow,
    Item,
    ParticipationRow,
    ProjectRow,
)
from annotation.vocabulary import Exclusion, ExclusionKind, ParticipationStatus
from annotation.workflow.quality import gold_answers

normalise_text = NORMALISATIONS["ukrainian"]
"""Removes differences of apostrophes, case, blanks and stress marks, so that texts that differ only there are equal."""


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
    consequence: quality.Consequence

    @property
    def exclusion(self) -> Exclusion:
        """The exclusion of answers that the breach takes out."""
        return Exclusion(ExclusionKind.RULE, self.reason)


def describe_rule(rule: quality.QualityRule, refusal: str = "empty") -> Finding:
    """The finding that is stored as a reason; for a rule about texts, `refusal` names what it refused (`refuses`)."""
    if isinstance(rule, quality.TextRule):
        return Finding(f"text-{refusal}")
    if isinstance(rule, quality.SecondsRule):
        return Finding(f"too-fast-{rule.per}", seconds=rule.least)
    if isinstance(rule, quality.StraightLiningRule):
        return Finding("straight-lining", times=rule.run)
    counted = Finding("control-and-training-items" if rule.training_counts else "control-items")
    share, least = name_figure(rule.accuracy), rule.min_controls
    if rule.window is None:
        return Finding("controls", counted=counted, share=share, least=least)
    return Finding("controls-of-last", counted=counted, share=share, window=rule.window, least=least)


def build_exclusion(rule: quality.QualityRule) -> Exclusion:
    """The exclusion of answers by a rule that is about more than one text."""
    return Exclusion(ExclusionKind.RULE, describe_rule(rule))


def hash_rules(rules: Sequence[quality.QualityRule], word_lists: Mapping[str, Sequence[str]] | None) -> str:
    """The sha256 of the rules and their word lists; stored at the start and compared later to detect changed rules."""
    dumped = [rule.model_dump(mode="json") for rule in rules]
    return hashlib.sha256(json.dumps([dumped, word_lists or {}], sort_keys=True).encode()).hexdigest()


def find_control_breach(rule: quality.ControlRule, results: Sequence[bool]) -> RuleBreach | None:
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
    labels = question.get_labels(item_options) if question.takes_one_option else ()
    if answer is None or answer not in labels:
        return None
    stored_position = labels.index(answer)
    if option_order is None:
        return stored_position
    return option_order.index(stored_position) if stored_position in option_order else None


def find_straight_lining_breach(
    rule: quality.StraightLiningRule, positions: Sequence[int | None], *, index: int
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
    rule: quality.SecondsRule, seconds_spent: Sequence[float | None], *, n_items: int = 1
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
    rule: quality.TextRule,
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


N_EARLIER_ANSWERS = 20
"""With how many earlier answers of the annotator a text is compared."""


def find_breaches(
    session: Session, *, project: ProjectRow, definition: ProjectFile, assignment: AssignmentRow
) -> tuple[RuleBreach, ...]:
    """The rules that the final answer of an assignment breaks, in the order of the project file.

    Each fact is read from the database once, and bounded: by the page, the longest run, the annotator's control items.
    """
    facts = _AnswerFacts(session, project=project, definition=definition, assignment=assignment)
    breaches = (facts.check(rule) for rule in definition.quality)
    return tuple(breach for breach in breaches if breach is not None)


def have_rules_changed(project: ProjectRow, definition: ProjectFile) -> bool:
    """Whether the rules differ from those frozen at the start; then what they exclude is marked post hoc."""
    if project.frozen is None:
        return False
    return bool(project.frozen["rules"]["quality"] != hash_rules(definition.quality, project.word_lists))


def mark_control_answers(definition: ProjectFile, answered: Sequence[FinalAnswer]) -> list[bool]:
    """Whether each of these control items was answered right; items without a mark are left out."""
    only = definition.controls.questions if definition.controls else ()
    first = definition.all_questions[0].name
    marks = (
        gold_answers.mark_answers(
            definition.all_questions,
            answer.answers(first),
            golds=answer.gold_answers(first),
            accepted=answer.accepted or (),
            only=only,
        )
        for answer in answered
    )
    return [right for mark in marks if (right := gold_answers.are_all_right(mark)) is not None]


class _AnswerFacts:
    """An answer with the facts that were fetched about it so far."""

    def __init__(
        self, session: Session, *, project: ProjectRow, definition: ProjectFile, assignment: AssignmentRow
    ) -> None:
        self.session, self.project, self.definition, self.assignment = session, project, definition, assignment
        self.first = definition.all_questions[0].name
        self._read_neighbours: list[FinalAnswer] | None = None

    @cached_property
    def participation(self) -> ParticipationRow:
        """The annotator's participation in the project."""
        key = (self.assignment.annotator_id, self.assignment.project_id)
        return models.PARTICIPATIONS.get_one(self.session, *key)

    def check(self, rule: quality.QualityRule) -> RuleBreach | None:
        """The breach of one rule, if any."""
        if isinstance(rule, quality.ControlRule):
            return self._check_control(rule)
        if isinstance(rule, quality.SecondsRule):
            return self._check_seconds(rule)
        if isinstance(rule, quality.StraightLiningRule):
            return self._check_straight_lining(rule)
        return self._check_texts(rule)

    def _check_control(self, rule: quality.ControlRule) -> RuleBreach | None:
        """Control accuracy is checked only after an answer to a control item."""
        if not self.assignment.is_control:
            return None
        answered = judgements.list_gold_answers(
            self.session,
            annotator_id=self.assignment.annotator_id,
            project_id=self.assignment.project_id,
            training=rule.training_counts,
        )
        before = [answer for answer in answered if answer.is_control and self._is_before_readmission(answer)]
        counted = [
            answer
            for answer in answered
            if not self._is_before_readmission(answer) and (answer.is_control or not before)
        ]
        return find_control_breach(rule, mark_control_answers(self.definition, counted))

    def _is_before_readmission(self, answer: FinalAnswer) -> bool:
        """Whether an answer of the current stage is older than the annotator's readmission; it was judged then.

        An annotator who enters a stage has answered nothing there yet, so an answer older than the participation's
        `since` can only be from before a readmission.
        """
        participation = self.participation
        if participation.status is not ParticipationStatus.ACTIVE:
            return False
        same_stage = participation.stage is self.assignment.stage
        return same_stage and answer.answered_at is not None and answer.answered_at < participation.since

    def _check_seconds(self, rule: quality.SecondsRule) -> RuleBreach | None:
        if rule.per == "item":
            return find_seconds_breach(rule, [self._answer.seconds])
        page, pages = self.assignment.page, self.definition.pages
        if page is None or pages is None:
            return None
        seconds_spent = [answer.seconds for answer in self._neighbours if answer.page == page]
        return find_seconds_breach(rule, seconds_spent, n_items=pages.items)

    def _check_straight_lining(self, rule: quality.StraightLiningRule) -> RuleBreach | None:
        neighbours = [answer for answer in self._neighbours if not self._is_before_readmission(answer)]
        index = neighbours.index(self._answer)
        for question in self.definition.all_questions:
            positions = [self._find_position(question, answer) for answer in neighbours]
            breach = find_straight_lining_breach(rule, positions, index=index)
            if breach is not None:
                return breach
        return None

    def _find_position(self, question: Question, answer: FinalAnswer) -> int | None:
        order = (answer.option_orders or {}).get(question.name)
        if order is None and question.name == self.first:
            order = answer.option_order
        label = answer.answers(self.first).get(question.name)
        return find_shown_position(question, label, item_options=answer.options, option_order=order)

    def _check_texts(self, rule: quality.TextRule) -> RuleBreach | None:
        item = self.session.get_one(Item, self.assignment.item_id)
        names = [question.name for question in select_text_questions(self.definition)]
        earlier = self._neighbours[: self._neighbours.index(self._answer)][-N_EARLIER_ANSWERS:]
        word_lists = self.project.word_lists or {}
        return find_text_breach(
            rule,
            self._select_texts(self._answer, names),
            earlier_texts=[self._select_texts(answer, names) for answer in earlier if answer.item_id != item.id],
            shown_texts={item.stimulus, *_list_shown_texts(item, self.definition)},
            refused_words=word_lists.get(rule.words or "", ()),
        )

    def _select_texts(self, answer: FinalAnswer, names: Sequence[str]) -> dict[str, str]:
        return {name: text for name, text in answer.answers(self.first).items() if name in names}

    @property
    def _neighbours(self) -> list[FinalAnswer]:
        """The annotator's answers before and after this one, as many as any rule looks at."""
        if self._read_neighbours is None:
            runs = [rule.run for rule in self.definition.quality if isinstance(rule, quality.StraightLiningRule)]
            page = self.definition.pages.items if self.definition.pages else 1
            far = (
                N_EARLIER_ANSWERS if any(isinstance(rule, quality.TextRule) for rule in self.definition.quality) else 0
            )
            number = max(far, *(length - 1 for length in [page, *runs]))
            self._read_neighbours = judgements.list_neighbouring_answers(self.session, self.assignment, number=number)
        return self._read_neighbours

    @property
    def _answer(self) -> FinalAnswer:
        return next(answer for answer in self._neighbours if answer.assignment_id == self.assignment.id)


def _list_shown_texts(item: Item, definition: ProjectFile) -> Iterator[str]:
    """The texts of the columns that are shown or corrected, never those of the gold columns, nor paths of pictures."""
    fields = set(item.data)
    if isinstance(definition.items, ItemsSection):
        fields = {part.field for part in definition.items.shown_columns if not part.is_picture}
        fields |= {column for question in definition.all_questions for column in question.required_columns()}
    return (str(item.data[field]) for field in sorted(fields & set(item.data)))


def select_text_questions(definition: ProjectFile) -> tuple[Question, ...]:
    """The text questions that rules about texts check: the required ones, or all where none is required."""
    text_questions = [question for question in definition.all_questions if question.is_text]
    return tuple([question for question in text_questions if question.required] or text_questions)
