"""Typing: a text does what the prompt that asked last offers, or is explained; it never answers an item by accident."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.store import models, queries
from annotation.vocabulary import ParticipationStatus

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
UNKNOWN = "Такої відповіді тут немає. Торкніться кнопки або напишіть те, що на ній."
ABOVE = "Останнє запитання було про інше, тож нічого не збережено. Ось де ви зараз."
YES_NO = [{"id": str(number), "text": f"Речення {number}", "options": ["так", "ні"]} for number in (1, 2, 3)]
ITEMS = "{{file: {name}.jsonl, id: id, show: text, options: options}}"
NUMBERS = [{"id": str(number), "text": f"Скільки? {number}", "options": ["2", "3", "5", "7"]} for number in (1, 2)]
BOXES = [{"id": str(number), "text": f"Які? {number}"} for number in (1, 2)]
TERMS = "consent: {file: consent.md, version: 1}\ncontent_warning: Обережно\n"


@pytest.fixture
def begun(chat: Chat, load: Load) -> Chat:
    """Somebody at the first of three yes/no items."""
    load(YES_NO, items=ITEMS)
    chat.begin()
    return chat


def is_there(chat: Chat) -> bool:
    """Whether the annotator has not been erased."""
    with chat.db.transaction() as session:
        return queries.find_annotator(session, chat.number) is not None


@pytest.mark.parametrize("typed", ["Так", "так!", "YES", "да", "Так, забудьте мене"])
def test_a_full_yes_to_being_forgotten_forgets(begun: Chat, typed: str) -> None:
    """It is no answer to the item above, which has that very option."""
    begun.say("/forget")
    shown = begun.say(typed)
    assert shown[0] == "✓ Так, забудьте мене"
    assert not is_there(begun)


@pytest.mark.parametrize("typed", ["1", "ок", "+", "А", "y", "т", "забудьте", "так ні"])
def test_what_is_no_full_yes_forgets_nobody(begun: Chat, typed: str) -> None:
    """It is explained and asked again, and answers no item."""
    asked = begun.say("/forget")
    assert begun.say(typed) == [UNKNOWN, *asked]
    assert is_there(begun)
    assert begun.answers() == []


@pytest.mark.parametrize("typed", ["ні", "No", "нет", "Ні, лишаюся"])
def test_a_no_to_being_forgotten_leads_back_to_the_item(begun: Chat, typed: str) -> None:
    """The same word answers the item only when it is asked again."""
    begun.say("/forget")
    shown = begun.say(typed)
    assert shown[0] == "✓ Ні, лишаюся"
    assert shown[-1].startswith("1\n")
    assert begun.answers() == []
    begun.say("ні")
    assert begun.answers() == ["ні"]


def test_a_project_is_left_by_its_number_and_a_full_yes(begun: Chat) -> None:
    """The number only chooses the project; another number does not confirm."""
    begun.say("/withdraw")
    assert begun.say("1")[0] == "✓ Слова"
    assert begun.say("1")[0] == UNKNOWN
    with begun.db.transaction() as session:
        assert session.exec(select(models.Participation.status)).one() is ParticipationStatus.ACTIVE
    assert begun.say("так")[0] == "✓ Так, вийти"
    with begun.db.transaction() as session:
        assert session.exec(select(models.Participation.status)).one() is ParticipationStatus.WITHDRAWN
    assert begun.answers() == []


@pytest.mark.parametrize(
    ("typed", "used"), [("ні", "ні"), ("2", "словник"), ("Б", "словник"), ("Словник.", "словник"), ("no", "ні")]
)
def test_the_attestation_is_typed(chat: Chat, load: Load, typed: str, used: str) -> None:
    """«Ні» answers the attestation and none of the items, which have that very option."""
    load(YES_NO, items=ITEMS, more="attestation: {text: Чи допомагало щось?, options: [ні, словник]}")
    chat.begin()
    chat.say("так")
    chat.say("/pause")
    told, card = chat.say(typed)
    assert told == f"✓ {used}"
    assert card.startswith("Пауза. Усе збережено.")
    assert chat.answers() == ["так"]
    with chat.db.transaction() as session:
        assert session.exec(select(models.Attestation.used)).all() == [used]
    chat.say(typed)
    assert chat.say("/start")[-1].startswith("2\n")
    assert chat.answers() == ["так"]


def test_no_attestation_without_an_answer(chat: Chat, load: Load) -> None:
    """Whoever only looked at an item pauses at once; so does whoever has attested all that they answered."""
    load(YES_NO, items=ITEMS, more="attestation: {text: Чи допомагало щось?, options: [ні, словник]}")
    chat.begin()
    assert chat.say("/pause")[-1].startswith("Пауза. Усе збережено.")
    chat.tap("Далі")
    chat.tap("так")
    assert "Чи допомагало щось?" in chat.say("/pause")[-1]
    assert chat.tap("ні")[-1].startswith("Пауза. Усе збережено.")
    chat.tap("Далі")
    assert chat.say("/pause")[-1].startswith("Пауза. Усе збережено.")


def test_nothing_else_is_taken_for_an_attestation(chat: Chat, load: Load) -> None:
    """It is asked again until it is answered."""
    load(YES_NO, items=ITEMS, more="attestation: {text: Чи допомагало щось?, options: [ні, словник]}")
    chat.begin()
    chat.say("так")
    asked = chat.say("/pause")[-1]
    assert chat.say("так") == [UNKNOWN, asked]
    assert chat.say("3") == [UNKNOWN, asked]
    assert chat.answers() == ["так"]


@pytest.mark.parametrize("typed", ["1", "А", "a", "Слова"])
def test_the_menu_is_typed(chat: Chat, load: Load, typed: str) -> None:
    """A number chooses a project and answers no item."""
    load(YES_NO, items=ITEMS)
    load(name="more", title="Ще")
    chat.say("/start")
    chat.tap("Укр")
    chat.tap("А · Слова")
    chat.say("так")
    chat.say("/projects")
    assert chat.say(typed)[0] == "✓ А · Слова"
    assert chat.answers() == []
    assert chat.say("/projects")
    assert chat.say("9")[0] == UNKNOWN
    assert chat.answers() == []


def test_all_on_the_way_in_is_typed(chat: Chat, load: Load, tmp_path: Path) -> None:
    """Language, consent, profile, warning, city, card; each is confirmed below what was typed."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(
        YES_NO,
        items=ITEMS,
        more=f"{TERMS}caps: {{items_per_day: 9}}\n"
        "profile: [{name: native, text: 'Рідна?', options: [так, ні]}, {name: age, text: 'Вік?', type: number}]",
    )
    chat.say("/start")
    for typed, confirmed in (
        ("українська", "✓ Українська"),
        ("так", "✓ Погоджуюся"),
        ("Yes", "✓ так"),
        ("34", "Записано: 34. Виправити можна тут: /mydata"),
        ("ок", "✓ Далі"),
        ("Львів", "Часовий пояс: Київ"),
        ("зрозуміло", "✓ Почати"),
    ):
        assert chat.say(typed)[0] == confirmed
    assert chat.last.text.startswith("1\n")
    assert chat.answers() == []


