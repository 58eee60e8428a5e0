"""The messages of an item: with the question to answer, and after it was answered or skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.campaigns.questions.question_base import count_units
from annotation.campaigns.stimulus import get_mark_sign
from annotation.vocabulary import Stage
from annotation.workflow.assignments import AssignedItem, RemarkKind, SavedJudgement, ShownQuestion
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft, AskedQuestion
from bot.conversation import message_layout, prompts, updates_and_calls
from bot.conversation.inputs import INPUTS
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts, get_item_texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton
from bot.conversation.views import second_pass, verdicts


def render_answer_summary(item: AssignedItem, draft: AnswerDraft, translate: Texts) -> tuple[RenderedMessage, ...]:
    """The item with all its answers in a numbered list, a button for each number, and one that keeps them."""
    blocks = [
        build_header(item, translate),
        *build_stimulus_blocks(item.stimulus, item.pieces, item.language, fold_above=MAX_UNITS_ABOVE_LIST),
        *_build_compared_blocks(item.questions, item.stimulus, item.language),
        TextBlock("\n".join(list_answer_lines(item, draft, translate))),
        message_layout.make_bold_block(translate("which-answer")),
    ]
    buttons = (*build_change_buttons(item, draft), *build_action_buttons(item, translate))
    return message_layout.render_messages(blocks, translate, buttons=buttons)


def list_answer_lines(item: AssignedItem, draft: AnswerDraft, translate: Texts) -> list[str]:
    """The questions of the item that the draft answers, numbered, each with its answer in words."""
    lines = []
    for number, (index, answer) in enumerate(_list_answers(item, draft), 1):
        shown, words = item.questions[index], translate("leave-open")
        if answer is not None:
            words = INPUTS[shown.question.kind].format_answer(
                shown, conversation_state.encode_answer(answer), translate, language=item.language
            )
        lines.append(f"{number}. {_join_answer(shown.text, words)}")
    return lines


def _join_answer(question: str, words: str) -> str:
    """A question and its answer in one line; a question mark stays, the full stop of an instruction does not."""
    return f"{question.rstrip(' .:')} — {words}"


def build_change_buttons(item: AssignedItem, draft: AnswerDraft) -> ButtonRows:
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


STAGE_RULES = {Stage.TRAINING: "training-rules", Stage.QUALIFICATION: "qualification-rules"}
"""The ids of the texts that say how a stage goes, above its first item."""


def format_stage_rules(item: AssignedItem, translate: Texts) -> str:
    """How many items the training or qualification has and what passes it, above its first item; else empty."""
    if (item.stage_number or item.number) != 1 or item.revision or item.countdown is None:
        return ""
    total = item.countdown.total
    rules = [translate("attempt-again", attempt=item.attempt, attempts=item.attempts)] if item.attempt > 1 else []
    rules.append(translate(STAGE_RULES[item.stage], total=total))
    if item.pass_mark is not None:
        rules.append(translate("pass-mark", needed=item.pass_mark.count_needed(total)))
    return " ".join(rules)


def render_verdict(saved: SavedJudgement, translate: Texts) -> RenderedMessage:
    """The feedback on an answer in training, to be read below a typed one."""
    lines = format_answers(saved, translate) if saved.has_verdicts else []
    feedback = [] if saved.feedback is None else verdicts.list_feedback(saved, saved.feedback, translate)
    return message_layout.render_text(translate, "\n".join(lines), *feedback)


STAGE_TEXTS = {Stage.TRAINING: "stage-training", Stage.QUALIFICATION: "stage-qualification"}
"""The ids of the texts that name a stage in the header of an item; other stages are not named."""
RIGHT, WRONG = "✓", "✗"
"""The marks before an answer; only a wrong answer in training has the second."""
MAX_OPEN_UNITS = 200
"""The longest text above compared ones that is not folded away, in UTF-16 units."""
MAX_STIMULUS_UNITS, MAX_UNITS_ABOVE_LIST = 1200, 400
"""The longest text of an item that is not folded away, in UTF-16 units; the second one above a long list of options."""
MAX_QUOTED_UNITS = 300
"""How much of an item's text is repeated where one of its answers is changed below, in UTF-16 units."""
MAX_TITLE_UNITS = 40
"""How much of the title of a data set stands above an item of its training or test, in UTF-16 units."""
MAX_TOAST_UNITS = 200
"""The longest toast that Telegram takes."""
REMARKS = {
    RemarkKind.MILESTONE: "remark-milestone",
    RemarkKind.HALFWAY: "remark-halfway",
    RemarkKind.BREAK: "remark-break",
    RemarkKind.NIGHT: "remark-night",
}
"""The ids of the texts of remarks."""


