"""What becomes of answers: late ones, repeated ones, undone ones; skips and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.errors import BadInput, NotFound, Stale
from annotation.store import frames
from annotation.store.models import Exposure, Item, Journal, Judgement, Project
from annotation.vocabulary import (
    ABSTAINED,
    EXTRA,
    AssignmentStatus,
    Event,
    ExposureCause,
    ItemStatus,
    ProjectStatus,
    UnassignedReason,
)
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import consents
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.review import cases

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"


def test_a_lease_that_is_over_gives_the_place_to_another(scenario: Scenario) -> None:
    """After half an hour; the late answer is kept, and does not count."""
    project = scenario.project(items=1, overlap=1)
    one, other = scenario.person(1), scenario.person(2)
    assigned = scenario.assign(one, project)
    scenario.later(minutes=29)
    assert scenario.wait(other, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.later(minutes=2)
    taken = scenario.assign(other, project)
    assert taken.item == assigned.item
    saved = scenario.submit(one, assigned, NO)
    assert saved.extra
    assert scenario.submit(one, assigned, NO).repeated
    with pytest.raises(Stale):
        scenario.undo(one, assigned)
    assert scenario.judgements(assigned) == [(0, NO, None, EXTRA.reason)]
    scenario.submit(other, taken)
    assert scenario.wait(one, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.check_counts()


def test_a_late_answer_that_is_needed_counts(scenario: Scenario) -> None:
    """Nobody took the place, so the annotator gets it again."""
    project = scenario.project(items=1, overlap=1)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.later(hours=2)
    assert scenario.expire() == 1
    assert scenario.assignment(assigned).status is AssignmentStatus.EXPIRED
    assert not scenario.submit(who, assigned).extra
    assert (scenario.assignment(assigned).holds_place, scenario.item(assigned.item).n_done) == (True, 1)
    scenario.check_counts()


def test_a_late_answer_on_a_group_met_elsewhere_since_is_extra(scenario: Scenario) -> None:
    """In a baseline: the place is free, but the annotator corrected the story meanwhile."""
    project = scenario.project(items=["story"], kind="baseline")
    elsewhere = scenario.project("elsewhere", items=["story"])
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.later(hours=1)
    scenario.expire()
    scenario.answer(who, project=elsewhere)
    assert scenario.submit(who, assigned).extra
    scenario.check_counts()


def test_an_answer_after_the_project_closed_is_extra(scenario: Scenario) -> None:
    """It is kept, its place given back."""
    project = scenario.project(items=1)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.status(project, ProjectStatus.CLOSED)
    assert scenario.submit(who, assigned).extra
    assert scenario.item(assigned.item).n_live == 0
    scenario.check_counts()


def test_an_overdue_item_stays_with_its_annotator_until_another_takes_it(scenario: Scenario) -> None:
    """The annotator's own next step renews the lease; the lease of a project is its own."""
    project = scenario.project(items=1, overlap=1, lease="2 h")
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.later(hours=3)
    assert scenario.assign(who, project) == assigned
    scenario.later(minutes=110)
    assert scenario.expire() == 0


def test_the_same_tap_twice_is_one_answer(scenario: Scenario) -> None:
    """The second says so; another answer to the same revision is refused."""
    project = scenario.project()
    who = scenario.person()
    assigned = scenario.assign(who, project)
    first = scenario.submit(who, assigned)
    again = scenario.submit(who, assigned)
    assert (first.repeated, again.repeated, again.answer) == (False, True, first.answer)
    for label, revision in ((NO, 0), (YES, 1), (YES, 5)):
        with pytest.raises(Stale):
            scenario.submit(who, assigned, label, revision=revision)
    assert scenario.judgements(assigned) == [(0, YES, None, None)]


def test_an_answer_that_cannot_be_taken_is_refused_in_words(scenario: Scenario) -> None:
    """The item stays assigned."""
    project = scenario.project()
    who = scenario.person()
    assigned = scenario.assign(who, project)
    with pytest.raises(BadInput, match="cannot be answered with"):
        scenario.submit(who, assigned, "можливо")
    assert scenario.assign(who, project) == assigned


def test_an_abstention_fills_the_place_and_does_not_count(scenario: Scenario) -> None:
    """It can be mended into an answer that counts, and back."""
    question = {"type": "choice", "text": "Так?", "options": [YES, NO], "abstain": "не знаю"}
    project = scenario.project(items=1, question=question)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.submit(who, assigned, "не знаю")
    scenario.submit(who, scenario.undo(who, assigned), NO)
    assert scenario.judgements(assigned) == [(0, "не знаю", None, ABSTAINED.reason), (1, NO, None, None)]
    scenario.check_counts()


