"""An item in an annotator's hands: what is asked of her, and nothing that would tell her the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from annotation.campaigns.questions import Choice, Choices, Question, Scale, answers
from annotation.store import item_queue
from annotation.store.models import Assignment, Item
from annotation.vocabulary import Stage
from annotation.workflow.assignments import annotator_context
from annotation.workflow.assignments.annotator_context import Seat


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question and its options in the order shown, with the labels under which they are stored."""

    question: Question
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The question's name."""
        return self.question.name

    @property
    def text(self) -> str:
        """The question's words."""
        return self.question.text


@dataclass(frozen=True, kw_only=True)
class Page:
    """Where an item stands: the person's page, from 1, and at which place of it, where it is the newest of the page.

    Of how many it will be nobody knows before it is over: the last page ends where nothing is left for her.
    """

    number: int
    place: int | None = None


@dataclass(frozen=True, kw_only=True)
class Offer:
    """An item in an annotator's hands, in the project's language.

    `number` is the person's ordinal in the project. `left` is how many of its items still wait for somebody, this one
    among them, the same number for all; None in stages of one's own, and where there are more than are counted.
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
    questions: tuple[Asked, ...]
    number: int
    left: int | None
    page: Page | None


def offer(session: Session, seat: Seat, assignment: Assignment, item: Item, *, open_items: int | None = None) -> Offer:
    """What the person is shown of an assignment; `open_items` were counted when its place was taken, if they were."""
    return Offer(
        assignment_id=annotator_context.known(assignment.id),
        revision=assignment.open_revision or 0,
        project=seat.project.title,
        project_id=seat.project_id,
        language=seat.project.language,
        instructions=seat.project.instructions,
        stage=assignment.stage,
        item=item.external_id,
        stimulus=item.stimulus,
        pieces=tuple(item.pieces or ()),
        questions=shown(seat, assignment, item),
        number=assignment.position or 0,
        left=_left(session, item, open_items=open_items),
        page=_page(seat, assignment),
    )


def shown(seat: Seat, assignment: Assignment, item: Item) -> tuple[Asked, ...]:
    """What is asked, with the options in the order in which this person sees them."""
    asked = questions(seat, item)
    orders = assignment.option_orders or {}
    if not orders and assignment.option_order is not None:
        orders = {asked[0].name: assignment.option_order}
    return tuple(_asked(one, item, orders.get(one.name)) for one in asked)


def _asked(question: Question, item: Item, order: list[int] | None) -> Asked:
    options = texts(question, item)
    labels = question.labels_of(item.options) if isinstance(question, Choice) else options
    order = list(range(len(options))) if order is None else order
    ordered = [tuple(one[index] for index in order) for one in (options, labels)]
    return Asked(question=question, options=ordered[0], labels=ordered[1])


def _page(seat: Seat, assignment: Assignment) -> Page | None:
    standing = seat.participation
    if assignment.page is None:
        return None
    newest = assignment.page == standing.page and assignment.position == standing.shown
    return Page(number=assignment.page, place=standing.on_page if newest else None)


def questions(seat: Seat, item: Item) -> tuple[Question, ...]:
    """What is asked of the item, with its own options' positions written out."""
    most = len(item.options or ())
    return tuple(one.counted(most) if isinstance(one, Choice) else one for one in seat.definition.asked)


def texts(question: Question, item: Item) -> tuple[str, ...]:
    """The options that people read, in their stored order."""
    if isinstance(question, Choice | Choices):
        return question.options_of(item.options)
    return question.options if isinstance(question, Scale) else ()


def orders(seat: Seat, item: Item, *, occasion: int) -> dict[str, list[int]]:
    """The seeded order of each question's options for this person; another one each time she meets the item."""
    found = {}
    for one in questions(seat, item):
        options = texts(one, item)
        key = (seat.project.name, one.name, item.external_id, seat.person.pseudonym)
        if options:
            found[one.name] = answers.order(
                len(options),
                shuffle=isinstance(one, Choice | Choices) and one.shuffle,
                seed=seat.definition.seed,
                key=key if occasion == 0 else (*key, str(occasion)),
                last=isinstance(one, Choice) and one.abstain is not None,
            )
    return found


def asked(session: Session, *, annotator_id: int, assignment_id: int, now: datetime) -> tuple[Asked, ...]:
    """What is asked of an item in a person's hands, as she sees it; an answer may follow in the same transaction.

    Raises Stale where the item is not hers.
    """
    seat, assignment, item = annotator_context.held(
        session, annotator_id=annotator_id, assignment_id=assignment_id, now=now
    )
    annotator_context.hold(session, seat, assignment, item)
    return shown(seat, assignment, item)


def _left(session: Session, item: Item, *, open_items: int | None) -> int | None:
    if not item.pool.placed:
        return None
    if open_items is None:
        others = item_queue.others_open(session, project_id=item.project_id, pool=item.pool, item_id=item.id or 0)
        open_items = others + 1
    return open_items if open_items <= item_queue.MOST_COUNTED else None
