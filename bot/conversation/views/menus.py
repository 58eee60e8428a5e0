"""Menus: open projects, reasons for a skip or a report, projects to leave, and confirmations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from annotation.workflow.assignments import Offer, Refusal
from annotation.workflow.notices.wishes import Wish, WishedNotice
from bot.conversation import message_layout, prompts, time_zones
from bot.conversation.inputs import options
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton

MAX_TITLE_UNITS = 100
"""How much of the title of a project is told, in UTF-16 units."""


class NoticeWord(StrEnum):
    """What a NOTICE button does; the values are in the data of buttons.

    CARD shows the card, on which REMIND, NO_REMINDERS, NEWS, NO_NEWS and NOTHING set what is wanted; TELL wants news
    where there is nothing to answer now. Below a reminder stand GO_ON, TOMORROW and STOP. ONCE asks for one reminder
    tomorrow, and for no further ones.
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
    ONCE = "once"
    STOP = "stop"


def build_reminder_button(translate: Texts) -> InlineButton:
    """The button that asks for a single reminder tomorrow."""
    return _build_button("remind-tomorrow", NoticeWord.ONCE, translate)


def render_promise(translate: Texts) -> RenderedMessage:
    """That the annotator will be reminded tomorrow, with a button that takes it back."""
    stop = _build_button("notices-stop", NoticeWord.STOP, translate)
    return message_layout.render_text(translate, translate("remind-tomorrow-noted"), buttons=((stop,),))


