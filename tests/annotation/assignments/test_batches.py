"""Label Studio batches: which items are assigned, and the effect of answers, changes, skips and deletions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session, col, select

from annotation.campaigns import programme_file as programme_files
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
from annotation.workflow import assignments, definitions
from annotation.workflow.lifecycle import projects
from annotation.workflow.monitoring import conduct

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"


@dataclass
class StudioScenario:
    """A scenario whose annotators also work in Label Studio."""

    scenario: Scenario

    def assign_batch(
        self, who: int, project: int, number: int = 10, *, moved_only: bool = False
    ) -> assignments.AssignedBatch:
        """Assign a batch to an annotator."""
        with self.scenario.db.transaction() as session:
            return assignments.assign_batch(
                assignments.lock_annotator(session, who),
                project_id=project,
                n_items=number,
                now=self.scenario.now,
                moved_only=moved_only,
            )

    def open(self, session: Session, who: int, assignment: int) -> assignments.OpenedAssignment:
        """Open an assignment of a batch."""
        transaction = assignments.lock_annotator(session, who)
        return assignments.open_batch_assignment(transaction, assignment_id=assignment, now=self.scenario.now)

    def answer(self, who: int, assignment: int, label: str = YES, *, at: datetime | None = None) -> bool:
        """Submit an answer from Label Studio."""
        with self.scenario.db.transaction() as session:
            return assignments.submit_batch_answer(
                self.open(session, who, assignment), answers={"answer": label}, seconds=12.5,
                at=at or self.scenario.now, now=self.scenario.now,
            )  # fmt: skip

    def skip(self, who: int, assignment: int) -> bool:
        """Submit a skip from Label Studio."""
        with self.scenario.db.transaction() as session:
            return assignments.skip_batch_item(
                self.open(session, who, assignment), reason="skipped in Label Studio", seconds=1.0,
                at=self.scenario.now, now=self.scenario.now,
            )  # fmt: skip

    def withdraw(self, who: int, assignment: int) -> bool:
        """Delete an answer in Label Studio."""
        with self.scenario.db.transaction() as session:
            return assignments.withdraw_batch_answer(self.open(session, who, assignment), now=self.scenario.now)

    def rows(self, batch: assignments.AssignedBatch) -> list[tuple[Assignment, Item]]:
        """The batch as it is stored."""
        with self.scenario.db.transaction() as session:
            chosen = select(Assignment, Item).join(Item, col(Item.id) == col(Assignment.item_id))
            found = session.exec(chosen.where(col(Assignment.id).in_(batch.assignment_ids))).all()
            return sorted(found, key=lambda row: row[0].position or 0)

    def list_answers(self, assignment: int) -> list[tuple[int, str, str | None, str | None]]:
        """Revision, response, reason of a skip and of an exclusion of each answer to an assignment."""
        with self.scenario.db.transaction() as session:
            chosen = select(Judgement).where(Judgement.assignment_id == assignment).order_by(col(Judgement.revision))
            return [(one.revision, one.response, one.skip_reason, one.excluded_reason) for one in session.exec(chosen)]

    def places(self, name: str) -> tuple[int, int, int, int]:
        """free, held, n_live, n_done of an item."""
        item = self.scenario.item(name)
        return item.free, item.held, item.n_live, item.n_done

    def check(self) -> None:
        """Check the counts and all invariants."""
        self.scenario.check_counts()
        with self.scenario.db.transaction() as session:
            assert invariants.list_violations(session) == ()


@pytest.fixture
def studio(scenario: Scenario) -> StudioScenario:
    """A scenario without projects and annotators."""
    return StudioScenario(scenario)


def test_a_batch_takes_places_and_waits_two_weeks(studio: StudioScenario) -> None:
    """Each item of a batch takes one place; the annotator's live item in Telegram stays."""
    project, who = studio.scenario.project(items=5), studio.scenario.person()
    live = studio.scenario.assign(who)
    batch = studio.assign_batch(who, project, 3)
    rows = studio.rows(batch)
    assert len(rows) == 3
    assert {row.surface for row, _ in rows} == {Surface.LABEL_STUDIO}
    assert {row.lease_until for row, _ in rows} == {studio.scenario.now + timedelta(days=14)}
    assert live.item not in {item.external_id for _, item in rows}
    assert studio.scenario.assign(who).assignment_id == live.assignment_id
    studio.check()


