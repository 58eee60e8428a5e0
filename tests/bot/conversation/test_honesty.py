"""What the bot says is so: refusals after agreements, second reports, ends that name what was done and the way on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.store import models, queries
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.lifecycle import transitions

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat, Screen

Load = Callable[..., None]
AGE = (
    "profile:\n- {name: age, text: 'Скільки вам років?', type: number, required: yes}\n"
    "- {name: native, text: 'Рідна мова?', options: [українська, інша]}\n"
)


def find_screen(chat: Chat, label: str) -> Screen:
    """The newest message with this button."""
    return next(one for one in reversed(chat.screens) if label in " ".join(one.labels))


@pytest.fixture
def agreed(chat: Chat, load: Load, tmp_path: Path) -> tuple[Chat, str]:
    """Somebody who has agreed to the consent and is at the first item, and the data of the button that declines."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(more="consent: {file: consent.md, version: 1}")
    chat.say("/start")
    chat.tap("Укр")
    declines = chat.last.buttons[1][0].data
    chat.tap("Погоджуюся")
    chat.tap("Почати")
    return chat, declines


def test_a_refusal_after_an_agreement_takes_it_back(agreed: tuple[Chat, str]) -> None:
    """Two quick taps, the second is what counts: no item any more, until the annotator agrees again."""
    chat, declines = agreed
    chat.tap("А")
    item = chat.last
    [told] = chat.press(declines, on=chat.screens[1])
    assert told.startswith("Згоду відкликано: більше ні про що не питаємо. Відповіді, які ви вже дали, лишилися.")
    with chat.db.transaction() as session:
        assert session.exec(select(models.Consent.withdrawn_at)).one() is not None
        live = select(models.Assignment.id).where(models.Assignment.status == AssignmentStatus.LIVE)
        assert session.exec(live).all() == []
    chat.tap("А", on=item)
    chat.say("А")
    assert chat.answers() == ["кіт"]
    chat.say("/start")
    chat.tap("Погоджуюся")
    assert chat.last.text.startswith("2\n")


def test_a_warning_that_was_accepted_can_be_declined(chat: Chat, load: Load) -> None:
    """The button is still in an old message of a slow phone."""
    load(more="content_warning: Обережно")
    chat.say("/start")
    chat.tap("Укр")
    warning = chat.last
    chat.tap("Далі")
    chat.tap("Почати")
    [told] = chat.tap("Не хочу", on=warning)
    assert told.startswith("Гаразд, ви їх не побачите.")
    chat.say("А")
    assert chat.answers() == []


def test_a_second_report_on_an_item_is_kept(chat: Chat, load: Load) -> None:
    """Another problem of the same item; the same one again is not, and one annotator counts once."""
    load(more="reports: {threshold: 2}")
    chat.begin()
    for reason in ("Правильних відповідей кілька", "Помилки в мові", "Помилки в мові"):
        chat.tap("⋯")
        chat.tap("Є проблема")
        chat.tap(reason)
    chat.tap("⋯")
    chat.tap("Є проблема")
    chat.tap("Своїми словами")
    chat.say("Слово не те.")
    with chat.db.transaction() as session:
        reports = session.exec(select(models.Report).order_by(col(models.Report.id))).all()
        assert [(one.reason, one.text) for one in reports] == [
            ("two-right", ""),
            ("bad-language", ""),
            ("other", "Слово не те."),
        ]
        assert {item.status.value for item in session.exec(select(models.Item))} == {"open"}


def test_the_end_says_what_was_done(chat: Chat, load: Load) -> None:
    """Thanks, how many answers, and whether the bot shall write when there is more; `/start` says the same again."""
    load()
    chat.begin()
    chat.tap("А")
    [told] = chat.tap("А")
    offer = "Написати вам один раз, коли для вас будуть запитання? Перевірити самостійно: /start\n[Так, напишіть]"
    lines = "✓ Слова — 2\u00a0з\u00a02\n\nСьогодні: 2 · загалом: 2"
    assert told == f"🏁 Це все, що було для вас. Дякуємо!\n\n{lines}\n\n{offer}"
    assert chat.say("/start") == [told]
    with chat.db.transaction() as session:
        transitions.close_project(session, project=queries.get_project(session, "words"), now=chat.now)
    [told] = chat.say("/start")
    assert told.startswith("🏁 Усе завершено, дякуємо! Новий проєкт відкриється за посиланням від організаторів.")
    assert told.endswith("Сьогодні: 2 · загалом: 2")


