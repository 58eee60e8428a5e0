"""Methods about the bot, chats, taps and files."""

from __future__ import annotations

from typing import Any

from bot.emulator import files
from bot.emulator.calls import Call, bad_request
from bot.emulator.display_log import DisplayedEvent
from bot.emulator.state import State

MAX_TOAST = 200


def get_me(state: State, _: Call) -> Any:
    """The bot itself."""
    can = dict.fromkeys(("can_join_groups", "can_read_all_group_messages"), True)
    cannot = ("supports_inline_queries", "can_connect_to_business", "has_main_web_app")
    return state.me.wire() | can | dict.fromkeys(cannot, False)


def get_chat(state: State, call: Call) -> Any:
    """A chat with the fields that libraries require."""
    chat = state.find_chat(call)
    gifts = dict.fromkeys(
        ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels"), True
    )
    more = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": gifts}
    pinned = chat.messages.get(chat.pinned[-1]) if chat.pinned else None
    return chat.wire() | more | ({"pinned_message": pinned.wire()} if pinned else {})


def get_chat_member(state: State, call: Call) -> Any:
    """The membership of a person in a chat."""
    chat = state.find_chat(call)
    person = chat.people.get(call.number("user_id"))
    if person is None:
        raise bad_request("member not found")
    return {"status": "member", "user": person.wire()}


def get_file(state: State, call: Call) -> Any:
    """The path for the download of a file, up to 20 MB."""
    file = state.files.get(call.text("file_id"))
    if file is None:
        raise bad_request("invalid file_id")
    if len(file.content) > files.MAX_DOWNLOAD:
        raise bad_request("file is too big")
    return file.wire() | {"file_path": file.path}


def answer_callback_query(state: State, call: Call) -> Any:
    """Answer a tap, with a toast or an alert.

    Without a text nothing is shown, but a `toast` with an empty text is logged: it ends the loading state of the
    button.
    """
    text = call.text("text")
    if len(text) > MAX_TOAST:
        raise bad_request("MESSAGE_TOO_LONG")
    tap = state.taps.get(call.text("callback_query_id"))
    if tap is None or tap.answered or state.clock() - tap.at > state.answerable:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    tap.answered = True
    kind = "alert" if text and call.flag("show_alert") else "toast"
    state.display_log.add(DisplayedEvent(state.clock(), tap.person.id, kind, tap.message.chat.id, tap.message.id, text))
    return True


def delete_webhook(state: State, call: Call) -> Any:
    """Drop the waiting updates if asked. There is never a webhook here, but every bot that polls makes this call."""
    if call.flag("drop_pending_updates"):
        state.queue.waiting.clear()
    return True
