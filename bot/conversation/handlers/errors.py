"""The one place where the bot's exceptions become words: kind for the person, exact and nameless for the log."""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import Iterator
from contextlib import suppress

from telegram import Update
from telegram.error import Forbidden, NetworkError, RetryAfter, TelegramError
from telegram.ext import ContextTypes

from annotation.errors import HromadaError, Unavailable
from bot.conversation.texts import nearest, texts

log = logging.getLogger(__name__)


async def handle(update: object, context: ContextTypes.DEFAULT_TYPE) -> None:
    """Log what happened under a code without names or ids, and tell the person how to go on."""
    failure = context.error
    if isinstance(failure, Forbidden):
        log.info("A person has blocked the bot.")
        return
    if update is None and isinstance(failure, NetworkError):
        log.warning("Telegram does not answer: %s", type(failure).__name__)
        return
    code = secrets.token_hex(3)
    number = update.update_id if isinstance(update, Update) else None
    log.error("Code %s, update %s: %s", code, number, "".join(_chain(failure)))
    if isinstance(update, Update) and not isinstance(failure, RetryAfter):
        await _tell(update, context, failure, code)


def _chain(failure: BaseException | None) -> Iterator[str]:
    """What led to what, and in which lines; only errors of ours and of Telegram's speak for themselves.

    The words of any other, a database driver's above all, could hold what it was doing: somebody's Telegram id.
    """
    while failure is not None:
        words = f": {failure}" if isinstance(failure, (HromadaError, NetworkError)) else ""
        yield f"{type(failure).__name__}{words}\n{''.join(traceback.format_tb(failure.__traceback__))}"
        failure = failure.__cause__ or failure.__context__


async def _tell(update: Update, context: ContextTypes.DEFAULT_TYPE, failure: Exception | None, code: str) -> None:
    chat, user = update.effective_chat, update.effective_user
    if chat is None:
        return
    say = texts(nearest(user.language_code if user else None))
    busy = isinstance(failure, Unavailable)
    try:
        await context.bot.send_message(chat.id, say("busy") if busy else say("trouble", code=code))
    except TelegramError as second:
        log.warning("Code %s could not be told: %s", code, type(second).__name__)
    if update.callback_query is not None:
        with suppress(TelegramError):  # it may be answered already; unanswered, the button would go on spinning
            await update.callback_query.answer()
