"""A language that an organiser added: chosen, typed and read like the others, and English where it has no text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.conversation import notifications, prompts, texts, time_zones

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

KAZAKH = """\
which-language = Қай тіл сізге ыңғайлы?
language-name = Қазақ тілі
begin = Бастау
skip = Өткізіп жіберу
gap = БОС
command-start = Жалғастыру
words-yes = иә
words-no = жоқ
words-back = артқа
common-zones = Asia/Almaty
cities = Asia/Almaty: Қарағанды, Шымкент
left = { $left ->
    [one] { $left } сұрақ қалды
   *[other] { $left } сұрақ қалды
}
"""


@pytest.fixture
def kazakh(tmp_path: Path) -> Iterator[None]:
    """Kazakh as a language of the bot."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "kk.ftl").write_text(KAZAKH, "utf-8")
    texts.use_added_files(folder)
    yield
    texts.use_added_files(None)


pytestmark = pytest.mark.usefixtures("kazakh")


def test_it_is_chosen_read_and_typed_like_the_others(chat: Chat, load: Callable[..., None]) -> None:
    """Telegram's language comes first; a label of it is typed by people of another language as well."""
    load(language="kk")
    chat.language = "kk-KZ"
    asked = chat.say("/start")
    assert asked[-1].startswith("Қай тіл сізге ыңғайлы?")
    assert chat.last.buttons[0][0].label == "Қазақ тілі"
    chat.tap("Қазақ тілі")
    assert any("One tap is one answer" in message for message in chat.seen)
    assert "Бастау" in chat.last.labels
    chat.say("иә")
    assert "Өткізіп жіберу" in str(chat.last.labels)
    assert "Why skip it?" in chat.say("өткізіп жіберу")[-1]
    assert chat.say("артқа")[-1] == "✓ ‹ Back"


def test_its_words_zones_and_commands_are_those_of_the_bot() -> None:
    """A text that it lacks is English, with the plural forms of English."""
    assert texts.list_languages() == (*texts.LANGUAGES, "kk")
    assert texts.match_language("kk-KZ") == "kk"
    assert texts.get_item_texts("kk")("gap") == "БОС"
    assert texts.get_texts("kk")("choose-at-least", least=2) == "Tick 2 or more"
    assert texts.get_texts("kk")("done") == "Done"
    assert {"иә", "так", "tak", "yes", "да"} <= prompts.get_words(prompts.YES)
    assert {"иә", "okay", "dalej"} <= prompts.get_words(prompts.GO_ON)
    assert time_zones.list_common_zones("kk") == ("Asia/Almaty",)
    assert time_zones.index_cities()["қарағанды"] == "Asia/Almaty"
    profiles = {profile.language: profile for profile in notifications.list_bot_profiles()}
    assert profiles["kk"].commands["start"] == "Жалғастыру"
    assert profiles["kk"].commands["help"] == "All commands"


def test_a_file_of_an_installed_language_changes_what_it_names(tmp_path: Path) -> None:
    """The other texts stay those of the language; without the setting all is as before."""
    (tmp_path / "uk.ftl").write_text("language-name = Українська\nskip = Далі без відповіді\n", "utf-8")
    texts.use_added_files(tmp_path / "uk.ftl")
    assert texts.list_languages() == texts.LANGUAGES
    assert texts.get_texts("uk")("skip") == "Далі без відповіді"
    assert texts.get_texts("uk")("begin") == "Почати"
    texts.use_added_files(None)
    assert texts.get_texts("uk")("skip") == "Пропустити"
