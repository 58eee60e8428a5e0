"""What delivery is given of the conversation: the functions that it calls, and the settings that it passes on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlmodel import Session

from annotation.workflow.organisers.alerts import Observation
from bot.conversation.updates_and_calls import BotProfile, ConversationSettings, IncomingUpdate, TelegramCalls


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


def _list_no_notifications(*_: object, **__: object) -> TelegramCalls:
    """The source of notifications for a bot that has none."""
    return ()


def _observe_nothing(*_: object, **__: object) -> None:
    """The observer for a bot that has no organisers."""


class FailureExplainer(Protocol):
    """A function that returns the calls by which a user is told that an update could not be handled.

    It may change what keeps the next one from being handled.
    """

    def __call__(self, session: Session, incoming: IncomingUpdate, failure: Exception, code: str) -> TelegramCalls: ...


@dataclass(frozen=True, kw_only=True)
class DeliverySettings:
    """The functions and settings of the conversation that delivery calls and passes on.

    `protect` says whether messages may be protected from forwarding and saving.
    """

    handle_update: UpdateHandler
    explain_failure: FailureExplainer
    conversation: ConversationSettings
    protect: bool = True
    collect_notifications: NotificationSource = _list_no_notifications
    observe_campaigns: CampaignObserver = _observe_nothing
    bot_profiles: tuple[BotProfile, ...] = ()
