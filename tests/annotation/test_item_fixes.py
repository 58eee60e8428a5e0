"""Items fixed while people work."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session, select

from annotation.campaigns import project_file as project_files
from annotation.errors import BadInput, Conflict, HromadaError, NotFound
from annotation.loading import campaign as loading
from annotation.store import database, journal, overlap_counts
from annotation.store.models import Assignment, Item, Judgement, Project, Report, RequeuedItem
from annotation.vocabulary import AssignmentStatus, Event, ItemStatus
from annotation.workflow.lifecycle import item_fixes, projects

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def fixed(
    session: Session, sandbox: Sandbox, rows: str, *, item: str = "a", cosmetic: bool = False
) -> item_fixes.FixedItem:
    """The file is changed to these rows, and one item of it taken over."""
    campaign = project_files.read_project(sandbox.write("one", rows=rows))
    return item_fixes.fix_item(
        session, campaign, loading.read_contents(campaign), item=item, cosmetic=cosmetic, now=NOW
    )


def worked(session: Session, sandbox: Sandbox) -> Project:
    """A started project: one person answered `a`, one holds it, one's lease on `b` is live."""
    project = sandbox.started(session, sandbox.write("one"))
    sandbox.answer(session, sandbox.given(session, project, item="a", telegram_id=1), "x")
    sandbox.given(session, project, item="a", telegram_id=2)
    sandbox.given(session, project, item="b", telegram_id=3)
    return project


def test_a_cosmetic_fix_keeps_the_answers(db: database.Database, sandbox: Sandbox) -> None:
    """The text is new, the revision counts, the stimulus has a new hash; answers and places stay."""
    with db.transaction() as session:
        project = worked(session, sandbox)
        before = sandbox.items(session, project)["a"].stimulus_sha256
        assert fixed(session, sandbox, "a,Text a.,g1,x\nb,text b,g1,y\n", cosmetic=True) == item_fixes.FixedItem(
            item="a", revision=2, changed=("data", "stimulus", "stimulus_sha256"), excluded=0
        )
        item = sandbox.items(session, project)["a"]
        assert (item.stimulus, item.revision, item.free, item.n_live, item.n_done) == ("Text a.", 2, 0, 2, 1)
        assert item.stimulus_sha256 != before
        assert session.exec(select(Judgement.excluded_reason)).one() is None
        entry = journal.list_project_events(session, Event.ITEM_FIXED, project_id=project.id or 0)[0]
        assert (entry.data["kind"], entry.data["post_hoc"], entry.data["excluded"]) == ("cosmetic", True, 0)


@pytest.mark.parametrize(
    ("rows", "may_keep"), [("a,Text a.,g1,x\nb,text b,g1,y\n", True), ("a,text a,g1,y\nb,text b,g1,y\n", False)]
)
def test_loading_a_changed_item_names_the_fix(
    db: database.Database, sandbox: Sandbox, rows: str, may_keep: bool
) -> None:
    """With --cosmetic only where it would not be refused: not for gold."""
    with db.transaction() as session:
        worked(session, sandbox)
        with pytest.raises(Conflict) as refusal:
            sandbox.load(session, sandbox.write("one", rows=rows), yes=True)
    assert "--fix a" in str(refusal.value)
    assert ("with --cosmetic they do" in str(refusal.value)) is may_keep


