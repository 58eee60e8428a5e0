"""The messages of an item: with the question to answer, and after it was answered or skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.vocabulary import Stage
from annotation.workflow.assignments import AssignedItem, SavedJudgement, ShownQuestion
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation.callbacks import ButtonAction
from bot.conversation.texts import Texts, get_item_texts
from bot.conversation.updates_and_calls import ButtonRows
from bot.conversation.views import message_layout, questions
from bot.conversation.views.message_layout import RenderedMessage, TextBlock

STAGE_TEXTS = {Stage.TRAINING: "stage-training", Stage.QUALIFICATION: "stage-qualification"}
"""The ids of the texts that name a stage in the header of an item; other stages are not named."""
_HASH_MULTIPLIER = 2_654_435_761
"""Knuth's multiplicative hash, by which consecutive assignments get different emojis, and each always the same."""


@dataclass(frozen=True, kw_only=True)
class ItemProgress:
    """Which question of the item is asked now, which of its boxes are ticked, and what was answered before it.

    `index` is the index of the question in the item, `ticked` the indices of the ticked boxes, as shown. `answered` are
    the questions before it, each with its answer, in words.
    """

    index: int = 0
    ticked: tuple[int, ...] = ()
    answered: tuple[tuple[str, str], ...] = ()


def build_item_progress(item: AssignedItem, draft: AnswerDraft, translate: Texts) -> ItemProgress:
    """What the item's message shows of its questions: the next one, its ticked boxes, and the answers before it."""
    next_index = conversation_state.find_next_question(item, draft) or 0
    answered = []
    for shown in item.questions[:next_index]:
        options = draft.answers.get(shown.name, [conversation_state.LEFT_UNANSWERED])
        answer = conversation_state.encode_options(shown, options).get(shown.name)
        if answer is not None:
            answered.append((shown.text, questions.format_answer(shown, answer, translate, language=item.language)))
    return ItemProgress(index=next_index, ticked=tuple(draft.ticked), answered=tuple(answered))


def render_item(
    item: AssignedItem, translate: Texts, *, progress: ItemProgress, countdown: bool
) -> tuple[RenderedMessage, ...]:
    """The item with the question that is asked now; in several messages where it is long, with buttons under the last.

    With `countdown` the header says how many items are left.
    """
    blocks = _build_item_blocks(item, translate, progress=progress, countdown=countdown)
    return message_layout.render_messages(
        blocks,
        translate,
        buttons=(*build_answer_buttons(item, translate, progress), *build_action_buttons(item, translate)),
    )


def render_item_with_buttons(
    item: AssignedItem, translate: Texts, *, progress: ItemProgress, countdown: bool, buttons: ButtonRows, prompt: str
) -> RenderedMessage:
    """The last message of the item with these buttons instead of its own, and with the prompt where it fits."""
    blocks = _build_item_blocks(item, translate, progress=progress, countdown=countdown)
    without_prompt = message_layout.render_messages(blocks, translate, buttons=buttons)
    with_prompt = message_layout.render_messages(
        [*blocks, message_layout.make_bold_block(prompt)], translate, buttons=buttons
    )
    return (with_prompt if len(with_prompt) == len(without_prompt) else without_prompt)[-1]


def build_answer_buttons(item: AssignedItem, translate: Texts, progress: ItemProgress) -> ButtonRows:
    """The buttons that answer the question that is asked now."""
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
    """The buttons for other actions on the item; where it was opened for another answer, only to keep the old one."""
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
    answered = [TextBlock(f"{question} — {answer}") for question, answer in progress.answered]
    blocks = [
        _build_header(item, translate, countdown=countdown),
        *build_stimulus_blocks(item.stimulus, item.pieces, item.language),
        *answered,
        *questions.build_question_blocks(shown, item.language, stimulus=item.stimulus),
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
    """The stimulus: its pieces that are shown in the first step, or its plain text where it has no pieces.

    `language` is the language of the project.
    """
    if not pieces:
        return [TextBlock(stimulus)]
    blocks: list[TextBlock] = []
    for piece in pieces:
        if piece["step"] == 1 and str(piece["text"]).strip():
            blocks += [message_layout.make_bold_block(piece["title"])] if piece["title"] else []
            blocks.append(_build_piece(piece, language))
    return blocks


def _build_piece(piece: Mapping[str, Any], language: str) -> TextBlock:
    """A piece of the stimulus: its gap as a bold word in brackets, its marked passages bold in asterisks.

    Models see the same brackets and asterisks.
    """
    text, gap = str(piece["text"]), piece["gap"]
    replacements = [(start, end, f"*{text[start:end]}*") for start, end in piece["marks"]]
    if gap is not None:
        replacements.append((gap[0], gap[1], f"[{get_item_texts(language)('gap')}]"))
    rendered, bold, rendered_until = "", [], 0
    for start, end, replacement in sorted(replacements):
        if start < rendered_until:
            continue
        rendered += text[rendered_until:start]
        bold.append((len(rendered), len(rendered) + len(replacement)))
        rendered, rendered_until = rendered + replacement, end
    return TextBlock(
        rendered + text[rendered_until:], tuple(bold), fold=bool(piece["fold"]) and gap is None and not bold
    )


def render_finished_item(saved: SavedJudgement, translate: Texts, *, emoji: str = "") -> RenderedMessage:
    """The message of an item after its answer: the answer, any feedback, and the item below where it fits."""
    heading = message_layout.make_bold_block(_format_finished_heading(saved, translate, emoji=emoji))
    without_item = [heading, *(TextBlock(line) for line in _list_feedback(saved, translate))]
    question = message_layout.make_bold_unless_equal(saved.question, saved.stimulus)
    with_item = [*without_item, *build_stimulus_blocks(saved.stimulus, saved.pieces, saved.language), question]
    undo = (
        ((message_layout.build_button(translate("undo"), ButtonAction.UNDO, saved.assignment_id),),)
        if saved.changeable
        else ()
    )
    return message_layout.render_messages(
        with_item if message_layout.fits_one_message(with_item) else without_item, translate, buttons=undo
    )[-1]


def format_answers(saved: SavedJudgement, translate: Texts) -> str:
    """The stored answers in one line, with the names that the options have on buttons."""
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
    """The lines below an answer: whether it is right, the gold answer and why, or that it came too late to count.

    Empty where nothing is told, as outside training.
    """
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
    """The emoji of the project's list that follows this assignment's answer; empty where the list is empty."""
    return emojis[(assignment_id * _HASH_MULTIPLIER >> 8) % len(emojis)] if emojis else ""
