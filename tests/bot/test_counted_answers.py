"""The same answers count everywhere: in SQL, in Python, in the status, in every published file and in the report."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlmodel import Session, col, select

from annotation.store import database, judgements, queries, table_base
from annotation.store.judgements import AnswerFacts
from annotation.store.models import Annotator, Assignment, Item, Judgement, Participation, Project
from annotation.vocabulary import (
    AssignmentStatus,
    Exclusion,
    ExclusionKind,
    Pool,
    Stage,
    Surface,
)
from annotation.workflow.annotators import erasure, withdrawal
from annotation.workflow.lifecycle import projects
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.quality import exclusions
from bot import release
from exports import tables
from exports.report import page

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PEOPLE = ("ann", "bob", "cyd", "dan")
MAIN = ("m1", "m2", "m3")
POOLS = {
    **dict.fromkeys(MAIN, Pool.MAIN),
    "c1": Pool.CONTROL,
    "p1": Pool.PILOT,
    "t1": Pool.TRAINING,
    "q1": Pool.QUALIFICATION,
}
PROJECT = """\
project: words
title: Чи є таке слово?
language: uk
kind: baseline
question: {type: choice, text: Є?, options: [так, ні]}
items: {file: words.csv, id: id, show: [word], gold: gold, gold_origin: construction}
overlap: 4
"""
WORDS = ("control item", "repeat, the first counts", "withdrawn by a rule", "the item was changed", "abstained")
"""Reasons in words that say nothing about the kind that they stand beside."""
BY_RULE = Exclusion(ExclusionKind.RULE, "extra slow")


@dataclass(frozen=True)
class Given:
    """An answer that was drawn: who answered which item, a repeat or exposed, and each revision of the answer.

    A revision is the label, `skip` or nothing, and the exclusion that is stored with it.
    """

    item: str
    person: str
    is_repeat: bool
    exposed: bool
    revisions: tuple[tuple[str, Exclusion | None], ...]

    @property
    def key(self) -> tuple[str, str, bool]:
        """What no two answers have in common."""
        return self.item, self.person, self.is_repeat


@dataclass(frozen=True)
class Campaign:
    """What happened: answers; then a rule excluded all of one annotator's, one withdrew, and one was erased."""

    answers: tuple[Given, ...]
    ruled: str | None
    withdrawn: str | None
    erased: str | None


stored = st.none() | st.builds(Exclusion, st.sampled_from(list(ExclusionKind)), st.sampled_from(WORDS))
revisions = st.lists(st.tuples(st.sampled_from(["так", "ні", "skip", ""]), stored), min_size=1, max_size=3).map(tuple)
answers = st.lists(
    st.builds(
        Given,
        item=st.sampled_from([*MAIN, *MAIN, *POOLS]),
        person=st.sampled_from(PEOPLE),
        is_repeat=st.sampled_from([False, False, True]),
        exposed=st.sampled_from([False, False, True]),
        revisions=revisions,
    ),
    max_size=24,
    unique_by=lambda one: one.key,
).map(tuple)
somebody = st.none() | st.sampled_from(PEOPLE)
campaigns = st.builds(Campaign, answers=answers, ruled=somebody, withdrawn=somebody, erased=somebody)


VARIANTS: tuple[tuple[tuple[str, Exclusion | None], ...], ...] = (
    (("так", None),),
    (("так", None), ("ні", None)),
    (("", None),),
    (("skip", None),),
    (("так", Exclusion(ExclusionKind.ABSTAINED, WORDS[-1])),),
    (("ні", BY_RULE), ("так", None)),
    (("так", Exclusion(ExclusionKind.PILOT, WORDS[0])),),
)
"""Revisions of an answer: their number has no divisor in common with the cycles of `EVERY_ANSWER`."""
EVERY_ANSWER = tuple(
    Given(item, person, is_repeat, exposed=number % 3 == 0, revisions=VARIANTS[number % len(VARIANTS)])
    for number, (item, person, is_repeat) in enumerate(product(POOLS, PEOPLE, (False, True)))
)
"""Answers to items of every pool, for each of `RULES` alone and together with others."""


def explain(campaign: Campaign, one: Given, *, in_pilot: bool = False) -> Exclusion | None:
    """Why an answer does not count, by the words of the reference; None where it counts.

    With `in_pilot`, why the pilot itself does not count it.
    """
    label, exclusion = one.revisions[-1]
    if exclusion is None and one.person == campaign.ruled:
        exclusion = BY_RULE
    if in_pilot and exclusion is not None and exclusion.kind is ExclusionKind.PILOT:
        exclusion = None
    if one.person == campaign.withdrawn and (exclusion is None or exclusion.kind is ExclusionKind.ABSTAINED):
        exclusion = Exclusion(ExclusionKind.WITHDRAWN, "withdrawn by the annotator")
    if one.person == campaign.erased:
        exclusion = Exclusion(ExclusionKind.ERASED, "erased at the annotator's request")
    pool = POOLS[one.item]
    if exclusion is not None:
        return exclusion
    if pool is not Pool.MAIN and not (in_pilot and pool is Pool.PILOT):
        return Exclusion(ExclusionKind(f"{pool.value} item"), f"{pool.value} item")
    if one.is_repeat:
        return Exclusion(ExclusionKind.REPEAT, "repeated item")
    if one.exposed:
        return Exclusion(ExclusionKind.EXPOSED, "exposed: scored apart")
    return None if label else Exclusion(ExclusionKind.NO_ANSWER, "no response")


