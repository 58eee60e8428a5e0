"""What needs the organisers, on both databases: what is counted, since when, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select

from annotation.store import processes, queries
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Annotator,
    GoldReview,
    Heartbeat,
    Inbox,
    Judgement,
    Outbox,
    Participation,
    ProcessLease,
    Project,
    Report,
    SubmissionReview,
    SupportMessage,
)
from annotation.vocabulary import (
    AdjudicationDecision,
    CaseReason,
    ExclusionKind,
    ParticipationStatus,
    ReviewDecision,
    Stage,
)
from annotation.workflow.lifecycle import transitions
from annotation.workflow.monitoring import decisions, progress
from annotation.workflow.monitoring.bot_waits import POLLING
from annotation.workflow.monitoring.machine import MachineFacts
from annotation.workflow.monitoring.needs import Need, NeedKind, list_needs, rank_projects
from annotation.workflow.review import cases, submissions

if TYPE_CHECKING:
    from annotation.store import database
    from tests.annotation.conftest import Sandbox

NOW = datetime(2026, 11, 21, 22, 0, tzinfo=UTC)  # ten hours after the sandbox starts its projects
ROWS = "".join(f"{item},text {item},g{item},x\n" for item in "abcdef")
TEXT_QUESTION = "question: {type: text, text: What?}\n"


def answer(
    session: Session, sandbox: Sandbox, project: Project, item: str, *responses: str, is_answered: bool = True
) -> None:
    """Answers of annotators 1, 2 and so on to an item, which gets no more if it `is_answered`."""
    for person, response in enumerate(responses, 1):
        given = sandbox.given(session, project, item=item, telegram_id=person)
        sandbox.answer(session, given, response)
    if is_answered:
        sandbox.items(session, project)[item].free = 0
        session.flush()


def find(session: Session, *kinds: NeedKind, **options: Any) -> Sequence[Need]:
    """The needs of these kinds."""
    return [need for need in list_needs(session, now=NOW, default_zone="UTC", **options) if need.kind in kinds]


@pytest.fixture
def words(db: database.Database, sandbox: Sandbox) -> str:
    """A running project of six items with three answers each."""
    with db.transaction() as session:
        project = sandbox.started(session, sandbox.write("words", rows=ROWS, more="overlap: 3\n"))
        project.active_since = NOW
        for person in (1, 2, 3):
            sandbox.person(session, person)
        return project.name


def test_disputes_are_counted_before_anybody_looks_and_the_same_after(
    db: database.Database, sandbox: Sandbox, words: str
) -> None:
    """Ties, small majorities, and what rules changed; not a clear majority, a decided item, or one that is reported."""
    with db.transaction() as session:
        project = queries.get_project(session, words)
        for item, responses in {"a": "xy", "b": "xxy", "c": "xy", "d": "xy", "e": "xxy", "f": "xx"}.items():
            answer(session, sandbox, project, item, *responses)
        items = sandbox.items(session, project)
        session.add(
            Adjudication(
                item_id=items["c"].id or 0, item_revision=1, question="answer", number=0, annotator_id=3,
                decision=AdjudicationDecision.LABEL, labels=["x"], at=NOW,
            )
        )  # fmt: skip
        excluded = session.exec(select(Judgement).order_by(col(Judgement.id))).all()[9:11]  # the votes for x on e
        for judgement in excluded:
            judgement.excluded_kind, judgement.excluded_reason = ExclusionKind.RULE, "too fast"
        session.flush()
        found = decisions.list_disputes(session, project, now=NOW)
        assert [(one.item, one.reasons) for one in found] == [
            ("a", ("tie", "low confidence")), ("d", ("tie", "low confidence")), ("e", ("rule conflict",)),
        ]  # fmt: skip
        [need] = find(session, NeedKind.DISPUTE)
        assert (need.project, need.count, need.part, need.since) == ("words", 3, 2, None)
        waiting = {one.item: [CaseReason(reason) for reason in one.reasons] for one in found}
        cases.refresh_cases(session, project=project, question="answer", doubts=waiting, now=NOW)
        [need] = find(session, NeedKind.DISPUTE)
        assert (need.count, need.part, need.since) == (3, 2, NOW)


def test_a_count_of_a_minute_ago_is_gone_by_and_not_counted_twice(
    db: database.Database, sandbox: Sandbox, words: str
) -> None:
    with db.transaction() as session:
        project = queries.get_project(session, words)
        answer(session, sandbox, project, "a", "x", "y")
        measured = {project.id or 0: progress.measure_progress(session, project, now=NOW)}
        found = {project.id or 0: decisions.count_doubts(session, project)}
        progress.store_tallies(session, measured, found, at=NOW - timedelta(minutes=1))
        answer(session, sandbox, project, "b", "x", "y")
        assert [need.count for need in find(session, NeedKind.DISPUTE)] == [1], "as it was counted"
        cases.refresh_cases(session, project=project, question="answer", doubts={"b": [CaseReason.TIE]}, now=NOW)
        assert [need.count for need in find(session, NeedKind.DISPUTE)] == [1], "those of the tally are cases or none"


def test_an_item_is_in_doubt_once_all_its_answers_are_in_or_none_can_come(
    db: database.Database, sandbox: Sandbox, words: str
) -> None:
    """A tie of two of three answers may be gone with the third; a case that was stored does not wait for it either."""
    with db.transaction() as session:
        project = queries.get_project(session, words)
        answer(session, sandbox, project, "a", "x", "y", is_answered=False)
        answer(session, sandbox, project, "b", "x", "y")
        ties = {name: [CaseReason.TIE] for name in "ab"}
        for _ in range(2):
            assert [one.item for one in decisions.list_disputes(session, project, now=NOW)] == ["b"]
            assert decisions.list_early_items(session, project) == {*"acdef"}
            cases.refresh_cases(session, project=project, question="answer", doubts=ties, now=NOW)
        transitions.close_project(session, project=project, now=NOW)
        assert [one.item for one in decisions.list_disputes(session, project, now=NOW)] == ["a", "b"]
        assert not decisions.list_early_items(session, project)


@pytest.mark.parametrize(
    ("more", "closed_for", "expected"),
    [("", None, 1), ("", 29, 1), ("", 31, 0), ("kind: baseline\n", None, 0), ("kind: baseline\n", 1, 1)],
)
def test_items_in_doubt_need_nobody_while_a_baseline_is_blind_or_long_after_the_end(
    db: database.Database, sandbox: Sandbox, more: str, closed_for: int | None, expected: int
) -> None:
    with db.transaction() as session:
        project = sandbox.started(session, sandbox.write("words", rows=ROWS, more=f"overlap: 3\n{more}"))
        answer(session, sandbox, project, "a", "x", "y")
        if closed_for is not None:
            transitions.close_project(session, project=project, now=NOW - timedelta(days=closed_for))
        assert len(find(session, NeedKind.DISPUTE)) == expected


def test_reviews_wait_until_they_are_decided(db: database.Database, sandbox: Sandbox) -> None:
    """As many as the reviewer is offered; none in a project that plans no review, until somebody begins one."""
    with db.transaction() as session:
        file = sandbox.write("texts", rows=ROWS, more="overlap: 3\n")
        text = file.read_text("utf-8").replace(
            "question: {type: choice, text: Which?, options: [x, y]}\n", TEXT_QUESTION
        )
        file.write_text(text.replace(", gold: gold", ""), "utf-8")
        project = sandbox.started(session, file)
        answer(session, sandbox, project, "a", "one", "two")
        answer(session, sandbox, project, "b", "three")
        assert find(session, NeedKind.REVIEW) == []
        reviewer = Annotator(pseudonym="r", insider=True, created_at=NOW)
        session.add(reviewer)
        session.flush()
        waiting = submissions.list_submissions(session, project=project, reviewer=reviewer)
        for number, decision in enumerate((ReviewDecision.ACCEPTED, ReviewDecision.UNDONE)):
            review = SubmissionReview(
                assignment_id=waiting[number].answer_id, revision=0, number=0, annotator_id=reviewer.id or 0,
                decision=decision, at=NOW,
            )  # fmt: skip
            session.add(review)
        session.flush()
        listed = submissions.list_submissions(session, project=project, reviewer=reviewer)
        [need] = find(session, NeedKind.REVIEW)
        assert need.count == sum(one.decision is None for one in listed) == 2


def test_messages_people_cases_and_parked_rows_are_counted_by_project(
    db: database.Database, sandbox: Sandbox, words: str
) -> None:
    """Each with since when the first waits; general questions without a project. Settled rows are not counted."""
    hours = timedelta(hours=1)
    with db.transaction() as session:
        project = queries.get_project(session, words)
        answer(session, sandbox, project, "a", "x")
        item_id = sandbox.items(session, project)["a"].id or 0
        for ago, project_id, answered_at in (
            (3, project.id, None),
            (5, project.id, None),
            (9, project.id, NOW),
            (2, None, None),
        ):
            session.add(
                SupportMessage(
                    annotator_id=1, project_id=project_id, text="Чому?", at=NOW - ago * hours, answered_at=answered_at
                )
            )
        for ago, resolved_at in ((4, None), (6, NOW)):
            report: dict[str, Any] = {"at": NOW - ago * hours, "resolved_at": resolved_at, "reason": "typo"}
            session.add(Report(item_id=item_id, annotator_id=1, assignment_id=1, **report))
        for person, status in ((1, ParticipationStatus.PAUSED), (2, ParticipationStatus.EXCLUDED)):
            joined: dict[str, Any] = {"since": NOW - hours, "joined_at": NOW, "stage": Stage.MAIN}
            session.add(Participation(annotator_id=person, project_id=project.id or 0, status=status, **joined))
        drawn = GoldReview(project_id=project.id or 0, question="answer", seed=0, strata={}, created_at=NOW)
        session.add(drawn)
        session.flush()
        case: dict[str, Any] = {"candidates": [], "position": 1, "created_at": NOW, "question": "answer"}
        session.add(AdjudicationCase(item_id=item_id, reasons=["report"], gold_review_id=drawn.id, **case))
        session.add(
            Outbox(bot_id=1, chat_id=1, calls=[], created_at=NOW, due_at=NOW, reason="refused", parked_at=NOW - hours)
        )
        session.flush()
        found = [
            (need.kind, need.project, need.count, need.since)
            for need in list_needs(session, now=NOW, default_zone="UTC")
            if need.kind is not NeedKind.BOT
        ]
    assert found == [
        (NeedKind.PARKED, None, 1, NOW - hours),
        (NeedKind.QUESTION, "words", 2, NOW - 5 * hours),
        (NeedKind.QUESTION, None, 1, NOW - 2 * hours),
        (NeedKind.REPORT, "words", 1, NOW - 4 * hours),
        (NeedKind.PAUSED, "words", 1, NOW - hours),
        (NeedKind.GOLD_REVIEW, "words", 1, NOW),
    ]


@pytest.mark.parametrize(
    ("lease", "heartbeat", "received", "expected"),
    [
        (None, None, False, [(NeedKind.BOT, None)]),
        (None, None, True, []),
        (-1, None, True, [(NeedKind.BOT, -1)]),
        (-1, -9, True, [(NeedKind.BOT, -1)]),
        (1, -9, True, [(NeedKind.SILENCE, -9)]),
        (1, -4, True, []),
        (1, None, True, []),
    ],
)
def test_a_bot_that_is_off_or_hears_nothing_is_told_with_the_time(
    db: database.Database,
    words: str,
    lease: int | None,
    heartbeat: int | None,
    received: bool,
    expected: list[tuple[NeedKind, int | None]],
) -> None:
    """Times in minutes from now. Before the first bot that is so at once; only while a project runs."""
    minutes = timedelta(minutes=1)
    with db.transaction() as session:
        if lease is not None:
            session.add(ProcessLease(name="pacing", holder="h:1:1", until=NOW + lease * minutes))
        if heartbeat is not None:
            session.merge(Heartbeat(name=POLLING, at=NOW + heartbeat * minutes))
        if received:
            session.add(Inbox(bot_id=1, update_id=1, received_at=NOW, done_at=NOW))
        session.flush()
        found = find(session, NeedKind.BOT, NeedKind.SILENCE)
        times = [(kind, None if at is None else NOW + at * minutes) for kind, at in expected]
        assert [(need.kind, need.since) for need in found] == times
        transitions.pause_project(session, project=queries.get_project(session, words), now=NOW)
        assert find(session, NeedKind.BOT) == []


def take_part(session: Session, project: Project, annotator_id: int) -> None:
    """Have an annotator take part."""
    taking = Participation(
        project_id=project.id or 0, annotator_id=annotator_id, joined_at=NOW, stage=Stage.MAIN, since=NOW
    )
    session.add(taking)
    session.flush()


def test_no_bot_is_missed_where_everybody_is_simulated(db: database.Database, sandbox: Sandbox, words: str) -> None:
    """Until the first person takes part."""
    with db.transaction() as session:
        project = queries.get_project(session, words)
        session.execute(sa.update(Annotator).values(simulated=True))
        assert [need.kind for need in find(session, NeedKind.BOT)] == [NeedKind.BOT]
        take_part(session, project, sandbox.person(session, 1))
        assert find(session, NeedKind.BOT) == []
        take_part(session, project, sandbox.person(session, 9))
        assert [need.kind for need in find(session, NeedKind.BOT)] == [NeedKind.BOT]


def test_a_bot_that_ends_says_when(db: database.Database) -> None:
    with db.transaction() as session:
        for name in ("pacing", "polling"):
            processes.take_lease(session, name=name, holder="h", now=NOW, until=NOW + timedelta(seconds=15))
        processes.release_lease(session, name="pacing", holder="another", now=NOW)
        assert processes.find_last_lease_end(session) == NOW + timedelta(seconds=15)
        for name in ("pacing", "polling"):
            processes.release_lease(session, name=name, holder="h", now=NOW + timedelta(seconds=3))
        assert processes.find_last_lease_end(session) == NOW + timedelta(seconds=3)
        assert processes.take_lease(
            session, name="pacing", holder="b", now=NOW + timedelta(seconds=3), until=NOW + timedelta(seconds=9)
        )


@pytest.mark.parametrize(
    ("ago", "answered", "due"), [(None, True, True), (None, False, False), (3, True, True), (1, True, False)]
)
def test_a_backup_is_due_if_people_have_answered_since(
    db: database.Database, sandbox: Sandbox, words: str, ago: int | None, answered: bool, due: bool
) -> None:
    """Days since the newest backup, None without one; without answers there is nothing to lose."""
    with db.transaction() as session:
        if answered:
            answer(session, sandbox, queries.get_project(session, words), "a", "x")
            session.execute(sa.update(Judgement).values(answered_at=NOW))
        made_at = None if ago is None else NOW - timedelta(days=ago)
        facts = MachineFacts(free=1, needed=1, backup_at=made_at)
        assert [need.since for need in find(session, NeedKind.BACKUP, machine=facts)] == ([made_at] if due else [])
        assert find(session, NeedKind.BACKUP, NeedKind.DISK) == []


def test_projects_are_sorted_by_urgency_then_by_state(db: database.Database, sandbox: Sandbox) -> None:
    with db.transaction() as session:
        projects = {}
        for name in ("closed", "calm", "asked", "disputed"):
            rows = "".join(f"{name}{row}\n" for row in ROWS.splitlines())
            projects[name] = sandbox.started(session, sandbox.write(name, rows=rows))
        transitions.close_project(session, project=projects["closed"], now=NOW)
        needs = [
            Need(kind=NeedKind.BOT),
            Need(kind=NeedKind.DISPUTE, project_id=projects["disputed"].id),
            Need(kind=NeedKind.QUESTION, project_id=projects["asked"].id),
        ]
        ranked = rank_projects(needs, queries.list_projects(session))
        assert [project.name for project in ranked] == ["asked", "disputed", "calm", "closed"]
