"""People whose Telegram account has no name, no user name and no language: the whole conversation is everybody's."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from _faulty_telegram import ObservedPerson
from sqlmodel import col, select

from annotation.store import models, queries
from annotation.workflow.lifecycle import projects, transitions

if TYPE_CHECKING:
    from annotation.store.database import Database
    from tests.bot.conftest import Chat

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: words
title: Довші слова
language: uk
instructions: Порахуйте літери.
consent: {file: consent.md, version: "1"}
content_warning: Трапляються грубі слова.
profile:
  - {name: native, text: Чи українська ваша рідна мова?, options: [так, ні], required: yes}
  - {name: age, text: Скільки вам років?, type: number}
attestation: {text: Чи допомагало щось?, options: [ні, словник]}
question: {type: choice, text: "Яке слово довше?", options: [перше, друге]}
items: {file: words.csv, id: id, show: text}
overlap: 3
reward: {emoji: none}
"""
IDENTITY = ("first_name", "last_name", "username", "language_code")
SCRIPT: tuple[tuple[str, str], ...] = (
    ("say", "/start"), ("tap", "Українська"), ("tap", "Погоджуюся"), ("tap", "так"), ("say", "34"),
    ("tap", "Далі"), ("tap", "Почати"), ("tap", "перше"), ("tap", "Змінити"), ("tap", "друге"),
    ("tap", "Пропустити"), ("tap", "‹ Назад"), ("tap", "Пропустити"), ("tap", "Не розумію запитання"),
    ("tap", "⋯"), ("tap", "Є проблема"), ("tap", "Помилки в мові"), ("say", "а"), ("say", "…"), ("send a file", ""),
    ("tap", "⋯"), ("tap", "Запитати"), ("say", "Чи рахувати апостроф?"),
    ("say", "/projects"), ("say", "/task"), ("say", "/help"),
    ("say", "/language"), ("tap", "English"), ("say", "/language"), ("tap", "Українська"), ("say", "/mydata"),
    ("say", "/pause"), ("tap", "ні"), ("block", ""), ("unblock", ""), ("say", "/start"), ("tap", "друге"),
    ("say", "/withdraw"), ("tap", "1"), ("tap", "Так, вийти"), ("say", "/forget"), ("tap", "Так, забудьте мене"),
    ("say", "/start"),
)  # fmt: skip
"""Every step that an annotator can take, in an order in which each has an effect."""


NAMELESS: dict[str, dict[str, Any]] = {
    "absent": {},
    "empty": dict.fromkeys(IDENTITY, ""),
    "null": dict.fromkeys(IDENTITY),
}
"""What an update holds in place of a name."""


def hide_identity(value: Any, instead: dict[str, Any]) -> Any:
    """An update in which nothing names a person, at any depth."""
    if isinstance(value, list):
        return [hide_identity(one, instead) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {key: hide_identity(one, instead) for key, one in value.items() if key not in IDENTITY}
    return kept | instead if "is_bot" in kept or kept.get("type") == "private" else kept


@pytest.fixture
def words(db: Database, tmp_path: Path) -> None:
    """The project, loaded and started; everybody gets its items in the order of the file."""
    (tmp_path / "consent.md").write_text("Ми зберігаємо ваші відповіді під псевдонімом.", "utf-8")
    rows = [f"{number},слово {number}" for number in range(6)]
    (tmp_path / "words.csv").write_text("\n".join(["id,text", *rows]) + "\n", "utf-8")
    (tmp_path / "words.yaml").write_text(PROJECT, "utf-8")
    with db.transaction() as session:
        projects.load_project_file(session, tmp_path / "words.yaml", now=NOW)
        session.connection().execute(sa.update(models.Item).values(queue_position=models.Item.rank + 10**9))
        transitions.start_project(session, project=queries.get_project(session, "words"), now=NOW)


async def play_script(chat: Chat, person: ObservedPerson, change: Callable[[Any], Any]) -> list[str]:
    """Take every step of the script; returns the screen after each."""
    kinds = ("message", "edit", "toast", "alert", "delete")
    screens = []
    for step, what in SCRIPT:
        seen = len(chat.telegram.display_log.list_events(person.id, *kinds))
        take_step(person, step, what)
        for update in chat.telegram.take():
            chat.now += timedelta(seconds=1)
            await chat.app.deliver(change(update))
        assert len(chat.telegram.display_log.list_events(person.id, *kinds)) > seen or "block" in step, (step, what)
        screens.append(re.sub(rf"^{person.user.first_name}: ", "I: ", person.screen, flags=re.MULTILINE))
    return screens


def take_step(person: ObservedPerson, step: str, what: str) -> None:
    """One step; a tap goes to the newest button that begins so."""
    if step == "tap":
        buttons = [(label, one) for one in reversed(person.messages) for label, _ in one.buttons]
        label, message = next(((label, one) for label, one in buttons if label.startswith(what)), (what, None))
        assert message is not None, (what, person.screen)
        person.tap(label, on=message)
    elif step == "send a file":
        person.upload("cat.txt", b"cat")
    else:
        steps: dict[str, Callable[[], object]] = {"block": person.block, "unblock": person.unblock}
        steps.get(step, partial(person.send, what))()


@pytest.mark.usefixtures("words")
@pytest.mark.parametrize("kind", NAMELESS)
async def test_a_person_without_a_name_meets_what_everybody_meets(
    chat: Chat, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Screen by screen the same as somebody who has a name, from the first /start to being forgotten; the same answers
    are stored, and nothing fails on the way.
    """
    named = chat.telegram.person(1, name="Олена", username="olena", language="uk")
    nameless = chat.telegram.person(2, name="", language=None)
    with caplog.at_level(logging.WARNING):
        expected = await play_script(chat, named, lambda update: update)
        found = await play_script(chat, nameless, lambda update: hide_identity(update, NAMELESS[kind]))
    assert found == expected
    assert [record.getMessage() for record in caplog.records] == []
    with chat.database.reading() as session:
        by_person = [
            session.exec(
                select(models.Judgement.revision, models.Assignment.status, models.Judgement.excluded_kind)
                .join(models.Assignment)
                .where(models.Assignment.annotator_id == annotator)
                .order_by(col(models.Judgement.id))
            ).all()
            for annotator in session.exec(select(models.Annotator.id).order_by(col(models.Annotator.id)))
        ]
        assert session.exec(select(models.Inbox).where(col(models.Inbox.done_at).is_(None))).all() == []
    first, second = filter(None, by_person)  # whoever was forgotten and comes back is somebody new, without answers
    assert len(first) >= 4
    assert first == second
