"""The whole conversation: from an update to the calls that follow, in one transaction; nothing is sent from here."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session

from annotation.errors import BadInput, Stale
from annotation.store.models import Annotator
from annotation.workflow.annotators import reachability, registration
from bot.conversation import callbacks, conversation_state, handlers
from bot.conversation.conversation_state import Standing, State, Step
from bot.conversation.handlers import errors
from bot.conversation.texts import nearest, texts
from bot.conversation.update_context import Visit
from bot.conversation.updates_and_calls import MOST_TEXT, Acknowledge, Calls, Desk, Incoming, Kind, Send
from bot.conversation.views import message_layout

SPOKEN = {Kind.MESSAGE, Kind.EDITED, Kind.TAP}
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def respond(session: Session, incoming: Incoming, *, now: datetime, desk: Desk) -> Calls:
    """Handle an update; the caller commits, and makes the calls after that, in their order."""
    if not incoming.private:
        return _in_a_group(incoming)
    if incoming.kind is Kind.BLOCKED:
        reachability.lost(session, telegram_id=incoming.telegram_id, now=now)
    if incoming.kind not in SPOKEN:
        return ()
    incoming = replace(incoming, text=_readable(incoming.text))
    person, standing = _person(session, incoming, now=now, desk=desk)
    press = callbacks.decode(incoming.data) if incoming.kind is Kind.TAP else None
    visit = Visit(session=session, incoming=incoming, now=now, desk=desk, person=person, standing=standing, press=press)
    try:
        return handlers.handle(visit)
    except (Stale, BadInput) as failure:
        return errors.refused(visit, failure)


def _person(session: Session, incoming: Incoming, *, now: datetime, desk: Desk) -> tuple[Annotator, Standing]:
    """Who it is from, and where she stands; somebody new is asked first in which language to speak."""
    found = conversation_state.find(session, telegram_id=incoming.telegram_id)
    if found is not None:
        reachability.back(session, person=found[0])
        return found
    made = registration.join(
        session,
        telegram_id=incoming.telegram_id,
        language=nearest(incoming.language_code),
        key=desk.key,
        now=now,
        simulated=desk.simulated,
    )
    standing = Standing(made.id or 0, State())
    standing.keep(session, State(step=Step.LANGUAGE), now=now)
    return made, standing


def _in_a_group(incoming: Incoming) -> Calls:
    """Work is for private chats; a group is told so where somebody calls the bot, and is left alone otherwise."""
    say = texts(nearest(incoming.language_code))
    if incoming.kind is Kind.TAP and incoming.query_id is not None:
        return (Acknowledge(query_id=incoming.query_id, text=say("only-private")),)
    if incoming.kind is Kind.MESSAGE and (incoming.text or "").startswith("/"):
        return (Send(chat_id=incoming.chat_id, html=message_layout.said(say, say("only-private")).html),)
    return ()


def _readable(text: str | None) -> str | None:
    """What a database can keep of a text, and no more of it than is read."""
    return None if text is None else _UNSTORABLE.sub("", text[:MOST_TEXT])
