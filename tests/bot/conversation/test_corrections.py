"""Corrections in the chat: paragraphs that join to the same bytes, mistakes, ways back, and items that are too long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlmodel import select

from annotation.campaigns.questions import KINDS
from annotation.store.models import Annotator, Item, LabelStudioBatch, Project
from annotation.vocabulary import ItemStatus
from bot.conversation.inputs import INPUTS, corrections
from bot.conversation.updates_and_calls import ConversationSettings

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
SHOWN = "{{file: {name}.jsonl, id: id, show: text}}"
QUESTION = '{type: edit, text: "Виправте.", field: text%s}'
STORY = "Кіт спала на дивані.\n\nПес їв кашу.\n"
TEXT = st.text(alphabet=st.sampled_from("абв .!?\n\r\t\u00a0😀é…»"), max_size=200)


@settings(deadline=None)
@given(text=TEXT, units=st.integers(min_value=4, max_value=40))
def test_paragraphs_join_to_the_same_text(text: str, units: int) -> None:
    """Byte for byte; none is longer than allowed, none is blank or begins or ends with a blank."""
    parts = corrections.split_paragraphs(text, max_units=units)
    assert parts.join({}) == text
    assert all(part and part == part.strip() for part in parts.texts)
    assert all(len(part.encode("utf-16-le")) // 2 <= units for part in parts.texts)
    assert not any(gap.strip() for gap in parts.gaps)


@settings(deadline=None)
@given(text=TEXT, data=st.data())
def test_a_corrected_text_is_told_apart_again(text: str, data: st.DataObject) -> None:
    """What was changed is found by paragraph, or nothing is; joined, it is the corrected text."""
    parts = corrections.split_paragraphs(text)
    indices = st.sampled_from(range(len(parts.texts))) if parts.texts else st.nothing()
    changed = data.draw(st.dictionaries(indices, st.sampled_from(["г", "гг г", "г\n\nг"])))
    found = corrections.match_paragraphs(text, parts.join(changed))
    assert found is None or parts.join(found) == parts.join(changed)


def test_long_paragraphs_are_cut_at_sentence_ends() -> None:
    """The blanks between the parts belong to neither."""
    parts = corrections.split_paragraphs("Одне речення. Друге довше!  Третє.", max_units=16)
    assert parts.texts == ("Одне речення.", "Друге довше!", "Третє.")
    assert parts.gaps == ("", " ", "  ", "")


@pytest.mark.parametrize(
    ("before", "after", "html"),
    [
        ("Кіт спала тут.", "Кіт спав тут.", "Кіт <s>спала</s> <b>спав</b> тут."),
        ("Кіт спав.", "Кіт довго спав.", "Кіт <b>довго</b> спав."),
        ("Кіт, спав.", "Кіт спав.", "Кіт<s>,</s> спав."),
        ("а < б", "а > б", "а <s>&lt;</s> <b>&gt;</b> б"),
    ],
)
def test_a_difference_shows_what_went_and_what_came(before: str, after: str, html: str) -> None:
    """Deleted words struck through, inserted ones bold."""
    from bot.conversation import message_layout

    [shown] = message_layout.render_html_parts([corrections.build_difference(before, after)], heading="{number}")
    assert shown == html


def test_every_type_of_question_has_an_input() -> None:
    """So that no project is turned away because of what it asks."""
    assert set(INPUTS) == set(KINDS)


def load_story(load: Load, more: str = "", text: str = STORY) -> None:
    """One story to correct."""
    load([{"id": "1", "text": text}], items=SHOWN, question=QUESTION % more)


def test_the_whole_story_stands_above_its_first_paragraph(chat: Chat, load: Load) -> None:
    """Which can be copied: its message is not protected, the story's is."""
    load_story(load)
    chat.begin()
    story, paragraph = chat.screens[-2:]
    assert (story.protected, paragraph.protected) == (True, False)
    assert "<pre>Кіт спала на дивані.</pre>" in paragraph.html
    assert story.text.endswith(STORY.strip())


def test_all_blanks_of_the_text_stay(chat: Chat, load: Load) -> None:
    """Also the one at its end; nothing is stored before Save."""
    load_story(load)
    chat.begin()
    chat.say("Кіт спав на дивані.")
    chat.tap("Без змін")
    assert chat.answers() == []
    chat.tap("Зберегти")
    assert chat.answers() == [STORY.replace("спала", "спав")]


