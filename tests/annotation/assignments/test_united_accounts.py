"""Two accounts of one person become one: nothing is lost, and nothing counts twice."""

from __future__ import annotations

import contextlib
import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from _united_accounts import NO, YES, begin, check, list_responses, unite
from sqlmodel import col, select

from annotation.errors import NotFound, Stale
from annotation.store import database
from annotation.store.models import Annotator, Assignment, Judgement, Participation, Project
from annotation.vocabulary import FIRST_PAGE_ID, AssignmentStatus, ParticipationStatus, UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.annotators import united_accounts
from annotation.workflow.annotators.united_accounts import Move
from annotation.workflow.review import reviewers, submissions

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

REASON = "repeat: the same person answered earlier, with another account"


@pytest.mark.parametrize("first_on_page", [True, False])
def test_of_two_answers_to_an_item_the_earlier_counts(scenario: Scenario, first_on_page: bool) -> None:
    """The other is excluded with its reason, somebody else gets its place, and it can be changed no more."""
    project, page, own = begin(scenario, overlap=2)
    first, second = (page, own) if first_on_page else (own, page)
    scenario.answer(first, YES)
    scenario.later(seconds=5)
    again = scenario.assign(second)
    scenario.submit(second, again, NO)
    assert again.item == "p-m-1"
    scenario.later(seconds=5)
    assert unite(scenario, page, own) is Move.UNITED
    assert {row[:3] for row in list_responses(scenario)} == {("p-m-1", YES, None), ("p-m-1", NO, REASON)}
    item = scenario.item("p-m-1")
    assert (item.free, item.n_live, item.n_done) == (1, 1, 1)
    for attempt in (
        lambda: scenario.undo(own, again),
        lambda: scenario.submit(own, again, YES, revision=1),
        lambda: scenario.skip(own, again),
    ):
        with pytest.raises(Stale):
            attempt()
    assert scenario.answer(scenario.person(3)) == "p-m-1"
    assert scenario.all(own) == ["p-m-2", "p-m-3"]
    assert scenario.participation(own, project).shown == 4
    check(scenario)


def test_a_rejection_taken_back_afterwards_leaves_the_second_answer_out(scenario: Scenario) -> None:
    """It was rejected before the accounts were united, and is a repeat then."""
    texts = [{"name": "answer", "type": "text", "text": "Чому?"}]
    project, page, own = begin(scenario, overlap=2, questions=texts)
    scenario.answer(page, YES)
    scenario.later(seconds=5)
    again = scenario.assign(own)
    scenario.submit(own, again, NO)
    with scenario.db.transaction() as session:
        reviewer = reviewers.add_reviewer(session, name="olha", key=b"k" * 32, now=scenario.now)
        made, answer = session.get_one(Project, project), again.assignment_id
        submissions.reject_answer(
            session, project=made, reviewer=reviewer, answer_id=answer, revision=0, reason="x", now=scenario.now
        )
    assert unite(scenario, page, own) is Move.UNITED
    with scenario.db.transaction() as session:
        reviewer, made = session.get_one(Annotator, reviewer.id), session.get_one(Project, project)
        assert submissions.undo_review(session, project=made, reviewer=reviewer, now=scenario.now) == (answer,)
    assert {row[:3] for row in list_responses(scenario)} == {("p-m-1", YES, None), ("p-m-1", NO, REASON)}
    check(scenario)


def test_what_only_one_answered_counts(scenario: Scenario) -> None:
    """All answers are one person's then, numbered after one another, and the page's account is gone."""
    project, page, own = begin(scenario, items=4, overlap=1)
    scenario.answers(page, 2)
    scenario.answers(own, 1)
    assert unite(scenario, page, own) is Move.UNITED
    assert sorted(list_responses(scenario)) == [
        ("p-m-1", YES, None, 2),
        ("p-m-2", YES, None, 3),
        ("p-m-3", YES, None, 1),
    ]
    assert scenario.all(own) == ["p-m-4"]
    with scenario.db.transaction() as session:
        assert session.get(Annotator, page) is None
        joined = session.exec(select(Participation)).one()
        assert (joined.annotator_id, joined.answered, joined.shown, joined.answered_today) == (own, 4, 4, 4)
        with pytest.raises(NotFound):
            database.lock_annotator(session, page)
    check(scenario)
    assert scenario.participation(own, project).status is ParticipationStatus.ACTIVE


def test_of_two_items_in_hand_that_of_the_chat_stays(scenario: Scenario) -> None:
    """That of the page goes back, and is the next one."""
    _, page, own = begin(scenario, overlap=1)
    on_page, in_chat = scenario.assign(page), scenario.assign(own)
    assert on_page.item != in_chat.item
    unite(scenario, page, own)
    assert scenario.answer(own) == in_chat.item
    assert scenario.answer(own) == on_page.item
    check(scenario)