def test_undo_opens_a_revision_while_the_answer_stays(scenario: Scenario) -> None:
    """The live item stays where it is; asking twice opens one revision; the first answer is kept."""
    project = scenario.project()
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.submit(who, assigned)
    live = scenario.assign(who, project)
    opened = scenario.undo(who, assigned)
    assert (opened.assignment_id, opened.revision, opened.questions) == (assigned.assignment_id, 1, assigned.questions)
    assert scenario.undo(who, assigned) == opened
    assert scenario.judgements(assigned) == [(0, YES, None, None)]
    assert scenario.assign(who, project) == live
    assert scenario.submit(who, opened, NO).revision == 1
    assert scenario.submit(who, opened, NO).repeated
    assert scenario.judgements(assigned) == [(0, YES, None, None), (1, NO, None, None)]
    assert scenario.undo(who, assigned).revision == 2
    scenario.check_counts()


def test_undo_is_closed_once_another_item_of_the_group_was_shown(scenario: Scenario) -> None:
    """In whichever project; also for a revision that was opened before."""
    project = scenario.project(items=["story", "story"])
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.submit(who, assigned)
    opened = scenario.undo(who, assigned)
    scenario.assign(who, project)
    with pytest.raises(Stale):
        scenario.undo(who, assigned)
    with pytest.raises(Stale):
        scenario.submit(who, opened, NO)


def test_undo_is_closed_with_the_project_and_for_other_annotators(scenario: Scenario) -> None:
    """And before there is an answer."""
    project = scenario.project()
    who, stranger = scenario.person(1), scenario.person(2)
    assigned = scenario.assign(who, project)
    for person in (who, stranger):
        with pytest.raises(Stale):
            scenario.undo(person, assigned)
    scenario.submit(who, assigned)
    scenario.status(project, ProjectStatus.CLOSED)
    with pytest.raises(Stale):
        scenario.undo(who, assigned)


@pytest.mark.parametrize(
    ("kind", "status", "excluded", "free"),
    [("baseline", AssignmentStatus.DONE, None, 1), ("annotation", AssignmentStatus.SKIPPED, "skipped", 2)],
)
def test_a_skip_fills_its_place_in_a_baseline_alone(
    scenario: Scenario, kind: str, status: AssignmentStatus, excluded: str | None, free: int
) -> None:
    """Either way it is kept with its reason, is stored once, and the item does not come back."""
    project = scenario.project(items=1, kind=kind)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    assert not scenario.skip(who, assigned).repeated
    assert scenario.skip(who, assigned).repeated
    assert scenario.judgements(assigned) == [(0, "", "не розумію", excluded)]
    assert (scenario.assignment(assigned).status, scenario.item(assigned.item).free) == (status, free)
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    with pytest.raises(Stale):
        scenario.submit(who, assigned)
    scenario.check_counts()


def test_an_answered_item_cannot_be_skipped(scenario: Scenario) -> None:
    """It is undone, not skipped."""
    project = scenario.project()
    who = scenario.person()
    assigned = scenario.assign(who, project)
    scenario.submit(who, assigned)
    with pytest.raises(Stale):
        scenario.skip(who, assigned)


def test_two_peoples_reports_pause_an_item(scenario: Scenario) -> None:
    """One annotator counts once; who has the item already may answer it; nobody else gets it."""
    project = scenario.project(items=1, overlap=3)
    one, other, third = (scenario.person(number) for number in (1, 2, 3))
    assigned_items = scenario.assign(one, project), scenario.assign(other, project)
    first, second = assigned_items
    reports = [scenario.report(one, first), scenario.report(one, first), scenario.report(other, second)]
    assert [(report.repeated, report.paused) for report in reports] == [(False, False), (True, False), (False, True)]
    assert scenario.item("p-m-1").status is ItemStatus.PAUSED
    scenario.submit(one, assigned_items[0])
    assert scenario.wait(third, project).reason is UnassignedReason.NOTHING_LEFT
    with scenario.db.transaction() as session:
        written = session.exec(select(Journal.data).where(Journal.event == Event.ITEM_PAUSED.value)).one()
    assert written == {"item": "p-m-1", "reports": 2}
    scenario.check_counts()


def test_what_a_person_met_is_written_down_by_its_cause(scenario: Scenario) -> None:
    """Once for each group, however often the item is assigned."""
    stages = {"training": {"pool": {"file": scenario.items("training", 1)}}}
    project = scenario.project(items=1, stages=stages)
    who = scenario.person()
    scenario.answer(who, project=project)
    scenario.assign(who, project)
    scenario.later(hours=1)
    scenario.expire()
    scenario.assign(who, project)
    with scenario.db.transaction() as session:
        met = session.exec(select(Exposure.group_id, Exposure.cause).where(Exposure.annotator_id == who)).all()
    assert sorted(met) == [("p-1", ExposureCause.ANSWERED), ("training-1", ExposureCause.TRAINING)]


