"""What is on the screen: pure functions from what the workflow says to messages in HTML."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotation.workflow.work import Offer, Saved
from bot.conversation import callbacks
from bot.conversation.texts import Texts

MOST_CHARACTERS = 4000
"""Telegram takes 4,096 after parsing; counted in UTF-16 units, to be safe, with room for the header."""
SHORT, TINY = 20, 14
CYRILLIC, LATIN = "АБВГДЕЖЗИКЛМНПРСТУФХ", "ABCDEFGHIJKLMNOPQRST"


@dataclass(frozen=True)
class Message:
    """One message: HTML, and rows of buttons as (label, data)."""

    html: str
    buttons: tuple[tuple[tuple[str, str], ...], ...] = ()


def welcome(say: Texts) -> Message:
    """The first words, once for each person."""
    return Message(html.escape(say("welcome")))


def instructions(offer: Offer, say: Texts) -> tuple[Message, ...]:
    """The card of a project, before its first item; its text is the project's own."""
    head = f"{say('project-begins')}: {offer.project}"
    return tuple(_formatted(page, head) for page in pages(f"{head}\n\n{offer.instructions.strip()}".strip()))


def item(offer: Offer, say: Texts) -> tuple[Message, ...]:
    """An item with its options; a long one in several messages, the buttons under the last."""
    head = str(offer.number) if offer.left is None else f"{offer.number} · {say('left', left=offer.left)}"
    letters = _letters(offer)
    asked = [part for part in (offer.stimulus, _question(offer)) if part]
    options = (
        [f"{letter}) {option}" for letter, option in zip(letters, _options(offer), strict=True)] if letters else []
    )
    parts = pages("\n\n".join([head, *asked, "\n".join(options)]).strip())
    *before, last = [_formatted(part, head) for part in parts]
    return (*before, Message(last.html, _buttons(offer, letters or _options(offer))))


def answered(saved: Saved) -> Message:
    """What an item becomes after its answer: the answer first, the item still readable below it."""
    head = f"✓ {saved.number} · {saved.answer}"
    whole = "\n\n".join(dict.fromkeys(part for part in (head, saved.stimulus, saved.question) if part))
    return _formatted(pages(whole)[0], head)


def all_done(say: Texts) -> Message:
    """Nothing is left for this person now."""
    return Message(html.escape(say("all-done")))


def pages(text: str, *, most: int = MOST_CHARACTERS) -> tuple[str, ...]:
    """A text in pieces of at most `most` UTF-16 units, cut at white space where there is any."""
    return tuple(_pieces(text, most)) or ("",)


def _pieces(text: str, most: int) -> Iterator[str]:
    while text:
        cut = _fitting(text, most)
        if cut < len(text):
            space = max(text.rfind("\n", 0, cut), text.rfind(" ", 0, cut))
            cut = space if space > 0 else cut
        yield text[:cut].rstrip()
        text = text[cut:].lstrip()


def _fitting(text: str, most: int) -> int:
    """How many characters fit into `most` UTF-16 units."""
    units = 0
    for index, character in enumerate(text):
        units += 1 + (ord(character) > 0xFFFF)
        if units > most:
            return index
    return len(text)


def _formatted(page: str, head: str) -> Message:
    """Escaped in this one place; the header, where it begins the page, in bold."""
    if page.startswith(head):
        return Message(f"<b>{html.escape(head)}</b>{html.escape(page[len(head) :])}")
    return Message(html.escape(page))


def _question(offer: Offer) -> str:
    """The question, unless it says what the item says already."""
    question = offer.questions[0].text
    return "" if question == offer.stimulus else question


def _options(offer: Offer) -> tuple[str, ...]:
    return offer.questions[0].options


def _letters(offer: Offer) -> Sequence[str]:
    """Letters for the options, where their texts are too long for buttons; else none."""
    if all(len(option) <= SHORT for option in _options(offer)):
        return ()
    letters = CYRILLIC if offer.language in {"uk", "ru"} else LATIN
    if len(_options(offer)) > len(letters):
        return tuple(str(number) for number in range(1, len(_options(offer)) + 1))
    return letters[: len(_options(offer))]


def _buttons(offer: Offer, labels: Sequence[str]) -> tuple[tuple[tuple[str, str], ...], ...]:
    longest = max(len(label) for label in labels)
    width = 4 if longest <= 3 and len(labels) > 2 else 2 if longest <= TINY else 1
    taps = [callbacks.Tap(offer.assignment_id, offer.revision, index) for index in range(len(labels))]
    buttons = [(label, callbacks.encode(tap)) for label, tap in zip(labels, taps, strict=True)]
    return tuple(tuple(buttons[start : start + width]) for start in range(0, len(buttons), width))
