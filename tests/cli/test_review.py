"""Reviews and adjudications by the installed command: what happens to each answer and item, and what a kill leaves."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from select import select as ready
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from _command import run_in_fork
from sqlmodel import Session, col, select

from annotation.campaigns.questions import PreferenceQuestion
from annotation.store import database, invariants, pseudonyms, queries
from annotation.store.models import (
    Adjudication,
    AdjudicationCase,
    Annotator,
    Assignment,
    GoldReview,
    Item,
    Judgement,
    Report,
    SubmissionReview,
)
from annotation.vocabulary import ExclusionKind
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from annotation.workflow.review import reviewers
from bot import application, release
from bot.commands.case_screen import build_compared, build_difference
from bot.conversation import notifications
from bot.conversation.updates_and_calls import ConversationSettings
from bot.emulator.request import LocalRequest
from bot.emulator.telegram import Telegram
from exports.adjudicated_gold import build_gold_verdicts

if TYPE_CHECKING:
    from _command import Hromada

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = b"k" * 32

CHEGEKA = """\
project: chegeka
title: ЧГК
language: uk
question: {type: text, text: "Відповідь?"}
items: {file: items.csv, id: id, show: text, gold: gold}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer}}
"""
MULTIQ = """\
project: multiq
title: Ланцюжки
language: uk
instructions: Позначте частину тексту.
question: {type: span, text: "Де відповідь?", field: text}
items: {file: items.csv, id: id, show: text}
overlap: 2
review: {tell_annotators: yes, reasons: [не те місце]}
reward: {pay: {per_item: 1, currency: UAH, rejected: no}}
"""
BASELINE = """\
project: truth
title: t
language: en
question: {type: choice, text: "Is it so?", options: [yes, no]}
items: {file: items.csv, id: id, group: id, show: text, gold: gold}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer}}
review: {made_by: author}
"""
DOUBTS = """\
project: doubts
title: t
language: en
question: {type: choice, text: "Is it so?", options: [yes, no, both]}
items: {file: items.csv, id: id, show: text}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer}}
"""
TIED = (("x", "yes"), ("y", "no"))


def in_database(hromada: Hromada, act: Callable[[Session], Any]) -> Any:
    """Do something in the folder's database, as the bot would; what it gives."""
    with database.open_database(f"sqlite:///{hromada.folder / 'hromada.db'}") as db, db.transaction() as session:
        return act(session)


def export(hromada: Hromada) -> None:
    """Write the published files."""
    ran = hromada("export", "--to", "out")
    assert ran.code == 0, ran.err


def rows(hromada: Hromada, name: str) -> list[dict[str, str]]:
    """A published file of the last export."""
    path = hromada.folder / "out" / name
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def reviewer(hromada: Hromada, name: str = "olha") -> str:
    """The pseudonym of somebody of the team."""
    ran = hromada("people", "add-reviewer", name)
    assert ran.code == 0, ran.err
    return ran.out.strip()


def type_keys(hromada: Hromada, keys: str, *arguments: str) -> str:
    """Run a command with these keys typed; what it showed."""
    ran = hromada(*arguments, stdin=keys)
    assert ran.code == 0, ran.err
    return ran.out


@pytest.fixture
def chegeka(hromada: Hromada) -> Hromada:
    """Three questions, each with three answers: right ones, another wording, and rubbish."""
    hromada.write("items.csv", "id,text,gold\nq1,Столиця?,Київ\nq2,Кобзар?,Шевченко\nq3,Річка?,Дніпро\n")
    hromada.write(
        "votes.csv",
        "item,who,answer\nq1,a,Київ\nq1,b,Київ\nq1,c,Львів\nq2,a,Тарас Шевченко\nq2,b,Тарас Шевченко\nq2,c,Шевченко\n"
        "q3,a,Славутич\nq3,b,Дніпро\nq3,c,ааа\n",
    )
    hromada.loaded(CHEGEKA)
    return hromada


@pytest.mark.slow
def test_validation_adds_accepted_answers(chegeka: Hromada) -> None:
    """Rubbish is rejected, another wording is accepted as right: a second row of scores, the first stays."""
    olha = reviewer(chegeka)
    listed = chegeka("review", "chegeka", "--as", olha, "--json").json["answers"]
    assert [(one["item"], one["answers"], one["decision"]) for one in listed][:1] == [("q1", {"answer": "Київ"}, None)]
    assert all({"gold", "annotator"}.isdisjoint(one) for one in listed)
    [rubbish] = [one["answer_id"] for one in listed if one["answers"]["answer"] == "ааа"]
    done = chegeka("review", "chegeka", "--as", olha, "--reject", str(rubbish), "--reason", "no answer")
    assert (done.code, done.out) == (0, "Decided: 1.\n"), done.err
    assert chegeka("review", "chegeka", "--as", olha, "--accept", "all", "--yes").out == "Decided: 8.\n"
    export(chegeka)
    before = {(row["subset"], row["unit"], row["metric"]): row["value"] for row in rows(chegeka, "human_baseline.csv")}
    assert before["all", "individual", "exact_match"] == "0.5000"  # 4 of 8: Київ twice, Шевченко, Дніпро
    arguments = ("adjudicate", "chegeka", "--as", olha, "--gold-review")
    waiting = chegeka(*arguments, "--json").json
    assert waiting["gold_review"] == {
        "people": {"items": 1, "drawn": 1}, "models": {"items": 0, "drawn": 0}, "rest": {"items": 2, "drawn": 2},
    }  # fmt: skip
    ivan = reviewer(chegeka, "ivan")
    shown = chegeka("review", "chegeka", "--as", ivan, "--show-gold", "--json").json["answers"]
    assert {one["item"]: one["gold"]["answer"] for one in shown} == {"q1": "Київ", "q2": "Шевченко", "q3": "Дніпро"}
    assert chegeka("adjudicate", "chegeka", "--as", ivan, "--gold-review", "--json").json["waiting"] == []
    candidates = {one["item"]: {each["text"] for each in one["candidates"]} for one in waiting["waiting"]}
    assert candidates["q3"] == {"Славутич", "Дніпро"}  # not what was rejected
    chegeka.write(
        "decisions.csv",
        'item_id,gold,accepted,broken\nq1,Київ,,\nq2,Шевченко,"[""Тарас Шевченко""]",\nq3,Дніпро,"[""Славутич""]",\n',
    )
    assert chegeka(*arguments, "--decisions", "decisions.csv").out == "Decided: 3.\n"
    export(chegeka)
    scores = {(row["subset"], row["unit"], row["metric"]): row["value"] for row in rows(chegeka, "human_baseline.csv")}
    assert {key: value for key, value in scores.items() if key in before} == before
    assert scores["gold as adjudicated", "individual", "exact_match"] == "0.8750"  # 7 of 8: all but Львів
    gold = {row["item_id"]: (row["gold"], row["origin"], row["version"]) for row in rows(chegeka, "gold.csv")}
    assert gold["q3"] == ("Дніпро", "adjudication", "2")
    decided = {row["item_id"]: row for row in rows(chegeka, "adjudications.csv")}
    assert json.loads(decided["q3"]["labels"]) == ["Дніпро", "Славутич"]
    assert {(row["declared_right"], row["adjudicator"], row["holds"]) for row in decided.values()} == {
        ("true", olha, "true")
    }
    shown = chegeka("baseline", "chegeka", "--json").json
    assert [unit["total"] for unit in shown["units_as_adjudicated"]] == [8, 3]
    assert "gold as adjudicated" in chegeka("baseline", "chegeka").out
    excluded = [row for row in rows(chegeka, "human_responses.csv") if row["excluded_kind"]]
    assert [(row["response"], row["excluded_kind"], row["excluded_reason"], row["by_rule"]) for row in excluded] == [
        ("ааа", "rejected", "rejected in review: no answer", "true")
    ]


