"""Joining, and why there may be no item: each step resumes, each hindrance has its sentence."""

from __future__ import annotations

import hashlib
import zoneinfo
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from annotation.store import models, queries
from annotation.vocabulary import AssignmentStatus, ParticipationStatus
from annotation.workflow.annotators import invitations, roster
from annotation.workflow.lifecycle import transitions
from bot.conversation import time_zones

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
PAUSED = "Вашу участь у проєкті «Слова» призупинено. Організатори подивляться на відповіді; спитати їх можна так: /ask"
LINES = "{lines}\n\nСьогодні: {total} · загалом: {total}"
TOMORROW = "Наступні запитання — 22 листопада о 00:00 (Київ).\n[Нагадати завтра]"
DONE = f"🏁 Це все, що було для вас. Дякуємо!\n\n{LINES}"
OFFER = "Написати вам один раз, коли для вас будуть запитання? Перевірити самостійно: /start\n[Так, напишіть]"


def test_every_step_resumes(chat: Chat, load: Load, tmp_path: Path) -> None:
    """At each step `/start`, a text that says nothing and a button of nobody's lead to that very step."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(
        code="code",
        more="consent: {file: consent.md, version: 1}\ncontent_warning: Обережно\n"
        "caps: {items_per_day: 100}\n"
        "profile: [{name: native, text: 'Рідна?', options: [так, ні], required: yes}, {name: age, text: 'Вік?',"
        " type: number, required: yes}]",
    )
    chat.say("/start code")
    for label, text in (
        ("Українська", None),
        ("Погоджуюся", None),
        ("так", None),
        (None, "34"),
        ("Далі", None),
        ("Київ", None),
        ("Почати", None),
    ):
        here = str(chat.last)
        assert chat.say("/start")[-1] == here
        assert chat.press("nonsense", on=chat.last)[-1] == here
        assert chat.say("/start code")[-1] == here
        chat.tap(label) if label else chat.say(text)
        assert str(chat.last) != here
    assert chat.last.text.startswith("1\n\nкіт")
    with chat.db.transaction() as session:
        consent = session.exec(select(models.Consent)).one()
        assert (consent.version, consent.sha256) == ("1", hashlib.sha256("Згода.".encode()).hexdigest())
        profile = session.exec(select(models.ProfileAnswer.value).order_by(models.ProfileAnswer.field))
        assert profile.all() == ["34", "так"]
        assert session.exec(select(models.Annotator.time_zone)).one() == "Europe/Kyiv"
        assert session.exec(select(models.Participation.warning_sha256)).one() is not None


@pytest.mark.parametrize(
    ("asks", "declines", "says"),
    [
        ("consent: {file: consent.md, version: 1}", "Не погоджуюся", "Гаразд. Без згоди"),
        ("content_warning: Обережно", "Не хочу", "Гаразд, ви їх не побачите"),
    ],
)
def test_whoever_declines_one_project_goes_on_to_the_other(
    chat: Chat, load: Load, tmp_path: Path, asks: str, declines: str, says: str
) -> None:
    """The other project's task follows at once; what was declined is asked again only where that project is chosen."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(code="first", name="first", title="Перший", more=asks)
    load(code="second", name="second", title="Другий", more="exposure: {exceptions: [first]}\n")
    chat.say("/start second")
    chat.tap("Українська")
    chat.say("/start first")
    chat.say("/projects")
    asked = chat.tap("А · Перший")[-1]
    told = chat.tap(declines)
    assert told[0].startswith(says)
    assert told[1].startswith("Другий")
    chat.tap("Почати")
    assert "кіт" in str(chat.last)
    with chat.db.transaction() as session:
        live = select(models.Assignment.project_id).where(models.Assignment.status == AssignmentStatus.LIVE)
        assert session.exec(live).all() == [queries.get_project(session, "second").id]
    chat.say("/projects")
    assert chat.tap("А · Перший")[-1] == asked


