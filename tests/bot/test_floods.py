"""What a stranger can cost: floods are cut, and replies that change nothing are made once in a while only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from _faulty_telegram import ObservedPerson
from sqlmodel import col, select

from annotation.errors import Unavailable
from annotation.settings import Settings
from annotation.store import mailbox
from annotation.store.models import SupportMessage
from annotation.workflow.conversations.conversation_state import ConversationState
from bot import application
from bot.commands.bot import bot
from bot.delivery import limits_and_retries, telegram_payloads
from bot.delivery.limits_and_retries import FloodLimit
from tests.bot.conftest import NOW, Chat

Load = Callable[..., None]
WORDS = [(f"слово {number}", ["дуб", "береза"]) for number in range(1, 6)]
FLOODED = "Забагато повідомлень за хвилину, тож частину не прочитано. Зачекайте хвилину й продовжуйте."
EDITED = "Змінених повідомлень ми не читаємо. Щоб виправити відповідь, торкніться «Змінити» під нею."
LIMIT = Settings.model_fields["bot_updates_a_minute"].default


async def begin(chat: Chat, number: int = 1) -> ObservedPerson:
    """Somebody with the first item on the screen."""
    person = chat.person(number)
    await chat.send(person, "/start")
    for label in ("Українська", "Почати"):
        labels = [text for message in reversed(person.messages) for text, _ in message.buttons]
        await chat.tap(person, next(text for text in labels if text.startswith(label)))
    return person


def limit_updates(chat: Chat, updates_a_minute: int = LIMIT) -> FloodLimit:
    """Let the bot read so many updates a minute, by the clock of the chat."""
    limit = FloodLimit(updates_a_minute, clock=lambda: chat.now.timestamp())  # noqa: PLW0108  # `now` is replaced
    chat.app.workers.flood_limit = limit
    return limit


def count_texts(person: ObservedPerson, text: str) -> int:
    """How many messages of the bot begin so."""
    return sum(message.text.startswith(text) for message in person.messages)


def count_rows(chat: Chat) -> int:
    """How many updates the inbox holds, handled or not."""
    with chat.database.transaction() as session:
        return int(session.connection().execute(sa.text("SELECT count(*) FROM inbox")).scalar_one())


def make_updates(
    chat: Chat, person: ObservedPerson, name: str, bodies: Sequence[dict[str, Any]], *, first: int = 9_000_000
) -> list[Any]:
    """Updates such as the local Telegram does not make, numbered from `first`."""
    shared = {"from": person.user.wire(), "chat": person.chat.wire(), "date": int(chat.now.timestamp())}
    return [{"update_id": number, name: shared | body} for number, body in enumerate(bodies, first)]


async def test_ten_files_get_one_sentence(chat: Chat, load: Load) -> None:
    """And the item once more; after a minute there is an answer again."""
    load(*WORDS)
    person = await begin(chat)
    shown = len(person.messages)
    for number in range(10):
        person.upload(f"{number}.txt", b"x")
    await chat.deliver()
    assert count_texts(person, "Ми читаємо лише текст.") == 1
    assert len(person.messages) == shown + 2
    for text in ["/ні"] * 10:
        person.send(text)
    await chat.deliver()
    assert count_texts(person, "Такої команди немає.") == 1
    chat.now += timedelta(minutes=1)
    person.upload("later.txt", b"x")
    await chat.send(person, "/ні")
    assert (count_texts(person, "Ми читаємо лише текст."), count_texts(person, "Такої команди немає.")) == (2, 2)
    await chat.send(person, "А")
    assert chat.answers() == ["дуб"]


def test_a_clock_that_was_set_back_silences_nobody() -> None:
    """A reply that was made in the future is made again now."""
    minute = timedelta(minutes=1)
    state = ConversationState().with_reply("only-text", now=NOW)
    waits = [
        state.get_reply_wait("only-text", interval=minute, now=NOW + timedelta(seconds=s)) for s in (0, 59, 60, -1)
    ]
    assert waits == [minute, timedelta(seconds=1), timedelta(0), timedelta(0)]
    assert state.get_reply_wait("edited", interval=minute, now=NOW) == timedelta(0)


async def test_fifty_requests_for_data_get_one_file(chat: Chat, load: Load) -> None:
    """A sentence says once when the next can be had; then it is sent."""
    load(*WORDS)
    person = await begin(chat)
    for _ in range(50):
        person.send("/mydata")
    await chat.deliver()
    assert chat.telegram.calls["senddocument"] == 1
    assert count_texts(person, "Файл ви отримали нещодавно.") == 1
    assert person.messages[-1].text == "Файл ви отримали нещодавно. Наступний можна попросити за 10 хв."
    chat.now += timedelta(minutes=5)
    await chat.send(person, "/mydata")
    assert person.messages[-1].text.endswith("за 5 хв.")
    chat.now += timedelta(minutes=5)
    await chat.send(person, "/mydata")
    assert chat.telegram.calls["senddocument"] == 2


async def test_fifty_changes_of_a_message_get_one_answer(chat: Chat, load: Load) -> None:
    """In ten minutes for a message that gave no answer, in one for what is no answer in one that did."""
    load(*WORDS)
    person = await begin(chat)
    for text, said, interval in (("…", EDITED, 10), ("А", "Торкніться кнопки", 1)):
        message = person.send(text)
        await chat.deliver()
        before = count_texts(person, said)
        for number in range(50):
            person.edit(message, f"Б{number}")
        await chat.deliver()
        assert count_texts(person, said) == before + 1
        chat.now += timedelta(minutes=interval)
        person.edit(message, "В")
        await chat.deliver()
        assert count_texts(person, said) == before + 2
    assert chat.answers() == ["дуб"]


async def test_a_live_location_is_answered_once(chat: Chat, load: Load) -> None:
    """As every file; none of its steps is."""
    load(*WORDS)
    person = await begin(chat)
    shown = len(person.messages)
    place = {"message_id": 5000, "location": {"latitude": 50.45, "longitude": 30.52, "live_period": 900}}
    await chat.app.deliver(*make_updates(chat, person, "message", [place]))
    assert [message.text for message in person.messages[shown:-1]] == ["Ми читаємо лише текст."]
    steps = make_updates(chat, person, "edited_message", [place | {"edit_date": 1}] * 50, first=9_000_001)
    chat.now += timedelta(minutes=11)
    await chat.app.deliver(*steps)
    assert len(person.messages) == shown + 2


async def test_twenty_questions_a_day_are_passed_on(chat: Chat, load: Load) -> None:
    """The others are not stored, and that is said; a day after the first there is room again."""
    load(*WORDS)
    person = await begin(chat)
    for number in range(25):
        await chat.send(person, "/ask")
        await chat.send(person, f"Чому {number}?")
    refusal = (
        "За добу можна передати щонайбільше 20 запитань, тож цього не передано. Надішліть його, будь ласка, завтра."
    )
    assert count_texts(person, refusal) == 5
    assert list_questions(chat) == [f"Чому {number}?" for number in range(20)]
    await chat.send(person, "А")
    assert chat.answers() == ["дуб"]
    chat.now += timedelta(hours=24)
    await chat.send(person, "/ask")
    await chat.send(person, "А тепер?")
    assert list_questions(chat)[20:] == ["А тепер?"]


def list_questions(chat: Chat) -> list[str]:
    """The stored questions, oldest first."""
    with chat.database.transaction() as session:
        return list(session.exec(select(SupportMessage.text).order_by(col(SupportMessage.id))).all())


@pytest.mark.parametrize(
    ("kind", "messages"), [("text", 121), ("/start", 121), ("file", 3), ("/mydata", 4), ("edit", 3)]
)
async def test_a_stranger_with_a_thousand_updates_costs_little(
    chat: Chat, load: Load, kind: str, messages: int, caplog: pytest.LogCaptureFixture
) -> None:
    """At once: 121 rows of the inbox, and a message for each at the most; an annotator beside them is served."""
    load(*WORDS)
    annotator = await begin(chat, 2)
    limit_updates(chat)
    before, stranger = count_rows(chat), chat.person()
    for number in range(1000):
        if kind == "file":
            stranger.upload("cat.txt", b"cat")
        elif kind == "edit" and number:
            stranger.edit(next(iter(stranger.chat.messages.values())), f"{number}")
        else:
            stranger.send("привіт" if kind in {"text", "edit"} else kind)
    annotator.send("А")
    await chat.app.deliver(*chat.telegram.take())
    assert count_rows(chat) - before == LIMIT + 1 + 1
    assert len(stranger.messages) == messages
    assert count_texts(stranger, FLOODED) == 1
    assert chat.answers() == ["дуб"]
    await chat.app.sweeper.sweep_once()
    await chat.app.sweeper.sweep_once()
    [line] = [record for record in caplog.records if "were dropped" in record.message]
    assert line.message == "Updates beyond HROMADA_BOT_UPDATES_A_MINUTE of one person were dropped: 879."
    chat.now += timedelta(minutes=1)
    await chat.send(stranger, "/start")
    assert stranger.messages[-1].buttons


async def test_a_flood_that_is_spread_over_a_minute_is_cut_too(chat: Chat) -> None:
    """What flows into the bucket meanwhile is read as well; once it was empty, nothing until it is full."""
    limit_updates(chat)
    stranger = chat.person()
    for _ in range(1000):
        chat.now += timedelta(seconds=0.06)
        stranger.send("/start")
        await chat.app.workers.receive_updates(chat.telegram.take())
    await chat.app.workers.wait_until_idle()
    assert LIMIT < count_rows(chat) <= 137
    assert count_texts(stranger, FLOODED) == 1


async def test_a_tap_beyond_the_limit_is_acknowledged(chat: Chat, load: Load) -> None:
    """It answers nothing, and the person is told; after a minute it answers."""
    load(*WORDS)
    person = await begin(chat)
    limit_updates(chat, 2)
    person.send("/help")
    person.send("/help")
    label = next(text for message in reversed(person.messages) for text, _ in message.buttons)
    tap = person.tap(label)
    person.tap(label)
    acknowledged = chat.telegram.calls["answercallbackquery"]
    await chat.deliver()
    assert chat.telegram.calls["answercallbackquery"] == acknowledged + 1
    assert tap.answered
    assert (chat.answers(), person.messages[-1].text) == ([], FLOODED)
    chat.now += timedelta(minutes=1)
    await chat.tap(person, label)
    assert chat.answers() == ["дуб"]


async def test_who_blocks_the_bot_beyond_the_limit_is_noted(chat: Chat) -> None:
    """A membership is never dropped, and a group is told nothing."""
    limit_updates(chat, 1)
    person = chat.person()
    group = chat.telegram.group(-5, person)
    await chat.send(person, "/start")
    for _ in range(3):
        person.send("/start", chat=group)
    await chat.deliver()
    assert (count_rows(chat), len(group.messages)) == (1, 3)
    person.send("/start")
    person.send("/start")
    await chat.deliver()
    assert (count_rows(chat), person.messages[-1].text) == (2, FLOODED)
    person.block()
    await chat.deliver()
    assert count_rows(chat) == 3
    with chat.database.transaction() as session:
        unreachable = session.connection().execute(sa.text("SELECT unreachable_at FROM annotator")).scalar_one()
    assert unreachable is not None


async def test_what_cannot_be_stored_now_counts_once(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Telegram brings it again while the database is away: nothing of it is dropped."""
    limit_updates(chat, 3)
    person = chat.person()
    for _ in range(3):
        person.send("/start")
    updates = chat.telegram.take()

    def fail(*_: object, **__: object) -> None:
        raise Unavailable("It does not answer.")

    with monkeypatch.context() as broken:
        broken.setattr(mailbox, "store_updates", fail)
        for _ in range(5):
            with pytest.raises(Unavailable):
                await chat.app.workers.receive_updates(updates)
    person.send("/start")
    await chat.app.deliver(*updates, *chat.telegram.take())
    assert (count_rows(chat), count_texts(person, FLOODED)) == (4, 1)


