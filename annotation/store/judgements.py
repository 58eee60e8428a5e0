"""Which revision of an answer is final, whether it counts, and why not; and answers as quality rules need them.

All of hromada reads these conditions. An answer counts where it is the final revision, no exclusion is stored with it,
and none of `RULES` applies; SQL and Python come from the same rules.

A partial index can be used where its condition stands in the query as it stands in the index, so it is written out.
The queries are built once and kept: building one takes several times as long as running it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, aliased
from sqlmodel import Session, col, func, select

from aggregation.findings import Finding
from annotation import vocabulary
from annotation.store import models
from annotation.store.models import Annotator, Assignment, AssignmentRow, Item, Judgement, Project

Hours = dict[tuple[str, str], int]


def find_last_answer(session: Session) -> tuple[int, datetime | None]:
    """The number of the answer that was stored last, and when it was given; 0 and None where there is none.

    Answers, changed answers and skips are numbered as they are stored.
    """
    last = select(Judgement.id, Judgement.answered_at).order_by(col(Judgement.id).desc()).limit(1)
    number, answered_at = session.exec(last).first() or (0, None)
    return number or 0, answered_at


def read_answer_hours(session: Session, project: Project) -> Hours:
    """The hour, 0 to 23, of each final answer to a main item, by item_id and pseudonym.

    It is that of the annotator's own time zone. Who did not tell theirs is left out, and so are answers of unknown time
    and repeats, as the first answer counts.
    """
    query = (
        select(Item.external_id, Annotator.pseudonym, Annotator.time_zone, Judgement.answered_at)
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(
            col(Assignment.project_id) == project.id,
            col(Assignment.is_repeat).is_(False),
            col(Item.pool) == vocabulary.Pool.MAIN,
            build_final_revision_condition(),
        )
    )
    zones: dict[str, ZoneInfo] = {}
    hours: Hours = {}
    for item, pseudonym, zone, answered_at in session.exec(query):
        if zone not in (None, vocabulary.UNSAID_TIME_ZONE) and answered_at is not None:
            local = zones.setdefault(zone, ZoneInfo(zone))
            hours[item, pseudonym] = answered_at.replace(tzinfo=answered_at.tzinfo or UTC).astimezone(local).hour
    return hours


IS_CONTROL = sa.text("assignment.is_control")
IS_TRAINING = sa.text("assignment.stage = 'training'")

IS_FIRST_OCCASION = col(Assignment.occasion) == 0

IS_ANSWERED = (
    col(Assignment.status) == vocabulary.AssignmentStatus.DONE,
    col(Judgement.skip_reason).is_(None),
    sa.or_(col(Judgement.response) != "", col(Judgement.answers).is_not(None)),
)
"""The condition that something was answered: not skipped, not withdrawn, not empty."""


class AnswerFacts(NamedTuple):
    """What `RULES` look at: the assignment of an answer, and whether it is empty and no skip (`is_empty`)."""

    stage: vocabulary.Stage
    is_control: bool
    is_repeat: bool
    exposed: bool
    is_empty: bool


class ExclusionRule(NamedTuple):
    """A rule by which an answer without a stored exclusion does not count: its fact `column` has this value."""

    exclusion: vocabulary.Exclusion
    column: str
    value: object


RULES = (
    ExclusionRule(vocabulary.Pool.PILOT.exclusion, "stage", vocabulary.Stage.PILOT),
    ExclusionRule(vocabulary.Pool.TRAINING.exclusion, "stage", vocabulary.Stage.TRAINING),
    ExclusionRule(vocabulary.Pool.QUALIFICATION.exclusion, "stage", vocabulary.Stage.QUALIFICATION),
    ExclusionRule(vocabulary.CONTROL_ITEM, "is_control", True),
    ExclusionRule(vocabulary.Exclusion(vocabulary.ExclusionKind.REPEAT, Finding("repeated-item")), "is_repeat", True),
    ExclusionRule(vocabulary.Exclusion(vocabulary.ExclusionKind.EXPOSED, Finding("exposed")), "exposed", True),
    ExclusionRule(vocabulary.Exclusion(vocabulary.ExclusionKind.NO_ANSWER, Finding("no-response")), "is_empty", True),
)
"""In their order: where several apply, the first is the reason."""

_COLUMNS: Mapping[str, Any] = {
    "stage": col(Assignment.stage),
    "is_control": col(Assignment.is_control),
    "is_repeat": col(Assignment.is_repeat),
    "exposed": col(Assignment.exposed),
    "is_empty": sa.and_(
        col(Judgement.response) == "", col(Judgement.answers).is_(None), col(Judgement.skip_reason).is_(None)
    ),
}
"""The facts as SQL. In a project with several questions an answer is empty where none is answered."""


@lru_cache(maxsize=4096)
def find_exclusion(stored: vocabulary.Exclusion | None, facts: AnswerFacts) -> vocabulary.Exclusion | None:
    """Why an answer with these facts does not count; None where it counts. `stored` is the exclusion stored with it."""
    derived = (rule.exclusion for rule in RULES if getattr(facts, rule.column) == rule.value)
    return stored if stored is not None else next(derived, None)


def build_exclusion_columns() -> tuple[sa.ColumnElement[vocabulary.ExclusionKind | None], sa.ColumnElement[str | None]]:
    """Why a judgement of an assignment does not count, as SQL: the kind and the reason, both NULL where it counts."""
    kind, reason = col(Judgement.excluded_kind), col(Judgement.excluded_reason)
    kind_type, reason_type = kind.type, reason.type  # type: ignore[attr-defined]
    kinds = [(_build_rule_condition(rule), sa.literal(rule.exclusion.kind, kind_type)) for rule in RULES]
    reasons = [(_build_rule_condition(rule), sa.literal(rule.exclusion.reason, reason_type)) for rule in RULES]
    is_stored = kind.is_not(None)
    return sa.case((is_stored, kind), *kinds, else_=None), sa.case((is_stored, reason), *reasons, else_=None)


def build_counting_condition(*, ignoring: Collection[vocabulary.ExclusionKind] = ()) -> sa.ColumnElement[bool]:
    """The condition that a judgement of an assignment counts, or does not only for the kinds in `ignoring`."""
    applying = (_build_rule_condition(rule) for rule in RULES if rule.exclusion.kind not in ignoring)
    return sa.and_(build_stored_kind_condition(None, *ignoring), *(sa.not_(condition) for condition in applying))


def build_stored_kind_condition(*kinds: vocabulary.ExclusionKind | None) -> sa.ColumnElement[bool]:
    """The condition that the exclusion stored with a judgement is of one of these kinds; None: that none is stored."""
    column = col(Judgement.excluded_kind)
    return sa.or_(*(column.is_(None) if kind is None else column == kind for kind in kinds))


def build_exclusion_condition(exclusion: vocabulary.Exclusion) -> sa.ColumnElement[bool]:
    """The condition that exactly this exclusion is stored with a judgement."""
    return build_stored_kind_condition(exclusion.kind) & (col(Judgement.excluded_reason) == exclusion.reason)


def _build_rule_condition(rule: ExclusionRule) -> sa.ColumnElement[bool]:
    column: sa.ColumnElement[bool] = _COLUMNS[rule.column]
    return column if rule.value is True else column == rule.value


@dataclass(frozen=True, kw_only=True)
class FinalAnswer:
    """A final answer with what is known of its item.

    `response` answers the first question and is empty for a skip; `stored_answers` are the answers by question, None
    where the project has one question; `golds` likewise. `seconds` is the time from showing the item to the last
    correction. `is_current` says that the item has not been changed since.
    """

    assignment_id: int
    annotator_id: int
    item_id: int
    is_control: bool
    page: int | None
    response: str
    stored_answers: dict[str, str] | None
    seconds: float | None
    option_order: list[int] | None
    option_orders: dict[str, list[int]] | None
    options: list[str] | None
    gold: str | None
    golds: dict[str, str] | None
    accepted: list[str] | None
    answered_at: datetime | None
    is_current: bool

    def answers(self, first: str) -> dict[str, str]:
        """The answers by question; `first` is the name of the first question."""
        if self.stored_answers is not None:
            return dict(self.stored_answers)
        return {first: self.response} if self.response else {}

    def gold_answers(self, first: str) -> dict[str, str]:
        """The gold by question; `first` is the name of the first question."""
        return dict(self.golds) if self.golds else {first: self.gold} if self.gold is not None else {}


@cache
def build_final_revision_condition() -> sa.ColumnElement[bool]:
    """The condition that a judgement is the highest revision of its assignment: the final answer."""
    return col(Judgement.revision) == build_last_revision(col(Judgement.assignment_id))


def build_last_revision(assignment_id: Mapped[int] | Mapped[int | None]) -> sa.ScalarSelect[int]:
    """The number of the final revision of an answer, for each row of a query; NULL without an answer."""
    other = aliased(Judgement)
    return sa.select(func.max(other.revision)).where(col(other.assignment_id) == assignment_id).scalar_subquery()


def get_final_judgement(session: Session, assignment_id: int | None) -> Judgement | None:
    """The final revision of an answer; None where the assignment has no answer."""
    revisions = select(Judgement).where(Judgement.assignment_id == assignment_id)
    return session.exec(revisions.order_by(col(Judgement.revision).desc()).limit(1)).first()


def list_neighbouring_answers(session: Session, assignment: AssignmentRow, *, number: int) -> list[FinalAnswer]:
    """An annotator's answers around one assignment of the same stage, that one included, in the order of assignment.

    At most `number` on either side.
    """
    in_stage = _select_annotator_answers(
        assignment.annotator_id, assignment.project_id, col(Assignment.stage) == assignment.stage
    )
    before = in_stage.where(col(Assignment.id) <= assignment.id).order_by(col(Assignment.id).desc()).limit(number + 1)
    after = in_stage.where(col(Assignment.id) > assignment.id).order_by(col(Assignment.id)).limit(number)
    return [*reversed(_read_answers(session, before)), *_read_answers(session, after)]


def list_gold_answers(session: Session, *, annotator_id: int, project_id: int, training: bool) -> list[FinalAnswer]:
    """An annotator's answers to control items, and to training items with `training`, in the order of assignment.

    Answers to items that were changed since are left out, and so are those to training items of a later attempt, whose
    gold the annotator had been told.
    """
    answers = _read_answers(
        session, _select_annotator_answers(annotator_id, project_id, IS_CONTROL).where(*IS_ANSWERED)
    )
    if training:
        answers += _read_answers(
            session,
            _select_annotator_answers(annotator_id, project_id, IS_TRAINING).where(*IS_ANSWERED, IS_FIRST_OCCASION),
        )
    return sorted((answer for answer in answers if answer.is_current), key=lambda answer: answer.assignment_id)


def list_control_answers(session: Session, *, project_id: int, annotator_id: int | None = None) -> list[FinalAnswer]:
    """Answers to a project's control items, by annotator, without repeats; of one annotator where one is given."""
    query = _select_answers().where(
        col(Assignment.project_id) == project_id, IS_CONTROL, ~col(Assignment.is_repeat), *IS_ANSWERED
    )
    if annotator_id is not None:
        query = query.where(col(Assignment.annotator_id) == annotator_id)
    return _read_answers(session, query.order_by(col(Assignment.annotator_id), col(Assignment.id)))