def answer_items(session: Session, number: int, answers: Mapping[str, str | Mapping[str, str]]) -> list[str]:
    """A person of the bot takes items until there are none, and answers them; their ids."""
    person = registration.register_telegram_annotator(session, telegram_id=number, language="uk", key=KEY, now=NOW)
    taken = []
    while isinstance(
        offer := assignments.assign_next_item(assignments.lock_annotator(session, person.id or 0), now=NOW),
        assignments.AssignedItem,
    ):
        item = session.get_one(Item, session.get_one(Assignment, offer.assignment_id).item_id).external_id
        opened = assignments.open_assignment(
            assignments.lock_annotator(session, person.id or 0), assignment_id=offer.assignment_id, now=NOW
        )
        given = answers[item]
        whole = {"answer": given} if isinstance(given, str) else given
        assignments.submit_judgement(opened, revision=0, answers=whole, now=NOW)
        taken.append(item)
    return sorted(taken)


@pytest.fixture
def multiq(hromada: Hromada) -> Hromada:
    """A running project of two texts, both of which two people have answered."""
    hromada.write("items.csv", "id,text\nt1,Київ стоїть на Дніпрі\nt2,Львів стоїть на Полтві\n")
    hromada.write("project.yaml", MULTIQ)
    assert hromada("load", "project.yaml").code == 0
    assert hromada("start", "multiq").code == 0
    for number, places in ((1, {"t1": "Дніпрі", "t2": "Полтві"}), (2, {"t1": "стоїть", "t2": "стоїть"})):
        assert in_database(hromada, partial(answer_items, number=number, answers=places)) == ["t1", "t2"]
    return hromada


def test_a_restore_says_how_many_newer_answers_there_were(hromada: Hromada) -> None:
    """Each of two after the backup; they are in the copy of what was replaced."""
    hromada.write("items.csv", "id,text\nt1,Київ стоїть на Дніпрі\nt2,Львів стоїть на Полтві\n")
    assert hromada("load", hromada.write("project.yaml", MULTIQ)).code == 0
    assert hromada("start", "multiq").code == 0
    assert hromada("database", "backup", "saved").code == 0
    in_database(hromada, partial(answer_items, number=1, answers={"t1": "Дніпрі", "t2": "Полтві"}))
    refused = hromada("database", "restore", "saved")
    assert refused.code == 2
    restored = hromada("database", "restore", "saved", "--yes")
    told = " ".join(restored.out.split())
    assert "2 answers newer than this backup had been saved. What was replaced is in " in told
    [copy] = (file for file in hromada.folder.glob("*replaced*") if file.suffix != ".json")
    with sqlite3.connect(copy) as kept:
        assert kept.execute("SELECT count(*) FROM judgement").fetchone() == (2,)
    assert hromada("status", "multiq", "--json").json["answers"] == 0


def list_told(hromada: Hromada) -> list[tuple[int, str]]:
    """The messages that the bot would send now: to whom, and what."""

    def collect(session: Session) -> list[tuple[int, str]]:
        calls = notifications.collect_notifications(session, now=NOW, settings=ConversationSettings(key=KEY))
        return [(getattr(call, "chat_id", 0), getattr(call, "html", "")) for call in calls]

    found: list[tuple[int, str]] = in_database(hromada, collect)
    return found


def check_rows(hromada: Hromada) -> None:
    """Every rule about the rows holds."""
    assert in_database(hromada, invariants.list_violations) == ()


