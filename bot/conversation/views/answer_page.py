"""What the answer page shows of an item, as JSON: texts in pieces, and buttons with the data of the chat's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, updates_and_calls
from bot.conversation.inputs import INPUTS
from bot.conversation.inputs.page_questions import build_buttons_question, describe_page_question
from bot.conversation.inputs.preferences import PreferenceInput
from bot.conversation.markdown_page import list_page_nodes
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton
from bot.conversation.views import items, menus

WORDS = (
    "page-again", "page-answer", "page-back", "page-busy", "page-changes", "page-close", "page-code",
    "page-code-enter", "page-code-have", "page-code-own", "page-code-unknown", "page-code-use", "page-compared",
    "page-conflict", "page-difference", "page-draft", "page-edited", "page-empty", "page-end", "page-ended",
    "page-formula", "page-join", "page-join-about", "page-join-none", "page-join-now", "page-larger", "page-leave",
    "page-listing", "page-little", "page-loading", "page-mark", "page-menu", "page-mine", "page-most", "page-move",
    "page-move-use", "page-nothing", "page-offline", "page-on", "page-other-first", "page-picture", "page-remember",
    "page-remove", "page-restored", "page-same", "page-send", "page-smaller", "page-start", "page-step-undo",
    "page-table", "page-tap-last", "page-text", "page-theirs", "page-told", "page-write",
)  # fmt: skip
"""The ids of the texts of the page, which knows them without `page-`."""
SHARED_WORDS = ("go-on", "text-save", "undo", "skip", "report", "pause", "more")
"""The words that the page has in common with the chat."""
ACCOUNT_COMMANDS = (
    "projects", "progress", "session", "task", "ask", "language", "mydata", "withdraw", "forget",
)  # fmt: skip
"""The commands that somebody without Telegram finds on the page; others have a button of their own there, or no use."""


def list_words(translate: Texts) -> dict[str, str]:
    """The words of the page in one language."""
    return {name.removeprefix("page-"): translate(name) for name in (*WORDS, *SHARED_WORDS)}


def describe_item(
    item: AssignedItem,
    draft: AnswerDraft,
    translate: Texts,
    *,
    stored: str | None,
    report_reasons: Sequence[str],
    pictures: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """An item with the question that is asked now.

    `assignment` and `revision` name it, `header` is its number and countdown, `blocks` are its texts and `sides` those
    to compare, `answered` the questions before with their answers, `asked` the question with what it needs (`kind`
    says which), and `actions` are buttons. `stored` is the answer to be changed, None for a first one. `pictures` has
    the `src`, `width` and `height` of each picture of the item, by its name.
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
        return described | {
            "blocks": _describe_blocks(item, "", pictures),
            "asked": build_buttons_question(title, "", options),
        }
    progress = items.build_item_progress(item, draft, translate)
    described["answered"] = [list(pair) for pair in progress.answered]
    described["blocks"] = _describe_blocks(item, asked.shown.field_text, pictures)
    rules = items.format_stage_rules(item, translate) if item.stage in items.STAGE_TEXTS else ""
    described["blocks"] = ([{"runs": [{"text": rules}], "fold": False}] if rules else []) + described["blocks"]
    described["asked"] = describe_page_question(asked, translate, stored) | {
        "name": asked.shown.name,
        "heading": next((piece["title"] for piece in item.pieces if _is_own(piece, asked.shown.field_text)), None),
        "leave": _find_button(items.build_answer_buttons(item, translate, asked), ButtonAction.LEAVE_UNANSWERED),
        "done": message_layout.build_button("", ButtonAction.DONE, *asked.address).data,
    }
    return described


def _is_own(piece: Mapping[str, Any], field_text: str) -> bool:
    """Whether this is the text to mark or correct, which is shown in the question and so not above it.

    One with a gap or with marked passages is shown above all the same, as the question does not have them.
    """
    is_plain = piece["step"] == 1 and not (piece.get("image") or piece["marks"] or piece["gap"])
    return is_plain and bool(field_text.strip()) and str(piece["text"]).strip() == field_text.strip()


def _describe_blocks(
    item: AssignedItem, field_text: str, pictures: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The texts of the item, but for the one in which the answer is marked or corrected."""
    plain = "" if item.pieces or item.stimulus.strip() == field_text.strip() else item.stimulus
    pieces = [piece for piece in item.pieces if not _is_own(piece, field_text)]
    blocks = items.build_stimulus_blocks(plain, pieces, item.language)
    return [_describe_block(block, pictures) for block in blocks if block.text.strip()]


def _describe_block(block: TextBlock, pictures: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    if block.picture is not None:
        return {"picture": {"alt": block.picture.words, **pictures.get(block.picture.name, {})}}
    if block.markdown:
        return {"markdown": list_page_nodes(block.text), "fold": block.fold}
    return {"runs": list_runs(block), "fold": block.fold}


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