def render_card(wish: Wish, translate: Texts) -> RenderedMessage:
    """What the bot writes first and whether it is on, with buttons that turn it on and off."""
    reminds = wish.reminders or wish.is_promised
    states = [translate("notices-on" if on else "notices-off") for on in (wish.reminders, wish.news)]
    buttons = [
        _build_button("notices-stop", NoticeWord.NO_REMINDERS, translate)
        if reminds
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
        translate("notices-promised") if wish.is_promised else "",
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
    if kind is WishedNotice.PROMISED:
        rows = ((go_on,), (build_reminder_button(translate),))
        return message_layout.render_text(translate, translate("reminder", project=project), buttons=rows)
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


SESSION_SIZES = (10, 20, 40)
"""How many items a session can have."""
ENDLESS = 0
"""The number, in place of a session's size, of work without end."""


def build_size_row(
    translate: Texts, *, left: int | None, first: str = "", project_id: int = 0, word: str = ""
) -> ButtonRows:
    """A row with a button for each size; `first` is the id of the first one's text. No row where all sizes are too big.

    A session has no more items than are `left`; None where that number is not known. On a task card the buttons carry
    its project too.
    """
    row = tuple(
        message_layout.build_button(
            translate(first, number=size) if first and size == SESSION_SIZES[0] else str(size),
            ButtonAction.SESSION,
            project_id,
            size,
            word=word,
            typed=prompts.list_more_words(size),
        )
        for size in SESSION_SIZES
        if left is None or size <= left
    )
    return (row,) if row else ()


def render_session_choice(translate: Texts, *, done: int, goal: int, left: int | None) -> RenderedMessage:
    """The question how many items it shall be now; where a session is under way, with what is done of it."""
    under_way = translate("session-under-way", done=done, goal=goal) if goal else ""
    buttons = (*build_size_row(translate, left=left), (_build_endless_button(translate),))
    return message_layout.render_text(translate, under_way, translate("session-how-many"), buttons=buttons)


def _build_endless_button(translate: Texts) -> InlineButton:
    return message_layout.build_button(
        translate("session-endless"), ButtonAction.SESSION, 0, ENDLESS, typed=(prompts.GO_ON,)
    )


SKIP_REASONS = ("unsure", "unclear", "unpleasant", "broken")
"""The reasons for a skip, as they are stored; the id of a reason's text is `skip-` and the reason."""
REPORT_REASONS = ("two-right", "none-right", "unknowable", "bad-language", "same-options")
"""The reasons for a report, as they are stored; the id of a reason's text is `report-` and the reason."""
STAY = "stay"
HALF_ACCOUNT = 2**27
"""Ids of accounts of the answer page have 53 bits, and the numbers of buttons 31."""
"""The word in the data of the button that declines a withdrawal or an erasure."""
LEAVE, LATER = "leave", "later"
"""The words in the data of a button that leads back from a typed prompt: to the screen before it, or out for now."""
TYPED_REASON = 99
"""The number, in place of a reason's index, in the data of the button after which the reason is typed."""


MOST_REFUSED = 8
"""How many projects that have nothing for the annotator are listed; those loaded last come last."""
REFUSAL_TEXTS = {
    Refusal.LATER: "offer-later",
    Refusal.PAUSED: "progress-paused",
    Refusal.FAILED: "progress-failed",
    Refusal.STOPPED: "progress-stopped",
    Refusal.QUOTA: "offer-quota",
    Refusal.LABEL_STUDIO: "offer-label-studio",
    Refusal.ANSWERED: "offer-answered",
    Refusal.MET: "offer-met",
    Refusal.OTHERS: "offer-others",
    Refusal.TAKEN: "offer-taken",
    Refusal.NOT_INVITED: "offer-not-invited",
    Refusal.LEFT: "offer-left",
    Refusal.CLOSED: "progress-closed",
}
"""The ids of the texts that say why an annotator gets nothing in a project."""


def render_menu(offers: Sequence[Offer], translate: Texts, *, zone: str | None, now: datetime) -> RenderedMessage:
    """The menu of projects: how many items the annotator can get in each, with a button, or why there are none."""
    given = [offer for offer in offers if offer.refusal is None]
    letters = options.list_letters(len(given), translate.language)
    lines = [
        f"{letter}) {offer.title} — {_format_left(offer.left, translate)}"
        for letter, offer in zip(letters, given, strict=True)
    ]
    refused = [offer for offer in offers if offer.refusal is not None][-MOST_REFUSED:]
    reasons = [f"– {offer.title} — {_explain_refusal(offer, translate, zone=zone, now=now)}" for offer in refused]
    titles = [f"{letter} · {offer.title}" for letter, offer in zip(letters, given, strict=True)]
    labels = titles if message_layout.are_labels_short(titles) else list(letters)
    words = prompts.list_option_words([offer.title for offer in given], letters)
    buttons = [
        message_layout.build_button(label, ButtonAction.ENTER, abs(offer.key), int(offer.key < 0), typed=typed)
        for label, offer, typed in zip(labels, given, words, strict=True)
    ]
    return message_layout.render_messages(
        [TextBlock(translate("menu" if given else "menu-nothing")), TextBlock("\n".join([*lines, *reasons]))],
        translate,
        buttons=message_layout.arrange_buttons(buttons),
    )[-1]


def _format_left(left: int | None, translate: Texts) -> str:
    return translate("left-many") if left is None else translate("left", left=left)


def _explain_refusal(offer: Offer, translate: Texts, *, zone: str | None, now: datetime) -> str:
    refusal = offer.refusal or Refusal.LATER
    until = "" if offer.until is None else time_zones.format_time(offer.until, translate, zone=zone, now=now)
    return translate(REFUSAL_TEXTS[refusal], until=until)


def build_skip_buttons(translate: Texts, *, assignment_id: int) -> ButtonRows:
    """The buttons with the reasons for a skip."""
    return _build_reason_buttons(
        ButtonAction.SKIP, [translate(f"skip-{reason}") for reason in SKIP_REASONS], translate, assignment_id
    )


def build_report_buttons(translate: Texts, project_reasons: Sequence[str], *, assignment_id: int) -> ButtonRows:
    """The buttons with the reasons for a report: those of the project file, otherwise REPORT_REASONS."""
    return _build_reason_buttons(
        ButtonAction.REPORT,
        project_reasons or [translate(f"report-{reason}") for reason in REPORT_REASONS],
        translate,
        assignment_id,
    )


def build_more_buttons(translate: Texts, *, assignment_id: int, has_answers: bool) -> ButtonRows:
    """The buttons for what is seldom done with an item, and one that leads back to its own buttons.

    `has_answers` says that some of its questions are answered: then the skip is here.
    """
    names = {
        **({"skip": ButtonAction.SKIP} if has_answers else {}),
        "report": ButtonAction.REPORT,
        "ask": ButtonAction.ASK,
        "task": ButtonAction.TASK,
        "pause": ButtonAction.PAUSE,
        "back": ButtonAction.BACK,
    }
    buttons = [message_layout.build_button(translate(name), action, assignment_id) for name, action in names.items()]
    return tuple(tuple(buttons[start : start + 2]) for start in range(0, len(buttons), 2))


def _build_reason_buttons(
    action: ButtonAction, labels: Sequence[str], translate: Texts, assignment_id: int
) -> ButtonRows:
    short_labels = [message_layout.shorten_text(label, message_layout.WIDE_LABEL * 2) for label in labels]
    words = prompts.list_option_words(labels)
    reasons = [
        (message_layout.build_button(label, action, assignment_id, index, typed=words[index]),)
        for index, label in enumerate(short_labels)
    ]
    typed = (message_layout.build_button(translate("in-my-words"), action, assignment_id, TYPED_REASON),)
    return (*reasons, typed, (message_layout.build_button(translate("back"), ButtonAction.BACK, assignment_id),))


def render_withdrawal_menu(projects: Sequence[tuple[int, str]], translate: Texts) -> RenderedMessage:
    """The projects that can be left, each with a button; `projects` are their ids and titles."""
    lines = [f"{number}) {title}" for number, (_, title) in enumerate(projects, 1)]
    buttons = message_layout.arrange_buttons(
        [
            message_layout.build_button(str(number), ButtonAction.WITHDRAW, project_id, 0, typed=(title,))
            for number, (project_id, title) in enumerate(projects, 1)
        ]
    )
    blocks = [TextBlock(translate("withdraw-which")), TextBlock("\n".join(lines))]
    return message_layout.render_messages(blocks, translate, buttons=(*buttons, _build_stay_row(translate)))[-1]


def render_withdrawal_confirmation(title: str, translate: Texts, *, project_id: int) -> RenderedMessage:
    """The question whether the annotator is sure to leave the project, with a button for each answer."""
    yes = message_layout.build_button(
        translate("withdraw-yes"), ButtonAction.WITHDRAW, project_id, 1, typed=(prompts.YES,)
    )
    return message_layout.render_text(
        translate, translate("withdraw-sure", project=title), buttons=((yes,), _build_stay_row(translate))
    )


def render_erasure_confirmation(translate: Texts) -> RenderedMessage:
    """The question whether the annotator is sure to have all data erased, with a button for each answer."""
    yes = message_layout.build_button(translate("forget-yes"), ButtonAction.FORGET, 0, 1, typed=(prompts.YES,))
    return message_layout.render_text(translate, translate("forget-sure"), buttons=((yes,), _build_stay_row(translate)))


def render_union_confirmation(translate: Texts, *, account_id: int) -> RenderedMessage:
    """The question whether an account of the answer page is to become one with this one, with a button for each answer.

    The account is two numbers of the first button, as one would be too large.
    """
    numbers = divmod(account_id, HALF_ACCOUNT)
    yes = message_layout.build_button(
        translate("page-unite-yes"), ButtonAction.UNITE, 0, *numbers, typed=(prompts.YES,)
    )
    no = message_layout.build_button(
        translate("page-unite-no"), ButtonAction.GO_ON, word=STAY, typed=(prompts.STAY_OUT,)
    )
    return message_layout.render_text(translate, translate("page-unite-sure"), buttons=((yes,), (no,)))


def build_back_row(translate: Texts, *, word: str = LEAVE) -> tuple[InlineButton, ...]:
    """The button that leads back from a prompt whose answer is typed."""
    typed = (prompts.BACK,)
    return (message_layout.build_button(translate("back"), ButtonAction.GO_ON, word=word, typed=typed),)


def _build_stay_row(translate: Texts) -> tuple[InlineButton, ...]:
    """The button that declines a withdrawal or an erasure."""
    typed = (prompts.STAY_OUT,)
    return (message_layout.build_button(translate("stay"), ButtonAction.GO_ON, word=STAY, typed=typed),)
