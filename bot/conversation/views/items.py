"""An item on the screen: with its question, and after its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.vocabulary import Stage
from annotation.workflow.assignments import AssignedItem, SavedJudgement, ShownQuestion
from bot.conversation.callbacks import ButtonAction
from bot.conversation.texts import Texts, get_item_texts
from bot.conversation.updates_and_calls import ButtonRows
from bot.conversation.views import message_layout, questions
from bot.conversation.views.message_layout import RenderedMessage, TextBlock

STAGE_TEXTS = {Stage.TRAINING: "stage-training", Stage.QUALIFICATION: "stage-qualification"}
_HASH_MULTIPLIER = 2_654_435_761
"""Knuth's multiplicative hash: neighbouring assignments get different emojis, the same one always the same."""


@dataclass(frozen=True, kw_only=True)
class ItemProgress:
    """Which question of the item is on the screen, which boxes are ticked, and what was answered before it."""

    index: int = 0
    ticked: tuple[int, ...] = ()
    answered: tuple[tuple[str, str], ...] = ()
    """Questions before it, with their answers in words."""


def render_item(
    item: AssignedItem, translate: Texts, *, progress: ItemProgress, countdown: bool
) -> tuple[RenderedMessage, ...]:
    """The item with one of its questions; in several messages where it is long, with the buttons under the last."""
    blocks = _build_item_blocks(item, translate, progress=progress, countdown=countdown)
    return message_layout.render_messages(
        blocks,
        translate,
        buttons=(*build_answer_buttons(item, translate, progress), *build_action_buttons(item, translate)),
    )


def render_item_with_buttons(
    item: AssignedItem, translate: Texts, *, progress: ItemProgress, countdown: bool, buttons: ButtonRows, prompt: str
) -> RenderedMessage:
    """The last message of the item with other buttons, and their prompt where it fits."""
    blocks = _build_item_blocks(item, translate, progress=progress, countdown=countdown)
    plain = message_layout.render_messages(blocks, translate, buttons=buttons)
    with_prompt = message_layout.render_messages(
        [*blocks, message_layout.make_bold_block(prompt)], translate, buttons=buttons
    )
    return (with_prompt if len(with_prompt) == len(plain) else plain)[-1]


def build_answer_buttons(item: AssignedItem, translate: Texts, progress: ItemProgress) -> ButtonRows:
    """The buttons that answer the question on the screen."""
    return questions.build_question_buttons(
        item.questions[progress.index],
        translate,
        language=item.language,
        assignment_id=item.assignment_id,
        revision=item.revision,
        index=progress.index,
        ticked=progress.ticked,
        is_only=len(item.questions) == 1,
    )


def build_action_buttons(item: AssignedItem, translate: Texts) -> ButtonRows:
    """The other actions on an item; on an item opened for another answer, only to keep the old one."""
    assignment_id = item.assignment_id
    if item.revision:
        return ((message_layout.build_button(translate("keep"), ButtonAction.KEEP, assignment_id),),)
    return (
        (
            message_layout.build_button(translate("skip"), ButtonAction.SKIP, assignment_id),
            message_layout.build_button(translate("report"), ButtonAction.REPORT, assignment_id),
        ),
        (
            message_layout.build_button(translate("ask"), ButtonAction.ASK, assignment_id),
            message_layout.build_button(translate("task"), ButtonAction.TASK, assignment_id),
        ),
        (message_layout.build_button(translate("pause"), ButtonAction.PAUSE, assignment_id),),
    )


def _build_item_blocks(
    item: AssignedItem, translate: Texts, *, progress: ItemProgress, countdown: bool
) -> list[TextBlock]:
    shown = item.questions[progress.index]
    earlier = [TextBlock(f"{question} — {answer}") for question, answer in progress.answered]
    blocks = [
        _build_header(item, translate, countdown=countdown),
        *build_stimulus_blocks(item.stimulus, item.pieces, item.language),
        *earlier,
        *questions.build_question_blocks(shown, item.language, unless=item.stimulus),
    ]
    if len(shown.options) > questions.MAX_BUTTONS:
        blocks.append(TextBlock(translate("type-a-number")))
    return blocks


def _build_header(item: AssignedItem, translate: Texts, *, countdown: bool) -> TextBlock:
    """The item's number, stage and page, and how many items are left."""
    number = str(item.number)
    parts = [number]
    if item.stage in STAGE_TEXTS:
        parts.append(translate(STAGE_TEXTS[item.stage]))
    if item.page is not None and item.page.position is not None:
        parts.append(translate("page", page=item.page.number, place=item.page.position))
    if countdown and item.remaining is not None:
        parts.append(translate("left", left=item.remaining))
    return TextBlock(" · ".join(parts), ((0, len(number)),))