def test_the_consent_tells_when_answers_become_nobodys(chat: Chat, load: Load, tmp_path: Path) -> None:
    """Under the text, where the project file declares it; from then on they cannot be erased."""
    (tmp_path / "consent.md").write_text("Згода.", "utf-8")
    load(code="code", more="consent: {file: consent.md, version: 1}\ndeclared: {retention: 2 d}\n")
    chat.say("/start code")
    chat.tap("Українська")
    first, last = chat.last.text.split("Згода.\n\n")
    assert (first, last.startswith("Щонайпізніше через 2 дні після завершення")) == ("Ваша згода\n\n", True)
    assert last.endswith("стерти їх буде неможливо. До того часу стерти їх можна: /forget")


def test_a_long_consent_comes_in_parts_and_is_agreed_to_below_the_last(chat: Chat, load: Load, tmp_path: Path) -> None:
    """Every word of it is there, and a new version asks again."""
    text = "\n\n".join(f"Пункт {number}. " + "Ми бережемо ваші дані. " * 30 for number in range(12))
    (tmp_path / "consent.md").write_text(text, "utf-8")
    load(code="code", more="consent: {file: consent.md, version: 1}")
    chat.say("/start code")
    shown = chat.tap("Укр")
    assert [one.split("\n")[0] for one in shown] == ["Частина 1 з 3", "Частина 2 з 3", "Частина 3 з 3"]
    assert [bool(one.buttons) for one in chat.screens[-3:]] == [False, False, True]
    assert "".join(text.split()) in "".join("".join(one.text.split("\n", 1)[1].split()) for one in chat.screens[-3:])
    agreeing = chat.last
    chat.tap("Погоджуюся")
    assert chat.press(agreeing.buttons[0][0].data, on=agreeing) == []


@pytest.mark.parametrize(
    ("refused", "sentence"),
    [
        ("expired", "Термін цього запрошення вже минув. Попросіть в організаторів нове."),
        ("used", "Цим запрошенням уже скористалися всі, для кого воно було. Попросіть в організаторів нове."),
        ("closed", "Цей проєкт уже завершено. Дякуємо, що зголосилися!"),
        ("suspended", "Організатори призупинили вашу участь. Якщо це помилка, напишіть їм: /ask"),
    ],
)
def test_an_invitation_that_lets_nobody_in(
    chat: Chat, load: Load, another: Callable[..., Chat], refused: str, sentence: str
) -> None:
    """Each refusal has its own kind sentence."""
    load()
    chat.say("/start")
    with chat.db.transaction() as session:
        project = queries.get_project(session, "words")
        until = chat.now + timedelta(hours=1)
        invitations.create_invitation(session, target=project, code="c", now=chat.now, uses=1, expires_at=until)
    if refused == "expired":
        chat.now += timedelta(hours=2)
    elif refused == "used":
        another().say("/start c")
    else:
        with chat.db.transaction() as session:
            project = queries.get_project(session, "words")
            person = queries.find_annotator(session, chat.number)
            assert person is not None
            if refused == "closed":
                transitions.close_project(session, project=project, now=chat.now)
            else:
                roster.suspend_annotator(session, annotator=person, reason="x", now=chat.now)
    assert chat.say("/start c")[0] == sentence


def test_strangers_and_empty_houses(chat: Chat, load: Load) -> None:
    """Without any project, and with one that is for others."""
    chat.say("/start")
    assert chat.tap("Укр") == ["Зараз немає відкритих проєктів. Зазирніть пізніше: /start"]
    load(code="code")
    assert chat.say("агов") == [
        "Сюди потрапляють за запрошенням. Попросіть в організаторів посилання і відкрийте його."
    ]


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (ParticipationStatus.PAUSED, PAUSED),
        (ParticipationStatus.EXCLUDED, "Вашу участь у проєкті «Слова» завершено. Спитати чому: /ask"),
        (
            ParticipationStatus.FAILED,
            "Проєкт «Слова»: спроби вичерпано. Дякуємо, що спробували!",
        ),
        (ParticipationStatus.WITHDRAWN, "Ви вийшли з проєкту «Слова». Дякуємо за ваш час!"),
    ],
)
def test_a_standing_that_ends_the_work(chat: Chat, load: Load, status: ParticipationStatus, sentence: str) -> None:
    """Paused, excluded, failed, withdrawn."""
    load()
    chat.begin()
    with chat.db.transaction() as session:
        row = session.exec(select(models.Participation)).one()
        row.status = status
        session.add(row)
    assert chat.say("/start") == [sentence]


