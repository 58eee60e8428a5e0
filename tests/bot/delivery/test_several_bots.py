"""Several bots on one database: each has its own updates, messages and limits, and all have the same annotators."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa
from _faulty_telegram import FaultyTelegram
from sqlmodel import Session

from annotation.errors import BadInput, Unavailable
from annotation.settings import Settings
from annotation.store import mailbox, parked, processes
from annotation.store.database import Database
from annotation.workflow.monitoring import bot_waits
from annotation.workflow.monitoring.bot_waits import BotWait, WaitReason
from annotation.workflow.organisers import alerts
from bot import application
from bot.conversation import update_handler
from bot.conversation.updates_and_calls import NewMessage, TelegramCalls
from bot.delivery import limits_and_retries
from bot.delivery.limits_and_retries import AwaitedService, Watchdog
from bot.delivery.webhook import (
    VERIFICATION_HEADER,
    WEBHOOK_PATH,
    ListenAddress,
    WebhookReceiver,
    list_webhook_routes,
    serve_http,
)
from bot.emulator.model import User
from bot.emulator.request import LocalRequest

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FIRST, SECOND = 7_000_000_001, 7_000_000_002
NAMES = {FIRST: "first_bot", SECOND: "second_bot"}


class RoutedRequest(LocalRequest):
    """Calls the local Telegram whose token is in the address."""

    def __init__(self, telegrams: list[FaultyTelegram]) -> None:
        self._ways = {telegram.token: LocalRequest(telegram) for telegram in telegrams}

    async def do_request(self, url: str, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        """Pass a call on."""
        way = next(way for token, way in self._ways.items() if f"/bot{token}/" in url)
        return await way.do_request(url, *arguments, **options)


@dataclass
class Bots:
    """Two bots in one process, each with a Telegram of its own."""

    db: Database
    telegrams: list[FaultyTelegram]
    apps: tuple[application.BotApplication, ...]

    async def deliver(self) -> None:
        """Hand all updates to their bots, and send what is due."""
        for telegram, app in zip(self.telegrams, self.apps, strict=True):
            await app.deliver(*telegram.take())
        for app in self.apps:
            await app.sweeper.sweep_once()
            await app.workers.wait_until_idle()

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """What the database says."""
        with self.db.reading() as view:  # takes no lock for writing, which the bots need
            return [tuple(row) for row in view.connection().execute(sa.text(statement))]

    def read_screens(self, person: int) -> list[list[str]]:
        """The texts of the bots in the chats of a person with each of them."""
        return [
            [message.text for message in telegram.person(person).messages if message.sender.is_bot]
            for telegram in self.telegrams
        ]


def tell_everybody(*_: object, **__: object) -> TelegramCalls:
    """News for two people, which answer nothing."""
    return tuple(NewMessage(chat_id=person, html=f"news for {person}") for person in (1, 2))


@pytest.fixture
def telegrams() -> list[FaultyTelegram]:
    """A Telegram for each bot; both number their updates alike."""
    return [
        FaultyTelegram(token=f"{number}:secret", me=User(number, "bot", username=NAMES[number], is_bot=True))
        for number in NAMES
    ]


@pytest.fixture
async def bots(
    db: Database, tiny: ModuleType, load_items: Callable[..., None], telegrams: list[FaultyTelegram]
) -> AsyncIterator[Bots]:
    """Both bots at work, with ten items."""
    load_items(items=10)
    apps = application.build_applications(
        [telegram.token for telegram in telegrams],
        database=db,
        settings=replace(tiny.build_settings(), bot_names=NAMES, name_own_bot=update_handler.name_own_bot),
        request=RoutedRequest(telegrams),
        clock=lambda: NOW,
        database_clock=lambda: NOW,
    )
    async with AsyncExitStack() as running:
        for app in apps:
            await running.enter_async_context(app)
        yield Bots(db, telegrams, apps)


async def start_each(bots: Bots) -> None:
    """Person 1 starts the first bot, person 2 the second."""
    bots.telegrams[0].person(1).send("/start")
    bots.telegrams[1].person(2).send("/start")
    await bots.deliver()


async def test_each_person_is_answered_by_the_bot_that_they_started(bots: Bots) -> None:
    """Both updates have the same number; taps, receipts and items go on in each chat."""
    await start_each(bots)
    assert bots.rows("SELECT count(*), count(DISTINCT update_id) FROM inbox") == [(2, 1)]
    assert bots.rows("SELECT telegram_id, bot_id FROM annotator ORDER BY 1") == [(1, FIRST), (2, SECOND)]
    for place, person in enumerate((1, 2)):
        bots.telegrams[place].person(person).tap("A")
    await bots.deliver()
    assert [len(texts) for person in (1, 2) for texts in bots.read_screens(person)] == [2, 0, 0, 2]
    assert bots.rows("SELECT count(*) FROM judgement") == [(2,)]
    assert bots.rows("SELECT count(*) FROM outbox") == [(0,)]


async def test_who_starts_both_is_one_annotator_of_the_first(bots: Bots) -> None:
    """The second one says where the chat is; a tap there still ends, and changes nothing."""
    await start_each(bots)
    second = bots.telegrams[1].person(1)
    second.send("/start")
    await bots.deliver()
    [own, other] = bots.read_screens(1)
    assert (len(own), len(other), "https://t.me/first_bot" in other[0]) == (1, 1, True)
    assert bots.rows("SELECT bot_id FROM annotator WHERE telegram_id = 1") == [(FIRST,)]
    second.press("a:1:0.1", on=second.messages[-1])
    await bots.deliver()
    assert len(bots.telegrams[1].display_log.list_events(1, "toast", "alert")) <= 1
    assert bots.rows("SELECT count(*) FROM judgement") == [(0,)]
    bots.telegrams[0].person(1).tap("A")
    await bots.deliver()
    assert bots.rows("SELECT count(*) FROM judgement") == [(1,)]


async def test_what_nobody_asked_for_comes_from_the_own_bot(bots: Bots, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is collected once, by the bot with the smallest id, and each bot sends its part."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)
    monkeypatch.setattr(limits_and_retries, "OVERALL_SECONDS", 0.0)
    await start_each(bots)
    assert [app.sweeper.is_common for app in bots.apps] == [True, False]
    settings = replace(bots.apps[0].workers.settings, collect_notifications=tell_everybody)
    for app in bots.apps:
        app.workers.settings = settings
    await bots.apps[0].runner.run(lambda session: bots.apps[0].sweeper._store_notifications(session, None))
    assert bots.rows("SELECT chat_id, bot_id, paced FROM outbox ORDER BY 1") == [(1, FIRST, True), (2, SECOND, True)]
    for app in bots.apps:
        await app.sweeper.sweep_once()
        await app.sweeper._send_next_paced()
        await app.workers.wait_until_idle()
    assert [[text for text in texts if "news" in text] for person in (1, 2) for texts in bots.read_screens(person)] == [
        ["news for 1"], [], [], ["news for 2"],
    ]  # fmt: skip


async def test_a_pause_that_telegram_asks_one_bot_for_is_no_pause_of_the_other(bots: Bots) -> None:
    """Each bot has limits of its own."""
    bots.telegrams[0].faults.fail("sendMessage", 429, retry_after=100)
    for telegram in bots.telegrams:
        telegram.person(3).send("/start")
    await bots.deliver()
    with bots.db.transaction() as session:
        paused = [processes.list_pauses(session, bot_id=number, now=NOW).keys() for number in NAMES]
    assert paused == [{3}, set()]
    now = asyncio.get_running_loop().time()
    assert [app.rate_limit.get_pause_end(3) > now for app in (bot.sender for bot in bots.apps)] == [True, False]


async def test_who_blocks_the_other_bot_stays_reachable(bots: Bots) -> None:
    """Only what that bot had for them is given up."""
    await start_each(bots)
    other = bots.telegrams[1].person(1)
    other.send("/start")
    other.block()
    await bots.deliver()
    assert bots.rows("SELECT unreachable_at FROM annotator WHERE telegram_id = 1") == [(None,)]
    assert bots.rows("SELECT count(*) FROM outbox") == [(0,)]
    bots.telegrams[0].person(1).block()
    await bots.deliver()
    [(at,)] = bots.rows("SELECT unreachable_at FROM annotator WHERE telegram_id = 1")
    # the tiny conversation takes no notice of a block: the next message finds out
    assert at is None
    with bots.db.transaction() as session:
        draft = mailbox.OutboxDraft(chat_id=1, calls=[{"method": "sendMessage", "data": {"text": "news"}}])
        mailbox.store_messages(session, [draft], bot_id=SECOND, now=NOW)
    await bots.deliver()
    [(at,)] = bots.rows("SELECT unreachable_at FROM annotator WHERE telegram_id = 1")
    assert at is not None


async def test_people_of_a_bot_that_is_gone_belong_to_the_next_that_they_write_to(bots: Bots, tiny: ModuleType) -> None:
    """As after a change of bots."""
    await start_each(bots)
    alone = application.build_application(
        token=bots.telegrams[1].token,
        database=bots.db,
        settings=replace(tiny.build_settings(), bot_names={SECOND: ""}),
        request=RoutedRequest(bots.telegrams),
        clock=lambda: NOW,
        database_clock=lambda: NOW,
    )
    async with alone:
        bots.telegrams[1].person(1).send("/start")
        await alone.deliver(*bots.telegrams[1].take())
    assert [len(texts) for texts in bots.read_screens(1)] == [1, 1]
    assert bots.rows("SELECT count(*), count(DISTINCT bot_id) FROM annotator") == [(2, 1)]


async def test_parked_updates_with_one_number_are_named_with_their_bots(bots: Bots) -> None:
    """A key without a bot is refused where it could be either."""
    for place, person in enumerate((1, 2)):
        bots.telegrams[place].person(person).send("boom")
    await bots.deliver()
    with bots.db.reading() as view:
        keys = [delivery.key for delivery in parked.list_parked(view)]
    number = keys[0].partition("-")[0]
    assert keys == [f"{number}-{bot}" for bot in NAMES]

    def drop(key: str) -> None:
        with bots.db.transaction() as session:
            parked.drop_parked(session, [key], now=NOW)

    with pytest.raises(BadInput, match="Several bots"):
        drop(number)
    drop(keys[1])
    with bots.db.reading() as view:
        assert [delivery.key for delivery in parked.list_parked(view)] == [number]
    drop(number)


async def test_the_secret_says_which_bot_an_update_is_for(bots: Bots) -> None:
    """Both bots have one address, and an update with neither secret is refused."""
    import aiohttp

    receivers = [
        WebhookReceiver(app.workers, app.heartbeat, f"secret-{number}")
        for app, number in zip(bots.apps, NAMES, strict=True)
    ]
    bots.telegrams[0].person(5).send("/start")
    [update] = bots.telegrams[0].take()
    address = ListenAddress(host="127.0.0.1", port=0, field="port")
    async with serve_http(list_webhook_routes(*receivers), address) as port, aiohttp.ClientSession() as client:
        for secret, status in ((f"secret-{SECOND}", 200), ("another", 403)):
            url, headers = f"http://127.0.0.1:{port}{WEBHOOK_PATH}", {VERIFICATION_HEADER: secret}
            async with client.post(url, json=update, headers=headers) as response:
                assert response.status == status
    await bots.deliver()
    assert bots.rows("SELECT bot_id FROM annotator WHERE telegram_id = 5") == [(SECOND,)]


def test_a_bot_that_waits_is_named_while_the_other_gets_updates(db: Database) -> None:
    """The heartbeat of one bot hides nothing of the other, and an update ends only its own wait."""
    wait = BotWait(reason=WaitReason.OTHER_PROGRAM, since=NOW - timedelta(minutes=5), bot_id=SECOND)

    def find(session: Session) -> str:
        return str(bot_waits.find_wait(session, now=NOW))

    with db.transaction() as session:
        alerts.record_heartbeat(session, now=NOW, bot_id=FIRST)
        bot_waits.record_wait(session, wait, now=NOW)
        alerts.record_heartbeat(session, now=NOW, bot_id=FIRST)
        assert find(session).startswith(f"Bot {SECOND}: Another program")
        assert alerts.find_open_gap(session, now=NOW + timedelta(minutes=1)) is None
        alerts.record_heartbeat(session, now=NOW, bot_id=SECOND)
        assert find(session) == "None"


async def test_a_process_does_not_end_while_one_of_its_bots_gets_updates() -> None:
    """With --exit-when-stuck it ends when none does, or when the database is silent for all."""
    watchdogs = [Watchdog(seconds=0.0, silent_seconds=0.0, exit_when_stuck=True, bot_id=number) for number in NAMES]
    watchdogs[0].others, watchdogs[1].others = watchdogs[1:], watchdogs[:1]
    watchdogs[0].await_service(AwaitedService.TELEGRAM)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watchdogs[0].run(), 0.05)
    watchdogs[1].await_service(AwaitedService.TELEGRAM)
    with pytest.raises(Unavailable, match="No update has come"):
        await asyncio.wait_for(watchdogs[0].run(), 300)


@pytest.mark.parametrize(
    ("tokens", "problem"),
    [(["1:a", "1:b"], "same bot"), (["secret"], "not the token"), (["1:a", f"{2**70}:b"], "not the token")],
)
def test_tokens_that_cannot_be_of_several_bots_are_refused(tokens: list[str], problem: str) -> None:
    """Before anything is opened."""
    with pytest.raises(BadInput, match=problem) as refused:
        application.build_applications(tokens)
    assert not any(token in str(refused.value) for token in tokens)


def test_the_tokens_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """One or several, not both; names in the same order."""
    monkeypatch.setenv("HROMADA_TELEGRAM_TOKENS", "1:a, 2:b 3:c")
    monkeypatch.setenv("HROMADA_TELEGRAM_NAME", "@first_bot, second_bot")
    assert Settings().bot_tokens == ("1:a", "2:b", "3:c")
    assert Settings().bot_names == ("first_bot", "second_bot")
    monkeypatch.setenv("HROMADA_TELEGRAM_TOKEN", "1:a")
    with pytest.raises(BadInput, match="is set as well"):
        _ = Settings().bot_tokens
    monkeypatch.setenv("HROMADA_TELEGRAM_TOKENS", "")
    assert Settings().bot_tokens == ("1:a",)
