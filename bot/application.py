"""The bot put together: conversation, delivery, a database, a Telegram. Nothing is built at import."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from telegram.error import InvalidToken, TelegramError
from telegram.request import BaseRequest

from annotation.errors import BadInput, HromadaError, Where
from annotation.store import outbox
from annotation.store.database import Database
from bot.conversation import jobs
from bot.conversation.handlers import errors
from bot.conversation.update_handler import respond
from bot.conversation.updates_and_calls import Desk
from bot.delivery.bot_profile import introduce
from bot.delivery.http_transport import AiohttpRequest
from bot.delivery.logs import log
from bot.delivery.polling import NAME, Poller, take_in
from bot.delivery.process_lease import Tenure
from bot.delivery.rate_limit import Pace
from bot.delivery.receipts import Receipts
from bot.delivery.sender import Sender
from bot.delivery.sweeper import Rounds
from bot.delivery.telegram_api import Api
from bot.delivery.transaction_runner import Base
from bot.delivery.update_parser import KINDS, Raw
from bot.delivery.watchdog import Watchdog
from bot.delivery.webhook import CONNECTIONS, PATH, Webhook, secret
from bot.delivery.workers import Office, Workers

logger = logging.getLogger(__name__)
STOPPING = 0.5
"""Seconds that what is being done has to end; the rest is in the database."""
TELEGRAM = "https://api.telegram.org/bot"


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class App:
    """The parts of one process. Within `async with` it can be handed updates, and calls Telegram."""

    base: Base
    api: Api
    requests: tuple[BaseRequest, BaseRequest]
    workers: Workers
    sender: Sender
    rounds: Rounds
    watchdog: Watchdog

    async def __aenter__(self) -> App:
        for request in self.requests:
            await request.initialize()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.workers.stop(within=STOPPING)
        for tenure in (self.rounds.tenure,):
            with suppress(HromadaError):
                await tenure.give_back()
        for request in self.requests:
            await request.shutdown()
        self.base.close()

    async def deliver(self, *updates: Raw) -> None:
        """Store updates, handle them, and wait until what follows from them is sent."""
        await take_in(self.base, self.workers, updates)
        await self.workers.settled()

    async def recover(self) -> None:
        """Begin with what a process left behind that was killed; where the database has one writer, all of it."""
        if self.base.alone:
            await self.base.run(lambda session: outbox.make_due(session, now=self.base.clock()))
        await self.rounds.go()


def office(*, key: bytes, protect: bool = True, simulated: bool = False) -> Office:
    """The conversation that this bot has with people."""
    return Office(
        respond=respond,
        sorry=errors.sorry,
        desk=Desk(key=key, simulated=simulated),
        protect=protect,
        unasked=jobs.answers,
        introductions=jobs.introductions(),
    )


def build(
    *,
    token: str,
    database: Database,
    office: Office,
    clock: Callable[[], datetime] = _now,
    request: BaseRequest | None = None,
    base_url: str = TELEGRAM,
) -> App:
    """The bot on a database; `request` replaces the network, `clock` the time."""
    base = Base(database=database, clock=clock)
    requests = (request or AiohttpRequest(), request or AiohttpRequest(connections=4))
    api = Api(token=token, base_url=base_url, request=requests[0], polls=requests[1])
    receipts, pace = Receipts(base), Pace()
    sender = Sender(base=base, api=api, receipts=receipts, pace=pace)
    workers = Workers(base=base, office=office, sender=sender, receipts=receipts)
    rounds = Rounds(base=base, workers=workers, sender=sender, pace=pace, tenure=Tenure(base, "pacing"))
    return App(
        base=base, api=api, requests=requests, workers=workers, sender=sender, rounds=rounds, watchdog=Watchdog()
    )


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where updates come in: the public address, and where to listen behind the proxy."""

    url: str
    host: str
    port: int


@asynccontextmanager
async def polling(app: App) -> AsyncIterator[None]:
    """The bot at work beside something else in the same loop, until the block ends."""
    async with app, _background(app, _poll(app)):
        yield


def run(app: App, *, token: str, log_level: str, address: Address | None = None) -> None:
    """Work until a signal comes: by long polling, or at an address where Telegram calls. Updates are never dropped.

    Raises BadInput for a token that Telegram does not know or an address that cannot be used, Unavailable where the
    watchdog has waited too long.
    """
    log(log_level, token=token)
    try:
        asyncio.run(work(app, token=token, address=address))
    except InvalidToken:
        raise BadInput(
            "Telegram does not know this token.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN"),
            remedy="Copy it again from @BotFather; with a server of your own, check HROMADA_TELEGRAM_URL too.",
        ) from None


async def work(app: App, *, token: str, address: Address | None = None) -> None:
    """The same, within a loop: until a signal comes."""
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    coming = _poll(app) if address is None else _listen(app, token=token, address=address)
    async with app, _background(app, coming) as failing:
        stop = asyncio.create_task(ended.wait())
        await asyncio.wait([stop, failing], return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        logger.info("The bot ends.")


@asynccontextmanager
async def _background(app: App, coming: Coroutine[None, None, None]) -> AsyncIterator[asyncio.Task[None]]:
    """Rounds and the given work until the block ends; at its end, what made the work fail is raised."""
    task = asyncio.create_task(coming)
    beside = [app.rounds.run(), introduce(app.api, app.workers.office.introductions)]
    tasks = [task, *map(asyncio.create_task, beside)]
    try:
        yield task
    finally:
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if not task.cancelled():
        task.result()


async def _poll(app: App) -> None:
    tenure = Tenure(app.base, NAME)
    poller = Poller(
        base=app.base, api=app.api, workers=app.workers, tenure=tenure, watchdog=app.watchdog, begun=app.recover
    )
    both = [asyncio.create_task(poller.run()), asyncio.create_task(app.watchdog.run())]
    try:
        done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        done.pop().result()
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        with suppress(HromadaError):
            await tenure.give_back()


async def _listen(app: App, *, token: str, address: Address) -> None:
    webhook = Webhook(base=app.base, workers=app.workers, secret=secret(token))
    try:
        await webhook.start(host=address.host, port=address.port)
    except OSError as failure:
        raise BadInput(
            f"The bot cannot listen there: {failure.strerror}.", where=Where(field="HROMADA_WEBHOOK_LISTEN")
        ) from None
    try:
        await app.recover()
        await _announce(app, token=token, url=f"{address.url.rstrip('/')}{PATH}")
        await asyncio.Event().wait()
    finally:
        await webhook.stop()


async def _announce(app: App, *, token: str, url: str) -> None:
    """Tell Telegram where to call, as often as it takes."""
    pause = 1.0
    while True:
        try:
            await app.api.set_webhook(
                url,
                secret_token=secret(token),
                allowed_updates=list(KINDS),
                max_connections=CONNECTIONS,
                drop_pending_updates=False,
            )
        except InvalidToken:
            raise
        except TelegramError as failure:
            logger.warning("Telegram cannot be told where to call: %s", type(failure).__name__)
            await asyncio.sleep(pause)
            pause = min(30.0, pause * 2)
        else:
            return