@dataclass(frozen=True, kw_only=True)
class ItemProgress:
    """Which question of the item is asked now, and what was answered before it.

    `answered` are the questions before it, each with its answer, in words. With `is_below` the question is asked in a
    message of its own below the item.
    """

    asked: AskedQuestion
    answered: tuple[tuple[str, str], ...] = ()
    is_below: bool = False


def build_item_progress(item: AssignedItem, draft: AnswerDraft, translate: Texts) -> ItemProgress:
    """What the item's message shows of its questions: the next one, what was entered for it, and the answers before it.

    A draft that has all answers is shown as if it were empty.
    """
    asked = find_asked(item, draft) or find_asked(item, replace(draft, answers={}, entry=None))
    if asked is None:
        raise LookupError("an item asks at least one question")
    answered = []
    for shown in item.questions[: asked.index]:
        answer = asked.draft.answers.get(shown.name)
        if answer is not None:
            stored = conversation_state.encode_answer(answer)
            words = INPUTS[shown.question.kind].format_answer(shown, stored, translate, language=item.language)
            answered.append((shown.text, words))
    is_below = draft.is_below or INPUTS[asked.shown.question.kind].is_separate
    return ItemProgress(asked=asked, answered=tuple(answered), is_below=is_below)


def find_asked(item: AssignedItem, draft: AnswerDraft) -> AskedQuestion | None:
    """The question of the item to ask next; None where the draft has all answers."""
    return conversation_state.find_asked_question(item.questions, draft, language=item.language, stimulus=item.stimulus)


def format_draft_answer(item: AssignedItem, asked: AskedQuestion, draft: AnswerDraft, translate: Texts) -> str:
    """The answer of a draft to a question, in words; empty for a question that was left without an answer."""
    answer = draft.answers[asked.shown.name]
    question_input, stored = INPUTS[asked.shown.question.kind], conversation_state.encode_answer(answer)
    return (
        "" if answer is None else question_input.format_answer(asked.shown, stored, translate, language=item.language)
    )


def render_item(item: AssignedItem, translate: Texts, *, progress: ItemProgress) -> tuple[RenderedMessage, ...]:
    """The item with the question that is asked now, in several messages if it is long; buttons are under the last."""
    blocks = _build_item_blocks(item, translate, progress=progress)
    if progress.is_below:
        return (*message_layout.render_messages(blocks, translate), *render_question(item, translate, progress))
    return message_layout.render_messages(
        [*blocks, *_build_question_blocks(progress, translate)],
        translate,
        buttons=build_question_buttons(item, translate, progress.asked),
    )


def render_question(item: AssignedItem, translate: Texts, progress: ItemProgress) -> tuple[RenderedMessage, ...]:
    """The question that is asked now without the item, to be read below it; to change an answer, the item is named."""
    stimulus = TextBlock(message_layout.shorten_text(item.stimulus, MAX_QUOTED_UNITS), fold=True)
    named = [build_header(item, translate), stimulus] if item.revision else []
    return message_layout.render_messages(
        [*named, *_build_question_blocks(progress, translate)],
        translate,
        buttons=build_question_buttons(item, translate, progress.asked),
        protect=not INPUTS[progress.asked.shown.question.kind].is_separate,
    )


def render_item_with_buttons(
    item: AssignedItem, translate: Texts, *, progress: ItemProgress, buttons: ButtonRows, prompt: str = ""
) -> RenderedMessage:
    """The last message of the item with these buttons instead of its own, and with the prompt where it fits."""
    blocks = _build_question_blocks(progress, translate)
    if not progress.is_below:
        blocks = [*_build_item_blocks(item, translate, progress=progress), *blocks]
    without_prompt = message_layout.render_messages(blocks, translate, buttons=buttons)
    with_prompt = message_layout.render_messages(
        [*blocks, message_layout.make_bold_block(prompt)], translate, buttons=buttons
    )
    return (with_prompt if len(with_prompt) == len(without_prompt) else without_prompt)[-1]


def build_question_buttons(item: AssignedItem, translate: Texts, asked: AskedQuestion) -> ButtonRows:
    """All buttons under an item while this question is asked."""
    return (*build_answer_buttons(item, translate, asked), *build_action_buttons(item, translate, asked))