def test_no_button_of_a_closed_project_leads_nowhere(chat: Chat, load: Load, tmp_path: Path) -> None:
    """Each that was ever shown answers with a screen that names the way on."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(
        more="consent: {file: consent.md, version: 1}\ncontent_warning: Обережно\n"
        "attestation: {text: Чим?, options: [нічим, словником]}\n" + AGE
    )
    load(name="more", title="Ще", more="exposure: {exceptions: [words]}\n")
    chat.say("/start")
    buttons: dict[str, int] = {}

    def collect() -> None:
        buttons.update({button.data: one.message_id for one in chat.screens for row in one.buttons for button in row})

    for step in ("Укр", "А · Слова", "Погоджуюся", None, "українська", "Далі", "Почати", "Пропустити", "‹ Назад", "А"):
        collect()
        chat.tap(step) if step else chat.say("34")
    for command in ("/mydata", "/withdraw", "/task", "/projects", "/pause"):
        chat.say(command)
        collect()
    with chat.db.transaction() as session:
        for name in ("words", "more"):
            transitions.close_project(session, project=queries.get_project(session, name), now=chat.now)
    left_out = {data for data in buttons if data[:2] in {"f:", "l:"} or (data.startswith("x:") and ":1:" in data)}
    for data, message_id in buttons.items():
        if data in left_out:
            continue
        chat.press(data, on=next(one for one in chat.screens if one.message_id == message_id))
        is_asked = chat.last.buttons or chat.last.reply
        assert is_asked or "/" in chat.last.text or "посиланням" in chat.last.text, (data, str(chat.last))


def test_one_s_data_can_be_read_and_corrected(chat: Chat, load: Load) -> None:
    """In words, with the file beside it; a wrong age is corrected from there, by a tap or by its number."""
    load(more=AGE)
    chat.say("/start")
    chat.tap("Укр")
    assert chat.say("340") == ["Напишіть число від 5 до 120.", *chat.seen[-1:]]
    chat.say("43")
    chat.tap("українська")
    chat.tap("Почати")
    chat.tap("А")
    chat.tap("Пропустити")
    chat.tap("Не знаю")
    [summary] = chat.say("/mydata")
    assert summary == (
        "Що ми знаємо про вас\n\n"
        "Номер у Telegram, без імені. Мова: Українська\n"
        "«Слова»: ви тут від 21 листопада 2026, відповідей: 1, пропущено: 1\n\n"
        "Ви сказали про себе (виправити — кнопкою):\n1) Скільки вам років? — 43\n2) Рідна мова? — українська\n\n"
        "Усе це докладно — у файлі вище. Вийти з проєкту: /withdraw, стерти все: /forget\n"
        "[✎ 1 | ✎ 2]\n[Далі]"
    )
    assert json.loads(chat.documents[0].content)["profile"][0]["value"] == "43"
    assert chat.tap("✎ 1")[0].startswith("Скільки вам років?")
    assert chat.say("34")[0] == "Записано: 34. Виправити можна тут: /mydata"
    chat.now = chat.now.replace(hour=20)
    chat.say("/mydata")
    assert chat.say("2")[0] == "✓ Рідна мова?"
    assert chat.say("інша")[0] == "✓ інша"
    with chat.db.transaction() as session:
        profile = session.exec(select(models.ProfileAnswer.value).order_by(models.ProfileAnswer.field))
        assert profile.all() == ["34", "інша"]


def test_the_first_item_is_three_taps_away(chat: Chat, load: Load, tmp_path: Path) -> None:
    """The language, the consent, the task: no time zone, as nothing needs it."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(code="code", more="consent: {file: consent.md, version: 1}")
    chat.say("/start code")
    taps = 0
    while not chat.last.text.startswith("1\n"):
        chat.tap(chat.last.labels[0].split(" | ")[0])
        taps += 1
    assert taps == 3
    with chat.db.transaction() as session:
        assert session.exec(select(models.Annotator.time_zone)).one() is None


def test_a_time_is_told_without_a_time_zone(chat: Chat, load: Load) -> None:
    """How long from now, where the bot does not know the annotator's clock."""
    load(more="caps: {sitting: 1 min}")
    chat.begin()
    chat.now = chat.now.replace(minute=chat.now.minute + 2)
    [told] = chat.tap("А")
    assert told.startswith("Поки що досить, дякуємо!\n\n▸ Слова — 1")
    assert told.endswith("\n\nНаступні запитання — за 30 хв.\n[Нагадати завтра]")
