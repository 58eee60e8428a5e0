"""What becomes of answers: late ones, repeated ones, undone ones; skips and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.errors import BadInput, NotFound, Stale
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
from annotation.workflow.annotators import consents, terms
from annotation.workflow.review import problem_reports

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Room

YES, NO = "так", "ні"


def test_a_lease_that_is_over_gives_the_place_to_another(room: Room) -> None:
    """After half an hour; the late answer is kept, and does not count."""
    project = room.project(items=1, overlap=1)
    one, other = room.person(1), room.person(2)
    assigned = room.assign(one, project)
    room.later(minutes=29)
    assert room.wait(other, project).reason is UnassignedReason.NOTHING_LEFT
    room.later(minutes=2)
    taken = room.assign(other, project)
    assert taken.item == assigned.item
    saved = room.submit(one, assigned, NO)
    assert saved.extra
    assert room.submit(one, assigned, NO).repeated
    with pytest.raises(Stale):
        room.undo(one, assigned)
    assert room.judgements(assigned) == [(0, NO, None, EXTRA)]
    room.submit(other, taken)
    assert room.wait(one, project).reason is UnassignedReason.NOTHING_LEFT
    room.sound()


def test_a_late_answer_that_is_needed_counts(room: Room) -> None:
    """Nobody took the place, so the annotator gets it again."""
    project = room.project(items=1, overlap=1)
    who = room.person()
    assigned = room.assign(who, project)
    room.later(hours=2)
    assert room.expire() == 1
    assert room.assignment(assigned).status is AssignmentStatus.EXPIRED
    assert not room.submit(who, assigned).extra
    assert (room.assignment(assigned).holds_place, room.item(assigned.item).n_done) == (True, 1)
    room.sound()


def test_a_late_answer_on_a_group_met_elsewhere_since_is_extra(room: Room) -> None:
    """In a baseline: the place is free, but the annotator corrected the story meanwhile."""
    project = room.project(items=["story"], kind="baseline")
    elsewhere = room.project("elsewhere", items=["story"])
    who = room.person()
    assigned = room.assign(who, project)
    room.later(hours=1)
    room.expire()
    room.answer(who, project=elsewhere)
    assert room.submit(who, assigned).extra
    room.sound()


def test_an_answer_after_the_project_closed_is_extra(room: Room) -> None:
    """It is kept, its place given back."""
    project = room.project(items=1)
    who = room.person()
    assigned = room.assign(who, project)
    room.status(project, ProjectStatus.CLOSED)
    assert room.submit(who, assigned).extra
    assert room.item(assigned.item).n_live == 0
    room.sound()


def test_an_overdue_item_in_her_hands_is_hers_until_somebody_takes_it(room: Room) -> None:
    """The annotator's own next step renews the lease; the lease of a project is its own."""
    project = room.project(items=1, overlap=1, lease="2 h")
    who = room.person()
    assigned = room.assign(who, project)
    room.later(hours=3)
    assert room.assign(who, project) == assigned
    room.later(minutes=110)
    assert room.expire() == 0


def test_the_same_tap_twice_is_one_answer(room: Room) -> None:
    """The second says so; another answer to the same revision is refused."""
    project = room.project()
    who = room.person()
    assigned = room.assign(who, project)
    first = room.submit(who, assigned)
    again = room.submit(who, assigned)
    assert (first.repeated, again.repeated, again.answer) == (False, True, first.answer)
    for label, revision in ((NO, 0), (YES, 1), (YES, 5)):
        with pytest.raises(Stale):
            room.submit(who, assigned, label, revision=revision)
    assert room.judgements(assigned) == [(0, YES, None, None)]


def test_an_answer_that_cannot_be_taken_is_refused_in_words(room: Room) -> None:
    """The item stays assigned."""
    project = room.project()
    who = room.person()
    assigned = room.assign(who, project)
    with pytest.raises(BadInput, match="cannot be answered with"):
        room.submit(who, assigned, "можливо")
    assert room.assign(who, project) == assigned


def test_an_abstention_fills_the_place_and_does_not_count(room: Room) -> None:
    """It can be mended into an answer that counts, and back."""
    question = {"type": "choice", "text": "Так?", "options": [YES, NO], "abstain": "не знаю"}
    project = room.project(items=1, question=question)
    who = room.person()
    assigned = room.assign(who, project)
    room.submit(who, assigned, "не знаю")
    room.submit(who, room.undo(who, assigned), NO)
    assert room.judgements(assigned) == [(0, "не знаю", None, ABSTAINED), (1, NO, None, None)]
    room.sound()