def test_a_suspended_person_can_still_ask(chat: Chat, load: Load) -> None:
    """A suspended annotator is told so, and their question is passed on."""
    load()
    chat.begin()
    with chat.db.transaction() as session:
        person = queries.find_annotator(session, chat.number)
        assert person is not None
        roster.suspend_annotator(session, annotator=person, reason="x", now=chat.now)
    sentence = "Організатори призупинили вашу участь. Якщо це помилка, напишіть їм: /ask"
    assert chat.say("/start") == [sentence]
    chat.say("/ask")
    assert chat.say("Чому?") == ["Запитання передано. Відповідь надійде сюди.", sentence]


@pytest.mark.parametrize(
    ("caps", "sentence"),
    [
        (
            "{items_per_day: 1}",
            "\n\n".join(
                ["Поки що досить, дякуємо!", LINES.format(lines="▸ Слова — 1\u00a0з\u00a02", total=1), TOMORROW]
            ),
        ),
        ("{items: 1}", DONE.format(lines="✓ Слова — 1\u00a0з\u00a01", total=1)),
    ],
)
def test_a_cap(chat: Chat, load: Load, caps: str, sentence: str) -> None:
    """Until tomorrow in the annotator's time zone, or for good."""
    load(more=f"caps: {caps}")
    chat.say("/start")
    for label in ("Укр", *(["Київ"] if "day" in caps else []), "Почати"):
        chat.tap(label)
    assert chat.tap("А") == [sentence]


def test_nobody_whom_the_project_does_not_want(chat: Chat, load: Load) -> None:
    """By the profile, before the first item."""
    load(more="profile: [{name: native, text: 'Рідна?', options: [так, ні]}]\nadmission: {profile: {native: так}}")
    chat.say("/start")
    chat.tap("Укр")
    assert chat.tap("ні") == ["На жаль, у проєкт «Слова» цього разу запрошують інших людей. Дякуємо, що зголосилися!"]


def test_when_all_is_done_another_project_is_offered(chat: Chat, load: Load) -> None:
    """The next one begins by itself; with nothing left anywhere, thanks."""
    load()
    load(
        name="more", title="Ще", rows=[{"id": "9", "text": "рік — місяць", "options": ["рік", "місяць"], "gold": "рік"}]
    )
    chat.say("/start")
    for label in ("Укр", "А · Слова", "Почати", "А"):
        chat.tap(label)
    shown = chat.tap("Б")
    words, more = "✓ Слова — 2\u00a0з\u00a02", "✓ Ще — 1\u00a0з\u00a01"
    assert shown == [DONE.format(lines=words, total=2), "Ще\n\nПорахуйте літери.\n[Почати]"]
    chat.tap("Почати")
    assert chat.tap("А") == [f"{DONE.format(lines=more, total=1)}\n\n{OFFER}"]
    assert chat.say("/start")[0].startswith(DONE.split("\n", maxsplit=1)[0])
    answered = "ви вже відповіли на все"
    assert chat.say("/projects") == [f"Ваші проєкти:\n\n– Слова — {answered}\n– Ще — {answered}"]


def test_a_card_that_changed_is_shown_again(chat: Chat, load: Load) -> None:
    """Whoever read the old one reads the new one before the next item."""
    load()
    chat.begin()
    with chat.db.transaction() as session:
        project = queries.get_project(session, "words")
        project.instructions = "Порахуйте ще раз."
        session.add(project)
    assert chat.tap("А") == ["Слова\n\nПорахуйте ще раз.\n[Почати]"]
    assert chat.tap("Почати")[0].startswith("2\n")


