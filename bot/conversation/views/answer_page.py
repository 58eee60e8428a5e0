"""What the answer page shows of an item, as JSON: texts in pieces, and buttons with the data of the chat's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.campaigns.questions import ScaleQuestion, SpanQuestion
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, updates_and_calls
from bot.conversation.inputs import INPUTS
from bot.conversation.inputs.options import ScaleInput
from bot.conversation.inputs.preferences import PreferenceInput
from bot.conversation.message_layout import TextBlock
from bot.conversation.spans import span_drafts
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton
from bot.conversation.views import items, menus

WORDS = (
    "page-again", "page-answer", "page-back", "page-changes", "page-conflict", "page-difference", "page-draft",
    "page-edited", "page-end", "page-little", "page-loading", "page-mark", "page-mine", "page-most",
    "page-nothing", "page-offline", "page-on", "page-remove", "page-restored", "page-same", "page-start",
    "page-step-undo", "page-tap-last", "page-text", "page-theirs",
)  # fmt: skip
"""The ids of the texts of the page, which knows them without `page-`."""
SHARED_WORDS = ("go-on", "text-save", "undo", "skip", "report", "pause", "more")
"""The words that the page has in common with the chat."""
BUTTON_KINDS = {"choice", "preference"}
"""Questions that one tap answers."""


def list_words(translate: Texts) -> dict[str, str]:
    """The words of the page in one language."""
    return {name.removeprefix("page-"): translate(name) for name in (*WORDS, *SHARED_WORDS)}


def describe_item(
    item: AssignedItem, draft: AnswerDraft, translate: Texts, *, stored: str | None, report_reasons: Sequence[str]
) -> dict[str, Any]:
    """An item with the question that is asked now.

    `assignment` and `revision` name it, `header` is its number and countdown, `blocks` are its texts and `sides` those
    to compare, `answered` the questions before with their answers, `asked` the question with what it needs (`kind`
    says which), and `actions` are buttons. `stored` is the answer to be changed, None for a first one.
    """
    asked = items.find_asked(item, draft)
    described: dict[str, Any] = {
        "assignment": item.assignment_id,
        "revision": item.revision,
        "language": item.language,
        "header": items.build_header(item, translate).text,
        "sides": _list_sides(item),
        "answered": [],
        "actions": _list_actions(item, translate, asked, report_reasons),
    }
    if asked is None:
        lines, buttons = items.list_answer_lines(item, draft, translate), items.build_change_buttons(item, draft)
        data = [button.data for row in buttons for button in row]
        options = [{"label": line, "data": one} for line, one in zip(lines, data, strict=True)]
        title = translate("which-answer")
        return described | {"blocks": _describe_blocks(item, ""), "asked": _build_buttons_question(title, "", options)}
    progress = items.build_item_progress(item, draft, translate)
    described["answered"] = [list(pair) for pair in progress.answered]
    described["blocks"] = _describe_blocks(item, asked.shown.field_text)
    rules = items.format_stage_rules(item, translate) if item.stage in items.STAGE_TEXTS else ""
    described["blocks"] = ([{"runs": [{"text": rules}], "fold": False}] if rules else []) + described["blocks"]
    described["asked"] = _describe_question(asked, translate, stored) | {
        "name": asked.shown.name,
        "leave": _find_button(items.build_answer_buttons(item, translate, asked), ButtonAction.LEAVE_UNANSWERED),
        "done": message_layout.build_button("", ButtonAction.DONE, *asked.address).data,
    }
    return described


def _describe_question(asked: AskedQuestion, translate: Texts, stored: str | None) -> dict[str, Any]:
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
        return described | {"kind": "number", "low": question.options[0], "high": question.options[-1]}
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
    return described | _build_buttons_question(question.text, question.help or "", options)


def _build_buttons_question(title: str, help_text: str, options: list[dict[str, str]]) -> dict[str, Any]:
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


def _describe_blocks(item: AssignedItem, field_text: str) -> list[dict[str, Any]]:
    """The texts of the item, but for the one in which the answer is marked or corrected: it stands there."""
    blocks = items.build_stimulus_blocks(item.stimulus, item.pieces, item.language)
    return [
        {"runs": list_runs(block), "fold": block.fold}
        for block in blocks
        if block.text.strip() and (not field_text or block.text != field_text)
    ]


def list_runs(block: TextBlock) -> list[dict[str, Any]]:
    """The text of a block in runs, `{text}` with `bold` or `underlined` where they are true."""
    marks = [(start, end, "bold") for start, end in block.bold]
    marks += [(start, end, "underlined") for start, end in block.underlined]
    runs: list[dict[str, Any]] = []
    done = 0
    for start, end, name in sorted(marks):
        if start < done:
            continue
        runs += [{"text": block.text[done:start]}] if start > done else []
        runs.append({"text": block.text[start:end], name: True})
        done = end
    return [*runs, {"text": block.text[done:]}] if done < len(block.text) else runs


def _list_sides(item: AssignedItem) -> list[dict[str, str]]:
    for shown in item.questions:
        question_input = INPUTS[shown.question.kind]
        if isinstance(question_input, PreferenceInput):
            return [{"name": name, "text": text} for name, text in question_input.list_sides(shown, item.language)]
    return []


def _list_actions(
    item: AssignedItem, translate: Texts, asked: AskedQuestion | None, report_reasons: Sequence[str]
) -> dict[str, Any]:
    """The buttons for what else can be done: `keep`, `back`, `pause`, and the lists of reasons `skip` and `report`."""
    rows = items.build_action_buttons(item, translate, asked)
    actions: dict[str, Any] = {
        "keep": _find_button(rows, ButtonAction.KEEP), "back": _find_button(rows, ButtonAction.BACK)
    }  # fmt: skip
    if item.revision:
        return actions
    number = item.assignment_id
    reasons = menus.build_skip_buttons(translate, assignment_id=number)
    problems = menus.build_report_buttons(translate, report_reasons, assignment_id=number)
    return actions | {
        "pause": _describe_button(message_layout.build_button(translate("pause"), ButtonAction.PAUSE, number)),
        "skip": _list_reasons(reasons, ButtonAction.SKIP),
        "report": _list_reasons(problems, ButtonAction.REPORT),
    }


def _list_reasons(rows: ButtonRows, action: ButtonAction) -> list[dict[str, str]]:
    """The reasons that a tap names; one in the annotator's own words is written in the chat."""
    listed = []
    for button in (button for row in rows for button in row):
        callback = updates_and_calls.decode_callback(button.data)
        if callback is not None and callback.action is action and callback.numbers != (menus.TYPED_REASON,):
            listed.append(_describe_button(button))
    return listed


def _find_button(rows: ButtonRows, action: ButtonAction) -> dict[str, str] | None:
    for button in (button for row in rows for button in row):
        callback = updates_and_calls.decode_callback(button.data)
        if callback is not None and callback.action is action:
            return _describe_button(button)
    return None


def _describe_button(button: InlineButton) -> dict[str, str]:
    return {"label": button.label, "data": button.data}


def find_undo(rows: ButtonRows) -> dict[str, str] | None:
    """The button under an answered item that opens it for another answer; None where there is none."""
    return _find_button(rows, ButtonAction.UNDO)
