"""What a training says that no other stage does: how it goes, above its first item, and whether an answer was right."""

from __future__ import annotations

from annotation.vocabulary import Stage
from annotation.workflow.assignments import AssignedItem, SavedJudgement, TrainingFeedback
from bot.conversation.inputs import INPUTS
from bot.conversation.texts import Texts

STAGE_RULES = {Stage.TRAINING: "training-rules", Stage.QUALIFICATION: "qualification-rules"}
"""The ids of the texts that say how a stage goes, above its first item."""


def format_stage_rules(item: AssignedItem, translate: Texts) -> str:
    """How many items the training or qualification has and what passes it, above its first item; else empty."""
    if item.number != 1 or item.revision or item.countdown is None:
        return ""
    total = item.countdown.total
    rules = [translate(STAGE_RULES[item.stage], total=total)]
    if item.pass_mark is not None:
        rules.append(translate("pass-mark", needed=item.pass_mark.count_needed(total)))
    return " ".join(rules)


def list_feedback(saved: SavedJudgement, feedback: TrainingFeedback, translate: Texts) -> list[str]:
    """The lines below an answer: whether it is right, the gold answer and why; a skip is told nothing."""
    if not saved.stored_answers:
        return []
    gold = format_gold(saved, feedback, translate)
    verdict = {
        True: translate("right"),
        False: translate("wrong", gold=gold),
        None: translate("for-comparison", gold=gold),
    }[feedback.right]
    return [verdict if gold or feedback.right else "", feedback.explanation or ""]


def format_gold(saved: SavedJudgement, feedback: TrainingFeedback, translate: Texts) -> str:
    """The right answers of all questions, in words."""
    return "; ".join(_format_gold_answer(saved, name, text, translate) for name, text in feedback.gold.items())


def _format_gold_answer(saved: SavedJudgement, name: str, text: str, translate: Texts) -> str:
    shown = next(candidate for candidate in saved.questions if candidate.name == name)
    label = next((label for option, label in zip(shown.options, shown.labels, strict=True) if option == text), text)
    return INPUTS[shown.question.kind].format_answer(shown, label, translate, language=saved.language)
