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
from bot.conversation.inputs.input_base import QuestionInput, RefusedInput, TypedButtons, narrow_question
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, CallbackData

MAX_ANSWER_UNITS = 300
"""How much of an answer is repeated in a heading, in UTF-16 units."""
TEXT, IS_FIXED = "text", "fix"
"""The keys of the entry: the typed text, and whether the annotator wants to mend it."""


class TextInput(QuestionInput):
    """A text of the annotator's own: typed, looked at, saved. A text that is typed later takes its place."""

    def build_blocks(self, asked: AskedQuestion, translate: Texts) -> list[TextBlock]:
        """The question, and what was typed: as it will be saved, or to be copied and mended."""
        question, entry = narrow_question(asked.shown, TextQuestion), asked.draft.entry
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
        save = message_layout.build_button(
            translate("text-save"), ButtonAction.DONE, *asked.address, typed=(prompts.YES,)
        )
        fix = message_layout.build_button(
            translate("text-fix"), ButtonAction.ENTRY, *asked.address, typed=(prompts.NO, prompts.BACK)
        )
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

    def get_typed_buttons(self, asked: AskedQuestion, text: str) -> TypedButtons:  # noqa: ARG002  # by the screen alone
        """All of them below a text that is to be saved; by label only where yes or no may be its repair."""
        entry = asked.draft.entry
        if entry is None:
            return TypedButtons.NONE
        is_text_asked = entry[IS_FIXED] or prompts.is_yes_or_no(entry[TEXT])
        return TypedButtons.LABELS if is_text_asked else TypedButtons.WORDS

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Show the text to be saved, if the question takes it."""
        return _refuse_text(asked.shown, _clean_text(text)) or asked.with_entry(
            {TEXT: _clean_text(text), IS_FIXED: False}
        )

    def apply_edit(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Take the changed text of a message that was saved as the answer."""
        return _refuse_text(asked.shown, _clean_text(text)) or asked.with_answer(_clean_text(text))

    def restore_entry(self, shown: ShownQuestion, stored: str) -> Any:  # noqa: ARG002  # alike for all questions
        """The saved text, to be mended."""
        return {TEXT: stored, IS_FIXED: True}

    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:  # noqa: ARG002
        """The text in quotation marks, shortened."""
        return f"«{message_layout.shorten_text(stored, MAX_ANSWER_UNITS)}»"


def _clean_text(text: str) -> str:
    """The text as the question stores it."""
    return unicodedata.normalize("NFC", text.strip())


def _refuse_text(shown: ShownQuestion, text: str) -> RefusedInput | None:
    """Why the question does not take the text; None where it does."""
    question = narrow_question(shown, TextQuestion)
    if len(text) > question.longest:
        return RefusedInput(text_id="text-too-long", arguments={"length": len(text), "most": question.longest})
    if len(text) < question.shortest:
        return RefusedInput(text_id="text-too-short", arguments={"length": len(text), "least": question.shortest})
    if question.normalise == "number" and not scoring.is_number(text):
        return RefusedInput(text_id="text-no-number")
    return None
