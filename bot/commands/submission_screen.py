"""The screen of a reviewer: one answer with its item, and the keys that accept or reject it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from bot.commands import keyboard
from bot.commands.case_screen import build_difference
from bot.commands.terminal_output import get_console

if TYPE_CHECKING:
    from annotation.campaigns.questions import Question
    from annotation.workflow.review.submissions import Submission

KEYS = "a accept · r reject · s skip · u undo · q quit"
PERSON_KEYS = "A accept, R reject all that wait of this person"


@dataclass(frozen=True, kw_only=True)
class SubmissionDecision:
    """A reviewer's decision on an answer, or on all that wait of its annotator."""

    is_accepted: bool
    reason: str = ""
    of_person: bool = False


@dataclass(frozen=True, kw_only=True)
class SubmissionScreen:
    """An answer on the screen; with `by_person` all answers of one annotator follow each other.

    `reasons` are those that the project file offers for rejections.
    """

    submission: Submission
    questions: Sequence[Question]
    reasons: Sequence[str]
    left: int
    by_person: bool
    message: str = ""

    def ask_decision(self) -> SubmissionDecision | str:
        """Show the answer until it is decided; the decision, or the key `s`, `u` or `q`."""
        self._show()
        while True:
            key = keyboard.read_key()
            if key in {"s", "u", keyboard.QUIT}:
                return key
            of_person = key.isupper()
            if of_person and not self.by_person:
                continue
            if key in {"a", "A"}:
                return SubmissionDecision(is_accepted=True, of_person=of_person)
            if key in {"r", "R"}:
                reason = self._ask_reason()
                if reason:
                    return SubmissionDecision(is_accepted=False, reason=reason, of_person=of_person)
                self._show()

    def _ask_reason(self) -> str:
        for number, reason in enumerate(self.reasons, start=1):
            get_console().print(Text(f"{number:>3}  {reason}"))
        written = keyboard.read_line("Why? A number or your own words:" if self.reasons else "Why?")
        is_number = written.isdecimal() and 1 <= int(written) <= len(self.reasons)
        return self.reasons[int(written) - 1] if is_number else written

    def _show(self) -> None:
        from annotation.workflow.review.candidates import describe_answer

        keyboard.clear_screen()
        out, item = get_console(), self.submission.item
        person = f" · person {self.submission.person}" if self.by_person else ""
        out.print(Text(f"{item.external_id}{person} · {self.left} waiting", style="bold"))
        out.print(Text(item.stimulus))
        for question in self.questions:
            answer = self.submission.answers.get(question.name)
            if answer is None:
                continue
            out.print(Text(f"\n{question.text}", style="bold"))
            if question.kind == "edit":
                original = str(item.data.get(getattr(question, "field", ""), ""))
                out.print(build_difference(original, answer))
            else:
                out.print(Text(describe_answer(question, item, answer)))
            if question.name in self.submission.golds:
                right = (self.submission.golds[question.name], *self.submission.accepted)
                shown = " | ".join(describe_answer(question, item, gold) for gold in right)
                out.print(Text(f"Gold: {shown}"))
        if self.message:
            out.print(Text(self.message))
        out.print(Text(f"{KEYS} · {PERSON_KEYS}" if self.by_person else KEYS, style="dim"))
