"""The one place where the bot's exceptions become words."""

from __future__ import annotations

from annotation.errors import HromadaError, Stale, Unavailable
from bot.conversation import navigation
from bot.conversation.texts import nearest, texts
from bot.conversation.update_context import Visit, joined
from bot.conversation.updates_and_calls import Acknowledge, Call, Calls, Incoming, Send
from bot.conversation.views import message_layout


def refused(visit: Visit, failure: HromadaError) -> Calls:
    """What cannot be done: a sentence about it, and the way to where the person is."""
    message = "stale" if isinstance(failure, Stale) else "not-taken"
    told = visit.acknowledge(message) or visit.tell(message)
    return joined(told, navigation.lead(visit.spoken()))


def sorry(incoming: Incoming, failure: Exception, code: str) -> Calls:
    """What a person is told when her update could not be handled; `code` finds it in the log."""
    say = texts(nearest(incoming.language_code))
    words = say("busy") if isinstance(failure, Unavailable) else say("trouble", code=code)
    told: list[Call] = [] if incoming.query_id is None else [Acknowledge(query_id=incoming.query_id)]
    return (*told, Send(chat_id=incoming.chat_id, html=message_layout.said(say, words).html))
