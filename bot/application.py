"""The application of the bot: conversation, delivery, database and Telegram. Nothing is built at import."""

from __future__ import annotations

import asyncio
import atexit
import faulthandler
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from aiohttp import web
from sqlmodel import Session
from telegram.error import InvalidToken
from telegram.request import BaseRequest

from annotation.errors import BadInput, HromadaError, Unavailable, Where
from annotation.store import mailbox
from annotation.store.database import Database
from annotation.workflow.monitoring.bot_waits import name_for_bot
from bot.conversation import notifications, organiser_notifications, update_handler
from bot.conversation.update_handler import handle_update
from bot.conversation.updates_and_calls import ConversationSettings
from bot.delivery import sender, workers
from bot.delivery.delivery_settings import DeliverySettings, update_bot_profiles
from bot.delivery.export_maker import ExportMaker
from bot.delivery.limits_and_retries import Backoff, Failure, FloodLimit, RateLimit, Watchdog, catch_failure
from bot.delivery.polling import MAX_WAIT, MIN_WAIT, POLLING_LEASE, UpdatePoller
from bot.delivery.process_lease import HeartbeatKeeper, LeaseKeeper
from bot.delivery.sender import Receipts, Sender
from bot.delivery.sweeper import Sweeper
from bot.delivery.telegram_api import AiohttpRequest, TelegramApi
from bot.delivery.telegram_payloads import RawUpdate
from bot.delivery.transaction_runner import TransactionRunner, read_database_clock
from bot.delivery.webhook import (
    WEBHOOK_PATH,
    ListenAddress,
    WebhookKeeper,
    WebhookReceiver,
    build_health_route,
    derive_secret,
    list_webhook_routes,
    serve_http,
)
from bot.delivery.workers import Workers

logger = logging.getLogger(__name__)
STOP_SECONDS = 0.5
"""Seconds that running work gets to end; the rest is in the database."""
GRACE_SECONDS = 8.0
"""Seconds after which a process that was told to end ends, whatever hangs; Docker kills it after ten."""
PACING_LEASE = "pacing"
"""The name of the lease of the process that sends what is paced; of one of several bots, the bot's id follows it."""
MAX_BOT_ID = 2**63 - 1
TELEGRAM_FRAMES = ("https://web.telegram.org",)
"""The origins of clients that show the answer page in a frame."""
SPARE_CONNECTIONS = 8
"""Connections to Telegram beyond those of the sender."""
TELEGRAM_URL = "https://api.telegram.org/bot"


@dataclass(frozen=True, kw_only=True)
class BotApplication:
    """The parts of one bot in one process. Within `async with` it accepts updates and calls Telegram.

    Bots of the same process share the runner, which the first of them closes.
    """

    bot_id: int
    runner: TransactionRunner
    api: TelegramApi
    requests: tuple[BaseRequest, BaseRequest]
    workers: Workers
    sender: Sender
    receipts: Receipts
    sweeper: Sweeper
    exports: ExportMaker
    watchdog: Watchdog
    heartbeat: HeartbeatKeeper
    closes_runner: bool = True

    async def __aenter__(self) -> BotApplication:
        for request in self.requests:
            await request.initialize()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.sweeper.stop_observing()
        await asyncio.gather(self.workers.stop(within=STOP_SECONDS), self.sender.stop(within=STOP_SECONDS))
        with suppress(HromadaError, TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await self.receipts.save()
                await self.sweeper.lease.release()
                await self.exports.lease.release()
        for request in self.requests:
            await request.shutdown()
        if self.closes_runner:
            await self.runner.close(within=STOP_SECONDS)

    async def deliver(self, *updates: RawUpdate) -> None:
        """Store updates, handle them, and wait until all that follows is sent."""
        await self.workers.receive_updates(updates)
        await self.workers.wait_until_idle()

    async def recover(self) -> None:
        """Take up what a killed process left behind; with a single writer, all of it at once."""
        if self.runner.single_writer:
            await self.runner.run(self._make_all_due)
        await self.sweeper.sweep_once()
        self.workers.waits_for_recovery = False

    def _make_all_due(self, session: Session) -> None:
        mailbox.make_all_due(session, bot_id=self.bot_id, now=self.runner.database_clock())


def build_delivery_settings(
    conversation: ConversationSettings, *, protect: bool = True, bot_names: Mapping[int, str] | None = None
) -> DeliverySettings:
    """The settings of delivery for the conversation of this package, which has these settings itself."""
    return DeliverySettings(
        handle_update=handle_update,
        explain_failure=update_handler.explain_failure,
        conversation=conversation,
        protect=protect,
        collect_notifications=partial(notifications.collect_notifications, settings=conversation),
        observe_campaigns=partial(organiser_notifications.observe_campaigns, settings=conversation),
        bot_profiles=notifications.list_bot_profiles(),
        bot_names=bot_names or {},
        name_own_bot=update_handler.name_own_bot,
    )


def parse_bot_id(token: str) -> int:
    """The id of a bot, with which its token begins; raises BadInput."""
    number = token.partition(":")[0]
    if not (number.isascii() and number.isdigit() and int(number) <= MAX_BOT_ID):
        raise BadInput(
            "This is not the token of a bot.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN"),
            remedy="Copy it again from @BotFather: it begins with a number and a colon.",
        )
    return int(number)