def test_undo_opens_a_revision_while_the_answer_stands(room: Room) -> None:
    """The live item stays where it is; asking twice opens one revision; the first answer is kept."""
    project = room.project()
    who = room.person()
    assigned = room.assign(who, project)
    room.submit(who, assigned)
    live = room.assign(who, project)
    opened = room.undo(who, assigned)
    assert (opened.assignment_id, opened.revision, opened.questions) == (assigned.assignment_id, 1, assigned.questions)
    assert room.undo(who, assigned) == opened
    assert room.judgements(assigned) == [(0, YES, None, None)]
    assert room.assign(who, project) == live
    assert room.submit(who, opened, NO).revision == 1
    assert room.submit(who, opened, NO).repeated
    assert room.judgements(assigned) == [(0, YES, None, None), (1, NO, None, None)]
    assert room.undo(who, assigned).revision == 2
    room.sound()


def test_undo_is_closed_once_another_item_of_the_group_was_shown(room: Room) -> None:
    """In whichever project; also for a revision that was opened before."""
    project = room.project(items=["story", "story"])
    who = room.person()
    assigned = room.assign(who, project)
    room.submit(who, assigned)
    opened = room.undo(who, assigned)
    room.assign(who, project)
    with pytest.raises(Stale):
        room.undo(who, assigned)
    with pytest.raises(Stale):
        room.submit(who, opened, NO)


def test_undo_is_closed_with_the_project_and_for_strangers(room: Room) -> None:
    """And before there is an answer."""
    project = room.project()
    who, stranger = room.person(1), room.person(2)
    assigned = room.assign(who, project)
    for person in (who, stranger):
        with pytest.raises(Stale):
            room.undo(person, assigned)
    room.submit(who, assigned)
    room.status(project, ProjectStatus.CLOSED)
    with pytest.raises(Stale):
        room.undo(who, assigned)


@pytest.mark.parametrize(
    ("kind", "status", "excluded", "free"),
    [("baseline", AssignmentStatus.DONE, None, 1), ("annotation", AssignmentStatus.SKIPPED, "skipped", 2)],
)
def test_a_skip_fills_its_place_in_a_baseline_alone(
    room: Room, kind: str, status: AssignmentStatus, excluded: str | None, free: int
) -> None:
    """Either way it is kept with its reason, is stored once, and the item does not come back."""
    project = room.project(items=1, kind=kind)
    who = room.person()
    assigned = room.assign(who, project)
    assert not room.skip(who, assigned).repeated
    assert room.skip(who, assigned).repeated
    assert room.judgements(assigned) == [(0, "", "не розумію", excluded)]
    assert (room.assignment(assigned).status, room.item(assigned.item).free) == (status, free)
    assert room.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    with pytest.raises(Stale):
        room.submit(who, assigned)
    room.sound()


def test_an_answered_item_cannot_be_skipped(room: Room) -> None:
    """It is undone, not skipped."""
    project = room.project()
    who = room.person()
    assigned = room.assign(who, project)
    room.submit(who, assigned)
    with pytest.raises(Stale):
        room.skip(who, assigned)


def test_two_peoples_reports_pause_an_item(room: Room) -> None:
    """One annotator counts once; who has the item already may answer it; nobody else gets it."""
    project = room.project(items=1, overlap=3)
    one, other, third = (room.person(number) for number in (1, 2, 3))
    assigned_items = room.assign(one, project), room.assign(other, project)
    first, second = assigned_items
    reports = [room.report(one, first), room.report(one, first), room.report(other, second)]
    assert [(report.repeated, report.paused) for report in reports] == [(False, False), (True, False), (False, True)]
    assert room.item("p-m-1").status is ItemStatus.PAUSED
    room.submit(one, assigned_items[0])
    assert room.wait(third, project).reason is UnassignedReason.NOTHING_LEFT
    with room.db.transaction() as session:
        written = session.exec(select(Journal.data).where(Journal.event == Event.ITEM_PAUSED.value)).one()
    assert written == {"item": "p-m-1", "reports": 2}
    room.sound()


def test_what_a_person_met_is_written_down_by_its_cause(room: Room) -> None:
    """Once for each group, however often the item is assigned."""
    stages = {"training": {"pool": {"file": room.items("training", 1)}}}
    project = room.project(items=1, stages=stages)
    who = room.person()
    room.answer(who, project=project)
    room.assign(who, project)
    room.later(hours=1)
    room.expire()
    room.assign(who, project)
    with room.db.transaction() as session:
        met = session.exec(select(Exposure.group_id, Exposure.cause).where(Exposure.annotator_id == who)).all()
    assert sorted(met) == [("p-1", ExposureCause.ANSWERED), ("training-1", ExposureCause.TRAINING)]


