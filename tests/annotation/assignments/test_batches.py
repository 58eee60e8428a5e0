"""Batches at a desk: what is handed out, and what becomes of answers, changes, skips and deletions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store import invariants
from annotation.store.models import Assignment, Item, Judgement, Project
from annotation.vocabulary import (
    DELETED_IN_LABEL_STUDIO,
    EXTRA,
    AssignmentStatus,
    ItemStatus,
    ProjectStatus,
    Surface,
    UnassignedReason,
)
from annotation.workflow import assignments
from annotation.workflow.assignments import batches

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES, NO = "так", "ні"


@dataclass
class Office:
    """A room whose people also work at desks."""

    room: Room

    def hand_out(self, who: int, project: int, number: int = 10, *, moved_only: bool = False) -> batches.AssignedBatch:
        """A batch for a person."""
        with self.room.db.transaction() as session:
            return batches.assign_batch(
                session, annotator_id=who, project_id=project, n_items=number, now=self.room.now, moved_only=moved_only
            )

    def answer(self, who: int, assignment: int, label: str = YES, *, at: datetime | None = None) -> bool:
        """An answer from the desk."""
        with self.room.db.transaction() as session:
            return batches.submit_batch_answer(
                session, annotator_id=who, assignment_id=assignment, answers={"answer": label}, seconds=12.5,
                at=at or self.room.now, now=self.room.now,
            )  # fmt: skip

    def skip(self, who: int, assignment: int) -> bool:
        """A skip from the desk."""
        with self.room.db.transaction() as session:
            return batches.skip_batch_item(
                session, annotator_id=who, assignment_id=assignment, reason="skipped in Label Studio", seconds=1.0,
                at=self.room.now, now=self.room.now,
            )  # fmt: skip

    def take_back(self, who: int, assignment: int) -> bool:
        """A deletion at the desk."""
        with self.room.db.transaction() as session:
            return batches.withdraw_batch_answer(session, annotator_id=who, assignment_id=assignment, now=self.room.now)

    def rows(self, batch: batches.AssignedBatch) -> list[tuple[Assignment, Item]]:
        """The batch as it is stored."""
        with self.room.db.transaction() as session:
            chosen = select(Assignment, Item).join(Item, col(Item.id) == col(Assignment.item_id))
            found = session.exec(chosen.where(col(Assignment.id).in_(batch.assignment_ids))).all()
            return sorted(found, key=lambda row: row[0].position or 0)

    def said(self, assignment: int) -> list[tuple[int, str, str | None, str | None]]:
        """Revision, response, reason of a skip and of an exclusion of each answer to an assignment."""
        with self.room.db.transaction() as session:
            chosen = select(Judgement).where(Judgement.assignment_id == assignment).order_by(col(Judgement.revision))
            return [(one.revision, one.response, one.skip_reason, one.excluded_reason) for one in session.exec(chosen)]

    def places(self, name: str) -> tuple[int, int, int, int]:
        """free, held, n_live, n_done of an item."""
        item = self.room.item(name)
        return item.free, item.held, item.n_live, item.n_done

    def well(self) -> None:
        """Nothing is broken."""
        self.room.sound()
        with self.room.db.transaction() as session:
            assert invariants.list_violations(session) == ()


@pytest.fixture
def office(room: Room) -> Office:
    """An empty office."""
    return Office(room)


def test_a_batch_takes_places_and_waits_two_weeks(office: Office) -> None:
    """Each item of a batch takes one place; the annotator's live item in Telegram stays."""
    project, who = office.room.project(items=5), office.room.person()
    live = office.room.assign(who)
    batch = office.hand_out(who, project, 3)
    rows = office.rows(batch)
    assert len(rows) == 3
    assert {row.surface for row, _ in rows} == {Surface.LABEL_STUDIO}
    assert {row.lease_until for row, _ in rows} == {office.room.now + timedelta(days=14)}
    assert live.item not in {item.external_id for _, item in rows}
    assert office.room.assign(who).assignment_id == live.assignment_id
    office.well()


def test_what_is_left_ends_a_batch_and_overlap_is_never_exceeded(office: Office) -> None:
    """Three people with an overlap of two: six places, and the third gets what is left."""
    project = office.room.project(items=3)
    people = [office.room.person(number) for number in (1, 2, 3)]
    batches = [office.hand_out(who, project) for who in people]
    assert [len(one.assignment_ids) for one in batches] == [3, 3, 0]
    assert batches[2].shortfall is not None
    assert batches[2].shortfall.reason is UnassignedReason.NOTHING_LEFT
    office.well()