def test_an_old_button_changes_nothing(chat: Chat, load: Load) -> None:
    """A second tap on "No changes" does not accept the next paragraph, nor does one on an older message."""
    load_story(load)
    chat.begin()
    first = chat.last
    chat.tap("Без змін", on=first)
    chat.press(first.buttons[0][0].data, on=chat.last)
    assert "Абзац 2 з 2" in chat.last.text
    assert chat.answers() == []


def test_another_text_is_asked_about_before_it_takes_the_place(chat: Chat, load: Load) -> None:
    """By a tap, or by sending it once more."""
    load_story(load)
    chat.begin()
    chat.say("добре")
    assert "Замінити абзац цим текстом?" in chat.last.text
    chat.tap("Ні")
    chat.say("добре")
    chat.tap("Так, замінити")
    chat.say("гаразд")
    chat.say("гаразд")
    chat.tap("Зберегти")
    assert chat.answers() == ["добре\n\nгаразд\n"]


def test_a_text_that_must_change_is_not_saved_unchanged(chat: Chat, load: Load) -> None:
    """It is said how to go on."""
    load_story(load, ", must_change: yes")
    chat.begin()
    chat.say("без змін")
    chat.say("Пес їв кашу.")
    chat.tap("Зберегти")
    assert chat.toasts[-1].startswith("Тут треба щось виправити.")
    assert chat.answers() == []


def test_a_saved_correction_is_changed_by_paragraph(chat: Chat, load: Load) -> None:
    """It opens at its end with what was changed; an edited message does not change what was saved."""
    load_story(load)
    chat.begin()
    message = next(chat.numbers)
    chat.say("Кіт спав на дивані.", message_id=message)
    chat.tap("Без змін")
    chat.tap("Зберегти")
    assert "торкніться «Змінити»" in chat.edit(message, "Кіт спить на дивані.")[0]
    chat.tap("Змінити")
    assert any("виправили абзац 1 з 2." in shown for shown in chat.seen)
    chat.tap("2")
    chat.say("Пес їв кістку.")
    chat.tap("Зберегти")
    assert chat.answers() == [STORY.replace("спала", "спав"), "Кіт спав на дивані.\n\nПес їв кістку.\n"]


def test_a_text_that_was_mended_meanwhile_is_corrected_anew(chat: Chat, load: Load) -> None:
    """Its paragraphs are others now; those of the old text are not put among them."""
    load_story(load)
    chat.begin()
    chat.say("Кіт спав на дивані.")
    with chat.db.transaction() as session:
        item = session.exec(select(Item)).one()
        item.data = item.data | {"text": "Кіт спала."}
        session.add(item)
    chat.say("/start")
    assert "Абзац 1 з 1" in chat.last.text
    chat.tap("Без змін")
    chat.tap("Зберегти")
    assert chat.answers() == ["Кіт спала."]


def test_a_long_item_is_offered_in_label_studio(chat: Chat, load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    """To those who have a batch of the project there; the button moves it, and its place waits for Label Studio."""
    from tests.bot.conversation import conftest  # type: ignore[import-not-found, unused-ignore]

    with_address = replace(ConversationSettings(key=conftest.KEY), label_studio_url="https://studio.example/")
    monkeypatch.setattr(conftest, "ConversationSettings", lambda **_: with_address)
    load_story(load, text="Слово і діло. " * 2000)
    assert not any("Label Studio" in shown for shown in chat.begin())
    with chat.db.transaction() as session:
        values: dict[str, Any] = {"server": "s", "mark": "m", "remote_id": 7, "created_at": chat.now}
        who, project = session.exec(select(Annotator)).one(), session.exec(select(Project)).one()
        session.add(LabelStudioBatch(project_id=project.id or 0, annotator_id=who.id or 0, **values))
    chat.say("/start")
    assert any("https://studio.example/projects/7" in shown for shown in chat.seen)
    chat.tap("Зроблю в Label Studio")
    assert "Поки що запитань для вас немає" in chat.last.text
    with chat.db.transaction() as session:
        item = session.exec(select(Item)).one()
        assert (item.status, item.held) == (ItemStatus.PAUSED, 3)
    assert chat.answers() == []
