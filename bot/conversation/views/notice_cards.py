"""What the bot writes first: reminders and news as messages, the card that turns them on and off, the offer of news.

The word of a NOTICE button says what it does (`NoticeWord`).
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from annotation.workflow.notices.wishes import Wish, WishedNotice
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, InlineButton

MAX_TITLE_UNITS = 100
"""How much of the title of a project is told, in UTF-16 units."""


class NoticeWord(StrEnum):
    """What a NOTICE button does; the values are in the data of buttons.

    CARD shows the card, on which REMIND, NO_REMINDERS, NEWS, NO_NEWS and NOTHING set what is wanted; TELL wants news
    where there is nothing to answer now. Below a reminder stand GO_ON, TOMORROW and STOP.
    """

    CARD = "card"
    REMIND = "remind"
    NO_REMINDERS = "noremind"
    NEWS = "news"
    NO_NEWS = "nonews"
    NOTHING = "nothing"
    TELL = "tell"
    GO_ON = "on"
    TOMORROW = "tomorrow"
    STOP = "stop"


def build_card_button(translate: Texts) -> InlineButton:
    """The button that shows the card."""
    return _build_button("notices-open", NoticeWord.CARD, translate)


def render_card(wish: Wish, translate: Texts) -> RenderedMessage:
    """What the bot writes first and whether it is on, with buttons that turn it on and off."""
    states = [translate("notices-on" if on else "notices-off") for on in (wish.reminders, wish.news)]
    buttons = [
        _build_button("notices-stop", NoticeWord.NO_REMINDERS, translate)
        if wish.reminders
        else _build_button("notices-remind", NoticeWord.REMIND, translate),
        _build_button("notices-no-news", NoticeWord.NO_NEWS, translate)
        if wish.news
        else _build_button("notices-news", NoticeWord.NEWS, translate),
    ]
    if wish.reminders and wish.news:
        buttons.append(_build_button("notices-nothing", NoticeWord.NOTHING, translate))
    go_on = message_layout.build_button(translate("go-on"), ButtonAction.GO_ON, typed=(prompts.GO_ON,))
    return message_layout.render_text(
        translate,
        translate("notices-about"),
        translate("notices-reminders", state=states[0]),
        translate("notices-new", state=states[1]),
        buttons=tuple((button,) for button in (*buttons, go_on)),
    )


def render_news_offer(wish: Wish, translate: Texts) -> RenderedMessage:
    """The offer to write once when there is something to answer; that it will be, where that is wanted already."""
    if wish.news:
        return message_layout.render_text(translate, translate("news-noted"))
    tell = replace(_build_button("news-tell", NoticeWord.TELL, translate), typed=(prompts.YES,))
    return message_layout.render_text(translate, translate("news-offer"), buttons=((tell,),))


def render_notice(kind: WishedNotice, title: str, translate: Texts) -> RenderedMessage:
    """A reminder, or news, of a project or programme."""
    project = message_layout.shorten_text(title, MAX_TITLE_UNITS)
    go_on = _build_button("go-on", NoticeWord.GO_ON, translate)
    if kind is WishedNotice.NEWS:
        return message_layout.render_text(translate, translate("news", project=project), buttons=((go_on,),))
    is_last = kind is WishedNotice.LAST_REMINDER
    texts = [translate("reminder", project=project), *([translate("reminder-last")] if is_last else [])]
    stop = _build_button("notices-stop", NoticeWord.STOP, translate)
    return message_layout.render_text(
        translate,
        *texts,
        buttons=((go_on, _build_button("reminder-tomorrow", NoticeWord.TOMORROW, translate)), (stop,)),
    )


def _build_button(text_id: str, word: NoticeWord, translate: Texts) -> InlineButton:
    return message_layout.build_button(translate(text_id), ButtonAction.NOTICE, word=word)
