"""Push and pull against a real server: nothing lost, nothing doubled, whatever people do there."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from annotation.errors import Conflict
from annotation.label_studio import sync
from annotation.label_studio.sync import annotation_import
from annotation.store import queries
from annotation.vocabulary import DELETED_IN_LABEL_STUDIO, UnassignedReason
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import roster
from annotation.workflow.lifecycle import transitions

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Workspace

YES, NO = "так", "ні"
SKIP = "skipped in Label Studio"
BOTH_DATABASES = pytest.mark.parametrize("backend", ["sqlite", "postgresql"])


def _now() -> datetime:
    return datetime.now(UTC)


def test_the_same_push_twice_fills_the_batch_once(workspace: Workspace) -> None:
    """A number of items waits there; the second push finds them waiting. More is asked for, the rest is sent."""
    workspace.campaign()
    workspace.person("olha")
    first, second, third = workspace.push("olha", 5), workspace.push("olha", 5), workspace.push("olha", 20)
    assert [(one.in_hand, one.assigned, one.sent) for one in (first, second, third)] == [
        (5, 5, 5),
        (5, 0, 0),
        (10, 5, 5),
    ]
    assert third.nothing_assigned is not None
    assert third.nothing_assigned.reason is UnassignedReason.NOTHING_LEFT
    assert first.remote_id == third.remote_id
    assert len(workspace.tasks()) == 10
    workspace.well()


def test_no_identity_and_no_gold_is_sent(workspace: Workspace) -> None:
    """A task holds our number, the item and what is shown; the project a pseudonym."""
    workspace.campaign(items=1)
    code = workspace.person("olha")
    remote = workspace.push("olha").remote_id
    (task,) = next(iter(workspace.client.list_task_pages(remote)))
    assert set(task.data) == {"hromada", "item", "shown"}
    assert YES not in json.dumps(task.data, ensure_ascii=False)
    assert code in workspace.client.get_project(remote).title


@BOTH_DATABASES
def test_what_people_do_there_becomes_answers(workspace: Workspace) -> None:
    """Answered, skipped, begun and not handed in, changed, deleted, answered once more."""
    workspace.campaign(items=4)
    workspace.person("olha")
    workspace.push("olha")
    one, two, three, four = workspace.tasks()
    first, second = workspace.say("olha", one), workspace.say("olha", two)
    workspace.skip("olha", three)
    workspace.draft("olha", four)
    found = workspace.pull()
    assert (found.answered, found.skipped, found.changed, found.deleted) == (2, 1, 0, 0)
    assert workspace.pull().changes == 0
    workspace.change(first, NO)
    workspace.delete(second)
    found = workspace.pull()
    assert (found.answered, found.skipped, found.changed, found.deleted) == (0, 0, 1, 1)
    workspace.say("olha", two, NO)
    assert workspace.pull().changed == 1
    items = workspace.items()
    assert workspace.answers() == sorted(
        [
            ("olha", items[one], 0, YES, None, None),
            ("olha", items[one], 1, NO, None, None),
            ("olha", items[two], 0, YES, None, DELETED_IN_LABEL_STUDIO.reason),
            ("olha", items[two], 1, NO, None, None),
            ("olha", items[three], 0, "", SKIP, "skipped"),
        ]
    )
    workspace.well()


def test_an_unknown_account_is_told_of_and_kept_until_it_is_linked(workspace: Workspace) -> None:
    """Its answers wait aside; once it is linked, they are the annotator's."""
    workspace.campaign(items=2)
    workspace.person("olha", linked=False)
    assert not workspace.push("olha").linked
    workspace.say("olha", workspace.tasks()[0])
    account = workspace.accounts["olha"].id
    for _ in range(2):
        found = workspace.pull()
        assert found.changes == 0
        assert found.set_aside == ((f"nobody is linked to this account (account {account})", 1),)
    workspace.link("olha")
    found = workspace.pull()
    assert (found.answered, found.set_aside) == (1, ())
    assert [row[:2] for row in workspace.answers()] == [("olha", workspace.items()[workspace.tasks()[0]])]
    workspace.well()


