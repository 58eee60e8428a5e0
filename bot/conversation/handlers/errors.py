"""The one place where the bot's exceptions become words."""

from __future__ import annotations

from annotation.errors import HromadaError, Stale, Unavailable
from bot.conversation import whereabouts
from bot.conversation.exchange import Acknowledge, Call, Calls, Incoming, Send
from bot.conversation.texts import nearest, texts
from bot.conversation.views import screen
from bot.conversation.visits import Visit, joined


def refused(visit: Visit, failure: HromadaError) -> Calls:
    """What cannot be done: a sentence about it, and the way to where the person is."""
    message = "stale" if isinstance(failure, Stale) else "not-taken"
    told = visit.acknowledge(message) or visit.tell(message)
    return joined(told, whereabouts.lead(visit.spoken()))


def sorry(incoming: Incoming, failure: Exception, code: str) -> Calls:
    """What a person is told when her update could not be handled; `code` finds it in the log."""
    say = texts(nearest(incoming.language_code))
    words = say("busy") if isinstance(failure, Unavailable) else say("trouble", code=code)
    told: list[Call] = [] if incoming.query_id is None else [Acknowledge(query_id=incoming.query_id)]
    return (*told, Send(chat_id=incoming.chat_id, html=screen.said(say, words).html))
