"""Groups allocated to projects: nobody meets a group twice, and the shortage agrees with a count of annotators."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import Session, select

from annotation.errors import BadInput, Conflict
from annotation.store import database, journal
from annotation.store.models import AllocatedAnnotator, Item, Project
from annotation.vocabulary import Event
from annotation.workflow.allocation import group_allocation
from annotation.workflow.lifecycle import transitions

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox

from datetime import UTC, datetime

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
NAMES = [f"g{number}" for number in range(7)]
needs = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 4), min_size=1)
demands = st.lists(needs, min_size=2, max_size=3).map(
    lambda found: [group_allocation.GroupDemand(project=number + 1, needs=one) for number, one in enumerate(found)]
)


def met(
    plan: list[group_allocation.GroupDemand], slots: tuple[int, ...], bins: dict[str, int], *, people: int
) -> dict[tuple[int, str], set[int]]:
    """Which annotator may meet which group in which project; bins are given in the order of arrival."""
    found: dict[tuple[int, str], set[int]] = {(one.project, group): set() for one in plan for group in one.needs}
    counts: Counter[int] = Counter()
    for person in range(people):
        mine = group_allocation.choose_bin(counts, size=len(slots))
        counts[mine] += 1
        for one in plan:
            may = group_allocation.list_allowed_bins(slots, project=one.project, annotator_bin=mine)
            for group in one.needs:
                if bins.get(group, group_allocation.UNRESTRICTED_BIN) in may:
                    found[one.project, group].add(person)
    return found


@given(demands, st.integers(2, 130), st.integers(0, 5))
def test_nobody_may_meet_a_group_in_two_projects(
    plan: list[group_allocation.GroupDemand], people: int, seed: int
) -> None:
    """For any needs and any annotators: an annotator gets each group in one project only, and all groups are used."""
    slots = group_allocation.apportion_slots(plan, annotators=people)
    bins = group_allocation.assign_bins(group_allocation.find_shared_groups(plan), size=len(slots), seed=seed)
    found = met(plan, slots, bins, people=people)
    for one, other in ((a, b) for a in plan for b in plan if a.project < b.project):
        for group in one.needs.keys() & other.needs.keys():
            assert not found[one.project, group] & found[other.project, group]
    for group in group_allocation.find_shared_groups(plan):
        assert len(set().union(*(found[one.project, group] for one in plan if group in one.needs))) <= people


@given(demands, st.integers(2, 130), st.integers(0, 5))
def test_the_shortage_is_what_counting_people_finds(
    plan: list[group_allocation.GroupDemand], people: int, seed: int
) -> None:
    """For every project: the groups that get too few people, and how many judgements they lack."""
    slots = group_allocation.apportion_slots(plan, annotators=people)
    bins = group_allocation.assign_bins(group_allocation.find_shared_groups(plan), size=len(slots), seed=seed)
    found = met(plan, slots, bins, people=people)
    counted = []
    for one in plan:
        lacks = [need - len(found[one.project, group]) for group, need in one.needs.items()]
        lacks = [lack for lack in lacks if lack > 0]
        counted += [(one.project, len(lacks), sum(lacks))] if lacks else []
    said = group_allocation.find_shortages(plan, slots, bins, annotators=people)
    assert [(one.project, one.groups, one.missing_judgements) for one in said] == counted


@given(demands, st.integers(2, 6))
def test_no_other_shares_leave_less_missing(plan: list[group_allocation.GroupDemand], people: int) -> None:
    """Against every way to distribute this many slots."""
    both = group_allocation.find_shared_groups(plan)

    def missing(shares: dict[int, int]) -> int:
        lacks = (need - shares[one.project] for one in plan for group, need in one.needs.items() if group in both)
        return sum(lack for lack in lacks if lack > 0)

    slots = group_allocation.apportion_slots(plan, annotators=people)
    mine = {one.project: slots.count(one.project) for one in plan}
    ways = (way for way in product(range(people + 1), repeat=len(plan)) if sum(way) == people)
    assert missing(mine) == min(missing(dict(zip(mine, way, strict=True))) for way in ways)


def test_a_group_that_another_project_shows_to_everybody_has_nobody_left() -> None:
    """Its judgements are missing whatever the number of people."""
    plan = [
        group_allocation.GroupDemand(project=1, needs={"a": 2, "b": 2}, unavailable=frozenset({"b"})),
        group_allocation.GroupDemand(project=2, needs={}),
    ]
    slots = group_allocation.apportion_slots(plan, annotators=9)
    assert group_allocation.find_shortages(plan, slots, {}, annotators=9) == (
        group_allocation.GroupShortage(project=1, groups=1, missing_judgements=2),
    )


ROWS = "a,ta,g1,x\nb,tb,g1,y\nc,tc,g2,y\n"


def loaded(session: Session, sandbox: Sandbox, *, more: str = "") -> list[Project]:
    """Corrections with an overlap of 1, and a baseline of the same groups that needs 2 people for every item."""
    correction = sandbox.write(
        "correction", rows=ROWS.replace("a,", "k,").replace("b,", "l,") + "z,tz,own,x\n", more="overlap: 1\n"
    )
    baseline = sandbox.write("baseline", rows=ROWS, more=f"kind: baseline\n{more}")
    return [sandbox.load(session, correction), sandbox.load(session, baseline)]


def test_an_allocation_is_stored_and_gives_people_their_groups(db: database.Database, sandbox: Sandbox) -> None:
    """Six people: four for the baseline's groups, two for the corrections; everybody may meet what is not shared."""
    with db.transaction() as session:
        projects = loaded(session, sandbox)
        shares = group_allocation.allocate_groups(session, projects=projects, annotators=6, seed=3, now=NOW)
        counts = [(share.project, share.shared_groups, share.short_groups) for share in shares]
        assert counts == [("correction", 2, 0), ("baseline", 2, 0)]
        assert [one.annotators_per_group for one in shares] == [1, 5]
        bins = dict(session.exec(select(Item.group_id, Item.bin)).all())
        assert bins["own"] == group_allocation.UNRESTRICTED_BIN
        assert bins["g1"] != bins["g2"]
        who: Counter[tuple[str, str]] = Counter()
        for number in range(6):
            person = sandbox.person(session, number)
            for project in projects:
                may = group_allocation.assign_allowed_bins(session, annotator_id=person, project_id=project.id or 0)
                assert may == group_allocation.assign_allowed_bins(
                    session, annotator_id=person, project_id=project.id or 0
                )
                who.update((project.name, group) for group in ("g1", "g2", "own") if bins[group] in (may or ()))
        assert who == {
            ("correction", "g1"): 1, ("correction", "g2"): 1, ("correction", "own"): 6,
            ("baseline", "g1"): 5, ("baseline", "g2"): 5, ("baseline", "own"): 6,
        }  # fmt: skip
        assert sorted(session.exec(select(AllocatedAnnotator.bin)).all()) == list(range(6))
        assert len(journal.list_project_events(session, Event.GROUPS_ALLOCATED, project_id=projects[0].id or 0)) == 1
        assert group_allocation.assign_allowed_bins(session, annotator_id=person, project_id=99) is None


