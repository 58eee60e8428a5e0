"""A question on the screen: its options in full, with letters, and the buttons that answer it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise

from annotation.campaigns.questions import Choices, Scale
from annotation.workflow.assignments import Asked
from bot.conversation.callbacks import Verb
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import Button, Rows
from bot.conversation.views import message_layout, message_text, option_letters
from bot.conversation.views.message_text import Block

MOST_BUTTONS = 60
"""Telegram takes 100 buttons and about 10 KB of them; more options are answered by typing."""
SCALE_ROW, POINT = 8, 6
TICKED, EMPTY = "☑", "☐"
LONGEST_ANSWER = 300


def names(asked: Asked, language: str) -> tuple[str, ...]:
    """What the options are called on buttons and in the list: letters, or the points of a scale.

    Points that are words are numbered, unless a number could be taken for another point.
    """
    called = option_letters.letters(len(asked.options), language)
    if not isinstance(asked.question, Scale):
        return called
    if message_layout.short(asked.options, most=POINT):
        return asked.options
    numbers = tuple(str(number) for number in range(1, len(asked.options) + 1))
    return called if set(numbers) & set(asked.options) else numbers


def blocks(asked: Asked, language: str, *, unless: str = "") -> tuple[Block, ...]:
    """The question, unless the item says the same already, its help, and every option in full."""
    question = asked.question
    found = [message_layout.strong_unless(question.text, unless), Block(question.help or "")]
    called = names(asked, language)
    if isinstance(question, Scale) and called == asked.options:
        ends = question.ends
        found.append(Block(f"{called[0]} — {ends[0]}\n{called[-1]} — {ends[1]}" if ends else ""))
    else:
        found.append(Block("\n".join(_lines(asked, called))))
    return tuple(found)


def _lines(asked: Asked, called: Sequence[str]) -> Iterable[str]:
    ends = asked.question.ends if isinstance(asked.question, Scale) else None
    beside = {0: ends[0], len(called) - 1: ends[1]} if ends else {}
    for index, (name, option) in enumerate(zip(called, asked.options, strict=True)):
        more = f" — {beside[index]}" if index in beside else ""
        yield f"{name}) {option_letters.isolated(option)}{more}"


def buttons(
    asked: Asked,
    say: Texts,
    *,
    language: str,
    assignment_id: int,
    revision: int,
    place: int,
    on: Sequence[int],
    alone: bool,
) -> Rows:
    """The buttons of the question that is the `place`th of the item; `on` are the boxes that are ticked.

    The only question of an item (`alone`) is answered or skipped, never left open.
    """
    key = (revision, place)
    labels = _labels(asked, language)
    question, several = asked.question, isinstance(asked.question, Choices)
    made: list[Button] = []
    for index, label in enumerate(labels if len(labels) <= MOST_BUTTONS else ()):
        if several:
            box, other = (TICKED, 0) if index in on else (EMPTY, 1)
            made.append(message_layout.button(f"{box} {label}", Verb.TOGGLE, assignment_id, *key, index, other))
        else:
            made.append(message_layout.button(label, Verb.ANSWER, assignment_id, *key, index))
    found = _points(made) if made and isinstance(question, Scale) else message_layout.rows(made)
    if isinstance(question, Choices):
        done = say("done") if on or question.least else say("none-of-them")
        found = (*found, (message_layout.button(done, Verb.DONE, assignment_id, *key),))
    if not (asked.question.required or alone):
        found = (*found, (message_layout.button(say("leave-open"), Verb.OPEN, assignment_id, *key),))
    return found


def _points(made: Sequence[Button]) -> Rows:
    """A scale in one row, in as few as Telegram allows where it is long, none of them much shorter than another."""
    count = -(-len(made) // SCALE_ROW)
    ends = [len(made) * number // count for number in range(count + 1)]
    return tuple(tuple(made[start:end]) for start, end in pairwise(ends))


def _labels(asked: Asked, language: str) -> tuple[str, ...]:
    """Letters with the options where all of these are short, letters alone where they are not."""
    called = names(asked, language)
    if isinstance(asked.question, Scale):
        return called
    both = tuple(f"{name} · {option_letters.isolated(one)}" for name, one in zip(called, asked.options, strict=True))
    return both if message_layout.short(both) else called


def worded(asked: Asked, stored: str, say: Texts, *, language: str) -> str:
    """A stored answer in the words of the screen: «А черепаху», «А кіт, В пес», «4»."""
    labels = json.loads(stored) if isinstance(asked.question, Choices) else [stored]
    called, found = names(asked, language), []
    for label in labels:
        index = asked.labels.index(label) if label in asked.labels else None
        if index is None:
            found.append(label)
        elif called[index] == asked.options[index]:
            found.append(called[index])
        else:
            found.append(f"{called[index]} {option_letters.isolated(asked.options[index])}")
    return message_text.shortened(", ".join(found) or say("none-of-them"), LONGEST_ANSWER)
