"""Assignment of a selected item to an annotator, and what the annotator is shown of it, without gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from annotation.campaigns.questions import Question, option_orders, question_base
from annotation.campaigns.sections.stages import PassMark
from annotation.store import journal, models
from annotation.store.models import AssignmentRow, ItemRow
from annotation.vocabulary import POOLS_WITH_OVERLAP, AssignmentStatus, Pool, Stage, Surface
from annotation.workflow.assignments import (
    annotator_context,
    assignment_policy,
    countdown,
    journey,
    leases,
    second_pass,
)
from annotation.workflow.assignments.annotator_context import AnnotatorContext, AnnotatorTransaction, OpenedAssignment
from annotation.workflow.assignments.assignment_policy import Journey, PagePosition, SelectedItem
from annotation.workflow.assignments.countdown import Countdown
from annotation.workflow.assignments.second_pass import SecondPass


@dataclass(frozen=True, kw_only=True)
class ShownQuestion:
    """A question as an annotator is shown it.

    `options` are the texts of its options in the order shown, and `labels` are the labels under which the same options
    are stored, in the same order. Both are empty for questions without options. `field_text` is the text in which a
    `span` is marked or which an `edit` corrects; empty for other questions.
    """

    question: Question
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    field_text: str = ""

    @property
    def name(self) -> str:
        """The question's name."""
        return self.question.name

    @property
    def text(self) -> str:
        """The question as it is asked."""
        return self.question.text


@dataclass(frozen=True, kw_only=True)
class ShownPage:
    """The page of an item as the annotator is shown it.

    `number` is the page's number from 1. `position` is the item's position on the page from 1; it is shown for the
    annotator's newest item only and None for earlier ones. How many items the page will have is not known before the
    page is over: the last page ends where no item is left.
    """

    number: int
    position: int | None = None


@dataclass(frozen=True, kw_only=True)
class AssignedItem:
    """An item that is assigned to an annotator, in the project's language.

    `revision` is the revision that the next answer will have, 0 for a first answer. `project` is the project's title,
    `item` the item's external id, `stimulus` the text to judge and `pieces` its parts with their kinds. `number` counts
    the annotator's items in the stage from 1, in training and qualification those of the attempt, in a programme all of
    it: there `journey` says how far that is, and `stage_number` is the number in the attempt. `countdown` is None where
    none is shown. `pass_mark` is that of the stage; `attempt` of `attempts` is the attempt at training or
    qualification, 1 of 1 elsewhere. `is_new` says that the annotator never had the item before. In the second pass the
    pieces and questions of later steps are shown, and `second_pass` tells the gold.
    """

    assignment_id: int
    revision: int
    project: str
    project_id: int
    language: str
    instructions: str
    stage: Stage
    item: str
    stimulus: str
    pieces: tuple[Mapping[str, Any], ...]
    questions: tuple[ShownQuestion, ...]
    number: int
    countdown: Countdown | None
    pass_mark: PassMark | None
    page: ShownPage | None
    journey: Journey | None = None
    stage_number: int = 0
    attempt: int = 1
    attempts: int = 1
    is_new: bool = field(default=False, compare=False)
    second_pass: SecondPass | None = None

    @property
    def images(self) -> tuple[str, ...]:
        """The names of the pictures that are shown, in their order."""
        return tuple([str(piece["image"]) for piece in self.pieces if piece.get("image")])

    @property
    def is_clearer_on_page(self) -> bool:
        """Whether the answer page shows it better than the chat: it has a picture, or Markdown."""
        return any(piece.get("image") or piece.get("markdown") for piece in self.pieces)


def build_assigned_item(opened: OpenedAssignment, *, is_new: bool = False) -> AssignedItem:
    """Build what the annotator is shown of an assignment."""
    context, assignment, item = opened.context, opened.assignment, opened.item
    stages, is_main = context.definition.stages, assignment.stage is Stage.MAIN
    section = None if is_main else stages.by_name.get(assignment.stage.value)
    way = find_journey(opened)
    number = stage_number = get_number(opened) if way is None or assignment.stage in _PREPARING else way.number
    if way is not None:
        number = way.number
    second = None
    if opened.is_second_pass:
        questions = list_questions(context, item)
        second = second_pass.build_second_pass(opened, questions, orders=_list_orders(context, assignment))
    return AssignedItem(
        assignment_id=opened.assignment_id,
        revision=assignment.open_revision or 0,
        project=context.project.title,
        project_id=context.project_id,
        language=context.project.language,
        instructions=context.project.instructions,
        stage=assignment.stage,
        item=item.external_id,
        stimulus=item.stimulus,
        pieces=list_shown_pieces(opened),
        questions=get_shown_questions(opened),
        number=number,
        countdown=_count_down(opened, way, number=stage_number) if _has_countdown(opened) else None,
        pass_mark=None if section is None else section.pass_mark,
        page=_build_shown_page(context, assignment),
        journey=way,
        stage_number=stage_number,
        attempt=assignment.attempt or 1,
        attempts=1 if section is None else section.attempts or 1,
        is_new=is_new,
        second_pass=second,
    )


