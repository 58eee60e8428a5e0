"""Queues in Label Studio follow the assignments: what is taken back leaves, what is deleted there comes again."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.label_studio import local_server
from annotation.label_studio.sync import batches, queues
from annotation.store import queries
from annotation.store.models import Annotator, Assignment, Item, LabelStudioTask, Project
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.annotators import consents, roster
from tests.annotation.label_studio.sync.conftest import clock, said
from tests.annotation.label_studio.sync.test_decisions import run_killed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    import httpx
    from _label_studio import Account
    from sqlmodel import Session

    from annotation.label_studio.client import Client
    from tests.annotation.label_studio.sync.conftest import Command, Workspace

YES, NO = "так", "ні"
PROJECT = f"""\
project: p
title: p
language: uk
instructions: Читайте.
overlap: 1
question: {{type: choice, text: 'Так?', options: [{YES}, {NO}]}}
items: {{file: i.jsonl, id: id, group: id, show: [text]}}
"""


@pytest.fixture
def backend() -> str:
    """One database is enough here."""
    return "sqlite"


def release(workspace: Workspace, name: str, *items: str) -> None:
    """Take items back from somebody; all without names."""
    with workspace.db.transaction() as session:
        project, annotator = find_owner(session, workspace, name)
        roster.release_items(session, annotator=annotator, project=project, items=items, now=clock())


def find_owner(session: Session, workspace: Workspace, name: str) -> tuple[Project, Annotator]:
    """The project, and the annotator of that name."""
    return queries.get_project(session, "p"), roster.get_annotator(session, workspace.people[name])


def let_expire(workspace: Workspace, item: str) -> None:
    """Let the lease of an item be over."""
    with workspace.db.transaction() as session:
        chosen = select(Assignment).join(Item).where(Item.external_id == item)
        row = session.exec(chosen.where(Assignment.status == AssignmentStatus.LIVE)).one()
        row.lease_until = clock() - timedelta(minutes=1)
        session.add(row)


def list_queue(workspace: Workspace, number: int = 0) -> list[str]:
    """The items of a queue, as the server has them: tasks that are answered or offered."""
    with workspace.studio.api() as api:
        return sorted(list_offered(api, workspace.batch(number).remote_id))


def list_offered(api: httpx.Client, remote: int | None) -> dict[str, int]:
    """The tasks of a project by item, without closed ones; an item is there once."""
    found = api.get("/api/tasks", params={"project": remote, "fields": "all", "page_size": 100}).json()["tasks"]
    assert len({task["data"]["item"] for task in found}) == len(found), "an item is there twice"
    return {task["data"]["item"]: task["id"] for task in found if task["annotations"] or not task["is_labeled"]}


def delete_task(workspace: Workspace, item: str) -> None:
    """Delete the newest task of an item, as anybody can there."""
    task = max(task for task, name in workspace.items().items() if name == item)
    with workspace.studio.api() as api:
        assert api.delete(f"/api/tasks/{task}/").status_code == 204


def test_what_is_assigned_no_more_leaves_the_queue(workspace: Workspace) -> None:
    """Released and expired items leave; an answer given at the same moment counts, a draft is told of first."""
    workspace.campaign(items=6, overlap=1)
    workspace.person("olha")
    workspace.push("olha", 6)
    tasks = {item: task for task, item in workspace.items().items()}
    workspace.draft("olha", tasks["p-3"])
    let_expire(workspace, "p-4")
    release(workspace, "olha", "p-1", "p-2", "p-3")
    workspace.say("olha", tasks["p-2"])
    queue = workspace.pull().queue
    assert (sorted(queue.removed), queue.begun, queue.missing) == (["p-1", "p-4"], ("p-3",), ())
    assert list_queue(workspace) == ["p-2", "p-3", "p-5", "p-6"]
    assert workspace.push("olha", 6).in_hand == 3  # p-4 comes back, as its lease just expired; p-1 and p-3 were named
    assert workspace.pull().queue.begun == ("p-3",)
    assert workspace.pull(drop_drafts=True).queue.removed == ("p-3",)
    assert list_queue(workspace) == ["p-2", "p-4", "p-5", "p-6"]
    assert [answer[1:] for answer in workspace.answers()] == [("p-2", 0, YES, None, None)]
    assert workspace.push("olha", 0, items=("p-1",)).in_hand == 4
    workspace.well()


@pytest.mark.slow
def test_a_push_for_one_annotator_clears_the_queues_of_all(workspace: Workspace) -> None:
    """The items of somebody who withdrew, or from whom all were taken back, go to another: nobody works in vain."""
    workspace.campaign(items=4, overlap=1)
    for name in ("olha", "taras"):
        workspace.person(name)
    workspace.push("olha", 2)
    release(workspace, "olha")
    pushed = workspace.push("taras", 4)
    assert (pushed.in_hand, len(pushed.queues[workspace.people["olha"]].removed)) == (4, 2)
    assert (list_queue(workspace), len(list_queue(workspace, 1))) == ([], 4)
    with workspace.db.transaction() as session:
        project, annotator = find_owner(session, workspace, "taras")
        consents.withdraw_from_project(session, annotator_id=annotator.id or 0, project=project, now=clock())
    assert workspace.push("olha", 4).in_hand == 4
    assert (len(list_queue(workspace)), list_queue(workspace, 1)) == (4, [])
    for task in workspace.tasks():
        workspace.say("olha", task)
    workspace.pull()
    assert [answer[5] for answer in workspace.answers()] == [None] * 4
    workspace.well()


def test_a_task_that_was_deleted_there_is_sent_again(workspace: Workspace) -> None:
    """While it waits it is told of at each pull; a deleted one whose answer is here is no finding."""
    workspace.campaign(items=4, overlap=1)
    workspace.person("olha")
    workspace.push("olha", 3)
    first, second, third = sorted(workspace.items().values())
    tasks = {item: task for task, item in workspace.items().items()}
    workspace.say("olha", tasks[first])
    workspace.pull()
    delete_task(workspace, first)
    delete_task(workspace, second)
    assert [workspace.pull().queue.missing for _ in range(2)] == [(second,), (second,)]
    ((*_, state),) = local_server.examine_server(workspace.db, workspace.client).batches
    assert state == "1 of its items were deleted there, or never sent: push again"
    pushed = workspace.push("olha", 2)
    assert (pushed.sent, pushed.in_hand, pushed.sent_again) == (1, 2, (second,))
    delete_task(workspace, third)
    assert workspace.push("olha", 2).sent_again == (third,)
    assert list_queue(workspace) == sorted([second, third])
    for task in workspace.tasks():
        workspace.say("olha", task)
    found = workspace.pull()
    assert (found.answered, found.queue.missing) == (2, ())
    assert [answer[1:] for answer in workspace.answers()] == [
        (item, 0, YES, None, None) for item in (first, second, third)
    ]
    workspace.well()


@pytest.mark.slow
def test_an_item_that_came_back_while_its_task_was_closed_is_offered_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another push gives it to the same annotator in that moment."""
    workspace.campaign(items=1, overlap=1)
    workspace.person("olha")
    workspace.push("olha", 1)
    release(workspace, "olha")
    close = workspace.client.close_task

    def push_then_close(task: int) -> datetime:
        monkeypatch.undo()
        assert workspace.push("olha", 1).in_hand == 1
        return close(task)

    monkeypatch.setattr(workspace.client, "close_task", push_then_close)
    workspace.pull()
    assert list_queue(workspace) == ["p-1"]
    workspace.well()


