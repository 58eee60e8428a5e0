"""Which question of an item comes next, and the whole answer when none does: pure."""

from __future__ import annotations

import json
from dataclasses import replace

from annotation.campaigns.questions import Choices, answers
from annotation.workflow.assignments import Asked, Offer
from bot.conversation.conversation_state import Draft
from bot.conversation.texts import Texts
from bot.conversation.views import questions
from bot.conversation.views.items import Asking

LEFT_OPEN = -1
"""In place of an option: the person would not answer."""


def next_place(offer: Offer, draft: Draft) -> int | None:
    """The place of the question to ask now; None when all are answered that earlier answers let be asked."""
    stored: dict[str, str] = {}
    for place, asked in enumerate(offer.questions):
        if asked.name in draft.given:
            stored |= _stored(asked, draft.given[asked.name])
        elif answers.asked(asked.question, stored):
            return place
    return None


def given(draft: Draft, asked: Asked, options: list[int]) -> Draft:
    """With one more question answered."""
    return replace(draft, given=draft.given | {asked.name: options}, on=[])


def raw(offer: Offer, draft: Draft) -> dict[str, object]:
    """The answers by question, as the workflow takes them."""
    found: dict[str, object] = {}
    for asked in offer.questions:
        options = draft.given.get(asked.name)
        if options is None or options == [LEFT_OPEN]:
            continue
        labels = [asked.labels[index] for index in options]
        found[asked.name] = labels if isinstance(asked.question, Choices) else labels[0]
    return found


def asking(offer: Offer, draft: Draft, say: Texts) -> Asking:
    """What of the item is on the screen."""
    place = next_place(offer, draft) or 0
    before = []
    for asked in offer.questions[:place]:
        stored = _stored(asked, draft.given.get(asked.name, [LEFT_OPEN])).get(asked.name)
        if stored is not None:
            before.append((asked.text, questions.worded(asked, stored, say, language=offer.language)))
    return Asking(place=place, on=tuple(draft.on), before=tuple(before))


def _stored(asked: Asked, options: list[int]) -> dict[str, str]:
    if options == [LEFT_OPEN]:
        return {}
    labels = [asked.labels[index] for index in options]
    return {asked.name: json.dumps(labels, ensure_ascii=False) if isinstance(asked.question, Choices) else labels[0]}
