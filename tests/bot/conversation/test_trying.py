"""What `hromada try` starts: every project and programme of the examples leads to an item, whomever it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.commands.try_ import start_campaign
from bot.conversation.texts import get_texts

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAMME = EXAMPLES / "eval-ua-tion/programme/programme.yaml"
FILES = [*sorted(EXAMPLES.glob("*/*.yaml")), PROGRAMME]
QUICK = {"rucola/acceptability.yaml", "rucola/baseline.yaml", "eval-ua-tion/programme/programme.yaml"}


def name(file: Path) -> str:
    """The name of an example."""
    return str(file.relative_to(EXAMPLES))


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, id=name(file), marks=() if name(file) in QUICK else pytest.mark.slow) for file in FILES],
)
def test_an_example_can_be_tried(chat: Chat, file: Path) -> None:
    """No code, cohort or earlier answers: the first button of each message leads to an item that can be skipped."""
    start_campaign(chat.db, file, key=b"k" * 32, allow_outside=True)
    skips = {get_texts(language)("skip") for language in ("uk", "ru", "en")}
    chat.say("/start")
    for _ in range(12):
        labels = {button.label for row in chat.last.buttons for button in row}
        if labels & skips:
            break
        assert labels, chat.last
        chat.tap(chat.last.buttons[0][0].label)
    assert labels & skips, chat.last


def test_a_code_can_be_typed(chat: Chat) -> None:
    """As the link would send it: nothing here has invitations, so the bot says that it knows no such code."""
    start_campaign(chat.db, PROGRAMME, key=b"k" * 32, allow_outside=True)
    refused, asked = chat.say("/start linguists")
    assert refused.startswith("Такого запрошення немає.")
    assert "[Українська]" in asked
