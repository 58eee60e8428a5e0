"""The summary of an answered item with several questions: every answer with its number, and buttons to change one."""

from __future__ import annotations

from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation import message_layout
from bot.conversation.inputs import INPUTS
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows
from bot.conversation.views import items


def render_answer_summary(item: AssignedItem, draft: AnswerDraft, translate: Texts) -> tuple[RenderedMessage, ...]:
    """The item with all its answers in a numbered list, a button for each number, and one that keeps them."""
    blocks = [
        items.build_header(item, translate),
        *items.build_stimulus_blocks(item.stimulus, item.pieces, item.language),
        TextBlock("\n".join(_list_answer_lines(item, draft, translate))),
        message_layout.make_bold_block(translate("which-answer")),
    ]
    buttons = (*_build_change_buttons(item, draft), *items.build_action_buttons(item, translate))
    return message_layout.render_messages(blocks, translate, buttons=buttons)


def _list_answer_lines(item: AssignedItem, draft: AnswerDraft, translate: Texts) -> list[str]:
    lines = []
    for number, (index, answer) in enumerate(_list_answers(item, draft), 1):
        shown, words = item.questions[index], translate("leave-open")
        if answer is not None:
            words = INPUTS[shown.question.kind].format_answer(
                shown, conversation_state.encode_answer(answer), translate, language=item.language
            )
        lines.append(f"{number}. {shown.text} — {words}")
    return lines


def _build_change_buttons(item: AssignedItem, draft: AnswerDraft) -> ButtonRows:
    """A button for each answered question, with its number in the list."""
    buttons = [
        message_layout.build_button(str(number), ButtonAction.CHANGE, item.assignment_id, item.revision, index)
        for number, (index, _) in enumerate(_list_answers(item, draft), 1)
    ]
    return message_layout.arrange_buttons(buttons)


def _list_answers(item: AssignedItem, draft: AnswerDraft) -> list[tuple[int, object]]:
    """The indices of the questions that have an answer in the draft, each with its answer."""
    return [
        (index, draft.answers[shown.name]) for index, shown in enumerate(item.questions) if shown.name in draft.answers
    ]
