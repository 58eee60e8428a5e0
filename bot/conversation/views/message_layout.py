"""A message as views make it, and the buttons under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.conversation import callbacks
from bot.conversation.callbacks import Press, Verb
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import Button, Rows
from bot.conversation.views import message_text
from bot.conversation.views.message_text import Block

NARROW, WIDE, LETTERS = 14, 20, 3
"""Labels of so many units stand in pairs, or alone; some clients would cut longer ones. Letters stand by fours."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message: HTML, rows of buttons, the hint of a field where an answer is typed."""

    html: str
    buttons: Rows = ()
    reply: str | None = None


def button(label: str, verb: Verb, row: int = 0, *numbers: int, word: str = "") -> Button:
    """A button."""
    return Button(label, callbacks.encode(Press(verb, row, numbers, word)))


def said(say: Texts, *texts: str, buttons: Rows = (), reply: str | None = None) -> Message:
    """Plain paragraphs as the last part of as many messages as they need, which is nearly always one."""
    return messages([Block(text) for text in texts], say, buttons=buttons, reply=reply)[-1]


def messages(
    blocks: Sequence[Block], say: Texts, *, buttons: Rows = (), reply: str | None = None
) -> tuple[Message, ...]:
    """The blocks in one message or several, the buttons under the last."""
    *before, last = message_text.laid_out(blocks, part=say("part", number="{number}", of="{of}"))
    return (*(Message(html=one) for one in before), Message(html=last, buttons=buttons, reply=reply))


def rows(buttons: Sequence[Button]) -> Rows:
    """Buttons in rows of four letters, of two short words, or of one."""
    longest = max((message_text.units(one.label) for one in buttons), default=0)
    width = 4 if longest <= LETTERS else 2 if longest <= NARROW else 1
    return tuple(tuple(buttons[start : start + width]) for start in range(0, len(buttons), width))


def short(labels: Sequence[str], *, most: int = WIDE) -> bool:
    """Whether no client would cut any of these labels."""
    return all(message_text.units(label) <= most and "\n" not in label for label in labels)


def strong_unless(text: str, unless: str) -> Block:
    """A bold paragraph; an empty one where its text stands there already."""
    return Block("") if text.strip() == unless.strip() else message_text.strong(text)