def test_rejections_return_places(multiq: Hromada) -> None:
    """Somebody else gets them, whose answer they were does not; people are told and paid as the project says."""
    olha = reviewer(multiq)
    listed = multiq("review", "multiq", "--as", olha, "--json").json["answers"]
    assert len({one["person"] for one in listed}) == 2
    wrong = [one for one in listed if "стоїть" in one["answers"]["answer"]]
    [person] = {one["person"] for one in wrong}
    shown = type_keys(multiq, "Ar1\nq" if listed[0] in wrong else "R1\nq", "review", "multiq", "--as", olha)
    assert "A accept" not in shown  # without --by-annotator big letters do nothing
    assert multiq("review", "multiq", "--as", olha, "--undo").code == 0
    ran = multiq(
        "review", "multiq", "--as", olha, "--person", person, "--reject", "all", "--yes", "--reason", "не те місце"
    )
    assert ran.out == "Decided: 2.\n", ran.err
    check_rows(multiq)
    assert multiq("status", "multiq", "--json").json["free places"] == 2
    told = list_told(multiq)
    assert [chat for chat, _ in told] == [2, 2]
    assert "не те місце" in told[0][1]
    assert "не оплачуються" in told[0][1]
    assert list_told(multiq) == []
    owed = {one["standing"]: one["owed"] for one in multiq("people", "multiq", "--json").json["people"]}
    paid = sorted(one["owed"] for one in multiq("people", "multiq", "--json").json["people"])
    assert (len(owed), paid) == (1, ["0.00 UAH", "2.00 UAH"])
    assert in_database(multiq, lambda session: answer_items(session, 2, {})) == []
    assert in_database(multiq, lambda session: answer_items(session, 3, {"t1": "Дніпрі", "t2": "Полтві"})) == [
        "t1",
        "t2",
    ]
    assert multiq("status", "multiq", "--json").json["items done"] == 2
    last = str(wrong[-1]["answer_id"])  # --undo alone would take both back
    assert multiq("review", "multiq", "--as", olha, "--undo", "--answer", last).code == 0
    check_rows(multiq)
    assert "знову враховано" in list_told(multiq)[0][1]
    export(multiq)
    kinds = sorted(row["excluded_kind"] for row in rows(multiq, "human_responses.csv"))
    assert kinds == ["", "", "", "", "extra", "rejected"]
    assert [row["decision"] for row in rows(multiq, "reviews.csv") if row["holds"] == "true"] == ["rejected"]


def test_an_undone_rejection_brings_back_no_withdrawn_answer(multiq: Hromada) -> None:
    """Of somebody who withdrew meanwhile: it does not count as `withdrawn` then."""
    olha = reviewer(multiq)
    assert multiq("review", "multiq", "--as", olha, "--reject", "1", "--reason", "x").code == 0
    who = in_database(
        multiq, lambda session: session.exec(select(Annotator.pseudonym).where(Annotator.telegram_id == 1)).one()
    )
    assert multiq("people", "withdraw", who, "--project", "multiq").code == 0
    assert multiq("review", "multiq", "--as", olha, "--undo").out == "Taken back: t1.\n"
    kinds = in_database(multiq, lambda session: session.exec(select(Judgement.excluded_kind)).all())
    assert sorted(str(kind) for kind in kinds) == ["None", "None", "withdrawn", "withdrawn"]
    check_rows(multiq)


def test_bad_decisions_are_refused(multiq: Hromada) -> None:
    """With what is wrong; nothing is stored."""
    olha = reviewer(multiq)
    review = ("review", "multiq", "--as", olha)
    multiq.write("bad.csv", "answer_id,decision,reason\n1,accept,\n2,reject,\n")
    for arguments, problem in (
        ((*review, "--reject", "1"), "A rejection needs a reason"),
        ((*review, "--reject", "99", "--reason", "x"), "multiq has no answer 99"),
        ((*review, "--accept", "one"), "'one' is not the id"),
        ((*review, "--decisions", "bad.csv"), "bad.csv:3, reason: This is not a decision"),
        (("review", "multiq", "--as", "nobody"), "Nobody has the pseudonym 'nobody'"),
    ):
        ran = multiq(*arguments)
        assert (ran.code, problem in ran.err) == (2, True), ran.err
    assert in_database(multiq, lambda session: session.exec(select(SubmissionReview)).all()) == []


def test_a_corrected_answer_waits_anew_and_own_answers_are_not_shown(multiq: Hromada) -> None:
    """Who answered an item reviews no answer to it; a later revision is judged by itself."""
    olha = reviewer(multiq)
    assert multiq("review", "multiq", "--as", olha, "--accept", "all", "--yes").code == 0

    def correct(session: Session) -> str:
        person = session.exec(select(Annotator).where(Annotator.telegram_id == 1)).one()
        first = session.exec(select(Assignment).where(Assignment.annotator_id == person.id)).first()
        assert first is not None
        old = session.exec(select(Judgement).where(Judgement.assignment_id == first.id)).one()
        session.add(
            Judgement(assignment_id=first.id or 0, revision=1, response=old.response, response_raw="", seconds=1)
        )
        return person.pseudonym

    annotator = in_database(multiq, correct)
    assert multiq("review", "multiq", "--as", annotator, "--json").json["answers"] == []
    listed = multiq("review", "multiq", "--as", olha, "--json").json["answers"]
    assert sorted(str(one["decision"]) for one in listed) == ["None", "accepted", "accepted", "accepted"]
    few = multiq("review", "multiq", "--as", olha, "--sample", "0.5", "--seed", "1", "--json").json["answers"]
    assert [one for one in listed if one in few] == few
    assert multiq("review", "multiq", "--as", olha, "--sample", "0.5", "--seed", "1", "--json").json["answers"] == few


@pytest.fixture
def truth(hromada: Hromada) -> Hromada:
    """Seventy items, of which people know the truth and five have wrong gold; `ivan` made t00."""
    right = {f"t{number:02}": "yes" if number % 3 else "no" for number in range(70)}
    golds = right | {f"t{number:02}": "no" if number % 3 else "yes" for number in range(5)}
    key = hromada.folder / "hromada.key"
    key.write_text("6b" * 32 + "\n", "ascii")
    ivan = pseudonyms.make_pseudonym(KEY, namespace="reviewer", name="ivan")
    lines = [f"{item},text {item},{gold},{ivan if item == 't00' else ''}" for item, gold in golds.items()]
    hromada.write("items.csv", "\n".join(["id,text,gold,author", *lines]) + "\n")
    votes = [f"{item},{who},{answer}" for item, answer in right.items() for who in "abc"]
    hromada.write("votes.csv", "\n".join(["item,who,answer", *votes]) + "\n")
    wrong = {f"t{number:02}": "no" if right[f"t{number:02}"] == "yes" else "yes" for number in range(5, 9)}
    models = [f"{item},{wrong.get(item, golds[item])}" for item in right]
    hromada.write("models.csv", "\n".join(["item_id,response", *models]) + "\n")
    decisions = [f"{item},{answer}" for item, answer in right.items()]
    hromada.write("decisions.csv", "\n".join(["item_id,gold", *decisions]) + "\n")
    hromada.loaded(BASELINE)
    return hromada


