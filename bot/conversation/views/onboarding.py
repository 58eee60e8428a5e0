"""What a person is asked before her first item: language, consent, profile, time zone, warning, the card."""

from __future__ import annotations

import hashlib
from datetime import datetime
from zoneinfo import ZoneInfo

from annotation.campaigns.examples import ExamplesSection
from annotation.campaigns.people import ProfileField
from annotation.workflow.annotators.consents import Asked
from bot.conversation.callbacks import Verb
from bot.conversation.texts import LANGUAGES, Texts, texts
from bot.conversation.updates_and_calls import Rows
from bot.conversation.views import message_layout, message_text, option_letters
from bot.conversation.views.message_layout import Message
from bot.conversation.views.message_text import Block

ZONES = {
    "uk": ("Europe/Kyiv", "Europe/Warsaw", "Europe/Berlin", "Europe/London", "Europe/Lisbon", "America/Toronto"),
    "ru": ("Europe/Kyiv", "Europe/Moscow", "Europe/Riga", "Europe/Berlin", "Asia/Tbilisi", "Asia/Almaty"),
    "en": ("Europe/London", "Europe/Berlin", "Europe/Kyiv", "America/New_York", "America/Los_Angeles", "Asia/Kolkata"),
}
"""Where people of each language mostly live; the rest is typed."""
OTHER, UNSAID = "other", "unsaid"
DIGEST = 16


def language() -> Message:
    """Which language to speak, asked in all of them."""
    asked = [Block(texts(one)("which-language")) for one in LANGUAGES]
    buttons = tuple((message_layout.button(texts(one)("language-name"), Verb.LANGUAGE, word=one),) for one in LANGUAGES)
    return message_layout.messages(asked, texts(LANGUAGES[0]), buttons=buttons)[-1]


def consent(asked: Asked, say: Texts, *, project_id: int) -> tuple[Message, ...]:
    """The whole text, in parts where it is long, and the two answers under the last."""
    word = asked.agreement.sha256[:DIGEST]
    buttons = (
        (message_layout.button(say("agree"), Verb.CONSENT, project_id, 1, word=word),),
        (message_layout.button(say("decline"), Verb.CONSENT, project_id, 0, word=word),),
    )
    return message_layout.messages([message_text.strong(say("consent")), Block(asked.text)], say, buttons=buttons)


def profile(field: ProfileField, say: Texts, *, project_id: int) -> Message:
    """One thing asked of a person: buttons for a choice, else a text to type; left open where she may."""
    word, blocks = digest(field), [message_text.strong(field.text)]
    labels = tuple(option_letters.isolated(option) for option in field.options)
    if field.options and not message_layout.short(labels):
        called = option_letters.letters(len(labels), say.language)
        blocks.append(Block("\n".join(f"{name}) {one}" for name, one in zip(called, labels, strict=True))))
        labels = called
    buttons = message_layout.rows(
        [message_layout.button(label, Verb.PROFILE, project_id, index, word=word) for index, label in enumerate(labels)]
    )
    if not field.options:
        blocks.append(Block(say("type-number" if field.type == "number" else "type-text")))
    if not field.required:
        left = message_layout.button(say("rather-not-say"), Verb.PROFILE, project_id, len(labels), 1, word=word)
        buttons = (*buttons, (left,))
    reply = say("answer-here") if not buttons else None
    return message_layout.messages(blocks, say, buttons=buttons, reply=reply)[-1]


def digest(field: ProfileField) -> str:
    """What tells a field from what it was before."""
    return hashlib.sha256(field.model_dump_json().encode()).hexdigest()[:DIGEST]


def zone(say: Texts, *, now: datetime) -> Message:
    """In which time zone the person's day begins, with the time that it is there."""
    found = []
    for name in ZONES[say.language]:
        label = f"{say(zone_name(name))} · {now.astimezone(ZoneInfo(name)):%H:%M}"
        found.append(message_layout.button(label, Verb.ZONE, word=name))
    pairs = tuple(tuple(found[start : start + 2]) for start in range(0, len(found), 2))
    last = (
        message_layout.button(say("zone-other"), Verb.ZONE, word=OTHER),
        message_layout.button(say("zone-unsaid"), Verb.ZONE, word=UNSAID),
    )
    return message_layout.said(say, say("which-zone"), buttons=(*pairs, last))


def zone_name(name: str) -> str:
    """The message with the name of a zone's city."""
    return "zone-" + name.rpartition("/")[2].lower().replace("_", "-")


def cities() -> dict[str, str]:
    """The zones of all buttons by the names of their cities in every language, in small letters."""
    names = {name for several in ZONES.values() for name in several}
    return {texts(one)(zone_name(name)).casefold(): name for name in sorted(names) for one in LANGUAGES}


def zone_told(name: str, say: Texts) -> str:
    """A zone as people call it: by its city where that has a name here, by the difference from UTC."""
    if name.startswith("Etc/GMT"):
        hours = -int(name.removeprefix("Etc/GMT") or 0)
        return f"UTC{hours:+d}" if hours else "UTC"
    known = name in {one for several in ZONES.values() for one in several}
    return say(zone_name(name)) if known else name.replace("_", " ")


def warning(text: str, say: Texts, *, project_id: int, sha256: str) -> tuple[Message, ...]:
    """What the items may hold, before the first of them."""
    go_on = message_layout.button(say("go-on"), Verb.WARNING, project_id, word=sha256[:DIGEST])
    leave = message_layout.button(say("decline-warning"), Verb.WARNING, project_id, 0, word=sha256[:DIGEST])
    blocks = [message_text.strong(say("warning")), Block(text), Block(say("warning-leave"))]
    return message_layout.messages(blocks, say, buttons=((go_on,), (leave,)))


def card(
    title: str, instructions: str, examples: ExamplesSection | None, say: Texts, *, buttons: Rows = ()
) -> tuple[Message, ...]:
    """The task: its instructions, good and bad examples."""
    blocks = [message_text.strong(title), Block(instructions)]
    if examples is not None:
        for message, sign, several in (("examples-good", "✅", examples.good), ("examples-bad", "🚫", examples.bad)):
            if several:
                blocks += [message_text.strong(say(message)), Block("\n".join(f"{sign} {one}" for one in several))]
    return message_layout.messages(blocks, say, buttons=buttons)


def version(instructions: str, examples: ExamplesSection | None) -> str:
    """What tells a card from what it was before."""
    text = instructions + ("" if examples is None else examples.model_dump_json())
    return hashlib.sha256(text.encode()).hexdigest()[:8]
