"""Who the bot is, told to Telegram when it starts: the menu of commands and the descriptions, in every language."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from telegram import BotCommand
from telegram.error import TelegramError

from bot.conversation.updates_and_calls import Introduction
from bot.delivery.telegram_api import Api

log = logging.getLogger(__name__)


async def introduce(api: Api, introductions: Sequence[Introduction]) -> None:
    """Set what is not so yet: Telegram lets these calls be made a few times an hour. A failure is left for the next
    start.
    """
    try:
        for one in introductions:
            await _introduce(api, one)
    except TelegramError as failure:
        log.warning("The menu of commands is as it was: %s", type(failure).__name__)


async def _introduce(api: Api, told: Introduction) -> None:
    code = told.language or None
    menu = tuple(BotCommand(name, description) for name, description in told.commands.items())
    if await api.get_my_commands(language_code=code) != menu:
        await api.set_my_commands(menu, language_code=code)
    if (await api.get_my_description(language_code=code)).description != told.description:
        await api.set_my_description(told.description, language_code=code)
    if (await api.get_my_short_description(language_code=code)).short_description != told.about:
        await api.set_my_short_description(told.about, language_code=code)