@pytest.mark.slow
def test_planted_wrong_gold_is_found(truth: Hromada) -> None:
    """All conflicts and fifty others are reviewed blind; scores against the new gold stand in a second row."""
    olha = reviewer(truth)
    arguments = ("adjudicate", "truth", "--as", olha, "--gold-review")
    assert "is too small" in truth(*arguments, "--sample", "20").err
    drawing = (*arguments, "--models", "models.csv", "--seed", "7")
    waiting = truth(*drawing, "--json").json
    assert truth(*drawing).code == 0
    assert truth(*arguments, "--json").json == waiting | {"is_drawn": True}
    assert waiting["gold_review"] == {
        "people": {"items": 5, "drawn": 5}, "models": {"items": 4, "drawn": 4}, "rest": {"items": 61, "drawn": 50},
    }  # fmt: skip
    assert len(waiting["waiting"]) == 59
    candidates = [{"answer": word, "text": word, "votes": None} for word in ("yes", "no")]
    assert all(one["candidates"] == candidates and not one["reasons"] + one["reports"] for one in waiting["waiting"])
    ivan = truth("adjudicate", "truth", "--as", reviewer(truth, "ivan"), "--gold-review", "--json").json["waiting"]
    assert sorted({one["item"] for one in waiting["waiting"]} - {one["item"] for one in ivan}) == ["t00"]
    voter = in_database(truth, lambda session: session.exec(select(Annotator.pseudonym).join(Assignment)).first())
    assert truth("adjudicate", "truth", "--as", voter, "--gold-review", "--json").json["waiting"] == []
    lines = (truth.folder / "decisions.csv").read_text("utf-8").splitlines()
    drawn = {one["item"] for one in waiting["waiting"]}
    truth.write("drawn.csv", "\n".join([lines[0], *(line for line in lines[1:] if line.split(",")[0] in drawn)]) + "\n")
    assert truth(*arguments, "--decisions", "drawn.csv").out == "Decided: 59.\n"
    assert "59 of its 59 items are decided" in truth(*arguments, "--sample", "60").err
    assert truth(*arguments, "--json").json["waiting"] == []
    export(truth)
    decided = rows(truth, "adjudications.csv")
    wrong = [(row["item_id"], row["stratum"]) for row in decided if row["declared_right"] == "false"]
    assert wrong == [(f"t{number:02}", "people") for number in range(5)]
    strata = [row["stratum"] for row in decided]
    assert {name: strata.count(name) for name in set(strata)} == {"people": 5, "models": 4, "rest": 50}
    verdicts = in_database(
        truth,
        lambda session: build_gold_verdicts(
            release.ProjectInputs(view=session, project=queries.get_project(session, "truth")).read_data_set()
        ),
    )
    counted = verdicts.dropna().groupby(["stratum", "verdict"]).size().to_dict()
    assert counted == {("people", "wrong"): 5, ("models", "right"): 4, ("rest", "right"): 50}
    assert (len(verdicts), int(verdicts["verdict"].isna().sum())) == (70, 11)
    scores = {
        (row["subset"], row["unit"]): row["value"]
        for row in rows(truth, "human_baseline.csv")
        if row["metric"] == "accuracy"
    }
    assert scores["all", "majority"] == f"{65 / 70:.4f}"
    assert scores["gold as adjudicated", "majority"] == "1.0000"
    ceiling = truth("baseline", "truth", "--json").json["gold_review"]["ceiling"]
    assert (ceiling["value"], ceiling["pool_high"]) == (pytest.approx(65 / 70), pytest.approx(65 / 70))
    assert ceiling["low"] < ceiling["pool_low"] < 65 / 70 < ceiling["high"]
    assert "Ceiling of the score: 0.9286 [" in truth("baseline", "truth").out
    *parts, whole = rows(truth, "gold_review.csv")
    counts = [(row["stratum"], row["n_items"], row["n_reviewed"], row["n_wrong"]) for row in parts]
    assert counts == [("models", "4", "4", "0"), ("people", "5", "5", "5"), ("rest", "61", "50", "0")]
    assert (whole["stratum"], whole["ceiling"], whole["wrong"]) == ("all", "0.9286", "0.0714")
    assert f"{ceiling['low']:.4f}" == whole["ceiling_low"]
    assert "Ceiling of the score: 0.9286" in (truth.folder / "out" / "report.html").read_text("utf-8")


def test_an_item_of_a_gold_review_is_one_that_people_have_met(truth: Hromada) -> None:
    """Drawn or decided, though nobody was assigned it: it is not changed, and not removed; a fix takes it back."""
    (truth.folder / "votes.csv").write_text("item,who,answer\nt01,a,yes\n", "utf-8")
    (truth.folder / "hromada.db").unlink()
    truth.loaded(BASELINE)
    arguments = ("adjudicate", "truth", "--as", reviewer(truth), "--gold-review")
    drawn = [one["item"] for one in truth(*arguments, "--json").json["waiting"] if one["item"] != "t01"]
    assert truth(*arguments, "--item", drawn[0], "--gold", "no").code == 0
    items = (truth.folder / "items.csv").read_text("utf-8")
    lines = {line.split(",")[0]: line + "\n" for line in items.splitlines()}
    for item in drawn[:2]:
        for changed in ("", lines[item].replace("text ", "another text ")):
            truth.write("items.csv", items.replace(lines[item], changed))
            ran = truth("load", "project.yaml", "--yes")
            assert (ran.code, f"item {item} may not change: people have met it" in ran.err) == (2, True), ran.err
            assert (f"--fix {item}" in ran.err) == bool(changed), "one that is gone is put back"
    truth.write("items.csv", items.replace(lines[drawn[0]], lines[drawn[0]].replace("text ", "another text ")))
    assert truth("load", "project.yaml", "--fix", drawn[0]).code == 0
    assert drawn[0] in {one["item"] for one in truth(*arguments, "--json").json["waiting"]}
    assert truth("load", "project.yaml", "--yes").code == 0
    check_rows(truth)


