"""The quality rules of a project applied to one answer: fetches the facts that the pure functions of `rules` need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlmodel import Session

from annotation.campaigns.project_file import ItemsSection, ProjectFile
from annotation.campaigns.questions import EditQuestion, Question, TextQuestion
from annotation.campaigns.sections.quality import (
    ControlRule,
    QualityRule,
    SecondsRule,
    StraightLiningRule,
    TextRule,
)
from annotation.store import judgements
from annotation.store.judgements import FinalAnswer
from annotation.store.models import Assignment, Item, Participation, Project
from annotation.vocabulary import ParticipationStatus
from annotation.workflow.quality import gold_answers, rules
from annotation.workflow.quality.rules import RuleBreach

N_EARLIER_ANSWERS = 20
"""With how many earlier answers of the annotator a text is compared."""


def find_breaches(
    session: Session, *, project: Project, definition: ProjectFile, assignment: Assignment
) -> tuple[RuleBreach, ...]:
    """The rules that the final answer of an assignment breaks, in the order of the project file.

    Each fact is read from the database once, and bounded: by the page, the longest run, the annotator's control items.
    """
    facts = _AnswerFacts(session, project=project, definition=definition, assignment=assignment)
    breaches = (facts.check(rule) for rule in definition.quality)
    return tuple(breach for breach in breaches if breach is not None)


def have_rules_changed(project: Project, definition: ProjectFile) -> bool:
    """Whether the rules differ from those frozen at the start; then what they exclude is marked post hoc."""
    if project.frozen is None:
        return False
    return bool(project.frozen["rules"]["quality"] != rules.hash_rules(definition.quality, project.word_lists))


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

    def __init__(self, session: Session, *, project: Project, definition: ProjectFile, assignment: Assignment) -> None:
        self.session, self.project, self.definition, self.assignment = session, project, definition, assignment
        self.first = definition.all_questions[0].name
        self._read_neighbours: list[FinalAnswer] | None = None

    def check(self, rule: QualityRule) -> RuleBreach | None:
        """The breach of one rule, if any."""
        if isinstance(rule, ControlRule):
            return self._check_control(rule)
        if isinstance(rule, SecondsRule):
            return self._check_seconds(rule)
        if isinstance(rule, StraightLiningRule):
            return self._check_straight_lining(rule)
        return self._check_texts(rule)

    def _check_control(self, rule: ControlRule) -> RuleBreach | None:
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
        return rules.find_control_breach(rule, mark_control_answers(self.definition, counted))

    def _is_before_readmission(self, answer: FinalAnswer) -> bool:
        """Whether an answer of the current stage is older than the annotator's readmission; it was judged then.

        An annotator who enters a stage has answered nothing there yet, so an answer older than the participation's
        `since` can only be from before a readmission.
        """
        participation = self.session.get(Participation, (self.assignment.annotator_id, self.assignment.project_id))
        if participation is None or participation.status is not ParticipationStatus.ACTIVE:
            return False
        same_stage = participation.stage is self.assignment.stage
        return same_stage and answer.answered_at is not None and answer.answered_at < participation.since

    def _check_seconds(self, rule: SecondsRule) -> RuleBreach | None:
        if rule.per == "item":
            return rules.find_seconds_breach(rule, [self._answer.seconds])
        page, pages = self.assignment.page, self.definition.pages
        if page is None or pages is None:
            return None
        seconds_spent = [answer.seconds for answer in self._neighbours if answer.page == page]
        return rules.find_seconds_breach(rule, seconds_spent, n_items=pages.items)

    def _check_straight_lining(self, rule: StraightLiningRule) -> RuleBreach | None:
        neighbours = [answer for answer in self._neighbours if not self._is_before_readmission(answer)]
        index = neighbours.index(self._answer)
        for question in self.definition.all_questions:
            positions = [self._find_position(question, answer) for answer in neighbours]
            breach = rules.find_straight_lining_breach(rule, positions, index=index)
            if breach is not None:
                return breach
        return None

    def _find_position(self, question: Question, answer: FinalAnswer) -> int | None:
        order = (answer.option_orders or {}).get(question.name)
        if order is None and question.name == self.first:
            order = answer.option_order
        label = answer.answers(self.first).get(question.name)
        return rules.find_shown_position(question, label, item_options=answer.options, option_order=order)

    def _check_texts(self, rule: TextRule) -> RuleBreach | None:
        item = self.session.get_one(Item, self.assignment.item_id)
        names = [question.name for question in select_text_questions(self.definition)]
        earlier = self._neighbours[: self._neighbours.index(self._answer)][-N_EARLIER_ANSWERS:]
        word_lists = self.project.word_lists or {}
        return rules.find_text_breach(
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
            runs = [rule.run for rule in self.definition.quality if isinstance(rule, StraightLiningRule)]
            page = self.definition.pages.items if self.definition.pages else 1
            far = N_EARLIER_ANSWERS if any(isinstance(rule, TextRule) for rule in self.definition.quality) else 0
            number = max(far, *(length - 1 for length in [page, *runs]))
            self._read_neighbours = judgements.list_neighbouring_answers(self.session, self.assignment, number=number)
        return self._read_neighbours

    @property
    def _answer(self) -> FinalAnswer:
        return next(answer for answer in self._neighbours if answer.assignment_id == self.assignment.id)


def _list_shown_texts(item: Item, definition: ProjectFile) -> Iterator[str]:
    """The texts of the columns that are shown or corrected, never those of the gold columns."""
    fields = set(item.data)
    if isinstance(definition.items, ItemsSection):
        fields = {part.field for part in definition.items.shown_columns}
        fields |= {question.field for question in definition.all_questions if isinstance(question, EditQuestion)}
    return (str(item.data[field]) for field in sorted(fields & set(item.data)))


def select_text_questions(definition: ProjectFile) -> tuple[Question, ...]:
    """The text questions that rules about texts check: the required ones, or all where none is required."""
    text_questions = [
        question for question in definition.all_questions if isinstance(question, TextQuestion | EditQuestion)
    ]
    return tuple([question for question in text_questions if question.required] or text_questions)
