"""Decisions by the installed command: on what was shown, by whom, taken back how, and refused when."""

from __future__ import annotations

import os
import subprocess
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import Session, col, select

from annotation.store.models import Adjudication, Annotator, Assignment, Item, Journal, Judgement, SubmissionReview
from annotation.vocabulary import AdjudicationDecision
from annotation.workflow.annotators import registration
from tests.cli import test_review as reviews
from tests.cli.test_accidents import GOLD_REVIEWED
from tests.cli.test_review import KEY, NOW, answer_items, check_rows, in_database, list_told, reviewer

if TYPE_CHECKING:
    from collections.abc import Callable

    from _command import Hromada

chegeka, multiq, doubts = reviews.chegeka, reviews.multiq, reviews.doubts
RIGHT = {"t1": "Дніпрі", "t2": "Полтві"}


def type_after(hromada: Hromada, change: Callable[[], object], keys: str, *arguments: str) -> str:
    """Run a command, change something once its first screen is there, then type keys; all that it showed."""
    with subprocess.Popen(
        [hromada.command, *arguments],
        cwd=hromada.folder,
        env={"PATH": os.environ["PATH"], "COLUMNS": "160", "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        shown = b""
        while b"q quit" not in shown:
            piece = os.read(running.stdout.fileno(), 4096)
            assert piece, shown.decode()
            shown += piece
        change()
        rest, _ = running.communicate(keys.encode(), timeout=120)
    assert running.returncode == 0
    return (shown + rest).decode()


def correct_answer(session: Session) -> None:
    """The annotator of the first answer gives another one."""
    place = '[{"start": 0, "end": 4, "text": "Київ"}]'
    session.add(Judgement(assignment_id=1, revision=1, response=place, response_raw="", seconds=1))


def list_reviews(session: Session) -> list[tuple[int, int, str]]:
    """All decisions on answers: answer, revision, decision."""
    rows = session.exec(select(SubmissionReview).order_by(col(SubmissionReview.id))).all()
    return [(one.assignment_id, one.revision, one.decision.value) for one in rows]


def list_adjudications(session: Session) -> list[Any]:
    """All decisions on items."""
    return list(session.exec(select(Adjudication.item_revision, Adjudication.labels)).all())


@pytest.mark.process
def test_what_was_not_shown_is_not_decided_on(multiq: Hromada) -> None:
    """An answer that was corrected while it stood on the screen, or since its revision was listed, waits anew."""
    review = ("review", "multiq", "--as", reviewer(multiq))
    shown = type_after(multiq, lambda: in_database(multiq, correct_answer), "aq", *review)
    assert "The answer 1 was corrected since it was shown." in shown
    assert in_database(multiq, list_reviews) == []
    multiq.write("old.csv", "answer_id,decision,reason,revision\n2,accept,,0\n1,accept,,0\n")
    ran = multiq(*review, "--decisions", "old.csv")
    assert (ran.code, "old.csv:3, answer_id: The answer 1 was corrected" in ran.err) == (2, True), ran.err
    assert in_database(multiq, list_reviews) == []
    revisions = {one["answer_id"]: one["revision"] for one in multiq(*review, "--json").json["answers"]}
    assert revisions == {1: 1, 2: 0, 3: 0, 4: 0}
    assert multiq(*review, "--accept", "1").code == 0
    assert in_database(multiq, list_reviews) == [(1, 1, "accepted")]


@pytest.mark.slow
@pytest.mark.process
def test_an_item_that_changed_on_the_screen_is_not_decided(doubts: Hromada) -> None:
    """It is shown anew, and nothing is stored; so is one that changed since its revision was listed."""
    adjudicate = ("adjudicate", "doubts", "--as", reviewer(doubts))

    def change(session: Session) -> None:
        for item in session.exec(select(Item)):
            item.revision += 1
            session.add(item)

    shown = type_after(doubts, lambda: in_database(doubts, change), "1\nq", *adjudicate)
    assert "was changed since it was shown" in shown
    doubts.write("old.csv", "item_id,gold,revision\ntie,yes,1\n")
    ran = doubts(*adjudicate, "--decisions", "old.csv")
    assert (ran.code, "old.csv:2, item_id: tie was changed since it was shown" in ran.err) == (2, True), ran.err
    assert in_database(doubts, list_adjudications) == []
    assert {one["revision"] for one in doubts(*adjudicate, "--json").json["waiting"]} == {2}
    assert doubts(*adjudicate, "--item", "tie", "--gold", "yes").code == 0
    assert in_database(doubts, list_adjudications) == [(2, ["yes"])]


def test_who_judged_an_item_is_not_assigned_it(multiq: Hromada) -> None:
    """Not after a rejection, whose place is free, even if it is taken back; nor after an adjudication."""

    def register(session: Session, number: int) -> str:
        return registration.register_telegram_annotator(
            session, telegram_id=number, language="uk", key=KEY, now=NOW
        ).pseudonym

    seven, eight = (in_database(multiq, partial(register, number=number)) for number in (7, 8))
    listed = multiq("review", "multiq", "--as", seven, "--json").json["answers"]
    assert multiq("review", "multiq", "--as", seven, "--reject", "all", "--yes", "--reason", "x").code == 0, listed
    taken_back = next(one["answer_id"] for one in listed if one["item"] == "t1")
    assert multiq("review", "multiq", "--as", seven, "--undo", "--answer", str(taken_back)).code == 0

    def adjudicate(session: Session) -> None:
        person = session.exec(select(Annotator).where(Annotator.pseudonym == eight)).one()
        item = session.exec(select(Item).where(Item.external_id == "t2")).one()
        session.add(
            Adjudication(
                item_id=item.id or 0, item_revision=1, question="answer", number=0, annotator_id=person.id,
                decision=AdjudicationDecision.LABEL, labels=["x"], gold_version="1", at=NOW,
            )
        )  # fmt: skip

    in_database(multiq, adjudicate)
    assert in_database(multiq, partial(answer_items, number=7, answers=RIGHT)) == []
    assert in_database(multiq, partial(answer_items, number=8, answers=RIGHT)) == ["t1"]
    assert in_database(multiq, partial(answer_items, number=9, answers=RIGHT)) == ["t2"]
    check_rows(multiq)


def test_a_reversed_rejection_is_told_whatever_follows(multiq: Hromada) -> None:
    """Once for each rejection of which the annotator was told, unless the answer is rejected again."""
    review = ("review", "multiq", "--as", reviewer(multiq))
    reject = (*review, "--reject", "1", "--reason", "не те місце")
    assert multiq(*reject).code == 0
    assert len(list_told(multiq)) == 1
    assert multiq(*review, "--undo").code == 0
    assert multiq(*review, "--accept", "1").code == 0
    assert ["знову враховано" in text for _, text in list_told(multiq)] == [True]
    assert list_told(multiq) == []
    assert multiq(*review, "--undo").code == 0
    assert list_told(multiq) == []
    assert multiq(*reject).code == 0
    assert len(list_told(multiq)) == 1
    assert multiq(*review, "--undo").code == 0
    assert multiq(*reject).code == 0
    assert ["не те місце" in text for _, text in list_told(multiq)] == [True]
    in_database(multiq, correct_answer)
    assert multiq(*review, "--accept", "1").code == 0
    assert ["знову враховано" in text for _, text in list_told(multiq)] == [True]


def test_a_rejection_undone_before_it_is_told_is_not_told(multiq: Hromada) -> None:
    """Nothing has changed for the annotator."""
    review = ("review", "multiq", "--as", reviewer(multiq))
    assert multiq(*review, "--reject", "1", "--reason", "x").code == 0
    assert multiq(*review, "--undo").code == 0
    assert multiq(*review, "--accept", "1").code == 0
    assert list_told(multiq) == []


def test_decisions_of_somebody_gone_are_taken_back_by_others(multiq: Hromada) -> None:
    """By the id of the answer, once their reviewer is suspended or forgotten; not while they can do it themselves."""
    olha, ivan = reviewer(multiq), reviewer(multiq, "ivan")
    review = ("review", "multiq", "--as", ivan)
    for answer in ("1", "2"):
        ran = multiq("review", "multiq", "--as", olha, "--reject", answer, "--reason", f"СЛОВА{answer}")
        assert ran.code == 0
    refused = multiq(*review, "--accept", "1")
    assert "`--undo --answer 1`" in refused.err
    refused = multiq(*review, "--undo", "--answer", "1")
    assert (refused.code, "others take theirs back themselves" in refused.err) == (2, True), refused.err
    assert multiq("people", "suspend", olha, "--reason", "x").code == 0
    assert multiq(*review, "--undo", "--answer", "1").out == "Taken back: t1.\n"
    assert multiq("people", "forget", olha, "--yes").code == 0

    def find_words(session: Session) -> list[str]:
        texts = [str(one) for one in session.exec(select(Judgement.excluded_reason))]
        texts += [str(one) for one in session.exec(select(SubmissionReview.reason))]
        texts += [str(one) for one in session.exec(select(Journal.data))]
        return [text for text in texts if "СЛОВА" in text]

    assert in_database(multiq, find_words) == []
    reasons = in_database(multiq, lambda session: session.exec(select(Judgement.excluded_reason)).all())
    assert sorted(map(str, reasons)) == ["None", "None", "None", "rejected in review"]
    assert multiq(*review, "--undo", "--answer", "2").out == "Taken back: t2.\n"
    assert multiq(*review, "--accept", "all", "--yes").out == "Decided: 4.\n"
    kinds = in_database(multiq, lambda session: session.exec(select(Judgement.excluded_kind)).all())
    assert set(kinds) == {None}
    check_rows(multiq)


def test_adjudications_of_somebody_gone_are_taken_back_by_others(doubts: Hromada) -> None:
    """By the item; with --undo alone everybody takes their own last decision back."""
    olha, ivan = reviewer(doubts), reviewer(doubts, "ivan")
    adjudicate = ("adjudicate", "doubts", "--as", ivan)
    for item in ("tie", "low"):
        assert doubts("adjudicate", "doubts", "--as", olha, "--item", item, "--gold", "yes").code == 0
    assert doubts("adjudicate", "doubts", "--as", olha, "--undo", "--item", "tie").out == "Taken back: tie.\n"
    refused = doubts(*adjudicate, "--item", "low", "--gold", "no")
    assert "`--undo --item low`" in refused.err
    assert "others take theirs back themselves" in doubts(*adjudicate, "--undo", "--item", "low").err
    assert doubts("people", "suspend", olha, "--reason", "x").code == 0
    assert doubts(*adjudicate, "--undo").out == "You have decided on nothing here.\n"
    assert doubts(*adjudicate, "--undo", "--item", "low").out == "Taken back: low.\n"
    assert doubts(*adjudicate, "--item", "low", "--gold", "no").code == 0


def test_files_of_decisions_say_what_is_wrong(doubts: Hromada) -> None:
    """File, line, column and remedy; of a file with one mistake nothing is stored."""
    adjudicate = ("adjudicate", "doubts", "--as", reviewer(doubts), "--decisions", "d.csv")
    for text, problem in (
        ("item_id,gold\ntie,yes\nnope,yes\n", "d.csv:3, item_id: 'nope' does not wait"),
        ("item_id,gold\ntie,yes\nlow,maybe\n", "d.csv:3, gold: "),
        ('item_id,gold,accepted\ntie,yes,\nlow,yes,"[""yes""]"\n', "d.csv:3, gold and accepted: The same answer"),
        ("item_id,gold,acepted\ntie,yes,\n", "d.csv:1, acepted: 'acepted' is not a column of decisions."),
        ("item,gold\ntie,yes\n", "d.csv:1, item_id: There is no column 'item_id'."),
        ("item_id,gold\ntie,\n", "d.csv:2, gold: This is not a decision."),
        ("item_id,gold,accepted\ntie,yes,no\n", "d.csv:2, accepted: This is not a decision."),
        ("item_id,gold,revision\ntie,yes,x\n", "d.csv:2, revision: 'x' is not a revision."),
        ("item_id,gold\n", "d.csv: The file has no decisions."),
        ("item_id,gold\ntie,yes\ntie,no\n", "d.csv:3, item_id: tie is decided already"),
    ):
        doubts.write("d.csv", text)
        ran = doubts(*adjudicate)
        assert (ran.code, problem in ran.err) == (2, True), (problem, ran.err)
    assert in_database(doubts, list_adjudications) == []


def test_files_of_reviews_say_what_is_wrong(multiq: Hromada) -> None:
    """As those of adjudications do."""
    review = ("review", "multiq", "--as", reviewer(multiq), "--decisions", "d.csv")
    long = "x" * 501
    for text, problem in (
        ("answer_id,decision\n1,accept\n99,accept\n", "d.csv:3, answer_id: multiq has no answer 99"),
        (f"answer_id,decision,reason\n1,accept,\n2,reject,{long}\n", "d.csv:3, reason: A rejection needs"),
        ("answer_id,decision,raeson\n1,reject,x\n", "d.csv:1, raeson: 'raeson' is not a column of decisions."),
        ("answer_id,decision\none,accept\n", "d.csv:2, answer_id: This is not a decision."),
        ("answer_id,decision\n1,yes\n", "d.csv:2, decision: This is not a decision."),
    ):
        multiq.write("d.csv", text)
        ran = multiq(*review)
        assert (ran.code, problem in ran.err) == (2, True), (problem, ran.err)
    assert in_database(multiq, list_reviews) == []


def test_options_of_adjudications_that_say_nothing_are_refused(doubts: Hromada) -> None:
    """Instead of opening the queue, or of leaving some of them out."""
    olha = reviewer(doubts)
    doubts.write("d.csv", "item_id,gold\nlow,yes\n")
    for options, problem in (
        (("--gold", "yes"), "say what is right for one item"),
        (("--accepted", "yes"), "say what is right for one item"),
        (("--broken", "x"), "say what is right for one item"),
        (("--item", "tie", "--accepted", "yes"), "A decision has a gold"),
        (("--item", "tie", "--gold", "yes", "--decisions", "d.csv"), "--decisions and --item cannot be combined"),
        (("--item", "tie", "--list"), "--item and --list cannot be combined"),
        (("--undo", "--item", "tie", "--gold", "yes"), "--undo decides nothing"),
        (("--undo", "--label-studio"), "--undo and --label-studio cannot be combined"),
        (("--number", "3"), "how many are to wait in Label Studio"),
    ):
        ran = doubts("adjudicate", "doubts", "--as", olha, *options)
        assert (ran.code, ran.out, problem in ran.err) == (2, "", True), (options, ran.err)
    assert in_database(doubts, list_adjudications) == []


def test_options_of_reviews_that_say_nothing_are_refused(multiq: Hromada) -> None:
    """As those of adjudications are."""
    olha = reviewer(multiq)
    for options, problem in (
        (("--reason", "x"), "--reason says why answers are rejected"),
        (("--reason", "x", "--accept", "1"), "--reason says why answers are rejected"),
        (("--answer", "1"), "--answer says on which answer"),
        (("--undo", "--accept", "1"), "cannot be combined"),
        (("--person", "abcdef", "--accept", "all"), "nobody has the code 'abcdef'"),
        (("--show-gold", "--accept", "1"), "here none is shown"),
    ):
        ran = multiq("review", "multiq", "--as", olha, *options)
        assert (ran.code, ran.out, problem in ran.err) == (2, "", True), (options, ran.err)
    assert in_database(multiq, list_reviews) == []


def test_gold_is_recorded_as_shown_where_it_was_shown(chegeka: Hromada) -> None:
    """On the screen to the one answer that stood there, of a list to all of it."""
    review = ("review", "chegeka", "--as", reviewer(chegeka))
    reviews.type_keys(chegeka, "aq", *review, "--show-gold")
    assert chegeka(*review, "--accept", "9").code == 0

    def list_shown(session: Session) -> list[tuple[str, bool]]:
        rows = (
            select(Item.external_id, SubmissionReview.gold_shown)
            .join(Assignment, col(Assignment.id) == col(SubmissionReview.assignment_id))
            .join(Item, col(Item.id) == col(Assignment.item_id))
        )
        return sorted(session.exec(rows).all())

    assert in_database(chegeka, list_shown) == [("q1", True), ("q3", False)]
    chegeka(*review, "--show-gold", "--json")
    assert chegeka(*review, "--accept", "8").code == 0
    assert in_database(chegeka, list_shown) == [("q1", True), ("q3", False), ("q3", True)]


def test_an_item_that_still_gets_answers_is_refused_with_the_reason(hromada: Hromada) -> None:
    """Of an open project, though it was asked for by its name."""
    hromada.write("items.csv", "id,text,gold\na,text a,yes\n")
    hromada.write("project.yaml", GOLD_REVIEWED)
    assert hromada("load", "project.yaml").code == 0
    assert hromada("start", "open").code == 0
    refused = hromada("adjudicate", "open", "--as", reviewer(hromada), "--item", "a", "--gold", "yes")
    assert refused.code == 2
    assert "'a' still gets answers" in refused.err
    assert "hromada close open" in refused.err
    assert hromada("close", "open").code == 0
    refused = hromada("adjudicate", "open", "--as", reviewer(hromada), "--item", "a", "--gold", "yes")
    assert "does not wait for an adjudicator. `hromada adjudicate --list`" in refused.err