def test_a_mistyped_column_of_makers_is_refused(hromada: Hromada) -> None:
    """Before anything is loaded, naming file, line and column."""
    hromada.write("items.csv", "id,text,gold,author\na,text a,yes,\n")
    hromada.write("votes.csv", "item,who,answer\na,x,yes\n")
    hromada.write("project.yaml", BASELINE.replace("author", "autor"))
    for command in ("check", "load"):
        ran = hromada(command, "project.yaml")
        assert (ran.code, "items.csv:2" in ran.err, "no column 'autor'" in ran.err) == (2, True, True), ran.err
    hromada.loaded(BASELINE)


GOLDEN_BOXES = """\
project: boxes
title: t
language: en
question: {type: choices, text: "Which?", options: [red, green, blue]}
items: {file: items.csv, id: id, show: text, gold: gold}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer}}
"""


def test_answers_of_models_are_read_as_votes_are(hromada: Hromada) -> None:
    """The same set in another order or form is no conflict; what does not fit is refused with its line."""
    hromada.write("items.csv", "id,text,gold\n" + "".join(f'{n},text {n},"[""red"",""green""]"\n' for n in "abcd"))
    hromada.write("votes.csv", "item,who,answer\n" + "".join(f'{n},x,"[""red"", ""green""]"\n' for n in "abcd"))
    hromada.loaded(GOLDEN_BOXES)
    arguments = ("adjudicate", "boxes", "--as", reviewer(hromada), "--gold-review", "--models", "models.csv", "--json")
    same = 'item_id,response\na,"[""red"",""green""]"\nb,"[""green"", ""red""]"\nc,\n'
    for wrong in ("pink", '"[""red"", ""pink""]"'):
        hromada.write("models.csv", f"{same}d,{wrong}\n")
        ran = hromada(*arguments)
        assert (ran.code, "models.csv:5, response: The answer does not fit" in ran.err) == (2, True), ran.err
    assert in_database(hromada, lambda session: session.exec(select(GoldReview)).all()) == []
    hromada.write("models.csv", f'{same}d,"[""blue""]"\n')
    found = hromada(*arguments).json
    assert {name: one["items"] for name, one in found["gold_review"].items()} == {"people": 0, "models": 1, "rest": 3}
    candidates = {one["item"]: {each["text"] for each in one["candidates"]} for one in found["waiting"]}
    assert candidates == {name: {"red, green"} for name in "abc"} | {"d": {"red, green", "blue"}}
    hromada.write("items.csv", (hromada.folder / "items.csv").read_text("utf-8").replace("text d", "the text d"))
    assert hromada("load", "project.yaml", "--fix", "d").code == 0
    found = hromada(*arguments[:5], "--json").json
    fixed = next(one for one in found["waiting"] if one["item"] == "d")
    assert {each["text"] for each in fixed["candidates"]} == {"red, green"}  # what the model said was of another text


def test_who_knows_an_item_of_another_project_does_not_decide_on_it(truth: Hromada) -> None:
    """Whoever made it or saw its gold there: the same id in the same group, and no other."""
    hromada, ivan, maria = truth, reviewer(truth, "ivan"), reviewer(truth, "maria")
    hromada.write("more.csv", "id,text,story\n" + "".join(f"t0{number},text,t0{number}\n" for number in range(4)))
    again = BASELINE.replace("project: truth", "project: again").replace("items.csv", "more.csv")
    again = (
        again.replace("group: id, ", "")
        .replace(", gold: gold}", ", group: story}")
        .replace("review: {made_by: author}\n", "")
    )
    hromada.write("again.csv", "item,who,answer\n" + "".join(f"t0{n},{w},{a}\n" for n in range(4) for w, a in TIED))
    hromada.write("again.yaml", again.replace("votes.csv", "again.csv"))
    for command in ("load", "import"):
        ran = hromada(command, "again.yaml")
        assert ran.code == 0, ran.err

    def show(session: Session) -> None:
        reviewers.record_shown_gold(
            session,
            project=queries.get_project(session, "truth"),
            reviewer=reviewers.get_reviewer(session, maria),
            items=["t01", "t02"],
            now=NOW,
        )

    def move(session: Session) -> None:
        item = session.exec(
            select(Item).where(Item.external_id == "t02", Item.project_id == queries.get_project(session, "truth").id)
        ).one()
        item.group_id = "another"
        session.add(item)

    in_database(hromada, show)
    in_database(hromada, move)
    waiting = {
        who: sorted(one["item"] for one in hromada("adjudicate", "again", "--as", who, "--json").json["waiting"])
        for who in (ivan, maria)
    }
    assert waiting == {ivan: ["t01", "t02", "t03"], maria: ["t00", "t02", "t03"]}


STORY = "Лисиця знайшла дзеркало. Вона подивився в нього. Вовк запитала, що там."
FIRST = "Лисиця знайшла дзеркало. Вона подивилася в нього. Вовк запитала, що там."
SECOND = "Лисиця знайшла дзеркало. Вона подивився в нього. Вовк запитав, що там."
MERGED = "Лисиця знайшла дзеркало. Вона подивилася в нього. Вовк запитав, що там."


@pytest.fixture
def stories(hromada: Hromada) -> Hromada:
    """The template's project with two correctors: s1 to merge, s2 to choose, s3 agreed on, s4 with a refusal."""
    assert hromada("new", "stories", "--template", "story-correction").code == 0
    written = (hromada.folder / "stories" / "project.yaml").read_text("utf-8")
    hromada.write("project.yaml", written.replace("overlap: 1", "overlap: 2"))
    hromada.write("instructions.md", "Виправте помилки.\n")
    lines = [json.dumps({"id": f"s{number}", "story": STORY}, ensure_ascii=False) for number in range(1, 5)]
    hromada.write("items.jsonl", "\n".join(lines) + "\n")
    for arguments in (("load", "project.yaml"), ("start", "stories")):
        ran = hromada(*arguments)
        assert ran.code == 0, ran.err
    for number, texts in ((1, (FIRST, FIRST, MERGED, FIRST)), (2, (SECOND, MERGED, MERGED, "Казна-що."))):
        given = {f"s{place}": text for place, text in enumerate(texts, start=1)}

        def correct(session: Session, number: int = number, given: dict[str, str] = given) -> list[str]:
            return answer_items(session, number, {item: {"result": "придатне", "fixed": given[item]} for item in given})

        assert in_database(hromada, correct) == ["s1", "s2", "s3", "s4"]
    return hromada