def build_answer_buttons(item: AssignedItem, translate: Texts, asked: AskedQuestion) -> ButtonRows:
    """The buttons that answer the question that is asked now.

    The only question of an item has no button to leave it without an answer: the item can be skipped. Boxes of which
    none has to be ticked need none, nor do those of the second pass, where nothing ticked is stored as no answer.
    """
    rows = INPUTS[asked.shown.question.kind].build_buttons(asked, translate)
    if item.second_pass is not None and (confirm := second_pass.build_confirm_buttons(item, asked, translate)):
        rows = (*(row for row in rows if not _answers_nothing(item, asked, row)), *confirm)
    question = asked.shown.question
    may_tick_none = question.takes_empty_answer or (item.second_pass is not None and question.empty_answer is not None)
    if question.required or len(item.questions) == 1 or may_tick_none:
        return rows
    leave = message_layout.build_button(translate("leave-open"), ButtonAction.LEAVE_UNANSWERED, *asked.address)
    return (*rows, (leave,))


def _answers_nothing(item: AssignedItem, asked: AskedQuestion, row: Sequence[InlineButton]) -> bool:
    """Whether the row is the button by which the whole item is answered with no box ticked."""
    callback = updates_and_calls.decode_callback(row[0].data)
    if callback is None or callback.action is not ButtonAction.DONE:
        return False
    result = INPUTS[asked.shown.question.kind].apply_tap(asked, callback)
    return isinstance(result, AnswerDraft) and find_asked(item, result) is None


def build_action_buttons(item: AssignedItem, translate: Texts, asked: AskedQuestion | None = None) -> ButtonRows:
    """One row of buttons for other actions on the item; where it was opened for another answer, to keep the old one.

    Where the draft has answers to other questions than the one that is asked, the first button leads back, unless one
    above it does; the skip is among the other actions then, so that no label is cut.
    """
    assignment_id = item.assignment_id
    if item.revision:
        last = message_layout.build_button(
            translate("keep"), ButtonAction.KEEP, assignment_id, typed=(prompts.STAY_OUT,)
        )
    else:
        last = message_layout.build_button(translate("more"), ButtonAction.MORE, assignment_id)
    if asked is not None and asked.draft.answers:
        if INPUTS[asked.shown.question.kind].has_step_before(asked):
            return ((last,),)
        return ((message_layout.build_button(translate("back"), ButtonAction.BACK, *asked.address), last),)
    if item.revision:
        return ((last,),)
    return ((message_layout.build_button(translate("skip"), ButtonAction.SKIP, assignment_id), last),)


def _build_item_blocks(item: AssignedItem, translate: Texts, *, progress: ItemProgress) -> list[TextBlock]:
    """The item with its header, and in the second pass the answers compared."""
    folded = "" if progress.is_below else progress.asked.shown.field_text
    second = item.second_pass
    compared = _build_compared_blocks(item.questions, item.stimulus, item.language)
    fold_above = 0 if second is not None else MAX_OPEN_UNITS if compared else _find_fold(progress.asked)
    return [
        build_header(item, translate),
        *([TextBlock(format_stage_rules(item, translate))] if item.stage in STAGE_TEXTS else ()),
        *build_stimulus_blocks(item.stimulus, item.pieces, item.language, folded=folded, fold_above=fold_above),
        *compared,
        *(second_pass.build_second_pass_blocks(second, item.pieces, translate) if second else ()),
    ]


def _find_fold(asked: AskedQuestion) -> int | None:
    """The longest stimulus that is not folded away, in UTF-16 units; None if the answer is made of the text itself."""
    question_input = INPUTS[asked.shown.question.kind]
    if asked.shown.field_text or question_input.is_separate:
        return None
    return MAX_UNITS_ABOVE_LIST if question_input.has_long_list(asked.shown, asked.language) else MAX_STIMULUS_UNITS


def _build_compared_blocks(questions: Sequence[ShownQuestion], stimulus: str, language: str) -> list[TextBlock]:
    """The texts that the questions compare, once: in an item all of them compare the same."""
    compared = next((shown for shown in questions if shown.question.option_columns), None)
    if compared is None:
        return []
    return INPUTS[compared.question.kind].build_item_blocks(compared, stimulus, language)


def _build_question_blocks(progress: ItemProgress, translate: Texts) -> list[TextBlock]:
    """What was answered before, and the question that is asked now."""
    asked = progress.asked
    is_repeated = progress.is_below and conversation_state.has_entry(asked.draft)  # they stand above
    lines = [] if is_repeated else [_join_answer(question, answer) for question, answer in progress.answered]
    return [TextBlock("\n".join(lines)), *INPUTS[asked.shown.question.kind].build_blocks(asked, translate)]


