"""`hromada delivery`: what the bot could not handle or send is listed, tried again and dropped."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import Session, col, select

from annotation.store import database, mailbox, processes
from annotation.store.models import (
    Annotator,
    Inbox,
    LabelStudioAccount,
    LabelStudioBatch,
    LabelStudioSetAside,
    Outbox,
    ProcessLease,
)
from annotation.workflow.monitoring import bot_waits
from annotation.workflow.monitoring.bot_waits import BotWait, WaitReason
from annotation.workflow.organisers import alerts
from bot.commands import database_session, delivery

if TYPE_CHECKING:
    from _command import Hromada

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


PROJECT = """\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: items.csv, id: id, show: text}
overlap: 1
"""


@pytest.fixture
def stuck(hromada: Hromada) -> Hromada:
    """A database with a parked update and a parked message."""
    with database.open_database(f"sqlite:///{hromada.folder / 'hromada.db'}") as db, db.transaction() as session:
        _park(session)
    return hromada


def _park(session: Session) -> None:
    update = mailbox.ReceivedUpdate(update_id=17, telegram_id=5, payload={"text": "a text of a person"})
    mailbox.store_updates(session, [update], bot_id=1, now=NOW)
    mailbox.park_update(
        session, bot_id=1, update_id=17, code="a1b2c3", reason="LookupError", trace="in line 3", now=NOW
    )
    call = {"method": "sendMessage", "data": {"text": "an item"}}
    [message] = mailbox.store_messages(session, [mailbox.OutboxDraft(chat_id=5, calls=[call])], bot_id=1, now=NOW)
    mailbox.park_message(session, message_id=message.id, calls=[call], reason="sendMessage: no", now=NOW)


def test_what_is_parked_is_listed_without_texts_and_ids(stuck: Hromada) -> None:
    """A table for people, whose traces are in the JSON; the status counts what is parked."""
    listed = stuck("delivery").out
    for shown in ("u17", "m1", "a1b2c3", "LookupError", "sendMessage: no", "hromada delivery retry KEY"):
        assert shown in listed
    [update, message] = sorted(stuck("delivery", "list", "--json").json, key=lambda one: one["kind"], reverse=True)
    assert update == {
        "key": "u17", "kind": "update", "parked_at": "2026-11-21T12:00:00+00:00", "attempts": 1, "pseudonym": None,
        "reason": "LookupError", "code": "a1b2c3", "trace": "in line 3", "methods": [],
        "is_empty": False,
    }  # fmt: skip
    assert (message["key"], message["methods"]) == ("m1", ["sendMessage"])
    assert "a text" not in listed + str(update)
    assert "• 2 deliveries are parked · since 21.11 14:00\n    hromada delivery list" in stuck("status").out


def test_what_waits_in_label_studio_is_counted_too(hromada: Hromada) -> None:
    """An annotation that was set aside, and the batch and account of somebody who was forgotten."""
    hromada.write("project.yaml", PROJECT)
    hromada.write("items.csv", "id,text\n1,дуб\n")
    assert hromada("load", "project.yaml").code == 0
    with database.open_database(f"sqlite:///{hromada.folder / 'hromada.db'}") as db, db.transaction() as session:
        person = Annotator(pseudonym="a", created_at=NOW, forgotten_at=NOW)
        session.add(person)
        session.flush()
        named: dict[str, Any] = {"annotator_id": person.id or 0, "server": "s"}
        batch = LabelStudioBatch(project_id=1, mark="m", remote_id=1, created_at=NOW, **named)
        session.add_all([batch, LabelStudioAccount(user_id=7, **named)])
        session.flush()
        aside: dict[str, Any] = {"remote_task_id": 1, "reason": "It is no answer.", "since": NOW}
        session.add_all([LabelStudioSetAside(batch_id=batch.id or 0, annotation_id=n, **aside) for n in range(3)])
    shown = " ".join(hromada("status").out.split())
    assert "• 3 annotations set aside in Label Studio hromada label-studio pull" in shown
    assert "• 2 copies of erased data to delete in Label Studio hromada label-studio pull" in shown
    assert "parked" not in shown


def test_status_says_what_the_bot_waits_for(stuck: Hromada) -> None:
    """As long as the bot stores it, and until updates come again."""
    now = processes.get_machine_time()
    until = datetime(2026, 11, 22, 13, 5, tzinfo=UTC)
    wait = BotWait(reason=WaitReason.TOLD_TO_WAIT, since=now - timedelta(minutes=7), until=until)
    with database.open_database(f"sqlite:///{stuck.folder / 'hromada.db'}") as db, db.transaction() as session:
        bot_waits.record_wait(session, wait, now=now)
        session.add(ProcessLease(name="pacing", holder="h:1:1", until=now + timedelta(minutes=5)))
    shown = " ".join(stuck("status").out.split())
    since = f"{wait.since.astimezone(ZoneInfo('Europe/Kyiv')):%d.%m %H:%M}"
    assert "Nothing comes from Telegram. Telegram asks the bot to wait until 22.11 15:05;" in shown
    assert f"· since {since} hromada doctor" in shown
    with database.open_database(f"sqlite:///{stuck.folder / 'hromada.db'}") as db, db.transaction() as session:
        assert bot_waits.find_wait(session, now=now + timedelta(minutes=4)) is None  # the bot has ended
        alerts.record_heartbeat(session, now=now)
    assert "from Telegram" not in stuck("status").out


def test_what_is_parked_is_tried_again_by_the_bot(stuck: Hromada) -> None:
    """All of it; afterwards nothing is parked, and the bot finds both."""
    assert stuck("delivery", "retry", "--all").out == "m1, u17: tried again.\n"
    assert "Nothing is parked." in stuck("delivery").out
    assert stuck("delivery", "retry", "--all", "--json").json == {"tried again": []}
    with database.open_database(f"sqlite:///{stuck.folder / 'hromada.db'}") as db, db.reading() as view:
        assert view.exec(select(Inbox.done_at, Inbox.attempts)).one() == (None, 0)
        assert view.exec(select(Outbox.attempts).where(col(Outbox.reason).is_(None))).one() == 0


def test_commands_go_by_the_clock_of_the_database(
    stuck: Hromada, monkeypatch: pytest.MonkeyPatch, postgresql_url: str
) -> None:
    """That of the machine on which they run may be wrong by minutes: the bot would wait as long, or be overlooked."""
    moment = datetime(2001, 1, 1, tzinfo=UTC)
    monkeypatch.chdir(stuck.folder)
    monkeypatch.setattr(processes, "get_database_time", lambda _: moment)
    delivery.retry(everything=True)
    with database.open_database(f"sqlite:///{stuck.folder / 'hromada.db'}") as db, db.reading() as view:
        assert view.exec(select(Outbox.due_at)).one() == moment
        assert view.exec(select(Inbox.received_at)).one() == moment
    with database.open_engine(postgresql_url) as engine:
        assert database_session.get_shared_time(engine) == moment


def test_what_could_not_be_stored_can_only_be_dropped(hromada: Hromada) -> None:
    """`retry --all` leaves it, and says of it alone that nothing was done; named, it is refused with the remedy."""
    with database.open_database(f"sqlite:///{hromada.folder / 'hromada.db'}") as db, db.transaction() as session:
        mailbox.park_unstorable_update(
            session, bot_id=1, update_id=3, reason="cannot be stored: DataError", trace="", now=NOW
        )
    assert hromada("delivery", "retry", "--all").out == "Nothing was tried again.\n"
    refused = hromada("delivery", "retry", "u3")
    assert (refused.code, "hromada delivery drop u3" in refused.err) == (2, True)
    assert [one["is_empty"] for one in hromada("delivery", "--json").json] == [True]
    assert hromada("delivery", "drop", "--all").out == "u3: dropped.\n"


def test_what_is_dropped_is_gone(stuck: Hromada) -> None:
    """Named by its key; a key that is none, one that is not parked, and no key at all are refused."""
    assert stuck("delivery", "drop", "u17", "--json").json == {"dropped": ["u17"]}
    refused = (
        (("drop", "u17"), "u17 is not parked (any more)."),
        (("retry", "17"), "17 is not a parked update or message."),
        (("drop",), "Nothing selected."),
        (("drop", "m1", "--all"), "Nothing selected."),
    )
    for words, says in refused:
        ran = stuck("delivery", *words)
        assert (ran.code, says in ran.err) == (2, True), ran
    assert [one["key"] for one in stuck("delivery", "--json").json] == ["m1"]
    with database.open_database(f"sqlite:///{stuck.folder / 'hromada.db'}") as db, db.reading() as view:
        kept = view.exec(select(Inbox)).one()
    assert (kept.update_id, kept.payload, kept.telegram_id, kept.reason) == (17, None, None, None)