def build_applications(tokens: Sequence[str], **options: Any) -> tuple[BotApplication, ...]:
    """A bot for each token, all on the same database and in one process; `options` are those of `build_application`.

    The bot with the smallest id does what all have in common, so that all processes agree on it. Raises BadInput for
    tokens of the same bot.
    """
    numbers = list(map(parse_bot_id, tokens))
    if len(set(numbers)) < len(numbers):
        raise BadInput(
            "Two tokens are of the same bot.",
            where=Where(field="HROMADA_TELEGRAM_TOKENS"),
            remedy="Keep the one that @BotFather gave last.",
        )
    if len(tokens) == 1:
        return (build_application(token=tokens[0], **options),)
    apps: list[BotApplication] = []
    for token, number in zip(tokens, numbers, strict=True):
        runner = apps[0].runner if apps else None
        apps.append(
            build_application(token=token, runner=runner, is_alone=False, is_common=number == min(numbers), **options)
        )
    watchdogs = [app.watchdog for app in apps]
    for watchdog in watchdogs:
        watchdog.others = [other for other in watchdogs if other is not watchdog]
    return tuple(apps)


def build_application(
    *,
    token: str,
    database: Database,
    settings: DeliverySettings,
    clock: Callable[[], datetime] | None = None,
    database_clock: Callable[[], datetime] | None = None,
    request: BaseRequest | None = None,
    base_url: str = TELEGRAM_URL,
    handling: int = workers.MAX_PARALLEL,
    sending: int = sender.MAX_PARALLEL,
    updates_a_minute: int = 0,
    runner: TransactionRunner | None = None,
    is_alone: bool = True,
    is_common: bool = True,
) -> BotApplication:
    """The bot on a database; `request` replaces the network, `clock` the time, `database_clock` that of the database.

    By default both are the clock of the database, so that leases, paces and durations of one answer come from one clock
    whatever process shows the item and whatever takes the answer.

    `handling` and `sending` are how many users are served, and how many chats are sent to, at once; `updates_a_minute`
    is how many updates of one user are read, 0 for all. `runner` is that of another bot in this process, `is_alone`
    says whether this is the only bot of the database, and `is_common` whether it does what all bots have in common.
    """
    bot_id, closes_runner = parse_bot_id(token), runner is None
    named_id = None if is_alone else bot_id
    if runner is None:
        shared_clock = database_clock or read_database_clock(database)
        runner = TransactionRunner(database=database, clock=clock or shared_clock, database_clock=shared_clock)
    requests = (
        request or AiohttpRequest(connections=sending + SPARE_CONNECTIONS, measurements=runner.measurements),
        request or AiohttpRequest(connections=4, measurements=runner.measurements),
    )
    api = TelegramApi(token=token, base_url=base_url, request=requests[0], poll_request=requests[1])
    receipts, rate_limit, watchdog = Receipts(runner), RateLimit(), Watchdog(clock=runner.clock, bot_id=named_id)
    outgoing = Sender(
        runner=runner, api=api, receipts=receipts, rate_limit=rate_limit, bot_id=bot_id, max_parallel=sending
    )
    handlers = Workers(
        runner=runner,
        settings=settings,
        sender=outgoing,
        receipts=receipts,
        bot_id=bot_id,
        max_parallel=handling,
        flood_limit=FloodLimit(updates_a_minute),
    )
    sweeper = Sweeper(
        runner=runner,
        workers=handlers,
        sender=outgoing,
        rate_limit=rate_limit,
        lease=LeaseKeeper(runner, name_for_bot(PACING_LEASE, named_id)),
        watchdog=watchdog,
        is_common=is_common,
    )
    return BotApplication(
        bot_id=bot_id,
        runner=runner,
        api=api,
        requests=requests,
        workers=handlers,
        sender=outgoing,
        receipts=receipts,
        sweeper=sweeper,
        exports=ExportMaker(
            runner=runner,
            lease=LeaseKeeper(runner, "exports"),
            bot_id=bot_id,
            describe_export=partial(organiser_notifications.describe_export, settings=settings.conversation),
        ),
        watchdog=watchdog,
        heartbeat=HeartbeatKeeper(runner, watchdog),
        closes_runner=closes_runner,
    )


