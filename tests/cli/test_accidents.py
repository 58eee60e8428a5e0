"""Keys and commands that decide nothing by accident: at a terminal, from a pipe, and in what reading commands store."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pty
import sqlite3
import subprocess
import sys
import termios
import threading
import tty
from collections.abc import Iterator, Mapping, Sequence
from select import select as ready
from typing import TYPE_CHECKING

import pytest
from sqlmodel import Session, col, select

from annotation.store.models import Adjudication, GoldReview, Judgement, SubmissionReview
from annotation.vocabulary import AdjudicationDecision, ReviewDecision
from bot.commands import case_screen
from tests.cli.test_review import (
    doubts,
    in_database,
    multiq,
    reviewer,
    truth,
    type_keys,
)

if TYPE_CHECKING:
    from _command import Hromada

__all__ = ["doubts", "multiq", "truth"]  # fixtures
UTF8 = 0o40000
"""The flag IUTF8 of a terminal."""
Steps = Sequence[tuple[str, bytes]]
"""What somebody types at a terminal: the words on the screen that they wait for, and the keys."""


def digest_database(hromada: Hromada) -> str:
    """A digest of every row of the folder's database."""
    with sqlite3.connect(hromada.folder / "hromada.db") as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def type_at(ours: int, steps: Steps) -> str:
    """Type the keys of each step once its words are on the screen; what was shown."""
    seen, place = b"", 0
    for words, keys in steps:
        while words.encode() not in seen[place:]:
            if not ready([ours], [], [], 60)[0]:
                pytest.fail(f"{words!r} is not shown: {seen[place:].decode()}")
            try:
                seen += os.read(ours, 10_000)
            except OSError:
                pytest.fail(f"It ended before {words!r} was shown: {seen[place:].decode()}")
        place = len(seen)
        os.write(ours, keys)
    return seen.decode()


@contextlib.contextmanager
def at_terminal(*steps: tuple[str, bytes]) -> Iterator[None]:
    """Put this process at a terminal, where somebody types."""
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[tty.IFLAG] |= UTF8  # as terminals set it: Backspace takes a whole letter back
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    typist = threading.Thread(target=type_at, args=(ours, steps), daemon=True)
    with (
        os.fdopen(os.dup(theirs), encoding="utf-8") as read,
        os.fdopen(theirs, "w", encoding="utf-8", buffering=1) as written,
        pytest.MonkeyPatch.context() as patched,
    ):
        patched.setattr(sys, "stdin", read)
        patched.setattr(sys, "stdout", written)
        typist.start()
        yield
    typist.join(10)
    os.close(ours)


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ("не те місце\r".encode(), "не те місце"),
        ("не тк\x7fе\r".encode(), "не те"),
        (b"\x1b", ""),
        (b"too short\x1b", ""),
        (b"\x1b[D", ""),
        (b"wrong\x1bOA", ""),
        (b"wrong\x02 place\r", ""),
        (b"\r", ""),
        (b"  \r", ""),
        (b"\x04", ""),
    ],
)
def test_escape_and_control_characters_cancel_a_line(keys: bytes, line: str) -> None:
    """At once, and nothing of it is left for the next key; the end of the input cancels, too."""
    with at_terminal(("Why?", keys), ("next", b"q")):
        read = case_screen.read_line("Why?")
        print("next", flush=True)
        following = case_screen.read_key()
    assert (read, following) == (line, "q")


@pytest.mark.parametrize(
    ("editor", "text"),
    [
        ("true", ""),
        ("sed -n p", ""),
        ("touch", "as it was"),
        ("sed -i s/was/is/", "as it is"),
        ("false", ""),
        ("rm", ""),
    ],
)
def test_an_editor_that_is_left_without_saving_gives_no_text(
    monkeypatch: pytest.MonkeyPatch, editor: str, text: str
) -> None:
    """Saved as it was, the text is an answer; not saved, or left with an error, there is none."""
    monkeypatch.setenv("VISUAL", editor)
    with at_terminal():
        written = case_screen.edit_text("Your answer:", "as it was")
    assert written == text


@pytest.mark.parametrize(("keys", "answer"), [("y", True), ("н", True), ("n", False), ("\r", False), ("\x1b", False)])
def test_only_yes_is_a_yes(keys: str, answer: bool) -> None:
    """On a Ukrainian keyboard, too."""
    with at_terminal(("?", keys.encode())):
        is_yes = case_screen.ask_yes("Accept 12 answers?")
    assert is_yes is answer


def list_reviews(session: Session) -> list[tuple[ReviewDecision, str]]:
    """The decisions of reviewers, those taken back too, and their reasons."""
    return [
        (row.decision, row.reason) for row in session.exec(select(SubmissionReview).order_by(col(SubmissionReview.id)))
    ]


