"""Adjudication and review in Label Studio: sent, decided there, taken over once, and what happens in between."""

from __future__ import annotations

import csv
import json
import sys
import time
from base64 import b64encode
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from _pictures import PROJECT, write_project
from sqlmodel import col, select

from annotation.errors import Unavailable
from annotation.label_studio import sync
from annotation.label_studio.client import Client
from annotation.label_studio_controls import decision_controls
from annotation.store import database, invariants
from annotation.store.models import Adjudication, Item, LabelStudioBatch, LabelStudioReviewTask
from annotation.vocabulary import BatchWork
from tests.annotation.label_studio.sync.test_failures import answering

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from _label_studio import Account

    from tests.annotation.label_studio.sync.conftest import Command

STORIES = """\
project: stories
title: Казки
language: uk
question: {name: fixed, type: edit, text: "Виправте", field: story}
items: {file: items.csv, id: id, show: story}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {fixed: fixed}}
review: {reasons: [не виправлено]}
"""
TRUTH = """\
project: truth
title: t
language: en
question: {type: choice, text: "Is it so?", options: [yes, no]}
items: {file: items.csv, id: id, show: text, gold: gold}
votes: {format: csv, file: votes.csv, item: item, annotator: who, answers: {answer: answer}}
"""
KILLED = """\
import os, sys
import sqlalchemy as sa
from annotation.label_studio.sync import task_upload
from annotation.label_studio.client import Client
from bot import cli
from bot.commands import adjudicate, label_studio
with Client("http://127.0.0.1:1", "0" * 40) as client:
    sdk = client._get_sdk()
    sdk.users, sdk.projects, sdk.tasks  # its parts are imported now, not in each child
def step(*_):
    global left
    left -= 1
    if left == 0:
        os._exit(9)
@sa.event.listens_for(sa.engine.Engine, "before_cursor_execute")
def write(connection, cursor, statement, *_):
    if statement.split()[0].upper() in {"INSERT", "UPDATE", "DELETE"}:
        step()
sa.event.listen(sa.engine.Engine, "commit", step)
before = Client._record_server_time
Client._record_server_time = lambda *given: (before(*given), step())[0]
task_upload.SETTLE_SECONDS = 1
for kills, left in enumerate((1, 2, 3, 5, 6, 7, 9, 12, 15, 19, 24, 30, 40, 60, 90, 500)):
    child = os.fork()
    if child == 0:
        cli.main()
        sys.exit()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 9:
        break
print(kills)
sys.exit(code)
"""
"""The command, again and again in a process forked for it, which ends without a word before its n-th write or commit,
or after a request was answered; n grows until it comes through. Prints how often it was killed."""


def stories(number: int) -> list[str]:
    """Texts with a mistake."""
    return [f"Вона подивився на {n} зірок." for n in range(1, number + 1)]


def right(story: str) -> str:
    """What the first corrector makes of it."""
    return story.replace("подивився", "подивилася")


def other(story: str) -> str:
    """What the second one makes of it."""
    return story.replace("Вона", "Він")


