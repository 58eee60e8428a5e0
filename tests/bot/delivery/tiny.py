"""A conversation small enough to read at a glance: an item, a tap, "✓", the next."""

from __future__ import annotations

import re
from datetime import datetime

from sqlmodel import Session

from annotation.errors import Stale
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from bot.conversation.updates_and_calls import (
    ConversationSettings,
    IncomingUpdate,
    InlineButton,
    MessageEdit,
    NewMessage,
    TapAcknowledgement,
    TelegramCalls,
    UpdateKind,
)
from bot.delivery.delivery_settings import DeliverySettings

KEY = b"k" * 32
TAP = re.compile("a:([0-9]+):([0-9]+):([01])")


def handle_update(
    session: Session, incoming: IncomingUpdate, *, now: datetime, settings: ConversationSettings
) -> TelegramCalls:
    """A tap is saved and brings the next item; a message brings the item in hand. "boom" is a mistake of ours."""
    if incoming.text == "boom":
        raise LookupError(f"person {incoming.telegram_id} said boom")
    if incoming.kind not in {UpdateKind.TAP, UpdateKind.MESSAGE}:
        return ()
    person = registration.register_telegram_annotator(
        session, telegram_id=incoming.telegram_id, language="uk", key=settings.key, now=now
    )
    annotator_id = person.id or 0
    tap = TAP.fullmatch(incoming.data or "")
    if tap is None:
        return _shown(session, incoming, annotator_id, now)
    try:
        saved = assignments.submit_judgement(
            assignments.open_assignment(
                assignments.lock_annotator(session, annotator_id), assignment_id=int(tap[1]), now=now
            ),
            revision=int(tap[2]),
            answers={"answer": ("перше", "друге")[int(tap[3])]},
            now=now,
        )
    except Stale:
        return (
            TapAcknowledgement(query_id=incoming.query_id or "", text="stale"),
            *_shown(session, incoming, annotator_id, now),
        )
    acknowledgement = TapAcknowledgement(query_id=incoming.query_id or "", text="again" if saved.repeated else "saved")
    text = f"✓ {tap[1]} · {saved.answer}"
    edit = MessageEdit(chat_id=incoming.chat_id, message=incoming.message_id or 0, html=text)
    return (acknowledgement, edit, *(() if saved.repeated else _shown(session, incoming, annotator_id, now)))


def _shown(session: Session, incoming: IncomingUpdate, annotator_id: int, now: datetime) -> TelegramCalls:
    item = assignments.assign_next_item(assignments.lock_annotator(session, annotator_id), now=now)
    if not isinstance(item, assignments.AssignedItem):
        return (NewMessage(chat_id=incoming.chat_id, html="all done"),)
    first = f"a:{item.assignment_id}:{item.revision}"
    buttons = tuple(InlineButton(label, f"{first}:{index}") for index, label in enumerate("AB"))
    return (
        NewMessage(
            chat_id=incoming.chat_id,
            html=f"item {item.assignment_id}",
            buttons=(buttons,),
            assignment_id=item.assignment_id,
        ),
    )


def explain_failure(
    session: Session,
    incoming: IncomingUpdate,
    failure: Exception,
    code: str,
) -> TelegramCalls:
    """What follows from "boom"."""
    return (NewMessage(chat_id=incoming.chat_id, html=f"sorry, {type(failure).__name__}, {len(code)}"),)


def build_settings(*, protect: bool = True) -> DeliverySettings:
    """Everything that delivery needs of it."""
    return DeliverySettings(
        handle_update=handle_update,
        explain_failure=explain_failure,
        conversation=ConversationSettings(key=KEY),
        protect=protect,
    )
