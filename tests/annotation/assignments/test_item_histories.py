"""The history of an item keeps every turn in Label Studio: assigned, ended, assigned again, answered after all."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import select

from annotation.errors import NotFound
from annotation.label_studio.sync import queues
from annotation.store import queries
from annotation.store.models import Annotator, Assignment, LabelStudioBatch, LabelStudioTask
from annotation.vocabulary import AssignmentStatus, Surface, build_item_change
from annotation.workflow import assignments
from annotation.workflow.annotators import consents, registration, roster
from annotation.workflow.lifecycle import transitions
from annotation.workflow.monitoring import item_history
from annotation.workflow.quality import exclusions
from tests.annotation.assignments.test_batches import StudioScenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlmodel import Session

    from tests.annotation.assignments.conftest import Scenario

FREE = ": its place is free"
GIVEN = "assigned for Label Studio"
NAMED = ("p-m-1",)


@pytest.fixture
def studio(scenario: Scenario) -> StudioScenario:
    """One project with one item."""
    scenario.project("p", items=1)
    return StudioScenario(scenario)


def list_events(studio: StudioScenario) -> list[tuple[float | None, str]]:
    """The hours after the start, and what happened to the item then."""
    with studio.scenario.db.reading() as session:
        project = queries.get_project(session, "p")
        events = item_history.get_item_history(session, project, "p-m-1", with_votes=False).events
    begin = min(event.at for event in events if event.at is not None)
    return [(None if event.at is None else (event.at - begin) / timedelta(hours=1), event.what) for event in events]


def assign(studio: StudioScenario, who: int) -> int:
    """Assign the item in Label Studio for ten hours, by its name."""
    scenario = studio.scenario
    named = [scenario.item("p-m-1").id or 0]
    with scenario.db.transaction() as session:
        project = queries.get_project(session, "p").id or 0
        transaction = assignments.lock_annotator(session, who)
        lease = timedelta(hours=10)
        assigned = assignments.assign_named_items(
            transaction, project_id=project, item_ids=named, now=scenario.now, lease=lease
        )
    (assignment,) = assigned.assignment_ids
    return assignment


def release(studio: StudioScenario, who: int, *items: str) -> None:
    """Take items back as an organiser; all without names."""
    with studio.scenario.db.transaction() as session:
        annotator, project = session.get_one(Annotator, who), queries.get_project(session, "p")
        roster.release_items(session, annotator=annotator, project=project, now=studio.scenario.now, items=items)


def test_every_release_and_expiry_stays_after_the_answer(studio: StudioScenario) -> None:
    """Released, released with all others, overdue, and each time assigned again; then released and answered late."""
    scenario, who = studio.scenario, studio.scenario.person()
    for items in (NAMED, ()):
        assign(studio, who)
        scenario.later(hours=1)
        release(studio, who, *items)
        scenario.later(hours=1)
    assign(studio, who)
    scenario.later(hours=12)
    assert scenario.expire() == 1
    assign(studio, who)
    assert list_events(studio)[-1] == (16.0, f"{GIVEN}, again")
    scenario.later(hours=1)
    release(studio, who, *NAMED)
    released = [
        (0.0, GIVEN), (1.0, f"taken back by an organiser{FREE}"),
        (2.0, f"{GIVEN}, again"), (3.0, f"taken back by an organiser{FREE}"),
        (4.0, f"{GIVEN}, again"), (14.0, f"ended without an answer{FREE}"),
        (16.0, f"{GIVEN}, again"), (17.0, f"taken back by an organiser{FREE}"),
    ]  # fmt: skip
    assert list_events(studio) == released
    scenario.later(hours=1)
    with scenario.db.reading() as session:
        (assignment,) = session.exec(select(Assignment.id)).all()
    assert studio.answer(who, assignment or 0)
    assert list_events(studio) == [*released, (18.0, "answered in 12 s")]
    studio.check()


def test_when_a_live_item_ends_is_with_its_last_turn(studio: StudioScenario) -> None:
    """An item that was in Telegram first says so, and only the last turn has a date."""
    scenario, who = studio.scenario, studio.scenario.person()
    scenario.assign(who)
    scenario.later(hours=1)
    release(studio, who)
    assign(studio, who)
    with scenario.db.reading() as session:
        project = queries.get_project(session, "p")
        events = item_history.get_item_history(session, project, "p-m-1", with_votes=False).events
    assert [(event.what, event.until) for event in events] == [
        ("assigned in Telegram", None),
        (f"taken back by an organiser{FREE}", None),
        (f"{GIVEN}, again", scenario.now + timedelta(hours=10)),
    ]


def withdraw(session: Session, studio: StudioScenario, who: int) -> None:
    """Withdraw the annotator from the project."""
    project = queries.get_project(session, "p")
    consents.withdraw_from_project(session, annotator_id=who, project=project, now=studio.scenario.now)


def close(session: Session, studio: StudioScenario, _who: int) -> None:
    """Close the project."""
    transitions.close_project(session, project=queries.get_project(session, "p"), now=studio.scenario.now)


def suspend(session: Session, studio: StudioScenario, who: int) -> None:
    """Suspend the annotator."""
    annotator = session.get_one(Annotator, who)
    roster.suspend_annotator(session, annotator=annotator, reason="скарга", now=studio.scenario.now)


def change_item(session: Session, studio: StudioScenario, _who: int) -> None:
    """Change the item: a fix ends live assignments."""
    ids = [assignment or 0 for assignment in session.exec(select(Assignment.id))]
    change = build_item_change(2)
    exclusions.exclude_answers(session, assignment_ids=ids, exclusion=change, post_hoc=False, now=studio.scenario.now)


def expire_own(session: Session, studio: StudioScenario, who: int) -> None:
    """Let the lease end, and look at the annotator's queue."""
    studio.scenario.later(hours=12)
    project = queries.get_project(session, "p").id or 0
    transaction = assignments.lock_annotator(session, who)
    assignments.expire_batch_items(transaction, project_id=project, now=studio.scenario.now)


