"""Both databases, with small projects in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.store import database, overlap_counts, queries
from annotation.store.models import Annotator, Assignment, Item, Judgement, Project
from annotation.vocabulary import AssignmentStatus, Stage, Surface
from annotation.workflow.lifecycle import projects, transitions

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: {name}
title: "Яке слово довше?"
language: uk
instructions: Порахуйте літери.
question: {{type: choice, text: "Яке?"}}
items: {{file: {name}.csv, id: id, show: [hint], options: [first, second], gold: gold, gold_origin: construction}}
overlap: {overlap}
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    """Every test of the store and the workflow runs on both; a module that need not says so by a fixture of its own."""
    found: str = request.param
    return found


@pytest.fixture
def url(backend: str, request: pytest.FixtureRequest) -> str:
    """The address of an empty database, brought up to date, that this test has for itself."""
    found: str = request.getfixturevalue(f"{backend}_url")
    return found


@pytest.fixture
def db(url: str) -> Iterator[database.Database]:
    """An empty database, brought up to date."""
    with database.open_database(url) as found:
        yield found


def in_file_order(session: Session) -> None:
    """Put the items in the queue in file order, at positions above every random cursor start."""
    session.connection().execute(sa.update(Item).values(queue_position=Item.rank + 10**9))


@pytest.fixture
def load(db: database.Database, tmp_path: Path) -> Callable[..., None]:
    """Loads and starts a project of `n` items, each with the options «кіт» and «собака», gold «собака»."""

    def loaded(name: str, *, n: int = 2, overlap: int = 2, start: bool = True) -> None:
        rows = [f"{name}-{number},підказка {number},кіт,собака,собака" for number in range(1, n + 1)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,hint,first,second,gold", *rows]) + "\n", "utf-8")
        file = tmp_path / f"{name}.yaml"
        file.write_text(PROJECT.format(name=name, overlap=overlap), "utf-8")
        with db.transaction() as session:
            projects.load_project_file(session, file, now=NOW)
            in_file_order(session)
            if start:
                transitions.start_project(session, project=queries.get_project(session, name), now=NOW)

    return loaded


@dataclass(frozen=True)
class Sandbox:
    """A folder of small projects of text, and annotators who are assigned their items."""

    folder: Path

    def write(self, name: str, *, more: str = "", rows: str = "a,text a,g1,x\nb,text b,g1,y\n") -> Path:
        """A project file with two items of one group, or with others."""
        (self.folder / f"{name}.csv").write_text("id,text,story,gold\n" + rows, "utf-8")
        text = (
            f"project: {name}\ntitle: t\nlanguage: en\ninstructions: Read.\n"
            "question: {type: choice, text: Which?, options: [x, y]}\n"
            f"items: {{file: {name}.csv, id: id, show: text, gold: gold, group: story}}\n"
        )
        file = self.folder / f"{name}.yaml"
        file.write_text(text + ("" if "overlap" in more else "overlap: 2\n") + more, "utf-8")
        return file

    def load(self, session: Session, file: Path, *, yes: bool = False) -> Project:
        """Load a project file and return its project."""
        return queries.get_project(session, projects.load_project_file(session, file, now=NOW, confirmed=yes).name)

    def started(self, session: Session, file: Path) -> Project:
        """Load a project file, start its project and return it."""
        project = self.load(session, file)
        transitions.start_project(session, project=project, now=NOW)
        return project

    def person(self, session: Session, telegram_id: int | None) -> int:
        """Get or add an annotator, from Telegram or imported; returns their id."""
        known = session.exec(select(Annotator).where(Annotator.telegram_id == telegram_id)).first()
        if known is None or telegram_id is None:
            number = len(session.exec(select(Annotator.id)).all())
            known = Annotator(pseudonym=f"p{number}", telegram_id=telegram_id, created_at=NOW)
            session.add(known)
            session.flush()
        return known.id or 0

    def given(
        self,
        session: Session,
        project: Project,
        *,
        item: str,
        telegram_id: int | None,
        surface: Surface = Surface.TELEGRAM,
    ) -> Assignment:
        """Assign an item to an annotator."""
        found = self.items(session, project)[item]
        assert surface is Surface.IMPORT or overlap_counts.take_place(session, item_id=found.id or 0)
        made = Assignment(
            project_id=project.id or 0,
            item_id=found.id or 0,
            annotator_id=self.person(session, telegram_id),
            surface=surface,
            status=AssignmentStatus.LIVE,
            holds_place=surface is Surface.TELEGRAM,
        )
        session.add(made)
        session.flush()
        return made

    def answer(self, session: Session, assignment: Assignment, response: str) -> None:
        """Answer an assigned item."""
        overlap_counts.fill_place(session, item_id=assignment.item_id)
        assignment.status = AssignmentStatus.DONE
        identity = assignment.id or 0
        main_project_id = assignment.project_id if assignment.stage is Stage.MAIN else None
        judgement = Judgement(assignment_id=identity, response=response, response_raw=response, answered_at=NOW)
        judgement.main_project_id = main_project_id
        session.add(judgement)
        session.flush()
        session.expire_all()

    def items(self, session: Session, project: Project) -> dict[str, Item]:
        """A project's items by external id."""
        session.expire_all()
        return {one.external_id: one for one in session.exec(select(Item).where(Item.project_id == project.id))}


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    """An empty folder of projects."""
    return Sandbox(tmp_path)
