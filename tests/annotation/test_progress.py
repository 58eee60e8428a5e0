"""What a campaign under way tells: the pace, the expected end, a stall, what waits, and each item with its votes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import Session, select

from annotation.store.models import (
    Assignment,
    Inbox,
    Judgement,
    Outbox,
    Participation,
    Project,
    Report,
)
from annotation.vocabulary import AssignmentStatus, ParticipationStatus, ProjectStatus, Stage, Surface
from annotation.workflow.monitoring import campaign_status, progress
from annotation.workflow.monitoring.progress import Progress, measure_progress

if TYPE_CHECKING:
    from annotation.store import database
    from tests.annotation.conftest import Sandbox

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)  # when the sandbox starts its projects
NOW = START + timedelta(hours=10)
ROWS = "a,ta,g1,x\nb,tb,g2,y\nc,tc,g3,y\n"


def answer(
    session: Session, sandbox: Sandbox, project: Project, *, item: str, person: int, response: str, ago: timedelta
) -> Assignment:
    """An answer to an item so long before now, of five seconds."""
    given = sandbox.given(session, project, item=item, telegram_id=person)
    sandbox.answer(session, given, response)
    answered = session.exec(select(Judgement).where(Judgement.assignment_id == given.id)).one()
    answered.answered_at, answered.seconds = NOW - ago, 5.0 * person
    session.add(answered)
    session.flush()
    return given


def participate(session: Session, project: Project, person: int, **fields: Any) -> None:
    """A participation in the main stage."""
    values: dict[str, Any] = {
        "stage": Stage.MAIN,
        "status": ParticipationStatus.ACTIVE,
        "since": NOW,
        "joined_at": START,
    }
    session.add(Participation(annotator_id=person, project_id=project.id or 0, **(values | fields)))
    session.flush()


def test_progress_counts_places_hours_and_people(db: database.Database, sandbox: Sandbox) -> None:
    """By hand: three items of three places; four answers, one corrected, one imported; one item is done."""
    with db.transaction() as session:
        project = sandbox.started(session, sandbox.write("one", rows=ROWS, more="overlap: 3\n"))
        minutes = {1: 5, 2: 30, 3: 150}
        for person, ago in minutes.items():
            answer(session, sandbox, project, item="a", person=person, response="x", ago=timedelta(minutes=ago))
        last = answer(session, sandbox, project, item="b", person=1, response="x", ago=timedelta(minutes=4))
        session.add(Judgement(assignment_id=last.id or 0, revision=1, response="y", response_raw="y", answered_at=NOW))
        imported = sandbox.given(session, project, item="c", telegram_id=None, surface=Surface.IMPORT)
        session.add(Judgement(assignment_id=imported.id or 0, response="x", response_raw="x", answered_at=NOW))
        participate(session, project, 1, last_at=NOW - timedelta(minutes=4))
        participate(session, project, 2, last_at=NOW - timedelta(minutes=30))
        found = measure_progress(session, project, now=NOW)
    assert (found.items, found.items_done, found.needed) == (3, 1, 9)
    assert found.done == 4
    assert found.hourly[-3:] == (1, 0, 3)
    assert (found.last_day, found.people_now) == (4, 1)
    assert found.last_answer_at == NOW - timedelta(minutes=4)
    # five answers are left, and four came in the ten hours since the start
    assert found.estimate_end(ProjectStatus.RUNNING, now=NOW) == NOW + timedelta(hours=5 * 10 / 4)
    assert found.estimate_end(ProjectStatus.PAUSED, now=NOW) is None, "it asks nobody now"


@pytest.mark.parametrize(
    ("status", "silent", "done", "stalled"),
    [
        (ProjectStatus.RUNNING, 24, 1, True),
        (ProjectStatus.RUNNING, 23.9, 1, False),
        (ProjectStatus.PAUSED, 30, 1, False),
        (ProjectStatus.RUNNING, 30, 2, False),
    ],
)
def test_a_running_project_with_work_left_stalls_after_a_day(
    status: ProjectStatus, silent: float, done: int, stalled: bool
) -> None:
    found = Progress(
        items=1, items_done=0, needed=2, done=done, hourly=(0,) * 24, people_now=0, since=START - timedelta(days=9),
        active_since=START - timedelta(days=9), last_answer_at=NOW - timedelta(hours=silent),
    )  # fmt: skip
    assert (found.find_stall(status, now=NOW) is not None) is stalled
    assert found.estimate_end(status, now=NOW) is None, "nothing came within a day"


def test_deliveries_that_wait_are_a_backlog_after_five_minutes(db: database.Database) -> None:
    """Messages of the future, paced ones and handled updates do not wait."""
    with db.transaction() as session:
        minutes = timedelta(minutes=1)
        session.add(Inbox(bot_id=1, update_id=1, telegram_id=1, payload={}, received_at=NOW - minutes))
        session.add(Inbox(bot_id=1, update_id=2, received_at=NOW - 9 * minutes, done_at=NOW))
        for due, paced in ((NOW + minutes, False), (NOW - 9 * minutes, True), (NOW, False)):
            session.add(Outbox(bot_id=1, chat_id=1, calls=[], created_at=NOW - 5 * minutes, due_at=due, paced=paced))
        session.flush()
        found = campaign_status.count_waiting_deliveries(session, now=NOW)
        earlier = campaign_status.count_waiting_deliveries(session, now=NOW - timedelta(seconds=1))
    assert (found.updates, found.messages) == (1, 1)
    assert (found.late, earlier.late) == (1, 0)


def test_items_are_listed_page_by_page_with_votes_only_where_they_may_be_seen(
    db: database.Database, sandbox: Sandbox
) -> None:
    with db.transaction() as session:
        project = sandbox.started(session, sandbox.write("one", rows=ROWS, more="overlap: 3\n"))
        for person, response in ((1, "x"), (2, "x"), (3, "y")):
            answer(session, sandbox, project, item="b", person=person, response=response, ago=timedelta(minutes=5))
        skipped = sandbox.given(session, project, item="c", telegram_id=4)
        skipped.status = AssignmentStatus.SKIPPED
        session.add(Judgement(assignment_id=skipped.id or 0, response="", response_raw="", skip_reason="unclear"))
        session.add(Report(item_id=skipped.item_id, annotator_id=4, assignment_id=skipped.id or 0, reason="x", at=NOW))
        session.flush()
        shown = progress.list_item_progress(session, project, with_votes=True, size=2)
        assert [one.item_id for one in shown] == ["a", "b"]
        assert (shown[1].done, shown[1].needed, shown[1].seconds) == (3, 3, 10.0)
        assert dict(shown[1].votes) == {"x": 2, "y": 1}
        (rest,) = progress.list_item_progress(session, project, after="b", with_votes=False, size=2)
        assert (rest.item_id, rest.skips, rest.reports, dict(rest.votes)) == ("c", 1, 1, {})
        (reported,) = progress.list_reported_items(session, project, with_votes=True)
        assert reported.item_id == "c"
        assert all(not one.votes for one in progress.list_item_progress(session, project, with_votes=False))