@pytest.mark.parametrize(("end", "at", "what"), [
    (withdraw, 1.0, "taken back, as the annotator withdrew"),
    (close, 1.0, "taken back, as the project was closed"),
    (suspend, 1.0, "taken back, as the annotator cannot work here now"),
    (change_item, 1.0, "taken back, as the item was changed"),
    (expire_own, 10.0, "ended without an answer"),
])  # fmt: skip
def test_the_history_says_why_an_item_ended_without_an_answer(
    studio: StudioScenario, end: Callable[[Session, StudioScenario, int], None], at: float, what: str
) -> None:
    """Each end has its time and its reason, once."""
    scenario, who = studio.scenario, studio.scenario.person()
    assign(studio, who)
    scenario.later(hours=1)
    with scenario.db.transaction() as session:
        end(session, studio, who)
    assert list_events(studio) == [(0.0, GIVEN), (at, f"{what}{FREE}")]


def test_who_cannot_be_reached_in_telegram_keeps_a_batch(studio: StudioScenario) -> None:
    """Whoever blocks the bot may work on in Label Studio; their item in Telegram goes to others."""
    scenario, who = studio.scenario, studio.scenario.person()
    scenario.project("q", items=1)
    assign(studio, who)
    scenario.assign(who)
    with scenario.db.transaction() as session:
        registration.mark_unreachable(session, telegram_id=1, now=scenario.now)
        found = {row.surface: row.status for row in session.exec(select(Assignment))}
    assert found == {Surface.LABEL_STUDIO: AssignmentStatus.LIVE, Surface.TELEGRAM: AssignmentStatus.EXPIRED}


def send(studio: StudioScenario, who: int, assignment: int, *, task: int) -> LabelStudioBatch:
    """Store that an assignment is a task of a batch in Label Studio."""
    scenario = studio.scenario
    with scenario.db.transaction() as session:
        project = queries.get_project(session, "p")
        batch = LabelStudioBatch(
            project_id=project.id or 0, annotator_id=who, server="s", mark="m", remote_id=1, created_at=scenario.now
        )
        session.add(batch)
        session.flush()
        session.add(
            LabelStudioTask(assignment_id=assignment, batch_id=batch.id or 0, remote_id=task, sent_at=scenario.now)
        )
        session.flush()
        session.expunge_all()
    return batch


class EmptyServer:
    """A server on which somebody deleted all tasks."""

    def list_task_ids(self, _project: int) -> tuple[int, ...]:
        """The tasks of a project."""
        return ()


def test_a_task_that_was_deleted_there_stays_in_the_history(studio: StudioScenario) -> None:
    """When it was sent, when it was found to be gone, and when it was sent again, each with its number."""
    scenario, who = studio.scenario, studio.scenario.person()
    assignment = assign(studio, who)
    batch = send(studio, who, assignment, task=35)
    scenario.later(hours=2)
    server: Any = EmptyServer()
    found = queues.detach_deleted_tasks(scenario.db, server, batch, clock=lambda: scenario.now)
    assert found == ("p-m-1",)
    scenario.later(hours=1)
    with scenario.db.transaction() as session:
        again = session.get_one(LabelStudioTask, assignment)
        again.remote_id, again.sent_at = 82, scenario.now
    sent, deleted = "sent to Label Studio, task", "deleted in Label Studio, task"
    assert list_events(studio) == [(0.0, GIVEN), (0.0, f"{sent} 35"), (2.0, f"{deleted} 35"), (3.0, f"{sent} 82")]


def test_an_item_is_named_by_the_number_of_its_task(studio: StudioScenario) -> None:
    """An annotator's page in Label Studio shows no more than the number; an id that is spelled so comes first."""
    scenario, who = studio.scenario, studio.scenario.person()
    send(studio, who, assign(studio, who), task=15)
    release(studio, who, "#15")
    with scenario.db.reading() as session:
        project = queries.get_project(session, "p")
        assert item_history.get_item_history(session, project, "#15", with_votes=False).tally.item_id == "p-m-1"
        assert assignments.find_named_items(session, project=project, ids=["#15"], where=[]) == [
            scenario.item("p-m-1").id
        ]
        with pytest.raises(NotFound, match="has no item '#16'"):
            assignments.find_named_items(session, project=project, ids=["#16"], where=[])
