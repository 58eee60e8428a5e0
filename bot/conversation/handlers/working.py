"""The everyday path: whatever a person sends leads to the item in her hands; a tap saves and brings the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from telegram import CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.error import BadRequest
from telegram.ext import ContextTypes

from annotation.errors import Stale
from bot.conversation import callbacks, views
from bot.conversation.desk import Caller, Desk, Turn

Context = ContextTypes.DEFAULT_TYPE
HARMLESS = ("message is not modified", "query is too old", "message to edit not found", "message can't be edited")
"""What Telegram says to an edit or an acknowledgement that comes twice or too late: nothing is lost by it."""


async def show(update: Update, context: Context) -> None:
    """`/start`, any other message: show the item that waits for this person."""
    turn = await _desk(context).turn(_caller(update))
    await _show(update, context, turn, card=turn.offer is not None and turn.offer.number == 1)


async def tap(update: Update, context: Context) -> None:
    """An option: save it, say so, then bring the next item; a stale button leads to the live item."""
    query = update.callback_query
    if query is None:
        return
    desk, caller = _desk(context), _caller(update)
    chosen = callbacks.decode(query.data)
    try:
        if chosen is None:
            raise Stale("This button is not ours.")
        turn = await desk.turn(caller, chosen)
    except Stale:
        turn = await desk.turn(caller)
        await _harmless(query.answer(turn.say("stale" if turn.offer else "stale-done")))
        await _show(update, context, turn)
        return
    await _acknowledge(update, context, turn, query)


async def _acknowledge(update: Update, context: Context, turn: Turn, query: CallbackQuery) -> None:
    """Everything here happens after the commit; a repeated tap whose message was edited before changes nothing."""
    saved = turn.saved
    if saved is None:
        return
    await _harmless(query.answer(turn.say("saved-already" if saved.repeated else "saved")))
    edited = await _harmless(query.edit_message_text(views.answered(saved).html, reply_markup=None))
    if edited or not saved.repeated:
        await _show(update, context, turn, card=turn.offer is not None and turn.offer.number == 1)


async def _show(update: Update, context: Context, turn: Turn, *, card: bool = False) -> None:
    messages: list[views.Message] = [views.welcome(turn.say)] if turn.new else []
    if turn.offer is None:
        messages.append(views.all_done(turn.say))
    else:
        messages += views.instructions(turn.offer, turn.say) if card else ()
        messages += views.item(turn.offer, turn.say)
    chat = update.effective_chat
    if chat is None:
        return
    for message in messages:
        await context.bot.send_message(
            chat.id, message.html, reply_markup=_keyboard(message.buttons), disable_notification=True
        )


def _keyboard(rows: Sequence[Sequence[tuple[str, str]]]) -> InlineKeyboardMarkup | None:
    if not rows:
        return None
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(label, callback_data=data) for label, data in row] for row in rows]
    )


async def _harmless(call: Any) -> bool:
    """Make a call that may come too late; whether it took effect."""
    try:
        await call
    except BadRequest as refusal:
        if not any(text in str(refusal).lower() for text in HARMLESS):
            raise
        return False
    return True


def _desk(context: Context) -> Desk:
    desk: Desk = context.bot_data["desk"]
    return desk


def _caller(update: Update) -> Caller:
    user = update.effective_user
    if user is None:
        raise Stale("This update has no person.")
    return Caller(telegram_id=user.id, language_code=user.language_code)