def store(session: Session, campaign: Campaign) -> None:
    """Store the campaign as the workflow would."""
    project = queries.get_project(session, "words")
    items = {item.external_id: item for item in session.exec(select(Item))}
    ids: dict[str, int] = {}
    for name in PEOPLE:
        annotator = Annotator(pseudonym=name, created_at=NOW)
        session.add(annotator)
        session.flush()
        ids[name] = annotator.id or 0
        session.add(
            Participation(
                annotator_id=ids[name], project_id=project.id or 0, stage=Stage.MAIN, since=NOW, joined_at=NOW
            )
        )
    for one in campaign.answers:
        store_answer(session, one, items[one.item], ids[one.person])
    for name in filter(None, [campaign.ruled]):
        of_person = session.exec(select(Assignment.id).where(Assignment.annotator_id == ids[name])).all()
        chosen = [number for number in of_person if number is not None]
        exclusions.exclude_answers(session, assignment_ids=chosen, exclusion=BY_RULE, post_hoc=False, now=NOW)
    for name in filter(None, [campaign.withdrawn]):
        withdrawal.withdraw_annotator(session, annotator_id=ids[name], project=project, now=NOW)
    for name in filter(None, [campaign.erased]):
        erasure.erase_annotator(session, annotator_id=ids[name], pseudonym=name, now=NOW)
    session.expire_all()


def store_answer(session: Session, one: Given, item: Item, annotator_id: int) -> None:
    """Store all revisions of an answer."""
    assignment = Assignment(
        item_id=item.id or 0,
        project_id=item.project_id,
        annotator_id=annotator_id,
        surface=Surface.TELEGRAM,
        status=AssignmentStatus.DONE,
        stage=item.stage,
        is_control=item.pool is Pool.CONTROL,
        is_repeat=one.is_repeat,
        occasion=int(one.is_repeat),
        exposed=one.exposed,
    )
    session.add(assignment)
    session.flush()
    for revision, (label, exclusion) in enumerate(one.revisions):
        response = "" if label == "skip" else label
        session.add(
            Judgement(
                assignment_id=assignment.id or 0,
                revision=revision,
                response=response,
                response_raw=response,
                skip_reason="unclear" if label == "skip" else None,
                answered_at=NOW,
                **table_base.list_exclusion_values(exclusion),
            )
        )
    session.flush()


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[database.Database]:
    """A database with the project, in which no answer is left after an example."""
    folder = tmp_path_factory.mktemp("words")
    rows = [f"{name},слово {name},так" for name in POOLS]
    (folder / "words.csv").write_text("\n".join(["id,word,gold", *rows]) + "\n", "utf-8")
    (folder / "words.yaml").write_text(PROJECT, "utf-8")
    url = f"sqlite:///{folder / 'test.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql_url")
    with database.open_database(url) as opened:
        with opened.transaction() as session:
            projects.load_project_file(session, folder / "words.yaml", now=NOW)
            for item in session.exec(select(Item)).all():
                item.pool = POOLS[item.external_id]
                item.stage = item.pool.stage
        yield opened


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(campaign=campaigns)
@example(campaign=Campaign(EVERY_ANSWER, ruled=None, withdrawn=None, erased=None))
@example(campaign=Campaign(EVERY_ANSWER, ruled="ann", withdrawn="bob", erased="cyd"))
@pytest.mark.slow_on("postgresql")
@pytest.mark.slow
def test_the_same_answers_count_everywhere(db: database.Database, tmp_path: Path, campaign: Campaign) -> None:
    """Exclusions of every kind, revisions, skips, repeats, controls, exposures, withdrawals and erasures."""
    reasons = {one.key: explain(campaign, one) for one in campaign.answers}
    counted = {one.key: one.revisions[-1][0] for one in campaign.answers if reasons[one.key] is None}
    with db.transaction() as session:
        store(session, campaign)
        project = queries.get_project(session, "words")
        check_queries(session, project, reasons=reasons, counted=counted)
        check_answers_of_items(
            session, {one.key for one in campaign.answers if explain(campaign, one, in_pilot=True) is None}
        )
        status = campaign_status.get_campaign_status(session, project)
        assert status.answers - sum(status.excluded.values()) == len(counted)
        assert status.excluded == Counter(one.reason for one in reasons.values() if one is not None)
        data = release.ProjectInputs(view=session, project=project).read_data_set()
        session.rollback()
    made = tables.build_release([data], agreement_resamples=2)
    tables.write_release(made, tmp_path)
    check_files(tmp_path, reasons=reasons, counted=counted)
    report = page.render_report(made)
    excluded = len(reasons) - len(counted)
    votes = {key: label for key, label in counted.items() if label != "skip"}
    cells = [len(MAIN), len({key[0] for key in votes}), len(MAIN), len({key[1] for key in votes}), len(votes), excluded]
    assert "".join(f"<td>{cell}</td>" for cell in cells) in report