def test_an_account_belongs_to_one_person(workspace: Workspace) -> None:
    """Answers that were taken over stay whose they are."""
    workspace.person("olha")
    workspace.person("taras", linked=False)
    with workspace.db.transaction() as session:
        person = roster.get_annotator(session, workspace.people["taras"])
        with pytest.raises(Conflict, match="another annotator already"):
            sync.link_account(
                session, server=workspace.client.server_id, user_id=workspace.accounts["olha"].id, annotator=person
            )


def test_an_annotator_who_answers_in_anothers_batch_answers_for_themselves(workspace: Workspace) -> None:
    """The owner keeps their place; the other's answer takes the second one, and its deletion gives it back."""
    workspace.campaign(items=1)
    workspace.person("olha")
    workspace.person("taras")
    workspace.push("olha")
    (task,) = workspace.tasks()
    guest = workspace.say("taras", task, NO)
    workspace.say("olha", task)
    assert workspace.pull().answered == 2
    assert workspace.answers() == [("olha", "p-1", 0, YES, None, None), ("taras", "p-1", 0, NO, None, None)]
    workspace.delete(guest)
    assert workspace.pull().deleted == 1
    assert workspace.answers()[1] == ("taras", "p-1", 0, NO, None, DELETED_IN_LABEL_STUDIO.reason)
    workspace.well()


def test_an_answer_that_cannot_be_read_is_kept_aside_with_the_reason(workspace: Workspace) -> None:
    """The server takes anything; the sentence names what is wrong, and a corrected answer is taken."""
    workspace.campaign(items=1)
    workspace.person("olha")
    workspace.push("olha")
    (task,) = workspace.tasks()
    wrong = workspace.say("olha", task, "мабуть")
    found = workspace.pull()
    assert (found.answered, len(found.set_aside)) == (0, 1)
    assert "мабуть" in found.set_aside[0][0]
    workspace.change(wrong, NO)
    found = workspace.pull()
    assert (found.answered, found.set_aside) == (1, ())
    workspace.well()


def test_a_late_answer_beyond_the_overlap_is_extra(workspace: Workspace) -> None:
    """The project was closed meanwhile: kept, and does not count."""
    workspace.campaign(items=1)
    workspace.person("olha")
    workspace.push("olha")
    workspace.say("olha", workspace.tasks()[0])
    with workspace.db.transaction() as session:
        transitions.close_project(session, project=queries.get_project(session, "p"), now=_now())
    assert workspace.pull().answered == 1
    assert workspace.answers() == [("olha", "p-1", 0, YES, None, "extra: the item had its answers")]
    workspace.well()


@BOTH_DATABASES
def test_two_pullers_at_once_take_each_answer_once(workspace: Workspace) -> None:
    """Four threads read the same batch while people answer and change their minds."""
    workspace.campaign(items=12)
    workspace.person("olha")
    workspace.push("olha", 12)
    tasks = workspace.tasks()
    made = [workspace.say("olha", task) for task in tasks]
    failures: list[Exception] = []

    def read() -> None:
        try:
            for _ in range(3):
                workspace.pull()
        except Exception as failure:  # noqa: BLE001  # whatever it is, the test has to see it
            failures.append(failure)

    pullers = [threading.Thread(target=read) for _ in range(4)]
    for one in pullers:
        one.start()
    for annotation in made[:4]:
        workspace.change(annotation, NO)
    for one in pullers:
        one.join()
    assert failures == []
    workspace.pull()
    found = workspace.answers()
    items = workspace.items()
    final = {row[1]: row[3] for row in found}
    assert final == {items[task]: NO if number < 4 else YES for number, task in enumerate(tasks)}
    assert len(found) <= 16
    workspace.well()