@dataclass(frozen=True, kw_only=True)
class WebhookAddress:
    """Where updates come in: the public address, and where to listen behind the proxy."""

    url: str
    listen: ListenAddress


@dataclass(frozen=True, kw_only=True)
class PageAddress:
    """Where the answer page is: its public address, and where to listen behind the proxy if there is no webhook."""

    url: str
    listen: ListenAddress


def list_page_routes(
    apps: Sequence[BotApplication], url: str, *, frames: Sequence[str] = TELEGRAM_FRAMES
) -> list[web.RouteDef]:
    """The routes of the answer page of these bots; pages of the origins `frames` may show it in a frame."""
    from bot.web.answer_page import AnswerPage

    return AnswerPage(workers=tuple((app.api.token, app.workers) for app in apps), url=url, frames=frames).list_routes()


@asynccontextmanager
async def poll_in_background(app: BotApplication) -> AsyncIterator[None]:
    """Run the bot by polling beside other work in the same loop, until the block ends."""
    async with app, _run_in_background((app,), (_poll(app),)):
        yield


def run_application(
    *apps: BotApplication,
    webhook: WebhookAddress | None = None,
    page: PageAddress | None = None,
    health: ListenAddress | None = None,
    exit_when_stuck: bool = False,
) -> None:
    """Run bots until a signal comes: by long polling, or at an address that Telegram calls. Updates are never dropped.

    At the address `health` a supervisor can ask whether the bot is well, and for its metrics. Raises BadInput for an
    unknown token or an address that cannot be used, SchemaMismatch where a newer program has upgraded the database, and
    with `exit_when_stuck` Unavailable where Telegram or the database is silent for too long.
    """
    for app in apps:
        app.watchdog.exit_when_stuck = exit_when_stuck
    try:
        asyncio.run(serve_updates(*apps, webhook=webhook, page=page, health=health, on_end=limit_end))
    except InvalidToken:
        raise BadInput(
            "Telegram does not know this token." if len(apps) == 1 else "Telegram does not know one of these tokens.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN" if len(apps) == 1 else "HROMADA_TELEGRAM_TOKENS"),
            remedy="Copy it again from @BotFather; with a server of your own, check HROMADA_TELEGRAM_URL too.",
        ) from None


def limit_end() -> None:
    """End the process after GRACE_SECONDS, with the traces of its threads on the error stream, unless it ends before.

    A thread of the C library does so, whatever the event loop and the threads of the database wait for.
    """
    faulthandler.dump_traceback_later(GRACE_SECONDS, exit=True)
    atexit.register(faulthandler.cancel_dump_traceback_later)  # nothing hangs once the threads have ended