def test_bulk_acts_ask_with_their_number_and_are_undone_as_one(multiq: Hromada) -> None:
    """On the screen and as options; what was taken back is decided no more and waits again."""
    olha = reviewer(multiq)
    screen = ("review", "multiq", "--as", olha, "--by-annotator")
    shown = type_keys(multiq, "An" + "Ay" + "u" + "q", *screen)
    assert shown.count("Accept 2 answers of person ") == 2
    assert "R reject all that wait of this person (2)" in shown
    assert "Taken back: 2 decisions." in shown
    assert shown.endswith("Decided: 0. Waiting for you: 4.\n")
    kinds = [kind for kind, _ in in_database(multiq, list_reviews)]
    assert kinds == [*[ReviewDecision.ACCEPTED] * 2, *[ReviewDecision.UNDONE] * 2]
    shown = type_keys(multiq, "Rне те місце\ny" + "auu" + "q", *screen)
    assert shown.endswith("Decided: 0. Waiting for you: 4.\n")
    assert in_database(multiq, lambda session: set(session.exec(select(Judgement.excluded_kind)))) == {None}
    before = digest_database(multiq)
    asked = multiq("review", "multiq", "--as", olha, "--accept", "all")
    assert (asked.code, "It would decide on 4 answers." in asked.err, digest_database(multiq)) == (2, True, before)
    assert multiq("review", "multiq", "--as", olha, "--accept", "all", "--yes").out == "Decided: 4.\n"
    assert multiq("review", "multiq", "--as", olha, "--undo").out == "Taken back: 4 decisions.\n"
    assert multiq("review", "multiq", "--as", olha, "--undo").out == "You have decided on nothing here.\n"


def test_no_reason_or_comment_has_a_control_character(multiq: Hromada) -> None:
    """Typed or given: nothing is rejected for Escape, alone or among words."""
    olha = reviewer(multiq)
    shown = type_keys(multiq, "r\x1b\nr\nrto\x1b[D late\nq", "review", "multiq", "--as", olha)
    assert shown.endswith("Decided: 0. Waiting for you: 4.\n")
    for reason in ("\x1b", "too\x1b[D late"):
        ran = multiq("review", "multiq", "--as", olha, "--reject", "1", "--reason", reason)
        assert (ran.code, "A rejection needs a reason" in ran.err) == (2, True), ran.err
    assert in_database(multiq, list_reviews) == []


def test_a_file_of_decisions_is_undone_as_one_and_counted(doubts: Hromada) -> None:
    """A broken item needs words; what waits after an undo is counted."""
    arguments = ("adjudicate", "doubts", "--as", reviewer(doubts))
    doubts.write("decisions.csv", "item_id,gold\ntie,no\nlow,yes\n")
    assert doubts(*arguments, "--decisions", "decisions.csv").out == "Decided: 2.\n"
    assert type_keys(doubts, "uq", *arguments).endswith("Decided: 0. Waiting for you: 4.\n")
    shown = type_keys(doubts, "b\x1b\nb-\nbno text\nuq", *arguments)
    assert "A broken item needs a comment" in shown
    assert shown.endswith("Decided: 0. Waiting for you: 4.\n")
    kinds = in_database(doubts, lambda session: list(session.exec(select(Adjudication.decision))))
    assert kinds.count(AdjudicationDecision.BROKEN) == 1


def test_the_answer_that_was_chosen_first_is_marked(doubts: Hromada) -> None:
    """Of two that are right the first is the gold, until it is cleared."""
    shown = type_keys(doubts, "21" + "2" + "q", "adjudicate", "doubts", "--as", reviewer(doubts))
    first, both, rest = shown.split("numbers choose")[1:4]
    assert "◆  2  no" in first
    assert ("◆  2  no" in both, "×  1  yes" in both, "◆ was chosen first" in both) == (True, True, True)
    assert ("◆  1  yes" in rest, "was chosen first" in rest) == (True, False)


GOLD_REVIEWED = """\
project: open
title: t
language: en
instructions: Choose.
question: {type: choice, text: "Is it so?", options: [yes, no]}
items: {file: items.csv, id: id, show: text, gold: gold}
overlap: 2
"""