def test_a_substantive_fix_excludes_and_opens_the_item_to_others(db: database.Database, sandbox: Sandbox) -> None:
    """Older answers keep their reason, the places are free and announced, those who met it are done with it."""
    with db.transaction() as session:
        project = worked(session, sandbox)
        found = fixed(session, sandbox, "a,another text,g1,y\nb,text b,g1,y\n")
        assert (found.revision, found.excluded) == (2, 1)
        assert set(found.changed) == {"data", "stimulus", "stimulus_sha256", "gold"}
        item = sandbox.items(session, project)["a"]
        assert (item.gold, item.free, item.n_live, item.n_done) == ("y", 2, 0, 0)
        judgement = session.exec(select(Judgement)).one()
        assert (judgement.excluded_reason, judgement.post_hoc) == ("the item was changed: revision 2", True)
        rows = session.exec(select(Assignment.status, Assignment.holds_place).order_by(Assignment.id)).all()  # type: ignore[arg-type]
        assert [(AssignmentStatus(status).value, holds) for status, holds in rows] == [
            ("done", False), ("skipped", False), ("live", True),
        ]  # fmt: skip
        assert set(session.exec(select(Item.external_id).join(RequeuedItem))) == {"a"}
        assert (project.frozen or {})["post_hoc"][0]["what"] == "substantive fix of item a"


def test_after_a_fix_the_file_is_the_one_that_is_loaded(db: database.Database, sandbox: Sandbox) -> None:
    """Loading it changes nothing; what else the file changed is still to be loaded."""
    with db.transaction() as session:
        worked(session, sandbox)
        rows = "a,Text a.,g1,x\nb,text b,g1,y\n"
        fixed(session, sandbox, rows)
        file = sandbox.folder / "one.yaml"
        assert projects.load_project_file(session, file, now=NOW).plan.empty
        fixed(session, sandbox, "a,TEXT A,g1,x\nb,text b,g1,y\nc,text c,g2,y\n")
        assert projects.load_project_file(session, file, now=NOW, confirmed=True).plan.added == ("c",)
        assert session.exec(select(Item.revision).where(Item.external_id == "a")).one() == 3


def test_a_fix_answers_the_reports(db: database.Database, sandbox: Sandbox) -> None:
    """A paused item goes on, and its reports are resolved."""
    with db.transaction() as session:
        project = worked(session, sandbox)
        held = session.exec(select(Assignment)).first()
        assert held is not None
        overlap_counts.pause_item(session, item_id=held.item_id)
        session.add(
            Report(
                item_id=held.item_id, annotator_id=held.annotator_id, assignment_id=held.id or 0, reason="typo", at=NOW
            )
        )
        session.flush()
        fixed(session, sandbox, "a,Text a.,g1,x\nb,text b,g1,y\n")
        item = sandbox.items(session, project)["a"]
        assert (item.status, item.free, item.held) == (ItemStatus.OPEN, 2, 0)
        assert session.exec(select(Report.resolved_at)).one() == NOW


@pytest.mark.parametrize(
    ("rows", "item", "cosmetic", "failure", "says"),
    [
        ("a,text a,g1,x\nb,text b,g1,y\n", "a", False, Conflict, "Nothing of the item changed"),
        ("a,text a,g2,x\nb,text b,g1,y\n", "a", False, Conflict, "this changes its group_id"),
        ("a,text a,g1,y\nb,text b,g1,y\n", "a", True, Conflict, "more than the looks of the item: gold"),
        ("a,text a,g1,z\nb,text b,g1,y\n", "a", False, BadInput, "z"),
        ("a,text a,g1,x\nb,text b,g1,y\nc,text c,g1,y\n", "c", False, NotFound, "no item 'c' to fix"),
        ("b,text b,g1,y\n", "a", False, NotFound, "no item 'a' to fix"),
    ],
)
def test_what_is_no_fix_is_refused_and_changes_nothing(
    db: database.Database,
    sandbox: Sandbox,
    rows: str,
    item: str,
    cosmetic: bool,
    failure: type[HromadaError],
    says: str,
) -> None:
    """No change, another group, another gold called cosmetic, gold that is no option, an item that is not there."""
    with db.transaction() as session:
        project = worked(session, sandbox)
        with pytest.raises(failure) as refused:
            fixed(session, sandbox, rows, item=item, cosmetic=cosmetic)
        assert says in str(refused.value)
        assert {one.revision for one in sandbox.items(session, project).values()} == {1}
        assert session.exec(select(Judgement.excluded_reason)).one() is None