def test_in_a_baseline_no_group_comes_twice(office: Office) -> None:
    """Two items of one group are not in one batch of a baseline; in an annotation they are."""
    groups = ["a", "a", "b", "b"]
    baseline = office.room.project("base", items=groups, kind="baseline")
    who = office.room.person()
    assert len({item.group_id for _, item in office.rows(office.hand_out(who, baseline))}) == 2
    other = office.room.project("more", items=["c", "c", "d"])
    assert len(office.hand_out(who, other).assignment_ids) == 3
    office.well()


def test_controls_are_hidden_in_batches_too(office: Office) -> None:
    """Pages of a batch hold their control item, at the seeded place."""
    items = office.room.items("c", 2)
    project = office.room.project(
        items=6, pages={"items": 3},
        controls={"pool": {"file": items}, "per_page": 1},
    )  # fmt: skip
    rows = office.rows(office.hand_out(office.room.person(), project, 6))
    assert [sum(row.is_control for row, _ in rows if row.page == page) for page in (1, 2)] == [1, 1]
    office.well()


def test_caps_count_what_waits_at_the_desk(office: Office) -> None:
    """A cap of three items is a batch of three, and no more while they wait."""
    project, who = office.room.project(items=5, caps={"items": 3}), office.room.person()
    assert len(office.hand_out(who, project).assignment_ids) == 3
    again = office.hand_out(who, project)
    assert (again.assignment_ids, again.shortfall and again.shortfall.reason) == ((), UnassignedReason.CAP)


def test_a_qualification_waits_for_the_desk(office: Office) -> None:
    """Its items are handed out once; the main stage begins when they are answered."""
    file = office.room.items("q", 2)
    stages = {"qualification": {"pool": {"file": file}, "number": 2, "pass_mark": "2 of 2"}}
    project, who = office.room.project(items=2, stages=stages), office.room.person()
    batch = office.hand_out(who, project)
    assert sorted(item.external_id for _, item in office.rows(batch)) == ["q-1", "q-2"]
    assert office.hand_out(who, project).assignment_ids == ()
    for one in batch.assignment_ids:
        office.answer(who, one)
    assert len(office.hand_out(who, project).assignment_ids) == 2
    office.well()


def test_an_answer_keeps_its_own_times(office: Office) -> None:
    """Seconds and moment are those of the desk, not those of the pull."""
    project, who = office.room.project(), office.room.person()
    (one,) = office.hand_out(who, project, 1).assignment_ids
    at = office.room.now + timedelta(hours=3)
    office.room.later(days=2)
    assert office.answer(who, one, at=at)
    with office.room.db.transaction() as session:
        stored = session.exec(select(Judgement)).one()
        shown = session.get_one(Assignment, one).shown_at
    assert (stored.seconds, stored.answered_at, shown) == (12.5, at, at - timedelta(seconds=12.5))
    office.well()


def test_the_same_answer_is_stored_once_and_another_is_a_revision(office: Office) -> None:
    """Append-only: the final revision counts, and nothing is doubled."""
    project, who = office.room.project(), office.room.person()
    (one,) = office.hand_out(who, project, 1).assignment_ids
    assert [office.answer(who, one), office.answer(who, one), office.answer(who, one, NO)] == [True, False, True]
    assert office.said(one) == [(0, YES, None, None), (1, NO, None, None)]
    office.well()


def test_a_deleted_answer_gives_its_place_back_and_a_new_one_takes_it_again(office: Office) -> None:
    """The deleted revision keeps its reason; the next one counts."""
    project, who = office.room.project(items=1), office.room.person()
    (one,) = office.hand_out(who, project).assignment_ids
    office.answer(who, one)
    assert office.places("p-m-1") == (1, 0, 1, 1)
    assert [office.take_back(who, one), office.take_back(who, one)] == [True, False]
    assert office.places("p-m-1") == (2, 0, 0, 0)
    assert office.said(one) == [(0, YES, None, DELETED_IN_LABEL_STUDIO)]
    office.answer(who, one)
    assert office.said(one) == [(0, YES, None, DELETED_IN_LABEL_STUDIO), (1, YES, None, None)]
    assert office.places("p-m-1") == (1, 0, 1, 1)
    office.well()