@pytest.mark.parametrize(("written", "read"), [(None, 120), ("7", 7), ("0", 0)])
def test_the_setting_reaches_the_bot(
    written: str | None, read: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hromada bot` has the limit, and how many people are served and sent to at once; what else builds it has none."""
    made: list[application.BotApplication] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HROMADA_TELEGRAM_TOKEN", "123:secret")
    if written is not None:
        monkeypatch.setenv("HROMADA_BOT_UPDATES_A_MINUTE", written)
    monkeypatch.setenv("HROMADA_BOT_HANDLING", "3")
    monkeypatch.setenv("HROMADA_BOT_SENDING", "5")
    monkeypatch.setattr(application, "run_application", lambda app, **_: made.append(app))
    bot()
    assert [(app.workers.max_parallel, app.sender.max_parallel) for app in made] == [(3, 5)]
    assert [app.workers.flood_limit.updates_a_minute for app in made] == [read]


async def test_twenty_thousand_strangers_are_not_all_remembered(chat: Chat, load: Load) -> None:
    """Of those who write within a minute, ten thousand at the most; who floods stays among them."""
    load(*WORDS)
    annotator = await begin(chat)
    limit = limit_updates(chat)
    flooding = make_updates(chat, chat.person(2), "message", [{"message_id": 1, "text": "привіт"}] * 200)
    await chat.app.deliver(*flooding)
    strangers = [
        {
            "update_id": 10_000_000 + number,
            "message": {
                "message_id": 1,
                "date": 0,
                "from": {"id": number, "is_bot": False, "first_name": "A"},
                "chat": {"id": -number, "type": "group", "title": "A"},
                "text": "привіт",
            },
        }
        for number in range(1000, 21_000)
    ]
    most = 0
    for start in range(0, len(strangers), 1000):
        for update in map(telegram_payloads.parse_update, strangers[start : start + 1000]):
            assert update is not None
            assert limit.admit_update(update) is update
        most = max(most, len(limit._buckets))
    assert most <= limits_and_retries.MAX_REMEMBERED_PEOPLE
    rows = count_rows(chat)
    await chat.app.deliver(
        *make_updates(chat, chat.person(2), "message", [{"message_id": 2, "text": "ще"}], first=9_001_000)
    )
    assert count_rows(chat) == rows
    await chat.send(annotator, "А")
    assert chat.answers() == ["дуб"]
