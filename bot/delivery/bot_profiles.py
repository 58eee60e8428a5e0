"""The profile of the bot: the commands and descriptions that Telegram shows of it, in each language.

It is looked at when a bot starts, and set where it differs from what this program says.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from telegram import BotCommand
from telegram.error import TelegramError

from bot.conversation.updates_and_calls import BotProfile
from bot.delivery.telegram_api import CallNotSent, TelegramApi

log = logging.getLogger(__name__)


async def update_bot_profiles(api: TelegramApi, profiles: Sequence[BotProfile]) -> None:
    """Set what the bot's profiles show, where it differs: Telegram allows these calls only a few times an hour.

    A failure is logged, and the next start of the bot tries again.
    """
    try:
        for profile in profiles:
            await _update_bot_profile(api, profile)
    except TelegramError as failure:
        reason = "Telegram cannot be reached" if isinstance(failure, CallNotSent) else type(failure).__name__
        log.warning("The profile of the bot could not be updated: %s", reason)


async def _update_bot_profile(api: TelegramApi, profile: BotProfile) -> None:
    """Set the commands and the two descriptions of one language; raises TelegramError."""
    language_code = profile.language or None
    commands = tuple(BotCommand(name, description) for name, description in profile.commands.items())
    if await api.get_my_commands(language_code=language_code) != commands:
        await api.set_my_commands(commands, language_code=language_code)
    if (await api.get_my_description(language_code=language_code)).description != profile.description:
        await api.set_my_description(profile.description, language_code=language_code)
    if (await api.get_my_short_description(language_code=language_code)).short_description != profile.about:
        await api.set_my_short_description(profile.about, language_code=language_code)