def build_header(item: AssignedItem, translate: Texts) -> TextBlock:
    """The item's number of so many, its stage and page, and how many answers of all annotators are given.

    In a programme the numbers are those of all its data sets; training and test name theirs, with the numbers in it.
    """
    number, countdown, way = str(item.number), item.countdown, item.journey
    total = None if countdown is None else countdown.total
    if way is not None:
        total = way.total if way.counts_down else None
    parts = [number if total is None else translate("own-count", number=item.number, total=total)]
    if item.stage in STAGE_TEXTS and way is not None and countdown is not None:
        own = translate("own-count", number=item.stage_number, total=countdown.total)
        parts += [message_layout.shorten_text(item.project, MAX_TITLE_UNITS)]
        parts += [f"{translate(STAGE_TEXTS[item.stage])} {own}"]
    elif item.stage in STAGE_TEXTS:
        parts.append(translate(STAGE_TEXTS[item.stage]))
    if item.second_pass is not None:
        parts.append(translate("second-pass"))
    if item.page is not None and item.page.position is not None:
        parts.append(translate("page", page=item.page.number, place=item.page.position))
    if countdown is not None and countdown.answered is not None and countdown.wanted is not None:
        parts.append(translate("shared-count", answered=countdown.answered, wanted=countdown.wanted))
    return TextBlock(" · ".join(parts), ((0, len(number)),))


def build_stimulus_blocks(
    stimulus: str,
    pieces: Sequence[Mapping[str, Any]],
    language: str,
    *,
    folded: str = "",
    fold_above: int | None = None,
) -> list[TextBlock]:
    """The stimulus: its pieces that are shown in the first step, or its plain text where it has no pieces.

    `language` is the language of the project. The text `folded` is folded away, as the question shows it too, and so
    are texts with more UTF-16 units than `fold_above`: those that were read before, or stand above what is compared.
    """

    def is_folded(text: str) -> bool:
        return text.strip() == folded.strip() or (fold_above is not None and count_units(text) > fold_above)

    if not pieces:
        return [TextBlock(stimulus, fold=is_folded(stimulus))]
    blocks: list[TextBlock] = []
    images: list[str] = []
    for piece in pieces:
        if piece["step"] == 1 and (image := piece.get("image")):
            images.append(image)
            words = get_item_texts(language)
            blocks += message_layout.build_picture_blocks(piece["title"], image, number=len(images), translate=words)
        elif piece["step"] == 1 and str(piece["text"]).strip():
            blocks += [message_layout.make_bold_block(piece["title"])] if piece["title"] else []
            fold = piece["fold"] or is_folded(str(piece["text"]))
            blocks.append(_build_piece({**piece, "fold": fold}, language))
    return blocks


def _build_piece(piece: Mapping[str, Any], language: str) -> TextBlock:
    """A piece of the stimulus: its gap as a bold word in brackets, its marked passages between signs.

    The first mark is bold in asterisks, the others are underlined in underscores. Models see the same signs.
    """
    text, gap = str(piece["text"]), piece["gap"]
    replacements = [
        (start, end, f"{get_mark_sign(number)}{text[start:end]}{get_mark_sign(number)}", number == 0)
        for number, (start, end) in enumerate(piece["marks"])
    ]
    if gap is not None:
        replacements.append((gap[0], gap[1], f"[{get_item_texts(language)('gap')}]", True))
    bold: list[message_layout.BoldRange] = []
    underlined: list[message_layout.BoldRange] = []
    rendered, rendered_until = "", 0
    for start, end, replacement, is_bold in sorted(replacements):
        if start < rendered_until:
            continue
        rendered += text[rendered_until:start]
        (bold if is_bold else underlined).append((len(rendered), len(rendered) + len(replacement)))
        rendered, rendered_until = rendered + replacement, end
    is_marked = bool(bold or underlined)
    return TextBlock(
        rendered + text[rendered_until:],
        tuple(bold),
        underlined=tuple(underlined),
        fold=bool(piece["fold"]) and not is_marked,
        markdown=bool(piece.get("markdown")),
    )