def test_a_gold_review_before_the_close_asks_and_is_drawn_again(hromada: Hromada) -> None:
    """`--list` shows what would be drawn; once an item of it is decided, it is drawn no more."""
    lines = [f"t{number:02},text {number},yes" for number in range(70)]
    hromada.write("items.csv", "\n".join(["id,text,gold", *lines]) + "\n")
    assert hromada("load", hromada.write("project.yaml", GOLD_REVIEWED)).code == 0
    assert hromada("start", "open").code == 0
    arguments = ("adjudicate", "open", "--as", reviewer(hromada), "--gold-review")
    before = digest_database(hromada)
    listed = hromada(*arguments, "--json").json
    assert (listed["gold_review"]["rest"], listed["is_drawn"]) == ({"items": 70, "drawn": 50}, False)
    assert "Not drawn yet" in hromada(*arguments, "--list").out
    asked = hromada(*arguments)
    assert (asked.code, "is not closed" in asked.err) == (2, True)
    assert digest_database(hromada) == before
    assert hromada(*arguments, "--yes").code == 0
    assert hromada(*arguments, "--json").json["is_drawn"] is True
    assert hromada(*arguments).code == 0  # drawn already: nothing to ask
    assert hromada("close", "open").code == 0
    assert hromada(*arguments, "--sample", "60").code == 0
    strata = in_database(hromada, lambda session: [dict(one) for one in session.exec(select(GoldReview.strata))])
    assert [one["rest"] for one in strata] == [{"items": 70, "drawn": 60}]
    assert type_keys(hromada, "1\nq", *arguments).endswith("Decided: 1. Waiting for you: 59.\n")
    refused = hromada(*arguments, "--sample", "70")
    assert (refused.code, "1 of its 60 items are decided" in refused.err) == (2, True), refused.err
    assert hromada(*arguments, "--undo").code == 0
    assert hromada(*arguments, "--sample", "70").code == 0


LISTING = (
    "status --json", "people doubts", "messages", "messages reports", "messages waiting", "invite doubts --list",
    "delivery", "adjudicate doubts --as {olha} --list", "adjudicate doubts --as {olha} --json",
    "adjudicate truth --as {olha} --gold-review --list",
    "adjudicate truth --as {olha} --gold-review --models models.csv --sample 55 --json", "new --list",
)  # fmt: skip
COMPUTING = (
    "status", "aggregate doubts", "agreement doubts", "baseline truth", "sensitivity truth", "plan truth",
    "database check", "check project.yaml", "export --to out",
)  # fmt: skip
"""Commands that read: those that list, and those that compute."""
ASKING = ("messages send Hello", "messages cancel 1", "people forget {olha}", "database restore copy.backup")
"""Commands that say what they would do, and do it with --yes."""


@pytest.mark.parametrize(
    "lines", [(*LISTING, *ASKING), pytest.param(COMPUTING, marks=pytest.mark.slow)], ids=["listing", "computing"]
)
def test_reading_commands_store_nothing(truth: Hromada, doubts: Hromada, lines: Sequence[str]) -> None:
    """Every `--list`, and whatever else shows; nor do commands that ask before they act."""
    olha = reviewer(doubts)
    assert doubts("database", "backup", "copy.backup").code == 0
    before, stored = digest_database(doubts), {}
    for line in lines:
        ran = doubts(*line.format(olha=olha).split())
        assert (ran.code == 2) is (line in ASKING), (line, ran.err)
        stored[line] = digest_database(doubts) != before
        before = digest_database(doubts)
    assert [line for line, changed in stored.items() if changed] == []


def run_at_terminal(
    hromada: Hromada, steps: Steps, *arguments: str, environment: Mapping[str, str] | None = None
) -> str:
    """Run a command at a terminal where somebody types what they see; what it showed."""
    ours, theirs = pty.openpty()
    env = {"PATH": os.environ["PATH"], "COLUMNS": "120", "TERM": "xterm", **(environment or {})}
    with subprocess.Popen(
        [hromada.command, *arguments], cwd=hromada.folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    ) as running:
        os.close(theirs)
        shown = type_at(ours, [*steps, ("Waiting for you: 4.", b"")])
        running.wait(timeout=60)
    os.close(ours)
    return shown


@pytest.mark.slow
@pytest.mark.process
def test_keys_that_cancel_at_a_real_terminal(multiq: Hromada) -> None:
    """Escape while a reason is typed goes back to the answer; a bulk act is asked about and undone as one."""
    olha = reviewer(multiq)
    waiting = "a accept"
    steps = (
        (waiting, b"r"), ("(Esc goes back):", b"\x1b"), (waiting, b"r"), ("(Esc goes back):", b"wrong\x1b[D"),
        (waiting, b"A"), ("any other key no", b"n"), (waiting, b"\x1b[AA"), ("any other key no", b"y"),
        (waiting, b"u"), ("Taken back: 2 decisions.", "й".encode()),
    )  # fmt: skip
    shown = run_at_terminal(multiq, steps, "review", "multiq", "--as", olha, "--by-annotator")
    assert "Decided: 0. Waiting for you: 4." in shown
    assert [kind for kind, _ in in_database(multiq, list_reviews)] == [
        *[ReviewDecision.ACCEPTED] * 2, *[ReviewDecision.UNDONE] * 2,
    ]  # fmt: skip
