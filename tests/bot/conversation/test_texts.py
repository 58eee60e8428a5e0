"""The words of the bot: complete in every language that is installed, with plurals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aggregation import spelling
from annotation.campaigns.bot_commands import ADJUDICATE, COMMANDS, PAGE
from annotation.campaigns.questions.question_base import count_units
from bot import conversation
from bot.conversation import message_layout, prompts, texts
from bot.conversation.handlers import answers
from bot.conversation.inputs import preferences
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import LANGUAGES, get_texts, list_commands
from bot.conversation.texts.fluent_files import read_fluent_file
from bot.conversation.views import menus
from bot.emulator import message_content

ENGLISH = read_fluent_file(texts.FOLDER / "en.ftl").by_id
NUMBERS = {"left", "most", "least", "page", "place", "of", "number", "answers", "right", "day", "month", "goal"}
SHORTENED = {"answered-already": answers.MAX_QUOTED_ANSWER, **dict.fromkeys(preferences.BETTER_TEXTS.values(), 1)}
"""Messages whose arguments are shortened to so many UTF-16 units before they come in."""
LISTS = {"cities", *(name for name in ENGLISH if name.startswith("words-"))}


def messages(language: str) -> dict[str, frozenset[str]]:
    """The arguments of every message of a language."""
    found = read_fluent_file(texts.FOLDER / f"{language}.ftl").messages
    return {message.text_id: message.variables for message in found}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_has_a_fault_or_lacks_a_message(language: str) -> None:
    """What `hromada texts check` says of the files that are installed."""
    checked = texts.check_file(texts.FOLDER / f"{language}.ftl")
    checked.refuse()
    assert checked.missing == ()
    assert checked.unchanged == UNCHANGED.get(language, ())


UNCHANGED = {"pl": ("stage-qualification", "report", "page-menu")}
"""Words that are the same in English."""


def test_every_english_message_says_what_it_means() -> None:
    """Where it is shown, and each of its arguments with an example; limits are those of its place."""
    for name, message in ENGLISH.items():
        assert message.comment.strip(), name
        assert message.examples.keys() == message.variables, name
        label, reason = message.comment.startswith("Button"), name in REASONS
        assert message.max_units <= 40 if label or reason else message.max_units >= 64, name
        assert not name.startswith("command-") or message.max_units == 256, name


REASONS = {f"skip-{one}" for one in menus.SKIP_REASONS} | {f"report-{one}" for one in menus.REPORT_REASONS}
LONG = "Дуже <довга> назва & «проєкт» 😀 " * 12


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", [0, 1, 2, 5, 21, 1_000_000])
def test_every_message_formats_and_fits(language: str, number: int) -> None:
    """With all its arguments, escaped, it is HTML that the Bot API takes, and fits where it stands."""
    for name, arguments in messages(language).items():
        if name in LISTS:
            continue
        long = message_layout.shorten_text(LONG, SHORTENED.get(name, len(LONG)))
        text = get_texts(language)(name, **{one: number if one in NUMBERS else long for one in arguments})
        (made,) = message_layout.render_html_parts([TextBlock(text)], heading="")
        assert message_content.parse_html(made)[0] == text.strip(), name
        assert 0 < count_units(text) <= ENGLISH[name].max_units, (name, text)
        assert "{" not in text, name


def code() -> str:
    """All modules of the conversation."""
    return "".join(file.read_text("utf-8") for file in Path(conversation.__file__ or "").parent.rglob("*.py"))


def test_every_message_is_said_somewhere() -> None:
    """The code names each message, or makes its name from a word that is listed there."""
    made = REASONS | {f"command-{one}" for one in (*COMMANDS, ADJUDICATE, PAGE)}
    made |= {f"words-{name.removeprefix('=')}" for name in prompts.WORD_SETS}
    made |= {f"words-{name}" for name in (*preferences.ORDINALS, "tie", "bad", "all", "fillers")}
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
    assert list_commands(language, has_page=True).keys() == {*COMMANDS, PAGE}
    assert set(re.findall(r'_build_command_condition\("([a-z]+)"\)', code())) == {*COMMANDS, PAGE}


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
        (
            "pl",
            {
                1: "zostało 1 pytanie",
                2: "zostały 2 pytania",
                5: "zostało 5 pytań",
                12: "zostało 12 pytań",
                21: "zostało 21 pytań",
                22: "zostały 22 pytania",
            },
        ),
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


@pytest.mark.parametrize(("word", "name"), [("pomin", "skip"), ("wroc", "back"), ("blad", "report"), ("назад", "back")])
def test_words_may_be_typed_without_accents(word: str, name: str) -> None:
    """Polish is often typed without its marks; a Cyrillic й is a letter of its own and stays."""
    assert word in texts.list_words(name)
    assert spelling.strip_accents("досить, й") == "досить, й"
