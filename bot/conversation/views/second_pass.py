"""The second pass of an item: its options, the annotator's answer beside the right one, and the button that nothing is
wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.questions import Question
from annotation.campaigns.questions.question_base import count_units
from annotation.workflow.assignments import AssignedItem, ComparedAnswer, SecondPass
from annotation.workflow.conversations.conversation_state import AskedQuestion
from bot.conversation import message_layout
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts, get_texts, list_languages
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows


def build_second_pass_blocks(
    shown: SecondPass, pieces: Sequence[Mapping[str, Any]], translate: Texts
) -> list[TextBlock]:
    """The item's options, the answers compared, why the right one is right, and the pieces of later steps that are not
    the right answer.
    """
    several = len(shown.compared) > 1
    blocks = [TextBlock(_list_options(options, translate)) for options in _list_distinct_options(shown)]
    blocks += [_build_comparison(compared, translate, with_question=several) for compared in shown.compared]
    blocks.append(TextBlock(shown.explanation or ""))
    golds = {compared.gold for compared in shown.compared}
    images: list[str] = []
    for piece in pieces:
        if image := piece.get("image"):
            images.append(image)
            if piece["step"] > 1:
                number = len(images)
                blocks += message_layout.build_picture_blocks(piece["title"], image, number=number, translate=translate)
        text = str(piece["text"]).strip()
        if piece["step"] > 1 and text and text not in golds:
            blocks += [message_layout.make_bold_block(piece["title"])] if piece["title"] else []
            blocks.append(TextBlock(text, fold=bool(piece["fold"]), markdown=bool(piece.get("markdown"))))
    return blocks


def build_confirm_buttons(item: AssignedItem, asked: AskedQuestion, translate: Texts) -> ButtonRows:
    """The button that answers all questions at once: nothing is wrong with the item. Only before the first answer."""
    if asked.draft.answers or asked.draft.entry or not may_all_stay_empty([shown.question for shown in item.questions]):
        return ()
    button = message_layout.build_button(translate("second-none"), ButtonAction.LEAVE_UNANSWERED, *asked.address, 1)
    return ((button,),)


def may_all_stay_empty(questions: Sequence[Question]) -> bool:
    """Whether nothing at all is an answer: each question is optional, or needs no ticked box, or is asked of some."""
    return all(question.may_stay_empty or question.show_if is not None for question in questions)


def is_all_well(text: str) -> bool:
    """Whether a typed text is the label of the button that nothing is wrong, in whatever language."""
    return text.strip().strip(".!").casefold() in {
        get_texts(language)("second-none").casefold() for language in list_languages()
    }


MAX_LINE_UNITS = 60
"""The longest options that are written in one line, in UTF-16 units; longer ones get a line each."""


def _list_distinct_options(shown: SecondPass) -> list[tuple[str, ...]]:
    """The item's options by question; those of several questions that have the same once."""
    return list(dict.fromkeys(compared.options for compared in shown.compared if compared.options))


def _list_options(options: Sequence[str], translate: Texts) -> str:
    line = " · ".join(options)
    lines = line if count_units(line) <= MAX_LINE_UNITS else "".join(f"\n• {option}" for option in options)
    return translate("second-options", options=lines)


def _build_comparison(compared: ComparedAnswer, translate: Texts, *, with_question: bool) -> TextBlock:
    if compared.right and compared.first is not None:
        lines = [translate("second-right", answer=compared.first)]
    else:
        lines = [translate("second-first", answer=compared.first)] if compared.first is not None else []
        lines += [translate("second-gold", answer=compared.gold)] if compared.gold is not None else []
    text = "\n".join([compared.question, *lines] if with_question else lines)
    start = len(text) - len(lines[-1]) if lines else 0
    return TextBlock(text, ((start, len(text)),))