def test_what_comes_back_when_others_filled_the_item_is_extra(office: Office) -> None:
    """Deleted, filled by two others, answered again: kept, and does not count."""
    project, who = office.room.project(items=1), office.room.person()
    (one,) = office.hand_out(who, project).assignment_ids
    office.answer(who, one)
    office.take_back(who, one)
    for number in (2, 3):
        office.room.answer(office.room.person(number), project=project)
    office.answer(who, one, NO)
    assert office.said(one)[-1] == (1, NO, None, EXTRA)
    office.well()


@pytest.mark.parametrize(("others", "reason"), [(1, None), (2, EXTRA)])
def test_a_late_answer_counts_while_there_is_a_place(office: Office, others: int, reason: str | None) -> None:
    """The lease of a batch ends, its places go to others; a late answer takes one that is left, or is extra."""
    project, who = office.room.project(items=1), office.room.person()
    (one,) = office.hand_out(who, project).assignment_ids
    office.room.later(days=15)
    assert office.room.expire() == 1
    assert office.places("p-m-1") == (2, 0, 0, 0)
    for number in range(others):
        office.room.answer(office.room.person(2 + number), project=project)
    office.answer(who, one)
    assert office.said(one) == [(0, YES, None, reason)]
    office.well()


def test_an_expired_item_comes_back_to_its_desk_first(office: Office) -> None:
    """After the lease the next batch is the same assignment with a new lease."""
    project, who = office.room.project(items=2), office.room.person()
    first = office.hand_out(who, project)
    office.room.later(days=15)
    assert sorted(office.hand_out(who, project).assignment_ids) == sorted(first.assignment_ids)
    office.well()


@pytest.mark.parametrize(
    ("kind", "places", "said"),
    [
        ("annotation", (2, 0, 0, 0), (0, "", "skipped in Label Studio", "skipped")),
        ("baseline", (1, 0, 1, 1), (0, "", "skipped in Label Studio", None)),
    ],
)
def test_a_skip_is_a_skip_as_everywhere(
    office: Office, kind: str, places: tuple[int, ...], said: tuple[int, str, str, str | None]
) -> None:
    """In a baseline it fills the place, in an annotation the place is free; an answer after it counts."""
    project, who = office.room.project(items=1, kind=kind), office.room.person()
    (one,) = office.hand_out(who, project).assignment_ids
    assert [office.skip(who, one), office.skip(who, one)] == [True, False]
    assert (office.said(one), office.places("p-m-1")) == ([said], places)
    office.answer(who, one)
    assert office.said(one)[-1] == (1, YES, None, None)
    assert office.places("p-m-1") == (1, 0, 1, 1)
    office.skip(who, one)
    assert office.said(one)[-1][2:] == said[2:]
    assert office.places("p-m-1") == places
    office.well()


def test_after_the_close_an_answer_stands_as_it_was(office: Office) -> None:
    """A change is refused, a first answer is kept and does not count."""
    project, who = office.room.project(items=2), office.room.person()
    one, two = office.hand_out(who, project).assignment_ids
    office.answer(who, one)
    office.room.status(project, ProjectStatus.CLOSED)
    with pytest.raises(Stale, match="closed"):
        office.answer(who, one, NO)
    with pytest.raises(Stale, match="closed"):
        office.take_back(who, one)
    office.answer(who, two)
    assert office.said(one) == [(0, YES, None, None)]
    assert office.said(two) == [(0, YES, None, EXTRA)]
    office.well()


def test_whoever_answers_at_anothers_desk_answers_for_herself(office: Office) -> None:
    """The answer is the annotator's own: it takes a free place, and is extra where there is none."""
    project, who, other = office.room.project(items=1), office.room.person(1), office.room.person(2)
    office.hand_out(who, project)
    for person, reason in ((other, None), (office.room.person(3), EXTRA)):
        with office.room.db.transaction() as session:
            borrowed = batches.assign_outside_batch(
                session, annotator_id=person, item_id=office.room.item("p-m-1").id or 0, now=office.room.now
            )
        office.answer(person, borrowed)
        assert office.said(borrowed) == [(0, YES, None, reason)]
    assert office.places("p-m-1") == (0, 0, 2, 1)
    office.well()


