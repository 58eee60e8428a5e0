"""Whatever comes, there is a sentence for it, nothing is lost, and the annotator is where they were."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import select

from annotation.errors import Unavailable
from annotation.store import models, queries
from annotation.workflow.lifecycle import transitions
from bot.conversation import update_handler
from bot.conversation.updates_and_calls import (
    ButtonAction,
    CallbackData,
    IncomingUpdate,
    TapAcknowledgement,
    UpdateKind,
    encode_callback,
)

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
FIRST = "1\n\nкіт — собака\n\nЯке слово довше?\n[кіт | собака]\n[Пропустити | ⋯]"
TOAST = "Цього вже не питаємо. Ось де ви зараз."


@pytest.fixture
def begun(chat: Chat, load: Load) -> Chat:
    """An annotator at the first item."""
    load()
    assert chat.begin()[-1] == FIRST
    return chat


FORGED = [
    None,
    "",
    "собака",
    "a:zz:0.0.0:",
    "a:1:0.0.7:",
    "a:1:0.0:",
    "a:1:0.3.0:",
    "a:1:5.0.0:",
    "a:1:0.0.-1:",
    "a:01:0.0.0:",
    "a:1:0.0.0:; DROP TABLE",
    "a:zzzzzz:zzzzzz.zzzzzz.zzzzzz:",
    "b:1:0.0.0.1:",
    "d:1:0.0:",
    "o:1:0.0:",
    "v:1::",
    "k:9::",
    "k:1:7:",
    "r:1:7:",
    "r:9:0:",
    "h:9::",
    "c:1:1:",
    "c:1:1:abcd",
    "c:9:1:abcd",
    "p:1:0:abcd",
    "t:::Mars/Base",
    "t:0::Mars/Base",
    "w:1::",
    "w:1::abcd",
    "s:9::abcd",
    "m:9:0:",
    "m:1::",
    "e:1:1.0.0:",
    "x:9:1:",
    "l:0::de",
    "y:1::",
    "a:1:0:1",
]


@pytest.mark.parametrize("data", FORGED)
def test_a_forged_tap_changes_nothing_and_leads_back(begun: Chat, data: str | None) -> None:
    """Unknown verbs, rows, options, revisions, words and nonsense: a toast, and the item again."""
    shown = begun.press(data, on=begun.last)
    assert begun.toasts[-1] == TOAST
    assert shown == [FIRST]
    assert begun.answers() == []


def test_the_same_tap_ten_times_is_one_answer(begun: Chat) -> None:
    """The first is stored; the others say so, and bring nothing."""
    screen = begun.last
    for _ in range(10):
        begun.tap("Б", on=screen)
    assert begun.answers() == ["собака"]
    assert begun.toasts[-9:] == ["Ви вже відповіли: «собака». Змінити можна вище."] * 9
    assert [one.text.split("\n")[0] for one in begun.screens[-2:]] == ["✓ 1 · собака", "2"]


def test_a_card_that_comes_late_is_marked_by_the_tap_on_it(begun: Chat) -> None:
    """A second card of an item, sent anew after a crash: it says what is stored, and nothing is stored again."""
    tapped = begun.last.buttons[0][0].data
    begun.say("/start")
    first, second = begun.screens[-2:]
    assert (bool(first.buttons), bool(second.buttons)) == (False, True)
    begun.press(tapped, on=first)
    begun.press(tapped, on=second)
    marked = [one for one in begun.seen if one.startswith("✓ 1 · кіт")]
    assert (len(marked), begun.toasts[-1]) == (2, "Ви вже відповіли: «кіт». Змінити можна вище.")
    assert len(begun.answers()) == 1


def test_an_old_tap_does_not_bring_an_old_answer_back_to_the_screen(begun: Chat) -> None:
    """The first answer was changed: its button, tapped again, leaves the answer that stands."""
    first = begun.last.buttons[0][0].data
    begun.tap("А")
    begun.tap("Змінити")
    begun.tap("Б", on=begun.screens[-2])
    begun.press(first, on=begun.screens[-2])
    assert begun.screens[-2].text.startswith("✓ 1 · собака")
    assert begun.toasts[-1] == "Ви вже відповіли: «собака». Змінити можна вище."


def test_a_stale_tap_leads_to_the_live_item(begun: Chat) -> None:
    """Another option of an answered item changes nothing."""
    screen = begun.last
    begun.tap("Б", on=screen)
    shown = begun.tap("А", on=screen)
    assert begun.toasts[-1] == TOAST
    assert shown[0].startswith("2\n\nдуб — береза")
    assert begun.answers() == ["собака"]


def test_a_year_old_button_leads_to_the_live_item(begun: Chat) -> None:
    """An item whose lease is over long ago may still be answered; nothing of it is taken for another."""
    screen = begun.last
    begun.now += timedelta(days=365)
    begun.tap("Б", on=screen)
    assert begun.answers() == ["собака"]
    assert begun.last.text.startswith("2\n\nдуб — береза")


def test_a_button_of_somebody_elses_changes_nothing(begun: Chat, another: Callable[..., Chat]) -> None:
    """A tap copied from another chat leads to one's own item."""
    other = another()
    other.begin()
    data = begun.last.buttons[0][0].data
    other.press(data, on=other.last)
    assert other.toasts[-1] == TOAST
    for verb in (
        ButtonAction.SKIP,
        ButtonAction.REPORT,
        ButtonAction.UNDO,
        ButtonAction.KEEP,
        ButtonAction.BACK,
        ButtonAction.DONE,
        ButtonAction.LEAVE_UNANSWERED,
    ):
        other.press(encode_callback(CallbackData(verb, 1, (0, 0))), on=other.last)
    assert other.answers() == begun.answers() == []
    other.press(encode_callback(CallbackData(ButtonAction.ASK, 1)))
    other.say("чуже?")
    with other.db.transaction() as session:
        assert session.exec(select(models.SupportMessage)).all() == []


