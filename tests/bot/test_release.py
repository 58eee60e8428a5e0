"""From the database of a campaign to a release: every kind of row once, counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sqlmodel import Session, select

from annotation.store import database, queries, table_base
from annotation.store.models import Annotator, Assignment, Item, Judgement, Participation
from annotation.vocabulary import (
    ABSTAINED,
    EXTRA,
    AssignmentStatus,
    Exclusion,
    ExclusionKind,
    ParticipationStatus,
    Pool,
    Stage,
    Surface,
)
from annotation.workflow.lifecycle import projects
from bot import release
from exports import tables
from exports.inputs import DataSet

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: words
title: "Чи є таке слово?"
language: uk
kind: baseline
instructions: Подумайте.
question: {type: choice, text: "Є?", options: [так, ні]}
items: {file: words.csv, id: id, show: [word], gold: gold, gold_origin: construction}
overlap: 3
"""
POOLS = {"c1": Pool.CONTROL, "p1": Pool.PILOT, "t1": Pool.TRAINING, "q1": Pool.QUALIFICATION}
NAMES = ("i1", "i2", "i3", *POOLS)


@pytest.fixture
def session(sqlite_url: str, tmp_path: Path) -> Iterator[Session]:
    """A database with the project: three main items and one of each other pool, gold «так» everywhere."""
    rows = [f"{name},слово {name},так" for name in NAMES]
    (tmp_path / "words.csv").write_text("\n".join(["id,word,gold", *rows]) + "\n", "utf-8")
    (tmp_path / "words.yaml").write_text(PROJECT, "utf-8")
    with database.open_database(sqlite_url) as db, db.transaction() as opened:
        projects.load_project_file(opened, tmp_path / "words.yaml", now=NOW)
        for item in opened.exec(select(Item)).all():
            item.pool = POOLS.get(item.external_id, Pool.MAIN)
            item.stage = item.pool.stage
        yield opened


def get_annotator_id(session: Session, name: str, **more: Any) -> int:
    """The id of the annotator with this pseudonym, created if there is none."""
    known = session.exec(select(Annotator).where(Annotator.pseudonym == name)).first()
    made = known or Annotator(pseudonym=name, created_at=NOW, **more)
    session.add(made)
    session.flush()
    return made.id or 0


def answer(session: Session, item: str, pseudonym: str, *labels: str | None, hours: float = 0, **more: Any) -> None:
    """Store answers to an item, one revision after another; None is a skip. `more` are columns of either table."""
    known = session.exec(select(Item).where(Item.external_id == item)).one()
    given = {name: more.pop(name) for name in list(more) if name in Judgement.model_fields}
    made = Assignment(
        item_id=known.id or 0,
        project_id=known.project_id,
        annotator_id=get_annotator_id(session, pseudonym),
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.DONE,
        stage=known.stage,
        is_control=known.pool is Pool.CONTROL,
        **more,
    )
    session.add(made)
    session.flush()
    for revision, label in enumerate(labels):
        last = given if revision == len(labels) - 1 else {}
        values = {"response": label or "", "response_raw": label or "", "skip_reason": None if label else "unclear"}
        session.add(
            Judgement(
                assignment_id=made.id or 0,
                revision=revision,
                seconds=4.0,
                answered_at=NOW + timedelta(hours=hours),
                **(values | last),
            )
        )
    session.flush()


def excluded(kind: ExclusionKind, reason: str) -> dict[str, Any]:
    """The columns of an answer that was excluded."""
    return table_base.list_exclusion_values(Exclusion(kind, reason))


def data_set(session: Session) -> DataSet:
    return release.ProjectInputs(view=session, project=queries.get_project(session, "words")).read_data_set()


def cells(frame: pd.DataFrame, **values: object) -> dict[str, Any]:
    """The one row that has these values."""
    rows = frame.loc[[all(row[name] == value for name, value in values.items()) for _, row in frame.iterrows()]]
    return {str(name): rows[name].item() for name in rows.columns}


def add_every_kind_of_row(session: Session) -> None:
    """Votes, a skip, an undo, an exception, an insider, a row of each other pool, a repeat, an exclusion, an extra."""
    get_annotator_id(session, "d-insider", insider=True)
    for item in ("i1", "i2", "i3"):
        answer(session, item, "a", "так")
        answer(session, item, "d-insider", "ні")
    answer(session, "i1", "b", "так", "ні", page=2, position=7)
    answer(session, "i2", "b", None)
    answer(session, "i3", "b", "так", flags=["too fast"])
    answer(session, "i1", "e-exposed", "ні", exposed=True)
    for item in POOLS:
        answer(session, item, "a", "ні" if item == "c1" else "так")
    answer(session, "i1", "a", "ні", occasion=1, is_repeat=True, hours=25.5)
    answer(session, "i1", "x", "ні", post_hoc=True, **excluded(ExclusionKind.RULE, "control accuracy < 0.5"))
    answer(session, "i2", "x", "ні", **table_base.list_exclusion_values(EXTRA))
    session.add(
        Participation(
            annotator_id=get_annotator_id(session, "x"),
            project_id=queries.get_project(session, "words").id or 0,
            stage=Stage.MAIN,
            status=ParticipationStatus.EXCLUDED,
            reason="control accuracy < 0.5",
            since=NOW,
            joined_at=NOW,
        )
    )


