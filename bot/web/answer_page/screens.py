"""The messages of the conversation as the answer page shows them to people without Telegram, who have no chat."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session

from annotation.store import mailbox
from annotation.store.mailbox import ShownAssignment, ShownPrompt
from bot.conversation.picture_addresses import make_picture_address
from bot.conversation.updates_and_calls import (
    ButtonAction,
    ButtonRows,
    InlineButton,
    MessageEdit,
    NewDocument,
    NewMessage,
    NewPhoto,
    TelegramCall,
    decode_callback,
)

MAX_SCREEN = 2**53 - 3
"""The highest number of a message that a page can name: its numbers are exact up to here."""


def show_calls(
    session: Session,
    calls: Sequence[TelegramCall],
    *,
    chat_id: int,
    now: datetime,
    after: int,
    with_item: bool,
    key: bytes,
) -> dict[str, Any]:
    """What calls say to one person: `told`, their messages, and `screen`, the number of the last one, 0 without any.

    A message is `html` of the tags that messages have, `rows` of buttons, `hint` where it asks for a text, and perhaps
    a `file` or a `picture`, whose address is signed with the deployment's `key`. Messages that show an item are only
    told `with_item`. Which of them ask for something is stored, as it is for those that Telegram has sent: they are on
    the screen now. An edit that lets an item ask something else, such as a ticked box, counts as a message. Numbers
    follow the time, and are higher than `after`, the number of what was asked last, even if the clock was set back.
    """
    told: list[dict[str, Any]] = []
    shown: list[ShownAssignment | ShownPrompt] = []
    number = max(int(now.timestamp() * 1000), after)
    for call in calls:
        if isinstance(call, MessageEdit) and call.redraws is not None and call.chat_id == chat_id and with_item:
            told.append(_describe_message(call.html, call.buttons))  # the item asks something else now
        if isinstance(call, NewPhoto) and call.chat_id == chat_id and with_item and call.assignment_id is not None:
            source = make_picture_address(call.picture, assignment_id=call.assignment_id, key=key, now=now)
            told.append({"html": "", "rows": [], "hint": None, "picture": {"src": source, "alt": call.caption}})
        if not isinstance(call, NewMessage | NewDocument) or call.chat_id != chat_id:
            continue
        number += 2  # a text that answers it has the number between
        if isinstance(call, NewDocument):
            content = base64.b64encode(call.content).decode()
            told.append({"html": call.caption, "rows": [], "hint": None, "file": {"name": call.name, "data": content}})
            continue
        shown += _list_shown(call, number, now)
        if not call.of_item or with_item:
            told.append(_describe_message(call.html, call.buttons, call.input_hint))
    mailbox.store_shown(session, shown)
    return {"told": told, "screen": number if told or shown else 0}


def _describe_message(html: str, buttons: ButtonRows, hint: str | None = None) -> dict[str, Any]:
    """A message, without buttons that open a page, as this is the page, and those for reminders, which need a chat."""
    rows = [
        [{"label": button.label, "data": button.data} for button in row if button.data and not _is_of_notices(button)]
        for row in buttons
    ]
    return {"html": html, "rows": [row for row in rows if row], "hint": hint}


def _is_of_notices(button: InlineButton) -> bool:
    """Whether a button is about what the bot writes first."""
    callback = decode_callback(button.data)
    return callback is not None and callback.action is ButtonAction.NOTICE


def _list_shown(message: NewMessage, number: int, now: datetime) -> Iterator[ShownAssignment | ShownPrompt]:
    """What a message with this number asks."""
    if message.assignment_id is not None:
        yield ShownAssignment(assignment_id=message.assignment_id, message_id=number, at=now, asks_since=now)
    if message.prompt is not None:
        annotator_id, update_id = message.prompt
        yield ShownPrompt(annotator_id=annotator_id, update_id=update_id, message_id=number)
