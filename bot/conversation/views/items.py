"""The messages of an item: with the question to answer, and after it was answered or skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.vocabulary import Stage
from annotation.workflow.assignments import AssignedItem, SavedJudgement, ShownQuestion, TrainingFeedback
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation.callbacks import ButtonAction
from bot.conversation.texts import Texts, get_item_texts
from bot.conversation.updates_and_calls import ButtonRows
from bot.conversation.views import message_layout, questions
from bot.conversation.views.message_layout import RenderedMessage, TextBlock

STAGE_TEXTS = {Stage.TRAINING: "stage-training", Stage.QUALIFICATION: "stage-qualification"}
"""The ids of the texts that name a stage in the header of an item; other stages are not named."""
RIGHT, WRONG = "✓", "✗"
"""The marks before an answer; only a wrong answer in training has the second."""
MAX_TOAST_UNITS = 200
"""The longest toast that Telegram takes."""
STAGE_RULES = {Stage.TRAINING: "training-rules", Stage.QUALIFICATION: "qualification-rules"}
"""The ids of the texts that say how a stage goes, above its first item."""
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


def render_item(item: AssignedItem, translate: Texts, *, progress: ItemProgress) -> tuple[RenderedMessage, ...]:
    """The item with the question that is asked now, in several messages if it is long; buttons are under the last."""
    blocks = _build_item_blocks(item, translate, progress=progress)
    return message_layout.render_messages(
        blocks,
        translate,
        buttons=(*build_answer_buttons(item, translate, progress), *build_action_buttons(item, translate)),
    )


def render_item_with_buttons(
    item: AssignedItem, translate: Texts, *, progress: ItemProgress, buttons: ButtonRows, prompt: str = ""
) -> RenderedMessage:
    """The last message of the item with these buttons instead of its own, and with the prompt where it fits."""
    blocks = _build_item_blocks(item, translate, progress=progress)
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
            message_layout.build_button(translate("more"), ButtonAction.MORE, assignment_id),
        ),
    )


def build_more_buttons(translate: Texts, *, assignment_id: int) -> ButtonRows:
    """The buttons for what is done seldom, with one that leads back to the question."""
    return (
        (
            message_layout.build_button(translate("report"), ButtonAction.REPORT, assignment_id),
            message_layout.build_button(translate("ask"), ButtonAction.ASK, assignment_id),
        ),
        (
            message_layout.build_button(translate("task"), ButtonAction.TASK, assignment_id),
            message_layout.build_button(translate("pause"), ButtonAction.PAUSE, assignment_id),
        ),
        (message_layout.build_button(translate("back"), ButtonAction.BACK, assignment_id),),
    )


def _build_item_blocks(item: AssignedItem, translate: Texts, *, progress: ItemProgress) -> list[TextBlock]:
    shown = item.questions[progress.index]
    answered = [TextBlock(f"{question} — {answer}") for question, answer in progress.answered]
    blocks = [
        _build_header(item, translate),
        TextBlock(_format_stage_rules(item, translate)),
        *build_stimulus_blocks(item.stimulus, item.pieces, item.language),
        *answered,
        *questions.build_question_blocks(shown, item.language, stimulus=item.stimulus),
    ]
    if len(shown.options) > questions.MAX_BUTTONS:
        blocks.append(TextBlock(translate("type-a-number")))
    return blocks


def _build_header(item: AssignedItem, translate: Texts) -> TextBlock:
    """The item's number of so many, its stage and page, and how many answers of all annotators are given."""
    number, countdown = str(item.number), item.countdown
    parts = [number if countdown is None else translate("own-count", number=item.number, total=countdown.total)]
    if item.stage in STAGE_TEXTS:
        parts.append(translate(STAGE_TEXTS[item.stage]))
    if item.page is not None and item.page.position is not None:
        parts.append(translate("page", page=item.page.number, place=item.page.position))
    if countdown is not None and countdown.answered is not None and countdown.wanted is not None:
        parts.append(translate("shared-count", answered=countdown.answered, wanted=countdown.wanted))
    return TextBlock(" · ".join(parts), ((0, len(number)),))


def _format_stage_rules(item: AssignedItem, translate: Texts) -> str:
    """How many items the training or qualification has and what passes it, above its first item; else empty."""
    if item.number != 1 or item.revision or item.countdown is None or item.stage not in STAGE_TEXTS:
        return ""
    total = item.countdown.total
    rules = [translate(STAGE_RULES[item.stage], total=total)]
    if item.pass_mark is not None:
        rules.append(translate("pass-mark", needed=item.pass_mark.count_needed(total)))
    return " ".join(rules)


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
    undo_text = "undo" if saved.stored_answers else "undo-skip"
    undo = (
        ((message_layout.build_button(translate(undo_text), ButtonAction.UNDO, saved.assignment_id),),)
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
    mark = WRONG if saved.feedback is not None and saved.feedback.right is False else RIGHT
    return f"{mark} {saved.number} · {format_answers(saved, translate)} {emoji}".strip()


def format_toast(saved: SavedJudgement, translate: Texts, *, emoji: str) -> str:
    """What a tap is told in passing: the verdict in training, else the reward with the annotator's own number."""
    if not saved.stored_answers:
        text = translate("skipped")
    elif saved.extra:
        text = translate("extra")
    elif saved.feedback is not None and saved.feedback.right is not None:
        gold = _format_all_gold(saved, saved.feedback, translate)
        text = translate("right") if saved.feedback.right else translate("toast-wrong", gold=gold)
    elif saved.revision:
        text = translate("toast-changed")
    else:
        text = f"{emoji} {saved.number}" if emoji else translate("saved")
    return message_layout.shorten_text(text, MAX_TOAST_UNITS)


def _list_feedback(saved: SavedJudgement, translate: Texts) -> list[str]:
    """The lines below an answer: whether it is right, the gold answer and why, or that it came too late to count.

    Empty where nothing is told, as outside training.
    """
    if saved.extra:
        return [translate("extra")]
    feedback = saved.feedback
    if feedback is None or not saved.stored_answers:
        return []
    gold = _format_all_gold(saved, feedback, translate)
    verdict = {
        True: translate("right"),
        False: translate("wrong", gold=gold),
        None: translate("for-comparison", gold=gold),
    }[feedback.right]
    return [verdict if gold or feedback.right else "", feedback.explanation or ""]


def _format_all_gold(saved: SavedJudgement, feedback: TrainingFeedback, translate: Texts) -> str:
    return "; ".join(_format_gold(saved, name, text, translate) for name, text in feedback.gold.items())


def _format_gold(saved: SavedJudgement, name: str, text: str, translate: Texts) -> str:
    shown = next(candidate for candidate in saved.questions if candidate.name == name)
    label = next((label for option, label in zip(shown.options, shown.labels, strict=True) if option == text), text)
    return questions.format_answer(shown, label, translate, language=saved.language)


def choose_reward_emoji(emojis: Sequence[str], *, assignment_id: int) -> str:
    """The emoji of the project's list that follows this assignment's answer; empty where the list is empty."""
    return emojis[(assignment_id * _HASH_MULTIPLIER >> 8) % len(emojis)] if emojis else ""