@pytest.mark.parametrize(
    ("typed", "stored", "told"),
    [
        ("Tokyo", "Asia/Tokyo", "Токіо"),
        ("new york", "America/New_York", "Нью-Йорк"),
        ("europe/kyiv", "Europe/Kyiv", "Київ"),
        ("київ", "Europe/Kyiv", "Київ"),
        ("Лиссабон", "Europe/Lisbon", "Лісабон"),
        ("+3", "Etc/GMT-3", "UTC+3"),
        ("UTC-05", "Etc/GMT+5", "UTC-5"),
        ("utc+0", "Etc/GMT", "UTC"),
        ("+13", "Etc/GMT-13", "UTC+13"),
        ("+05:00", "Etc/GMT-5", "UTC+5"),
        ("+5:30", "Asia/Kolkata", "Колката"),
        ("+0530", "Asia/Kolkata", "Колката"),
        ("UTC +5:45", "Asia/Kathmandu", "Катманду"),
        ("gmt−3:30", "America/St_Johns", "Сент-Джонс"),
        ("львів", "Europe/Kyiv", "Київ"),
        ("Токіо", "Asia/Tokyo", "Токіо"),
        ("Нью-Йорк", "America/New_York", "Нью-Йорк"),
        ("Варшава!", "Europe/Warsaw", "Варшава"),
        ("14:02", "Europe/Kyiv", "Київ"),
        ("7.00", "America/Toronto", "Торонто"),
        ("5:27 pm", "Asia/Kolkata", "Колката"),
        ("20:00", "Etc/GMT-8", "UTC+8"),
    ],
)
def test_a_time_zone_may_be_typed(chat: Chat, load: Load, typed: str, stored: str, told: str) -> None:
    """By city, by name, by offset, by the local time."""
    load(more="caps: {items_per_day: 100}")
    chat.say("/start")
    chat.tap("Укр")
    assert chat.say(typed)[0] == f"Часовий пояс: {told}"
    with chat.db.transaction() as session:
        assert session.exec(select(models.Annotator.time_zone)).one() == stored


@pytest.mark.parametrize("typed", ["+5:20", "-5:30", "+15", "+99:99", "+1:60", "+5:3", "5:30", "25:00", "14:20", "+"])
def test_an_offset_that_no_place_has_is_not_known(chat: Chat, load: Load, typed: str) -> None:
    """The annotator is told so and asked again; nothing is stored."""
    load(more="caps: {items_per_day: 100}")
    chat.say("/start")
    chat.tap("Укр")
    told, asked = chat.say(typed)
    assert told == "Не знаємо такого міста чи часу."
    assert asked.startswith("Де ви зараз?")
    with chat.db.transaction() as session:
        assert session.exec(select(models.Annotator.time_zone)).one() is None


@pytest.mark.parametrize("month", [1, 7])
def test_every_place_may_be_typed_by_its_offset(month: int) -> None:
    """In winter and in summer: what is stored shows the same time as the place's own clocks."""
    now = datetime(2026, month, 15, 12, tzinfo=UTC)
    for name in sorted(zoneinfo.available_timezones()):
        there = now.astimezone(zoneinfo.ZoneInfo(name))
        found = time_zones.parse_time_zone(f"UTC{there:%z}", now=now, language="uk")
        assert found is not None, name
        assert now.astimezone(zoneinfo.ZoneInfo(found)).utcoffset() == there.utcoffset()


def test_an_invitation_to_one_project_closes_no_other(chat: Chat, load: Load) -> None:
    """A project without invitations is open to everybody, also to who came by the invitation to another one."""
    load(code="abc")
    load(
        name="more", title="Ще", rows=[{"id": "9", "text": "рік — місяць", "options": ["рік", "місяць"], "gold": "рік"}]
    )
    chat.begin(code="abc")
    chat.tap("А")
    assert chat.tap("А")[-1] == "Ще\n\nПорахуйте літери.\n[Почати]"
