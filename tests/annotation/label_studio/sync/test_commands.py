"""`hromada label-studio` as a person runs it, from the file of a project to the answers."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from _label_studio import Account

    from tests.annotation.label_studio.sync.conftest import Command

YES, NO = "так", "ні"
SAID = {"from_name": "answer", "to_name": "item:shown", "type": "choices", "value": {"choices": [YES]}}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, command: Callable[[Path], Command]) -> Path:
    """A folder with a started project of three items."""
    tmp_path = tmp_path_factory.mktemp("started")
    rows = [{"id": f"i{n}", "text": f"Речення {n}."} for n in range(3)]
    (tmp_path / "i.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "p.yaml").write_text(
        "project: p\ntitle: p\nlanguage: uk\ninstructions: Читайте.\noverlap: 1\n"
        f"question: {{type: choice, text: 'Так?', options: [{YES}, {NO}]}}\n"
        "items: {file: i.jsonl, id: id, group: id, show: [text]}\n",
        "utf-8",
    )
    made = command(tmp_path)
    made("load", "p.yaml")
    made("start", "p")
    return tmp_path


@pytest.fixture
def hromada(started: Path, tmp_path: Path, command: Callable[[Path], Command]) -> Command:
    """A copy of it for every test."""
    return command(Path(shutil.copytree(started, tmp_path / "copy")))


def test_a_batch_from_link_to_pull(hromada: Command, accounts: Mapping[str, Account]) -> None:
    """An account becomes an annotator, their batch is filled, the answers come back; the tables say so."""
    olha = accounts["olha"]
    assert hromada("label-studio", "link", olha.email).startswith(f"Account {olha.id} is ")
    again = hromada("label-studio", "link", str(olha.id))
    code = again.split(" was already ")[1].removesuffix("'s.\n")
    told = hromada("label-studio", "push", "p", "--person", code, "--number", "2")
    first, printed = told.splitlines()
    assert first == f"2 items wait for {code} in Label Studio: 2 new, 2 sent. Send them the address:"
    assert hromada.json("push", "p", "--person", code, "--number", "9")["waiting"] == "nothing left"
    address = hromada("label-studio", "open", "p", "--person", code, "--print").strip()
    assert address == printed
    remote = int(address.removeprefix(f"{hromada.studio.url}/projects/").partition("/")[0])
    with hromada.studio.api(olha.token) as api:
        tasks = api.get("/api/tasks", params={"project": remote}).json()["tasks"]
        assert api.post(f"/api/tasks/{tasks[0]['id']}/annotations/", json={"result": [SAID]}).status_code == 201
    (pulled,) = hromada.json("pull")
    assert (pulled["answered"], pulled["set_aside"], pulled["problem"]) == (1, {}, None)
    assert f"{olha.email} ({code})" in hromada("label-studio", "pull", "p", COLUMNS="200")
    found = hromada.json("doctor")
    assert {"account": olha.id, "name": olha.email, "annotator": code} in found["accounts"]
    assert [(one["annotator"], one["tasks"], one["is"]) for one in found["desks"]] == [(code, 3, "well")]
    status = json.loads(hromada("status", "p", "--json"))
    assert (status["answers"], status["in hand"]) == (1, 2)
    with hromada.studio.api() as api:
        assert api.delete(f"/api/tasks/{tasks[1]['id']}").status_code == 204
    told = hromada("label-studio", "pull", "p", COLUMNS="300")
    remedy = f"hromada label-studio push p --person {olha.email} --number 2"
    assert f"Send again: {remedy}" in told
    again = hromada(*remedy.split()[1:], COLUMNS="300")
    assert "in Label Studio, as of the last pull: 0 new, 1 sent" in again


@pytest.mark.slow
def test_an_organiser_sees_who_does_what_and_reminds_them(hromada: Command, accounts: Mapping[str, Account]) -> None:
    """One of three items is answered and one begun; the e-mail, the pseudonym and the number all name Olha."""
    olha = accounts["olha"]
    assert "Nobody has work in Label Studio yet" in hromada("label-studio", "status")
    pushed = hromada.json("push", "p", "--person", olha.email, "--number", "3")
    with hromada.studio.api(olha.token) as api:
        tasks = api.get("/api/tasks", params={"project": pushed["remote_id"]}).json()["tasks"]
        answered, begun = (task["id"] for task in tasks[:2])
        body = {"result": [SAID], "lead_time": 3.0}
        assert api.post(f"/api/tasks/{answered}/annotations/", json=body).status_code == 201
        assert api.post(f"/api/tasks/{begun}/drafts", json=body).status_code == 201
    hromada("label-studio", "pull")
    (found,) = hromada.json("status", "p", "--person", olha.email.upper())["people"]
    assert (found["email"], found["waiting"], found["begun"], found["answered"]) == (olha.email, 2, 1, 1)
    assert (found["median_seconds"], found["per_hour"], found["late"]) == (3.0, None, 0)
    assert olha.email in hromada("label-studio", "status", "p", "--person", found["annotator"])
    reminder = hromada("label-studio", "remind", "p")
    assert f"To: {olha.email}\nSubject: p: на вас чекають 2 завдання\n" in reminder
    assert found["addresses"][0] in reminder
    assert "Nothing is due so soon." in hromada("label-studio", "remind", "p", "--days", "1")
    alone = hromada("label-studio", "status", "p", HROMADA_LABEL_STUDIO_URL="http://127.0.0.1:9")
    assert found["annotator"] in alone
    assert "Label Studio does not answer. E-mails, and what was begun there, are not known now." in alone


def test_people_are_named_by_their_accounts_and_items_by_id_or_condition(
    hromada: Command, accounts: Mapping[str, Account]
) -> None:
    """The account is found and becomes somebody's; what is left out has its reason."""
    olha, taras = accounts["olha"], accounts["taras"]
    rows = [{"id": f"i{n}", "text": f"Речення {n}.", "kind": "long" if n else "short"} for n in range(3)]
    (hromada.folder / "i.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    text = (hromada.folder / "p.yaml").read_text("utf-8").replace("project: p\ntitle: p\n", "project: q\ntitle: Хто?\n")
    (hromada.folder / "q.yaml").write_text(text.replace("show: [text]", "show: [text], stratum: kind"), "utf-8")
    hromada("load", "q.yaml")
    hromada("start", "q")
    both = hromada.json("push", "q", "--person", olha.email, "--person", str(taras.id), "--item", "i1")
    assert [(one["handed"], one["linked"], one["left_out"]) for one in both] == [
        (1, True, {}),
        (0, True, {"i1": "it has all the annotators that it needs"}),
    ]
    with hromada.studio.api() as api:
        title = api.get(f"/api/projects/{both[0]['remote_id']}").json()["title"]
    assert title == f"Хто? · {both[0]['annotator']}"
    more = hromada("label-studio", "push", "q", "--person", olha.email, "--where", "stratum = long")
    assert "Not sent, since they have it already, or had it: i1." in more
    person = f"{olha.email} ({both[0]['annotator']})"
    assert f"2 items wait for {person} in Label Studio, as of the last pull: 1 new, 1 sent. Send them" in more
    assert "The items have stratum: long, short." in hromada(
        "label-studio", "push", "q", "--person", olha.email, "--where", "stratum = middle", code=2
    )
    assert "q has no item 'i9'." in hromada("label-studio", "push", "q", "--person", olha.email, "--item", "i9", code=2)
    assert "--item and --where say already which items are sent." in hromada(
        "label-studio", "push", "q", "--person", olha.email, "--item", "i0", "--number", "2", code=2
    )
    said = hromada("label-studio", "push", "q", "--person", str(taras.id), "--second")
    assert "None of their answers waits for a second look" in said
    person = f"{taras.id} ({both[1]['annotator']})"
    assert f"Nothing waits for {person} in Label Studio." in said
    assert "http" not in said
    hromada("pause", "q")
    said = hromada("label-studio", "push", "q", "--person", str(taras.id))
    assert "They get none now: the project is not running: hromada start, or hromada reopen." in said


def test_all_missing_accounts_are_named_before_anything_is_linked(
    hromada: Command, accounts: Mapping[str, Account]
) -> None:
    """Capital letters in an e-mail do not matter; nobody becomes an annotator where somebody else is not there yet."""
    olha = accounts["olha"]
    people = [part for name in (olha.email, "a@example.org", "b@example.org") for part in ("--person", name)]
    told = hromada("label-studio", "push", "p", *people, code=2)
    assert "Label Studio has no account 'a@example.org', 'b@example.org'." in told
    assert "hromada label-studio up" in told
    assert {"account": olha.id, "name": olha.email, "annotator": None} in hromada.json("doctor")["accounts"]
    assert hromada.json("push", "p", "--person", olha.email.upper(), "--number", "1")["handed"] == 1


def test_what_stands_between_somebody_and_their_items_is_told_with_the_command_that_helps(
    hromada: Command, accounts: Mapping[str, Account]
) -> None:
    """A consent that is signed on paper, in a project of a programme; a programme itself is pushed by its projects."""
    text = (hromada.folder / "p.yaml").read_text("utf-8").replace("project: p\n", "project: c\n")
    (hromada.folder / "c.yaml").write_text(text, "utf-8")
    (hromada.folder / "consent.md").write_text("Я згоден.", "utf-8")
    (hromada.folder / "all.yaml").write_text(
        "programme: all\ntitle: t\nlanguage: uk\nconsent: {file: consent.md, version: 1}\n"
        "projects: [{file: c.yaml, quota: 2}]\n",
        "utf-8",
    )
    hromada("load", "all.yaml")
    hromada("start", "all")
    email = accounts["olha"].email
    assert "'all' is a programme; here goes one of its projects. They are: c." in hromada(
        "label-studio", "push", "all", "--person", email, code=2
    )
    told = hromada("label-studio", "push", "c", "--person", email)
    code = told.partition(f"{email} (")[2].partition(")")[0]
    assert f"hromada people agree {email} --project c --how 'signed, folder 3'" in " ".join(told.split())
    nothing = hromada.json("push", "c", "--person", email)
    assert (nothing["remote_id"], nothing["waiting"]) == (None, "consent"), "no empty project is made"
    hromada("people", "agree", code, "--project", "c", "--how", "signed, folder 3")
    told = hromada("label-studio", "push", "c", "--person", email)
    assert "they have had as many items as `quota` in the programme file allows." in " ".join(told.split())
    assert f"2 items wait for {email} ({code})" in told


def test_the_way_of_an_item_is_told(hromada: Command, accounts: Mapping[str, Account]) -> None:
    """Who got it, where it was sent, what they answered and changed."""
    pushed = hromada.json("push", "p", "--person", accounts["olha"].email, "--item", "i2")
    with hromada.studio.api(accounts["olha"].token) as api:
        task = api.get("/api/tasks", params={"project": pushed["remote_id"]}).json()["tasks"][0]["id"]
        body = {"result": [SAID], "lead_time": 7.0}
        api.post(f"/api/tasks/{task}/annotations/", json=body).raise_for_status()
    hromada("label-studio", "pull")
    way = json.loads(hromada("status", "p", "--item", "i2", "--json"))
    assert [(event["who"], event["what"], event["answer"]) for event in way["events"]] == [
        (pushed["annotator"], "assigned for Label Studio", ""),
        (pushed["annotator"], f"sent to Label Studio, task {task}", ""),
        (pushed["annotator"], "answered in 7 s", YES),
    ]
    assert (way["status"], way["done"], way["needed"]) == ("open", 1, 1)
    told = hromada("status", "p", "--item", "i2")
    assert f"sent to Label Studio, task {task}" in told
    assert told.startswith("i2: done, 1 of 1 answers")
    hromada("label-studio", "push", "p", "--person", pushed["annotator"], "--second")
    assert "assigned for Label Studio, second pass, until" in hromada("status", "p", "--item", "i2")
    assert "Nobody has had it yet." in hromada("status", "p", "--item", "i0")
    assert "p has no item 'i9'." in hromada("status", "p", "--item", "i9", code=2)
    assert "--item shows one item of one project." in hromada("status", "--item", "i9", code=2)


def test_a_server_that_cannot_start_says_why(hromada: Command) -> None:
    """A program that is not there, an address that is none, a folder of another server, a port that is taken."""
    assert "There is no Label Studio at none." in hromada("label-studio", "up", "--program", "none", code=2)
    assert "This is not an address to listen on." in hromada("label-studio", "up", "--listen", "here", code=2)
    assert "This is not an e-mail address." in hromada(
        "label-studio", "up", "--email", "me", "--program", "i.jsonl", code=2
    )
    at_work = hromada.studio.url.removeprefix("http://")
    told = hromada("label-studio", "up", "--listen", at_work, "--program", "i.jsonl", code=2)
    assert f"A Label Studio is at work at {at_work} already." in told
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = hromada("label-studio", "up", "--listen", f"127.0.0.1:{port}", "--program", "i.jsonl", code=2)
        assert f"Nothing can listen at 127.0.0.1:{port}: Address already in use." in told
    assert not (hromada.folder / "label-studio-data").exists()
    free = ("--listen", f"127.0.0.1:{port}")
    other = hromada.folder / "other"
    other.mkdir()
    (other / "label_studio.sqlite3").touch()
    told = hromada("label-studio", "up", *free, "--program", "i.jsonl", "--data", "other", code=2)
    assert "The folder holds a server that was made otherwise" in told
    program = hromada.folder / "program"
    program.write_text("#!/bin/sh\necho the port is taken\nexit 1\n")
    program.chmod(0o755)
    told = hromada("label-studio", "up", *free, "--program", "./program", code=2)
    assert "Label Studio ended while it was starting (exit code 1)." in told
    assert "Start again" in told
    assert "the port is taken" in told
    assert (hromada.folder / "label-studio-data/account.json").stat().st_mode & 0o077 == 0


DYING = """\
#!{python}
import http.server, sys, threading
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{{"token": "t"}}')
        if self.path != "/health":
            threading.Timer(0.3, server.shutdown).start()
server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[-1])), Answer)
server.serve_forever()
print("out of memory", file=sys.stderr)
sys.exit(3)
"""


@pytest.mark.slow
@pytest.mark.process
def test_up_ends_with_a_sentence_when_its_server_dies(command: Callable[[Path], Command], tmp_path: Path) -> None:
    """It names the exit code and the last line of the log, and how to start again."""
    program = tmp_path / "program"
    program.write_text(DYING.format(python=sys.executable))
    program.chmod(0o755)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    run = command(tmp_path)
    told = run("label-studio", "up", "--listen", f"127.0.0.1:{port}", "--program", "./program", code=2)
    assert "Label Studio has ended by itself (exit code 3)." in told
    assert "Start again" in told
    assert "out of memory" in told


AGAIN = f"""\
project: again
title: again
language: uk
question: {{type: choice, text: 'Так?', options: [{YES}, {NO}]}}
items: from votes
votes: {{format: label-studio, file: export.json, item: item, show: shown, answer: answer}}
"""


def test_what_label_studio_exports_is_imported_by_the_command(
    hromada: Command, accounts: Mapping[str, Account]
) -> None:
    """The published answers of both projects are the same: labels, seconds, skips."""
    olha = accounts["olha"]
    code = hromada("label-studio", "link", olha.email).split(" is ")[1].removesuffix("'s.\n")
    remote = hromada.json("push", "p", "--person", code)["remote_id"]
    said = [{"result": [SAID], "lead_time": 1.5}, {"result": [SAID], "lead_time": 2.25}]
    skipped = {"result": [], "was_cancelled": True, "lead_time": 3.0}
    with hromada.studio.api(olha.token) as api:
        tasks = api.get("/api/tasks", params={"project": remote}).json()["tasks"]
        for task, body in zip(tasks, [*said, skipped], strict=True):
            api.post(f"/api/tasks/{task['id']}/annotations/", json=body).raise_for_status()
        exported = api.get(f"/api/projects/{remote}/export", params={"exportType": "JSON"})
    (hromada.folder / "export.json").write_bytes(exported.content)
    (hromada.folder / "again.yaml").write_text(AGAIN, "utf-8")
    hromada("label-studio", "pull")
    hromada("load", "again.yaml")
    hromada("import", "again.yaml")
    hromada("export", "--to", "out")
    found: dict[str, list[tuple[str, ...]]] = {"p": [], "again": []}
    with (hromada.folder / "out/human_responses.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            columns = ("item_id", "response", "seconds", "excluded_reason")
            found[row["dataset"]].append(tuple(row[column] for column in columns))
    assert found["again"] == found["p"]
    assert sorted(row[1:3] for row in found["p"]) == [("", "3"), (YES, "1.5"), (YES, "2.25")]


@pytest.mark.process
def test_the_watch_ends_well_when_it_is_told_to(hromada: Command, accounts: Mapping[str, Account]) -> None:
    """It tells of an answer, and a signal ends it without a word."""
    taras = accounts["taras"]
    code = hromada("label-studio", "link", taras.email).split(" is ")[1].removesuffix("'s.\n")
    remote = hromada.json("push", "p", "--person", code, "--number", "1")["remote_id"]
    with hromada.studio.api(taras.token) as api:
        task = api.get("/api/tasks", params={"project": remote}).json()["tasks"][0]["id"]
        api.post(f"/api/tasks/{task}/annotations/", json={"result": [SAID]}).raise_for_status()
    with subprocess.Popen(
        [hromada.hromada.command, "label-studio", "watch", "--every", "1", "--listen", "127.0.0.1:0"],
        cwd=hromada.folder, env=hromada.hromada.get_environment({"PYTHONUNBUFFERED": "1"}), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as watch:  # fmt: skip
        assert watch.stdout is not None
        first, told = watch.stdout.readline(), watch.stdout.readline()
        watch.send_signal(signal.SIGTERM)
        out, err = watch.communicate(timeout=60)
    called = (
        "Pulling every 1 second, and when Label Studio calls 127.0.0.1:0; what changed is printed. Ctrl-C ends it.\n"
    )
    assert first == called
    assert told == f"p, {taras.email} ({code}): 1 answered.\n"
    assert (watch.returncode, out, err) == (0, "", "")


def test_a_deleted_project_is_a_problem_of_its_batch(hromada: Command, accounts: Mapping[str, Account]) -> None:
    """Pull and doctor end with 1 and say what to do; push says the same."""
    code = hromada("label-studio", "link", accounts["ivan"].email).split(" is ")[1].removesuffix("'s.\n")
    remote = hromada.json("push", "p", "--person", code)["remote_id"]
    with hromada.studio.api() as api:
        assert api.delete(f"/api/projects/{remote}/").status_code == 204
    assert "push --anew" in hromada.json("pull", code=1)[0]["problem"]
    assert hromada.json("doctor", code=1)["desks"][0]["is"] == "deleted there: push with --anew"
    assert "push --anew" in hromada("label-studio", "push", "p", "--person", code, code=2)
    assert hromada.json("push", "p", "--person", code, "--anew")["sent"] == 3


@pytest.mark.parametrize(
    ("arguments", "env", "says"),
    [
        (
            ("pull",),
            {"HROMADA_LABEL_STUDIO_TOKEN": ""},
            "There is no token for Label Studio. Work where `hromada label-studio up` wrote .env",
        ),
        (("doctor",), {"HROMADA_LABEL_STUDIO_URL": "http://127.0.0.1:1"}, "Label Studio does not answer."),
        (("doctor",), {"HROMADA_LABEL_STUDIO_TOKEN": "f" * 40}, "Label Studio does not know this token."),
        (("link", "nobody@example.org"), {}, "Label Studio has no account 'nobody@example.org'."),
        (("push", "p", "--person", "nobody"), {}, "Nobody has the pseudonym 'nobody'."),
        (("move-items", "p"), {}, "Which items?"),
        (("watch", "--listen", "here"), {}, "'here' has no port."),
    ],
)
def test_what_is_wrong_is_a_sentence(
    hromada: Command, arguments: tuple[str, ...], env: dict[str, str], says: str
) -> None:
    """On the error stream, with the code 2."""
    told = hromada("label-studio", *arguments, code=2, **env)
    assert says in told
    assert told.startswith("hromada: ")
    assert "Traceback" not in told


def test_items_too_long_for_a_phone_are_moved(hromada: Command, accounts: Mapping[str, Account]) -> None:
    """Of a short and a really long one the long one; all of it is in Label Studio, and its answer is stored."""
    long = "Кіт 🐈 спав.\n\n" * 4000 + "Кінець."
    rows = [{"id": "short", "text": "Речення."}, {"id": "long", "text": long}]
    (hromada.folder / "i.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    text = (hromada.folder / "p.yaml").read_text("utf-8").replace("project: p\n", "project: long\n")
    (hromada.folder / "long.yaml").write_text(text, "utf-8")
    hromada("load", "long.yaml")
    hromada("start", "long")
    assert hromada.json("move-items", "p", "--too-long") == {"project": "p", "chosen": 0, "handed_over": 0}
    assert hromada.json("move-items", "long", "--too-long") == {"project": "long", "chosen": 1, "handed_over": 1}
    ivan = accounts["ivan"]
    code = hromada("label-studio", "link", ivan.email).split(" is ")[1].removesuffix("'s.\n")
    pushed = hromada.json("push", "long", "--person", code, "--handed-over")
    assert (pushed["in_hand"], pushed["waiting"]) == (1, "nothing left")
    with hromada.studio.api(ivan.token) as api:
        (task,) = api.get("/api/tasks", params={"project": pushed["remote_id"], "fields": "all"}).json()["tasks"]
        assert task["data"]["item"] == "long"
        assert task["data"]["shown"].count("🐈") == 4000
        assert "Кінець." in task["data"]["shown"]
        api.post(f"/api/tasks/{task['id']}/annotations/", json={"result": [SAID]}).raise_for_status()
    assert hromada.json("pull", "long")[0]["answered"] == 1
    status = json.loads(hromada("status", "long", "--json"))
    assert (status["answers"], status["in hand"]) == (1, 0)