def render_finished_item(
    saved: SavedJudgement, translate: Texts, *, emoji: str = "", has_feedback: bool = True
) -> RenderedMessage:
    """The message of an item after its answer: the answer, any feedback, and the item below where it fits.

    Without `has_feedback` it is told in another message, and here only the answer.
    """
    heading = _format_finished_heading(saved, translate, emoji=emoji, has_feedback=has_feedback)
    first_line = TextBlock(heading, ((0, len(heading.split("\n")[0])),))
    feedback = saved.feedback if has_feedback else None
    remarks = verdicts.list_feedback(saved, feedback, translate) if feedback is not None else []
    remarks = [translate("extra")] if saved.extra else remarks
    remarks += [translate(REMARKS[remark.kind], number=remark.number) for remark in saved.remarks]
    without_item = [first_line, *(TextBlock(line) for line in remarks)]
    question = message_layout.make_bold_unless_equal("" if len(saved.questions) > 1 else saved.question, saved.stimulus)
    compared = _build_compared_blocks(saved.questions, saved.stimulus, saved.language)
    stimulus = build_stimulus_blocks(saved.stimulus, saved.pieces, saved.language, fold_above=MAX_UNITS_ABOVE_LIST)
    item_blocks = [*stimulus, *compared, question]
    is_short = saved.is_second_pass or (compared and saved.feedback is None)  # texts that were compared are long
    with_item = without_item if is_short else [*without_item, *item_blocks]
    undo_text = translate("undo-skip" if saved.skipped else "undo")
    undo = message_layout.build_button(undo_text, ButtonAction.UNDO, saved.assignment_id)
    return message_layout.render_messages(
        with_item if message_layout.fits_one_message(with_item) else without_item,
        translate,
        buttons=((undo,),) if saved.changeable else (),
    )[-1]


def format_answers(saved: SavedJudgement, translate: Texts) -> list[str]:
    """The stored answers in words; where the item has several questions, each after its question."""
    if saved.has_verdicts:  # not of questions that were not asked, or may be left open
        told = (_format_verdict(saved, shown, translate) for shown in saved.questions)
        return [one for one in told if one]
    shown_questions: dict[str, ShownQuestion] = {shown.name: shown for shown in saved.questions}
    answers = []
    for name, label in saved.stored_answers.items():
        shown = shown_questions[name]
        words = INPUTS[shown.question.kind].format_answer(shown, label, translate, language=saved.language)
        answers.append(_join_answer(shown.text, words) if len(saved.questions) > 1 else words)
    return answers


def _format_verdict(saved: SavedJudgement, shown: ShownQuestion, translate: Texts) -> str:
    """A question with its answer in words, ✓ or ✗ and what is right; empty if it has neither answer nor verdict."""
    feedback, stored = saved.feedback, saved.stored_answers.get(shown.name)
    words = translate("leave-open")
    if stored is not None:
        words = INPUTS[shown.question.kind].format_answer(shown, stored, translate, language=saved.language)
    line = _join_answer(shown.text, words)
    mark = None if feedback is None else feedback.marks.get(shown.name)
    if feedback is None or mark is None:
        return "" if stored is None else line
    if mark:
        return f"{RIGHT} {line}"
    gold = verdicts.format_gold_answer(saved, shown.name, feedback.gold[shown.name], translate)
    right = translate("right-value", gold=gold)
    return f"{WRONG} {line} ({right})"


def _format_finished_heading(saved: SavedJudgement, translate: Texts, *, emoji: str, has_feedback: bool) -> str:
    if saved.skipped:
        return translate("skipped-mark", number=saved.number)
    mark = WRONG if saved.feedback is not None and saved.feedback.right is False else RIGHT
    answers = format_answers(saved if has_feedback else replace(saved, feedback=None), translate)
    if not answers:
        answers = [translate("second-none" if saved.is_second_pass else "leave-open")]
    if len(answers) > 1 or saved.has_verdicts:
        return "\n".join([f"{mark} {saved.number} {emoji}".strip(), *answers])
    return f"{mark} {saved.number} · {answers[0]} {emoji}".strip()


def format_toast(saved: SavedJudgement, translate: Texts, *, emoji: str) -> str:
    """What a tap is told in passing: the verdict in training, else the reward with the annotator's own number."""
    if saved.skipped:
        text = translate("skipped")
    elif saved.extra:
        text = translate("extra")
    elif saved.feedback is not None and saved.feedback.right is not None:
        wrong = [line for line in format_answers(saved, translate) if line.startswith(WRONG)]
        if not saved.has_verdicts:
            wrong = [f"{WRONG} {translate('wrong', gold=verdicts.format_gold(saved, saved.feedback, translate))}"]
        text = translate("right") if saved.feedback.right else "\n".join(wrong)
    elif saved.revision:
        text = translate("answer-changed")
    else:
        text = f"{emoji} {saved.number}" if emoji else translate("saved")
    return message_layout.shorten_text(text, MAX_TOAST_UNITS)