def test_an_item_in_hand_on_the_page_goes_along(scenario: Scenario) -> None:
    """Where nothing is asked in the chat."""
    _, page, own = begin(scenario)
    scenario.answer(own)
    held = scenario.assign(page)
    unite(scenario, page, own)
    if held.item == "p-m-1":
        assert scenario.answer(own) == "p-m-2"
    check(scenario)


@pytest.mark.parametrize("before", ["live", "expired", "skipped"])
@pytest.mark.parametrize("on_page", [True, False])
def test_an_item_that_the_other_account_answered_waits_for_nothing(
    scenario: Scenario, before: str, on_page: bool
) -> None:
    """Whether it was in hand, ran out or was skipped: neither a late answer nor an undo makes a second one count."""
    _, page, own = begin(scenario, overlap=2)
    waiting, answering = (page, own) if on_page else (own, page)
    held = scenario.assign(waiting)
    if before == "skipped":
        scenario.skip(waiting, held)
    if before == "expired":
        scenario.later(hours=2)
        scenario.expire()
    assert scenario.answer(answering) == held.item == "p-m-1"
    unite(scenario, page, own)
    for attempt in (lambda: scenario.submit(own, held, NO), lambda: scenario.undo(own, held)):
        with pytest.raises(Stale):
            attempt()
    item = scenario.item("p-m-1")
    assert (item.free, item.n_live, item.n_done) == (1, 1, 1)
    assert scenario.all(own) == ["p-m-2", "p-m-3"]
    check(scenario)


def test_an_abstention_and_an_answer_are_two_answers(scenario: Scenario) -> None:
    """Both fill the overlap, so one gives its place back."""
    question = {"type": "choice", "text": "Так?", "options": [YES, NO], "abstain": "?"}
    _, page, own = begin(scenario, question=question)
    scenario.answer(page, YES)
    scenario.later(seconds=1)
    scenario.answer(own, "?")
    unite(scenario, page, own)
    assert {row[2] for row in list_responses(scenario)} == {None, REASON}
    assert scenario.item("p-m-1").free == 1


def test_repeats_and_their_agreement_stay(scenario: Scenario) -> None:
    """A repeat of the answer that counts is one still; the other account's is none, and no more of them come."""
    project, page, own = begin(scenario, items=1, repeats={"share": 1, "after": "24 h"}, overlap=2)
    scenario.answer(own, YES)
    scenario.later(seconds=1)
    scenario.answer(page, NO)
    scenario.later(hours=25)
    scenario.answer(own, YES)
    unite(scenario, page, own)
    assert scenario.wait(own).reason is UnassignedReason.NOTHING_LEFT
    with scenario.db.transaction() as session:
        rows = session.exec(select(Assignment).order_by(col(Assignment.occasion))).all()
        assert [(row.occasion, row.is_repeat, row.status.value) for row in rows] == [
            (0, False, "done"), (1, True, "done"), (2, False, "withdrawn"),
        ]  # fmt: skip
    assert scenario.participation(own, project).answered == 3


def test_second_passes_of_both(scenario: Scenario) -> None:
    """The second look at an answer that counts stays; that of the other account is closed with its first."""
    questions = [
        {"name": "one", "type": "choice", "text": "Так?", "options": [YES, NO]},
        {"name": "two", "type": "choice", "text": "Точно?", "options": [YES, NO], "step": 2},
    ]
    _, page, own = begin(scenario, items=1, questions=questions, kind="annotation")

    def answer(who: int) -> None:
        for name in ("one", "two"):
            assigned = scenario.assign(who)
            with scenario.db.transaction() as session:
                opened = scenario.open(session, who, assigned.assignment_id)
                assignments.submit_judgement(opened, revision=0, answers={name: YES}, now=scenario.now)

    answer(page)
    scenario.later(seconds=1)
    answer(own)
    unite(scenario, page, own)
    with scenario.db.transaction() as session:
        rows = session.exec(select(Assignment).order_by(col(Assignment.id))).all()
        assert [(row.occasion, row.status.value) for row in rows[:2]] == [(0, "done"), (-1, "done")]
        assert sorted(row.occasion for row in rows[2:]) == [2, 3]
        assert {row.status for row in rows[2:]} == {AssignmentStatus.WITHDRAWN}
    assert scenario.wait(own).reason is UnassignedReason.NOTHING_LEFT


