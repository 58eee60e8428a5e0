"""Work sessions of a chosen number of items: the choice, the buttons for it, and the card at the end of one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton

SESSION_SIZES = (10, 20, 40)
"""How many items a session can have."""
ENDLESS = 0
"""The number, in place of a session's size, of work without end."""
_MOST_SECONDS = 100
"""A longer median is told in minutes."""


def build_size_row(
    translate: Texts, *, first: str = "", project_id: int = 0, word: str = ""
) -> tuple[InlineButton, ...]:
    """A button for each size; `first` is the id of the first one's text. On a task card they carry its project too."""
    return tuple(
        message_layout.build_button(
            translate(first, number=size) if first and size == SESSION_SIZES[0] else str(size),
            ButtonAction.SESSION,
            project_id,
            size,
            word=word,
            typed=(str(size),),
        )
        for size in SESSION_SIZES
    )


def render_session_choice(translate: Texts, *, done: int, goal: int) -> RenderedMessage:
    """The question how many items it shall be now; where a session is under way, with what is done of it."""
    under_way = translate("session-under-way", done=done, goal=goal) if goal else ""
    buttons = (build_size_row(translate), (_build_endless_button(translate),))
    return message_layout.render_text(translate, under_way, translate("session-how-many"), buttons=buttons)


def render_session_end(
    translate: Texts,
    *,
    number: int,
    active: timedelta,
    median: float | None,
    progress: Sequence[TextBlock],
    left: int | None,
) -> RenderedMessage:
    """The card after the last item of a session: so many items in so much time, the progress, and how to go on.

    `median` is the median of the seconds of an item, `left` how many answers all annotators have still to give.
    """
    minutes = max(1, round(active.total_seconds() / 60))
    lines = [translate("session-over", number=number, minutes=minutes)]
    if median is not None and median < _MOST_SECONDS:
        lines.append(translate("session-seconds", seconds=max(1, round(median))))
    elif median is not None:
        lines.append(translate("session-minutes", minutes=round(median / 60)))
    blocks = [
        TextBlock("\n".join(lines), ((0, len(lines[0])),)),
        *progress,
        TextBlock("" if left is None else translate("session-left", left=left)),
        TextBlock(translate("session-thanks")),
    ]
    return message_layout.render_messages(blocks, translate, buttons=_build_end_buttons(translate))[-1]


def _build_end_buttons(translate: Texts) -> ButtonRows:
    enough = message_layout.build_button(translate("session-enough"), ButtonAction.PAUSE, typed=(prompts.STAY_OUT,))
    return (build_size_row(translate, first="session-more"), (_build_endless_button(translate),), (enough,))


def _build_endless_button(translate: Texts) -> InlineButton:
    return message_layout.build_button(
        translate("session-endless"), ButtonAction.SESSION, 0, ENDLESS, typed=(prompts.GO_ON,)
    )
