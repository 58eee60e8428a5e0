"""The places of items and their random order: at load, in a changed file, after an extension."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.errors import Conflict
from annotation.store import database, journal, overlap_counts
from annotation.store.models import Item, Project, RequeuedItem
from annotation.vocabulary import Event, Pool
from annotation.workflow import definitions
from annotation.workflow.lifecycle import precision, projects, transitions
from annotation.workflow.monitoring import campaign_status

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def test_an_extension_opens_places_and_says_so(db: database.Database, sandbox: Sandbox) -> None:
    """From 2 to 4: full, half and paused items get two more, announced where they are open; less is refused."""
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one", rows="a,ta,g1,x\nb,tb,g2,y\nc,tc,g3,y\n"))
        transitions.start_project(session, project=project, now=NOW)
        for person in (1, 2):
            sandbox.answer(session, sandbox.given(session, project, item="a", telegram_id=person), "x")
        overlap_counts.pause_item(session, item_id=sandbox.items(session, project)["c"].id or 0)
        with pytest.raises(Conflict, match="asks 2 people about every item; it cannot be extended to 2"):
            transitions.extend_project(session, project=project, now=NOW, overlap=2)
        transitions.extend_project(session, project=project, now=NOW, overlap=4)
        places = {name: (one.free, one.held, one.n_live) for name, one in sandbox.items(session, project).items()}
        assert places == {"a": (2, 0, 2), "b": (4, 0, 0), "c": (0, 4, 0)}
        announced = session.exec(select(Item.external_id).join(RequeuedItem)).all()
        assert sorted(announced) == ["a", "b"]
        assert (project.overlap, project.overlap_max, project.definition["overlap"]) == (4, 4, 4)
        file = sandbox.write("one", more="overlap: 4\n", rows="a,ta,g1,x\nb,tb,g2,y\nc,tc,g3,y\n")
        assert projects.load_project_file(session, file, now=NOW).plan.empty


def test_a_dynamic_overlap_gets_a_higher_maximum(db: database.Database, sandbox: Sandbox) -> None:
    """Items that had reached the old maximum get one place more, the others none."""
    with db.transaction() as session:
        more = "overlap: {min: 1, max: 2, confidence: 90 %}\n"
        project = sandbox.load(session, sandbox.write("one", more=more))
        assert (project.overlap, project.overlap_max) == (1, 2)
        transitions.start_project(session, project=project, now=NOW)
        overlap_counts.add_places(session, item_id=sandbox.items(session, project)["a"].id or 0, number=1, now=NOW)
        with pytest.raises(Conflict, match="asks 1 to 2 people"):
            transitions.extend_project(session, project=project, now=NOW, overlap=2)
        transitions.extend_project(session, project=project, now=NOW, max_overlap=3)
        assert {name: one.free for name, one in sandbox.items(session, project).items()} == {"a": 3, "b": 1}
        assert project.definition["overlap"] == {"min": 1, "max": 3, "confidence": 0.9}


def test_places_and_a_random_order_are_given_at_load(db: database.Database, sandbox: Sandbox) -> None:
    """Main and pilot items have places, the others none; the order of each pool is dealt by the seed."""
    rows = "".join(f"i{number},t{number},g{number},x\n" for number in range(20))
    pools = (
        "stages: {pilot: {pool: {where: {id: [i0, i1]}}}}\ncontrols: {pool: {where: {id: [i2, i3, i4]}}, rate: 10 %}\n"
    )
    with db.transaction() as session:
        orders = []
        for name, seed in (("one", 0), ("two", 0), ("three", 1)):
            project = sandbox.load(session, sandbox.write(name, rows=rows, more=f"{pools}seed: {seed}\n"))
            found = sandbox.items(session, project)
            assert {one.free for one in found.values() if one.pool in {Pool.MAIN, Pool.PILOT}} == {2}
            assert {one.free for one in found.values() if one.pool is Pool.CONTROL} == {0}
            for pool, number in ((Pool.MAIN, 15), (Pool.PILOT, 2), (Pool.CONTROL, 3)):
                assert sorted(one.queue_position for one in found.values() if one.pool is pool) == list(range(number))
            orders.append([one.external_id for one in sorted(found.values(), key=lambda one: one.queue_position)])
        assert orders[0] == orders[1] != orders[2]


def test_a_changed_file_keeps_places_right(db: database.Database, sandbox: Sandbox) -> None:
    """Before the start another overlap gives other places; after it new items come behind the others, announced."""
    rows = "".join(f"i{number},t{number},g{number},x\n" for number in range(6))
    with db.transaction() as session:
        project = sandbox.load(session, sandbox.write("one", rows=rows))
        sandbox.load(session, sandbox.write("one", rows=rows, more="overlap: 5\n"), yes=True)
        assert {one.free for one in sandbox.items(session, project).values()} == {5}
        transitions.start_project(session, project=project, now=NOW)
        sandbox.given(session, project, item="i0", telegram_id=1)
        before = {name: one.queue_position for name, one in sandbox.items(session, project).items()}
        more = rows.replace("i5,t5,g5,x\n", "") + "k1,u1,h1,x\nk2,u2,h2,y\n"
        sandbox.load(session, sandbox.write("one", rows=more, more="overlap: 5\n"), yes=True)
        after = sandbox.items(session, project)
        assert {name: one.queue_position for name, one in after.items() if name in before} == {
            name: position for name, position in before.items() if name != "i5"
        }
        assert sorted(after[name].queue_position for name in ("k1", "k2")) == [
            6 - (before["i5"] == 5),
            7 - (before["i5"] == 5),
        ]
        assert {name: one.free for name, one in after.items()} == dict.fromkeys(after, 5) | {"i0": 4}
        assert sorted(session.exec(select(Item.external_id).join(RequeuedItem)).all()) == ["k1", "k2"]
        assert journal.list_project_events(session, Event.PROJECT_CHANGED, project_id=project.id or 0)[-1].data[
            "post_hoc"
        ]
        assert (project.frozen or {})["post_hoc"][-1]["what"].startswith("loaded again: items added: k1, k2")


def test_an_extension_holds_at_once_where_the_definition_was_read_before(
    db: database.Database, sandbox: Sandbox
) -> None:
    """A process that keeps definitions, as the bot does, goes by the new maximum."""
    with db.transaction() as session:
        more = "overlap: {min: 1, max: 2, confidence: 90 %}\n"
        project = sandbox.load(session, sandbox.write("one", more=more))
        transitions.start_project(session, project=project, now=NOW)
        assert definitions.get_project_definition(project).overlap == DynamicOverlap(min=1, max=2, confidence=0.9)
        transitions.extend_project(session, project=project, now=NOW, max_overlap=3)
        assert definitions.get_project_definition(project).overlap == DynamicOverlap(min=1, max=3, confidence=0.9)


def test_a_sample_of_groups_is_frozen_and_grows_with_new_items(db: database.Database, sandbox: Sandbox) -> None:
    """The start freezes it; another seed draws others; new items get their share, `extend` raises both parts apart."""
    rows = "".join(f"i{number},t{number},g{number // 2},x\n" for number in range(20))
    more = "overlap: {sample: 20%, of: 3}\n"

    def list_sampled(project: Project) -> set[str]:
        found = sandbox.items(session, project).values()
        return {one.group_id for one in found if one.free + one.held + one.n_live > (project.overlap or 0)}

    with db.transaction() as session:
        other = sandbox.load(session, sandbox.write("two", rows=rows, more=more + "seed: 1\n"))
        project = sandbox.load(session, sandbox.write("one", rows=rows, more=more))
        drawn = list_sampled(project)
        assert len(drawn) == len(list_sampled(other)) == 2
        assert drawn != list_sampled(other)
        transitions.start_project(session, project=project, now=NOW)
        frozen = project.frozen or {}
        frame = frozen["overlap_sample"]
        assert (frame["drawn"], frame["of"], frame["groups"]) == (4, 20, [2, 10])
        plan = frozen["plan"]
        assert (plan["judgements"], plan["judgements_most"], plan["sampled"]) == (28, 28, 4)
        assert precision.describe_plan(plan).endswith("a random sample get 3 answers each, the others 1")
        assert list_sampled(project) == drawn
        new = "".join(f"k{number},u{number},h{number},x\n" for number in range(9))
        known = f"k9,u9,{min(drawn)},x\n"
        sandbox.load(session, sandbox.write("one", rows=rows + new + known, more=more), yes=True)
        grown = list_sampled(project)
        assert drawn < grown
        assert len(grown) == 4  # of 19 groups
        assert (project.frozen or {})["post_hoc"][-1]["what"].endswith("the overlap sample now has 7 of 30 items")
        with pytest.raises(Conflict, match="asks 1 to 3 people"):
            transitions.extend_project(session, project=project, now=NOW, overlap=3)
        transitions.extend_project(session, project=project, now=NOW, overlap=2, max_overlap=5)
        assert {one.free for one in sandbox.items(session, project).values() if one.group_id in grown} == {5}
        assert {one.free for one in sandbox.items(session, project).values() if one.group_id not in grown} == {2}
        status = campaign_status.get_campaign_status(session, project).sample
        assert status is not None
        assert (status.sampled, status.of, status.others, status.each) == (7, 5, 23, 2)
        with pytest.raises(Conflict, match="`overlap` may not change: it was started with 2, and 5 on a sample of 20%"):
            sandbox.load(session, sandbox.write("one", rows=rows + new + known, more="overlap: 3\n"), yes=True)