def list_imported_control_answers(session: Session, *, project_id: int) -> list[FinalAnswer]:
    """Imported answers to control items, by annotator in the order of the files.

    Those that were not accepted at their origin are left out.
    """
    query = _select_answers().where(
        col(Assignment.project_id) == project_id,
        IS_CONTROL,
        col(Assignment.surface) == vocabulary.Surface.IMPORT,
        build_stored_kind_condition(vocabulary.ExclusionKind.CONTROL),
        *IS_ANSWERED,
    )
    return _read_answers(session, query.order_by(col(Assignment.annotator_id), col(Assignment.id)))


def list_counting_answers(session: Session, *, item_id: int) -> list[FinalAnswer]:
    """The answers of an item that count towards its consensus; of a pilot item, those that the pilot counts."""
    query = _select_answers().where(
        col(Assignment.item_id) == item_id,
        col(Assignment.status) == vocabulary.AssignmentStatus.DONE,
        build_counting_condition(ignoring=(vocabulary.ExclusionKind.PILOT,)),
    )
    return _read_answers(session, query.order_by(col(Assignment.id)))


def build_known_seconds() -> sa.ColumnElement[float | None]:
    """The SQL expression of how long an answer took, null where that is not known: what is below zero measures nothing.

    Rules, means and medians go by it.
    """
    return sa.case((col(Judgement.seconds) >= 0, col(Judgement.seconds)))