@pytest.mark.parametrize(("more", "starts"), [("", False), ("exposure: {exceptions: [correction]}\n", True)])
def test_a_shortage_stops_the_start_of_all_unless_it_is_excepted(
    db: database.Database, sandbox: Sandbox, more: str, starts: bool
) -> None:
    """Three people are too few for 4 + 1, and it is said; excepted, the baseline keeps to no bins."""
    with db.transaction() as session:
        projects = loaded(session, sandbox, more=more)
        shares = group_allocation.allocate_groups(session, projects=projects, annotators=3, seed=0, now=NOW)
        assert sum(one.missing_judgements for one in shares) == 2
        person = sandbox.person(session, 1)
        may = group_allocation.assign_allowed_bins(session, annotator_id=person, project_id=projects[1].id or 0)
        assert (may is None) == starts
        for project in projects:
            if starts:
                transitions.start_project(session, project=project, now=NOW)
                continue
            with pytest.raises(Conflict, match=r"groups of '\w+' get too few people .*: \d judgements are missing"):
                transitions.start_project(session, project=project, now=NOW)


def test_what_cannot_be_allocated_is_refused(db: database.Database, sandbox: Sandbox) -> None:
    """One project alone, and projects that are started; a second allocation replaces the first."""
    with db.transaction() as session:
        projects = loaded(session, sandbox)
        with pytest.raises(BadInput, match="at least two projects and two annotators"):
            group_allocation.allocate_groups(session, projects=projects[:1], annotators=6, seed=0, now=NOW)
        group_allocation.allocate_groups(session, projects=projects, annotators=3, seed=0, now=NOW)
        group_allocation.allocate_groups(session, projects=projects, annotators=8, seed=0, now=NOW)
        shares = group_allocation.list_shares(session, project_id=projects[0].id or 0)
        assert [share.short_groups for share in shares] == [0, 0]
        transitions.start_project(session, project=projects[0], now=NOW)
        with pytest.raises(Conflict, match=r"after the start\. Started: correction\."):
            group_allocation.allocate_groups(session, projects=projects, annotators=8, seed=0, now=NOW)


def test_items_that_come_later_have_their_group_s_bin(db: database.Database, sandbox: Sandbox) -> None:
    """A new item of a shared group joins it; one of a new group is everybody's."""
    with db.transaction() as session:
        projects = loaded(session, sandbox)
        group_allocation.allocate_groups(session, projects=projects, annotators=8, seed=0, now=NOW)
        before = {name: one.bin for name, one in sandbox.items(session, projects[1]).items()}
        file = sandbox.write(
            "baseline", rows=ROWS.replace("ta", "TA") + "n,tn,g2,x\nm,tm,new,x\n", more="kind: baseline\n"
        )
        sandbox.load(session, file, yes=True)
        after = {name: one.bin for name, one in sandbox.items(session, projects[1]).items()}
        assert after == before | {"n": before["c"], "m": group_allocation.UNRESTRICTED_BIN}
