"""What delivery is given of the conversation: the functions that it calls, and the settings that it passes on."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from sqlmodel import Session
from telegram import BotCommand
from telegram.error import InvalidToken, NetworkError, TelegramError

from annotation.errors import HromadaError
from annotation.workflow.organisers.alerts import Observation
from bot.conversation.updates_and_calls import BotProfile, ConversationSettings, IncomingUpdate, TelegramCalls
from bot.delivery.log_format import LogFormat, make_formatter
from bot.delivery.telegram_api import CallNotSent, TelegramApi

PROFILE_SECONDS = 3600.0
"""Seconds between two attempts to update the profiles of the bot."""
QUIET_LIBRARIES = ("alembic", "telegram", "aiohttp", "sqlalchemy", "asyncio")
"""The libraries of which only warnings and errors are logged."""


def configure_logging(level: str, *tokens: str, log_format: LogFormat = "text") -> None:
    """Log to the error stream. What libraries log below WARNING is left out, because it has ids and texts of people.

    Records of InvalidToken are left out too: `run_application` explains it in its own words.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(make_formatter(log_format, *tokens))
    handler.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], InvalidToken)))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for library in QUIET_LIBRARIES:
        logging.getLogger(library).setLevel(logging.WARNING)


def format_trace(failure: BaseException) -> str:
    """The traceback of a failure and its causes, without names, ids or texts.

    Only messages of our own errors and of network errors are included: those of any other library, such as a database
    driver, could hold a Telegram id.
    """
    return "".join(_list_causes(failure))


def _list_causes(failure: BaseException | None) -> Iterator[str]:
    while failure is not None:
        message = f": {failure}" if isinstance(failure, (HromadaError, NetworkError)) else ""
        yield f"{type(failure).__name__}{message}\n{''.join(traceback.format_tb(failure.__traceback__))}"
        failure = failure.__cause__ or failure.__context__


log = logging.getLogger(__name__)


async def update_bot_profiles(api: TelegramApi, profiles: Sequence[BotProfile]) -> None:
    """Set what the bot's profiles show, where it differs: Telegram allows these calls only a few times an hour.

    A failure is logged once, and tried again every hour.
    """
    is_logged = False
    while True:
        try:
            for profile in profiles:
                await _update_bot_profile(api, profile)
        except TelegramError as failure:
            reason = "Telegram cannot be reached" if isinstance(failure, CallNotSent) else type(failure).__name__
            if not is_logged:
                log.warning("The profile of the bot could not be updated; it is tried again every hour: %s", reason)
            is_logged = True
            await asyncio.sleep(PROFILE_SECONDS)
        else:
            return


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


class UpdateHandler(Protocol):
    """A function that handles an update within a transaction, and returns the calls to make: the conversation."""

    def __call__(
        self, session: Session, incoming: IncomingUpdate, *, now: datetime, settings: ConversationSettings
    ) -> TelegramCalls: ...


class NotificationSource(Protocol):
    """A function that returns messages to users that answer no update; they are stored in the same transaction.

    `observed` is what the `CampaignObserver` has read, if it was its turn.
    """

    def __call__(self, session: Session, *, now: datetime, observed: Observation | None) -> TelegramCalls: ...


class CampaignObserver(Protocol):
    """A function that reads, in a transaction that writes nothing, what organisers may have to be told."""

    def __call__(self, session: Session, *, now: datetime) -> Observation | None: ...


def _observe_nothing(*_: object, **__: object) -> None:
    """The observer for a bot that has no organisers."""


class FailureExplainer(Protocol):
    """A function that returns the calls by which a user is told that an update could not be handled.

    It may change what keeps the next one from being handled.
    """

    def __call__(self, session: Session, incoming: IncomingUpdate, failure: Exception, code: str) -> TelegramCalls: ...


class OwnBotNamer(Protocol):
    """A function that returns the calls by which a bot tells somebody which other bot they belong to (`name`)."""

    def __call__(self, session: Session, incoming: IncomingUpdate, *, name: str) -> TelegramCalls: ...


def _name_nothing(*_: object, **__: object) -> TelegramCalls:
    """The namer for the only bot of an installation."""
    return ()


@dataclass(frozen=True, kw_only=True)
class DeliverySettings:
    """The functions and settings of the conversation that delivery calls and passes on.

    `protect` says whether messages may be protected from forwarding and saving. `bot_names` are the bots of the
    installation by their ids, each with its user name, which is empty where it is not known.
    """

    handle_update: UpdateHandler
    explain_failure: FailureExplainer
    conversation: ConversationSettings
    protect: bool = True
    collect_notifications: NotificationSource = lambda *_, **__: ()
    observe_campaigns: CampaignObserver = _observe_nothing
    bot_profiles: tuple[BotProfile, ...] = ()
    bot_names: Mapping[int, str] = field(default_factory=dict)
    name_own_bot: OwnBotNamer = _name_nothing