@pytest.mark.parametrize(("typed", "said"), [("ні", "Гаразд. Без згоди"), ("Не погоджуюся", "Гаразд. Без згоди")])
def test_a_typed_no_declines(chat: Chat, load: Load, tmp_path: Path, typed: str, said: str) -> None:
    """What follows is said as after a tap."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(YES_NO, items=ITEMS, more=TERMS)
    chat.say("/start")
    chat.say("1")
    assert chat.say("може")[0] == UNKNOWN
    assert chat.say(typed)[1].startswith(said)


@pytest.mark.parametrize(("typed", "stored"), [("1", "(unsure)"), ("Не розумію запитання", "(unclear)")])
def test_reasons_are_typed(begun: Chat, typed: str, stored: str) -> None:
    """By number or in full; the letters and options of the item above are no reasons, and answer nothing."""
    begun.tap("Пропустити")
    for wrong in ("так", "А", "9"):
        explained, card = begun.say(wrong)
        assert explained == UNKNOWN
        assert "[Не знаю відповіді]" in card
    assert begun.say(typed)[0].endswith("Пропущено")
    assert begun.answers() == [stored]


def test_a_reply_to_the_card_with_reasons_is_a_reason(begun: Chat) -> None:
    """The card asks for a reason now, not for an answer."""
    begun.tap("Пропустити")
    begun.say("так", reply_to=begun.last.message_id)
    assert begun.answers() == []
    card = next(one for one in begun.screens if one.labels and one.labels[0] == "Не знаю відповіді")
    begun.say("2", reply_to=card.message_id)
    assert begun.answers() == ["(unclear)"]


def test_a_letter_goes_to_the_answer_that_is_open_for_a_change(begun: Chat) -> None:
    """Not to the next item; «ні» is an option there, «лишити» are the words of the button."""
    begun.say("так")
    begun.tap("Змінити")
    assert begun.say("Б")[0] == "✓ ні\nВідповідь змінено."
    begun.tap("Змінити")
    assert begun.say("Залишити як було")[0] == "✓ Залишити як було\nЛишилося як було"
    assert begun.answers() == ["так", "ні"]


def test_typed_letters_tick_and_clear_boxes(chat: Chat, load: Load) -> None:
    """Beside ticked boxes a letter adds to them; nothing is stored before the last word."""
    question = "{type: choices, text: 'Які?', options: [а, б, в, г], most: 3}"
    load(BOXES, question=question, items="{{file: {name}.jsonl, id: id, show: text}}")
    chat.begin()
    card = chat.last
    chat.tap("☐ а")
    chat.tap("☐ б")
    chat.say("Г")
    assert chat.answers() == []

    def ticks() -> str:
        return " ".join(label for one in chat.screens for label in one.labels if "☐" in label or "☑" in label)

    assert "☑ а" in ticks()
    assert "☑ б" in ticks()
    assert "☑ г" in ticks()
    assert chat.say("в")[0] == "Можна позначити не більше ніж 3"
    chat.say("б, а")
    chat.say("Готово")
    assert chat.answers() == ['["г"]']
    assert card.message_id in {one.message_id for one in chat.screens}
    chat.say("нічого з цього")
    assert chat.answers() == ['["г"]', "[]"]


@pytest.mark.parametrize(("typed", "stored"), [("3", ["3"]), ("4", []), ("1", []), ("Г", ["7"]), ("7", ["7"])])
def test_a_number_among_numbers_is_an_option(chat: Chat, load: Load, typed: str, stored: list[str]) -> None:
    """Never a position."""
    load(NUMBERS, items=ITEMS)
    chat.begin()
    chat.say(typed)
    assert chat.answers() == stored


def test_a_text_below_something_else_answers_no_item(begun: Chat) -> None:
    """A question was asked below the item and is not open any more: the item is shown again, and then answered."""
    begun.say("так")
    begun.say("/forget")
    begun.tap("Змінити")
    begun.tap("Залишити")
    assert begun.say("так") == [ABOVE, begun.seen[-1]]
    assert begun.answers() == ["так"]
    begun.say("так")
    assert begun.answers() == ["так", "так"]


def test_a_text_below_the_task_leads_to_the_item(begun: Chat) -> None:
    """The task asks for nothing; what is typed below it may be meant for the item or not."""
    begun.say("/task")
    assert begun.say("так")[0] == "✓ Далі"
    assert begun.answers() == []
    begun.say("/task")
    shown = begun.say("А")
    assert shown[0] == "Останнє повідомлення нічого не питало, тож це не збережено. Ось де ви зараз."
    assert shown[1].startswith("1\n")
    assert begun.answers() == []


@pytest.mark.parametrize("language", ["uk", "en", "ru"])
def test_yes_and_no_are_understood_in_every_language(chat: Chat, load: Load, language: str) -> None:
    """Whatever the language of the chat."""
    chat.language = language
    load(YES_NO, items=ITEMS)
    chat.begin()
    for no in ("ні", "no", "нет"):
        chat.say("/forget")
        assert chat.say(no)[-1].startswith("1\n")
    assert is_there(chat)
    assert chat.answers() == []


@pytest.mark.parametrize(("command", "asked"), [("/skip", "Чому пропускаємо?"), ("/problem", "Що не так?")])
def test_a_text_that_is_no_reason_is_asked_again_with_its_question(begun: Chat, command: str, asked: str) -> None:
    """As often as it takes: the item below the explanation says what its buttons are for."""
    begun.say(command)
    for typed in ("не так", "що?"):
        explained, *_, again = begun.say(typed)
        assert explained == UNKNOWN
        assert asked in again


@pytest.mark.parametrize(("typed", "stored"), [("Да", "так"), ("yes", "так"), ("нет.", "ні"), ("No", "ні")])
def test_yes_and_no_in_another_language_are_the_options_that_say_so(begun: Chat, typed: str, stored: str) -> None:
    """As at every prompt: the options are in the project's language, the annotator's is another."""
    begun.say(typed)
    assert begun.answers() == [stored]


def test_yes_is_no_answer_where_two_options_begin_so(chat: Chat, load: Load) -> None:
    """It is explained."""
    options = ["так, завжди", "так, інколи", "ні"]
    load([{"id": "1", "text": "Буває?", "options": options}], items=ITEMS)
    chat.begin()
    chat.say("yes")
    assert chat.answers() == []
    chat.say("no")
    assert chat.answers() == ["ні"]


def test_a_pause_ends_a_change_that_was_not_begun(begun: Chat) -> None:
    """The card is as it was, and a text after the pause changes nothing above it."""
    begun.tap("так")
    begun.tap("Змінити")
    begun.say("/pause")
    assert [screen.labels for screen in begun.screens if screen.text.startswith("✓ 1 ")] == [["Змінити"]]
    begun.say("ні")
    assert begun.answers() == ["так"]
