"""What training says of an answer: whether it is right, the gold answer, and why."""

from __future__ import annotations

import json

from annotation.workflow.assignments import SavedJudgement, TrainingFeedback
from bot.conversation.inputs import INPUTS
from bot.conversation.texts import Texts


def list_feedback(saved: SavedJudgement, feedback: TrainingFeedback, translate: Texts) -> list[str]:
    """The lines below an answer: whether it is right, the gold answer and why; a skip is told nothing.

    Where several questions have gold, the verdicts stand beside the answers, and only a right item is called so below.
    """
    if not saved.stored_answers:
        return []
    gold = format_gold(saved, feedback, translate)
    verdict = {
        True: translate("right"),
        False: "" if saved.has_verdicts else _format_wrong(saved, feedback, translate),
        None: translate("for-comparison", gold=gold),
    }[feedback.right]
    return [verdict if gold or feedback.right else "", feedback.explanation or ""]


def _format_wrong(saved: SavedJudgement, feedback: TrainingFeedback, translate: Texts) -> str:
    """That the answer is wrong and what is right; of a marked part that touches the right one, how it differs."""
    gold, shown = format_gold(saved, feedback, translate), saved.questions[0]
    given = saved.stored_answers.get(shown.name, "")
    if gold and shown.question.marks_parts and _touches(given, feedback.gold.get(shown.name, "")):
        answer = INPUTS[shown.question.kind].format_answer(shown, given, translate, language=saved.language)
        return translate("wrong-nearly", gold=gold, answer=answer)
    return translate("wrong", gold=gold)


def _touches(given: str, gold: str) -> bool:
    """Whether one of the marked parts overlaps with a right one; both are as stored."""
    return any(
        part["start"] < right["end"] and right["start"] < part["end"]
        for part in json.loads(given or "[]")
        for right in json.loads(gold or "[]")
    )


def format_gold(saved: SavedJudgement, feedback: TrainingFeedback, translate: Texts) -> str:
    """The right answers of all questions, in words, without those that were given where others were wrong."""
    return "; ".join(
        format_gold_answer(saved, name, text, translate)
        for name, text in feedback.gold.items()
        if any(shown.name == name for shown in saved.questions) and (feedback.right or not feedback.marks.get(name))
    )


def format_gold_answer(saved: SavedJudgement, name: str, text: str, translate: Texts) -> str:
    """The right answer to one question, in words."""
    shown = next(candidate for candidate in saved.questions if candidate.name == name)
    label = next((label for option, label in zip(shown.options, shown.labels, strict=True) if option == text), text)
    return INPUTS[shown.question.kind].format_answer(shown, label, translate, language=saved.language)