_PREPARING = {Stage.TRAINING, Stage.QUALIFICATION}


def find_journey(opened: OpenedAssignment) -> Journey | None:
    """The journey through the programme up to this item, in the second pass to the first; None where there is none."""
    if opened.context.terms.programme is None or opened.assignment.surface is not Surface.TELEGRAM:
        return None
    if opened.is_second_pass:
        opened = replace(opened, assignment=second_pass.get_first_assignment(opened.session, opened.assignment))
    return journey.find_journey(opened)


def _count_down(opened: OpenedAssignment, way: Journey | None, *, number: int) -> Countdown | None:
    """The countdown of the stage; in a programme that of all its data sets, but for training and qualification."""
    if way is None or opened.assignment.stage in _PREPARING:
        return countdown.count_down(opened, number=number)
    return None if way.total is None else Countdown(total=way.total, answered=way.answered, wanted=way.wanted)


def list_shown_pieces(opened: OpenedAssignment) -> tuple[Mapping[str, Any], ...]:
    """The pieces of the item, without those of a later step until the second pass."""
    return tuple(piece for piece in opened.item.pieces or () if opened.is_second_pass or piece["step"] == 1)


def get_number(opened: OpenedAssignment) -> int:
    """The number of the item in its stage and attempt, from 1; in the second pass that of the first."""
    if opened.is_second_pass:
        opened = replace(opened, assignment=second_pass.get_first_assignment(opened.session, opened.assignment))
    stages = opened.context.definition.stages
    if stages.pilot is None and stages.training is None and stages.qualification is None:
        return opened.assignment.position or 0
    return countdown.get_stage_number(opened)


def _has_countdown(opened: OpenedAssignment) -> bool:
    """Whether the annotator is shown what is left: always in training and qualification, elsewhere by the project."""
    is_wanted = opened.context.definition.has_countdown and not opened.is_second_pass
    return is_wanted or opened.assignment.stage in _PREPARING


def get_shown_questions(opened: OpenedAssignment) -> tuple[ShownQuestion, ...]:
    """The questions of an opened item in this pass, with the options in the order in which this annotator sees them."""
    assignment, item = opened.assignment, opened.item
    questions = list_questions(opened.context, item)
    orders = _list_orders(opened.context, assignment)
    if opened.is_second_pass:
        asked = second_pass.select_questions(opened, questions)
    else:
        asked = tuple(question for question in questions if question.step == 1)
    return tuple(_build_shown_question(question, item, orders.get(question.name)) for question in asked)


def _build_shown_question(question: Question, item: ItemRow, order: list[int] | None) -> ShownQuestion:
    options, labels = question.get_options(item.options), question.get_labels(item.options)
    order = list(range(len(options))) if order is None else order
    return ShownQuestion(
        question=question,
        options=tuple(options[index] for index in order),
        labels=tuple(labels[index] for index in order),
        field_text=str(item.data.get(question.text_column or "", "")),
    )


def _build_shown_page(context: AnnotatorContext, assignment: AssignmentRow) -> ShownPage | None:
    participation = context.participation
    if assignment.page is None:
        return None
    is_newest = assignment.page == participation.page and assignment.position == participation.shown
    return ShownPage(number=assignment.page, position=participation.on_page if is_newest else None)


def list_questions(context: AnnotatorContext, item: ItemRow) -> tuple[Question, ...]:
    """The questions of an item; a choice among the item's own options gets one position for each option."""
    n_options = len(item.options or ())
    return tuple(question.with_positions(n_options) for question in context.definition.all_questions)


def build_option_orders(
    context: AnnotatorContext, item: ItemRow, *, occasion: int, before: AssignmentRow | None = None
) -> dict[str, list[int]]:
    """The order in which this annotator sees the options of each question, as indices by the question's name.

    Where a question shuffles its options, the order is seeded, and differs on each occasion of the same item: that of
    compared texts is the order of the assignment `before` the other way round, and the same for all questions that
    compare them. Questions without options are left out.
    """
    orders: dict[str, list[int]] = {}
    sides: list[int] | None = None
    earlier = {} if before is None else _list_orders(context, before)
    for question in list_questions(context, item):
        count, last, seed = len(question.get_options(item.options)), question.last_options, context.definition.seed
        own = (context.project.name, question.name)
        key = (*own, item.external_id, context.annotator.pseudonym, *([str(occasion)] if occasion else []))
        if not count:
            continue
        if not (question.balances_order and question.is_shuffled):
            order = question_base.order_options(count, shuffle=question.is_shuffled, seed=seed, key=key, last=last)
        elif sides is not None:
            order = [*sides, *range(count - last, count)]
        elif question.name in earlier:
            order = option_orders.reverse_options(earlier[question.name], last=last)
        else:
            turn, key = context.participation.shown, (*own, context.annotator.pseudonym)
            order = option_orders.balance_options(count, turn=turn, seed=seed, key=key, last=last)
        if question.balances_order:
            sides = order[: count - last]
        orders[question.name] = order
    return orders


