"""How the answer page asks a question: what `bot.conversation.views.answer_page` shows of it, as JSON."""

from __future__ import annotations

from typing import Any

from annotation.campaigns.questions import ScaleQuestion, SpanQuestion
from annotation.workflow.conversations.conversation_state import AskedQuestion
from bot.conversation import message_layout
from bot.conversation.inputs import INPUTS
from bot.conversation.inputs.options import ScaleInput
from bot.conversation.inputs.preferences import PreferenceInput
from bot.conversation.spans import span_drafts
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction

BUTTON_KINDS = {"choice", "preference"}


def describe_page_question(asked: AskedQuestion, translate: Texts, stored: str | None) -> dict[str, Any]:
    """A question as the page asks it: its `kind`, texts, `value` (entered before), and what its kind needs."""
    shown, question = asked.shown, asked.shown.question
    question_input = INPUTS[question.kind]
    described = {"kind": question.kind, "title": question.text, "help": question.help or ""}
    described["value"] = question_input.restore_entered(asked, stored)
    if question.kind == "choices":
        return described | {"options": list(shown.options)}
    if question.kind == "edit":
        return described | {"original": shown.field_text}
    if isinstance(question, SpanQuestion):
        return described | {
            "pieces": list_pieces(shown.field_text), "most": question.most, "none": question.none_text or ""
        }  # fmt: skip
    if isinstance(question, ScaleQuestion) and question.is_typed:
        low, high = question.options[0], question.options[-1]
        lines = [f"{low} — {question.ends[0]}", f"{high} — {question.ends[1]}"] if question.ends else []
        return described | {"kind": "number", "low": low, "high": high, "ends": lines}
    if question.kind not in BUTTON_KINDS | {"scale"}:
        return described
    labels = list(shown.options)
    if isinstance(question_input, PreferenceInput):
        labels = list(question_input.name_options(shown, translate, language=asked.language))
    ends = question.ends if isinstance(question, ScaleQuestion) and isinstance(question_input, ScaleInput) else None
    if ends:
        labels[0], labels[-1] = f"{labels[0]} — {ends[0]}", f"{labels[-1]} — {ends[1]}"
    options = [
        {"label": label, "data": message_layout.build_button("", ButtonAction.ANSWER, *asked.address, index).data}
        for index, label in enumerate(labels)
    ]
    return described | build_buttons_question(question.text, question.help or "", options)


def build_buttons_question(title: str, help_text: str, options: list[dict[str, str]]) -> dict[str, Any]:
    """A question that is answered by one tap; `options` have `label` and `data`."""
    return {"kind": "buttons", "title": title, "help": help_text, "options": options, "value": None}


def list_pieces(text: str) -> list[dict[str, Any]]:
    """A text in its order: words of the chat's own splitting with their ends, `{text, start, end}`, and what stands
    between them, `{text}`. Ends count characters of the text as it is stored.
    """
    pieces: list[dict[str, Any]] = []
    done = 0
    for start, end in span_drafts.split_text(text).words:
        pieces += [{"text": text[done:start]}] if start > done else []
        pieces.append({"text": text[start:end], "start": start, "end": end})
        done = end
    return [*pieces, {"text": text[done:]}] if done < len(text) else pieces
