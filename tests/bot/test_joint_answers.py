"""Full responses from the database to the files: final revisions only, on both databases."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import Session, select

from annotation.store import database, table_base
from annotation.store.models import Annotator, Assignment, Item, Judgement
from annotation.vocabulary import ABSTAINED, AssignmentStatus, Exclusion, ExclusionKind, Pool, Surface
from annotation.workflow.lifecycle import projects
from bot import release
from exports import corrections, filtering
from exports.joint_answers import JointAnswers

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
    url = request.getfixturevalue(f"{request.param}_url")
    with database.open_database(url) as found, found.transaction() as opened:
        projects.load_project_file(opened, tmp_path / "tales.yaml", now=NOW)
        opened.exec(select(Item).where(Item.external_id == "c1")).one().pool = Pool.CONTROL
        yield opened


def add_revisions(
    session: Session, item: str, pseudonym: str, *revisions: dict[str, str], exclusion: Exclusion | None = None
) -> None:
    """Store the answers of an annotator to an item, one revision after another."""
    known = session.exec(select(Item).where(Item.external_id == item)).one()
    annotator = session.exec(select(Annotator).where(Annotator.pseudonym == pseudonym)).first()
    annotator = annotator or Annotator(pseudonym=pseudonym, created_at=NOW)
    session.add(annotator)
    session.flush()
    made = Assignment(
        item_id=known.id or 0,
        project_id=known.project_id,
        annotator_id=annotator.id or 0,
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.DONE,
        is_control=known.pool is Pool.CONTROL,
    )
    session.add(made)
    session.flush()
    for revision, answers in enumerate(revisions):
        session.add(
            Judgement(
                assignment_id=made.id or 0,
                revision=revision,
                response=answers["result"],
                response_raw="",
                answers=answers,
                answered_at=NOW,
                **table_base.list_exclusion_values(exclusion),
            )
        )
    session.flush()


def read_responses(session: Session) -> tuple[JointAnswers, ...]:
    """The full responses as `hromada export` reads them."""
    found = [project.joint_answers for project in release.read_projects(session, ["tales"])]
    return tuple(one for one in found if one is not None)


def test_only_final_revisions_that_count_are_published(session: Session) -> None:
    """An undone refusal is a correction; control items and excluded answers stay out; each row has its own answers."""
    add_revisions(session, "t2", "b", {"result": "ні", "why": '["нудне"]'})
    add_revisions(session, "t1", "b", {"result": "ні", "why": '["нудне"]'}, {"result": "так", "fixed": "Кіт спить"})
    add_revisions(session, "c1", "b", {"result": "так", "fixed": "Миша є"})
    add_revisions(
        session,
        "t1",
        "a",
        {"result": "так", "fixed": "Кіт не спав"},
        exclusion=Exclusion(ExclusionKind.RULE, "control: 20 %"),
    )
    add_revisions(session, "t2", "a", {"result": "так", "fixed": "Пес їв"})
    files = corrections.build_correction_files(read_responses(session))
    rows = list(csv.DictReader(io.StringIO(str(files["stories.csv"]))))
    assert [(row["item_id"], row["annotator"], row["status"], row["corrected"], row["reasons"]) for row in rows] == [
        ("t1", "b", "corrected", "Кіт спить", "[]"),
        ("t2", "a", "unchanged", "Пес їв", "[]"),
        ("t2", "b", "unusable", "", '["нудне"]'),
    ]
    filtered = list(
        csv.DictReader(io.StringIO(str(filtering.build_filtering_files(read_responses(session))["items.csv"])))
    )
    assert [(row["item_id"], row["status"], row["reasons"]) for row in filtered] == [
        ("t1", "kept", "[]"), ("t2", "removed", '["ні"]'),
    ]  # fmt: skip


def test_an_abstaining_annotator_is_not_among_those_who_judge(session: Session) -> None:
    """An abstention fills a place and is no objection to an item."""
    add_revisions(session, "t1", "a", {"result": "не знаю"}, exclusion=ABSTAINED)
    (found,) = read_responses(session)
    assert found.get_question("result").options == ("так", "ні")
    rows = list(csv.DictReader(io.StringIO(str(filtering.build_filtering_files([found])["items.csv"]))))
    assert {row["status"] for row in rows} == {"not judged"}