def test_a_tap_from_nobody_known_begins_at_the_beginning(chat: Chat, load: Load) -> None:
    """A button in the hands of a person whom the database does not know."""
    load()
    assert chat.press("a:1:0.0.0:")[-1].startswith("Якою мовою")


@pytest.mark.parametrize(
    "text",
    ["агов", "<b>&amp;</b>", "\u202eабв\u202c", "\u200b\u200d\ufeff", "😀" * 300, "я" * 100_000, "\0\ud800", " "],
)
def test_text_where_a_tap_is_due(begun: Chat, text: str) -> None:
    """What to do, and what else can be done; 100 KB, right to left, half characters: texts like any other."""
    (explained,) = begun.say(text)
    assert explained.startswith("Торкніться кнопки або напишіть те, що на ній.\nАбо так: /skip — пропустити,")
    assert begun.answers() == []


@pytest.mark.parametrize("text", ["Б", "б", "Б)", "2", "собака", " СОБАКА ", "[2]"])
def test_an_answer_may_be_typed(begun: Chat, text: str) -> None:
    """By letter, number or in full; the item is marked in its place."""
    shown = begun.say(text)
    assert begun.answers() == ["собака"]
    assert any(one.text.startswith("✓ 1 · собака") for one in begun.screens)
    assert shown[0] == "✓ собака"
    assert len(shown) == 2


@pytest.mark.parametrize("media", ["sticker", "photo", "voice", "video_note", "document", "location"])
def test_what_is_no_text(begun: Chat, media: str) -> None:
    """A sentence, and the item again; a caption is not taken for an answer."""
    caption = "2" if media == "photo" else None
    assert begun.say(caption, media=media) == ["Ми читаємо лише текст.", FIRST]
    assert begun.answers() == []


def test_an_edited_message_is_not_an_answer(begun: Chat) -> None:
    """How to change an answer is said."""
    assert begun.give(kind=UpdateKind.EDITED, text="2") == [
        "Змінених повідомлень ми не читаємо. Щоб виправити відповідь, торкніться «Змінити» під нею."
    ]
    assert begun.answers() == []