@pytest.mark.slow
def test_what_somebody_has_on_the_screen_can_still_be_submitted(workspace: Workspace) -> None:
    """A closed task is offered to nobody and takes an answer; after some days it is deleted."""
    workspace.campaign(items=2, overlap=1)
    workspace.person("olha")
    workspace.push("olha", 2)
    tasks = {item: task for task, item in workspace.items().items()}
    release(workspace, "olha", "p-1", "p-2")
    assert sorted(workspace.pull().queue.removed) == ["p-1", "p-2"]
    with workspace.studio.api(workspace.accounts["olha"].token) as api:
        assert api.get(f"/api/projects/{workspace.batch().remote_id}/next").status_code == 404
    workspace.say("olha", tasks["p-1"])
    with workspace.db.transaction() as session:
        (row,) = session.exec(select(LabelStudioTask).where(LabelStudioTask.remote_id == tasks["p-2"])).all()
        assert row.seen_at is not None
        row.seen_at -= queues.CLOSED_BEFORE_DELETED
        session.add(row)
    found = workspace.pull()
    assert (found.answered, found.queue.removed) == (1, ())
    assert workspace.tasks() == [tasks["p-1"]]
    assert [answer[5] for answer in workspace.answers()] == [None]
    workspace.well()


@pytest.mark.slow
@pytest.mark.process
def test_killed_at_any_step_nothing_is_lost_or_doubled(
    tmp_path: Path, command: Callable[[Path], Command], accounts: Mapping[str, Account]
) -> None:
    """Between writes, commits and requests, while tasks are removed and others are sent again."""
    rows = [{"id": f"i{n}", "text": f"Речення {n}."} for n in range(8)]
    (tmp_path / "i.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "p.yaml").write_text(PROJECT, "utf-8")
    hromada, email = command(tmp_path), accounts["olha"].email
    hromada("load", "p.yaml")
    hromada("start", "p")
    remote = hromada.json("push", "p", "--person", email, "--number", "8")["remote_id"]

    def list_tasks() -> dict[str, int]:
        with hromada.studio.api() as api:
            return list_offered(api, remote)

    def delete(item: str) -> None:
        with hromada.studio.api() as api:
            assert api.delete(f"/api/tasks/{list_tasks()[item]}/").status_code == 204

    tasks = list_tasks()
    hromada("people", "release", email, "--project", "p", "--item", "i0", "--item", "i1", "--item", "i2")
    with hromada.studio.api(accounts["olha"].token) as api:
        assert api.post(f"/api/tasks/{tasks['i2']}/annotations/", json={"result": said(YES)}).status_code == 201
    delete("i5")
    assert run_killed(hromada, "label-studio", "pull") > 5
    assert sorted(list_tasks()) == ["i2", "i3", "i4", "i6", "i7"]
    hromada("people", "release", email, "--project", "p", "--item", "i3")
    delete("i6")
    push = ("label-studio", "push", "p", "--person", email, "--number", "4")
    assert run_killed(hromada, *push) > 5
    assert sorted(list_tasks()) == ["i2", "i4", "i5", "i6", "i7"]
    status = json.loads(hromada("status", "p", "--json"))
    assert (status["answers"], status["in hand"]) == (1, 4)
    (pulled,) = hromada.json("pull")
    assert (pulled["answered"], pulled["removed"], pulled["missing_items"]) == (0, [], [])


@pytest.mark.slow
def test_people_are_named_by_e_mail_and_items_are_released_one_by_one(
    tmp_path: Path, command: Callable[[Path], Command], accounts: Mapping[str, Account]
) -> None:
    """The words: the success first, one item is one item, and nothing of the future in an item's history."""
    rows = [{"id": f"i{n}", "text": f"Речення {n}."} for n in range(2)]
    (tmp_path / "i.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "p.yaml").write_text(PROJECT, "utf-8")
    hromada, email = command(tmp_path), accounts["olha"].email
    hromada("load", "p.yaml")
    hromada("start", "p")
    refused = hromada("people", "release", accounts["taras"].email, "--project", "p", code=2)
    assert "taras@example.org belongs to no annotator. Link it: hromada label-studio link taras" in refused
    told = hromada("label-studio", "push", "p", "--person", email).splitlines()
    assert told[0].startswith(f"2 items wait for {email} (")
    assert told[2] == "They get no more now: all other items are taken, or they have had them."
    code = told[0].split("(")[1].split(")")[0]
    assert hromada("people", "release", email, "--project", "p", "--item", "i1").splitlines() == [
        f"1 item taken back from {email}: 0 in Telegram, 1 in Label Studio.",
        "The queue in Label Studio follows at the next push, pull or watch.",
    ]
    again = hromada("people", "release", email, "--project", "p", "--item", "i1", code=2)
    assert f"'i1' is not assigned to {email} in p: nobody has it now. See `hromada status p --item i1`." in again
    assert code not in again
    assert "p has no item 'i9'." in hromada("people", "release", email, "--project", "p", "--item", "i9", code=2)
    events = json.loads(hromada("status", "p", "--item", "i1", "--json"))["events"]
    assert [event["at"] for event in events if event["at"] is None or event["at"] > clock().isoformat()] == []
    assert events[-1]["what"] == "taken back by an organiser: its place is free"
    assert "Times are those of Europe/Kyiv;" in hromada("status", "p", "--item", "i1")
    assert f"p, {email} ({code}): left the queue, no longer assigned: i1." in hromada("label-studio", "pull")
    assert hromada("people", "data", email) == hromada("people", "data", code)


@pytest.mark.slow
def test_who_is_in_a_training_is_told_to_get_the_rest_after_it(
    tmp_path: Path, command: Callable[[Path], Command], accounts: Mapping[str, Account]
) -> None:
    """A push sends the training alone, and says when to push again; only a project with one says so."""
    rows = [{"id": f"i{n}", "text": f"Речення {n}.", "pool": "main" if n else "training"} for n in range(3)]
    (tmp_path / "i.jsonl").write_text(
        "".join(json.dumps(row | {"gold": YES, "why": "Тому."}) + "\n" for row in rows), "utf-8"
    )
    source = "show: [text], where: {pool: main}, gold: gold, explanation: why}"
    stages = "stages: {training: {pool: {where: {pool: training}}, explain: yes}}\n"
    (tmp_path / "p.yaml").write_text(PROJECT.replace("show: [text]}", source) + stages, "utf-8")
    hromada, email = command(tmp_path), accounts["olha"].email
    hromada("load", "p.yaml")
    hromada("start", "p")
    told = hromada("label-studio", "push", "p", "--person", email).splitlines()
    assert told[0].startswith(f"1 item waits for {email} (")
    assert told[2] == (
        "They get no more now: all other items are taken, or they have had them; when they have done these, pull and "
        "push again."
    )


def test_more_than_a_page_of_tasks_is_listed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids of all tasks of a project, whatever the number."""
    from annotation.label_studio import client as clients

    workspace.campaign(items=5)
    workspace.person("olha")
    workspace.push("olha", 5)
    monkeypatch.setattr(clients, "TASKS_PER_PAGE", 2)
    client: Client = workspace.client
    assert list(client.list_task_ids(workspace.batch().remote_id or 0)) == workspace.tasks()
    with workspace.db.reading() as session:
        assert batches.count_tasks(session, workspace.batch()) == 5
