"""Where a person stands when there is no item for her: the menu, what she waits for, how a qualification ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.campaigns.people import AttestationSection
from annotation.vocabulary import Hindrance
from annotation.workflow.assignments import Decision
from annotation.workflow.waiting import Waiting
from bot.conversation.callbacks import Verb
from bot.conversation.texts import Texts
from bot.conversation.views import message_layout, moments, option_letters
from bot.conversation.views.message_layout import Message
from bot.conversation.views.message_text import Block

WORDS = {
    Hindrance.NOT_ADMITTED: "not-admitted",
    Hindrance.NOT_RUNNING: "not-running",
    Hindrance.SUSPENDED: "suspended",
    Hindrance.PAUSED: "paused-by-rule",
    Hindrance.EXCLUDED: "excluded",
    Hindrance.FAILED: "failed",
    Hindrance.COOL_DOWN: "cool-down",
    Hindrance.WITHDRAWN: "withdrawn",
    Hindrance.QUOTA: "quota",
    Hindrance.NOTHING_LEFT: "all-done",
    Hindrance.SEARCHING: "searching",
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of the menu: what is open, under which key, and how many items of it are left; None for very many."""

    key: int
    title: str
    left: int | None


def menu(lines: Sequence[Line], say: Texts) -> Message:
    """What is open, with how much is left, and a button for each."""
    names = option_letters.letters(len(lines), say.language)
    told = [f"{name}) {one.title} — {_left(one, say)}" for name, one in zip(names, lines, strict=True)]
    titles = [f"{name} · {one.title}" for name, one in zip(names, lines, strict=True)]
    labels = titles if message_layout.short(titles) else list(names)
    buttons = [
        message_layout.button(label, Verb.ENTER, abs(one.key), int(one.key < 0))
        for label, one in zip(labels, lines, strict=True)
    ]
    return message_layout.messages(
        [Block(say("menu")), Block("\n".join(told))], say, buttons=message_layout.rows(buttons)
    )[-1]


def _left(line: Line, say: Texts) -> str:
    return say("left-many") if line.left is None else say("left", left=line.left)


def hindrance(waiting: Waiting, say: Texts, *, title: str, zone: str | None) -> Message:
    """Why there is no item now, and until when, and what can be done about it."""
    until = "" if waiting.until is None else moments.told(waiting.until, say, zone=zone)
    if waiting.reason is Hindrance.CAP:
        return message_layout.said(say, say("cap-until", until=until) if until else say("cap"))
    if waiting.reason is Hindrance.COOL_DOWN:
        return message_layout.said(say, say("cool-down", project=title, until=until))
    if waiting.reason is Hindrance.SEARCHING:
        return message_layout.said(say, say("searching"), buttons=((message_layout.button(say("go-on"), Verb.GO_ON),),))
    message = WORDS[waiting.reason]
    named = message not in {"suspended", "all-done"}
    return message_layout.said(say, say(message, project=title) if named else say(message))


def decision(made: Decision, say: Texts) -> Message:
    """How a qualification ended; when the next attempt opens is said after it."""
    message = "passed" if made.passed else "failed-now" if made.retry_at is None else "failed-retry"
    return message_layout.said(say, say(message, right=made.right, of=made.of))


def attestation(section: AttestationSection, say: Texts, *, project_id: int, sitting: int, pausing: bool) -> Message:
    """What is asked at the end of a sitting."""
    names = option_letters.letters(len(section.options), say.language)
    labels = section.options if message_layout.short(section.options) else names
    listed = "\n".join(f"{name}) {one}" for name, one in zip(names, section.options, strict=True))
    buttons = [
        message_layout.button(label, Verb.ATTEST, project_id, sitting, index, int(pausing))
        for index, label in enumerate(labels)
    ]
    blocks = [Block(say("sitting-over")), Block(section.text), Block("" if labels == section.options else listed)]
    return message_layout.messages(blocks, say, buttons=message_layout.rows(buttons))[-1]
