"""Questions answered with a typed text, `text`: the text is shown once more before it is saved, and can be mended."""

from __future__ import annotations

import unicodedata
from typing import Any

from aggregation import scoring
from annotation.campaigns.questions import TextQuestion
from annotation.errors import Stale
from annotation.workflow.assignments import ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, prompts
from bot.conversation.callbacks import ButtonAction, CallbackData
from bot.conversation.inputs.input_base import QuestionInput, RefusedInput
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import LANGUAGES, Texts, get_texts
from bot.conversation.updates_and_calls import MAX_TEXT, ButtonRows

MAX_ANSWER_UNITS = 300
"""How much of an answer is repeated in a heading, in UTF-16 units."""
TEXT, IS_FIXED = "text", "fix"
"""The keys of the entry: the typed text, and whether the annotator wants to mend it."""


class TextInput(QuestionInput):
    """A text of the annotator's own: typed, looked at, saved. A text that is typed later takes its place."""

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question, and what was typed: as it will be saved, or to be copied and mended."""
        question, entry = _get_question(asked.shown), asked.draft.entry
        blocks = [message_layout.make_bold_unless_equal(question.text, asked.stimulus), TextBlock(question.help or "")]
        is_number = question.normalise == "number"
        if entry is None:
            return [*blocks, TextBlock(translate("type-number" if is_number else "type-text"))]
        text = str(entry[TEXT])
        blocks += [TextBlock(translate("text-preview")), message_layout.make_bold_block(text)]
        if entry[IS_FIXED]:
            return [*blocks, TextBlock(translate("text-type-again"))]
        number = scoring.normalise_answer("number", text)
        if is_number and number != text:
            blocks.append(TextBlock(translate("text-number", number=number)))
        return blocks

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """Save and Fix, once a text was typed."""
        if asked.draft.entry is None:
            return ()
        save = message_layout.build_button(translate("text-save"), ButtonAction.DONE, *asked.address)
        fix = message_layout.build_button(translate("text-fix"), ButtonAction.ENTRY, *asked.address)
        return ((save,),) if asked.draft.entry[IS_FIXED] else ((save, fix),)

    def apply_tap(self, asked: AskedQuestion, callback: CallbackData) -> AnswerDraft | RefusedInput:
        """Take the typed text as the answer, or show it to be mended."""
        if asked.draft.entry is None:
            raise Stale("Nothing was typed yet.")
        if callback.action is ButtonAction.DONE:
            return asked.with_answer(asked.draft.entry[TEXT])
        if callback.action is not ButtonAction.ENTRY:
            raise Stale("This question has no such button.")
        return asked.with_entry(asked.draft.entry | {IS_FIXED: True})

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Show the text to be saved, if the question takes it; below a text the words of a button are that button."""
        entry = asked.draft.entry
        if entry is not None and _names_button(text, "text-save"):
            return asked.with_answer(entry[TEXT])
        if entry is not None and not entry[IS_FIXED] and _names_button(text, "text-fix"):
            return asked.with_entry(entry | {IS_FIXED: True})
        return _refuse_text(_get_question(asked.shown), _clean_text(text)) or asked.with_entry(
            {TEXT: _clean_text(text), IS_FIXED: False}
        )

    def apply_edit(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Take the changed text of a message that was saved as the answer."""
        return _refuse_text(_get_question(asked.shown), _clean_text(text)) or asked.with_answer(_clean_text(text))

    def restore_entry(self, shown: ShownQuestion, stored: str) -> Any:  # noqa: ARG002  # alike for all questions
        """The saved text, to be mended."""
        return {TEXT: stored, IS_FIXED: True}

    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:  # noqa: ARG002
        """The text in quotation marks, shortened."""
        return f"«{message_layout.shorten_text(stored, MAX_ANSWER_UNITS)}»"


def _get_question(shown: ShownQuestion) -> TextQuestion:
    if not isinstance(shown.question, TextQuestion):
        raise TypeError(f"{shown.name} is not answered with a text")
    return shown.question


def _names_button(text: str, text_id: str) -> bool:
    """Whether a typed text is the label of this button, in whatever language."""
    labels = (get_texts(language)(text_id) for language in LANGUAGES)
    return prompts.normalise_text(text) in map(prompts.normalise_text, labels)


def _clean_text(text: str) -> str:
    """The text as the question stores it."""
    return unicodedata.normalize("NFC", text.strip())


def _refuse_text(question: TextQuestion, text: str) -> RefusedInput | None:
    """Why the question does not take the text; None where it does."""
    if len(text) > question.longest or len(text) >= MAX_TEXT:  # a longer message arrives in pieces
        most = min(question.longest, MAX_TEXT - 1)
        return RefusedInput(text_id="text-too-long", arguments={"length": len(text), "most": most})
    if len(text) < question.shortest:
        return RefusedInput(text_id="text-too-short", arguments={"length": len(text), "least": question.shortest})
    if question.normalise == "number" and not scoring.is_number(text):
        return RefusedInput(text_id="text-no-number")
    return None
