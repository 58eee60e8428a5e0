"""The screen of an adjudicator: one case with its candidates, and the keys that decide it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.text import Text

from bot.commands import keyboard
from bot.commands.terminal_output import get_console

if TYPE_CHECKING:
    from annotation.workflow.review.adjudication import OpenCase

KEYS = "numbers choose · Enter confirms · t own answer · b broken · s skip · u undo · q quit"


@dataclass(frozen=True, kw_only=True)
class CaseDecision:
    """What an adjudicator decided: right answers, the gold first, or none and a comment."""

    labels: tuple[str, ...]
    comment: str = ""


@dataclass(kw_only=True)
class CaseScreen:
    """A case on the screen: `chosen` are the labels in the order in which they were chosen."""

    case: OpenCase
    left: int
    chosen: list[str] = field(default_factory=list)
    message: str = ""

    def ask_decision(self) -> CaseDecision | str:
        """Show the case until it is decided; the decision, or the key `s`, `u` or `q`."""
        numbers = keyboard.NumberPad(len(self.case.candidates))
        self._show()
        while True:
            key = keyboard.read_key()
            index = numbers.press_key(key)
            if index is not None:
                self._toggle(self.case.candidates[index].answer)
                self._show()
            elif key in {"s", "u", keyboard.QUIT}:
                return key
            elif key == "t":
                self._add_own_answer()
                self._show()
            elif key == "b":
                comment = keyboard.read_line("What is wrong with the item?")
                if comment:
                    return CaseDecision(labels=(), comment=comment)
                self._show()
            elif key == keyboard.ENTER and self.chosen:
                return CaseDecision(labels=tuple(self.chosen))

    def _toggle(self, label: str) -> None:
        if label in self.chosen:
            self.chosen.remove(label)
        else:
            self.chosen.append(label)

    def _add_own_answer(self) -> None:
        from annotation.errors import BadInput
        from annotation.workflow.review.candidates import parse_label

        question, item = self.case.question, self.case.item
        is_correction = question.kind == "edit"
        begun = (self.chosen or [str(item.data.get(getattr(question, "field", ""), ""))])[0] if is_correction else ""
        raw = keyboard.edit_text("Your answer:", begun) if is_correction else keyboard.read_line("Your answer:")
        if not raw:
            return
        try:
            label = parse_label(question, item, raw)
        except BadInput as failure:
            self.message = str(failure)
            return
        self.chosen = [one for one in self.chosen if one != label] + [label]

    def _show(self) -> None:
        keyboard.clear_screen()
        out = get_console()
        case = self.case
        out.print(Text(f"{case.item.external_id} · {self.left} waiting", style="bold"))
        out.print(Text(case.item.stimulus), soft_wrap=True)
        out.print(Text(f"\n{case.question.text}", style="bold"))
        for number, candidate in enumerate(case.candidates, start=1):
            votes = "" if candidate.votes is None else f"   {candidate.votes} vote{'' if candidate.votes == 1 else 's'}"
            mark = "×" if candidate.answer in self.chosen else " "
            out.print(
                Text(f"{mark} {number:>2}  ") + self._build_answer_text(candidate.text) + Text(votes), soft_wrap=True
            )
        for own in self.chosen:
            if own not in {candidate.answer for candidate in case.candidates}:
                out.print(Text("×  t  ") + self._build_answer_text(own), soft_wrap=True)
        for report in case.reports:
            out.print(Text(f"Reported: {report}"), soft_wrap=True)
        if case.reasons:
            out.print(Text(f"Waits because of: {', '.join(case.reasons)}"))
        if len(self.chosen) > 1:
            out.print(Text("The answer that was chosen first is the gold, the others are right as well."))
        if self.message:
            out.print(Text(self.message), soft_wrap=True)
            self.message = ""
        out.print(Text(KEYS, style="dim"))

    def _build_answer_text(self, text: str) -> Text:
        """An answer; of a correction its differences from the text that was corrected."""
        if self.case.question.kind != "edit":
            return Text(text)
        original = str(self.case.item.data.get(getattr(self.case.question, "field", ""), ""))
        return build_difference(original, text)


def build_difference(original: str, corrected: str) -> Text:
    """A corrected text with what was removed in [-…-] and what was inserted in {+…+}."""
    from aggregation.text_difference import compute_difference

    marks = {"=": ("", "", ""), "-": ("[-", "-]", "red"), "+": ("{+", "+}", "green")}
    parts: Sequence[tuple[str, str]] = compute_difference(original, corrected)
    text = Text()
    for sign, part in parts:
        before, after, style = marks[sign]
        text.append(f"{before}{part}{after}", style=style)
    return text
