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
from bot.conversation.inputs.input_base import (
    QuestionInput,
    RefusedInput,
    TypedButtons,
    narrow_question,
    refuse_words_with_number,
    require_text,
)
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, CallbackData

MAX_ANSWER_UNITS = 300
"""How much of an answer is repeated in a heading, in UTF-16 units."""
TEXT, IS_FIXED, BEFORE_DOUBT = "text", "fix", "before"
"""The keys of the entry: the typed text, and whether the annotator wants to mend it.

The last is only there where it is asked whether the text is an answer at all: then it has the entry before it.
"""


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
        if BEFORE_DOUBT in entry:
            return [*blocks, message_layout.make_bold_block(text), TextBlock(translate("word-or-answer"))]
        blocks += [TextBlock(translate("text-preview")), message_layout.make_bold_block(text)]
        if entry[IS_FIXED]:
            return [*blocks, TextBlock(translate("text-type-again"))]
        number = scoring.normalise_answer("number", text)
        if is_number and number != text:
            blocks.append(TextBlock(translate("text-number", number=number)))
        return blocks

    def build_buttons(self, asked: AskedQuestion, translate: Texts) -> ButtonRows:
        """Save and Fix, once a text was typed; where it may be a wish, what it may be instead."""
        if asked.draft.entry is None:
            return ()
        if BEFORE_DOUBT in asked.draft.entry:
            return _build_doubt_buttons(asked, translate)
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
        if BEFORE_DOUBT in asked.draft.entry:
            return asked.with_entry(asked.draft.entry[BEFORE_DOUBT])
        return asked.with_entry(asked.draft.entry | {IS_FIXED: True})

    def takes_wishes(self, asked: AskedQuestion, text: str) -> bool:
        """Whether it is asked if a word is an answer: typed again, it is none, unless it is a yes or no."""
        entry = asked.draft.entry
        return entry is not None and BEFORE_DOUBT in entry and not prompts.is_yes_or_no(text)

    def leave_entry(self, entry: Any) -> Any:
        """The entry before the doubt."""
        return entry[BEFORE_DOUBT] if entry is not None and BEFORE_DOUBT in entry else entry

    def has_step_before(self, asked: AskedQuestion) -> bool:
        """Whether a button leads back from the doubt to the question."""
        entry = asked.draft.entry
        return entry is not None and BEFORE_DOUBT in entry and not _leads_further_back(asked)

    def get_typed_buttons(self, asked: AskedQuestion, text: str) -> TypedButtons:  # noqa: ARG002  # by the screen alone
        """All of them below a text that is to be saved; by label only where yes or no may be its repair."""
        entry = asked.draft.entry
        if entry is None:
            return TypedButtons.NONE
        is_text_asked = entry[IS_FIXED] or prompts.is_yes_or_no(entry[TEXT])
        return TypedButtons.LABELS if is_text_asked else TypedButtons.WORDS

    def apply_text(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Show the text to be saved, if the question takes it; a word such as «назад» may be no answer."""
        cleaned = _clean_text(text)
        refused = _refuse_text(asked.shown, cleaned)
        if refused is not None:
            return refused
        entry: dict[str, Any] = {TEXT: cleaned, IS_FIXED: False}
        if prompts.may_be_wish(cleaned):
            entry[BEFORE_DOUBT] = self.leave_entry(asked.draft.entry)
        return asked.with_entry(entry)

    def apply_edit(self, asked: AskedQuestion, text: str) -> AnswerDraft | RefusedInput:
        """Take the changed text of a message that was saved as the answer."""
        return _refuse_text(asked.shown, _clean_text(text)) or asked.with_answer(_clean_text(text))

    def apply_entered(self, asked: AskedQuestion, entered: Any) -> AnswerDraft | RefusedInput:
        """Take the text of the answer page as the answer, where it stood to be looked at."""
        return self.apply_edit(asked, require_text(entered))

    def restore_entered(self, asked: AskedQuestion, stored: str | None) -> str:
        """The text that was typed last, or is saved."""
        entry = self.leave_entry(asked.draft.entry)
        return str(entry[TEXT]) if entry else stored or ""

    def restore_entry(self, shown: ShownQuestion, stored: str) -> Any:  # noqa: ARG002  # alike for all questions
        """The saved text, to be mended."""
        return {TEXT: stored, IS_FIXED: True}

    def format_answer(self, shown: ShownQuestion, stored: str, translate: Texts, *, language: str) -> str:  # noqa: ARG002
        """The text in the quotation marks of the annotator's language, shortened."""
        return translate("span-part", part=message_layout.shorten_text(stored, MAX_ANSWER_UNITS))


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
        return refuse_words_with_number(text) or RefusedInput(text_id="text-no-number", offers_commands=True)
    return None


WISH_BUTTONS = {"=pause": ("pause", ButtonAction.PAUSE), "=report": ("report", ButtonAction.REPORT)}
"""The buttons for what a typed word may mean, besides those that are below every item."""


def _build_doubt_buttons(asked: AskedQuestion, translate: Texts) -> ButtonRows:
    """The word is the answer, it does what it says, or it leads back to the question."""
    answer = message_layout.build_button(
        translate("is-my-answer"), ButtonAction.DONE, *asked.address, typed=(prompts.YES,)
    )
    rows = [(answer,)]
    wish = WISH_BUTTONS.get(prompts.find_command_word(asked.draft.entry[TEXT]))
    if wish is not None:
        text_id, action = wish
        rows.append((message_layout.build_button(translate(text_id), action, asked.draft.assignment_id),))
    if not _leads_further_back(asked):
        back = message_layout.build_button(
            translate("back"), ButtonAction.ENTRY, *asked.address, typed=(prompts.BACK, prompts.NO)
        )
        rows.append((back,))
    return tuple(rows)


def _leads_further_back(asked: AskedQuestion) -> bool:
    """Whether a word for back leads to the question before."""
    return bool(asked.draft.answers) and prompts.find_command_word(asked.draft.entry[TEXT]) == prompts.BACK
