"""How many statements a step costs where nothing special is asked: each is a round trip on PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from annotation.campaigns import programme_file as programme_files
from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import Cohort, Project
from annotation.vocabulary import AssignmentEnd, ProjectStatus, Surface
from annotation.workflow import assignments
from annotation.workflow.allocation import group_allocation
from annotation.workflow.annotators import withdrawal
from annotation.workflow.assignments import AnnotatorTransaction, journey, lock_annotator
from annotation.workflow.assignments.countdown import Countdown
from annotation.workflow.lifecycle import projects, readiness

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES = {"answer": "так"}
SHAPES: dict[str, dict[str, Any]] = {
    "an annotation": {},
    "a baseline with pages and caps": {
        "kind": "baseline", "pages": {"items": 10}, "caps": {"items": 1000, "items_per_day": 1000},
    },
}  # fmt: skip


@contextmanager
def counted(db: Database) -> Iterator[list[str]]:
    """The statements that are sent meanwhile, without those that begin and end transactions."""
    sent: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(" ".join(statement.split()))

    sa.event.listen(db.engine, "before_cursor_execute", listen)
    try:
        yield sent
    finally:
        sa.event.remove(db.engine, "before_cursor_execute", listen)


def asked(scenario: Scenario, transaction: AnnotatorTransaction) -> assignments.AssignedItem:
    """The next item, which has to be there."""
    found = assignments.assign_next_item(transaction, now=scenario.now)
    assert isinstance(found, assignments.AssignedItem)
    return found


def told(scenario: Scenario, transaction: AnnotatorTransaction, assigned: assignments.AssignedItem) -> None:
    """Its answer."""
    opened = assignments.open_assignment(transaction, assignment_id=assigned.assignment_id, now=scenario.now)
    made = assignments.submit_judgement(opened, revision=assigned.revision, answers=YES, now=scenario.now)
    assert not made.repeated


@pytest.fixture(params=SHAPES)
def at_work(scenario: Scenario, request: pytest.FixtureRequest) -> int:
    """An annotator in the middle of work."""
    scenario.project(items=40, **SHAPES[request.param])
    who = scenario.person()
    scenario.answers(who, 3)
    return who


def test_an_item_and_its_answer_cost_so_many_statements(scenario: Scenario, at_work: int) -> None:
    """Nine for an item, four for one that is live already, six for an answer."""
    with counted(scenario.db) as sent, scenario.db.transaction() as session:
        assigned = asked(scenario, lock_annotator(session, at_work))
    assert len(sent) <= 9, sent
    with counted(scenario.db) as sent, scenario.db.transaction() as session:
        assert asked(scenario, lock_annotator(session, at_work)) == assigned
    assert len(sent) <= 4, sent
    with counted(scenario.db) as sent, scenario.db.transaction() as session:
        told(scenario, lock_annotator(session, at_work), assigned)
    assert len(sent) <= 6, sent


def test_an_item_after_an_answer_reads_nothing_of_the_annotator_again(scenario: Scenario, at_work: int) -> None:
    """Twelve in all, in one transaction, as the bot does it; the counts in it are those after the answer."""
    assigned = scenario.assign(at_work)
    with counted(scenario.db) as sent, scenario.db.transaction() as session:
        transaction = lock_annotator(session, at_work)
        with transaction.collect_changes():
            told(scenario, transaction, assigned)
            following = asked(scenario, transaction)
    assert len(sent) <= 12, sent
    assert len([one for one in sent if one.startswith("UPDATE participation")]) == 1, sent
    assert following.number == assigned.number + 1
    participation = scenario.participation(at_work, assigned.project_id)
    assert (participation.answered, participation.shown) == (assigned.number, following.number)


def test_places_of_panels_cost_two_statements_more(scenario: Scenario) -> None:
    """The count of the panel's answers once the item is locked, and the participation before it is counted by."""
    panels = {"experts": {"cohort": "a", "votes": 1}, "lay": {"cohort": "b", "votes": 1}}
    scenario.project(items=40, panels=panels, overlap=2)
    who = scenario.person()
    with scenario.db.transaction() as session:
        session.add(Cohort(annotator_id=who, name="b"))
    scenario.answers(who, 3)
    assigned = scenario.assign(who)
    with counted(scenario.db) as sent, scenario.db.transaction() as session:
        transaction = lock_annotator(session, who)
        with transaction.collect_changes():
            told(scenario, transaction, assigned)
            asked(scenario, transaction)
    assert len(sent) <= 14, sent


def test_quality_rules_read_the_project_once(scenario: Scenario) -> None:
    """What was frozen and the lists of words come with the context, not each by a statement of its own."""
    made = scenario.project(items=10, quality=[{"rule": "seconds", "least": "1 s", "consequence": "flag"}])
    with scenario.db.transaction() as session:
        project = session.get_one(Project, made)
        project.frozen = readiness.build_frozen_record(session, project, now=scenario.now)
    who = scenario.person()
    scenario.answers(who, 2)
    assigned = scenario.assign(who)
    with counted(scenario.db) as sent, scenario.db.transaction() as session:
        told(scenario, lock_annotator(session, who), assigned)
    assert not [one for one in sent if "FROM project" in one]


