"""The conversation's calls as the Bot API takes them, put into letters: what may be made twice, and what may not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from annotation.store.outbox import Draft
from bot.conversation.updates_and_calls import Acknowledge, Call, Commands, Document, Edit, OfAssignment, Rows, Send

Find = Callable[[int], int | None]
"""The message under which an assignment stands, if any."""
MOST_TOAST = 200


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """One call: a method of the Bot API with its data but the chat, as they are stored."""

    chat_id: int | None
    made: Mapping[str, Any]
    repeatable: bool = True
    content: bytes | None = None


def drafts(calls: Iterable[Call], *, chat_id: int, protect: bool, find: Find) -> Iterator[Draft]:
    """Letters: calls for one chat that may be repeated go together, one that may not goes alone."""
    prepared = [one for call in calls for one in _prepared(call, protect=protect, find=find)]
    numbered = enumerate(prepared)
    for (chat, repeatable, _), group in groupby(
        numbered, key=lambda pair: (pair[1].chat_id or chat_id, pair[1].repeatable, not pair[1].repeatable and pair[0])
    ):
        several = [one for _, one in group]
        yield Draft(
            chat_id=chat,
            calls=[one.made for one in several],
            content=several[0].content if len(several) == 1 else None,
            repeatable=repeatable,
        )


def _prepared(call: Call, *, protect: bool, find: Find) -> Iterator[Prepared]:
    match call:
        case Acknowledge():
            data = {"callback_query_id": call.query_id, "text": call.text[:MOST_TOAST], "show_alert": call.alert}
            yield Prepared(chat_id=None, made=_made("answerCallbackQuery", data))
        case Edit():
            message = find(call.message.assignment_id) if isinstance(call.message, OfAssignment) else call.message
            if message is not None:
                data = {"message_id": message, **_text(call.html), **_keyboard(call.buttons)}
                yield Prepared(chat_id=call.chat_id, made=_made("editMessageText", data))
        case Send():
            yield _sent(call, protect=protect)
        case Document():
            data = {"caption": call.caption, "name": call.name}
            made = _made("sendDocument", data)
            yield Prepared(chat_id=call.chat_id, made=made, repeatable=False, content=call.content)
        case Commands():
            commands = [{"command": name, "description": said} for name, said in call.commands.items()]
            scope = {"type": "chat", "chat_id": call.chat_id}
            yield Prepared(chat_id=call.chat_id, made=_made("setMyCommands", {"commands": commands, "scope": scope}))


def _sent(call: Send, *, protect: bool) -> Prepared:
    data = {
        **_text(call.html),
        **_keyboard(call.buttons),
        "disable_notification": call.silent,
        "protect_content": call.protect and protect,
    }
    if call.reply is not None:
        data["reply_markup"] = {"force_reply": True, "input_field_placeholder": call.reply}
    noted = {"shows": call.remember, "answers": call.answers}
    made = _made("sendMessage", data) | {name: value for name, value in noted.items() if value is not None}
    return Prepared(chat_id=call.chat_id, made=made, repeatable=call.repeatable)


def _made(method: str, data: Mapping[str, Any]) -> dict[str, Any]:
    return {"method": method, "data": {name: value for name, value in data.items() if value not in ("", None, False)}}


def _text(html: str) -> dict[str, Any]:
    return {"text": html, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}


def _keyboard(rows: Rows) -> dict[str, Any]:
    if not rows:
        return {}
    keyboard = [[{"text": button.label, "callback_data": button.data} for button in row] for row in rows]
    return {"reply_markup": {"inline_keyboard": keyboard}}
