"""A skip undone: the answer takes a place again if there is one, and counts as any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from annotation.errors import Stale
from annotation.vocabulary import AssignmentStatus, ProjectStatus, UnassignedReason

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"
SKIP = (0, "", "не розумію", "skipped")


def test_an_undone_skip_is_answered_and_counts(scenario: Scenario) -> None:
    """The skip had freed the place; the answer takes it again, and the skip stays as the first revision."""
    project = scenario.project(items=2, overlap=1)
    who = scenario.person()
    skipped = scenario.assign(who, project)
    assert scenario.skip(who, skipped).changeable
    assert scenario.item(skipped.item).free == 1
    following = scenario.assign(who, project)
    saved = scenario.submit(who, scenario.undo(who, skipped), NO)
    assert (saved.revision, saved.extra, saved.answers) == (1, False, {"answer": NO})
    assert scenario.judgements(skipped) == [SKIP, (1, NO, None, None)]
    stored = scenario.assignment(skipped)
    assert (stored.status, stored.holds_place, stored.open_revision) == (AssignmentStatus.DONE, True, None)
    assert (scenario.item(skipped.item).free, scenario.item(skipped.item).n_done) == (0, 1)
    assert scenario.participation(who, project).answered == 1
    scenario.check_counts()
    scenario.submit(who, following)
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.check_counts()


def test_a_place_that_was_taken_meanwhile_is_not_taken_twice(scenario: Scenario) -> None:
    """Somebody else has answered: the late answer is kept as an extra one, and the overlap is not exceeded."""
    project = scenario.project(items=1, overlap=1)
    who, other = scenario.person(1), scenario.person(2)
    skipped = scenario.assign(who, project)
    scenario.skip(who, skipped)
    scenario.answer(other, project=project)
    saved = scenario.submit(who, scenario.undo(who, skipped), NO)
    assert (saved.extra, saved.changeable) == (True, False)
    assert [row[3] for row in scenario.judgements(skipped)] == ["skipped", "extra: the item had its answers"]
    assert scenario.item(skipped.item).n_done == 1
    scenario.check_counts()


def test_a_skip_that_stays_changes_nothing(scenario: Scenario) -> None:
    """Opened again and left: the place is free for others all the time."""
    project = scenario.project(items=1, overlap=1)
    who, other = scenario.person(1), scenario.person(2)
    skipped = scenario.assign(who, project)
    scenario.skip(who, skipped)
    scenario.undo(who, skipped)
    assert scenario.wait(who, project).reason is UnassignedReason.NOTHING_LEFT
    assert scenario.answer(other, project=project) == skipped.item
    assert scenario.judgements(skipped) == [SKIP]
    scenario.check_counts()


def test_a_skip_in_a_baseline_is_an_answer_that_can_be_changed(scenario: Scenario) -> None:
    """There the skip holds the place; the answer takes its stead, and the annotator has answered one item."""
    project = scenario.project(items=2, overlap=1, kind="baseline")
    who = scenario.person()
    skipped = scenario.assign(who, project)
    scenario.skip(who, skipped)
    assert scenario.item(skipped.item).free == 0
    scenario.submit(who, scenario.undo(who, skipped), NO)
    assert scenario.participation(who, project).answered == 1
    scenario.check_counts()


def test_a_closed_project_opens_no_skip(scenario: Scenario) -> None:
    """Nor one whose item was changed since."""
    project = scenario.project(items=1, overlap=1)
    who = scenario.person()
    skipped = scenario.assign(who, project)
    scenario.skip(who, skipped)
    scenario.status(project, ProjectStatus.CLOSED)
    with pytest.raises(Stale):
        scenario.undo(who, skipped)
