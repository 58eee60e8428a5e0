"""Every quality rule of a project, judged for one answer: the facts are fetched here, the rules are pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlmodel import Session

from annotation.campaigns.project import ItemsSection, ProjectFile
from annotation.campaigns.questions import Edit, FreeText, Question
from annotation.campaigns.rules import ControlRule, SecondsRule, StraightLiningRule, TextRule
from annotation.store import judgements
from annotation.store.judgements import Answered
from annotation.store.models import Assignment, Item, Participation, Project
from annotation.vocabulary import ParticipationStatus
from annotation.workflow import quality
from annotation.workflow.quality import Breach

EARLIER = 20
"""A text is compared with so many of the person's answers before it."""


def breaches(
    session: Session, *, project: Project, definition: ProjectFile, assignment: Assignment
) -> tuple[Breach, ...]:
    """What the final answer of an assignment breaks, in the order of the rules.

    Each question is put to the database once, and bounded: by the page, by the longest run, by the person's controls.
    """
    case = _Case(session, project=project, definition=definition, assignment=assignment)
    return tuple(found for rule in definition.quality for found in case.judged(rule))


def rules_changed(project: Project, definition: ProjectFile) -> bool:
    """Whether the rules are other ones than at the start: what they exclude is marked post hoc."""
    if project.frozen is None:
        return False
    return bool(project.frozen["rules"]["quality"] != quality.rules_digest(definition.quality, project.word_lists))


def results(definition: ProjectFile, answered: Sequence[Answered]) -> list[bool]:
    """Whether each of these control items is right, those left out that say nothing."""
    only = definition.controls.questions if definition.controls else ()
    first = definition.asked[0].name
    found = (
        quality.all_right(
            quality.marks(
                definition.asked, one.answers(first), golds=one.golden(first), accepted=one.accepted or (), only=only
            )
        )
        for one in answered
    )
    return [right for right in found if right is not None]


class _Case:
    """An answer, with what was fetched about it so far."""

    def __init__(self, session: Session, *, project: Project, definition: ProjectFile, assignment: Assignment) -> None:
        self.session, self.project, self.definition, self.assignment = session, project, definition, assignment
        self.first = definition.asked[0].name
        self._near: list[Answered] | None = None

    def judged(self, rule: quality.Rule) -> Iterator[Breach]:
        """The breaches of one rule, at most one of each kind."""
        if isinstance(rule, ControlRule):
            found = self._control(rule)
        elif isinstance(rule, SecondsRule):
            found = self._seconds(rule)
        elif isinstance(rule, StraightLiningRule):
            found = self._line(rule)
        else:
            found = self._text(rule)
        if found is not None:
            yield found

    def _control(self, rule: ControlRule) -> Breach | None:
        """A person's controls are judged when she answered one."""
        if not self.assignment.is_control:
            return None
        mine = judgements.known(
            self.session,
            annotator_id=self.assignment.annotator_id,
            project_id=self.assignment.project_id,
            training=rule.training_counts,
        )
        before = [one for one in mine if one.is_control and self._forgiven(one)]
        counted = [one for one in mine if not self._forgiven(one) and (one.is_control or not before)]
        return quality.control(rule, results(self.definition, counted))

    def _forgiven(self, one: Answered) -> bool:
        """Whether an answer in the stage where she is came before she was readmitted: for it she was judged already.

        Whoever came into a stage has answered nothing there before; so answers older than her standing tell of it.
        """
        standing = self.session.get(Participation, (self.assignment.annotator_id, self.assignment.project_id))
        if standing is None or standing.status is not ParticipationStatus.ACTIVE:
            return False
        same = standing.stage is self.assignment.stage
        return same and one.answered_at is not None and one.answered_at < standing.since

    def _seconds(self, rule: SecondsRule) -> Breach | None:
        if rule.per == "item":
            return quality.seconds(rule, [self._mine.seconds])
        page, pages = self.assignment.page, self.definition.pages
        if page is None or pages is None:
            return None
        spent = [one.seconds for one in self._around if one.page == page]
        return quality.seconds(rule, spent, items=pages.items)

    def _line(self, rule: StraightLiningRule) -> Breach | None:
        around = [one for one in self._around if not self._forgiven(one)]
        at = around.index(self._mine)
        for question in self.definition.asked:
            places = [self._place(question, one) for one in around]
            found = quality.straight_lining(rule, places, at=at)
            if found is not None:
                return found
        return None

    def _place(self, question: Question, one: Answered) -> int | None:
        order = (one.option_orders or {}).get(question.name)
        if order is None and question.name == self.first:
            order = one.option_order
        return quality.place(question, one.answers(self.first).get(question.name), own=one.options, order=order)

    def _text(self, rule: TextRule) -> Breach | None:
        item = self.session.get_one(Item, self.assignment.item_id)
        names = [question.name for question in texts(self.definition)]
        before = self._around[: self._around.index(self._mine)][-EARLIER:]
        earlier = [self._texts(one, names) for one in before if one.item_id != item.id]
        lists = self.project.word_lists or {}
        return quality.text(
            rule,
            self._texts(self._mine, names),
            earlier=earlier,
            shown={item.stimulus, *_shown(item, self.definition)},
            refused=lists.get(rule.words or "", ()),
        )

    def _texts(self, one: Answered, names: Sequence[str]) -> dict[str, str]:
        return {name: answer for name, answer in one.answers(self.first).items() if name in names}

    @property
    def _around(self) -> list[Answered]:
        """The person's answers round this one, as many as any rule looks at."""
        if self._near is None:
            runs = [rule.run for rule in self.definition.quality if isinstance(rule, StraightLiningRule)]
            page = self.definition.pages.items if self.definition.pages else 1
            far = EARLIER if any(isinstance(rule, TextRule) for rule in self.definition.quality) else 0
            number = max(far, *(length - 1 for length in [page, *runs]))
            self._near = judgements.neighbours(self.session, self.assignment, number=number)
        return self._near

    @property
    def _mine(self) -> Answered:
        return next(one for one in self._around if one.assignment_id == self.assignment.id)


def _shown(item: Item, definition: ProjectFile) -> Iterator[str]:
    """The columns that people see, and those that they correct; gold, which lies beside them, is none of these."""
    fields = set(item.data)
    if isinstance(definition.items, ItemsSection):
        fields = {part.field for part in definition.items.parts}
        fields |= {question.field for question in definition.asked if isinstance(question, Edit)}
    return (str(item.data[field]) for field in sorted(fields & set(item.data)))


def texts(definition: ProjectFile) -> tuple[Question, ...]:
    """The questions whose texts are judged: those that must be answered, or all where none must."""
    found = [question for question in definition.asked if isinstance(question, FreeText | Edit)]
    return tuple([question for question in found if question.required] or found)
