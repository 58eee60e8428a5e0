"""The words of the bot: complete in three languages, with plurals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fluent.syntax import ast, visitor

from annotation.campaigns.bot_commands import ADJUDICATE, COMMANDS
from annotation.campaigns.questions.question_base import count_units
from bot import conversation
from bot.conversation import message_layout
from bot.conversation.handlers import answers
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import LANGUAGES, get_texts, list_commands, parse_resources
from bot.conversation.views import menus
from bot.emulator import message_content


class Variables(visitor.Visitor):
    """Collects the arguments of a message."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:  # noqa: N802
        """One argument."""
        self.names.add(node.id.name)


def messages(language: str) -> dict[str, frozenset[str]]:
    """The arguments of every message of a language."""
    found: dict[str, frozenset[str]] = {}
    for resource in parse_resources(language).values():
        for entry in resource.body:
            if isinstance(entry, ast.Message):
                seen = Variables()
                seen.visit(entry)
                assert entry.id.name not in found
                found[entry.id.name] = frozenset(seen.names)
    return found


def test_every_message_exists_in_every_language_with_the_same_arguments() -> None:
    """No language lacks a message, and none has one of its own."""
    assert messages("uk") == messages("en") == messages("ru")


LABELS = {
    "agree", "decline", "decline-warning", "rather-not-say", "zone-other", "zone-unsaid", "go-on", "begin", "done",
    "none-of-them",
    "leave-open", "skip", "report", "ask", "task", "pause", "keep", "back", "undo", "in-my-words", "stay",
    "withdraw-yes", "forget-yes", "language-name", "session-only", "session-more", "session-endless", "session-enough",
}  # fmt: skip
TOASTS = {
    "answered-already", "saved", "saved-already", "stale", "not-taken", "choose-at-least", "choose-at-most",
    "answer-or-skip", "undo-open", "undo-closed", "kept", "skipped", "reported", "noted", "only-private",
    "session-chosen",
}  # fmt: skip
HINTS = {"answer-here", "zone-hint"}
REASONS = {f"skip-{one}" for one in menus.SKIP_REASONS} | {f"report-{one}" for one in menus.REPORT_REASONS}
NUMBERS = {"left", "most", "least", "page", "place", "of", "number", "answers", "right", "day", "month", "goal"}
SHORTENED = {"answered-already": answers.MAX_QUOTED_ANSWER}
"""Messages whose arguments are shortened to so many UTF-16 units before they come in."""
LONG = "Дуже <довга> назва & «проєкт» 😀 " * 12


def longest(name: str) -> int:
    """How many UTF-16 units a message may take where it stands."""
    limits = {20: LABELS, 40: REASONS, 64: HINTS, 200: TOASTS}
    found = [most for most, names in limits.items() if name in names]
    return found[0] if found else 256 if name.startswith("command-") else 1500


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", [0, 1, 2, 5, 21, 1_000_000])
def test_every_message_formats_and_fits(language: str, number: int) -> None:
    """With all its arguments, escaped, it is HTML that the Bot API takes, and fits where it stands."""
    for name, arguments in messages(language).items():
        long = message_layout.shorten_text(LONG, SHORTENED.get(name, len(LONG)))
        text = get_texts(language)(name, **{one: number if one in NUMBERS else long for one in arguments})
        (made,) = message_layout.render_html_parts([TextBlock(text)], heading="")
        assert message_content.parse_html(made)[0] == text.strip(), name
        assert 0 < count_units(text) <= longest(name), (name, text)
        assert "{" not in text, name


def code() -> str:
    """All modules of the conversation."""
    return "".join(file.read_text("utf-8") for file in Path(conversation.__file__ or "").parent.rglob("*.py"))


def test_every_message_is_said_somewhere() -> None:
    """The code names each message, or makes its name from a word that is listed there."""
    made = REASONS | {f"command-{one}" for one in (*COMMANDS, ADJUDICATE)}
    assert {name for name in messages("uk") if f'"{name}"' not in code()} == made


def test_every_word_that_the_code_says_is_written() -> None:
    """Each name that is handed to the texts is a message."""
    said = set(re.findall(r'(?:translate|send_text|acknowledge)\(\s*"([a-z-]+)"', code()))
    assert said <= messages("uk").keys()
    assert len(said) > 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_menu_of_commands_is_complete(language: str) -> None:
    """Each command has a description that fits, and each is answered."""
    assert tuple(list_commands(language)) == COMMANDS
    assert set(re.findall(r'_build_command_condition\("([a-z]+)"\)', code())) == set(COMMANDS)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "uk",
            {
                1: "лишилося 1 запитання",
                2: "лишилося 2 запитання",
                5: "лишилося 5 запитань",
                21: "лишилося 21 запитання",
            },
        ),
        ("en", {1: "1 question left", 2: "2 questions left", 5: "5 questions left", 21: "21 questions left"}),
        ("ru", {1: "остался 1 вопрос", 2: "осталось 2 вопроса", 5: "осталось 5 вопросов", 21: "остался 21 вопрос"}),
    ],
)
def test_plurals_are_right(language: str, expected: dict[int, str]) -> None:
    """One, few and many as each language has them."""
    assert {number: get_texts(language)("left", left=number) for number in expected} == expected


def test_a_missing_message_or_argument_is_an_error() -> None:
    """Fluent would answer with the bare name; we do not."""
    with pytest.raises(LookupError):
        get_texts("uk")("no-such-message")
    with pytest.raises(LookupError):
        get_texts("uk")("left")