def test_a_group_is_told_once_where_to_go(begun: Chat) -> None:
    """Commands and taps get a sentence, all else is left alone, and nobody becomes an annotator."""
    group: dict[str, Any] = {"private": False, "chat_id": -100, "telegram_id": 55}
    sentence = "Бот працює лише в особистих повідомленнях: відкрийте його профіль і натисніть «Почати»."
    assert begun.give(kind=UpdateKind.MESSAGE, text="/start", **group) == [sentence]
    assert begun.give(kind=UpdateKind.MESSAGE, text="привіт", **group) == []
    assert begun.give(kind=UpdateKind.TAP, data="a:1:0.0.0:", query_id="q", **group) == []
    assert begun.toasts[-1] == sentence
    assert begun.give(kind=UpdateKind.MIGRATED, **group) == []
    with begun.db.transaction() as session:
        assert queries.find_annotator(session, 55) is None


@pytest.mark.parametrize("kind", [UpdateKind.MIGRATED, UpdateKind.UNBLOCKED, UpdateKind.OTHER])
def test_what_asks_for_nothing_brings_nothing(begun: Chat, kind: UpdateKind) -> None:
    """A migrated chat, a bot let in again, a kind of update that is not known."""
    assert begun.give(kind=kind) == []
    assert begun.calls == []
    assert begun.say("/start") == [FIRST]


def test_a_blocked_bot_gives_the_item_back_and_goes_on_later(begun: Chat) -> None:
    """Others may have it meanwhile; when the annotator is back, so is it."""
    assert begun.give(kind=UpdateKind.BLOCKED) == []
    with begun.db.transaction() as session:
        person = queries.find_annotator(session, begun.number)
        assert person is not None
        assert person.unreachable_at is not None
        assert session.exec(select(models.Item.free).where(models.Item.external_id == "1")).one() == 3
    assert begun.say("/start") == [FIRST]
    with begun.db.transaction() as session:
        person = queries.find_annotator(session, begun.number)
        assert person is not None
        assert person.unreachable_at is None


@pytest.mark.parametrize(("language", "spoken"), [(None, "Якою"), ("de", "Якою"), ("en-GB", "Which"), ("", "Якою")])
def test_a_person_without_a_name_or_language(chat: Chat, load: Load, language: str | None, spoken: str) -> None:
    """Nothing of a name is read; the language is asked for in all three, that of their Telegram first."""
    load()
    chat.language = language
    assert chat.say("/start")[0].startswith(spoken)


def test_a_project_that_closes_while_an_item_is_on_the_screen(begun: Chat) -> None:
    """The answer is kept apart, and the annotator is told so."""
    with begun.db.transaction() as session:
        transitions.close_project(session, project=queries.get_project(session, "words"), now=begun.now)
    shown = begun.tap("Б")
    assert begun.screens[-2].text.startswith(
        "✓ 1 · собака\n\nДякуємо! Це запитання тим часом закрили, тож відповідь збережено окремо."
    )
    [end] = shown
    assert end == (
        "🏁 Усе завершено, дякуємо! Новий проєкт відкриється за посиланням від організаторів.\n\n"
        "✓ Слова — 1 · завершено\n\nСьогодні: 1 · загалом: 1"
    )
    assert begun.answers() == ["собака"]


def test_a_project_that_pauses_while_an_item_is_on_the_screen(begun: Chat) -> None:
    """What is answered is saved; that it stands still is said."""
    with begun.db.transaction() as session:
        transitions.pause_project(session, project=queries.get_project(session, "words"), now=begun.now)
    sentence = "Проєкт «Слова» зараз зупинено. Ваші відповіді збережено.\n\nНаписати вам"
    [told] = begun.say("/start")
    assert told.startswith(sentence)
    assert begun.tap("Б") == [told]
    assert begun.answers() == ["собака"]


def test_options_of_400_characters_stand_in_full(chat: Chat, load: Load) -> None:
    """The buttons carry letters; what was chosen is told, shortened."""
    long = ["дуже " * 80 + str(number) for number in range(3)]
    load([{"id": "1", "text": "Що?", "options": long, "gold": long[0]}])
    chat.begin()
    assert all(f"{letter}) {option}" in chat.last.text for letter, option in zip("АБВ", long, strict=True))
    assert chat.last.labels[0] == "А | Б | В"
    chat.tap("В")
    assert chat.answers() == [long[2]]
    assert chat.screens[-2].text.startswith("✓ 1 · дуже дуже")


