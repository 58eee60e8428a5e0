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
from annotation.vocabulary import DELETED, Hindrance
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import administration
from annotation.workflow.assignments import batches
from annotation.workflow.lifecycle import transitions

if TYPE_CHECKING:
    from tests.annotation.label_studio.sync.conftest import Office

YES, NO = "так", "ні"
SKIP = "skipped in Label Studio"


def _now() -> datetime:
    return datetime.now(UTC)


def test_the_same_push_twice_fills_the_desk_once(office: Office) -> None:
    """A number of items waits there; the second push finds them waiting. More is asked for, the rest is sent."""
    office.campaign()
    office.person("olha")
    first, second, third = office.push("olha", 5), office.push("olha", 5), office.push("olha", 20)
    assert [(one.in_hand, one.handed, one.sent) for one in (first, second, third)] == [(5, 5, 5), (5, 0, 0), (10, 5, 5)]
    assert third.waiting is not None
    assert third.waiting.reason is Hindrance.NOTHING_LEFT
    assert first.remote_id == third.remote_id
    assert len(office.tasks()) == 10
    office.well()


def test_no_identity_and_no_gold_is_sent(office: Office) -> None:
    """A task holds our number, the item and what is shown; the project a pseudonym."""
    office.campaign(items=1)
    code = office.person("olha")
    remote = office.push("olha").remote_id
    (task,) = next(iter(office.client.tasks(remote)))
    assert set(task.data) == {"hromada", "item", "shown"}
    assert YES not in json.dumps(task.data, ensure_ascii=False)
    assert code in office.client.project(remote).title


def test_what_people_do_there_becomes_answers(office: Office) -> None:
    """Answered, skipped, begun and not handed in, changed, deleted, answered once more."""
    office.campaign(items=4)
    office.person("olha")
    office.push("olha")
    one, two, three, four = office.tasks()
    first, second = office.say("olha", one), office.say("olha", two)
    office.skip("olha", three)
    office.draft("olha", four)
    found = office.pull()
    assert (found.answered, found.skipped, found.changed, found.deleted) == (2, 1, 0, 0)
    assert office.pull().news == 0
    office.change(first, NO)
    office.delete(second)
    found = office.pull()
    assert (found.answered, found.skipped, found.changed, found.deleted) == (0, 0, 1, 1)
    office.say("olha", two, NO)
    assert office.pull().changed == 1
    items = office.items()
    assert office.answers() == sorted(
        [
            ("olha", items[one], 0, YES, None, None),
            ("olha", items[one], 1, NO, None, None),
            ("olha", items[two], 0, YES, None, DELETED),
            ("olha", items[two], 1, NO, None, None),
            ("olha", items[three], 0, "", SKIP, "skipped"),
        ]
    )
    office.well()


def test_an_unknown_account_is_told_of_and_kept_until_it_is_linked(office: Office) -> None:
    """Its answers wait aside; once it is somebody's, they are hers."""
    office.campaign(items=2)
    office.person("olha", linked=False)
    assert not office.push("olha").linked
    office.say("olha", office.tasks()[0])
    account = office.accounts["olha"].id
    for _ in range(2):
        found = office.pull()
        assert found.news == 0
        assert found.aside == ((f"nobody is linked to this account (account {account})", 1),)
    office.link("olha")
    found = office.pull()
    assert (found.answered, found.aside) == (1, ())
    assert [row[:2] for row in office.answers()] == [("olha", office.items()[office.tasks()[0]])]
    office.well()


def test_an_account_belongs_to_one_person(office: Office) -> None:
    """Answers that were taken over stay whose they are."""
    office.person("olha")
    office.person("taras", linked=False)
    with office.db.transaction() as session:
        person = administration.known_as(session, office.people["taras"])
        with pytest.raises(Conflict, match="another person's"):
            sync.link(session, server=office.client.server, user_id=office.accounts["olha"].id, person=person)


def test_whoever_answers_at_anothers_desk_answers_for_herself(office: Office) -> None:
    """The owner's place stays hers; the other's answer takes the second one, and its deletion gives it back."""
    office.campaign(items=1)
    office.person("olha")
    office.person("taras")
    office.push("olha")
    (task,) = office.tasks()
    guest = office.say("taras", task, NO)
    office.say("olha", task)
    assert office.pull().answered == 2
    assert office.answers() == [("olha", "p-1", 0, YES, None, None), ("taras", "p-1", 0, NO, None, None)]
    office.delete(guest)
    assert office.pull().deleted == 1
    assert office.answers()[1] == ("taras", "p-1", 0, NO, None, DELETED)
    office.well()


def test_an_answer_that_cannot_be_read_is_kept_aside_with_the_reason(office: Office) -> None:
    """The server takes anything; the sentence names what is wrong, and a corrected answer is taken."""
    office.campaign(items=1)
    office.person("olha")
    office.push("olha")
    (task,) = office.tasks()
    wrong = office.say("olha", task, "мабуть")
    found = office.pull()
    assert (found.answered, len(found.aside)) == (0, 1)
    assert "мабуть" in found.aside[0][0]
    office.change(wrong, NO)
    found = office.pull()
    assert (found.answered, found.aside) == (1, ())
    office.well()


