"""Milestones, breaks and the night, over whole work sessions: each is said when it is time, and once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from annotation.store.models import Annotator, Programme, ProgrammeProject
from annotation.vocabulary import UNSAID_TIME_ZONE
from annotation.workflow.assignments.assignment_policy import RemarkKind, list_remarks

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KYIV = ZoneInfo("Europe/Kyiv")


def work(
    start: datetime, *, seconds: int, items: int, zone: ZoneInfo | None = KYIV
) -> list[tuple[RemarkKind, int, int]]:
    """What is said to somebody who answers an item every so many seconds: kind, number, and after which item."""
    moments = [start + timedelta(seconds=seconds * number) for number in range(items + 1)]
    return [
        (remark.kind, remark.number, number)
        for number in range(1, items + 1)
        for remark in list_remarks(
            number=number, began=start, previous=moments[number - 1], now=moments[number], zone=zone
        )
    ]


def test_milestones_come_at_10_25_50_and_then_every_50() -> None:
    """By the number that the annotator sees."""
    said = work(datetime(2026, 11, 24, 10, tzinfo=UTC), seconds=1, items=160)
    assert said == [(RemarkKind.MILESTONE, number, number) for number in (10, 25, 50, 100, 150)]


@pytest.mark.parametrize("seconds", [7, 60, 900])
def test_a_break_is_suggested_after_every_25_minutes(seconds: int) -> None:
    """Once each, also to whoever needs a quarter of an hour for an item."""
    hours = 3
    said = work(datetime(2026, 11, 24, 10, tzinfo=UTC), seconds=seconds, items=hours * 3600 // seconds)
    minutes = [number for kind, number, _ in said if kind is RemarkKind.BREAK]
    moments = {minute // 25 for minute in minutes}
    assert len(minutes) == len(moments) == 7
    assert all(minute % 25 * 60 < max(seconds, 60) for minute in minutes)


def test_whoever_works_into_the_night_is_told_at_eleven_and_then_as_for_breaks() -> None:
    """Local time counts: 20:50 UTC is ten to eleven in Kyiv; nothing is said where the time zone is not known."""
    start = datetime(2026, 11, 24, 20, 50, tzinfo=UTC)
    said = [(kind, number) for kind, number, _ in work(start, seconds=60, items=60) if kind is not RemarkKind.MILESTONE]
    assert said == [(RemarkKind.NIGHT, 10), (RemarkKind.NIGHT, 25), (RemarkKind.NIGHT, 50)]
    unknown = [kind for kind, *_ in work(start, seconds=60, items=60, zone=None) if kind is not RemarkKind.MILESTONE]
    assert unknown == [RemarkKind.BREAK, RemarkKind.BREAK]


def test_whoever_begins_at_night_is_told_after_ten_minutes_and_by_day_no_more() -> None:
    """At 2 o'clock; from 6 on a break is a break."""
    start = datetime(2026, 11, 24, 0, tzinfo=UTC)
    said = [(kind, number) for kind, number, _ in work(start, seconds=60, items=20) if kind is not RemarkKind.MILESTONE]
    assert said == [(RemarkKind.NIGHT, 10)]
    early = [kind for kind, *_ in work(start + timedelta(hours=3, minutes=40), seconds=60, items=30)]
    assert RemarkKind.BREAK in early
    assert early.count(RemarkKind.NIGHT) == 1


def test_an_item_that_waited_since_the_last_session_makes_no_break() -> None:
    """What was shown before the session began counts from its beginning."""
    now = datetime(2026, 11, 24, 10, tzinfo=UTC)
    assert list_remarks(number=3, began=now, previous=now - timedelta(days=2), now=now, zone=KYIV) == ()
    assert list_remarks(number=3, began=None, previous=now, now=now, zone=KYIV) == ()


def answer_items(scenario: Scenario, project: int, *, items: int) -> list[tuple[RemarkKind, int]]:
    """What somebody is told while they answer so many items."""
    who, told = scenario.person(), []
    for _ in range(items):
        saved = scenario.submit(who, scenario.assign(who, project))
        told += [(remark.kind, remark.number) for remark in saved.remarks]
    return told


@pytest.mark.parametrize("zone", [None, UNSAID_TIME_ZONE])
def test_nobody_whose_time_is_unknown_is_told_that_it_is_late(scenario: Scenario, zone: str | None) -> None:
    """Whoever would rather not say where they are may live where three o'clock in London is a morning."""
    project = scenario.project(items=20)
    scenario.now = NOW.replace(hour=3)
    who = scenario.person()
    with scenario.db.transaction() as session:
        session.get_one(Annotator, who).time_zone = zone
    told = []
    for _ in range(14):
        assignment = scenario.assign(who, project)
        scenario.now += timedelta(minutes=1)
        told += [remark.kind for remark in scenario.submit(who, assignment).remarks]
    assert told == [RemarkKind.MILESTONE]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"reward": {"countdown": True}}, [10]),
        ({"reward": {"countdown": True}, "caps": {"items": 15}}, [8]),
        ({"caps": {"items": 12}}, [6]),
        ({}, []),
    ],
    ids=["countdown", "countdown and cap", "cap", "nothing known"],
)
def test_half_is_told_once_where_a_total_is_known(
    scenario: Scenario, keys: dict[str, Any], expected: list[int]
) -> None:
    """Of 20 items, or as many as the cap lets through; it stands instead of a milestone."""
    project = scenario.project(items=20, **keys)
    told = answer_items(scenario, project, items=keys.get("caps", {"items": 20})["items"])
    assert [number for kind, number in told if kind is RemarkKind.HALFWAY] == expected
    milestones = [number for kind, number in told if kind is RemarkKind.MILESTONE]
    assert milestones == ([] if expected == [10] else [10])


def test_half_of_a_few_items_is_not_worth_a_word(scenario: Scenario) -> None:
    """Eight items."""
    assert answer_items(scenario, scenario.project(items=8, reward={"countdown": True}), items=8) == []


def test_half_is_told_when_others_do_the_rest_and_not_when_little_is_left(scenario: Scenario) -> None:
    """Two who share 20 items: each is told at their 7th of 13; whom others have left one item more is told nothing."""
    project = scenario.project(items=20, overlap=1, reward={"countdown": True})
    one, other = scenario.person(1), scenario.person(2)
    told: list[int] = []
    for number in range(1, 8):
        saved = scenario.submit(one, scenario.assign(one, project))
        told += [number for remark in saved.remarks if remark.kind is RemarkKind.HALFWAY]
        scenario.submit(other, scenario.assign(other, project))
    assert told == [7]
    late = scenario.project("late", items=20, overlap=1, reward={"countdown": True})
    scenario.answers(one, 5, project=late)
    scenario.answers(other, 14, project=late)
    assert scenario.submit(one, scenario.assign(one, late)).remarks == ()


def test_the_quota_of_a_programme_is_halved_without_a_countdown(scenario: Scenario) -> None:
    """Twelve of twenty: told at the sixth."""
    project = scenario.project(items=20)
    with scenario.db.transaction() as session:
        file = {
            "programme": "all",
            "title": "all",
            "language": "uk",
            "projects": [{"file": "p.yaml"}, {"file": "q.yaml"}],
        }
        names: dict[str, Any] = {"name": "all", "title": "all", "language": "uk", "source": "", "definition_sha256": ""}
        programme = Programme(**names, definition=file, created_at=NOW)
        session.add(programme)
        session.flush()
        session.add(ProgrammeProject(programme_id=programme.id or 0, project_id=project, position=0, quota=12))
    told = answer_items(scenario, project, items=8)
    assert told == [(RemarkKind.HALFWAY, 6)]
