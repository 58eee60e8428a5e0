"""Prompts with buttons that decide: a label, yes, no and back are those buttons, in every language; elsewhere, text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from bot.conversation import prompts
from bot.conversation.texts import (
    LANGUAGES,
    ORGANISER_LANGUAGES,
    get_organiser_texts,
    get_texts,
)
from bot.conversation.updates_and_calls import InlineButton

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
SHOWN = "{{file: {name}.jsonl, id: id, show: text}}"
STORY = "Кіт спала на дивані.\n\nПес їв кашу."
OTHER = "Зовсім нові слова про море."
YES, NO, BACK = ("так", "Так!", "yes", "да"), ("ні", "no.", "Нет"), ("назад", "back", "‹ Назад")
TEXT_QUESTION = '{type: text, text: "Ваша відповідь?"}'


def say_in_all_languages(text_id: str, **arguments: int) -> tuple[str, ...]:
    """A label in the three languages."""
    return tuple(get_texts(language)(text_id, **arguments) for language in LANGUAGES)


@pytest.fixture
def story(chat: Chat, load: Load) -> Chat:
    """Somebody who corrects a story of two paragraphs."""
    load([{"id": "1", "text": STORY}], items=SHOWN, question='{type: edit, text: "Виправте.", field: text}')
    chat.begin()
    return chat


@pytest.mark.parametrize("typed", [*YES, *say_in_all_languages("correction-replace")])
def test_a_yes_replaces_a_paragraph_that_was_rewritten(story: Chat, typed: str) -> None:
    """The new paragraph is what was sent before, not the word."""
    assert "Замінити абзац цим текстом?" in story.say(OTHER)[-1]
    assert "Абзац 2 з 2" in story.say(typed)[-1]
    story.say("Без змін")
    story.tap("Зберегти")
    assert story.answers() == [STORY.replace("Кіт спала на дивані.", OTHER)]


@pytest.mark.parametrize("typed", [*NO, *BACK, *say_in_all_languages("correction-reject")])
def test_a_no_keeps_a_paragraph_as_it_was(story: Chat, typed: str) -> None:
    """And shows it again to be corrected."""
    story.say(OTHER)
    shown = story.say(typed)[-1]
    assert ("Абзац 1 з 2" in shown, "Кіт спала на дивані." in shown) == (True, True)
    story.say("Без змін")
    story.say("Без змін")
    story.tap("Зберегти")
    assert story.answers() == [STORY]


@pytest.mark.parametrize("typed", [*YES, *say_in_all_languages("text-save"), "зберегти"])
def test_the_last_card_is_saved_by_words(story: Chat, typed: str) -> None:
    """After all paragraphs were seen."""
    story.say("Кіт спав на дивані.")
    story.say("Без змін")
    story.say(typed)
    assert story.answers() == [STORY.replace("спала", "спав")]


def test_the_last_card_leads_to_a_paragraph_by_its_number(story: Chat) -> None:
    """Another text is explained, and the card shown again."""
    story.say("Кіт спав на дивані.")
    story.say("Без змін")
    explained, *_, card = story.say("ні")
    assert explained == "Ви переглянули весь текст. Щоб змінити абзац, торкніться його номера."
    assert "виправили абзац 1 з 2" in card
    assert "Абзац 1 з 2" in story.say("1")[-1]
    assert story.answers() == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_buttons_of_a_paragraph_are_typed_by_label(story: Chat, language: str) -> None:
    """To accept, to go back, to keep, and to restore it; «так» is not among them and is asked about."""
    translate = get_texts(language)
    assert "Абзац 2 з 2" in story.say(translate("correction-accept"))[-1]
    assert "Абзац 1 з 2" in story.say(translate("correction-back", number=1))[-1]
    story.say("Кіт спав на дивані.")
    assert "Абзац 1 з 2" in story.say({"uk": "назад", "en": "Back", "ru": "назад", "pl": "wstecz"}[language])[-1]
    assert "<pre>Кіт спала на дивані.</pre>" in (story.say(translate("correction-reset")), story.last.html)[1]
    assert "Замінити абзац цим текстом?" in story.say("так")[-1]
    assert story.answers() == []


def test_a_paragraph_that_is_such_a_word_can_be_corrected_to_it(chat: Chat, load: Load) -> None:
    """What is like the paragraph is a correction of it."""
    load(
        [{"id": "1", "text": "Гаразд!\n\nНазад"}], items=SHOWN, question='{type: edit, text: "Виправте.", field: text}'
    )
    chat.begin()
    chat.say("Без змін")
    chat.say("Назад!")
    chat.tap("Зберегти")
    assert chat.answers() == ["Гаразд!\n\nНазад!"]


@pytest.mark.parametrize("typed", [*YES, *say_in_all_languages("text-save")])
def test_a_yes_saves_a_text(chat: Chat, load: Load, typed: str) -> None:
    """That stands above the buttons."""
    load([{"id": "1", "text": "Столиця?"}], items=SHOWN, question=TEXT_QUESTION)
    chat.begin()
    chat.say("Київ")
    chat.say(typed)
    assert chat.answers() == ["Київ"]


@pytest.mark.parametrize("typed", [*NO, *BACK, *say_in_all_languages("text-fix")])
def test_a_no_lets_a_text_be_fixed(chat: Chat, load: Load, typed: str) -> None:
    """Then whatever is typed is the text."""
    load([{"id": "1", "text": "Столиця?"}], items=SHOWN, question=TEXT_QUESTION)
    chat.begin()
    chat.say("Киів")
    assert "надішліть її ще раз" in chat.say(typed)[-1]
    chat.say("ні")
    assert "ні" in chat.last.text
    chat.tap("Це моя відповідь")
    assert chat.answers() == ["ні"]


@pytest.mark.parametrize("typed", say_in_all_languages("skip"))
@pytest.mark.parametrize("question", [TEXT_QUESTION, '{type: choice, text: "Столиця?", options: [Київ, Львів]}'])
def test_a_skip_is_typed_by_its_label(chat: Chat, load: Load, question: str, typed: str) -> None:
    """Below options and below a text that waits to be saved; it asks for the reason, and is no answer."""
    load([{"id": "1", "text": "Столиця?"}], items=SHOWN, question=question)
    chat.begin()
    if question is TEXT_QUESTION:
        chat.say("Київ")
    assert "Чому пропускаємо?" in chat.say(typed)[-1]
    assert "🏁 Це все, що було для вас. Дякуємо!" in chat.say("Не знаю відповіді")[-1]
    assert chat.answers() == ["(unsure)"]


@pytest.mark.parametrize(("first", "then"), [("так", "ні"), ("Ні.", "да"), ("no", "yes")])
def test_to_a_text_question_yes_and_no_are_answers(chat: Chat, load: Load, first: str, then: str) -> None:
    """Once it is said that they are; one takes the place of the other. The button is typed by its label."""
    load([{"id": "1", "text": "Чи йде дощ?"}], items=SHOWN, question=TEXT_QUESTION)
    chat.begin()
    assert f"Ваша відповідь?\n\n{first}\n" in chat.say(first)[-1]
    assert f"Ваша відповідь?\n\n{then}\n" in chat.say(then)[-1]
    chat.say("это мой ответ")
    assert chat.answers() == [then]


def test_the_button_that_leaves_a_question_open_is_typed(chat: Chat, load: Load) -> None:
    """Whatever the language: a question that need not be answered gets no answer."""
    load(
        [{"id": "1", "text": "Кіт"}],
        items=SHOWN,
        more="questions:\n- {name: one, type: choice, text: Яке?, options: [добре, погане], required: no}\n"
        "- {name: two, type: choice, text: Чому?, options: [бо, хоч]}\n",
    )
    chat.begin()
    assert chat.say(get_texts("ru")("leave-open")) == ["✓ Без відповіді"]
    assert "Чому?" in chat.seen[-2]
    chat.say("бо")
    assert chat.answers() == [""]


def test_labels_mean_the_same_button_in_every_language() -> None:
    """Of every button that decides; none is mistaken for another one."""
    for labels, languages, get in (
        (prompts.LABELS, LANGUAGES, get_texts),
        (prompts.ORGANISER_LABELS, ORGANISER_LANGUAGES, get_organiser_texts),
    ):
        for shown in languages:
            buttons = tuple(InlineButton(get(shown)(text_id), text_id) for text_id in labels)
            for typed in languages:
                for text_id in labels:
                    found = prompts.find_named_button(get(typed)(text_id), (buttons,))
                    assert found is None or get(shown)(found.data) == get(shown)(text_id), (shown, typed, text_id)
                    alone = prompts.find_named_button(get(typed)(text_id), ((buttons[labels.index(text_id)],),))
                    assert alone is not None, (shown, typed, text_id)