def test_several_questions_are_stored_by_name(room: Room) -> None:
    """The first answers for the whole in `response`; the options of each question have an order of their own."""
    first = {"name": "fit", "type": "choice", "text": "Так?", "options": [YES, NO]}
    second = {"name": "why", "type": "choices", "text": "Чому?", "options": ["а", "б", "в"], "shuffle": True}
    project = room.project(question=None, questions=[first, second], items=1)
    who = room.person()
    assigned = room.assign(who, project)
    orders = room.assignment(assigned).option_orders
    assert orders is not None
    assert assigned.questions[0].options == (YES, NO)
    assert assigned.questions[1].options == tuple("абв"[index] for index in orders["why"])
    raw = {"fit": NO, "why": ["в", "а"]}
    for repeated in (False, True):
        with room.db.transaction() as session:
            saved = assignments.submit_judgement(
                session, annotator_id=who, assignment_id=assigned.assignment_id, revision=0, answers=raw, now=room.now
            )
        assert saved.repeated is repeated
    with room.db.transaction() as session:
        kept = session.exec(select(Judgement)).one()
    assert (kept.response, kept.answers) == (NO, {"fit": NO, "why": '["а", "в"]'})


def test_reports_on_an_item_that_is_well_are_dismissed(room: Room) -> None:
    """They are listed until then; the item goes on, and another report counts from the beginning."""
    project = room.project(items=1, overlap=3)
    one, other, third = (room.person(number) for number in (1, 2, 3))
    for who in (one, other):
        assigned = room.assign(who, project)
        room.submit(who, assigned)
        room.report(who, assigned)
    with room.db.transaction() as session:
        assert [(found.item, found.paused) for found in problem_reports.list_open_reports(session)] == [
            ("p-m-1", True)
        ] * 2
        found = session.get_one(Project, project)
        assert problem_reports.dismiss_reports(session, project=found, item="p-m-1", now=room.now) == 2
        assert problem_reports.list_open_reports(session, project_id=project) == []
        with pytest.raises(NotFound, match="Nothing is reported"):
            problem_reports.dismiss_reports(session, project=found, item="p-m-1", now=room.now)
    assigned = room.assign(third, project)
    assert not room.report(third, assigned).paused
    room.sound()


def test_an_item_that_was_fixed_in_her_hands_is_answered_as_it_is_shown_again(room: Room) -> None:
    """The revision that the annotator saw last is stored with the answer, and it can be undone."""
    project = room.project(items=1)
    who = room.person()
    assigned = room.assign(who, project)
    with room.db.transaction() as session:
        item = session.exec(select(Item)).one()
        item.revision, item.stimulus, item.stimulus_sha256 = 2, "краще", "2" * 64
        session.add(item)
    assert room.assign(who, project).stimulus == "краще"
    room.submit(who, assigned)
    kept = room.assignment(assigned)
    assert (kept.item_revision, kept.stimulus_sha256) == (2, "2" * 64)
    room.undo(who, assigned)


def test_without_consent_nothing_is_taken(room: Room) -> None:
    """The live item goes back, other projects stay open, the late answer is refused until consent is given again."""
    (room.folder / "consent.md").write_text("Згода", "utf-8")
    project = room.project(items=1, consent={"file": "consent.md", "version": "1"})
    other, who = room.project("other"), room.person()
    with room.db.transaction() as session:
        found = session.get_one(Project, project)
        asked = terms.get_terms(session, project=found, definition=definitions.get_project_definition(found))
        assert asked.consent is not None
        sha256 = asked.consent.sha256
        consents.give_consent(session, annotator_id=who, terms=asked, sha256=sha256, now=room.now)
    assigned = room.assign(who, project)
    with room.db.transaction() as session:
        assert consents.withdraw_consent(session, annotator_id=who, scope="project p", now=room.now)
    assert room.wait(who, project).reason is UnassignedReason.CONSENT
    room.answer(who, project=other)
    with pytest.raises(Stale, match="consent"):
        room.submit(who, assigned)
    with room.db.transaction() as session:
        found = session.get_one(Project, project)
        asked = terms.get_terms(session, project=found, definition=definitions.get_project_definition(found))
        consents.give_consent(session, annotator_id=who, terms=asked, sha256=sha256, now=room.now)
    assert not room.submit(who, assigned).extra
    room.sound()
