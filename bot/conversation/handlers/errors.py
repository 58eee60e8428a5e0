"""The one place where the bot's exceptions become words: kind for the person, exact and nameless for the log."""

from __future__ import annotations

import logging
import secrets

from telegram import Update
from telegram.error import Forbidden, NetworkError, RetryAfter, TelegramError
from telegram.ext import ContextTypes

from annotation.errors import Unavailable
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
    log.error("Code %s, update %s", code, number, exc_info=failure)
    if isinstance(update, Update) and not isinstance(failure, RetryAfter):
        await _tell(update, context, failure, code)


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
