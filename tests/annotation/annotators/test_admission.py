"""Whom a project takes: by profile, cohort, and control items in earlier projects."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.campaigns.sections.annotators import AdmissionSection
from annotation.store import database, queries
from annotation.store.models import (
    Assignment,
    Participation,
)
from annotation.vocabulary import AssignmentStatus, Stage, UnassignedReason
from annotation.workflow import participations
from annotation.workflow.annotators import registration, roster
from annotation.workflow.quality import control_accuracy
from annotation.workflow.quality.control_accuracy import ControlAccuracy

if TYPE_CHECKING:
    from tests.annotation.annotators.conftest import People

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("section", "facts", "why"),
    [
        ({"profile": {"native": "так"}}, {"profile": {"native": "так"}}, None),
        ({"profile": {"native": ["так", "ні"]}}, {"profile": {"native": ""}}, "profile: native is not так or ні"),
        ({"cohort": ["a", "b"]}, {"cohorts": frozenset("bc")}, None),
        ({"cohort": ["a", "b"]}, {"cohorts": frozenset("c")}, "cohort: not in a or b"),
        (
            {"earlier_control": {"least": "75 %", "projects": "p"}},
            {"control_accuracy": ControlAccuracy(right=3, of=4)},
            None,
        ),
        (
            {"earlier_control": {"least": "75 %", "projects": "p"}},
            {"control_accuracy": ControlAccuracy(right=2, of=4)},
            "earlier control items: 2 of 4 control items right, 75% are asked for",
        ),
        (
            {"earlier_control": {"least": 0, "projects": "p"}},
            {},
            "earlier control items: 0 of 0 control items right, 0% are asked for",
        ),
        ({"top": "60 %"}, {"rank": 3, "ranked_count": 5}, None),
        (
            {"top": "60 %"},
            {"rank": 4, "ranked_count": 5},
            "earlier control items: place 4 of 5, the first 60% are asked for",
        ),
        ({"top": "60 %"}, {"ranked_count": 5}, "earlier control items: not ranked, the first 60% are asked for"),
    ],
)
def test_admission_is_decided_by_facts(section: dict[str, object], facts: dict[str, object], why: str | None) -> None:
    """Each condition alone, met and missed."""
    found = registration.AdmissionFacts(**facts)  # type: ignore[arg-type]
    assert registration.explain_section_refusal(AdmissionSection.model_validate(section), found) == why


@pytest.mark.parametrize(
    ("share", "ranked", "places"), [(0.6, 5, 3), (0.7, 10, 7), (0.07, 100, 7), (0.5, 3, 2), (0.01, 5, 1), (1.0, 4, 4)]
)
def test_a_share_of_people_is_rounded_up_exactly(share: float, ranked: int, places: int) -> None:
    """0.07 of 100 are seven people, not eight, whatever floats make of it."""
    assert registration.count_admitted(share, ranked) == places


def test_ties_in_the_ranking_fall_the_same_way_every_time() -> None:
    """More control items go before fewer, then the pseudonym decides; who answered none is not ranked."""
    counted = {
        "d": ControlAccuracy(right=1, of=2), "c": ControlAccuracy(right=2, of=4), "b": ControlAccuracy(right=2, of=4),
        "a": ControlAccuracy(), "e": ControlAccuracy(right=3, of=4),
    }  # fmt: skip
    assert registration.rank_annotators(counted) == ("e", "b", "c", "d")


def test_control_items_of_earlier_projects_admit(people: People) -> None:
    """Final answers count, skipped and withdrawn ones say nothing; the top half is let in."""
    people.load("earlier")
    people.load("least", "admission: {earlier_control: {least: 60 %, projects: earlier}}\n")
    people.load("top", "admission: {top: 50 %}\n")
    with people.db.transaction() as session:
        people.controls(session, 1, "earlier", "кіт>собака", "собака", "кіт")
        people.controls(session, 2, "earlier", "собака>кіт", "собака", "")
        people.controls(session, 3, "earlier", "собака")
        people.controls(session, 4, "earlier", "кіт")
        last = session.exec(select(Assignment).where(Assignment.annotator_id == 3)).one()
        last.status = AssignmentStatus.WITHDRAWN
        earlier = queries.get_project(session, "earlier").id or 0
        assert control_accuracy.compute_control_accuracy(session, project_ids=[earlier]) == {
            1: ControlAccuracy(right=2, of=3),
            2: ControlAccuracy(right=1, of=2),
            4: ControlAccuracy(right=0, of=1),
        }
    refused = [(people.waits(n, "least"), people.waits(n, "top")) for n in (1, 2, 3, 4, 5)]
    no = UnassignedReason.NOT_ADMITTED
    assert refused == [(None, None), (no, None), (no, no), (no, no), (no, no)]


def test_admission_is_not_checked_after_the_first_item(people: People) -> None:
    """A ranking that changes while people work throws nobody out."""
    people.load("words", "admission: {cohort: students}\n")
    with people.db.transaction() as session:
        person = people.joined(session, 1)
        assert roster.join_cohort(session, annotator=person, name="students")
        assert not roster.join_cohort(session, annotator=person, name="students")
    assert people.waits(1, "words") is None
    with people.db.transaction() as session:
        person = people.joined(session, 1)
        project = queries.get_project(session, "words")
        row = participations.get_or_create_participation(
            database.lock_annotator(session, person.id or 0), project=project, now=NOW
        )
        assert row.stage == Stage.MAIN
        assert roster.leave_cohort(session, annotator=person, name="students")
        assert not roster.leave_cohort(session, annotator=person, name="students")
    assert people.waits(1, "words") == UnassignedReason.NOT_ADMITTED
    with people.db.transaction() as session:
        session.exec(select(Participation)).one().shown = 1
    assert people.waits(1, "words") is None
