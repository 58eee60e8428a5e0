"""Long texts that Telegram's apps send in parts: which messages are parts of one text, and what they say together.

A message carries 4,096 UTF-16 units. What is longer is cut by the app that sends it, mostly at the end of a paragraph,
a sentence or a word in the second half of what fits, and its parts arrive one after another, as messages of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from annotation.campaigns import bot_commands
from annotation.campaigns.questions.question_base import count_units
from bot.conversation.updates_and_calls import MAX_TEXT, IncomingUpdate, TextParts, UpdateKind

LEAST_PART_UNITS = MAX_TEXT // 2
"""A shorter message is the last part of a text: no app cuts in the first half of what a message carries."""
MAX_GAP = timedelta(seconds=3)
"""How long after one part the next one is sent at the latest, by Telegram's dates, which are whole seconds.

Nobody reads what the bot says of the first, and types another text, in so short a time.
"""
MAX_PARTS = 50
"""The most parts that are joined; a text of more is too long for anything, and the rest of it is told apart."""


def may_have_more(message: IncomingUpdate) -> bool:
    """Whether a message may be a part of a text after which another one comes."""
    return _is_text(message) and count_units(message.text or "") >= LEAST_PART_UNITS


def is_next_part(message: IncomingUpdate, *, units: int, since: timedelta) -> bool:
    """Whether a message is the part after one of so many units, which was sent so long before.

    What would have fitted into one message with it, and a command, is a message of its own.
    """
    if not _is_text(message) or not timedelta(0) <= since <= MAX_GAP:
        return False
    text = message.text or ""
    return units + count_units(text) >= MAX_TEXT and not bot_commands.is_known_command(text)


def take_parts(first: IncomingUpdate, following: Sequence[IncomingUpdate]) -> tuple[IncomingUpdate, ...]:
    """The first message, and those of the following ones that are the next parts of its text."""
    parts = [first]
    for message in following:
        last = parts[-1]
        units = count_units(last.text or "")
        is_next = may_have_more(last) and is_next_part(message, units=units, since=message.at - last.at)
        if len(parts) == MAX_PARTS or not is_next or message.reply_to not in {None, last.reply_to}:
            break
        parts.append(message)
    return tuple(parts)


def join_parts(parts: Sequence[IncomingUpdate]) -> IncomingUpdate:
    """One message with the text of all parts; it counts as sent when the first was, and replies to what that does."""
    first, *others = parts
    if not others:
        return first
    text = before = first.text or ""
    for part in others:
        after = part.text or ""
        text = f"{text}{_find_separator(before, after)}{after}"
        before = after
    return replace(first, text=text, parts=describe_parts(parts[-1], number=len(parts)))


def describe_parts(last: IncomingUpdate, *, number: int = 1) -> TextParts:
    """The parts of a text of which this message is the last, or which has come as one."""
    return last.parts or TextParts(number=number, last_units=count_units(last.text or ""), last_at=last.at)


def _is_text(message: IncomingUpdate) -> bool:
    return message.kind is UpdateKind.MESSAGE and message.private and message.media is None and bool(message.text)


def _find_separator(before: str, after: str) -> str:
    """What stood between two parts: nothing where a full message was cut in a word, otherwise a blank.

    Apps leave the blanks at a cut out. A character of two units is never cut, so that a full message may lack one.
    """
    is_full = count_units(before) >= MAX_TEXT - 1
    return "" if is_full or before[-1:].isspace() or after[:1].isspace() else " "