def test_what_is_left_ends_a_batch_and_overlap_is_never_exceeded(studio: StudioScenario) -> None:
    """Three people with an overlap of two: six places, and the third gets what is left."""
    project = studio.scenario.project(items=3)
    people = [studio.scenario.person(number) for number in (1, 2, 3)]
    batches = [studio.assign_batch(who, project) for who in people]
    assert [len(one.assignment_ids) for one in batches] == [3, 3, 0]
    assert batches[2].shortfall is not None
    assert batches[2].shortfall.reason is UnassignedReason.NOTHING_LEFT
    studio.check()


def test_in_a_baseline_no_group_comes_twice(studio: StudioScenario) -> None:
    """Two items of one group are not in one batch of a baseline; in an annotation they are."""
    groups = ["a", "a", "b", "b"]
    baseline = studio.scenario.project("base", items=groups, kind="baseline")
    who = studio.scenario.person()
    assert len({item.group_id for _, item in studio.rows(studio.assign_batch(who, baseline))}) == 2
    other = studio.scenario.project("more", items=["c", "c", "d"])
    assert len(studio.assign_batch(who, other).assignment_ids) == 3
    studio.check()


def test_controls_are_hidden_in_batches_too(studio: StudioScenario) -> None:
    """Pages of a batch hold their control item, at the seeded place."""
    items = studio.scenario.items("c", 2)
    project = studio.scenario.project(
        items=6, pages={"items": 3},
        controls={"pool": {"file": items}, "per_page": 1},
    )  # fmt: skip
    rows = studio.rows(studio.assign_batch(studio.scenario.person(), project, 6))
    assert [sum(row.is_control for row, _ in rows if row.page == page) for page in (1, 2)] == [1, 1]
    studio.check()


def test_caps_count_what_waits_in_label_studio(studio: StudioScenario) -> None:
    """A cap of three items is a batch of three, and no more while they wait."""
    project, who = studio.scenario.project(items=5, caps={"items": 3}), studio.scenario.person()
    assert len(studio.assign_batch(who, project).assignment_ids) == 3
    again = studio.assign_batch(who, project)
    assert (again.assignment_ids, again.shortfall and again.shortfall.reason) == ((), UnassignedReason.CAP)


def test_the_quota_of_a_programme_counts_what_waits_in_label_studio(studio: StudioScenario) -> None:
    """Four items of one data set are a batch of four; the other data set has no limit."""
    first, second = (studio.scenario.project(name, items=6) for name in ("first", "second"))
    members = [{"file": "first.yaml", "quota": 4}, {"file": "second.yaml"}]
    file = studio.scenario.folder / "both.yaml"
    whole = {"programme": "both", "title": "both", "language": "uk", "projects": members}
    file.write_text(json.dumps(whole), "utf-8")
    with studio.scenario.db.transaction() as session:
        projects.load_programme(session, programme_files.read_programme(file), now=studio.scenario.now)
    who = studio.scenario.person()
    assigned = studio.assign_batch(who, first)
    assert (len(assigned.assignment_ids), assigned.shortfall and assigned.shortfall.reason) == (
        4,
        UnassignedReason.QUOTA,
    )
    studio.answer(who, assigned.assignment_ids[0])
    assert studio.assign_batch(who, first).assignment_ids == ()
    assert len(studio.assign_batch(who, second).assignment_ids) == 6


def test_a_qualification_waits_for_label_studio(studio: StudioScenario) -> None:
    """Its items are assigned once; the main stage begins when they are answered."""
    file = studio.scenario.items("q", 2)
    stages = {"qualification": {"pool": {"file": file}, "number": 2, "pass_mark": "2 of 2"}}
    project, who = studio.scenario.project(items=2, stages=stages), studio.scenario.person()
    batch = studio.assign_batch(who, project)
    assert sorted(item.external_id for _, item in studio.rows(batch)) == ["q-1", "q-2"]
    assert studio.assign_batch(who, project).assignment_ids == ()
    for one in batch.assignment_ids:
        studio.answer(who, one)
    assert len(studio.assign_batch(who, project).assignment_ids) == 2
    studio.check()


