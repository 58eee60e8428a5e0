"""The ways to answer a question in the chat: one module for each, found by the type of the question.

Each is a `QuestionInput`: it builds the text blocks and buttons of a question from its draft, says what a tap or a text
makes of the draft, and formats a stored answer in words. The draft (`conversation_state.AnswerDraft`) holds finished
answers by question name, as `assignments.submit_judgement` takes them, and as `entry` what was entered so far for the
question that is asked now: any JSON value, whose meaning only its input knows. The data of the buttons begins with the
revision and the index of the question; two numbers are left (`callbacks`). Handlers do the rest for all inputs alike.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.conversation.inputs.corrections import CorrectionInput
from bot.conversation.inputs.input_base import QuestionInput
from bot.conversation.inputs.options import ChoicesInput, OptionsInput, ScaleInput
from bot.conversation.inputs.preferences import PreferenceInput
from bot.conversation.inputs.spans import SpansInput
from bot.conversation.inputs.texts import TextInput

INPUTS: Mapping[str, QuestionInput] = {
    "choice": OptionsInput(),
    "choices": ChoicesInput(),
    "scale": ScaleInput(),
    "span": SpansInput(),
    "text": TextInput(),
    "edit": CorrectionInput(),
    "preference": PreferenceInput(),
}
"""The inputs by the name of the question's type (`question.kind`)."""
