"""A conversation small enough to read at a glance: an item, a tap, "✓", the next."""

from __future__ import annotations

import re
from datetime import datetime

from sqlmodel import Session

from annotation.errors import Stale
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from bot.conversation.updates_and_calls import Acknowledge, Button, Calls, Desk, Edit, Incoming, Kind, Send
from bot.delivery.workers import Office

KEY = b"k" * 32
TAP = re.compile("a:([0-9]+):([0-9]+):([01])")


def respond(session: Session, incoming: Incoming, *, now: datetime, desk: Desk) -> Calls:
    """A tap is saved and brings the next item; a message brings the item in hand. "boom" is a mistake of ours."""
    if incoming.text == "boom":
        raise LookupError(f"person {incoming.telegram_id} said boom")
    if incoming.kind not in {Kind.TAP, Kind.MESSAGE}:
        return ()
    person = registration.join(session, telegram_id=incoming.telegram_id, language="uk", key=desk.key, now=now)
    who = person.id or 0
    tap = TAP.fullmatch(incoming.data or "")
    if tap is None:
        return _shown(session, incoming, who, now)
    try:
        saved = assignments.submit(
            session,
            annotator_id=who,
            assignment_id=int(tap[1]),
            revision=int(tap[2]),
            answers={"answer": ("перше", "друге")[int(tap[3])]},
            now=now,
        )
    except Stale:
        return (Acknowledge(query_id=incoming.query_id or "", text="stale"), *_shown(session, incoming, who, now))
    told = Acknowledge(query_id=incoming.query_id or "", text="again" if saved.repeated else "saved")
    text = f"✓ {tap[1]} · {saved.answer}"
    edit = Edit(chat_id=incoming.chat_id, message=incoming.message_id or 0, html=text)
    return (told, edit, *(() if saved.repeated else _shown(session, incoming, who, now)))


def _shown(session: Session, incoming: Incoming, who: int, now: datetime) -> Calls:
    offer = assignments.next_item(session, annotator_id=who, now=now)
    if not isinstance(offer, assignments.Offer):
        return (Send(chat_id=incoming.chat_id, html="all done"),)
    first = f"a:{offer.assignment_id}:{offer.revision}"
    buttons = tuple(Button(label, f"{first}:{index}") for index, label in enumerate("AB"))
    return (
        Send(
            chat_id=incoming.chat_id,
            html=f"item {offer.assignment_id}",
            buttons=(buttons,),
            remember=offer.assignment_id,
        ),
    )


def sorry(incoming: Incoming, failure: Exception, code: str) -> Calls:
    """What follows from "boom"."""
    return (Send(chat_id=incoming.chat_id, html=f"sorry, {type(failure).__name__}, {len(code)}"),)


def office(*, protect: bool = True) -> Office:
    """Everything that delivery needs of it."""
    return Office(respond=respond, sorry=sorry, desk=Desk(key=KEY), protect=protect)