@pytest.mark.parametrize("again", [False, True], ids=["the same value", "locked again"])
def test_a_quota_that_an_answer_fills_counts_in_the_same_transaction(scenario: Scenario, *, again: bool) -> None:
    """The next request sees the counts of the answer, also where it locks the annotator again."""
    programme_of(scenario, quota=2)
    who = scenario.person()
    scenario.answer(who)
    assigned = scenario.assign(who)
    assert assigned.project == "first"
    with scenario.db.transaction() as session:
        transaction = lock_annotator(session, who)
        with transaction.collect_changes():
            told(scenario, transaction, assigned)
            following = asked(scenario, lock_annotator(session, who) if again else transaction)
        assert following.project == "second"


def test_that_nothing_is_left_costs_as_few(scenario: Scenario) -> None:
    """Asked again when all is answered, and when all that is open has been met."""
    scenario.project(items=3, overlap=2)
    who = scenario.person()
    scenario.all(who)
    with counted(scenario.db) as sent:
        scenario.wait(who)
    assert len(sent) <= 6, sent
    scenario.all(scenario.person(2))
    with counted(scenario.db) as sent:
        scenario.wait(who)
    assert len(sent) <= 4, sent


@pytest.mark.parametrize("kind", ["annotation", "baseline"])
def test_an_answer_in_a_programme_costs_as_few(scenario: Scenario, kind: str) -> None:
    """Also where the next item is of another data set: what is left was counted when each of them began."""
    keys: dict[str, Any] = {"kind": kind, "reward": {"countdown": True, "emoji": "none"}}
    programme_of(scenario, order="interleaved", items=(40, 40), **keys)
    who = scenario.person()
    scenario.answers(who, 2)
    assigned = scenario.assign(who)
    for number in (4, 5, 6):
        with counted(scenario.db) as sent, scenario.db.transaction() as session:
            transaction = lock_annotator(session, who)
            with transaction.collect_changes():
                told(scenario, transaction, assigned)
                following = asked(scenario, transaction)
        assert len(sent) <= 12, sent
        assert following.project_id != assigned.project_id
        assert following.countdown == Countdown(total=80, answered=number - 1, wanted=160)
        assert following.number == number
        assigned = following


def test_an_item_given_back_counts_on(scenario: Scenario) -> None:
    """Given back at a pause and shown again after others, an item and those after it have the next numbers."""
    programme_of(scenario, order="interleaved", items=(2, 3), reward={"countdown": True, "emoji": "none"})
    who, numbers = scenario.person(), []
    scenario.answers(who, 2)
    given_back = scenario.assign(who)
    with scenario.db.transaction() as session:
        withdrawal.release_live_assignments(
            session, annotator_id=who, now=scenario.now, why=AssignmentEnd.PAUSED, surface=Surface.TELEGRAM
        )
    assigned = scenario.assign(who)
    assert assigned.assignment_id != given_back.assignment_id
    for _ in range(2):
        with scenario.db.transaction() as session:
            transaction = lock_annotator(session, who)
            with transaction.collect_changes():
                told(scenario, transaction, assigned)
                assigned = asked(scenario, transaction)
        numbers.append((assigned.number, assigned.assignment_id == given_back.assignment_id))
    assert numbers == [(4, True), (5, False)]


@pytest.mark.parametrize(("quota", "items", "total"), [
    (None, 2, 4), (None, 5, None), (2, 5, 4), (3, 5, 5), (4, 5, None), (1, 1, 3),
])  # fmt: skip
def test_a_large_data_set_is_known_by_its_quota_alone(
    scenario: Scenario, monkeypatch: pytest.MonkeyPatch, quota: int | None, items: int, total: int | None
) -> None:
    """Two items and one more are counted; a higher quota may be more than there are. The second data set has two."""
    monkeypatch.setattr(journey, "MOST_COUNTED", 2)
    programme_of(scenario, quota=quota, items=(items, 2), reward={"countdown": True, "emoji": "none"})
    found = scenario.assign(scenario.person()).journey
    assert found is not None
    assert (found.total, found.wanted) == (total, None if items > 2 else 2 * (items + 2))


def test_a_total_leaves_out_what_an_allocation_gives_to_others(scenario: Scenario) -> None:
    """Two projects share their groups: each annotator meets half of them in either."""
    groups = [f"g{number}" for number in range(6)]
    programme_of(scenario, items=(groups, groups), kind="baseline", reward={"countdown": True, "emoji": "none"})
    with scenario.db.transaction() as session:
        members = [queries.get_project(session, name) for name in ("first", "second")]
        for project in members:
            project.status = ProjectStatus.LOADED
        group_allocation.allocate_groups(session, projects=members, annotators=2, seed=1, now=scenario.now)
        for project in members:
            project.status = ProjectStatus.RUNNING
    who = scenario.person()
    found = scenario.assign(who).journey
    assert found is not None
    assert found.total == len(scenario.all(who))


def programme_of(
    scenario: Scenario, *, quota: int | None = None, order: str = "sequence", items: Sequence[Any] = (5, 5), **keys: Any
) -> None:
    """Two projects in one programme, the first with so many items for each annotator."""
    members = [{"file": "first.yaml"} | ({"quota": quota} if quota else {}), {"file": "second.yaml"}]
    whole = {"programme": "both", "title": "both", "language": "uk", "order": order, "projects": members}
    file = scenario.folder / "both.yaml"
    file.write_text(json.dumps(whole), "utf-8")
    for name, number in zip(("first", "second"), items, strict=True):
        scenario.project(name, items=number, **keys)
    with scenario.db.transaction() as session:
        projects.load_programme(session, programme_files.read_programme(file), now=scenario.now)
