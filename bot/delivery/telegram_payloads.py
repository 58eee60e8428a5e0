"""The JSON of the Bot API: updates reduced to what the conversation needs, and calls as they are stored.

Updates are stored without names of people. Repeatable calls share an outbox message; any other call has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from annotation.errors import BadInput, UnknownVersion
from annotation.store.mailbox import OutboxDraft, ReceivedUpdate
from bot.conversation.updates_and_calls import (
    MAX_TEXT,
    AssignmentMessage,
    ButtonRows,
    CommandMenu,
    IncomingUpdate,
    InlineButton,
    MessageEdit,
    NewDocument,
    NewMessage,
    NewPhoto,
    TapAcknowledgement,
    TelegramCall,
    UpdateKind,
)

UPDATE_TYPES = ("message", "edited_message", "callback_query", "my_chat_member")
"""The types of updates that Telegram is asked for."""
MEDIA_FIELDS = (
    "photo", "voice", "sticker", "video", "video_note", "audio", "animation", "document", "location", "contact", "poll",
    "dice", "venue", "story", "game",
)  # fmt: skip
"""The fields of a message that hold something else than text."""
LEFT_STATUSES = {"kicked", "left"}
"""The statuses of a bot in a private chat that the user has blocked."""
PAYLOAD_VERSION = 1
"""The version of the form in which updates are stored; another form gets another number."""
RawUpdate = Mapping[str, Any]
"""An update as the Bot API has it, or the object inside it."""
FindMessageId = Callable[[int], int | None]
"""Finds the id of the message that shows an assignment, by the id of the assignment; None where there is none."""
MAX_TOAST = 200
"""The longest text of a tap's acknowledgement, in characters."""


def parse_update(update: RawUpdate) -> IncomingUpdate | None:
    """The parts of an update that are needed; None for one without a sender, or of a type that was not asked for.

    Raises BadInput for one that has another form than the Bot API's.
    """
    try:
        return _parse_known_update(update)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as failure:
        raise BadInput(f"The update has another form than the Bot API’s ({type(failure).__name__}).") from failure


def _parse_known_update(update: RawUpdate) -> IncomingUpdate | None:
    update_id = update["update_id"]
    update_type = next((name for name in UPDATE_TYPES if name in update), None)
    if update_type is None or "from" not in (body := update[update_type]):
        return None
    sender = body["from"]
    parse_body = {"callback_query": _parse_tap, "my_chat_member": _parse_membership}.get(update_type, _parse_message)
    fields: dict[str, Any] = parse_body(body, edited=update_type == "edited_message")
    chat = fields.pop("chat")
    numbers = update_id, sender["id"], chat.get("id", sender["id"])
    if not all(isinstance(number, int) for number in numbers):
        raise TypeError
    return IncomingUpdate(
        update_id=update_id,
        telegram_id=sender["id"],
        chat_id=numbers[2],
        private=chat.get("type", "private") == "private",
        language_code=_remove_unstorable(str(sender.get("language_code") or ""))[:16] or None,
        **fields,
    )


def dump_update(incoming: IncomingUpdate) -> ReceivedUpdate:
    """The update as the inbox stores it."""
    payload = {name: value for name, value in vars(incoming).items() if value is not None}
    payload |= {"at": incoming.at.timestamp(), "version": PAYLOAD_VERSION}
    return ReceivedUpdate(update_id=incoming.update_id, telegram_id=incoming.telegram_id, payload=payload)


def is_known(payload: Mapping[str, Any]) -> bool:
    """Whether this program knows the form in which an update is stored."""
    return payload.get("version") == PAYLOAD_VERSION


def restore_update(payload: Mapping[str, Any]) -> IncomingUpdate:
    """The update that the inbox stored as this payload; raises UnknownVersion for one of another version."""
    if not is_known(payload):
        raise UnknownVersion("The update was stored by another version of hromada.")
    values = {name: value for name, value in payload.items() if name != "version"}
    return IncomingUpdate(**{**values, "kind": UpdateKind(values["kind"]), "at": _parse_time(values["at"])})


