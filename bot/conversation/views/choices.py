"""Short lists to choose from: why an item is passed over, what is wrong with it, which project to leave."""

from __future__ import annotations

from collections.abc import Sequence

from bot.conversation.callbacks import Verb
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import Rows
from bot.conversation.views import message_layout, message_text
from bot.conversation.views.message_layout import Message
from bot.conversation.views.message_text import Block

SKIPS = ("unsure", "unclear", "unpleasant", "broken")
REPORTS = ("two-right", "none-right", "unknowable", "bad-language", "same-options")
"""Reasons as they are stored; their words are `skip-…` and `report-…`."""
STAY = "stay"
TYPED = 99
"""The number of the button after which the reason is typed."""


def skips(say: Texts, *, assignment_id: int) -> Rows:
    """Why an item is passed over."""
    return _reasons(Verb.SKIP, [say(f"skip-{one}") for one in SKIPS], say, assignment_id)


def reports(say: Texts, own: Sequence[str], *, assignment_id: int) -> Rows:
    """What is wrong with an item: the project's own reasons where it has any."""
    return _reasons(Verb.REPORT, own or [say(f"report-{one}") for one in REPORTS], say, assignment_id)


def _reasons(verb: Verb, labels: Sequence[str], say: Texts, assignment_id: int) -> Rows:
    shown = [message_text.shortened(one, message_layout.WIDE * 2) for one in labels]
    found = [(message_layout.button(one, verb, assignment_id, index),) for index, one in enumerate(shown)]
    typed = (message_layout.button(say("in-my-words"), verb, assignment_id, TYPED),)
    return (*found, typed, (message_layout.button(say("back"), Verb.BACK, assignment_id),))


def leaving(titles: Sequence[tuple[int, str]], say: Texts) -> Message:
    """Which project to leave."""
    told = [f"{number}) {title}" for number, (_, title) in enumerate(titles, 1)]
    buttons = message_layout.rows(
        [message_layout.button(str(number), Verb.WITHDRAW, row, 0) for number, (row, _) in enumerate(titles, 1)]
    )
    stay = (message_layout.button(say("stay"), Verb.GO_ON, word=STAY),)
    blocks = [Block(say("withdraw-which")), Block("\n".join(told))]
    return message_layout.messages(blocks, say, buttons=(*buttons, stay))[-1]


def surely_leave(title: str, say: Texts, *, project_id: int) -> Message:
    """Whether she means it."""
    yes = (message_layout.button(say("withdraw-yes"), Verb.WITHDRAW, project_id, 1),)
    return message_layout.said(
        say,
        say("withdraw-sure", project=title),
        buttons=(yes, (message_layout.button(say("stay"), Verb.GO_ON, word=STAY),)),
    )


def surely_forget(say: Texts) -> Message:
    """Whether she means it."""
    yes = (message_layout.button(say("forget-yes"), Verb.FORGET, 0, 1),)
    return message_layout.said(
        say, say("forget-sure"), buttons=(yes, (message_layout.button(say("stay"), Verb.GO_ON, word=STAY),))
    )
