"""What an annotator does next, and what becomes of the answer.

First form: projects come one after another in the order of loading; next is the item with the fewest answers that this
person has not met and that still needs some, among equals the one in the fewest hands. There are no leases yet, so
people who hold the last items at the same moment can take one past its overlap. Projects that ask for more than this
form does (`offering`) are not offered.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select
from sqlmodel.sql.expression import SelectOfScalar

from annotation.campaigns import project as project_files
from annotation.campaigns.questions import Choice, answers
from annotation.errors import Stale
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.vocabulary import ABSTAINED, AssignmentStatus, Pool, Surface


@dataclass(frozen=True, kw_only=True)
class Offer:
    """An item in an annotator's hands, in the project's language.

    `options` stand in the order shown; `number` is the person's ordinal in the project, `left` counts this item in.
    """

    assignment_id: int
    revision: int
    project: str
    language: str
    instructions: str
    stimulus: str
    question: str
    options: tuple[str, ...]
    number: int
    left: int


@dataclass(frozen=True, kw_only=True)
class Saved:
    """An answer that is stored; `repeated` says that this very tap had come before and nothing was stored now."""

    assignment_id: int
    number: int
    stimulus: str
    question: str
    answer: str
    repeated: bool


def next_item(session: Session, *, annotator_id: int, now: datetime) -> Offer | None:
    """The live item of this person, else a new one; None when nothing is left for her."""
    live = session.exec(
        select(Assignment).where(
            Assignment.annotator_id == annotator_id,
            Assignment.status == AssignmentStatus.LIVE,
            Assignment.surface == Surface.TELEGRAM,
        )
    ).first()
    if live is not None:
        return _offer(session, live)
    chosen = session.exec(
        _open_to(annotator_id).order_by(col(Item.project_id), col(Item.n_done), col(Item.n_live), col(Item.rank))
    ).first()
    return None if chosen is None else _offer(session, _assign(session, chosen, annotator_id=annotator_id, now=now))


def submit(
    session: Session, *, annotator_id: int, assignment_id: int, revision: int, option: int, now: datetime
) -> Saved:
    """Store an answer: `option` is its index in the order shown. The same tap twice stores once.

    Raises Stale where the assignment is unknown or another person's, where it was answered otherwise already, and where
    there is no such option.
    """
    assignment = session.get(Assignment, assignment_id)
    if assignment is None or assignment.annotator_id != annotator_id or assignment.surface != Surface.TELEGRAM:
        raise Stale("This item is not yours.")
    item, choice = _asked(session, assignment)
    order = assignment.option_order or []
    if not 0 <= option < len(order) or revision != 0:
        raise Stale("There is no such option.")
    texts, labels = choice.options_of(item.options), choice.labels_of(item.options)
    saved = Saved(
        assignment_id=assignment_id,
        number=assignment.position or 0,
        stimulus=item.stimulus,
        question=choice.text,
        answer=texts[order[option]],
        repeated=assignment.status == AssignmentStatus.DONE,
    )
    if not saved.repeated:
        label = labels[order[option]]
        _store(session, assignment, item, label=label, text=saved.answer, abstained=label == choice.abstain, now=now)
        return saved
    given = session.exec(select(Judgement.response).where(Judgement.assignment_id == assignment_id)).first()
    if given != labels[order[option]]:
        raise Stale("This item is answered already.")
    return saved


def _open_to(annotator_id: int) -> SelectOfScalar[Item]:
    """Items of projects that are served here, not full yet, and not met by this person."""
    met = select(Assignment.id).where(Assignment.item_id == Item.id, Assignment.annotator_id == annotator_id)
    return (
        select(Item)
        .join(Project)
        .where(
            col(Project.served),
            Item.pool == Pool.MAIN,
            col(Project.overlap).is_not(None),
            col(Item.n_done) < col(Project.overlap),
            ~met.exists(),
        )
    )


def _assign(session: Session, item: Item, *, annotator_id: int, now: datetime) -> Assignment:
    project, choice = _project_of(session, item)
    earlier = select(func.count()).select_from(Assignment).join(Item)
    position = session.exec(earlier.where(Assignment.annotator_id == annotator_id, Item.project_id == project.id)).one()
    made = Assignment(
        item_id=_known(item.id),
        item_revision=item.revision,
        annotator_id=annotator_id,
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.LIVE,
        stage=item.stage,
        position=position + 1,
        option_order=_order(session, item, annotator_id=annotator_id, choice=choice),
        instructions_sha256=project.instructions_sha256,
        stimulus_sha256=item.stimulus_sha256,
        assigned_at=now,
    )
    session.add(made)
    item.n_live += 1
    session.add(item)
    session.flush()
    return made


def _order(session: Session, item: Item, *, annotator_id: int, choice: Choice) -> list[int]:
    project, _ = _project_of(session, item)
    pseudonym = session.get_one(Annotator, annotator_id).pseudonym
    return answers.order(
        len(choice.options_of(item.options)),
        shuffle=choice.shuffle,
        seed=project_files.definition_of(project.definition).seed,
        key=(project.name, choice.name, item.external_id, pseudonym),
        last=choice.abstain is not None,
    )


def _store(
    session: Session, assignment: Assignment, item: Item, *, label: str, text: str, abstained: bool, now: datetime
) -> None:
    shown_at = assignment.assigned_at or now
    session.add(
        Judgement(
            assignment_id=_known(assignment.id),
            response=label,
            response_raw=text,
            seconds=(now - shown_at).total_seconds(),
            answered_at=now,
            excluded_reason=ABSTAINED if abstained else None,
        )
    )
    assignment.status = AssignmentStatus.DONE
    item.n_done += 1
    session.add_all([assignment, item])
    session.flush()


def _offer(session: Session, assignment: Assignment) -> Offer:
    item, choice = _asked(session, assignment)
    project, _ = _project_of(session, item)
    texts = choice.options_of(item.options)
    others = _open_to(assignment.annotator_id).where(col(Item.project_id) == project.id).subquery()
    return Offer(
        assignment_id=_known(assignment.id),
        revision=0,
        project=project.title,
        language=project.language,
        instructions=project.instructions,
        stimulus=item.stimulus,
        question=choice.text,
        options=tuple(texts[index] for index in assignment.option_order or []),
        number=assignment.position or 0,
        left=1 + session.exec(select(func.count()).select_from(others)).one(),
    )


def _asked(session: Session, assignment: Assignment) -> tuple[Item, Choice]:
    item = session.get_one(Item, assignment.item_id)
    return item, _project_of(session, item)[1]


def _project_of(session: Session, item: Item) -> tuple[Project, Choice]:
    project = session.get_one(Project, item.project_id)
    definition = project_files.definition_of(project.definition)
    choice = project_files.choice(definition, most_options=len(item.options or ()))
    if choice is None:
        raise Stale("This project is not offered here.")
    return project, choice


def _known(identity: int | None) -> int:
    """The id of a row that was flushed."""
    if identity is None:
        raise LookupError("a row without an id was not flushed")
    return identity