def build_stimulus_blocks(stimulus: str, pieces: Sequence[Mapping[str, Any]], language: str) -> list[TextBlock]:
    """The stimulus in the project's language."""
    if not pieces:
        return [TextBlock(stimulus)]
    blocks: list[TextBlock] = []
    for piece in pieces:
        if piece["step"] == 1 and str(piece["text"]).strip():
            blocks += [message_layout.make_bold_block(piece["title"])] if piece["title"] else []
            blocks.append(_build_piece(piece, language))
    return blocks


def _build_piece(piece: Mapping[str, Any], language: str) -> TextBlock:
    """A part of the stimulus: its gap as a bold word, its highlights bold in asterisks, as models see them."""
    text, gap = str(piece["text"]), piece["gap"]
    changes = [(start, end, f"*{text[start:end]}*") for start, end in piece["marks"]]
    if gap is not None:
        changes.append((gap[0], gap[1], f"[{get_item_texts(language)('gap')}]"))
    rendered, bold, position = "", [], 0
    for start, end, replacement in sorted(changes):
        if start < position:
            continue
        rendered += text[position:start]
        bold.append((len(rendered), len(rendered) + len(replacement)))
        rendered, position = rendered + replacement, end
    return TextBlock(rendered + text[position:], tuple(bold), fold=bool(piece["fold"]) and gap is None and not bold)


def render_finished_item(saved: SavedJudgement, translate: Texts, *, emoji: str = "") -> RenderedMessage:
    """The item after its answer: the answer first, then any feedback, and the item below where it fits."""
    head = _format_finished_heading(saved, translate, emoji=emoji)
    result = [message_layout.make_bold_block(head), *(TextBlock(line) for line in _list_feedback(saved, translate))]
    question = message_layout.make_bold_unless_equal(saved.question, saved.stimulus)
    with_item = [*result, *build_stimulus_blocks(saved.stimulus, saved.pieces, saved.language), question]
    undo = (
        ((message_layout.build_button(translate("undo"), ButtonAction.UNDO, saved.assignment_id),),)
        if saved.changeable
        else ()
    )
    return message_layout.render_messages(
        with_item if message_layout.fits_one_message(with_item) else result, translate, buttons=undo
    )[-1]


def format_answers(saved: SavedJudgement, translate: Texts) -> str:
    """The answers in one line, as the buttons call them."""
    shown_questions: dict[str, ShownQuestion] = {shown.name: shown for shown in saved.questions}
    answers = [
        questions.format_answer(shown_questions[name], label, translate, language=saved.language)
        for name, label in saved.stored_answers.items()
    ]
    return "; ".join(answers)


def _format_finished_heading(saved: SavedJudgement, translate: Texts, *, emoji: str) -> str:
    if not saved.stored_answers:
        return translate("skipped-mark", number=saved.number)
    return f"✓ {saved.number} · {format_answers(saved, translate)} {emoji}".strip()


def _list_feedback(saved: SavedJudgement, translate: Texts) -> list[str]:
    """In training whether the answer was right, the gold answer and why; otherwise a note on a late answer."""
    if saved.extra:
        return [translate("extra")]
    feedback = saved.feedback
    if feedback is None or not saved.stored_answers:
        return []
    gold = "; ".join(_format_gold(saved, name, text, translate) for name, text in feedback.gold.items())
    verdict = {
        True: translate("right"),
        False: translate("wrong", gold=gold),
        None: translate("for-comparison", gold=gold),
    }[feedback.right]
    return [verdict if gold or feedback.right else "", feedback.explanation or ""]


def _format_gold(saved: SavedJudgement, name: str, text: str, translate: Texts) -> str:
    shown = next(candidate for candidate in saved.questions if candidate.name == name)
    label = next((label for option, label in zip(shown.options, shown.labels, strict=True) if option == text), text)
    return questions.format_answer(shown, label, translate, language=saved.language)


def choose_reward_emoji(emojis: Sequence[str], *, assignment_id: int) -> str:
    """The emoji for this assignment; empty where the project gives none."""
    return emojis[(assignment_id * _HASH_MULTIPLIER >> 8) % len(emojis)] if emojis else ""