def test_an_answer_keeps_its_own_times(studio: StudioScenario) -> None:
    """Seconds and time are those of the answer in Label Studio, not those of the pull."""
    project, who = studio.scenario.project(), studio.scenario.person()
    (one,) = studio.assign_batch(who, project, 1).assignment_ids
    at = studio.scenario.now + timedelta(hours=3)
    studio.scenario.later(days=2)
    assert studio.answer(who, one, at=at)
    with studio.scenario.db.transaction() as session:
        stored = session.exec(select(Judgement)).one()
        shown = session.get_one(Assignment, one).shown_at
    assert (stored.seconds, stored.answered_at, shown) == (12.5, at, at - timedelta(seconds=12.5))
    studio.check()


def test_the_same_answer_is_stored_once_and_another_is_a_revision(studio: StudioScenario) -> None:
    """Append-only: the final revision counts, and nothing is doubled."""
    project, who = studio.scenario.project(), studio.scenario.person()
    (one,) = studio.assign_batch(who, project, 1).assignment_ids
    assert [studio.answer(who, one), studio.answer(who, one), studio.answer(who, one, NO)] == [True, False, True]
    assert studio.list_answers(one) == [(0, YES, None, None), (1, NO, None, None)]
    studio.check()


def test_a_deleted_answer_gives_its_place_back_and_a_new_one_takes_it_again(studio: StudioScenario) -> None:
    """The deleted revision keeps its reason; the next one counts."""
    project, who = studio.scenario.project(items=1), studio.scenario.person()
    (one,) = studio.assign_batch(who, project).assignment_ids
    studio.answer(who, one)
    assert studio.places("p-m-1") == (1, 0, 1, 1)
    assert [studio.withdraw(who, one), studio.withdraw(who, one)] == [True, False]
    assert studio.places("p-m-1") == (2, 0, 0, 0)
    assert studio.list_answers(one) == [(0, YES, None, DELETED_IN_LABEL_STUDIO.reason)]
    studio.answer(who, one)
    assert studio.list_answers(one) == [(0, YES, None, DELETED_IN_LABEL_STUDIO.reason), (1, YES, None, None)]
    assert studio.places("p-m-1") == (1, 0, 1, 1)
    studio.check()


def test_what_comes_back_when_others_filled_the_item_is_extra(studio: StudioScenario) -> None:
    """Deleted, filled by two others, answered again: kept, and does not count."""
    project, who = studio.scenario.project(items=1), studio.scenario.person()
    (one,) = studio.assign_batch(who, project).assignment_ids
    studio.answer(who, one)
    studio.withdraw(who, one)
    for number in (2, 3):
        studio.scenario.answer(studio.scenario.person(number), project=project)
    studio.answer(who, one, NO)
    assert studio.list_answers(one)[-1] == (1, NO, None, EXTRA.reason)
    studio.check()


@pytest.mark.parametrize(("others", "reason"), [(1, None), (2, EXTRA.reason)])
def test_a_late_answer_counts_while_there_is_a_place(studio: StudioScenario, others: int, reason: str | None) -> None:
    """The lease of a batch ends, its places go to others; a late answer takes one that is left, or is extra."""
    project, who = studio.scenario.project(items=1), studio.scenario.person()
    (one,) = studio.assign_batch(who, project).assignment_ids
    studio.scenario.later(days=15)
    assert studio.scenario.expire() == 1
    assert studio.places("p-m-1") == (2, 0, 0, 0)
    for number in range(others):
        studio.scenario.answer(studio.scenario.person(2 + number), project=project)
    studio.answer(who, one)
    assert studio.list_answers(one) == [(0, YES, None, reason)]
    studio.check()


def test_an_expired_item_comes_back_to_its_batch_first(studio: StudioScenario) -> None:
    """After the lease the next batch is the same assignment with a new lease."""
    project, who = studio.scenario.project(items=2), studio.scenario.person()
    first = studio.assign_batch(who, project)
    studio.scenario.later(days=15)
    assert sorted(studio.assign_batch(who, project).assignment_ids) == sorted(first.assignment_ids)
    studio.check()