def test_a_late_answer_beyond_the_overlap_is_extra(office: Office) -> None:
    """The project was closed meanwhile: kept, and does not count."""
    office.campaign(items=1)
    office.person("olha")
    office.push("olha")
    office.say("olha", office.tasks()[0])
    with office.db.transaction() as session:
        transitions.close(session, project=queries.project(session, "p"), now=_now())
    assert office.pull().answered == 1
    assert office.answers() == [("olha", "p-1", 0, YES, None, "extra: the item had its answers")]
    office.well()


def test_two_pullers_at_once_take_each_answer_once(office: Office) -> None:
    """Four threads read the same desk while people answer and change their minds."""
    office.campaign(items=12)
    office.person("olha")
    office.push("olha", 12)
    tasks = office.tasks()
    made = [office.say("olha", task) for task in tasks]
    failures: list[Exception] = []

    def read() -> None:
        try:
            for _ in range(3):
                office.pull()
        except Exception as failure:  # noqa: BLE001  # whatever it is, the test has to see it
            failures.append(failure)

    pullers = [threading.Thread(target=read) for _ in range(4)]
    for one in pullers:
        one.start()
    for annotation in made[:4]:
        office.change(annotation, NO)
    for one in pullers:
        one.join()
    assert failures == []
    office.pull()
    found = office.answers()
    items = office.items()
    final = {row[1]: row[3] for row in found}
    assert final == {items[task]: NO if number < 4 else YES for number, task in enumerate(tasks)}
    assert len(found) <= 16
    office.well()


def test_two_pushers_at_once_one_waits(office: Office) -> None:
    """The second is told so, and nothing is there twice."""
    office.campaign(items=40)
    office.person("olha")
    told: list[object] = []

    def fill() -> None:
        try:
            told.append(office.push("olha", 40).sent)
        except Conflict as failure:
            told.append(str(failure))

    pushers = [threading.Thread(target=fill) for _ in range(3)]
    for one in pushers:
        one.start()
    for one in pushers:
        one.join()
    assert 40 in told
    assert all(one in {0, 40} or "Another push" in str(one) for one in told)
    assert office.push("olha", 40).in_hand == 40
    assert len(office.tasks()) == 40
    office.well()


def test_the_second_pass_comes_after_the_blind_answer(office: Office) -> None:
    """A project of its own, with the gold; its answers are kept and never count."""
    office.campaign(items=2)
    office.person("olha")
    office.push("olha")
    assert office.push("olha", second=True).in_hand == 0
    office.say("olha", office.tasks()[0], NO)
    office.pull()
    second = office.push("olha", second=True)
    assert (second.in_hand, second.sent) == (1, 1)
    (task,) = office.tasks(1)
    shown = next(iter(office.client.tasks(second.remote_id)))[0].data
    assert YES in json.dumps(shown, ensure_ascii=False)
    office.say("olha", task, YES)
    sync.pull(office.db, office.client, clock=_now)
    item = office.items()[task]
    assert sorted(office.answers(), key=str) == sorted(
        [("olha", item, 0, NO, None, None), ("olha", item, 0, YES, None, "second pass: the gold was shown")], key=str
    )
    office.well()


def test_reported_items_go_to_a_desk_and_come_back_as_its_persons_answers(office: Office) -> None:
    """Out of Telegram, into Label Studio, and back."""
    office.campaign(items=3)
    office.person("olha", linked=False)
    office.person("taras")
    with office.db.transaction() as session:
        offer = assignments.next_item(session, annotator_id=1, now=_now())
        assert isinstance(offer, assignments.Offer)
        assignments.report(session, annotator_id=1, assignment_id=offer.assignment_id, reason="помилка", now=_now())
        assignments.skip(session, annotator_id=1, assignment_id=offer.assignment_id, reason="помилка", now=_now())
        project = queries.project(session, "p")
        ids = batches.reported(session, project_id=project.id or 0)
        assert batches.hand_over(session, project=project, item_ids=ids, now=_now()) == 1
    assert office.push("taras", 5, handed_over=True).in_hand == 1
    (task,) = office.tasks()
    office.say("taras", task, NO)
    assert office.pull().answered == 1
    assert ("taras", offer.item, 0, NO, None, None) in office.answers()
    office.well()


def test_what_was_read_before_something_newer_is_left_alone(office: Office) -> None:
    """A puller that was held up comes with an old page, whose task bears the same time: it changes nothing."""
    office.campaign(items=1)
    office.person("olha")
    remote = office.push("olha").remote_id
    first = office.say("olha", office.tasks()[0])
    ((old,),) = office.client.tasks(remote)
    office.change(first, NO)
    ((new,),) = office.client.tasks(remote)
    early = new.model_copy(update={"updated_at": old.updated_at})  # the server has written the annotation, not yet this
    with office.db.transaction() as session:
        desk, project, _ = sync.of_project(session, server=office.client.server)[0]
        people, definition = sync.linked(session, server=office.client.server), definitions.of(project)
        for task in (early, old, new):
            annotation_import.take(session, desk, definition, task, people=people, now=_now())
    assert [row[2:4] for row in office.answers()] == [(0, NO)]