def test_every_row_is_there_and_one_filter_says_which_count(session: Session) -> None:
    """Eight votes and a skip; each other row has its reason, stored or made of its stage and flags."""
    add_every_kind_of_row(session)
    data = data_set(session)
    assert len(data.responses) == 17
    assert (len(data.list_counted_answers()), len(data.list_counted_skips())) == (8, 1)
    assert data.list_excluded_responses()["excluded_reason"].value_counts().to_dict() == {
        "exposed: scored apart": 1, "control item": 1, "pilot item": 1, "training item": 1, "qualification item": 1,
        "repeated item": 1, "control accuracy < 0.5": 1, "extra: the item had its answers": 1,
    }  # fmt: skip


def test_the_columns_hold_what_the_workflow_recorded(session: Session) -> None:
    """First answer, skip, flags, page, position, gap of the repeat, insider, and how an answer was excluded."""
    add_every_kind_of_row(session)
    rows = data_set(session).responses
    undone = cells(rows, item_id="i1", annotator="b")
    assert (undone["response"], undone["first_response"], undone["revision"]) == ("ні", "так", 1)
    assert (undone["page"], undone["position"], undone["excluded_reason"]) == (2, 7, None)
    skip = cells(rows, item_id="i2", annotator="b")
    assert (skip["response"], skip["skip_reason"], skip["first_response"]) == (None, "unclear", None)
    assert cells(rows, item_id="i3", annotator="b")["flags"] == '["too fast"]'
    assert cells(rows, item_id="i1", annotator="a", is_repeat=True)["gap_hours"] == 25.5
    assert cells(rows, item_id="i1", annotator="a", is_repeat=False)["gap_hours"] is None
    assert sorted(set(rows.loc[rows["insider"].eq(other=True), "annotator"])) == ["d-insider"]
    ruled, extra = (cells(rows, item_id=item, annotator="x") for item in ("i1", "i2"))
    assert (ruled["by_rule"], ruled["post_hoc"]) == (True, True)
    assert (extra["by_rule"], extra["post_hoc"]) == (False, False)


def test_a_release_scores_them_every_way(session: Session) -> None:
    """Right: a's three and b's one; b was right twice at first; d is wrong three times; the skip is wrong."""
    add_every_kind_of_row(session)
    made = tables.build_release([data_set(session)], agreement_resamples=50)
    chosen = made.scores.loc[(made.scores["unit"] == "individual") & (made.scores["metric"] == "accuracy")]
    values = zip(chosen["subset"], chosen["value"].astype(float), chosen["total"], strict=True)
    assert {name: (round(value * total), total) for name, value, total in values} == {
        "all": (4, 9), "skips excluded": (4, 8), "first answers": (5, 9), "exposed only": (0, 1),
        "without insiders": (4, 6), "exclusions kept": (4, 10),
    }  # fmt: skip
    known = cells(made.annotators, annotator="a")
    assert [known[name] for name in ("n", "right", "controls", "controls_right", "repeats")] == [3, 3, 1, 0, 1]
    assert known["self_agreement"] == "0.0000"
    barred = made.annotators.loc[made.annotators["excluded_reason"].notna(), ["annotator", "excluded_reason"]]
    assert barred.to_numpy().tolist() == [["x", "excluded: control accuracy < 0.5"]]
    published = made.agreement["words"]
    assert published["self_agreement"]["gap_hours"] == {"min": 25.5, "median": 25.5, "max": 25.5}
    assert published["counts"]["excluded"] == 8 == sum(published["counts"]["excluded_by_reason"].values())
    assert published["counts"]["excluded_post_hoc"] == 1


@pytest.mark.parametrize(
    ("labels", "more", "first"),
    [
        (("не знаю", "так"), {}, "abstained"),
        (("так", "не знаю"), table_base.list_exclusion_values(ABSTAINED), None),
        (("так", "ні"), excluded(ExclusionKind.RULE, "too fast"), "too fast"),
        (("так", "ні"), {}, None),
    ],
)
def test_why_a_first_answer_does_not_count(
    session: Session, labels: tuple[str, str], more: dict[str, Any], first: str | None
) -> None:
    """It abstained itself, or a rule excluded what followed; a later abstention says nothing against it."""
    answer(session, "i1", "a", *labels, **more)
    if labels[0] == "не знаю":
        first_answer = session.exec(select(Judgement).where(Judgement.revision == 0)).one()
        first_answer.excluded_kind, first_answer.excluded_reason = ABSTAINED.kind, ABSTAINED.reason
    assert data_set(session).responses["first_excluded_reason"].tolist() == [first]


def test_follow_up_campaigns_use_the_same_answers(session: Session) -> None:
    """Consensus inside the database counts the votes of the release; those of the pilot only where it is asked for."""
    add_every_kind_of_row(session)
    data = data_set(session)
    ids = {item.id: item.external_id for item in session.exec(select(Item)).all()}
    used = [(ids[item], labels) for item, _, _, labels in queries.list_final_answers(session, project_id=1)]
    kept = data.list_counted_answers()
    assert sorted(used) == sorted(zip(kept["item_id"], kept["response"], strict=True))


def test_gold_of_a_projects_own_votes_is_circular(session: Session) -> None:
    """Gold of the origin `votes` scores nobody, unless an earlier project handed the item on."""
    for item in session.exec(select(Item)).all():
        item.gold_origin = "votes" if item.external_id != "i3" else "expert"
        item.lineage = {"project": "earlier"} if item.external_id == "i2" else None
    session.flush()
    data = release.ProjectInputs(view=session, project=queries.get_project(session, "words")).read_data_set()
    assert dict(zip(data.items["item_id"], data.items["circular"], strict=True)) == {
        "i1": True,
        "i2": False,
        "i3": False,
    }
    assert list(data.list_scoring_gold()) == [None, "так", "так"]
    assert all(len(digest) == 64 for digest in data.items["stimulus_sha256"])