@pytest.mark.parametrize(
    ("kind", "places", "said"),
    [
        ("annotation", (2, 0, 0, 0), (0, "", "skipped in Label Studio", "skipped")),
        ("baseline", (1, 0, 1, 1), (0, "", "skipped in Label Studio", None)),
    ],
)
def test_a_skip_is_a_skip_as_everywhere(
    studio: StudioScenario, kind: str, places: tuple[int, ...], said: tuple[int, str, str, str | None]
) -> None:
    """In a baseline it fills the place, in an annotation the place is free; an answer after it counts."""
    project, who = studio.scenario.project(items=1, kind=kind), studio.scenario.person()
    (one,) = studio.assign_batch(who, project).assignment_ids
    assert [studio.skip(who, one), studio.skip(who, one)] == [True, False]
    assert (studio.list_answers(one), studio.places("p-m-1")) == ([said], places)
    studio.answer(who, one)
    assert studio.list_answers(one)[-1] == (1, YES, None, None)
    assert studio.places("p-m-1") == (1, 0, 1, 1)
    studio.skip(who, one)
    assert studio.list_answers(one)[-1][2:] == said[2:]
    assert studio.places("p-m-1") == places
    studio.check()


def test_after_the_close_an_answer_stands_as_it_was(studio: StudioScenario) -> None:
    """A change is refused, a first answer is kept and does not count."""
    project, who = studio.scenario.project(items=2), studio.scenario.person()
    one, two = studio.assign_batch(who, project).assignment_ids
    studio.answer(who, one)
    studio.scenario.status(project, ProjectStatus.CLOSED)
    with pytest.raises(Stale, match="closed"):
        studio.answer(who, one, NO)
    with pytest.raises(Stale, match="closed"):
        studio.withdraw(who, one)
    studio.answer(who, two)
    assert studio.list_answers(one) == [(0, YES, None, None)]
    assert studio.list_answers(two) == [(0, YES, None, EXTRA.reason)]
    studio.check()


def test_an_answer_in_anothers_batch_is_the_annotators_own(studio: StudioScenario) -> None:
    """The answer is the annotator's own: it takes a free place, and is extra where there is none."""
    project, who, other = studio.scenario.project(items=1), studio.scenario.person(1), studio.scenario.person(2)
    studio.assign_batch(who, project)
    item_id = studio.scenario.item("p-m-1").id or 0
    for person, reason in ((other, None), (studio.scenario.person(3), EXTRA.reason)):
        with studio.scenario.db.transaction() as session:
            borrowed = assignments.assign_outside_batch(
                assignments.lock_annotator(session, person),
                item_id=item_id,
                now=studio.scenario.now,
            )
        studio.answer(person, borrowed)
        assert studio.list_answers(borrowed) == [(0, YES, None, reason)]
    assert studio.places("p-m-1") == (0, 0, 2, 1)
    studio.check()


def test_reported_items_go_from_telegram_to_a_batch(studio: StudioScenario) -> None:
    """Once they are moved, Telegram assigns them no more; Label Studio batches fill the places that they hold."""
    project, who, other = studio.scenario.project(items=2), studio.scenario.person(1), studio.scenario.person(2)
    assigned = studio.scenario.assign(who)
    studio.scenario.report(who, assigned)
    studio.scenario.skip(who, assigned)
    with studio.scenario.db.transaction() as session:
        found = assignments.list_reported_items(session, project_id=project)
        assert assignments.move_items(
            session, project=session.get_one(Project, project), item_ids=found, now=studio.scenario.now
        )
    assert assigned.item not in studio.scenario.all(other)
    expert = studio.scenario.person(3)
    (one,) = studio.assign_batch(expert, project, moved_only=True).assignment_ids
    studio.answer(expert, one)
    assert studio.places(assigned.item) == (0, 1, 1, 1)
    assert studio.scenario.item(assigned.item).status is ItemStatus.PAUSED
    assert studio.assign_batch(who, project, moved_only=True).assignment_ids == ()
    studio.check()


def test_items_too_long_for_a_phone_are_found_by_what_is_shown(studio: StudioScenario) -> None:
    """UTF-16 units count, as in Telegram."""
    project = studio.scenario.project(items=2)
    with studio.scenario.db.transaction() as session:
        item = session.exec(select(Item).where(Item.external_id == "p-m-2")).one()
        item.stimulus = "ї" * 4001
        session.add(item)
        session.flush()
        assert assignments.list_long_items(session, project_id=project) == {item.id}


