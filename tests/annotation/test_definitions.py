"""A process parses a definition once, keeps so many of them, and goes by what another process stores."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from _command import Hromada
from sqlmodel import select

from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.stages import DynamicOverlap
from annotation.store import database, models, queries
from annotation.store.models import Programme, Project
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import registration
from annotation.workflow.definitions import DefinitionCache

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {{type: choice, text: "{question}"}}
items: {{file: words.csv, id: id, show: [hint], options: [first, second], gold: gold, gold_origin: construction}}
overlap: {{min: 1, max: 2, confidence: 90 %}}
"""
PROGRAMME = "programme: all\ntitle: Усе\nlanguage: uk\norder: {order}\nprojects: [{{file: words.yaml}}]\n"


class Organiser:
    """Organisers at their own terminal: each command of `run` is a process of its own, on the same database."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.hromada = folder, Hromada(folder, variables={"HROMADA_DATABASE_URL": url})
        rows = [f"{number},підказка {number},кіт,собака,собака\n" for number in range(9)]
        (folder / "words.csv").write_text("id,hint,first,second,gold\n" + "".join(rows), "utf-8")

    def run(self, *arguments: str) -> None:
        """Run a command, which has to succeed."""
        child = os.fork()  # what this process has read is not the command's, and all is imported
        if child == 0:
            try:
                ran = self.hromada(*arguments)
                print(ran.err, flush=True)
                os._exit(ran.code)
            finally:
                os._exit(1)  # this process is not to go on with the tests
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    def write(self, question: str) -> None:
        """Write the project file with this question."""
        (self.folder / "words.yaml").write_text(PROJECT.format(question=question), "utf-8")

    def load(self, question: str) -> None:
        """Load the project with this question."""
        self.write(question)
        self.run("load", "words.yaml", "--yes")

    def load_programme(self, order: str) -> None:
        """Load the programme with this order."""
        (self.folder / "all.yaml").write_text(PROGRAMME.format(order=order), "utf-8")
        self.run("load", "all.yaml", "--yes")


def get_order(db: database.Database) -> str:
    """The order of the programme's projects, as this process goes by it."""
    with db.transaction() as session:
        return definitions.get_programme_definition(session.exec(select(Programme)).one()).order


@pytest.fixture
def organiser(tmp_path: Path, url: str) -> Organiser:
    """Organisers of the database of the test."""
    return Organiser(tmp_path, url)


def get_definition(db: database.Database) -> ProjectFile:
    """The definition of the project, as this process goes by it."""
    with db.transaction() as session:
        return definitions.get_project_definition(queries.get_project(session, "words"))


def test_what_another_process_loads_and_extends_is_seen(db: database.Database, url: str, organiser: Organiser) -> None:
    """The next transaction goes by it, on any connection: the question, the overlap, the order of a programme."""
    organiser.load("Яке?")
    organiser.load_programme("sequence")
    first = get_definition(db)
    assert first.all_questions[0].text == "Яке?"
    assert get_definition(db) is first
    assert get_order(db) == "sequence"
    organiser.load("Яке слово довше?")
    organiser.load_programme("interleaved")
    organiser.run("start", "words")
    with database.open_database(url) as other:
        for seen in (db, other):
            assert get_definition(seen).all_questions[0].text == "Яке слово довше?"
            assert get_order(seen) == "interleaved"
        with db.transaction() as session:
            person = registration.register_telegram_annotator(
                session, telegram_id=7, language="uk", key=b"k" * 32, now=NOW
            )
            item = assignments.assign_next_item(assignments.lock_annotator(session, person.id or 0), now=NOW)
        assert isinstance(item, assignments.AssignedItem)
        assert item.questions[0].text == "Яке слово довше?"
        organiser.run("extend", "words", "--most", "4")
        for seen in (db, other):
            assert get_definition(seen).overlap == DynamicOverlap(min=1, max=4, confidence=0.9)


def test_a_definition_that_changes_while_it_is_read_is_not_kept_as_the_old_one(
    db: database.Database, url: str, backend: str, organiser: Organiser
) -> None:
    """Its row was read before a change of another process, the definition after it: both are read again together."""
    organiser.write("Яке?")
    assert organiser.hromada("load", "words.yaml").code == 0

    def store(title: str, digest: str) -> None:
        with database.open_database(url) as other, other.transaction() as session:
            project = queries.get_project(session, "words")
            project.definition, project.definition_sha256 = {**project.definition, "title": title}, backend + digest
            session.add(project)

    store("old", "a")
    with db.transaction() if backend == "postgresql" else db.reading() as session:
        [project] = models.PROJECTS.list(session, models.PROJECTS.select)
        store("new", "b")
        seen = definitions.read_project_definition(session, project)
        assert seen.title == ("new" if backend == "postgresql" else "old")
    assert get_definition(db).title == "new"
    store("old", "a")
    assert get_definition(db).title == "old"


def make_rows() -> list[Project]:
    """Projects that differ in nothing but their digests, and are not stored."""
    return [Project(definition_sha256=str(number), definition={}) for number in range(9)]  # type: ignore[call-arg]


def test_a_cache_keeps_so_many_definitions_and_those_that_were_used_last() -> None:
    """The definition that was not used for longest goes, not all of them; what is kept is not parsed again."""
    rows = make_rows()
    parsed: list[str] = []

    def parse(project: Project) -> str:
        parsed.append(project.definition_sha256)
        return project.definition_sha256

    cache = DefinitionCache(parse, columns=("definition_sha256",), size=2)
    assert [cache.get_definition(rows[number]) for number in (0, 1, 0, 2, 0, 1)] == ["0", "1", "0", "2", "0", "1"]
    assert parsed == ["0", "1", "2", "1"]
    assert len(cache) == 2


def test_threads_share_a_cache() -> None:
    """Each gets its own definition, and no more are kept than shall be."""
    rows = make_rows()
    cache = DefinitionCache[Project, str](lambda row: row.definition_sha256, columns=("definition_sha256",), size=3)

    def read(number: int) -> bool:
        row = rows[number * 7 % 9]
        return cache.get_definition(row) == row.definition_sha256

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(read, range(5000)))
    assert len(cache) == 3
