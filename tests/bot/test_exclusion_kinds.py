"""Why answers do not count, from the files and people they come from to the published files: by kinds, not by words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import Session, select

from annotation.store import database, pseudonyms, queries
from annotation.store.models import Annotator
from annotation.workflow.annotators import erasure
from annotation.workflow.imports import vote_import
from annotation.workflow.lifecycle import projects
from bot import release
from exports import tables

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32
RULE = "control items right < 50%, with at least 1"
PROJECT = """\
project: words
title: Чи є таке слово?
language: uk
kind: baseline
question: {type: choice, text: Є?, options: [так, ні], abstain: не знаю}
items: {file: words.csv, id: id, show: [word], gold: gold, gold_origin: construction}
controls: {rate: 10 %, pool: {where: {id: [c1]}}}
stages: {pilot: {pool: {where: {id: [p1]}}}}
quality: [{rule: control, accuracy: < 50 %, min_controls: 1, consequence: exclude}]
votes: {format: toloka, file: votes.tsv, item: ["INPUT:id"], answer: "OUTPUT:says"}
"""
ITEMS = "id,word,gold\ni1,кіт,так\ni2,пес,так\np1,лис,так\nc1,вовк,так\n"
VOTES = """\
INPUT:id\tOUTPUT:says\tASSIGNMENT:worker_id\tASSIGNMENT:status
i1\tтак\tann\tAPPROVED
i1\tні\tann\tAPPROVED
i2\tне знаю\tann\tAPPROVED
p1\tтак\tann\tAPPROVED
c1\tтак\tann\tAPPROVED
i1\tні\tbob\tREJECTED
i2\tні\tbob\tEXPIRED
i1\t\tcyd\tAPPROVED
i2\tтак\tdan\tAPPROVED
c1\tні\tdan\tAPPROVED
i1\tні\teve\tAPPROVED
"""


@pytest.fixture
def session(sqlite_url: str, tmp_path: Path) -> Iterator[Session]:
    """A database with imported votes, of which some do not count; after the import Eve was erased."""
    for name, text in (("words.yaml", PROJECT), ("words.csv", ITEMS), ("votes.tsv", VOTES)):
        (tmp_path / name).write_text(text, "utf-8")
    with database.open_database(sqlite_url) as db, db.transaction() as opened:
        projects.load_project_file(opened, tmp_path / "words.yaml", now=NOW)
        project = queries.get_project(opened, "words")
        vote_import.store_votes(opened, project, vote_import.read_vote_file(opened, project), key=KEY, now=NOW)
        eve = pseudonyms.make_pseudonym(KEY, namespace="toloka", name="eve")
        erased = opened.exec(select(Annotator).where(Annotator.pseudonym == eve)).one()
        erasure.erase_annotator(opened, annotator_id=erased.id or 0, pseudonym="stranger", now=NOW)
        yield opened


def list_published(session: Session, *columns: str) -> set[tuple[object, ...]]:
    """These columns of human_responses.csv, of the answers that do not count."""
    data = release.ProjectInputs(view=session, project=queries.get_project(session, "words")).read_data_set()
    table = tables.build_response_table(data)
    return {tuple(row) for row in table.loc[table["excluded_reason"].notna(), list(columns)].to_numpy().tolist()}


def test_only_rules_and_organisers_exclude_by_rule(session: Session) -> None:
    """Neither erased answers nor those to pilot items are `by_rule`; control rules and a requester's rejection are."""
    assert list_published(session, "excluded_reason", "by_rule") == {
        ("repeat, the first counts", False), ("abstained", False), ("pilot item", False), ("control item", False),
        ("status REJECTED", True), ("status EXPIRED", False), ("no answer", False), (RULE, True),
        ("erased at the annotator's request", False),
    }  # fmt: skip


def test_the_kind_of_each_exclusion_is_published(session: Session) -> None:
    """Beside the words, in a column of its own."""
    assert list_published(session, "excluded_kind", "excluded_reason") == {
        ("repeat", "repeat, the first counts"), ("abstained", "abstained"), ("pilot item", "pilot item"),
        ("control item", "control item"), ("rejected", "status REJECTED"), ("not accepted", "status EXPIRED"),
        ("no answer", "no answer"), ("rule", RULE), ("erased", "erased at the annotator's request"),
    }  # fmt: skip


def test_what_no_rule_excluded_stays_out_of_the_exclusions_kept(session: Session) -> None:
    """Ann's one answer counts and is right; with the exclusions kept, Bob's is wrong and Dan's right."""
    data = release.ProjectInputs(view=session, project=queries.get_project(session, "words")).read_data_set()
    made = tables.build_release([data], agreement_resamples=50)
    scores = made.scores.loc[(made.scores["unit"] == "individual") & (made.scores["metric"] == "accuracy")]
    values = zip(scores["subset"], scores["value"].astype(float), scores["total"], strict=True)
    assert {name: (round(value * total), total) for name, value, total in values} == {
        "all": (1, 1), "exclusions kept": (2, 3),
    }  # fmt: skip
