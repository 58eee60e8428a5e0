"""Two people decide at once, on both databases: of a decision on one item or answer, one is stored."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from sqlmodel import Session, select

from annotation.errors import Conflict
from annotation.review_vocabulary import CaseReason
from annotation.store import invariants, queries
from annotation.store.database import Database
from annotation.store.models import Adjudication, AdjudicationCase, Item, Judgement, SubmissionReview
from annotation.vocabulary import ExclusionKind
from annotation.workflow.review import adjudication, cases, reviewers, submission_decisions
from tests.annotation.conftest import NOW, Sandbox

KEY = b"k" * 32
N_ITEMS = 12


def race(*acts: Callable[[], bool]) -> list[bool]:
    """Do these at the same moment, each in a thread of its own; what each gave."""
    start = threading.Barrier(len(acts))
    done: dict[int, bool] = {}

    def run(number: int) -> None:
        start.wait(timeout=30)
        done[number] = acts[number]()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return [done[number] for number in range(len(acts))]  # whatever raised or hangs is missing


def try_once(db: Database, act: Callable[[Session], object]) -> bool:
    """Whether it was done in a transaction; False where somebody else was first."""
    try:
        with db.transaction() as session:
            act(session)
    except Conflict:
        return False
    return True


@pytest.fixture
def doubtful(db: Database, load: Callable[..., None]) -> tuple[Database, list[int]]:
    """Items that all wait for an adjudicator, and the ids of their cases."""
    load("words", n=N_ITEMS)
    with db.transaction() as session:
        project = queries.get_project(session, "words")
        doubts = {f"words-{number}": [CaseReason.TIE] for number in range(1, N_ITEMS + 1)}
        assert cases.refresh_cases(session, project=project, question="answer", doubts=doubts, now=NOW) == N_ITEMS
        for name in ("olha", "ivan"):
            reviewers.add_reviewer(session, name=name, key=KEY, now=NOW)
        return db, [case.id or 0 for case in session.exec(select(AdjudicationCase))]


def test_of_two_adjudicators_one_decides(doubtful: tuple[Database, list[int]]) -> None:
    """Whoever is second is refused, whatever they say, and may decide on the next item."""
    db, ids = doubtful

    def decide(session: Session, name: str, case_id: int, label: str) -> None:
        adjudication.decide_case(
            session,
            project=queries.get_project(session, "words"),
            case=session.get_one(AdjudicationCase, case_id),
            adjudicator=reviewers.add_reviewer(session, name=name, key=KEY, now=NOW),
            labels=[label],
            now=NOW,
        )

    for case_id in ids:
        done = race(
            partial(try_once, db, partial(decide, name="olha", case_id=case_id, label="кіт")),
            partial(try_once, db, partial(decide, name="ivan", case_id=case_id, label="собака")),
        )
        assert sorted(done) == [False, True]
    with db.reading() as view:
        decided = view.exec(select(Adjudication)).all()
        assert Counter(one.item_id for one in decided) == Counter(view.exec(select(Item.id)).all())
        assert {one.number for one in decided} == {0}
        assert invariants.list_violations(view) == ()


def test_of_two_reviewers_one_rejects(db: Database, sandbox: Sandbox) -> None:
    """The answer is excluded once, and its place returned once."""
    rows = "".join(f"t{number},text {number},g{number},x\n" for number in range(N_ITEMS))
    file = sandbox.write("texts", rows=rows)
    file.write_text(
        file.read_text("utf-8").replace("{type: choice, text: Which?, options: [x, y]}", "{type: text, text: Who?}")
    )
    with db.transaction() as session:
        project = sandbox.started(session, file)
        ids = []
        for number in range(N_ITEMS):
            given = sandbox.given(session, project, item=f"t{number}", telegram_id=1)
            sandbox.answer(session, given, "z")
            ids.append(given.id or 0)
        free = {one.external_id: one.free for one in sandbox.items(session, project).values()}
        for name in ("olha", "ivan"):
            reviewers.add_reviewer(session, name=name, key=KEY, now=NOW)

    def reject(session: Session, name: str, answer_id: int) -> None:
        submission_decisions.reject_answer(
            session,
            project=queries.get_project(session, "texts"),
            reviewer=reviewers.add_reviewer(session, name=name, key=KEY, now=NOW),
            answer_id=answer_id,
            reason=name,
            now=NOW,
        )

    for answer_id in ids:
        done = race(
            partial(try_once, db, partial(reject, name="olha", answer_id=answer_id)),
            partial(try_once, db, partial(reject, name="ivan", answer_id=answer_id)),
        )
        assert sorted(done) == [False, True]
    with db.reading() as view:
        assert len(view.exec(select(SubmissionReview)).all()) == N_ITEMS
        kinds = view.exec(select(Judgement.excluded_kind)).all()
        assert set(kinds) == {ExclusionKind.REJECTED}
        project = queries.get_project(view, "texts")
        assert {one.external_id: one.free - 1 for one in sandbox.items(view, project).values()} == free
        assert invariants.list_violations(view) == ()
