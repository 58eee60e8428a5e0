"""The screen of an adjudicator: one case with its candidates, and the keys that decide it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from aggregation import placeholders
from annotation.errors import BadInput
from bot.commands.terminal_output import get_console

if TYPE_CHECKING:
    from annotation.campaigns.questions import Question
    from annotation.workflow.review.adjudication_queue import OpenCase
    from annotation.workflow.review.cases import Candidate


ENTER = "\n"
QUIT = "q"
CYRILLIC_KEYS = str.maketrans("йіыгиефкФКн", "qssubtarARy")
"""The letters on the keys that commands know, of Ukrainian and Russian keyboards, and the Latin ones."""
ESCAPE, ESCAPE_SECONDS = b"\x1b", 0.02
"""The beginning of what a key without a character sends, and how long the rest of it may take."""
EDITORS = ("nano", "vi")
"""Programs for longer texts, where neither $VISUAL nor $EDITOR names one."""


def is_terminal() -> bool:
    """Whether somebody sits at a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def clear_screen() -> None:
    """Empty the screen, where there is one."""
    if is_terminal():
        get_console().clear()


def read_key() -> str:
    """The next key, ENTER for the key of that name; at the end of the input it is QUIT.

    A letter of a Ukrainian or Russian keyboard is the Latin one on the same key. Arrows and the like are no key.
    """
    key = _read_terminal_key() if is_terminal() else sys.stdin.read(1)
    return ENTER if key == "\r" else key.translate(CYRILLIC_KEYS) if key else QUIT


def _read_terminal_key() -> str:
    """A character as it is typed, without waiting for Enter; what was typed before is not lost.

    Typer's own function would throw away what was typed before it is called.
    """
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        raw = os.read(terminal, 1)
        if raw == ESCAPE:
            _skip_key_sequence(terminal)
        while raw and raw[0] >= 0b11000000 and len(raw) < _count_bytes(raw[0]):
            raw += os.read(terminal, 1)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return raw.decode("utf-8", errors="replace")


def _skip_key_sequence(terminal: int) -> None:
    """Take what a key without a character sends after Escape, if anything."""
    import select

    if select.select([terminal], [], [], ESCAPE_SECONDS)[0] and os.read(terminal, 1) in b"[O":
        while not b"@" <= os.read(terminal, 1) <= b"~":  # parameters, until the letter that ends them
            pass


def _count_bytes(first: int) -> int:
    """How many bytes a character has in UTF-8, by its first one."""
    return 2 + (first >= 0b11100000) + (first >= 0b11110000)


def ask_yes(question: str) -> bool:
    """Whether the next key is `y`; any other key, and the end of the input, is a no."""
    print(f"{question} y yes · any other key no", flush=True)
    return read_key() in {"y", "Y"}


def read_line(prompt: str) -> str:
    """A line of text without blanks around it; empty at the end of the input.

    Escape and other control characters cancel: then the line is empty, too. At a terminal Escape does so at once.
    """
    if is_terminal():
        line = _read_terminal_line(prompt)
    else:
        print(prompt, end=" ", flush=True)
        line = sys.stdin.readline()
    return "" if placeholders.has_control_characters(line) else line.strip()