def write_rows(folder: Path, name: str, rows: list[list[str]]) -> None:
    """Write a CSV file."""
    with (folder / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


class Desk:
    """A campaign and an adjudicator with an account."""

    def __init__(self, hromada: Command, account: Account) -> None:
        self.run, self.account = hromada, account
        self.person, self.email = hromada("people", "add-reviewer", "olha").strip(), account.email
        hromada("label-studio", "link", account.email, "--person", self.person)

    def push(self, *more: str, name: str = "stories", command: str = "adjudicate") -> dict[str, Any]:
        """Send what waits."""
        told: dict[str, Any] = json.loads(
            self.run(command, name, "--as", self.person, "--label-studio", *more, "--json")
        )
        return told

    def tasks(self, remote_id: int) -> dict[str, dict[str, Any]]:
        """The tasks there by item."""
        with self.run.studio.api() as api:
            found = api.get("/api/tasks", params={"project": remote_id, "fields": "all"}).json()["tasks"]
        assert len({task["data"]["item"] for task in found}) == len(found), "a task is there twice"
        return {task["data"]["item"]: task for task in found}

    def decide(self, task: dict[str, Any], alias: str, *, account: Account | None = None, **texts: str) -> int:
        """Submit a decision, as the browser does; the annotation's id."""
        with self.run.studio.api((account or self.account).token) as api:
            body = {"result": said(alias, **texts), "lead_time": 3.0}
            answer = api.post(f"/api/tasks/{task['id']}/annotations/", json=body)
            assert answer.status_code == 201, answer.text
            return int(answer.json()["id"])

    def pull(self) -> dict[str, Any]:
        """Take over what was decided."""
        [told] = self.run.json("pull")
        return dict(told)

    def decisions(self) -> list[tuple[str, int, str, list[str], str]]:
        """Item, number, decision, labels, comment: all that was ever decided."""
        with database.open_database(f"sqlite:///{self.run.folder / 'hromada.db'}") as db, db.reading() as session:
            assert invariants.list_violations(session) == ()
            rows = session.exec(
                select(Item.external_id, Adjudication)
                .join(Adjudication, col(Adjudication.item_id) == col(Item.id))
                .order_by(col(Item.external_id), col(Adjudication.number))
            ).all()
        return [(item, row.number, row.decision.value, row.labels, row.comment) for item, row in rows]


def said(alias: str, **texts: str) -> list[dict[str, Any]]:
    """The result of an annotation: a choice, and texts by the last part of their control's name."""
    verdict = {"from_name": decision_controls.VERDICT, "to_name": decision_controls.ANSWERS_OBJECT, "type": "choices"}
    written = [
        {
            "from_name": f"decision:{name.replace('_', ':')}",
            "to_name": decision_controls.ANSWERS_OBJECT,
            "type": "textarea",
            "value": {"text": [text]},
        }
        for name, text in texts.items()
    ]
    return [{**verdict, "value": {"choices": [alias]}}, *written]


@pytest.fixture
def desk(tmp_path: Path, command: Callable[[Path], Command], accounts: Mapping[str, Account]) -> Desk:
    """Four stories with two corrections each."""
    return make_desk(tmp_path, command, accounts["olha"], 4)


def make_desk(folder: Path, command: Callable[[Path], Command], account: Account, number: int) -> Desk:
    """A campaign of so many stories."""
    texts = {f"s{n}": text for n, text in enumerate(stories(number), 1)}
    write_rows(folder, "items.csv", [["id", "story"], *([item, text] for item, text in texts.items())])
    votes = [[item, who, make(text)] for item, text in texts.items() for who, make in (("a", right), ("b", other))]
    write_rows(folder, "votes.csv", [["item", "who", "fixed"], *votes])
    (folder / "project.yaml").write_text(STORIES, "utf-8")
    hromada = command(folder)
    hromada("load", "project.yaml")
    hromada("import", "project.yaml")
    return Desk(hromada, account)


def test_decisions_are_taken_over_changed_and_taken_back(desk: Desk) -> None:
    """A choice, a merged text, a broken item; once each, and what becomes of them when they change there."""
    pushed = desk.push()
    assert (pushed["waiting"], pushed["sent"], pushed["linked"]) == (4, 4, True)
    assert desk.push()["sent"] == 0
    tasks, texts = desk.tasks(pushed["remote_id"]), stories(4)
    for task in tasks.values():
        assert set(task["data"]) == {
            "decision", "item", "shown", "answers", "verdicts", "others", *(f"begin_{n}" for n in range(6)),
        }  # fmt: skip
        assert desk.person not in json.dumps(task["data"])
    first = desk.decide(tasks["s1"], decision_controls.name_candidate(right(texts[0])))
    merged = f"{right(texts[1])} Кінець."
    begins = [tasks["s2"]["data"][f"begin_{n}"] for n in range(3)]
    assert begins[0] == texts[1]
    assert set(begins[1:]) == {right(texts[1]), other(texts[1])}
    begun = begins.index(right(texts[1]))
    changes: dict[str, Any] = {f"text_{begun}": merged}
    desk.decide(tasks["s2"], f"edit{begun}", **changes)
    broken = desk.decide(tasks["s3"], "broken", reason="немає кінця")
    assert (desk.pull()["answered"], desk.pull()["answered"]) == (3, 0)
    decided = [
        ("s1", 0, "label", [right(texts[0])], ""),
        ("s2", 0, "label", [merged], ""),
        ("s3", 0, "broken", [], "немає кінця"),
    ]
    assert desk.decisions() == decided
    with desk.run.studio.api(desk.account.token) as api:
        changed = {"result": said(decision_controls.name_candidate(other(texts[0])))}
        assert api.patch(f"/api/annotations/{first}/", json=changed).status_code == 200
        assert api.delete(f"/api/annotations/{broken}/").status_code == 204
    told = desk.pull()
    assert (told["changed"], told["deleted"], told["set_aside"]) == (1, 1, {})
    assert desk.decisions() == [
        decided[0], ("s1", 1, "undone", [], ""), ("s1", 2, "label", [other(texts[0])], ""),
        *decided[1:], ("s3", 1, "undone", [], ""),
    ]  # fmt: skip
    assert [desk.pull()[key] for key in ("answered", "changed", "deleted")] == [0, 0, 0]


def test_what_was_decided_elsewhere_is_told_and_taken_away(desk: Desk) -> None:
    """In the terminal after the push: the decision there is not stored, and the next push takes its task away."""
    pushed = desk.push()
    tasks, text = desk.tasks(pushed["remote_id"]), stories(4)
    ivan = desk.run("people", "add-reviewer", "ivan").strip()
    for item in ("s1", "s2"):
        desk.run("adjudicate", "stories", "--as", ivan, "--item", item, "--gold", right(text[int(item[1]) - 1]))
    desk.decide(tasks["s1"], "broken", reason="запізно")
    again = desk.push()
    assert (again["withdrawn"], again["waiting"], sorted(desk.tasks(pushed["remote_id"]))) == (1, 2, ["s1", "s3", "s4"])
    [(reason, number)] = desk.pull()["set_aside"].items()
    assert number == 1
    assert reason.startswith("s1: ")
    assert "decided already" in reason
    assert [(item, decision) for item, _, decision, _, _ in desk.decisions()] == [("s1", "label"), ("s2", "label")]
    others = json.loads(desk.run("adjudicate", "stories", "--as", ivan, "--label-studio", "--json"))
    assert (others["waiting"], others["elsewhere"], others["linked"]) == (0, 2, False)
    assert desk.push("--number", "0")["withdrawn"] == 2
    assert json.loads(desk.run("adjudicate", "stories", "--as", ivan, "--label-studio", "--json"))["waiting"] == 2


def test_tasks_of_somebody_suspended_are_free_for_others(desk: Desk) -> None:
    """What waits in their project is sent to whoever pushes next."""
    waiting = desk.push()["waiting"]
    push = ("adjudicate", "stories", "--as", desk.run("people", "add-reviewer", "ivan").strip(), "--label-studio")
    before = json.loads(desk.run(*push, "--json"))
    assert (waiting, before["waiting"], before["elsewhere"]) == (4, 0, 4)
    desk.run("people", "suspend", desk.person, "--reason", "x")
    after = json.loads(desk.run(*push, "--json"))
    assert (after["waiting"], after["elsewhere"]) == (4, 0)


def test_an_item_that_was_fixed_is_decided_anew(desk: Desk, accounts: Mapping[str, Account]) -> None:
    """A decision on the text as it was is not stored; the item is sent once more. Nobody else decides there."""
    pushed = desk.push()
    tasks = desk.tasks(pushed["remote_id"])
    fixed = ["s1", "Вона подивився на одну зірку."]
    write_rows(
        desk.run.folder, "items.csv", [["id", "story"], fixed, *([f"s{n}", stories(4)[n - 1]] for n in (2, 3, 4))]
    )
    desk.run("load", "project.yaml", "--fix", "s1")
    desk.decide(tasks["s1"], decision_controls.name_candidate(right(stories(1)[0])))
    desk.decide(tasks["s2"], "broken", account=accounts["taras"], reason="чужий")
    told = desk.pull()
    assert told["answered"] == 0
    assert any("fixed since" in reason for reason in told["set_aside"])
    assert any("nobody is linked" in reason for reason in told["set_aside"])
    assert desk.decisions() == []


def test_a_decision_that_was_taken_back_here_waits_there_once_more(desk: Desk) -> None:
    """By --undo: the next push sends it again, beside the answered task."""
    pushed = desk.push("--number", "1")
    [task] = desk.tasks(pushed["remote_id"]).values()
    desk.decide(task, "broken", reason="помилково")
    assert desk.pull()["answered"] == 1
    desk.run("adjudicate", "stories", "--as", desk.person, "--undo")
    again = desk.push("--number", "1")
    assert again["sent"] == 1
    with database.open_database(f"sqlite:///{desk.run.folder / 'hromada.db'}") as db, db.reading() as session:
        [row] = session.exec(select(LabelStudioReviewTask)).all()
    assert row.remote_id not in {None, task["id"]}
    desk.decide({"id": row.remote_id}, "edit0", text_0="Вона подивилася.")
    assert desk.pull()["answered"] == 1
    assert [decision for _, _, decision, _, _ in desk.decisions()] == ["broken", "undone", "label"]


def test_a_gold_review_tells_nothing(
    tmp_path: Path, command: Callable[[Path], Command], accounts: Mapping[str, Account]
) -> None:
    """Neither which candidate is the gold, nor votes, reasons or strata: all tasks look the same."""
    golds = ["yes" if n % 2 else "no" for n in range(6)]
    write_rows(tmp_path, "items.csv", [["id", "text", "gold"], *([f"q{n}", "So?", one] for n, one in enumerate(golds))])
    votes = [[f"q{n}", who, "yes"] for n in range(6) for who in "abc"]
    write_rows(tmp_path, "votes.csv", [["item", "who", "answer"], *votes])
    (tmp_path / "project.yaml").write_text(TRUTH, "utf-8")
    hromada = command(tmp_path)
    hromada("load", "project.yaml")
    hromada("import", "project.yaml")
    desk = Desk(hromada, accounts["olha"])
    pushed = desk.push("--gold-review", name="truth")
    tasks = desk.tasks(pushed["remote_id"])
    assert sorted(tasks) == [f"q{n}" for n in range(6)]
    looks = {
        json.dumps({key: value for key, value in task["data"].items() if key not in {"decision", "item"}})
        for task in tasks.values()
    }
    assert len(looks) == 1
    assert [one["value"] for one in tasks["q0"]["data"]["verdicts"]] == ["yes", "no", "The item is broken"]
    desk.decide(tasks["q0"], decision_controls.name_candidate("yes"))
    assert desk.pull()["work"] == "gold review"
    assert [(item, labels) for item, _, _, labels, _ in desk.decisions()] == [("q0", ["yes"])]


def test_answers_are_reviewed(desk: Desk) -> None:
    """Accepted and rejected, for a declared reason and another one; changed there, and blind to who answered."""
    pushed = desk.push(command="review")
    assert (pushed["waiting"], pushed["work"]) == (8, "review")
    with desk.run.studio.api() as api:
        found = api.get("/api/tasks", params={"project": pushed["remote_id"], "fields": "all"}).json()["tasks"]
    assert {frozenset(task["data"]) for task in found} == {frozenset({"decision", "item", "shown", "answers"})}
    desk.decide(found[0], "accept")
    declared = desk.decide(found[1], "reject1")
    desk.decide(found[2], "reject", reason="зовсім інший текст")
    assert (desk.pull()["answered"], desk.pull()["answered"]) == (3, 0)

    def reviewed() -> list[tuple[str, str]]:
        listed = json.loads(desk.run("review", "stories", "--as", desk.person, "--json"))["answers"]
        return sorted((one["decision"], one["reason"]) for one in listed if one["decision"])

    assert reviewed() == [("accepted", ""), ("rejected", "зовсім інший текст"), ("rejected", "не виправлено")]
    with desk.run.studio.api(desk.account.token) as api:
        assert api.patch(f"/api/annotations/{declared}/", json={"result": said("accept")}).status_code == 200
    assert desk.pull()["changed"] == 1
    assert reviewed() == [("accepted", ""), ("accepted", ""), ("rejected", "зовсім інший текст")]
    assert desk.push(command="review")["waiting"] == 5


def test_who_decides_sees_the_pictures(
    tmp_path: Path, command: Callable[[Path], Command], accounts: Mapping[str, Account]
) -> None:
    """Adjudicators and reviewers: each task has the picture of its item."""
    votes = "votes: {format: csv, file: votes.csv, item: item, annotator: who, answer: says}\nreview: {reasons: [no]}\n"
    project = PROJECT.replace("overlap: 2\n", votes).replace(", gold: gold", "")
    project = project.replace("choice", "text").replace(", options: [owl, stork]", "")
    file = write_project(tmp_path, project=project)
    rows = [[item, who, says] for item in "ab" for who, says in (("x", "owl"), ("y", "stork"))]
    write_rows(tmp_path, "votes.csv", [["item", "who", "says"], *rows])
    hromada = command(tmp_path)
    for verb in ("load", "import"):
        hromada(verb, str(file))
    desk = Desk(hromada, accounts["olha"])
    expected = {
        item: f"data:image/{kind};base64,{b64encode((tmp_path / 'pictures' / name).read_bytes()).decode()}"
        for item, name, kind in (("a", "owl.png", "png"), ("b", "stork.jpg", "jpeg"))
    }
    tasks = desk.tasks(desk.push(name="birds")["remote_id"])
    assert {item: task["data"]["image_file"] for item, task in tasks.items()} == expected
    pushed = desk.push(name="birds", command="review")
    with desk.run.studio.api() as api:
        found = api.get("/api/tasks", params={"project": pushed["remote_id"], "fields": "all"}).json()["tasks"]
    assert len(found) == pushed["sent"] == 4
    assert all(task["data"]["image_file"] == expected[task["data"]["item"]] for task in found)


def test_a_server_that_hangs_is_waited_for_no_longer_than_said(desk: Desk) -> None:
    """A push and a pull end with a sentence, nothing is held, and the next ones send and take what is left, once."""
    pushed = desk.push("--number", "1")
    [task] = desk.tasks(pushed["remote_id"]).values()
    desk.decide(task, "broken", reason="без кінця")
    with (
        database.open_database(f"sqlite:///{desk.run.folder / 'hromada.db'}") as db,
        answering(200, b"{}", seconds=1.5) as address,
        Client(address, "0" * 40, timeout=0.2) as slow,
    ):
        with db.reading() as view:
            slow.server_id = view.exec(select(LabelStudioBatch.server)).one()
        order = sync.DecisionOrder(
            project="stories", person=desk.person, work=BatchWork.ADJUDICATION, question="fixed", number=4
        )
        for step in (
            lambda: sync.push_decisions(db, slow, order, clock=lambda: datetime.now(UTC)),
            lambda: sync.pull_batches(db, slow, clock=lambda: datetime.now(UTC)),
        ):
            with pytest.raises(Unavailable, match="took too long"):
                step()
        time.sleep(1.5)
    assert desk.decisions() == []
    assert desk.pull()["answered"] == 1
    assert desk.push("--number", "4")["sent"] == 3
    assert sorted(desk.tasks(pushed["remote_id"])) == ["s1", "s2", "s3", "s4"]
    assert [decision for _, _, decision, _, _ in desk.decisions()] == ["broken"]


def run_killed(run: Command, *arguments: str) -> int:
    """Run the command again and again, killed later each time, until it comes through; how often it was killed."""
    script = run.hromada.write("killed.py", KILLED)
    path = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    ran = run.hromada.run_process(*arguments, env=path, words=(sys.executable, script))
    assert ran.code == 0, ran.err
    return int(ran.out.splitlines()[-1])


@pytest.mark.process
@pytest.mark.slow
def test_killed_at_any_step_nothing_is_lost_or_doubled(
    tmp_path: Path, command: Callable[[Path], Command], accounts: Mapping[str, Account]
) -> None:
    """Between writes, commits and requests of a push, and of a pull of what was decided."""
    desk = make_desk(tmp_path, command, accounts["olha"], 6)
    assert run_killed(desk.run, "adjudicate", "stories", "--as", desk.person, "--label-studio") > 5
    pushed = desk.push()
    assert (pushed["waiting"], pushed["sent"], pushed["recovered"]) == (6, 0, 0)
    tasks = desk.tasks(pushed["remote_id"])
    assert sorted(tasks) == [f"s{n}" for n in range(1, 7)]
    for item, text in zip(sorted(tasks), stories(6), strict=True):
        desk.decide(tasks[item], decision_controls.name_candidate(right(text)))
    assert run_killed(desk.run, "label-studio", "pull") > 5
    wanted = [(f"s{n}", 0, "label", [right(text)], "") for n, text in enumerate(stories(6), 1)]
    assert desk.decisions() == wanted
    assert desk.pull()["answered"] == 0
    assert desk.decisions() == wanted


@pytest.mark.slow
def test_a_task_that_was_deleted_there_is_sent_again(desk: Desk) -> None:
    """While nothing is decided in it; the decision of another one stays, and its task is forgotten."""
    remote = desk.push()["remote_id"]
    tasks = desk.tasks(remote)
    desk.decide(tasks["s1"], decision_controls.name_candidate(right(stories(1)[0])))
    assert desk.pull()["answered"] == 1
    with desk.run.studio.api() as api:
        for item in ("s1", "s2"):
            assert api.delete(f"/api/tasks/{tasks[item]['id']}/").status_code == 204
    told = " ".join(desk.run("label-studio", "pull").split())
    assert "deleted in Label Studio, or never sent: s2. Send again: hromada adjudicate stories --label-studio" in told
    assert f"--as {desk.email} --question fixed" in told
    assert desk.push()["sent"] == 1
    assert sorted(desk.tasks(remote)) == ["s2", "s3", "s4"]
    with desk.run.studio.api() as api:
        assert api.delete(f"/api/tasks/{tasks['s3']['id']}/").status_code == 204
    pushed = desk.push()
    assert (pushed["sent"], pushed["sent_again"], pushed["waiting"]) == (1, ["s3"], 3)
    assert sorted(desk.tasks(remote)) == ["s2", "s3", "s4"]
    assert len(desk.decisions()) == 1
