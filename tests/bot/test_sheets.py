"""All the answers of a person to an item, from the database to the files: what stands at last, on both databases."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import Session, select

from annotation.store import database, queries
from annotation.store.models import Annotator, Assignment, Item, Judgement
from annotation.vocabulary import AssignmentStatus, Pool, Surface
from annotation.workflow.lifecycle import projects
from bot import release
from exports import items, stories
from exports.sheets import Sheets

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: tales
title: Казки
language: uk
instructions: Читайте.
questions:
  - {name: result, type: choice, text: "Придатне?", options: [так, ні], abstain: не знаю}
  - {name: why, type: choices, text: "Чому?", options: [закоротке, нудне], show_if: {result: ні}, least: 1}
  - {name: fixed, type: edit, text: "Виправте.", field: story, show_if: {result: так}}
items: {file: tales.csv, id: id, show: story}
overlap: 2
filtering: {keep: {result: так}, share: 40 %}
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """A database with three tales, the third one a control item."""
    (tmp_path / "tales.csv").write_text("id,story\nt1,Кіт спав\nt2,Пес їв\nc1,Миша\n", "utf-8")
    (tmp_path / "tales.yaml").write_text(PROJECT, "utf-8")
    url = f"sqlite:///{tmp_path / 'test.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_url")
    with database.opened(url) as found, found.transaction() as opened:
        projects.load_file(opened, tmp_path / "tales.yaml", now=NOW)
        opened.exec(select(Item).where(Item.external_id == "c1")).one().pool = Pool.CONTROL
        yield opened


def answered(session: Session, item: str, who: str, *said: dict[str, str], excluded: str | None = None) -> None:
    """What a person answered, one revision after another."""
    known = session.exec(select(Item).where(Item.external_id == item)).one()
    person = session.exec(select(Annotator).where(Annotator.pseudonym == who)).first()
    person = person or Annotator(pseudonym=who, created_at=NOW)
    session.add(person)
    session.flush()
    made = Assignment(
        item_id=known.id or 0,
        project_id=known.project_id,
        annotator_id=person.id or 0,
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.DONE,
        is_control=known.pool is Pool.CONTROL,
    )
    session.add(made)
    session.flush()
    for revision, answers in enumerate(said):
        session.add(
            Judgement(
                assignment_id=made.id or 0,
                revision=revision,
                response=answers["result"],
                response_raw="",
                answers=answers,
                answered_at=NOW,
                excluded_reason=excluded,
            )
        )
    session.flush()


def sheets(session: Session) -> tuple[Sheets, ...]:
    """What `hromada export` reads."""
    return release.sheets(session, [release.data_set(session, queries.project(session, "tales"))])


def test_what_stands_at_last_is_published_and_only_what_counts(session: Session) -> None:
    """An undone refusal is a correction; control items and excluded answers stay out; each row has its own answers."""
    answered(session, "t2", "b", {"result": "ні", "why": '["нудне"]'})
    answered(session, "t1", "b", {"result": "ні", "why": '["нудне"]'}, {"result": "так", "fixed": "Кіт спить"})
    answered(session, "c1", "b", {"result": "так", "fixed": "Миша є"})
    answered(session, "t1", "a", {"result": "так", "fixed": "Кіт не спав"}, excluded="control: 20 %")
    answered(session, "t2", "a", {"result": "так", "fixed": "Пес їв"})
    files = stories.files(sheets(session))
    rows = list(csv.DictReader(io.StringIO(str(files["stories.csv"]))))
    assert [(row["item_id"], row["annotator"], row["status"], row["corrected"], row["reasons"]) for row in rows] == [
        ("t1", "b", "corrected", "Кіт спить", "[]"),
        ("t2", "a", "unchanged", "Пес їв", "[]"),
        ("t2", "b", "unusable", "", '["нудне"]'),
    ]
    filtered = list(csv.DictReader(io.StringIO(str(items.files(sheets(session))["items.csv"]))))
    assert [(row["item_id"], row["status"], row["reasons"]) for row in filtered] == [
        ("t1", "kept", "[]"), ("t2", "removed", '["ні"]'),
    ]  # fmt: skip


def test_who_does_not_know_is_not_among_those_who_judge(session: Session) -> None:
    """An abstention fills a place and says nothing for or against an item."""
    answered(session, "t1", "a", {"result": "не знаю"}, excluded="abstained")
    (found,) = sheets(session)
    assert found.asked("result").options == ("так", "ні")
    rows = list(csv.DictReader(io.StringIO(str(items.files([found])["items.csv"]))))
    assert {row["status"] for row in rows} == {"not judged"}
