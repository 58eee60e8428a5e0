"""The words of the bot: complete in three languages, with plurals."""

from __future__ import annotations

import pytest
from fluent.syntax import ast, visitor

from bot.conversation.texts import LANGUAGES, resources, texts


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
    for resource in resources(language).values():
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_formats_and_fits(language: str) -> None:
    """With its arguments each message is a text that fits a toast or a message."""
    for name, arguments in messages(language).items():
        text = texts(language)(name, **dict.fromkeys(arguments, 5))
        assert 0 < len(text) <= (200 if name in {"saved", "saved-already", "stale", "stale-done"} else 1000)


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
    assert {number: texts(language)("left", left=number) for number in expected} == expected


def test_a_missing_message_or_argument_is_an_error() -> None:
    """Fluent would answer with the bare name; we do not."""
    with pytest.raises(LookupError):
        texts("uk")("no-such-message")
    with pytest.raises(LookupError):
        texts("uk")("left")