def test_a_second_pass_never_counts(studio: StudioScenario) -> None:
    """It opens after the blind answer, once, takes no place, and its answer is kept with its reason."""
    project, who = studio.scenario.project(items=2), studio.scenario.person()
    one, _ = studio.assign_batch(who, project).assignment_ids

    def opened() -> tuple[int, ...]:
        with studio.scenario.db.transaction() as session:
            transaction = assignments.lock_annotator(session, who)
            return assignments.assign_second_pass(transaction, project_id=project, n_items=9, now=studio.scenario.now)

    assert opened() == ()
    studio.answer(who, one, NO)
    (second,) = opened()
    assert opened() == ()
    studio.answer(who, second)
    studio.answer(who, second, NO)
    reason = "second pass: the gold was shown"
    assert studio.list_answers(second) == [(0, YES, None, reason), (1, NO, None, reason)]
    assert studio.list_answers(one) == [(0, NO, None, None)]
    studio.check()


def test_a_repeat_answered_late_takes_no_place(studio: StudioScenario) -> None:
    """An expired repeat has no place to come back to."""
    repeats = {"share": 1.0, "after": "24 h"}
    project, who = studio.scenario.project(items=1, repeats=repeats), studio.scenario.person()
    studio.scenario.answer(who, project=project)
    studio.scenario.later(days=2)
    again = studio.scenario.assign(who, project)
    studio.scenario.later(hours=2)
    studio.scenario.expire()
    studio.scenario.submit(who, again)
    assert studio.places("p-m-1") == (1, 0, 1, 1)
    assert studio.scenario.assignment(again).status is AssignmentStatus.DONE
    studio.check()


def test_reports_still_work_in_telegram_only(studio: StudioScenario) -> None:
    """A tap in Telegram does not reach an item in Label Studio."""
    project, who = studio.scenario.project(), studio.scenario.person()
    (one,) = studio.assign_batch(who, project, 1).assignment_ids
    with studio.scenario.db.transaction() as session, pytest.raises(Stale, match="not yours"):
        assignments.submit_judgement(
            assignments.open_assignment(
                assignments.lock_annotator(session, who), assignment_id=one, now=studio.scenario.now
            ),
            revision=0,
            answers={"answer": YES},
            now=studio.scenario.now,
        )


def test_a_project_that_asks_in_steps_is_answered_in_two_passes(studio: StudioScenario) -> None:
    """The first pass answers the first step; the second completes that very answer, which counts."""
    choice = {"type": "choice", "options": [YES, NO]}
    questions = [choice | {"name": "answer", "text": "Так?"}, choice | {"name": "sure", "text": "Ясно?", "step": 2}]
    project, who = studio.scenario.project(items=1, question=None, questions=questions), studio.scenario.person()
    (one,) = studio.assign_batch(who, project).assignment_ids
    studio.answer(who, one, NO)
    with studio.scenario.db.transaction() as session:
        now = studio.scenario.now
        transaction = assignments.lock_annotator(session, who)
        (second,) = assignments.assign_second_pass(transaction, project_id=project, n_items=1, now=now)
        opened = assignments.open_batch_assignment(transaction, assignment_id=second, now=now)
        assignments.submit_batch_answer(opened, answers={"answer": NO, "sure": YES}, seconds=1, at=now, now=now)
        found = session.exec(select(Judgement).order_by(col(Judgement.assignment_id), col(Judgement.revision))).all()
    assert [(row.assignment_id, row.revision, row.answers, row.excluded_reason) for row in found] == [
        (one, 0, {"answer": NO}, None),
        (one, 1, {"answer": NO, "sure": YES}, None),
        (second, 0, {"answer": NO, "sure": YES}, "second pass: the gold was shown"),
    ]
    studio.check()


def test_who_waits_in_label_studio_has_not_begun(studio: StudioScenario) -> None:
    """Nobody has opened the page yet; with the first answer they have, as with the first item in Telegram."""
    scenario, project = studio.scenario, studio.scenario.project()
    first, second = scenario.person(1), scenario.person(2)

    def count_begun() -> int:
        with scenario.db.reading() as session:
            loaded = session.get_one(Project, project)
            definition = definitions.get_project_definition(loaded)
            return conduct.compute_funnel(session, project=loaded, definition=definition).started

    batch = studio.assign_batch(first, project, 2)
    assert count_begun() == 0
    studio.answer(first, batch.assignment_ids[0])
    assert count_begun() == 1
    scenario.assign(second)
    assert count_begun() == 2