@pytest.mark.slow
@pytest.mark.process
def test_two_correctors_of_a_story_are_reviewed_and_adjudicated(stories: Hromada) -> None:
    """A correction is rejected, one is chosen, two are merged by hand from the first; the files tell each."""
    olha = reviewer(stories)
    review = ("review", "stories", "--as", olha)
    listed = stories(*review, "--json").json["answers"]
    [rubbish] = [one["answer_id"] for one in listed if one["answers"]["fixed"] == "Казна-що."]
    assert stories(*review, "--reject", str(rubbish), "--reason", "не правка").code == 0
    check_rows(stories)
    arguments = ("adjudicate", "stories", "--as", olha, "--question", "fixed")
    waiting = {one["item"]: one for one in stories(*arguments, "--json").json["waiting"]}
    assert {item: {each["answer"] for each in one["candidates"]} for item, one in waiting.items()} == {
        "s1": {FIRST, SECOND}, "s2": {FIRST, MERGED},
    }  # fmt: skip
    (stories.folder / "editor.sh").write_text("sed -i 's/Вовк запитала/Вовк запитав/; s/подивився/подивилася/' $1\n")
    keys = {"s1": "1t", "s2": "1"}  # begin with the first and merge; choose
    first = {item: one["candidates"][0]["answer"] for item, one in waiting.items()}
    screen = run_in_terminal(
        stories,
        "".join(f"{keys[item]}\n" for item in waiting).encode(),
        *arguments,
        environment={"EDITOR": f"sh {stories.folder / 'editor.sh'}"},
    )
    assert "[-подивився-]{+подивилася+}" in re.sub(r"\x1b\[[0-9;]*m", "", screen)
    assert "Decided: 2. Waiting for you: 0." in screen
    export(stories)
    assert first["s1"] in {FIRST, SECOND}
    chosen = first["s2"]
    gold = {row["item_id"]: row for row in rows(stories, "gold.csv") if row["dataset"] == "stories/fixed"}
    assert {item: (row["gold"], row["origin"]) for item, row in gold.items()} == {
        "s1": (MERGED, "adjudication"), "s2": (chosen, "adjudication"), "s3": (MERGED, "votes"), "s4": (FIRST, "votes"),
    }  # fmt: skip
    verdicts = [(row["item_id"], row["corrected"], row["adjudicated"]) for row in rows(stories, "stories.csv")]
    unchosen = ({FIRST, MERGED} - {chosen}).pop()
    assert sorted(verdicts) == sorted(  # not the rejected one
        [
            *(("s1", FIRST, "other"), ("s1", SECOND, "other"), ("s2", chosen, "gold"), ("s2", unchosen, "other")),
            *(("s3", MERGED, ""), ("s3", MERGED, ""), ("s4", FIRST, "")),
        ]
    )
    page = (stories.folder / "out" / "stories.html").read_text("utf-8")
    assert page.count("<h4>Adjudicator: adjudicated: the published text</h4>") == 1
    decided = {row["item_id"]: json.loads(row["labels"]) for row in rows(stories, "adjudications.csv")}
    assert decided == {"s1": [MERGED], "s2": [chosen]}
    [rejected] = rows(stories, "reviews.csv")
    assert (rejected["item_id"], rejected["decision"], rejected["reason"]) == ("s4", "rejected", "не правка")


@pytest.fixture
def doubts(hromada: Hromada) -> Hromada:
    """An item each that is tied, of low confidence, reported, and changed by rules; and one that is sure."""
    hromada.write(
        "items.csv", "id,text\n" + "".join(f"{name},text {name}\n" for name in ("tie", "low", "told", "rule", "sure"))
    )
    given = {
        "tie": ("yes", "no"), "low": ("yes", "yes", "no", "both"), "told": ("yes", "yes", "yes"),
        "rule": ("yes", "no", "no"), "sure": ("no", "no", "no"),
    }  # fmt: skip
    votes = [f"{item},w{number},{answer}" for item, answers in given.items() for number, answer in enumerate(answers)]
    hromada.write("votes.csv", "\n".join(["item,who,answer", *votes]) + "\n")
    hromada.loaded(DOUBTS)

    def plant(session: Session) -> None:
        items = {item.external_id: item.id or 0 for item in session.exec(select(Item))}
        made = session.exec(select(Assignment).where(Assignment.item_id == items["told"])).all()[0]
        session.add(
            Report(
                item_id=items["told"],
                annotator_id=made.annotator_id,
                assignment_id=made.id or 0,
                reason="unclear",
                at=NOW,
            )
        )
        answers = (
            select(Judgement).join(Assignment).where(Assignment.item_id == items["rule"], Judgement.response == "no")
        )
        for judgement in session.exec(answers):
            judgement.excluded_kind, judgement.excluded_reason = ExclusionKind.RULE, "too fast"
            session.add(judgement)

    in_database(hromada, plant)
    return hromada


