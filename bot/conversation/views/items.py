"""An item on the screen, and what it becomes after its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.vocabulary import Stage
from annotation.workflow.assignments import Asked, Offer, Saved
from bot.conversation.callbacks import Verb
from bot.conversation.texts import Texts, of_project
from bot.conversation.updates_and_calls import Rows
from bot.conversation.views import message_layout, message_text, questions
from bot.conversation.views.message_layout import Message
from bot.conversation.views.message_text import Block

STAGES = {Stage.TRAINING: "stage-training", Stage.QUALIFICATION: "stage-qualification"}


@dataclass(frozen=True, kw_only=True)
class Asking:
    """Which question of the item is on the screen, which boxes are ticked, and what was answered before it."""

    place: int = 0
    on: tuple[int, ...] = ()
    before: tuple[tuple[str, str], ...] = ()
    """Questions with their answers in words."""


def item(offer: Offer, say: Texts, *, asking: Asking, countdown: bool) -> tuple[Message, ...]:
    """The item with one of its questions; a long one in several messages, the buttons under the last."""
    blocks = _blocks(offer, say, asking=asking, countdown=countdown)
    return message_layout.messages(blocks, say, buttons=(*answers(offer, say, asking), *actions(offer, say)))


def with_buttons(offer: Offer, say: Texts, *, asking: Asking, countdown: bool, buttons: Rows, asks: str) -> Message:
    """The last message of the item, other buttons under it and what they ask below."""
    blocks = _blocks(offer, say, asking=asking, countdown=countdown)
    shown = message_layout.messages(blocks, say, buttons=buttons)
    told = message_layout.messages([*blocks, message_text.strong(asks)], say, buttons=buttons)
    return (told if len(told) == len(shown) else shown)[-1]


def answers(offer: Offer, say: Texts, asking: Asking) -> Rows:
    """The buttons that answer the question on the screen."""
    return questions.buttons(
        offer.questions[asking.place],
        say,
        language=offer.language,
        assignment_id=offer.assignment_id,
        revision=offer.revision,
        place=asking.place,
        on=asking.on,
        alone=len(offer.questions) == 1,
    )


def actions(offer: Offer, say: Texts) -> Rows:
    """What else can be done with an item; with an answer that is being changed, only to leave it."""
    row = offer.assignment_id
    if offer.revision:
        return ((message_layout.button(say("keep"), Verb.KEEP, row),),)
    return (
        (message_layout.button(say("skip"), Verb.SKIP, row), message_layout.button(say("report"), Verb.REPORT, row)),
        (message_layout.button(say("ask"), Verb.ASK, row), message_layout.button(say("task"), Verb.TASK, row)),
        (message_layout.button(say("pause"), Verb.PAUSE, row),),
    )


def _blocks(offer: Offer, say: Texts, *, asking: Asking, countdown: bool) -> list[Block]:
    asked = offer.questions[asking.place]
    earlier = [Block(f"{question} — {answer}") for question, answer in asking.before]
    found = [
        _head(offer, say, countdown=countdown),
        *shown(offer.stimulus, offer.pieces, offer.language),
        *earlier,
        *questions.blocks(asked, offer.language, unless=offer.stimulus),
    ]
    if len(asked.options) > questions.MOST_BUTTONS:
        found.append(Block(say("type-a-number")))
    return found


def _head(offer: Offer, say: Texts, *, countdown: bool) -> Block:
    """Where the person is: her number, the stage, her page, and what is left for all."""
    number = str(offer.number)
    found = [number]
    if offer.stage in STAGES:
        found.append(say(STAGES[offer.stage]))
    if offer.page is not None and offer.page.place is not None:
        found.append(say("page", page=offer.page.number, place=offer.page.place))
    if countdown and offer.left is not None:
        found.append(say("left", left=offer.left))
    return Block(" · ".join(found), ((0, len(number)),))


def shown(stimulus: str, pieces: Sequence[Mapping[str, Any]], language: str) -> list[Block]:
    """The item itself, in the project's language."""
    if not pieces:
        return [Block(stimulus)]
    found: list[Block] = []
    for piece in pieces:
        if piece["step"] == 1 and str(piece["text"]).strip():
            found += [message_text.strong(piece["title"])] if piece["title"] else []
            found.append(_piece(piece, language))
    return found


def _piece(piece: Mapping[str, Any], language: str) -> Block:
    """A part with what is bold in it: its gap as a word, its highlights in asterisks, as models are shown them."""
    text, gap = str(piece["text"]), piece["gap"]
    changes = [(start, end, f"*{text[start:end]}*") for start, end in piece["marks"]]
    if gap is not None:
        changes.append((gap[0], gap[1], f"[{of_project(language)('gap')}]"))
    made, bold, at = "", [], 0
    for start, end, words in sorted(changes):
        if start < at:
            continue
        made += text[at:start]
        bold.append((len(made), len(made) + len(words)))
        made, at = made + words, end
    return Block(made + text[at:], tuple(bold), fold=bool(piece["fold"]) and gap is None and not bold)


def answered(saved: Saved, say: Texts, *, emoji: str = "") -> Message:
    """What an item becomes after its answer: the answer first, then what there is to learn, the item still below."""
    head = _mark(saved, say, emoji=emoji)
    told = [message_text.strong(head), *(Block(one) for one in _told(saved, say))]
    question = message_layout.strong_unless(saved.question, saved.stimulus)
    whole = [*told, *shown(saved.stimulus, saved.pieces, saved.language), question]
    undo = ((message_layout.button(say("undo"), Verb.UNDO, saved.assignment_id),),) if saved.changeable else ()
    return message_layout.messages(whole if message_text.fits(whole) else told, say, buttons=undo)[-1]


def in_words(saved: Saved, say: Texts) -> str:
    """The answers in one line, as the buttons call them."""
    asked: dict[str, Asked] = {one.name: one for one in saved.questions}
    found = [questions.worded(asked[name], label, say, language=saved.language) for name, label in saved.stored.items()]
    return "; ".join(found)


def _mark(saved: Saved, say: Texts, *, emoji: str) -> str:
    if not saved.stored:
        return say("skipped-mark", number=saved.number)
    return f"✓ {saved.number} · {in_words(saved, say)} {emoji}".strip()


def _told(saved: Saved, say: Texts) -> list[str]:
    """In training: whether it was right, what would have been, and why; else that the answer came late."""
    if saved.extra:
        return [say("extra")]
    learnt = saved.feedback
    if learnt is None or not saved.stored:
        return []
    gold = "; ".join(_gold(saved, name, text, say) for name, text in learnt.gold.items())
    verdict = {True: say("right"), False: say("wrong", gold=gold), None: say("for-comparison", gold=gold)}[learnt.right]
    return [verdict if gold or learnt.right else "", learnt.explanation or ""]


def _gold(saved: Saved, name: str, text: str, say: Texts) -> str:
    asked = next(one for one in saved.questions if one.name == name)
    label = next((label for option, label in zip(asked.options, asked.labels, strict=True) if option == text), text)
    return questions.worded(asked, label, say, language=saved.language)