@BOTH_DATABASES
def test_two_pushers_at_once_one_waits(workspace: Workspace) -> None:
    """The second is told so, and nothing is there twice."""
    workspace.campaign(items=40)
    workspace.person("olha")
    told: list[object] = []

    def fill() -> None:
        try:
            told.append(workspace.push("olha", 40).sent)
        except Conflict as failure:
            told.append(str(failure))

    pushers = [threading.Thread(target=fill) for _ in range(3)]
    for one in pushers:
        one.start()
    for one in pushers:
        one.join()
    assert 40 in told
    assert all(one in {0, 40} or "Another push" in str(one) for one in told)
    assert workspace.push("olha", 40).in_hand == 40
    assert len(workspace.tasks()) == 40
    workspace.well()


def test_the_second_pass_comes_after_the_blind_answer(workspace: Workspace) -> None:
    """A project of its own, with the gold; its answers are kept and never count."""
    workspace.campaign(items=2)
    workspace.person("olha")
    workspace.push("olha")
    assert workspace.push("olha", second=True).in_hand == 0
    assert len(sync.pull_batches(workspace.db, workspace.client, clock=_now)) == 1, "an empty pass is no batch"
    workspace.say("olha", workspace.tasks()[0], NO)
    workspace.pull()
    second = workspace.push("olha", second=True)
    assert (second.in_hand, second.sent) == (1, 1)
    (task,) = workspace.tasks(1)
    shown = next(iter(workspace.client.list_task_pages(second.remote_id)))[0].data
    assert YES in json.dumps(shown, ensure_ascii=False)
    workspace.say("olha", task, YES)
    sync.pull_batches(workspace.db, workspace.client, clock=_now)
    item = workspace.items()[task]
    assert sorted(workspace.answers(), key=str) == sorted(
        [("olha", item, 0, NO, None, None), ("olha", item, 0, YES, None, "second pass: the gold was shown")], key=str
    )
    workspace.well()


def test_reported_items_go_to_a_batch_and_come_back_as_its_persons_answers(workspace: Workspace) -> None:
    """Out of Telegram, into Label Studio, and back."""
    workspace.campaign(items=3)
    workspace.person("olha", linked=False)
    workspace.person("taras")
    with workspace.db.transaction() as session:
        transaction = assignments.lock_annotator(session, 1)
        offer = assignments.assign_next_item(transaction, now=_now())
        assert isinstance(offer, assignments.AssignedItem)
        opened = assignments.open_assignment(transaction, assignment_id=offer.assignment_id, now=_now())
        assignments.report_item(opened, reason="помилка", now=_now())
        assignments.skip_item(opened, reason="помилка", now=_now())
        project = queries.get_project(session, "p")
        ids = assignments.list_reported_items(session, project_id=project.id or 0)
        assert assignments.move_items(session, project=project, item_ids=ids, now=_now()) == 1
    assert workspace.push("taras", 5, handed_over=True).in_hand == 1
    (task,) = workspace.tasks()
    workspace.say("taras", task, NO)
    assert workspace.pull().answered == 1
    assert ("taras", offer.item, 0, NO, None, None) in workspace.answers()
    workspace.well()


def test_what_was_read_before_something_newer_is_left_alone(workspace: Workspace) -> None:
    """A puller that was held up comes with an old page, whose task bears the same time: it changes nothing."""
    workspace.campaign(items=1)
    workspace.person("olha")
    remote = workspace.push("olha").remote_id
    first = workspace.say("olha", workspace.tasks()[0])
    ((old,),) = workspace.client.list_task_pages(remote)
    workspace.change(first, NO)
    ((new,),) = workspace.client.list_task_pages(remote)
    early = new.model_copy(update={"updated_at": old.updated_at})  # the server has written the annotation, not yet this
    with workspace.db.transaction() as session:
        batch, project, _ = sync.list_batches(session, server=workspace.client.server_id)[0]
        people, definition = (
            sync.map_accounts_to_annotators(session, server=workspace.client.server_id),
            definitions.get_project_definition(project),
        )
        for task in (early, old, new):
            annotation_import.import_task(session, batch, definition, task, annotators=people, now=_now())
    assert [row[2:4] for row in workspace.answers()] == [(0, NO)]