def test_doubtful_items_wait_and_their_labels_are_gold(doubts: Hromada) -> None:
    """Each for its reason, with its votes; what is decided is gold, and can be taken back."""
    olha = reviewer(doubts)
    assert "asks for no texts" in doubts("review", "doubts", "--as", olha).err
    arguments = ("adjudicate", "doubts", "--as", olha)
    waiting = {one["item"]: one for one in doubts(*arguments, "--json").json["waiting"]}
    assert {item: one["reasons"] for item, one in waiting.items()} == {
        "tie": ["tie", "low confidence"], "low": ["low confidence"], "told": ["report"], "rule": ["rule conflict"],
    }  # fmt: skip
    assert [one["votes"] for one in waiting["low"]["candidates"]] == [2, 1, 1]
    assert waiting["told"]["reports"] == ["unclear"]
    for wrong, problem in (
        (("--item", "tie", "--gold", "maybe"), "cannot be answered with 'maybe'"),
        (("--item", "tie"), "A decision has a gold"),
        (("--item", "sure", "--gold", "no"), "'sure' does not wait"),
        (("--item", "tie", "--gold", "no", "--accepted", "no"), "given twice"),
    ):
        ran = doubts(*arguments, *wrong)
        assert (ran.code, problem in ran.err) == (2, True), ran.err
    assert doubts(*arguments, "--item", "tie", "--gold", "both", "--accepted", "no").code == 0
    assert doubts(*arguments, "--item", "low", "--broken", "two questions").code == 0
    again = doubts("adjudicate", "doubts", "--as", reviewer(doubts, "ivan"), "--item", "tie", "--gold", "no")
    assert (again.code, "decided already" in again.err) == (2, True)
    assert doubts(*arguments, "--undo").out == "Taken back: low.\n"
    assert {one["item"] for one in doubts(*arguments, "--json").json["waiting"]} == {"low", "told", "rule"}
    assert doubts(*arguments, "--item", "low", "--broken", "two questions").code == 0
    export(doubts)
    gold = {row["item_id"]: (row["gold"], row["origin"], row["version"]) for row in rows(doubts, "gold.csv")}
    assert gold == {
        "tie": ("both", "adjudication", "1"), "low": ("", "adjudication", "1"), "told": ("yes", "votes", ""),
        "rule": ("yes", "votes", ""), "sure": ("no", "votes", ""),
    }  # fmt: skip
    decisions = [(row["item_id"], row["decision"], row["holds"]) for row in rows(doubts, "adjudications.csv")]
    assert decisions == [
        ("low", "broken", "false"), ("low", "undone", "false"), ("low", "broken", "true"), ("tie", "label", "true"),
    ]  # fmt: skip
    assert rows(doubts, "human_baseline.csv") == []  # adjudicated items alone score nobody
    assert doubts("build", "doubts", "built").code == 0
    built = "".join(path.read_text("utf-8") for path in (doubts.folder / "built").rglob("*.jsonl"))
    assert '"adjudication"' in built


def test_keys_choose_confirm_undo_skip_and_quit(doubts: Hromada) -> None:
    """What was decided before quitting is stored; `test_accidents.py` types the keys at a terminal."""
    olha = reviewer(doubts)
    shown = type_keys(doubts, "s3\nu" + "12\n" + "q", "adjudicate", "doubts", "--as", olha)
    assert "Decided: 1. Waiting for you: 3." in shown
    labels = in_database(doubts, lambda session: session.exec(select(Adjudication.labels)).all())
    assert labels == [["both"], [], ["yes", "no"]]
    shown = type_keys(doubts, "bno text\nts\nboth\n\nq", "adjudicate", "doubts", "--as", olha)
    assert "What is wrong with the item?" in shown


BOXES = """\
project: boxes
title: t
language: en
question: {type: choices, text: "Which?", options: [honesty, care, law], required: no}
items: {file: items.csv, id: id, show: text}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer}}
"""


def test_boxes_are_chosen_by_their_numbers(hromada: Hromada) -> None:
    """Of a question with several boxes any set is an answer of one's own; a wrong number is none."""
    hromada.write("items.csv", "id,text\na,text a\n")
    hromada.write("votes.csv", 'item,who,answer\na,x,"[""law""]"\na,y,"[""honesty"", ""law""]"\n')
    hromada.loaded(BOXES)
    shown = type_keys(hromada, "t4\nt3, 2\n\nq", "adjudicate", "boxes", "--as", reviewer(hromada))
    assert "    2  care" in shown
    assert in_database(hromada, lambda session: session.exec(select(Adjudication.labels)).all()) == [
        ['["care", "law"]']
    ], shown


def test_compared_texts_are_named_by_their_columns() -> None:
    """A reviewer sees both of them, and which one was chosen."""
    question = PreferenceQuestion(type="preference", text="?", sides=("draft", "final"), tie="Однаково")
    assert build_compared(question, ["Перший.", "Другий."], "second").plain.splitlines() == [
        "  draft: Перший.", "× final: Другий.", "  Однаково",
    ]  # fmt: skip


def test_a_difference_shows_every_change_and_little_else() -> None:
    """Both ends of what stayed beside each change, both ends of what went; an unchanged text is said to be one."""
    words = [f"word{number}" for number in range(100)]
    changed = [*words[:50], "new", *words[51:]]
    shown = build_difference(" ".join(words), " ".join(changed)).plain
    assert "[-word50-]{+new+}" in shown
    assert (shown.startswith(" … word"), shown.endswith(" …"), "word40 " in shown, "word20 " in shown) == (
        True, True, True, False,
    )  # fmt: skip
    gone = build_difference(" ".join(words), "nothing").plain
    assert gone.startswith("[-word0 word1 ")
    assert gone.endswith(" word99-]{+nothing+}\nMost of the text was deleted.")
    assert "word50" not in gone
    assert build_difference("a b", "a b").plain == "The text stays as it was."