def _read_terminal_line(prompt: str) -> str:
    """What is typed until Enter or Escape, with both; what an arrow or the like sends after Escape is taken with it.

    Escape ends a line only if it is typed after that is set, so the prompt is shown then.
    """
    import termios
    import tty

    terminal, line = sys.stdin.fileno(), b""
    before = termios.tcgetattr(terminal)
    ends_at_escape = termios.tcgetattr(terminal)
    ends_at_escape[tty.CC][termios.VEOL] = ESCAPE
    try:
        termios.tcsetattr(terminal, termios.TCSADRAIN, ends_at_escape)
        print(prompt, end=" ", flush=True)
        while not line.endswith((b"\n", ESCAPE)):
            read = os.read(terminal, 1)  # what was typed after the line is left for later
            if not read:
                break
            line += read
        if line.endswith(ESCAPE):
            tty.setcbreak(terminal, termios.TCSADRAIN)
            _skip_key_sequence(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return line.decode("utf-8", errors="replace")


def edit_text(prompt: str, text: str) -> str:
    """A text that may have several lines: written in the editor ($EDITOR) from `text`, without a terminal in a line.

    It is empty if the editor is left without saving.
    """
    if not is_terminal():
        return read_line(prompt)
    chosen = os.environ.get("VISUAL") or os.environ.get("EDITOR") or next(filter(shutil.which, EDITORS), None)
    if chosen is None:
        return read_line(prompt)
    with tempfile.TemporaryDirectory(prefix="hromada-") as folder:
        file = Path(folder) / "answer.txt"
        file.write_text(text, "utf-8")
        os.utime(file, (0, 0))  # so that any save shows, also one within a tick of the clock
        ended = subprocess.run([*shlex.split(chosen), str(file)], check=False)  # noqa: S603  # the user's own editor
        is_saved = ended.returncode == 0 and file.exists() and file.stat().st_mtime_ns != 0
        return file.read_text("utf-8").strip() if is_saved else ""


class NumberPad:
    """Digits that choose from so many entries: one digit where there are at most nine, else two or more and a blank."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._digits = ""

    def press_key(self, key: str) -> int | None:
        """The index of the entry that is complete with this key; None while it is not, or there is no such entry."""
        if key.isdecimal():
            self._digits += key
            if len(self._digits) < len(str(self._entries)):
                return None
        number, self._digits = self._digits, ""
        return int(number) - 1 if number and 1 <= int(number) <= self._entries else None

    @property
    def is_open(self) -> bool:
        """Whether a number was begun and is not complete."""
        return bool(self._digits)


KEYS = "numbers choose · Enter confirms{own} · b broken · s skip · u undo · q quit"
OWN_KEY = " · t own answer"
GOES_BACK = "(Esc goes back)"
GOLD_MARK, ACCEPTED_MARK = "◆", "×"
"""The marks of the answer that was chosen first, and of the others that were chosen."""
MAX_ALIGNED = 40
"""In characters: longer answers do not align the numbers of votes."""
CONTEXT = 80
"""How many unchanged characters are shown before and after each change of a correction."""


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
        numbers = NumberPad(len(self.case.candidates))
        self._show()
        while True:
            key = read_key()
            index = numbers.press_key(key)
            if index is not None:
                self._toggle(self.case.candidates[index].answer)
                self._show()
            elif key in {"s", "u", QUIT}:
                return key
            elif key == "t" and not self._is_closed:
                self._add_own_answer()
                self._show()
            elif key == "b":
                comment = read_line(f"What is wrong with the item? {GOES_BACK}")
                if comment:
                    return CaseDecision(labels=(), comment=comment)
                self._show()
            elif key == ENTER and self.chosen:
                return CaseDecision(labels=tuple(self.chosen))

    @property
    def _is_closed(self) -> bool:
        """Whether the candidates are all answers that there are."""
        return self.case.question.takes_one_option

    def _toggle(self, label: str) -> None:
        if label in self.chosen:
            self.chosen.remove(label)
        else:
            self.chosen.append(label)

    def _add_own_answer(self) -> None:
        """Add an answer of the adjudicator's own; a text that was merged from the chosen correction takes its place."""
        from annotation.workflow.review.cases import parse_label

        question, item = self.case.question, self.case.item
        merged = self.chosen[:1] if question.corrects_text else []
        if question.corrects_text:
            raw = edit_text("Your answer:", merged[0] if merged else self._original)
        elif question.is_closed:
            raw = ask_for_boxes(question.get_options(item.options))
        else:
            raw = read_line(f"Your answer {GOES_BACK}:")
        if not raw:
            return
        try:
            label = parse_label(question, item, raw)
        except BadInput as failure:
            self.message = str(failure)
            return
        others = [option for option in self.chosen if option not in {label, *merged}]
        self.chosen = [label, *others] if merged else [*others, label]

    def _show(self) -> None:
        clear_screen()
        out = get_console()
        case = self.case
        out.print(Text(f"{case.item.external_id} · {self.left} waiting", style="bold"))
        out.print(Text(case.item.stimulus))
        out.print(Text(f"\n{case.question.text}", style="bold"))
        width = max(
            (len(candidate.text) for candidate in case.candidates if len(candidate.text) <= MAX_ALIGNED), default=0
        )
        for number, candidate in enumerate(case.candidates, start=1):
            votes = describe_votes(candidate, width=width)
            mark = f"{self._get_mark(candidate.answer)} {number:>2}  "
            out.print(Text(mark) + self._build_answer_text(candidate.text) + Text(votes), soft_wrap=True)
        for own in self.chosen:
            if own not in {candidate.answer for candidate in case.candidates}:
                out.print(Text(f"{self._get_mark(own)}  t  ") + self._build_answer_text(own))
        for report in case.reports:
            out.print(Text(f"Reported: {report}"))
        if case.reasons:
            out.print(Text(f"Waits because of: {', '.join(case.reasons)}"))
        if len(self.chosen) > 1:
            out.print(
                Text(f"{GOLD_MARK} was chosen first and is the gold; the others ({ACCEPTED_MARK}) are also correct.")
            )
        if self.message:
            out.print(Text(self.message))
            self.message = ""
        out.print(Text(KEYS.format(own="" if self._is_closed else OWN_KEY), style="dim"))

    def _get_mark(self, answer: str) -> str:
        """How an answer is marked: the one that was chosen first, others that were chosen, and the rest."""
        if answer not in self.chosen:
            return " "
        return GOLD_MARK if answer == self.chosen[0] else ACCEPTED_MARK

    def _build_answer_text(self, text: str) -> Text:
        """An answer; of a correction its differences from the text that was corrected."""
        return build_difference(self._original, text) if self.case.question.corrects_text else Text(text)

    @property
    def _original(self) -> str:
        """The text that is corrected."""
        return str(self.case.item.data.get(self.case.question.text_column or "", ""))


def ask_for_boxes(options: Sequence[str]) -> str:
    """Boxes that are chosen by their numbers, as a JSON list; empty where a number is wrong or none is written."""
    for number, option in enumerate(options, start=1):
        get_console().print(Text(f"{number:>5}  {option}"))
    written = read_line(f"Your answer, by numbers with blanks between {GOES_BACK}:").replace(",", " ").split()
    if not written or any(not number.isdecimal() or not 1 <= int(number) <= len(options) for number in written):
        return ""
    return json.dumps([options[int(number) - 1] for number in dict.fromkeys(written)], ensure_ascii=False)


def describe_votes(candidate: Candidate, *, width: int) -> str:
    """How often a candidate was given, in line with those of up to `width` characters; empty where nobody may know."""
    if candidate.votes is None:
        return ""
    blanks = " " * max(width - len(candidate.text), 0)
    return f"{blanks}   {candidate.votes} vote{'' if candidate.votes == 1 else 's'}"


def build_compared(question: Question, options: Sequence[str] | None, answer: str) -> Text:
    """The texts that were compared, with their columns, and the other answers; a mark before the one that was given."""
    labels, texts = question.get_labels(options), question.get_options(options)
    columns = [f"{column}: " for column in question.option_columns]
    lines = [
        f"{'×' if label == answer else ' '} {column}{text}"
        for label, text, column in zip_longest(labels, texts, columns, fillvalue="")
    ]
    return Text("\n".join(lines))


def build_difference(original: str, corrected: str) -> Text:
    """What a correction changed: removed in [-…-], inserted in {+…+}, and between them both ends of what stayed.

    The whole text stands above it on the screen, so of long parts that stayed or went the middle is left out. A line
    says that most of the text was deleted, where it was.
    """
    from aggregation.text_difference import compute_difference, drops_most, normalize_text

    marks = {"-": ("[-", "-]", "red"), "+": ("{+", "+}", "green")}
    parts: Sequence[tuple[str, str]] = compute_difference(original, corrected)
    if all(sign == "=" for sign, _ in parts):
        return Text("The text stays as it was.", style="italic")
    text = Text()
    for number, (sign, part) in enumerate(parts):
        if sign == "=":
            text.append(_shorten_context(part, is_first=number == 0, is_last=number == len(parts) - 1))
            continue
        before, after, style = marks[sign]
        shown = part if sign == "+" else _shorten_context(part)
        text.append(f"{before}{shown}{after}", style=style)
    text.rstrip()
    if drops_most(normalize_text(original), normalize_text(corrected)):
        text.append("\nMost of the text was deleted.", style="bold")
    return text


def _shorten_context(part: str, *, is_first: bool = False, is_last: bool = False) -> str:
    """A part without its middle, or without its outer end, at the ends of words."""
    begun = "" if is_first else part[:CONTEXT].rpartition(" ")[0]
    ended = "" if is_last else part[-CONTEXT:].partition(" ")[2]
    return part if len(part) <= 2 * CONTEXT else f"{begun} … {ended}"
