"""The menu of projects: how many questions somebody can still get in each, and why there are none in the others."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlmodel import select

from annotation.store import models, queries
from annotation.vocabulary import ParticipationStatus, ProjectStatus
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from annotation.workflow.assignments import AssignedItem
from tests.bot.conversation.conftest import KEY, Chat

Load = Callable[..., None]
SCREENS = {
    "uk": [
        "Виберіть проєкт:",
        "",
        "А) Слова — лишилося 2 запитання",
        "– all — ви вже відповіли на все",
        "– taken — усі запитання вже розібрано",
        "– cap — ви зробили свою частину, дякуємо",
        "– day — знову відкриється 22 листопада о 00:00 (Київ)",
        "– failed — не пройдено",
        "– paused — зупинено",
        "– closed — завершено",
        "[А · Слова]",
    ],
    "en": [
        "Choose a project:",
        "",
        "A) Слова — 2 questions left",
        "– all — you have answered everything",
        "– taken — all questions are taken",
        "– cap — you have done your share, thank you",
        "– day — opens again on 22 November at 00:00 (Kyiv)",
        "– failed — not passed",
        "– paused — paused",
        "– closed — over",
        "[A · Слова]",
    ],
    "ru": [
        "Выберите проект:",
        "",
        "А) Слова — осталось 2 вопроса",
        "– all — вы уже ответили на всё",
        "– taken — все вопросы уже разобраны",
        "– cap — вы сделали свою часть, спасибо",
        "– day — снова откроется 22 ноября в 00:00 (Киев)",
        "– failed — не пройдено",
        "– paused — остановлено",
        "– closed — завершено",
        "[А · Слова]",
    ],
    "pl": [
        "Wybierz projekt:",
        "",
        "A) Слова — zostały 2 pytania",
        "– all — masz już wszystko za sobą",
        "– taken — wszystkie pytania są już rozdane",
        "– cap — Twoja część jest zrobiona, dziękujemy",
        "– day — otworzy się znowu 22 listopada o 00:00 (Kijów)",
        "– failed — niezaliczone",
        "– paused — wstrzymany",
        "– closed — zakończony",
        "[A · Слова]",
    ],
}
NAMES = {"all": 2, "taken": 1, "cap": 1, "day": 1, "failed": 1, "paused": 1, "closed": 1}
"""How many items somebody answers in each of the other projects."""
MORE = {"cap": "caps: {items: 1}\n", "day": "caps: {items_per_day: 1}\n"}


def work(chat: Chat, name: str, number: int, *, telegram_id: int) -> None:
    """Somebody answers so many items of a project."""
    with chat.db.transaction() as session:
        who = registration.register_telegram_annotator(
            session, telegram_id=telegram_id, language=chat.language or "uk", key=KEY, now=chat.now
        )
        who.time_zone = "Europe/Kyiv"
        session.add(who)
        session.flush()
        transaction = assignments.lock_annotator(session, who.id or 0)
        project_id = queries.get_project(session, name).id
        for _ in range(number):
            item = assignments.assign_next_item(transaction, now=chat.now, project_id=project_id)
            assert isinstance(item, AssignedItem)
            opened = assignments.open_assignment(transaction, assignment_id=item.assignment_id, now=chat.now)
            answers = {"answer": item.questions[0].labels[0]}
            assignments.submit_judgement(opened, revision=0, answers=answers, now=chat.now)


@pytest.mark.parametrize("language", SCREENS)
def test_the_menu_says_what_there_is(chat: Chat, load: Load, language: str) -> None:
    """What can still be answered has a button; each other project has its reason, and its time a zone."""
    chat.language = language
    load()
    for name, number in NAMES.items():
        rows = [{"id": f"{name} {at}", "text": f"{name} {at}", "options": ["а", "б"], "gold": "а"} for at in (1, 2)]
        load(rows, name=name, title=name, more=MORE.get(name, ""))
        work(chat, name, number, telegram_id=chat.number)
    for other in (91, 92, 93):
        work(chat, "taken", 2 if other < 93 else 1, telegram_id=other)
    with chat.db.transaction() as session:
        projects = {name: queries.get_project(session, name) for name in NAMES}
        projects["paused"].status, projects["closed"].status = ProjectStatus.PAUSED, ProjectStatus.CLOSED
        who = session.exec(select(models.Annotator).where(models.Annotator.telegram_id == chat.number)).one()
        failed = session.get_one(models.Participation, (who.id, projects["failed"].id))
        failed.status = ParticipationStatus.FAILED
        session.add_all([*projects.values(), failed])
    assert chat.say("/projects") == ["\n".join(SCREENS[language])]
