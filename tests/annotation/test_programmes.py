"""Programmes: stored with their projects, and whose turn it is for a person."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session, col, select

from annotation.campaigns import programme_file as programme_files
from annotation.errors import Conflict, NotFound
from annotation.store import database
from annotation.store.models import Invitation, Participation, Programme, ProgrammeProject, Project, TextVersion
from annotation.vocabulary import Stage, UnassignedReason
from annotation.workflow import assignments
from annotation.workflow.allocation import open_projects
from annotation.workflow.assignments import next_item
from annotation.workflow.lifecycle import transitions
from annotation.workflow.lifecycle.projects import LoadedProgramme, load_programme

if TYPE_CHECKING:
    from tests.annotation.conftest import Sandbox

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FILE = """\
programme: {name}
title: t
language: en
order: {order}
consent: {{file: consent.md, version: 1}}
projects: {projects}
"""


def stored(
    session: Session, sandbox: Sandbox, *projects: str, name: str = "all", order: str = "sequence", yes: bool = False
) -> LoadedProgramme:
    """A programme of projects, each written like {file: a.yaml}."""
    (sandbox.folder / "consent.md").write_text("I agree.", "utf-8")
    file = sandbox.folder / f"{name}.yaml"
    file.write_text(FILE.format(name=name, order=order, projects=f"[{', '.join(projects)}]"), "utf-8")
    return load_programme(session, programme_files.read_programme(file), now=NOW, confirmed=yes)


def running(session: Session, sandbox: Sandbox, *names: str) -> dict[str, int]:
    """Started projects, their ids by name."""
    return {name: sandbox.started(session, sandbox.write(name)).id or 0 for name in names}


def takes_part(session: Session, person: int, project: int, *, shown: int = 0, answered: int = 0) -> None:
    """A person is in a project, with so many items."""
    one = session.get(Participation, (person, project)) or Participation(
        annotator_id=person, project_id=project, stage=Stage.MAIN, since=NOW, joined_at=NOW
    )
    one.shown, one.answered = shown, answered
    session.add(one)
    session.flush()


def turns(session: Session, person: int) -> str:
    """The projects to try, by name."""
    names = {one.id: one.name for one in session.exec(select(Project))}
    return " ".join(names[one] for one in open_projects.order_projects(list_open(session, person)))


def list_open(session: Session, person: int) -> tuple[open_projects.OpenProject, ...]:
    """The projects that are open to an annotator."""
    return next_item.get_eligibility(
        assignments.lock_annotator(session, person), project_id=None, now=NOW
    ).open_projects


def test_a_sequence_goes_by_the_file_and_interleaving_by_items_shown(db: database.Database, sandbox: Sandbox) -> None:
    """b before a in the file; interleaved, the project with the fewest of the annotator's items comes first."""
    with db.transaction() as session:
        ids = running(session, sandbox, "single", "a", "b")
        person = sandbox.person(session, 1)
        assert turns(session, person) == "single a b"
        stored(session, sandbox, "{file: b.yaml}", "{file: a.yaml}")
        assert turns(session, person) == "single b a"
        takes_part(session, person, ids["b"], shown=1)
        assert turns(session, person) == "single b a"
        stored(session, sandbox, "{file: b.yaml}", "{file: a.yaml}", order="interleaved", yes=True)
        assert turns(session, person) == "single a b"
        takes_part(session, person, ids["a"], shown=1)
        assert turns(session, person) == "single b a"


def test_a_quota_ends_the_turn(db: database.Database, sandbox: Sandbox) -> None:
    """With as many answers as the quota the next project comes, and the reason is the quota."""
    with db.transaction() as session:
        ids = running(session, sandbox, "a", "b")
        stored(session, sandbox, "{file: a.yaml, quota: 2}", "{file: b.yaml}")
        person, other = sandbox.person(session, 1), sandbox.person(session, 2)
        takes_part(session, person, ids["a"], shown=3, answered=1)
        assert (turns(session, person), open_projects.list_full_projects(list_open(session, person))) == ("a b", ())
        takes_part(session, person, ids["a"], shown=3, answered=2)
        assert turns(session, person) == "b"
        assert [(one.reason, one.project) for one in open_projects.list_full_projects(list_open(session, person))] == [
            (UnassignedReason.QUOTA, "a")
        ]
        assert turns(session, other) == "a b"


def test_only_running_projects_that_are_entered_or_open_are_tried(db: database.Database, sandbox: Sandbox) -> None:
    """Loaded, paused and closed ones have none; an invitation, to it or to its programme, shuts out strangers."""
    with db.transaction() as session:
        ids = running(session, sandbox, "a", "b", "c", "d", "e")
        sandbox.load(session, sandbox.write("loaded"))
        transitions.pause_project(session, project=session.get_one(Project, ids["d"]), now=NOW)
        transitions.close_project(session, project=session.get_one(Project, ids["e"]), now=NOW)
        stored(session, sandbox, "{file: c.yaml}")
        programme = session.exec(select(Programme.id)).one()
        session.add(Invitation(code="k", project_id=ids["a"], created_at=NOW))
        session.add(Invitation(code="l", programme_id=programme, created_at=NOW))
        stranger, member = sandbox.person(session, 1), sandbox.person(session, 2)
        for project in ("a", "c"):
            takes_part(session, member, ids[project])
        assert (turns(session, stranger), turns(session, member)) == ("b", "a b c")


def test_a_programme_is_stored_once_and_changed_with_yes(db: database.Database, sandbox: Sandbox) -> None:
    """The same file changes nothing; another quota is refused, then done; the consent's text is kept with its hash."""
    with db.transaction() as session:
        running(session, sandbox, "a", "b")
        assert stored(session, sandbox, "{file: a.yaml}") == LoadedProgramme(name="all", projects=("a",), is_new=True)
        assert not stored(session, sandbox, "{file: a.yaml}").is_new
        with pytest.raises(Conflict, match=r"would change it \(keys of the programme file: projects\).*--yes"):
            stored(session, sandbox, "{file: a.yaml, quota: 3}", "{file: b.yaml}")
        changed = stored(session, sandbox, "{file: a.yaml, quota: 3}", "{file: b.yaml}", yes=True)
        assert (changed.is_new, changed.plan.keys) == (False, ("projects",))
        rows = session.exec(
            select(ProgrammeProject.position, ProgrammeProject.quota).order_by(col(ProgrammeProject.position))
        ).all()
        assert list(rows) == [(0, 3), (1, None)]
        programme = session.exec(select(Programme)).one()
        version = session.get(TextVersion, ((programme.texts or {})["consent"], "consent"))
        assert version is not None
        assert version.text == "I agree."


def test_what_a_programme_may_not_do_is_refused(db: database.Database, sandbox: Sandbox) -> None:
    """A project that is not loaded, one of another programme, and leaving out one where people take part."""
    with db.transaction() as session:
        ids = running(session, sandbox, "a", "b")
        sandbox.write("c")
        stored(session, sandbox, "{file: a.yaml}", "{file: b.yaml}")
        with pytest.raises(NotFound, match="No project 'c' is loaded"):
            stored(session, sandbox, "{file: c.yaml}", name="more")
        with pytest.raises(Conflict, match="'a' is in another programme"):
            stored(session, sandbox, "{file: a.yaml}", name="more")
        takes_part(session, sandbox.person(session, 1), ids["b"])
        with pytest.raises(Conflict, match="People take part in 'b'"):
            stored(session, sandbox, "{file: a.yaml}", yes=True)