def test_markup_in_every_field_is_shown_as_it_is(chat: Chat, load: Load) -> None:
    """Title, instructions, examples, question, item, options, profile, warning: none is obeyed."""
    nasty = "<b>5 < 7 & 7 > 5</b>"
    rows = [{"id": "1", "text": nasty, "options": ["<i>", "&amp;"], "gold": "<i>"}]
    more = (
        f"content_warning: '{nasty}'\nexamples: {{good: ['{nasty}'], bad: ['{nasty}']}}\n"
        f"profile: [{{name: one, text: '{nasty}', options: ['<', '&']}}]"
    )
    load(rows, title=f"'{nasty}'", instructions=nasty, question=f"{{type: choice, text: '{nasty} ?'}}", more=more)
    chat.say("/start")
    for label in ("Укр", "<", "Далі", "Почати"):
        chat.tap(label)
    assert chat.last.text == f"1\n\n{nasty}\n\n{nasty} ?"
    assert chat.last.labels[0] == "<i> | &amp;"
    assert sum(nasty in one.text for one in chat.screens) == 4
    chat.tap("Б")
    assert chat.answers() == ["&amp;"]
    assert chat.screens[-2].text.startswith("✓ 1 · &amp;")


def test_right_to_left_stays_within_its_option(chat: Chat, load: Load) -> None:
    """An option that turns the direction does not turn the letters of the others, in the message or on buttons."""
    options = ["\u202eabc", "שלום", "ні\u200b"]
    load([{"id": "1", "text": "Що?", "options": options, "gold": options[0]}], name="short")
    chat.begin()
    assert chat.last.labels[0] == "\u2068\u202eabc\u202c\u2069 | \u2068שלום\u2069"
    chat.tap("А")
    options = ["\u202eabc", "שלום", "ні, але не зовсім так\u200b"]
    load([{"id": "2", "text": "Що?", "options": options, "gold": options[0]}])
    chat.say("/start")
    chat.tap("А · Слова")
    chat.tap("Почати")
    assert "А) \u2068\u202eabc\u202c\u2069\nБ) \u2068שלום\u2069\nВ) ні, але не" in chat.last.text
    chat.tap("А")
    assert chat.answers() == [options[0]] * 2


def test_more_options_than_buttons(chat: Chat, load: Load) -> None:
    """Ninety stand in full, in numbered parts, and are answered by number."""
    options = [f"досить довга відповідь, і не коротша, номер {number}" for number in range(1, 91)]
    load([{"id": "1", "text": "Що?", "options": options, "gold": options[0]}])
    shown = chat.begin()
    assert shown[0].startswith("Частина 1 з 2\n\n1\n\nЩо?")
    assert chat.last.text.endswith(
        "90) " + options[-1] + "\n\nЯке слово довше?\n\nВаріантів забагато для кнопок: надішліть номер відповіді."
    )
    chat.say("90")
    assert chat.answers() == [options[-1]]


def test_a_skip_and_a_question_of_100_kilobytes(begun: Chat) -> None:
    """What is typed is kept as far as it is read."""
    begun.tap("⋯")
    begun.tap("Запитати")
    assert begun.say("я" * 100_000) == ["Запитання порожнє або задовге. Напишіть від одного слова до 3\xa0500 знаків."]
    begun.now += timedelta(seconds=5)  # sooner it would be the rest of that text
    assert begun.say("Чому?")[0] == "Запитання передано. Відповідь надійде сюди."
    begun.tap("Пропустити")
    begun.tap("Своїми")
    begun.say("я" * 100_000)
    assert begun.answers() == [f"({'я' * 500})"]


def test_what_cannot_be_handled_is_told(begun: Chat) -> None:
    """A failure of ours has a sentence with a code, in the person's language."""
    tapped: dict[str, Any] = {"telegram_id": 1, "chat_id": 1, "private": True, "query_id": "q", "language_code": "en"}
    incoming = IncomingUpdate(update_id=1, at=begun.now, kind=UpdateKind.TAP, **tapped)
    with begun.db.transaction() as session:
        acknowledged, told = update_handler.explain_failure(session, incoming, RuntimeError("secret 123"), "a1b2c3")
        busy = update_handler.explain_failure(session, incoming, Unavailable("x"), "a1b2c3")
    assert acknowledged == TapAcknowledgement(query_id="q")
    assert "a1b2c3" in str(told)
    assert "secret" not in str(told)
    assert "a minute" in str(busy)