def _parse_message(body: RawUpdate, *, edited: bool) -> dict[str, Any]:
    text = body.get("text", body.get("caption"))
    fields = {
        "kind": UpdateKind.EDITED if edited else UpdateKind.MESSAGE,
        "at": _parse_time(body.get("edit_date" if edited else "date", 0)),
        "chat": body["chat"],
        "text": None if text is None else _remove_unstorable(text[:MAX_TEXT]),
        "media": next((name for name in MEDIA_FIELDS if name in body), None),
        "message_id": body.get("message_id"),
        "reply_to": (body.get("reply_to_message") or {}).get("message_id"),
    }
    if "migrate_to_chat_id" in body or "migrate_from_chat_id" in body:
        fields["kind"] = UpdateKind.MIGRATED
    elif text is None and fields["media"] is None:
        fields["kind"] = UpdateKind.OTHER
    return fields


def _parse_tap(body: RawUpdate, *, edited: bool) -> dict[str, Any]:  # noqa: ARG001
    message = body.get("message") or {}
    return {
        "kind": UpdateKind.TAP,
        "at": datetime.now(UTC),  # a tap carries no time of its own
        "chat": message.get("chat") or {},
        "data": _remove_unstorable(str(body.get("data", ""))[:64]),
        "query_id": body["id"],
        "message_id": message.get("message_id"),
        "reply_to": (message.get("reply_to_message") or {}).get("message_id"),
    }


def _parse_membership(body: RawUpdate, *, edited: bool) -> dict[str, Any]:  # noqa: ARG001
    has_left = body["new_chat_member"]["status"] in LEFT_STATUSES
    private = body["chat"].get("type") == "private"
    kind = UpdateKind.OTHER if not private else UpdateKind.BLOCKED if has_left else UpdateKind.UNBLOCKED
    return {"kind": kind, "at": _parse_time(body.get("date", 0)), "chat": body["chat"]}


def _parse_time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _remove_unstorable(text: str) -> str:
    """A text without characters that no database stores: NUL and lone surrogates."""
    return text.replace("\0", "").encode(errors="ignore").decode()


@dataclass(frozen=True, kw_only=True)
class PreparedCall:
    """A call to be stored: `payload` is the Bot API method with its data, `content` the file to upload.

    `chat_id` is None for a call that belongs to the chat of the update. `notice` and `send_before` are as in
    `NewMessage`.
    """

    chat_id: int | None
    payload: Mapping[str, Any]
    repeatable: bool = True
    content: bytes | None = None
    notice: str | None = None
    send_before: datetime | None = None


def build_outbox_drafts(
    calls: Iterable[TelegramCall], *, chat_id: int, protect: bool, find_message_id: FindMessageId
) -> Iterator[OutboxDraft]:
    """Outbox messages for the calls, in their order: successive repeatable calls for one chat share a message.

    `chat_id` is the chat of the update that the calls answer; without `protect` no message is protected.
    """
    prepared_calls = [
        prepared
        for call in calls
        for prepared in _prepare_calls(call, protect=protect, find_message_id=find_message_id)
    ]

    def get_group(numbered: tuple[int, PreparedCall]) -> tuple[int, bool, int | None]:
        """What calls of the same message have in common; the number of a call that is not repeatable sets it apart."""
        number, prepared = numbered
        return prepared.chat_id or chat_id, prepared.repeatable, None if prepared.repeatable else number

    for (message_chat_id, repeatable, _), numbered_calls in groupby(enumerate(prepared_calls), key=get_group):
        group = [prepared for _, prepared in numbered_calls]
        yield OutboxDraft(
            chat_id=message_chat_id,
            calls=[prepared.payload for prepared in group],
            content=group[0].content if len(group) == 1 else None,
            repeatable=repeatable,
            notice=group[0].notice,
            send_before=group[0].send_before,
        )