def list_stage_assignment_ids(
    session: Session, *, annotator_id: int, project_id: int, stage: vocabulary.Stage
) -> Sequence[int]:
    """The ids of an annotator's assignments in a stage of a project."""
    query = select(Assignment.id).where(
        Assignment.annotator_id == annotator_id, Assignment.project_id == project_id, Assignment.stage == stage
    )
    return [number for number in session.exec(query.order_by(col(Assignment.id))) if number is not None]


def list_assignments(session: Session, ids: Collection[int]) -> list[AssignmentRow]:
    """Assignments by their ids, in the order of ids, as they are in the database now."""
    query = models.ASSIGNMENTS.select.where(col(Assignment.id).in_(ids)).order_by(col(Assignment.id))
    return models.ASSIGNMENTS.list(session, query)


def _select_annotator_answers(
    annotator_id: int, project_id: int, condition: sa.ColumnElement[bool] | sa.TextClause
) -> sa.Select[tuple[object, ...]]:
    return _select_answers().where(
        col(Assignment.annotator_id) == annotator_id, col(Assignment.project_id) == project_id, condition
    )


@cache
def _select_answers() -> sa.Select[tuple[object, ...]]:
    revision = aliased(Judgement)
    is_unknown = sa.or_(col(revision.seconds_unknown).is_not(None), col(revision.seconds) < 0)
    known_seconds = sa.case((func.count(sa.case((is_unknown, 1))) == 0, func.max(revision.seconds)))
    seconds = sa.select(known_seconds).where(col(revision.assignment_id) == Assignment.id).scalar_subquery()
    return (
        sa.select(
            col(Assignment.id).label("assignment_id"),
            col(Assignment.annotator_id),
            col(Assignment.item_id),
            col(Assignment.is_control),
            col(Assignment.page),
            col(Judgement.response),
            col(Judgement.answers).label("stored_answers"),
            seconds.label("seconds"),
            col(Assignment.option_order),
            col(Assignment.option_orders),
            col(Item.options),
            col(Item.gold),
            col(Item.golds),
            col(Item.accepted),
            col(Judgement.answered_at),
            (col(Item.revision) == col(Assignment.item_revision)).label("is_current"),
        )
        .select_from(Assignment)
        .join(Item, col(Item.id) == col(Assignment.item_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(build_final_revision_condition())
    )


def _read_answers(session: Session, query: sa.Select[tuple[object, ...]]) -> list[FinalAnswer]:
    return [FinalAnswer(**row) for row in session.execute(query).mappings()]