Key = tuple[str, str, bool]


def check_queries(
    session: Session, project: Project, *, reasons: dict[Key, Exclusion | None], counted: dict[Key, str]
) -> None:
    """The conditions and columns in SQL, the function in Python, and the queries that use them."""
    kind, reason = judgements.build_exclusion_columns()
    rows = session.exec(
        select(Item.external_id, Annotator.pseudonym, Assignment, Judgement, kind, reason)  # type: ignore[call-overload]
        .join(Assignment, col(Assignment.item_id) == col(Item.id))
        .join(Annotator, col(Annotator.id) == col(Assignment.annotator_id))
        .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
        .where(judgements.build_final_revision_condition())
    ).all()
    in_sql, in_python = {}, {}
    for item, person, assignment, judgement, found_kind, found_reason in rows:
        key = (item, person, assignment.is_repeat)
        in_sql[key] = None if found_kind is None else Exclusion(found_kind, found_reason)
        facts = AnswerFacts(
            assignment.stage,
            assignment.is_control,
            assignment.is_repeat,
            assignment.exposed,
            is_empty=not judgement.response and judgement.skip_reason is None,
        )
        in_python[key] = judgements.find_exclusion(judgement.exclusion, facts)
    assert in_sql == reasons
    assert in_python == reasons
    ids = {assignment.id: (item, person, assignment.is_repeat) for item, person, assignment, *_ in rows}
    chosen = session.exec(
        select(Judgement.assignment_id)
        .join(Assignment)
        .where(judgements.build_final_revision_condition(), judgements.build_counting_condition())
    )
    assert {ids[number] for number in chosen} == counted.keys()
    items = {item.id or 0: item.external_id for item in session.exec(select(Item))}
    votes = sorted((key[0], key[1], label) for key, label in counted.items() if label != "skip")
    final = queries.list_final_answers(session, project_id=project.id or 0)
    assert sorted((items[item], person, label) for item, person, _, label in final) == votes


def check_answers_of_items(session: Session, counted_in_pilot: set[Key]) -> None:
    """The answers towards the consensus of each item, for which a pilot counts what is of the pilot."""
    for item in session.exec(select(Item)):
        answers_of_item = judgements.list_counting_answers(session, item_id=item.id or 0)
        given = [session.get_one(Assignment, answer.assignment_id) for answer in answers_of_item]
        people = [session.get_one(Annotator, assignment.annotator_id).pseudonym for assignment in given]
        found = {(item.external_id, who, one.is_repeat) for who, one in zip(people, given, strict=True)}
        assert found == {key for key in counted_in_pilot if key[0] == item.external_id}


def check_files(folder: Path, *, reasons: dict[Key, Exclusion | None], counted: dict[Key, str]) -> None:
    """Every published file; where there is no vote, nothing is scored."""
    votes = {key: label for key, label in counted.items() if label != "skip"}
    published = {
        (row["item_id"], row["annotator"], row["is_repeat"] == "true"): row
        for row in read_csv(folder / "human_responses.csv")
    }
    assert {key: (row["excluded_kind"], row["excluded_reason"]) for key, row in published.items()} == {
        key: ("", "") if one is None else (one.kind.value, one.reason) for key, one in reasons.items()
    }
    assert {key for key, row in published.items() if row["by_rule"] == "true"} == {
        key for key, one in reasons.items() if one is not None and one.kind.value in {"rule", "organiser", "rejected"}
    }
    gold = {row["item_id"]: (int(row["n_votes"]), int(row["n_excluded"])) for row in read_csv(folder / "gold.csv")}
    assert gold == {item: (count(votes, item), count(reasons, item) - count(counted, item)) for item in MAIN}
    scored = counted if votes else {}
    people = {row["annotator"]: int(row["n"]) for row in read_csv(folder / "annotators.csv") if int(row["n"])}
    assert people == Counter(person for _, person, _ in scored)
    totals = [int(row["total"]) for row in read_csv(folder / "baselines.csv") if row["unit"] == "individual"]
    assert sum(totals) == len(scored)
    scores = [
        int(row["total"])
        for row in read_csv(folder / "human_baseline.csv")
        if (row["subset"], row["unit"], row["metric"]) == ("all", "individual", "accuracy")
    ]
    assert sum(scores) == len(scored)
    counts = json.loads((folder / "agreement.json").read_text("utf-8"))["words"]["counts"]
    assert (counts["votes"], counts["skips"]) == (len(votes), len(counted) - len(votes))
    assert counts["excluded"] == len(reasons) - len(counted)
    assert counts["excluded_by_reason"] == Counter(one.reason for one in reasons.values() if one is not None)


def count(answers_by_key: dict[Key, str] | dict[Key, Exclusion | None], item: str) -> int:
    """How many answers are to an item."""
    return sum(key[0] == item for key in answers_by_key)


def read_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