def _prepare_calls(call: TelegramCall, *, protect: bool, find_message_id: FindMessageId) -> Iterator[PreparedCall]:
    """The call as it is stored.

    An edit of an item message that is not known yet, because it is on its way, names the assignment as `edits`: the
    sender looks the message up when those before it are sent.
    """
    match call:
        case TapAcknowledgement():
            data = {"callback_query_id": call.query_id, "text": call.text[:MAX_TOAST], "show_alert": call.alert}
            yield PreparedCall(chat_id=None, payload=_build_call("answerCallbackQuery", data))
        case MessageEdit():
            message = call.message
            message_id = find_message_id(message.assignment_id) if isinstance(message, AssignmentMessage) else message
            data = {"message_id": message_id, **_build_text(call.html), **_build_keyboard(call.buttons)}
            reference = {} if call.redraws is None else {"redraws": call.redraws}
            if isinstance(message, AssignmentMessage) and message_id is None:
                reference["edits"] = message.assignment_id
            yield PreparedCall(chat_id=call.chat_id, payload=_build_call("editMessageText", data) | reference)
        case NewMessage():
            yield _prepare_new_message(call, protect=protect)
        case NewPhoto():
            data = {"caption": call.caption, "protect_content": call.protect and protect, "disable_notification": True}
            references = {"picture": call.picture, "illustrates": call.assignment_id}
            payload = _build_call("sendPhoto", data)
            payload |= {name: value for name, value in references.items() if value is not None}
            yield PreparedCall(chat_id=call.chat_id, payload=payload)
        case NewDocument():
            data = {"caption": call.caption, "name": call.name}
            payload = _build_call("sendDocument", data)
            yield PreparedCall(chat_id=call.chat_id, payload=payload, repeatable=False, content=call.content)
        case CommandMenu():
            commands = [{"command": name, "description": description} for name, description in call.commands.items()]
            scope = {"type": "chat", "chat_id": call.chat_id}
            yield PreparedCall(
                chat_id=call.chat_id, payload=_build_call("setMyCommands", {"commands": commands, "scope": scope})
            )


def _prepare_new_message(call: NewMessage, *, protect: bool) -> PreparedCall:
    data = {
        **_build_text(call.html),
        **_build_keyboard(call.buttons),
        "disable_notification": call.silent,
        "protect_content": call.protect and protect,
    }
    if call.input_hint is not None:
        data["reply_markup"] = {"force_reply": True, "input_field_placeholder": call.input_hint}
    if call.reply_to is not None:
        data["reply_parameters"] = build_reply(call.reply_to)
    references = {"shows": call.assignment_id, "answers": call.answered_message_id, "asks": call.prompt}
    references["above"] = call.replies_above or None
    payload = _build_call("sendMessage", data) | {
        name: value for name, value in references.items() if value is not None
    }
    return PreparedCall(
        chat_id=call.chat_id,
        payload=payload,
        repeatable=call.repeatable,
        notice=call.notice,
        send_before=call.send_before,
    )


def _build_call(method: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of a call, without parameters that are empty or false, as these are the defaults."""
    return {"method": method, "data": {name: value for name, value in data.items() if value not in ("", None, False)}}


def build_reply(message_id: int) -> dict[str, Any]:
    """The parameter that makes a message a reply to this one, as long as that is there."""
    return {"message_id": message_id, "allow_sending_without_reply": True}


def _build_text(html: str) -> dict[str, Any]:
    return {"text": html, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}


def _build_keyboard(rows: ButtonRows) -> dict[str, Any]:
    if not rows:
        return {}
    return {"reply_markup": {"inline_keyboard": [[_build_button(button) for button in row] for row in rows]}}


def _build_button(button: InlineButton) -> dict[str, Any]:
    """A button as Telegram takes it: with one action, the data or the page."""
    action = {"web_app": {"url": button.page}} if button.page else {"callback_data": button.data}
    return {"text": button.label} | action