def _list_orders(context: AnnotatorContext, assignment: AssignmentRow) -> dict[str, list[int]]:
    """The orders of options that an assignment has, by the name of the question."""
    if assignment.option_orders or assignment.option_order is None:
        return assignment.option_orders or {}
    return {context.definition.all_questions[0].name: assignment.option_order}


def assign_item(
    transaction: AnnotatorTransaction,
    context: AnnotatorContext,
    selected: SelectedItem,
    *,
    now: datetime,
    batch_until: datetime | None = None,
) -> OpenedAssignment:
    """Create the assignment of a selected item, or make the annotator's expired assignment of it live again.

    An expired assignment keeps its old position. With `batch_until` the assignment belongs to a Label Studio batch and
    its lease ends then; without it the item is shown in Telegram.
    """
    session = transaction.session
    item = selected.item or models.ITEMS.get_one(session, selected.item_id)
    assignment = None
    if selected.item is None:
        assignment = annotator_context.find_assignment(
            session, item_id=selected.item_id, annotator_id=context.annotator_id, occasion=selected.occasion
        )
    is_exposed = assignment is not None and assignment.exposed
    in_telegram = batch_until is None
    shown = {
        "surface": Surface.TELEGRAM if in_telegram else Surface.LABEL_STUDIO,
        "exposed": is_exposed or annotator_context.is_exposed_by_exception(session, context, item),
        "status": AssignmentStatus.LIVE,
        "holds_place": item.pool in POOLS_WITH_OVERLAP and not selected.is_repeat,
        "item_revision": item.revision,
        "instructions_sha256": context.project.instructions_sha256,
        "stimulus_sha256": item.stimulus_sha256,
        "shown_at": now,
        "clock_changed": False,
        "lease_until": compute_lease_end(context, now=now) if in_telegram else batch_until,
    }
    activity = assignment_policy.count_activity(context.participation, now=now) if in_telegram else {}
    if assignment is None:
        new = _build_assignment(session, context, item, selected, now=now)
        activity |= _advance_position(context, selected.page_position)
        transaction.update_participation(context.participation, **activity)
        assignment = models.ASSIGNMENTS.insert(session, **new, **shown)
    else:
        activity |= {} if context.participation.journey is None else {"journey": None}  # others may have come since
        transaction.update_participation(context.participation, **activity)
        surface = Surface.TELEGRAM if in_telegram else Surface.LABEL_STUDIO
        journal.record_assigned_again(session, assignment, surface=surface, now=now)
        models.ASSIGNMENTS.update(session, assignment, **shown)
    annotator_context.record_exposure(session, context, item, now=now)
    return OpenedAssignment(transaction=transaction, context=context, assignment=assignment, item=item)


def compute_lease_end(context: AnnotatorContext, *, now: datetime) -> datetime:
    """When the lease of an assignment in Telegram ends that begins now, as the project says."""
    return now + timedelta(seconds=context.definition.lease or leases.LEASE_SECONDS)


def renew_lease(opened: OpenedAssignment, *, now: datetime) -> None:
    """Let the lease of a live assignment begin now, as its annotator is at work on it; another one stays as it is."""
    if opened.assignment.status is AssignmentStatus.LIVE:
        until = compute_lease_end(opened.context, now=now)
        models.ASSIGNMENTS.update(opened.session, opened.assignment, lease_until=until)


def _build_assignment(
    session: Session, context: AnnotatorContext, item: ItemRow, selected: SelectedItem, *, now: datetime
) -> dict[str, Any]:
    """The columns of a new assignment that stay as they are when it is shown again."""
    before = None
    if selected.occasion and any(question.balances_order for question in context.definition.all_questions):
        who = {"item_id": selected.item_id, "annotator_id": context.annotator_id}
        before = annotator_context.find_assignment(session, **who, occasion=selected.occasion - 1)
    orders = build_option_orders(context, item, occasion=selected.occasion, before=before)
    return {
        "project_id": context.project_id,
        "item_id": selected.item_id,
        "annotator_id": context.annotator_id,
        "occasion": selected.occasion,
        "stage": item.stage,
        "is_control": item.pool is Pool.CONTROL,
        "is_repeat": selected.is_repeat,
        "attempt": selected.attempt,
        "position": context.participation.shown + 1,
        "page": None if selected.page_position is None else selected.page_position.page,
        "option_order": orders.get(context.definition.all_questions[0].name),
        "option_orders": orders if len(context.definition.all_questions) > 1 else None,
        "assigned_at": now,
    }


def _advance_position(context: AnnotatorContext, page_position: PagePosition | None) -> dict[str, Any]:
    """The changes of the participation that count a new assignment."""
    shown = {"shown": context.participation.shown + 1}
    return shown if page_position is None else shown | {"page": page_position.page, "on_page": page_position.position}