def test_several_questions_are_stored_by_name(scenario: Scenario) -> None:
    """The first answers for the whole in `response`; the options of each question have an order of their own."""
    first = {"name": "fit", "type": "choice", "text": "Так?", "options": [YES, NO]}
    second = {"name": "why", "type": "choices", "text": "Чому?", "options": ["а", "б", "в"], "shuffle": True}
    project = scenario.project(question=None, questions=[first, second], items=1)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    orders = scenario.assignment(assigned).option_orders
    assert orders is not None
    assert assigned.questions[0].options == (YES, NO)
    assert assigned.questions[1].options == tuple("абв"[index] for index in orders["why"])
    raw = {"fit": NO, "why": ["в", "а"]}
    for repeated in (False, True):
        with scenario.db.transaction() as session:
            saved = assignments.submit_judgement(
                assignments.open_assignment(
                    assignments.lock_annotator(session, who), assignment_id=assigned.assignment_id, now=scenario.now
                ),
                revision=0,
                answers=raw,
                now=scenario.now,
            )
        assert saved.repeated is repeated
    with scenario.db.transaction() as session:
        kept = session.exec(select(Judgement)).one()
    assert (kept.response, kept.answers) == (NO, {"fit": NO, "why": '["а", "в"]'})


def test_reports_on_an_item_that_is_well_are_dismissed(scenario: Scenario) -> None:
    """They are listed until then; the item goes on, and another report counts from the beginning."""
    project = scenario.project(items=1, overlap=3)
    one, other, third = (scenario.person(number) for number in (1, 2, 3))
    for who in (one, other):
        assigned = scenario.assign(who, project)
        scenario.submit(who, assigned)
        scenario.report(who, assigned)
    with scenario.db.transaction() as session:
        assert [(found.item, found.paused) for found in cases.list_open_reports(session)] == [("p-m-1", True)] * 2
        found = session.get_one(Project, project)
        assert cases.dismiss_reports(session, project=found, item="p-m-1", now=scenario.now) == 2
        assert cases.list_open_reports(session, project_id=project) == []
        with pytest.raises(NotFound, match="Nothing is reported"):
            cases.dismiss_reports(session, project=found, item="p-m-1", now=scenario.now)
    assigned = scenario.assign(third, project)
    assert not scenario.report(third, assigned).paused
    scenario.check_counts()


def test_a_live_item_that_was_fixed_is_answered_as_it_is_shown_again(scenario: Scenario) -> None:
    """The revision that the annotator saw last is stored with the answer, and it can be undone."""
    project = scenario.project(items=1)
    who = scenario.person()
    assigned = scenario.assign(who, project)
    with scenario.db.transaction() as session:
        item = session.exec(select(Item)).one()
        item.revision, item.stimulus, item.stimulus_sha256 = 2, "краще", "2" * 64
        session.add(item)
    assert scenario.assign(who, project).stimulus == "краще"
    scenario.submit(who, assigned)
    kept = scenario.assignment(assigned)
    assert (kept.item_revision, kept.stimulus_sha256) == (2, "2" * 64)
    scenario.undo(who, assigned)


def test_without_consent_nothing_is_taken(scenario: Scenario) -> None:
    """The live item goes back, other projects stay open, the late answer is refused until consent is given again."""
    (scenario.folder / "consent.md").write_text("Згода", "utf-8")
    project = scenario.project(items=1, consent={"file": "consent.md", "version": "1"})
    other, who = scenario.project("other"), scenario.person()
    with scenario.db.transaction() as session:
        found = session.get_one(Project, project)
        asked = definitions.get_terms(session, project=found, definition=definitions.get_project_definition(found))
        assert asked.consent is not None
        sha256 = asked.consent.sha256
        consents.give_consent(session, annotator_id=who, terms=asked, sha256=sha256, now=scenario.now)
    assigned = scenario.assign(who, project)
    with scenario.db.transaction() as session:
        assert consents.withdraw_consent(session, annotator_id=who, scope="project p", now=scenario.now)
    assert scenario.wait(who, project).reason is UnassignedReason.CONSENT
    scenario.answer(who, project=other)
    with pytest.raises(Stale, match="consent"):
        scenario.submit(who, assigned)
    with scenario.db.transaction() as session:
        found = session.get_one(Project, project)
        asked = definitions.get_terms(session, project=found, definition=definitions.get_project_definition(found))
        consents.give_consent(session, annotator_id=who, terms=asked, sha256=sha256, now=scenario.now)
    assert not scenario.submit(who, assigned).extra
    scenario.check_counts()


def test_an_item_whose_questions_are_all_left_open_counts_nowhere(scenario: Scenario) -> None:
    """Neither in the status nor in the answers that are published; where one question is answered, that one counts."""
    question = {"type": "choice", "options": [YES, NO], "required": False}
    asked = [question | {"name": name, "text": f"{name}?"} for name in ("first", "second")]
    project, person = scenario.project(questions=asked), scenario.person()
    for given in ({}, {"second": YES}):
        assigned = scenario.assign(person, project)
        with scenario.db.transaction() as session:
            assignments.submit_judgement(
                scenario.open(session, person, assigned.assignment_id), revision=0, answers=given, now=scenario.now
            )
    with scenario.db.reading() as session:
        stored = session.get_one(Project, project)
        status = campaign_status.get_campaign_status(session, stored)
        published = [frames.read_responses(session, stored, later=later) for later in (None, "second")]
    assert (status.answers, status.excluded) == (2, {"no response": 1})
    assert [list(frame["excluded_kind"]) for frame in published] == [
        ["no answer", "no answer"],
        ["no answer", None],
    ]
