"""Questions answered with parts of a text (`span`): by numbered sentences and words, or by typing the part."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from annotation.campaigns.questions import SpanQuestion
from annotation.errors import BadInput, Stale
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout
from bot.conversation.inputs.input_base import QuestionInput, RefusedInput, narrow_question
from bot.conversation.message_layout import TextBlock
from bot.conversation.spans import span_drafts, span_screens
from bot.conversation.spans.span_drafts import SpanDraft, SpanTap, parse_draft
from bot.conversation.spans.span_screens import SpanChoice
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, CallbackData

TAP, VALUE = 2, 3
"""The indices of the numbers in the data of the buttons: what a button does, and what it chooses."""
MAX_ANSWER_UNITS = 300
"""How much of an answer is repeated to the annotator, in UTF-16 units."""


class SpansInput(QuestionInput):
    """One or several parts of a field of the item, or that there is none; the entry is `SpanDraft.to_json`.

    A button works only on the screen that it was shown with, so that what is saved is what stood there.
    """

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question with its help, and the step of the choice."""
        question = asked.shown.question
        return [
            message_layout.make_bold_unless_equal(question.text, asked.stimulus),
            TextBlock(question.help or ""),
            *span_screens.build_span_blocks(_build_choice(asked), translate),
        ]

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """The numbers or the moves of this step, and "no such part" where that is an answer."""
        none = asked.shown.question.none_text
        return span_screens.build_span_buttons(_build_choice(asked), translate, address=asked.address, none=none)

    def has_step_before(self, asked: AskedQuestion) -> bool:
        """Whether a sentence or word was chosen that another can be chosen for."""
        return _build_choice(asked).can_go_back

    def apply_tap(self, asked: AskedQuestion, callback: CallbackData) -> AnswerDraft | RefusedInput:
        """Take a step of the choice, or the chosen parts as the answer."""
        if callback.action is not ButtonAction.ENTRY:
            raise Stale("This question has no such button.")
        choice = _build_choice(asked)
        if callback.word != choice.draft.digest:
            return RefusedInput(text_id="span-moved")
        try:
            tap = SpanTap(callback.get_number(TAP))
        except ValueError:
            raise Stale("There is no such button.") from None
        return _apply_choice(asked, choice, tap, callback.get_number(VALUE))

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Take a typed number or label as its button, and any other text as the part that it quotes."""
        choice, none = _build_choice(asked), asked.shown.question.none_text
        number = choice.find_typed_number(text.strip())
        if number is not None:
            return asked.with_entry(choice.apply_tap(SpanTap.CHOOSE, number).to_json())
        page = choice.find_typed_page(text.strip())
        if page is not None:
            return asked.with_entry(choice.apply_tap(SpanTap.PAGE, page).to_json())
        tap = span_screens.find_typed_button(choice, text, goes_further_back=bool(asked.draft.answers))
        if tap is not None:
            return _apply_choice(asked, choice, tap, 0)
        if none is not None and text.strip().casefold() == none.strip().casefold() and not choice.draft.spans:
            return asked.with_answer(none)
        return _quote_part(asked, text)

    def apply_edit(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Take the part that the changed message quotes now; a number meant a button of an earlier screen."""
        return _quote_part(asked, text)

    def apply_entered(self, asked: AskedQuestion, entered: Any) -> AnswerDraft | RefusedInput:
        """Take the parts of the answer page as the answer, each `{start, end}` in characters of the text.

        They begin and end where words do, as in the chat; an empty list is "no such part".
        """
        text, none = asked.shown.field_text, asked.shown.question.none_text
        if entered == [] and none is not None:
            return asked.with_answer(none)
        words = span_drafts.split_text(text).words
        starts, ends = set(map(span_drafts.get_start, words)), set(map(span_drafts.get_end, words))
        if not isinstance(entered, list) or not entered or not all(_is_part(part, starts, ends) for part in entered):
            raise BadInput("These are not parts of the text.")
        return asked.with_answer([part | {"text": text[part["start"] : part["end"]]} for part in entered])

    def restore_entered(self, asked: AskedQuestion, stored: str | None) -> list[dict[str, Any]]:
        """The parts that were chosen in the chat, or are saved."""
        chosen = parse_draft(asked.draft.entry or {}).spans
        if chosen or stored is None:
            return [{"start": start, "end": end} for start, end in chosen]
        return [{"start": span["start"], "end": span["end"]} for span in _read_spans(asked.shown, stored)]

    def restore_entry(self, shown: ShownQuestion, stored: str) -> object:
        """The stored parts, of which the last one is shown to be changed; None where there are none."""
        spans = tuple((span["start"], span["end"]) for span in _read_spans(shown, stored))
        return SpanDraft(kept=spans[:-1], current=spans[-1]).to_json() if spans else None

    def format_answer(
        self,
        shown: ShownQuestion,
        stored: str,
        translate: Texts,
        *,
        language: str,  # noqa: ARG002  # has no letters
    ) -> str:
        """The parts in quotation marks, or the text for "no such part"."""
        texts = [span["text"] for span in _read_spans(shown, stored)]
        words = span_screens.format_spans(texts, translate) or shown.question.none_text or translate("none-of-them")
        return message_layout.shorten_text(words, MAX_ANSWER_UNITS)


def _is_part(part: Any, starts: Collection[int], ends: Collection[int]) -> bool:
    return (
        isinstance(part, dict)
        and part.keys() == {"start", "end"}
        and type(part["start"]) is type(part["end"]) is int
        and part["start"] < part["end"]
        and part["start"] in starts
        and part["end"] in ends
    )


def _read_spans(shown: ShownQuestion, stored: str) -> list[dict[str, Any]]:
    """The parts of an answer as it is stored, or as a draft holds it: "no such part" is the text for it there."""
    spans: list[dict[str, Any]] = [] if stored == shown.question.none_text else json.loads(stored)
    return spans


def _build_choice(asked: AskedQuestion) -> SpanChoice:
    segments = span_drafts.split_text(asked.shown.field_text)
    return SpanChoice(
        segments=segments,
        most=narrow_question(asked.shown, SpanQuestion).most,
        draft=parse_draft(asked.draft.entry or {}),
    )


def _quote_part(asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
    extents = span_drafts.find_typed_part(text, asked.shown.field_text)
    draft = _build_choice(asked).choose_extents(extents)
    if draft is None:
        return RefusedInput(text_id="span-overlaps" if extents else "span-not-found", offers_commands=not extents)
    return asked.with_entry(draft.to_json())


def _apply_choice(asked: AskedQuestion, choice: SpanChoice, tap: SpanTap, value: int) -> AnswerDraft:
    draft, text = choice.draft, choice.segments.text
    if tap is SpanTap.NONE and asked.shown.question.none_text is not None and not draft.spans:
        return asked.with_answer(asked.shown.question.none_text)
    if tap is SpanTap.SAVE and draft.current is not None:
        return asked.with_answer([{"start": start, "end": end, "text": text[start:end]} for start, end in draft.spans])
    return asked.with_entry(choice.apply_tap(tap, value).to_json())