async def serve_updates(
    *apps: BotApplication,
    webhook: WebhookAddress | None = None,
    page: PageAddress | None = None,
    health: ListenAddress | None = None,
    on_end: Callable[[], None] = lambda: None,
) -> None:
    """Run within a loop until a signal comes; `on_end` is called when the end begins."""
    ended = asyncio.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signal_number, ended.set)
    reporting = nullcontext() if health is None else serve_http(list_health_routes(*apps), health)
    async with reporting, AsyncExitStack() as running:
        for app in apps:
            await running.enter_async_context(app)
        pages = [] if page is None else list_page_routes(apps, page.url)
        if page is not None and webhook is None:
            await running.enter_async_context(serve_http(pages, page.listen))
        receiving = [_listen(apps, webhook, pages)] if webhook is not None else [_poll(app) for app in apps]
        async with _run_in_background(apps, receiving) as tasks:
            stop = asyncio.create_task(ended.wait())
            await asyncio.wait([stop, *tasks], return_when=asyncio.FIRST_COMPLETED)
            stop.cancel()
            on_end()
            logger.info("The bot ends.")


def list_health_routes(*apps: BotApplication) -> list[web.RouteDef]:
    """What a supervisor can ask: whether the bots are well, and the metrics of the process."""
    from bot.delivery.metrics import MetricsReporter

    return [build_health_route(*(app.watchdog for app in apps)), *MetricsReporter(apps[0].runner).list_routes()]


@asynccontextmanager
async def _run_in_background(
    apps: Sequence[BotApplication], receiving: Sequence[Coroutine[None, None, None]]
) -> AsyncIterator[tuple[asyncio.Task[None], ...]]:
    """Run the watchdogs, heartbeats and sweepers, the maker of exports and these coroutines until the block ends, and
    yield their tasks; then raise what made one fail.
    """
    works = [*receiving]
    for app in apps:
        works += [app.watchdog.run(), app.heartbeat.run(), app.sweeper.run()]
        works += [app.exports.run()] if app.sweeper.is_common else []
    tasks = tuple(asyncio.create_task(work) for work in works)
    profiles = [asyncio.create_task(update_bot_profiles(app.api, app.workers.settings.bot_profiles)) for app in apps]
    try:
        yield tasks
    finally:
        for task in (*tasks, *profiles):
            task.cancel()
        await asyncio.gather(*tasks, *profiles, return_exceptions=True)
    for task in tasks:
        if not task.cancelled():
            task.result()


async def _poll(app: BotApplication) -> None:
    lease = LeaseKeeper(app.runner, name_for_bot(POLLING_LEASE, app.watchdog.bot_id))
    app.workers.waits_for_recovery = app.runner.single_writer
    poller = UpdatePoller(
        api=app.api,
        workers=app.workers,
        lease=lease,
        watchdog=app.watchdog,
        heartbeat=app.heartbeat,
        on_start=app.recover,
    )
    try:
        await poller.run()
    finally:
        with suppress(HromadaError, TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                await lease.release()


async def _listen(apps: Sequence[BotApplication], address: WebhookAddress, pages: Sequence[web.RouteDef]) -> None:
    receivers = [WebhookReceiver(app.workers, app.heartbeat, derive_secret(app.api.token)) for app in apps]
    url = f"{address.url.rstrip('/')}{WEBHOOK_PATH}"
    async with serve_http([*list_webhook_routes(*receivers), *pages], address.listen):
        keeping = [asyncio.create_task(_keep_webhook(app, url)) for app in apps]
        try:
            await asyncio.gather(*keeping)
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)


async def _keep_webhook(app: BotApplication, url: str) -> None:
    secret = derive_secret(app.api.token)
    keeper = WebhookKeeper(api=app.api, url=url, secret=secret, watchdog=app.watchdog, heartbeat=app.heartbeat)
    await _recover_in_time(app)
    await keeper.run()


async def _recover_in_time(app: BotApplication) -> None:
    """Take up what a killed process left behind, as soon as the database lets it; raises SchemaMismatch."""
    backoff = Backoff(first=MIN_WAIT, longest=MAX_WAIT)
    while isinstance(outcome := await catch_failure(app.recover()), Failure):
        if not isinstance(outcome.error, Unavailable):
            raise outcome.error
        await asyncio.sleep(backoff.take_pause())