def test_reported_items_go_from_telegram_to_a_desk(office: Office) -> None:
    """Handed over, Telegram assigns them no more; Label Studio batches fill the places that they hold."""
    project, who, other = office.room.project(items=2), office.room.person(1), office.room.person(2)
    assigned = office.room.assign(who)
    office.room.report(who, assigned)
    office.room.skip(who, assigned)
    with office.room.db.transaction() as session:
        found = batches.list_reported_items(session, project_id=project)
        assert batches.move_items(
            session, project=session.get_one(Project, project), item_ids=found, now=office.room.now
        )
    assert assigned.item not in office.room.all(other)
    expert = office.room.person(3)
    (one,) = office.hand_out(expert, project, moved_only=True).assignment_ids
    office.answer(expert, one)
    assert office.places(assigned.item) == (0, 1, 1, 1)
    assert office.room.item(assigned.item).status is ItemStatus.PAUSED
    assert office.hand_out(who, project, moved_only=True).assignment_ids == ()
    office.well()


def test_items_too_long_for_a_phone_are_found_by_what_is_shown(office: Office) -> None:
    """UTF-16 units count, as in Telegram."""
    project = office.room.project(items=2)
    with office.room.db.transaction() as session:
        item = session.exec(select(Item).where(Item.external_id == "p-m-2")).one()
        item.stimulus = "ї" * 4001
        session.add(item)
        session.flush()
        assert batches.list_long_items(session, project_id=project) == {item.id}


def test_a_second_pass_never_counts(office: Office) -> None:
    """It opens after the blind answer, once, takes no place, and its answer is kept with its reason."""
    project, who = office.room.project(items=2), office.room.person()
    one, _ = office.hand_out(who, project).assignment_ids

    def opened() -> tuple[int, ...]:
        with office.room.db.transaction() as session:
            return batches.assign_second_pass(
                session, annotator_id=who, project_id=project, n_items=9, now=office.room.now
            )  # fmt: skip

    assert opened() == ()
    office.answer(who, one, NO)
    (second,) = opened()
    assert opened() == ()
    office.answer(who, second)
    office.answer(who, second, NO)
    reason = "second pass: the gold was shown"
    assert office.said(second) == [(0, YES, None, reason), (1, NO, None, reason)]
    assert office.said(one) == [(0, NO, None, None)]
    office.well()


def test_a_repeat_answered_late_takes_no_place(office: Office) -> None:
    """An expired repeat has no place to come back to."""
    repeats = {"share": 1.0, "after": "24 h"}
    project, who = office.room.project(items=1, repeats=repeats), office.room.person()
    office.room.answer(who, project=project)
    office.room.later(days=2)
    again = office.room.assign(who, project)
    office.room.later(hours=2)
    office.room.expire()
    office.room.submit(who, again)
    assert office.places("p-m-1") == (1, 0, 1, 1)
    assert office.room.assignment(again).status is AssignmentStatus.DONE
    office.well()


def test_reports_still_work_in_telegram_only(office: Office) -> None:
    """A tap in Telegram does not reach an item at the desk."""
    project, who = office.room.project(), office.room.person()
    (one,) = office.hand_out(who, project, 1).assignment_ids
    with office.room.db.transaction() as session, pytest.raises(Stale, match="not yours"):
        assignments.submit_judgement(
            session, annotator_id=who, assignment_id=one, revision=0, answers={"answer": YES}, now=office.room.now
        )


def test_a_project_that_asks_in_steps_is_answered_in_two_passes(office: Office) -> None:
    """The first pass answers the first step; the second completes that very answer, which counts."""
    choice = {"type": "choice", "options": [YES, NO]}
    questions = [choice | {"name": "answer", "text": "Так?"}, choice | {"name": "sure", "text": "Ясно?", "step": 2}]
    project, who = office.room.project(items=1, question=None, questions=questions), office.room.person()
    (one,) = office.hand_out(who, project).assignment_ids
    office.answer(who, one, NO)
    with office.room.db.transaction() as session:
        now = office.room.now
        (second,) = batches.assign_second_pass(session, annotator_id=who, project_id=project, n_items=1, now=now)
        batches.submit_batch_answer(
            session, annotator_id=who, assignment_id=second, answers={"answer": NO, "sure": YES}, seconds=1, at=now,
            now=now,
        )  # fmt: skip
        found = session.exec(select(Judgement).order_by(col(Judgement.assignment_id), col(Judgement.revision))).all()
    assert [(row.assignment_id, row.revision, row.answers, row.excluded_reason) for row in found] == [
        (one, 0, {"answer": NO}, None),
        (one, 1, {"answer": NO, "sure": YES}, None),
        (second, 0, {"answer": NO, "sure": YES}, "second pass: the gold was shown"),
    ]
    office.well()
