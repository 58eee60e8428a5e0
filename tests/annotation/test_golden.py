"""Control tasks in files of votes: items of their own, with the gold that came along."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from annotation.campaigns import project_file as project_files
from annotation.errors import BadInput
from annotation.loading import campaign
from annotation.loading.drafts import ItemDraft
from annotation.store import queries
from annotation.store.database import Database
from annotation.store.models import Annotator, Assignment, Item, Judgement
from annotation.vocabulary import Pool
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: golden
title: Де правда?
language: uk
questions:
  - {name: usable, type: choice, text: Так?, options: [так, ні]}
  - {name: why, type: text, text: Чому?, required: no}
items: from votes
votes:
  format: toloka
  file: votes.tsv
  item: ["INPUT:text"]
  answers: {usable: "OUTPUT:usable", why: "OUTPUT:why"}
  labels: {map: {yes: так}}
quality: [{rule: control, accuracy: < 50 %, min_controls: 1, consequence: exclude}]
"""
HEADER = "INPUT:text\tOUTPUT:usable\tOUTPUT:why\tGOLDEN:usable\tGOLDEN:why\tASSIGNMENT:worker_id\tASSIGNMENT:status"
ROWS = """\
кіт\tтак\tбо\tyes\tБо\tw1\tAPPROVED
кіт\tні\t\tyes\tБо\tw2\tAPPROVED
пес\tтак\t\t\t\tw1\tAPPROVED
пес\tтак\t\t\t\tw2\tAPPROVED
лис\tтак\t\t\t\tw1\tAPPROVED
лис\tтак\t\tні\t\tw2\tREJECTED
"""


def items(folder: Path, rows: str = ROWS) -> dict[str, ItemDraft]:
    """The items that the votes make."""
    (folder / "votes.tsv").write_text(f"{HEADER}\n{rows}", "utf-8")
    (folder / "golden.yaml").write_text(PROJECT, "utf-8")
    found = campaign.read_contents(project_files.read_project(folder / "golden.yaml")).items
    return {item.external_id: item for item in found}


def test_what_was_asked_as_a_control_alone_is_a_control_item(tmp_path: Path) -> None:
    """Its gold is what came along, under the labels of the project; the main items stand first."""
    found = items(tmp_path)
    assert [(name, item.pool) for name, item in found.items()] == [
        ("пес", Pool.MAIN), ("лис", Pool.MAIN), ("кіт", Pool.CONTROL),
    ]  # fmt: skip
    assert found["кіт"].golds == {"usable": "так", "why": "Бо"}
    assert found["лис"].golds == {"usable": "ні"}
    assert found["пес"].golds == {}


def test_several_right_answers_are_all_accepted(tmp_path: Path) -> None:
    """The first is the gold."""
    found = items(tmp_path, ROWS.replace("w2", "w3") + "кіт\tні\t\tні\t\tw4\tAPPROVED\n")
    assert (found["кіт"].gold, found["кіт"].accepted) == ("так", ("ні",))


def test_who_fails_the_controls_counts_no_more(tmp_path: Path, db: Database) -> None:
    """w2 is out by the item that both answered; a control on a page that was not accepted judges nobody."""
    items(tmp_path)
    with db.transaction() as session:
        projects.load_project_file(session, tmp_path / "golden.yaml", now=NOW)
        project = queries.get_project(session, "golden")
        vote_file = vote_import.read_vote_file(session, project)
        result = vote_import.store_votes(session, project, vote_file, key=b"k" * 32, now=NOW)
        rule = "control items right < 50%, with at least 1"
        controls = result.control_results
        assert (controls.annotators, {name: len(who) for name, who in controls.excluded.items()}) == (2, {rule: 1})
        assert result.excluded == {"control item": 2, rule: 1, "status REJECTED": 1}
        assert result.retained == 2
        reasons = sa.select(col(Item.external_id), col(Judgement.excluded_reason)).select_from(Judgement)
        reasons = reasons.join(Assignment).join(Item).order_by(col(Judgement.id))
        assert [tuple(row) for row in session.execute(reasons)] == [
            ("кіт", "control item"), ("кіт", "control item"), ("пес", None), ("пес", rule), ("лис", None),
            ("лис", "status REJECTED"),
        ]  # fmt: skip
        stored = session.exec(select(Item).order_by(col(Item.rank))).all()
        assert [(one.external_id, one.n_live, one.n_done, one.free) for one in stored] == [
            ("пес", 1, 1, 0), ("лис", 1, 1, 0), ("кіт", 0, 0, 0),
        ]  # fmt: skip
        held = select(Item.external_id).join(Assignment).where(col(Assignment.holds_place)).order_by(col(Item.rank))
        assert list(session.exec(held)) == ["пес", "лис"]
        assert session.exec(select(Item.gold_origin).where(Item.external_id == "кіт")).one() == "declared"
        assert len(session.exec(select(Annotator.id)).all()) == 2


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("consequence: exclude", "consequence: pause", "Nobody works on imported votes"),
        (
            "{rule: control, accuracy: < 50 %, min_controls: 1,",
            "{rule: seconds, least: 5 s,",
            "Nobody works on imported",
        ),
        ("format: toloka", "format: csv\n  annotator: w", "needs `controls`, or votes from Toloka"),
    ],
)
def test_rules_that_imported_votes_cannot_have_are_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    """There is nobody to pause, no item to time, no gold in other files."""
    (tmp_path / "golden.yaml").write_text(PROJECT.replace(old, new), "utf-8")
    with pytest.raises(BadInput, match=says):
        project_files.read_project(tmp_path / "golden.yaml")
