"""Two people decide at once, on both databases: of a decision on one item or answer, one is stored."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest
from sqlmodel import Session, select

from annotation.errors import Conflict
from annotation.store import invariants, queries
from annotation.store.database import Database
from annotation.store.models import Adjudication, AdjudicationCase, GoldReview, Item, Judgement, SubmissionReview
from annotation.vocabulary import CaseReason, ExclusionKind, GoldStratum
from annotation.workflow.review import adjudication_queue, cases, reviewers, submissions
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
        adjudication_queue.decide_case(
            session,
            project=queries.get_project(session, "words"),
            case=session.get_one(AdjudicationCase, case_id),
            adjudicator=reviewers.add_reviewer(session, name=name, key=KEY, now=NOW),
            revision=1,
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


def test_of_two_undos_at_once_one_takes_the_decision_back(doubtful: tuple[Database, list[int]]) -> None:
    """Of an adjudication; the other one is told so."""
    db, ids = doubtful
    with db.transaction() as session:
        for case_id in ids:
            adjudication_queue.decide_case(
                session,
                project=queries.get_project(session, "words"),
                case=session.get_one(AdjudicationCase, case_id),
                adjudicator=reviewers.add_reviewer(session, name="olha", key=KEY, now=NOW),
                revision=1,
                labels=["кіт"],
                now=NOW,
            )

    def undo(session: Session, item_id: int) -> None:
        project = queries.get_project(session, "words")
        undone = adjudication_queue.undo_decision(
            session,
            project=project,
            question=cases.get_question(project, None),
            adjudicator=reviewers.add_reviewer(session, name="olha", key=KEY, now=NOW),
            now=NOW,
            item_id=item_id,
        )
        if not undone:  # the other one was done before this began
            raise Conflict("Nothing is decided.")

    with db.reading() as view:
        item_ids = [item_id or 0 for item_id in view.exec(select(Item.id))]
    for item_id in item_ids:
        assert sorted(race(*[partial(try_once, db, partial(undo, item_id=item_id))] * 2)) == [False, True]
    with db.reading() as view:
        assert Counter(one.number for one in view.exec(select(Adjudication))) == {0: N_ITEMS, 1: N_ITEMS}


def test_two_who_begin_at_once_store_the_cases_once(db: Database, load: Callable[..., None]) -> None:
    """Both go on: whoever is second finds the cases of the first."""
    load("words", n=N_ITEMS)
    doubts = {f"words-{number}": [CaseReason.TIE] for number in range(1, N_ITEMS + 1)}

    def begin(session: Session) -> None:
        project = queries.get_project(session, "words")
        counted = cases.refresh_cases(session, project=project, question="answer", doubts=doubts, now=NOW)
        assert counted == N_ITEMS

    assert race(*[partial(try_once, db, begin)] * 3) == [True, True, True]
    with db.reading() as view:
        assert len(view.exec(select(AdjudicationCase)).all()) == N_ITEMS


def test_of_several_plans_of_a_gold_review_at_once_one_is_stored(db: Database, sandbox: Sandbox) -> None:
    """While nothing is decided, a later one takes the place of the one before, whole."""
    file = sandbox.write("truth", rows="".join(f"t{number},text {number},g{number},x\n" for number in range(N_ITEMS)))
    with db.transaction() as session:
        sandbox.started(session, file)
        golds = [item.external_id for item in session.exec(select(Item))]
        assert len(golds) == N_ITEMS

    def plan(session: Session) -> None:
        project = queries.get_project(session, "truth")
        cases.plan_gold_review(
            session,
            project=project,
            question=cases.get_question(project, None).name,
            strata=dict.fromkeys(golds, GoldStratum.REST),
            candidates={},
            sample=cases.LEAST_SAMPLE,
            seed=1,
            now=NOW,
        )

    assert race(*[partial(try_once, db, plan)] * 3) == [True, True, True]
    with db.reading() as view:
        assert len(view.exec(select(GoldReview)).all()) == 1
        assert len(view.exec(select(AdjudicationCase)).all()) == N_ITEMS


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
        submissions.reject_answer(
            session,
            project=queries.get_project(session, "texts"),
            reviewer=reviewers.add_reviewer(session, name=name, key=KEY, now=NOW),
            answer_id=answer_id,
            revision=0,
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


def test_of_two_undos_of_a_rejection_one_is_stored(db: Database, sandbox: Sandbox) -> None:
    """The answer counts again once."""
    file = sandbox.write("texts", rows="".join(f"t{number},text {number},g{number},x\n" for number in range(N_ITEMS)))
    file.write_text(
        file.read_text("utf-8").replace("{type: choice, text: Which?, options: [x, y]}", "{type: text, text: Who?}")
    )
    ids = []
    with db.transaction() as session:
        project = sandbox.started(session, file)
        for number in range(N_ITEMS):
            given = sandbox.given(session, project, item=f"t{number}", telegram_id=1)
            sandbox.answer(session, given, "z")
            ids.append(given.id or 0)
            submissions.reject_answer(
                session,
                project=project,
                reviewer=reviewers.add_reviewer(session, name="olha", key=KEY, now=NOW),
                answer_id=given.id or 0,
                revision=0,
                reason="x",
                now=NOW,
            )

    def undo(session: Session, answer_id: int) -> None:
        undone = submissions.undo_review(
            session,
            project=queries.get_project(session, "texts"),
            reviewer=reviewers.add_reviewer(session, name="olha", key=KEY, now=NOW),
            now=NOW,
            answer_id=answer_id,
        )
        if not undone:  # the other one was done before this began
            raise Conflict("Nothing is decided.")

    for answer_id in ids:
        assert sorted(race(*[partial(try_once, db, partial(undo, answer_id=answer_id))] * 2)) == [False, True]
    with db.reading() as view:
        assert len(view.exec(select(SubmissionReview)).all()) == 2 * N_ITEMS
        assert set(view.exec(select(Judgement.excluded_kind)).all()) == {None}
        assert invariants.list_violations(view) == ()
