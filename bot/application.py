"""The python-telegram-bot application. Nothing is built at import; `hromada bot` and the demo build theirs here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from telegram import BotCommand, LinkPreviewOptions, Update
from telegram.constants import ParseMode
from telegram.error import InvalidToken
from telegram.ext import (
    Application,
    ApplicationBuilder,
    BaseUpdateProcessor,
    CallbackQueryHandler,
    Defaults,
    MessageHandler,
    filters,
)
from telegram.request import BaseRequest

from annotation.errors import BadInput, Where
from annotation.store.database import Database
from bot.conversation.desk import Desk
from bot.conversation.handlers import errors, working
from bot.conversation.texts import LANGUAGES, texts

App = Application[Any, Any, Any, Any, Any, Any]
UPDATES = [Update.MESSAGE, Update.CALLBACK_QUERY]
AT_ONCE = 16


class OnePerPerson(BaseUpdateProcessor):
    """Up to 16 updates at once, but one at a time, in their order, for each person."""

    def __init__(self) -> None:
        super().__init__(AT_ONCE)
        self._locks: dict[int, tuple[asyncio.Lock, int]] = {}

    async def initialize(self) -> None:
        """Nothing to prepare."""

    async def shutdown(self) -> None:
        """Nothing to close."""

    async def do_process_update(self, update: object, coroutine: Any) -> None:
        """Wait for this person's earlier updates, then handle this one."""
        person = update.effective_user.id if isinstance(update, Update) and update.effective_user else None
        if person is None:
            await coroutine
            return
        lock, waiting = self._locks.get(person, (asyncio.Lock(), 0))
        self._locks[person] = (lock, waiting + 1)
        try:
            async with lock:
                await coroutine
        finally:
            lock, waiting = self._locks.pop(person)
            if waiting > 1:
                self._locks[person] = (lock, waiting - 1)


def build(
    *,
    token: str,
    database: Database,
    key: bytes,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    request: BaseRequest | None = None,
    base_url: str | None = None,
    simulated: bool = False,
) -> App:
    """The application on a database; `request` replaces the network, `clock` the time."""
    private = Defaults(
        parse_mode=ParseMode.HTML, protect_content=True, link_preview_options=LinkPreviewOptions(is_disabled=True)
    )
    builder = ApplicationBuilder().token(token).defaults(private).concurrent_updates(OnePerPerson())
    if base_url is not None:
        builder = builder.base_url(base_url)
    if request is not None:
        builder = builder.request(request).get_updates_request(request)
    app: App = builder.post_init(_prepare).build()
    app.bot_data["desk"] = Desk(database=database, key=key, clock=clock, simulated=simulated)
    for handler in (
        CallbackQueryHandler(working.tap),
        MessageHandler(filters.ChatType.PRIVATE, working.show),
    ):
        app.add_handler(handler)
    app.add_error_handler(errors.handle)
    return app


def run(*, token: str, base_url: str, database: Database, key: bytes, log_level: str) -> None:
    """Poll Telegram until a signal comes; updates that wait are never dropped."""
    log(log_level, token=token)
    app = build(token=token, database=database, key=key, base_url=base_url)
    logging.getLogger(__name__).info("Asking %s; while it does not answer, the question is repeated.", base_url)
    try:
        app.run_polling(allowed_updates=UPDATES, bootstrap_retries=-1, drop_pending_updates=False)
    except InvalidToken:
        raise BadInput(
            "Telegram does not know this token.",
            where=Where(field="HROMADA_TELEGRAM_TOKEN"),
            remedy="Copy it again from @BotFather; with a server of your own, check HROMADA_TELEGRAM_URL too.",
        ) from None
    finally:
        close(app)


@asynccontextmanager
async def polling(app: App) -> AsyncIterator[None]:
    """The bot at work beside something else in the same loop, until the block ends."""
    async with app:
        await _prepare(app)
        if app.updater is not None:
            await app.updater.start_polling(allowed_updates=UPDATES, drop_pending_updates=False)
        await app.start()
        try:
            yield
        finally:
            if app.updater is not None:
                await app.updater.stop()
            await app.stop()
            close(app)


class Nameless(logging.Formatter):
    """Log lines without the token, wherever a library writes it."""

    def __init__(self, token: str) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._token = token

    def format(self, record: logging.LogRecord) -> str:
        """The line, traceback included, less the token."""
        return super().format(record).replace(self._token, "(token)")


def log(level: str, *, token: str) -> None:
    """Log to the error stream; what libraries say below WARNING holds ids and texts, and is left out."""
    handler = logging.StreamHandler()
    handler.setFormatter(Nameless(token))
    handler.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], InvalidToken)))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for library in ("telegram", "httpx", "httpcore", "sqlalchemy", "asyncio"):
        logging.getLogger(library).setLevel(logging.WARNING)


def close(app: App) -> None:
    """Wait for the last write."""
    desk: Desk = app.bot_data["desk"]
    desk.close()


async def _prepare(app: App) -> None:
    """The menu of commands in every language."""
    logging.getLogger(__name__).info("The bot is @%s.", app.bot.username)
    for language in LANGUAGES:
        command = BotCommand("start", texts(language)("command-start"))
        await app.bot.set_my_commands([command], language_code=language)