def run_in_terminal(
    hromada: Hromada, keys: bytes, *arguments: str, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command at a terminal where somebody has typed these keys; what it showed."""
    ours, theirs = pty.openpty()
    env = {"PATH": os.environ["PATH"], "COLUMNS": "160", "TERM": "xterm", **(environment or {})}
    with subprocess.Popen(
        [hromada.command, *arguments], cwd=hromada.folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        os.write(ours, keys)  # what is typed before the screen is there is not lost
        seen = b""
        while True:
            if not ready([ours], [], [], 60)[0]:
                running.kill()
                pytest.fail(f"It waits for a key that was typed: {seen.decode()}")
            try:
                seen += os.read(ours, 10_000)
            except OSError:  # the other side is closed
                break
        os.close(ours)
        assert running.wait(timeout=20) == 0
    return seen.decode()


def run_killed(hromada: Hromada, step: int, *arguments: str) -> int:
    """Run a command that ends without a word before this write or commit; its exit code."""

    def run() -> int:
        left = step

        def count(*_: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(9)

        @sa.event.listens_for(sa.engine.Engine, "before_cursor_execute")
        def write(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            if statement.split(maxsplit=1)[0].upper() in {"INSERT", "UPDATE", "DELETE"}:
                count()

        sa.event.listen(sa.engine.Engine, "commit", count)
        return hromada(*arguments).code

    return run_in_fork(run)


def describe_answers(session: Session) -> list[tuple[Any, ...]]:
    """What a rejection changes: exclusions, places, and decisions."""
    project = queries.get_project(session, "multiq")
    places = session.exec(
        select(Item.free, Item.n_done).where(Item.project_id == project.id).order_by(col(Item.id))
    ).all()
    kinds = session.exec(select(Judgement.excluded_kind).order_by(col(Judgement.id))).all()
    reviews = session.exec(select(SubmissionReview.decision).order_by(col(SubmissionReview.id))).all()
    return [tuple(places), tuple(kinds), tuple(reviews)]


@pytest.mark.slow
def test_a_killed_review_is_not_stored_by_halves(multiq: Hromada) -> None:
    """Killed before any write or the commit, nothing changed; done again, it is there once."""
    olha = reviewer(multiq)
    arguments = ("review", "multiq", "--as", olha, "--reject", "1", "--reason", "x")
    before, step = in_database(multiq, describe_answers), 1
    while (code := run_killed(multiq, step, *arguments)) == 9:
        assert in_database(multiq, describe_answers) == before
        step += 1
    assert (code, step > 5) == (0, True)
    after = in_database(multiq, describe_answers)
    assert after != before
    again = multiq(*arguments)
    assert (again.code, "does not count" in again.err or "already" in again.err) == (2, True)
    assert in_database(multiq, describe_answers) == after
    undo, step = ("review", "multiq", "--as", olha, "--undo"), 1
    while run_killed(multiq, step, *undo) == 9:
        assert in_database(multiq, describe_answers) == after
        step += 1
    assert in_database(multiq, describe_answers)[:2] == before[:2]
    check_rows(multiq)


def test_a_killed_adjudication_is_not_stored_by_halves(doubts: Hromada) -> None:
    """Killed at any write or commit, no decision is there; then one, and never two."""
    olha = reviewer(doubts)
    assert doubts("adjudicate", "doubts", "--as", olha).code == 0
    arguments = ("adjudicate", "doubts", "--as", olha, "--item", "tie", "--gold", "no")

    def count(session: Session) -> int:
        return len(session.exec(select(Adjudication.id)).all())

    step = 1
    while (code := run_killed(doubts, step, *arguments)) == 9:
        assert in_database(doubts, count) == 0
        step += 1
    assert (code, in_database(doubts, count), step > 2) == (0, 1, True)
    assert doubts(*arguments).code == 2
    assert in_database(doubts, count) == 1
    check_rows(doubts)


@pytest.mark.slow
def test_a_killed_plan_of_a_gold_review_is_not_stored_by_halves(truth: Hromada) -> None:
    """Killed at any write or commit, nothing is drawn; called again, the whole plan is there, once."""
    arguments = ("adjudicate", "truth", "--as", reviewer(truth), "--gold-review", "--models", "models.csv")

    def count(session: Session) -> tuple[int, int]:
        reviews, drawn = session.exec(select(GoldReview.id)).all(), session.exec(select(AdjudicationCase.id)).all()
        return len(reviews), len(drawn)

    step = 1
    while (code := run_killed(truth, step, *arguments)) == 9:
        assert in_database(truth, count) == (0, 0)
        step += 1
    assert (code, in_database(truth, count), step > 2) == (0, (1, 59), True)


async def test_an_invited_adjudicator_decides_in_telegram(doubts: Hromada) -> None:
    """By the link of `hromada invite`; the files say what was decided, by whom, and what was taken back."""
    refused = doubts("invite", "doubts", "--adjudicator", "--cohort", "students")
    assert (refused.code, "join no cohort" in refused.err) == (2, True)
    code = doubts("invite", "doubts", "--adjudicator", "--json").json["code"]
    assert doubts("adjudicate", "doubts", "--as", reviewer(doubts)).code == 0
    telegram = Telegram()
    with database.open_database(f"sqlite:///{doubts.folder / 'hromada.db'}") as db:
        app = application.build_application(
            token=telegram.token,
            database=db,
            settings=application.build_delivery_settings(ConversationSettings(key=KEY)),
            request=LocalRequest(telegram),
        )
        person = telegram.person(1)
        async with app:
            for step in (f"/start {code}", "Українська", "both", "Правильних кілька", "☐ no", "☐ yes", "Зберегти"):
                (person.send if step.startswith("/") else person.tap)(step)
                await app.deliver(*telegram.take())
            for act in (
                lambda: person.tap("З помилкою"),
                lambda: person.send("два запитання"),
                lambda: person.tap("yes"),
                lambda: person.tap("Змінити"),
            ):
                act()
                await app.deliver(*telegram.take())
        with db.reading() as session:
            found = queries.find_annotator(session, person.id)
            pseudonym = "" if found is None else found.pseudonym
    export(doubts)
    decided = rows(doubts, "adjudications.csv")
    assert {row["adjudicator"] for row in decided} == {pseudonym}
    assert sorted((row["decision"], row["labels"], row["comment"], row["holds"]) for row in decided) == [
        ("broken", "[]", "два запитання", "true"), ("label", '["both"]', "", "true"),
        ("label", '["no", "yes"]', "", "true"), ("label", '["yes"]', "", "false"), ("undone", "[]", "", "false"),
    ]  # fmt: skip
    gold = [row for row in rows(doubts, "gold.csv") if row["origin"] == "adjudication"]
    assert sorted(row["gold"] for row in gold) == ["", "both", "no"]
    check_rows(doubts)


def test_adjudicators_are_invited_where_options_are_chosen(multiq: Hromada) -> None:
    """A project that asks for parts of texts is adjudicated elsewhere; and it stays open to everybody."""
    refused = multiq("invite", "multiq", "--adjudicator")
    assert (refused.code, "asks nothing that is answered with options" in refused.err) == (2, True)
    assert multiq("invite", "multiq", "--list", "--json").json == []
