"""The everyday path: whatever a person sends leads to the item in her hands; a tap saves and brings the next one."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Sequence

from telegram import Bot, CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.error import TelegramError
from telegram.ext import ContextTypes

from annotation.errors import Stale
from bot.conversation import callbacks, views
from bot.conversation.desk import Caller, Desk, Turn

Context = ContextTypes.DEFAULT_TYPE
log = logging.getLogger(__name__)
HARMLESS = ("message is not modified", "query is too old", "message to edit not found", "message can't be edited")
"""What Telegram says to an edit or an acknowledgement that comes twice or too late: nothing is lost by it."""


async def show(update: Update, context: Context) -> None:
    """`/start`, any other message: show the item that waits for this person."""
    caller = _caller(update)
    turn = await _desk(context).turn(caller)
    await _show(context.bot, caller, turn, card=turn.offer is not None and turn.offer.number == 1)


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
        await _optional(query.answer(turn.say("stale" if turn.offer else "stale-done")))
        await _show(context.bot, caller, turn)
        return
    await _acknowledge(context.bot, caller, turn, query)


async def _acknowledge(bot: Bot, caller: Caller, turn: Turn, query: CallbackQuery) -> None:
    """Everything here happens after the commit; a repeated tap whose message was edited before changes nothing."""
    saved, message = turn.saved, query.message
    if saved is None:
        return
    await _optional(query.answer(turn.say("saved-already" if saved.repeated else "saved")))
    edited = message is not None and await _optional(
        bot.edit_message_text(views.answered(saved).html, chat_id=message.chat.id, message_id=message.message_id)
    )
    if edited or not saved.repeated:
        await _show(bot, caller, turn, card=turn.offer is not None and turn.offer.number == 1)


async def _show(bot: Bot, caller: Caller, turn: Turn, *, card: bool = False) -> None:
    """Send what the turn brought to the person's private chat, which has her own id."""
    messages: list[views.Message] = [views.welcome(turn.say)] if turn.new else []
    if turn.offer is None:
        messages.append(views.all_done(turn.say))
    else:
        messages += views.instructions(turn.offer, turn.say) if card else ()
        messages += views.item(turn.offer, turn.say)
    for message in messages:
        await bot.send_message(
            caller.telegram_id, message.html, reply_markup=_keyboard(message.buttons), disable_notification=True
        )


def _keyboard(rows: Sequence[Sequence[tuple[str, str]]]) -> InlineKeyboardMarkup | None:
    if not rows:
        return None
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(label, callback_data=data) for label, data in row] for row in rows]
    )


async def _optional(call: Awaitable[object]) -> bool:
    """Make a call that only decorates what is saved already; whether it took effect. The next item comes either way."""
    try:
        await call
    except TelegramError as failure:
        if not any(text in str(failure).lower() for text in HARMLESS):
            log.warning("A tap was saved but not marked: %s", type(failure).__name__)
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
