"""The return card: pay, days in a row, a link for friends, and a single reminder that comes to nobody at work."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import col, select

from annotation.campaigns.project_file import parse_definition
from annotation.store import models, queries
from annotation.workflow.annotators import erasure, own_work
from annotation.workflow.monitoring import conduct
from annotation.workflow.notices import wishes
from bot.conversation import notifications
from bot.conversation.updates_and_calls import ConversationSettings

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

if TYPE_CHECKING:
    from tests.bot.conversation.conftest import Chat

Load = Callable[..., None]
ROWS = [{"id": str(at), "text": f"слово {at}", "options": ["так", "ні"], "gold": "так"} for at in range(1, 7)]
MORE = (
    "invite_friends: 1\ncaps: {items_per_day: 2}\n"
    "reward: {countdown: yes, emoji: none, pay: {per_item: 1.5, currency: UAH}}"
)


def work_to_the_cap(chat: Chat) -> list[str]:
    """Two answers, after the time zone was told."""
    chat.say("/start")
    chat.tap("Українська")
    chat.say("Київ")
    chat.tap("Почати")
    chat.tap("А")
    return chat.tap("А")


def list_notices(chat: Chat) -> list[str]:
    """What the bot writes first now."""
    with chat.db.transaction() as session:
        return [
            call.html
            for call in notifications.send_wished_notices(session, now=chat.now, settings=ConversationSettings(key=b""))
            if hasattr(call, "html")
        ]


def test_a_cap_has_the_card_with_pay(chat: Chat, load: Load) -> None:
    """Today, in all, together, pay; and when to come back. The pay stands on the task card and in /progress too."""
    load(ROWS, more=MORE)
    [card] = work_to_the_cap(chat)
    assert card == (
        "Поки що досить, дякуємо!\n\n▸ Слова — 2\u00a0з\u00a06\n\nСьогодні: 2 · загалом: 2\n"
        "Усі разом: 2 з 18, з них ваших — 2\nЗароблено: 3,00\u00a0₴\n\n"
        "Наступні запитання — 22 листопада о 00:00 (Київ).\n[Нагадати завтра]\n[Запросити друга]"
    )
    assert any("Оплата: 1,50\u00a0₴ за завдання з відповіддю." in shown for shown in chat.seen)
    assert chat.say("/progress")[-1].endswith("Зароблено: 3,00\u00a0₴\n[Далі]")


def test_a_friend_comes_by_a_link_and_the_project_stays_open(
    chat: Chat, load: Load, another: Callable[..., Chat]
) -> None:
    """The link is for one, who is in the cohort and counted apart; strangers and its giver need none."""
    load(ROWS, more=MORE)
    work_to_the_cap(chat)
    link = chat.tap("Запросити друга")[-1]
    code = link.split()[-1]
    assert chat.say("Invite a friend")[-1] == link
    chat.say(f"/start {code}")
    for number in (8, 9):
        friend = another(number)
        friend.say(f"/start {code}")
        friend.tap("Українська")
        assert any("Де ви зараз?" in shown for shown in friend.seen)
    assert any("вже скористалися всі" in shown or "уже скористалися всі" in shown for shown in friend.seen)
    assert "більше запросити не можна" in chat.tap("Запросити друга")[-1]
    with chat.db.transaction() as session:
        project = queries.get_project(session, "words")
        [cohort] = session.exec(select(models.Cohort)).all()
        assert cohort.name == "friends"
        funnel = conduct.compute_funnel(session, project=project, definition=parse_definition(project.definition))
        assert (funnel.invited, funnel.by_friends) == (None, 1)
        giver = session.exec(select(models.Annotator.id).where(col(models.Annotator.telegram_id) == 7)).one()
        erasure.erase_annotator(session, annotator_id=giver or 0, now=chat.now)
        assert session.exec(select(models.Invitation.expires_at)).one() == chat.now


@pytest.mark.parametrize("came", [False, True])
def test_a_single_reminder_comes_once_and_to_nobody_who_came(chat: Chat, load: Load, came: bool) -> None:
    """The next day by day; whoever has worked on that day gets none."""
    load(ROWS, more=MORE)
    work_to_the_cap(chat)
    assert chat.tap("Нагадати завтра")[-1].startswith("Гаразд, нагадаємо завтра вдень, один раз.")
    assert list_notices(chat) == []
    chat.now += timedelta(hours=19)
    if came:
        chat.say("/start")
        chat.tap("А")
    chat.now += timedelta(hours=4)
    assert len(list_notices(chat)) == (0 if came else 1)
    chat.now += timedelta(hours=3)
    assert list_notices(chat) == []
    chat.now += timedelta(days=5)
    assert list_notices(chat) == []


def test_a_single_reminder_is_taken_back(chat: Chat, load: Load) -> None:
    """By the button below, or on the card of reminders."""
    load(ROWS, more=MORE)
    work_to_the_cap(chat)
    chat.tap("Нагадати завтра")
    assert "Ви просили нагадати один раз" in chat.say("/reminders")[-1]
    chat.say("Більше не нагадувати")
    chat.now += timedelta(days=1)
    assert list_notices(chat) == []


def test_whoever_is_at_work_gets_no_news() -> None:
    """What they have found themselves is no news later either."""
    wish = wishes.Wish(reminders=False, news=True, saw_none=True, at_work=True)
    settled = wishes.settle_wish(wish, now=NOW, zone=ZoneInfo("UTC"))
    assert wishes.decide_notice(settled, now=NOW, has_item=True).notice is None


@pytest.mark.parametrize(("gaps", "days"), [((0,), 1), ((0, 1, 2), 3), ((1, 2), 2), ((0, 2, 3), 1), ((2, 3), 0)])
def test_days_in_a_row_end_today_or_yesterday(gaps: tuple[int, ...], days: int) -> None:
    """Today is not over: without an answer yet it breaks no row."""
    today = date(2026, 11, 21)
    worked = {today - timedelta(days=gap) for gap in gaps}
    assert own_work.count_days_in_row(worked, today=today) == days