def test_a_baseline_shows_a_group_to_a_person_once(scenario: Scenario) -> None:
    """Of two items of a group, one for each account, the later is exposed and does not count."""
    _, page, own = begin(scenario, kind="baseline", items=["g", "g", "h"], overlap=1)
    assert scenario.answer(page) == "p-m-1"
    assert scenario.answer(own) == "p-m-2"
    unite(scenario, page, own)
    assert {row[:3] for row in list_responses(scenario)} == {
        ("p-m-1", YES, None),
        ("p-m-2", YES, "exposed: scored apart"),
    }
    assert scenario.item("p-m-2").free == 1
    assert scenario.all(own) == ["p-m-3"]
    assert scenario.all(scenario.person(3)) == ["p-m-2"]


@pytest.mark.parametrize("excepted", [True, False])
def test_what_was_met_in_another_project_is_exposed(scenario: Scenario, excepted: bool) -> None:
    """Who met a group with one account answers no item of it in a baseline with the other, unless that is excepted."""
    more = {"exposure": {"exceptions": ["filter"]}} if excepted else {}
    filtering = scenario.project("filter", items=["g", "f"], kind="annotation")
    project, page, own = begin(scenario, kind="baseline", items=["g", "h"], overlap=1, **more)
    scenario.answer(page, project=filtering)
    scenario.later(seconds=1)
    assert scenario.answers(own, 2, project=project) == ["p-m-1", "p-m-2"]
    unite(scenario, page, own)
    assert {row[:3] for row in list_responses(scenario)} == {
        ("p-m-1", YES, "exposed: scored apart"),
        ("p-m-2", YES, None),
    }
    assert scenario.item("p-m-1").free == (0 if excepted else 1)


def test_an_answer_on_the_way_is_stored_before_or_not_at_all(scenario: Scenario) -> None:
    """Several people work while two accounts are united; an answer of the page finds its account, or none."""
    _, page, own = begin(scenario, items=12, overlap=3)
    others = [scenario.person(number) for number in (3, 4)]
    held = scenario.assign(page)
    scenario.answers(own, 2)

    def answer_on_page() -> str:
        try:
            scenario.submit(page, held)
        except Stale:
            return "gone"
        return "stored"

    with ThreadPoolExecutor(4) as pool:
        busy = [pool.submit(scenario.answers, who, 6) for who in others]
        answering = pool.submit(answer_on_page)
        uniting = pool.submit(unite_alone, scenario, page, own)
        assert [len(work.result()) for work in busy] == [6, 6]
        assert uniting.result() is Move.UNITED
    check(scenario)
    with scenario.db.transaction() as session:
        stored = session.exec(select(Judgement).where(Judgement.assignment_id == held.assignment_id)).all()
        assert len(stored) == (answering.result() == "stored")
    scenario.all(own)
    check(scenario)


def unite_alone(scenario: Scenario, page: int, own: int) -> Move:
    """Unite two accounts while others work."""
    with scenario.db.transaction() as session:
        kept = database.lock_annotator(session, own)
        gone = database.lock_annotator(session, page)
        return united_accounts.move_to_telegram(session, account=gone, own=kept, is_confirmed=True, now=scenario.now)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_two_accounts_did(scenario: Scenario, seed: int) -> None:
    """Random work of three people in three projects, of which one has two accounts, before and after these are one."""
    rng = random.Random(seed)  # noqa: S311
    groups = ["a", "a", "b", "c", "c", "d"]
    repeats = {"share": 0.5, "after": "24 h"}
    stages = {"training": {"pool": {"file": scenario.items("t", 2)}, "pass_mark": "1 of 2", "attempts": 3}}
    numbers = [
        scenario.project("p", kind="baseline", items=groups, overlap=2, stages=stages),
        scenario.project("q", kind="annotation", items=groups, overlap=2, repeats=repeats),
        scenario.project("r", kind="baseline", items=groups, overlap=1, exposure={"exceptions": ["q"]}),
    ]
    people = {scenario.person(FIRST_PAGE_ID + 1), scenario.person(1), scenario.person(3)}
    page, own, _ = sorted(people)
    for turn in range(120):
        if turn == 70:
            unite(scenario, page, own)
            people.remove(page)
        act(scenario, rng, rng.choice(sorted(people)), rng.choice(numbers))
    check(scenario)


def act(scenario: Scenario, rng: random.Random, who: int, project: int) -> None:
    """Somebody answers, skips, undoes or leaves an item, or time passes."""
    scenario.later(seconds=rng.choice([1, 60, 900, 2400, 90_000]))
    found = scenario.request_item(who, project)
    if not isinstance(found, assignments.AssignedItem):
        return
    what = rng.choice(["answer", "answer", "answer", "skip", "undo", "leave"])
    if what == "skip":
        scenario.skip(who, found)
    elif what != "leave":
        scenario.submit(who, found, rng.choice([YES, NO]))
    if what == "undo":
        with contextlib.suppress(Stale):
            scenario.submit(who, scenario.undo(who, found), NO)
