"""Rows of the hot tables as plain values: what SQLAlchemy Core writes is what models read, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.orm.exc import StaleDataError
from sqlmodel import Session, col, select

from annotation.store import models, table_base
from annotation.store.database import Database
from annotation.store.models import Annotator, AnnotatorRow, Participation, Project, TextVersion
from annotation.vocabulary import ParticipationStatus, Requirement, Stage, TextKind

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def sent(db: Database) -> Iterator[list[str]]:
    """The statements that the database is sent."""
    found: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        found.append(statement)

    sa.event.listen(db.engine, "before_cursor_execute", listen)
    yield found
    sa.event.remove(db.engine, "before_cursor_execute", listen)


def add_annotator(session: Session, name: str = "p", **values: Any) -> AnnotatorRow:
    """Store a new annotator."""
    return models.ANNOTATORS.insert(session, pseudonym=name, created_at=NOW, **values)


def add_project(session: Session) -> int:
    """Store a project; its id."""
    project = Project(
        name="first",
        title="F",
        language="en",
        instructions="",
        instructions_sha256="0" * 64,
        definition={"kind": "annotation"},
        definition_sha256="1" * 64,
        source="first.yaml",
        texts={"consent": "2"},
        created_at=NOW,
    )
    session.add(project)
    session.flush()
    return project.id or 0


def test_an_inserted_row_has_its_id_and_defaults(db: Database) -> None:
    """The value and what the session reads of it are equal."""
    with db.transaction() as session:
        inserted = add_annotator(session, language="uk")
        assert (inserted.id, inserted.insider, inserted.time_zone) == (1, False, None)
    with db.reading() as session:
        assert session.get_one(Annotator, 1).model_dump() == inserted.model_dump()


def test_enums_times_and_json_are_read_as_a_session_reads_them(db: Database) -> None:
    """Also in rows that stand side by side, of which one may be missing."""
    with db.transaction() as session:
        who, project_id = add_annotator(session).id or 0, add_project(session)
        session.add(
            Participation(
                annotator_id=who,
                project_id=project_id,
                stage=Stage.PILOT,
                declined=Requirement.CONSENT,
                since=NOW,
                joined_at=NOW,
            )
        )
    beside = (
        sa.select(*models.PROJECTS.columns, *models.PARTICIPATIONS.columns, sa.literal("last"))
        .select_from(Project)
        .outerjoin(Participation, col(Participation.annotator_id) == sa.bindparam("who"))
    )
    tables = (models.PROJECTS, models.PARTICIPATIONS)
    with db.reading() as session:
        found = table_base.find_first(session, beside, {"who": who}, *tables)
        assert found is not None
        project, participation, last = found
        assert (project.texts, project.created_at, last) == ({"consent": "2"}, NOW, "last")
        stored = session.get_one(Participation, (who, project_id))
        assert participation.model_dump() == stored.model_dump()
        assert participation.declined is Requirement.CONSENT
        assert table_base.find_first(session, beside, {"who": 99}, *tables) == [project, None, "last"]
        assert table_base.find_first(session, beside.where(sa.false()), {"who": who}, *tables) is None


def test_only_what_changed_is_written(db: Database, sent: list[str]) -> None:
    """In one statement, without a column that gets the value that it had; the value follows."""
    with db.transaction() as session:
        annotator, other = add_annotator(session), add_annotator(session, "q")
        sent.clear()
        models.ANNOTATORS.update(session, annotator, language="en", insider=True, time_zone=None)
        models.ANNOTATORS.update(session, annotator, language="en")
        assert len(sent) == 1
        assert "time_zone" not in sent[0]
        assert (annotator.language, annotator.insider) == ("en", True)
    with db.reading() as session:
        assert session.get_one(Annotator, annotator.id).model_dump() == annotator.model_dump()
        assert session.get_one(Annotator, other.id).model_dump() == other.model_dump()


def test_a_value_cannot_be_assigned_to(db: Database) -> None:
    """Nothing would store it; nor is what an insert refuses stored by anybody later."""
    with db.transaction() as session:
        annotator = add_annotator(session)
        with pytest.raises(ValidationError, match="frozen"):
            annotator.language = "en"  # type: ignore[misc]
        with pytest.raises(sa.exc.IntegrityError), session.begin_nested():
            add_annotator(session)
    with db.reading() as session:
        assert [(one.pseudonym, one.language) for one in session.exec(select(Annotator))] == [("p", None)]


def test_a_deleted_row_cannot_be_changed(db: Database) -> None:
    """The row was deleted beside its value."""
    with db.transaction() as session:
        annotator = add_annotator(session)
        session.connection().execute(sa.delete(Annotator))
        with pytest.raises(StaleDataError, match="Annotator"):
            models.ANNOTATORS.update(session, annotator, language="uk")
        assert annotator.language is None
        assert models.ANNOTATORS.get(session, annotator.id) is None
        with pytest.raises(LookupError, match="Annotator"):
            models.ANNOTATORS.get_one(session, annotator.id)


def test_what_others_have_written_is_seen(db: Database) -> None:
    """A value is read again in place; what the session has not sent yet is sent before."""
    with db.transaction() as session:
        annotator, project_id = add_annotator(session), add_project(session)
        session.get_one(Annotator, annotator.id).language = "ru"
        models.ANNOTATORS.refresh(session, annotator, lock=True)
        assert annotator.language == "ru"
        keys = {"annotator_id": annotator.id, "project_id": project_id}
        models.PARTICIPATIONS.insert(session, **keys, stage=Stage.MAIN, since=NOW, joined_at=NOW)
        session.connection().execute(sa.update(Participation).values(status=ParticipationStatus.PAUSED))
        [found] = models.PARTICIPATIONS.list(session, models.PARTICIPATIONS.select)
        assert (found.status, found.shown) == (ParticipationStatus.PAUSED, 0)


def test_many_rows_are_inserted_in_one_statement(db: Database, sent: list[str]) -> None:
    """Enums, times with a zone, truth values and defaults are stored as a session stores them; order is kept."""
    with db.transaction() as session:
        sent.clear()
        names: dict[str, list[Any]] = {"pseudonym": ["a", "b"], "insider": [True, False], "language": ["uk", None]}
        table_base.insert_rows(session, Annotator, names, constants={"created_at": NOW})
        texts: dict[str, list[Any]] = {
            "sha256": ["1" * 64, "2" * 64],
            "kind": [TextKind.CONSENT, TextKind.WARNING],
            "text": ["§", "%s :x"],
        }
        table_base.insert_rows(session, TextVersion, texts, constants={"since": NOW})
        assert len(sent) == 2
    with db.reading() as session:
        found = session.exec(select(Annotator).order_by(sa.text("id"))).all()
        stored = session.exec(select(TextVersion).order_by(sa.text("sha256"))).all()
    assert [(row.pseudonym, row.insider, row.language, row.created_at) for row in found] == [
        ("a", True, "uk", NOW),
        ("b", False, None, NOW),
    ]
    assert [row.simulated for row in found] == [False, False]
    assert [(row.kind, row.text, row.since) for row in stored] == [
        (TextKind.CONSENT, "§", NOW),
        (TextKind.WARNING, "%s :x", NOW),
    ]
