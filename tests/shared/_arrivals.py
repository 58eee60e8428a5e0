"""Answers that arrive while a command reads: after each of its statements another connection stores one more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from annotation.store import database

TABLES = ("assignment", "judgement")
PEOPLE = 10  # who will have answered


@dataclass
class Arrivals:
    """The answers that arrive in a database, each a copy of one that is there already, by somebody new.

    `moments` has, for each transaction that a command began, how many had arrived by then; `statements` are those that
    it ran, with their parameters.
    """

    engine: sa.Engine
    models: list[int]
    people: list[int]
    columns: dict[str, str]
    arrived: int = 0
    moments: list[int] = field(default_factory=list)
    statements: list[tuple[str, str]] = field(default_factory=list)
    _is_storing: bool = False

    @property
    def views(self) -> list[int]:
        """The moments of the views that a command opened, after the look at the schema with which it begins."""
        return self.moments[1:]

    @contextmanager
    def after_each_statement(self) -> Iterator[None]:
        """Let an answer arrive after each statement of the block."""
        listeners = (("begin", self._note_view), ("after_cursor_execute", self._note_statement))
        for name, listener in listeners:
            event.listen(sa.Engine, name, listener)
        try:
            yield
        finally:
            for name, listener in listeners:
                event.remove(sa.Engine, name, listener)

    def _note_view(self, _connection: sa.Connection) -> None:
        if not self._is_storing:
            self.moments.append(self.arrived)

    def _note_statement(
        self, _connection: sa.Connection, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
    ) -> None:
        if not self._is_storing:
            self.statements.append((statement, repr(parameters)))
            self.store()

    def store(self) -> None:
        """Store one more answer."""
        self._is_storing = True
        person, number = divmod(self.arrived, len(self.models))
        with self.engine.begin() as connection:
            for table, condition in zip(TABLES, ("id = :model", "assignment_id = :model"), strict=True):
                own = {"annotator_id": ":person", "assignment_id": "(SELECT max(id) FROM assignment)"}
                names = self.columns[table].split(", ")
                values = ", ".join(own.get(name, name) for name in names)
                query = f"INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM {table} WHERE {condition}"
                found = {"model": self.models[number], "person": self.people[person]}
                connection.execute(sa.text(query), {key: found[key] for key in found if f":{key}" in query})
        self.arrived += 1
        self._is_storing = False

    def undo_after(self, moment: int) -> None:
        """Take back the answers that arrived after that moment."""
        self._is_storing = True
        with self.engine.begin() as connection:
            for table in reversed(TABLES):
                newest = sa.text(f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} ORDER BY id DESC LIMIT :n)")
                connection.execute(newest, {"n": self.arrived - moment})
        self.arrived = moment
        self._is_storing = False


@contextmanager
def prepare_arrivals(url: str) -> Iterator[Arrivals]:
    """Answers to come in a database of imported votes: copies of those of each project's first annotator."""
    engine = database.create_engine(url)
    try:
        columns = {
            table: ", ".join(one["name"] for one in sa.inspect(engine).get_columns(table) if one["name"] != "id")
            for table in TABLES
        }
        own = ", ".join(
            one["name"] for one in sa.inspect(engine).get_columns("annotator") if one["name"] not in ("id", "pseudonym")
        )
        with engine.begin() as connection:
            first, newest = connection.execute(sa.text("SELECT min(id), max(id) FROM annotator")).one()
            copy = f"INSERT INTO annotator (pseudonym, {own}) SELECT :name, {own} FROM annotator WHERE id = :first"
            for number in range(PEOPLE):
                connection.execute(sa.text(copy), {"name": f"later-{number:02}", "first": first})
            found = connection.execute(sa.text("SELECT id FROM annotator WHERE id > :n ORDER BY id"), {"n": newest})
            later = [one for (one,) in found]
            place = "row_number() OVER (PARTITION BY project_id ORDER BY id)"  # so that projects take turns
            firsts = "SELECT min(annotator_id) FROM assignment GROUP BY project_id"
            given = f"SELECT id FROM assignment WHERE annotator_id IN ({firsts}) ORDER BY {place}, project_id"
            models = [one for (one,) in connection.execute(sa.text(given))]
        yield Arrivals(engine=engine, models=models, people=later, columns=columns)
    finally:
        engine.dispose()
