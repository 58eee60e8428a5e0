"""Programmes in the chat: a line for each data set, in order and interleaved, and one end for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

from annotation.campaigns import programme_file
from annotation.store import models, queries
from annotation.vocabulary import ParticipationStatus
from annotation.workflow.annotators import invitations
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.updates_and_calls import NewMessage
from tests.bot.conversation.conftest import WORDS, Chat
from tests.bot.conversation.test_statements import NOTED_BY_CHAT

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.store.database import Database
    from bot.conversation.updates_and_calls import TelegramCall

Load = Callable[..., None]
Join = Callable[..., None]
TITLES = ("Яке слово довше?", "Кіт чи пес?", "Назви")
DONE = "🏁 Це все, що було для вас. Дякуємо!"
BUTTONS = "[Ще 10 | 20 | 40]\n[Нагадати завтра]\n[Далі]"
STOPPED = "Поки що це все, дякуємо! Те, що зупинено, може відкритися знову."


OFFER = "\n\nНаписати вам один раз, коли для вас будуть запитання? Перевірити самостійно: /start"


class PlainChat(Chat):
    """A chat whose messages are read with plain spaces, wherever a line may break, and without the offer of news."""

    def _make(self, session: Session, call: TelegramCall) -> None:
        if isinstance(call, NewMessage):
            has_offer = call.html.endswith(OFFER)
            html = call.html.replace("\u00a0", " ").removesuffix(OFFER)
            call = replace(call, html=html, buttons=() if has_offer else call.buttons)
        super()._make(session, call)


@pytest.fixture
def chat(db: Database) -> Chat:
    """Somebody who has not written yet."""
    return PlainChat(db)


@pytest.fixture
def another(db: Database) -> Callable[[int], Chat]:
    """Somebody else."""
    return lambda number: PlainChat(db, number=number)


@pytest.fixture
def join(chat: Chat, load: Load, db: Database, tmp_path: Path) -> Join:
    """Loads a programme of projects with so many items each and these quotas, and takes an annotator into it."""

    def joined(
        *numbers: int,
        quotas: tuple[int | None, ...] = (),
        order: str = "sequence",
        titles: tuple[str, ...] = TITLES,
        more: tuple[str, ...] = (),
        open_to_all: bool = False,
    ) -> None:
        lines = []
        for at, number in enumerate(numbers):
            rows = [
                {"id": f"{at}-{one}", "text": f"слово {at}-{one}", "options": ["так", "ні"], "gold": "так"}
                for one in range(number)
            ]
            load(rows, name=f"p{at}", title=titles[at], more=more[at] if more else "")
            quota = quotas[at] if quotas else None
            lines.append(f"- {{file: p{at}.yaml" + (f", quota: {quota}" if quota else "") + "}")
        file = tmp_path / "programme.yaml"
        head = f"programme: words\ntitle: Слова\nlanguage: uk\norder: {order}\nprojects:\n"
        file.write_text(head + "\n".join(lines) + "\n", "utf-8")
        with db.transaction() as session:
            projects.load_programme(session, programme_file.read_programme(file), now=chat.now)
            if not open_to_all:
                target = invitations.get_target(session, "words")
                invitations.create_invitation(session, target=target, code="link", now=chat.now)
        chat.say("/start" if open_to_all else "/start link")
        chat.tap("Українська")

    return joined


def walk(chat: Chat, number: int = 10**6) -> list[str]:
    """Answer so many items, past every card; the messages after the last answer, of nothing more where none is left."""
    shown: list[str] = chat.seen[-1:]
    while chat.last.buttons and number:
        is_card = chat.last.labels[0] == "Почати"
        shown = chat.tap("Почати" if is_card else "А")
        number -= not is_card
    return shown


def set_status(db: Database, *, pause: tuple[str, ...] = (), close: tuple[str, ...] = (), now: datetime) -> None:
    """Pause and close projects."""
    with db.transaction() as session:
        for name in pause:
            transitions.pause_project(session, project=queries.get_project(session, name), now=now)
        for name in close:
            transitions.close_project(session, project=queries.get_project(session, name), now=now)


def test_progress_has_a_line_for_each_data_set(chat: Chat, join: Join) -> None:
    """Done, begun and not begun, the own number of the quota or of all items; the way back is a button."""
    join(3, 4, 5, quotas=(2, None, None))
    assert chat.say("/progress")[-1] == (
        "Слова\n▸ Яке слово довше? — 0 з 2\n· Кіт чи пес? — 0 з 4\n· Назви — 0 з 5\n[Далі]"
    )
    chat.tap("Далі")
    walk(chat, 3)
    assert chat.say("/progress")[-1] == (
        "Слова\n✓ Яке слово довше? — 2 з 2\n▸ Кіт чи пес? — 1 з 4\n· Назви — 0 з 5\n[Далі]"
    )
    assert chat.tap("Далі")[-1].startswith("4\n\nслово 1-")


def test_progress_shows_the_answers_of_all_where_the_project_does(chat: Chat, join: Join) -> None:
    """And only there."""
    join(3, 2, more=("reward: {countdown: yes}", ""), order="interleaved")
    walk(chat, 2)
    assert chat.say("/progress")[-1].split("\n")[1:4] == [
        "▸ Яке слово довше? — 1 з 3",
        "▸ Кіт чи пес? — 1 з 2",
        "усі разом: 1 з 9",
    ]


def test_progress_of_single_projects(chat: Chat, load: Load) -> None:
    """A line for each one that was joined; to a stranger it is where they are."""
    load(title="Слова та все, що про них відомо на цей час")
    load([row | {"text": f"{row['text']}?"} for row in WORDS], name="second", title="Друге")
    assert chat.say("/progress")[-1].startswith("Якою мовою")
    chat.say("/start")
    chat.tap("Українська")
    assert chat.say("/progress")[-1].startswith("Виберіть проєкт:")
    chat.tap("А")
    chat.tap("Почати")
    chat.tap("А")
    assert chat.say("/progress") == ["▸ Слова та все, що про них … — 1 з 2\n[Далі]"]


def test_the_next_data_set_begins_below_a_line_of_the_one_before(chat: Chat, join: Join) -> None:
    """On the task card, so that no message comes besides; who comes back later reads the card alone."""
    join(2, 2, 2, quotas=(None, 1, None))
    walk(chat, 1)
    assert walk(chat, 1) == ["✓ Яке слово довше? — 2 з 2\n\nКіт чи пес?\n\nПорахуйте літери.\n[Почати]"]
    assert chat.say("/start")[-1].startswith("Кіт чи пес?\n\n")
    assert walk(chat, 1)[-1].startswith("✓ Кіт чи пес? — 1 з 1\n\nНазви\n\n")


def test_nothing_is_called_done_that_goes_on_tomorrow(chat: Chat, join: Join) -> None:
    """A daily cap."""
    join(3, 2, more=("caps: {items_per_day: 1}", ""))
    chat.tap(chat.last.labels[-2].split(" | ")[-1])
    assert walk(chat, 1)[-1].startswith("Кіт чи пес?\n\n")
    assert "▸ Яке слово довше? — 1 з 3" in chat.say("/progress")[-1]


def test_an_interleaved_programme_has_no_line_above_a_card(chat: Chat, join: Join) -> None:
    """Nothing is finished there."""
    join(2, 2, order="interleaved")
    assert walk(chat, 1)[-1].startswith("Кіт чи пес?\n\n")


@pytest.mark.parametrize("order", ["sequence", "interleaved"])
@pytest.mark.parametrize("quotas", [(), (2, 2, 2), (2, None, 1), (3, 4, 5)])
def test_a_programme_has_one_end(chat: Chat, join: Join, order: str, quotas: tuple[int | None, ...]) -> None:
    """Whether quotas are reached or items run out: all lines, all answers, and what is to be done, in one message."""
    join(3, 4, 5, quotas=quotas, order=order)
    own = [min(number, quota or number) for number, quota in zip((3, 4, 5), quotas or (None,) * 3, strict=True)]
    lines = [f"✓ {title} — {number} з {number}" for title, number in zip(TITLES, own, strict=True)]
    figures = f"Сьогодні: {sum(own)} · загалом: {sum(own)}"
    end = "🏁 Це все, що було для вас. Дякуємо!\n\n" + "\n".join(["Слова", *lines]) + f"\n\n{figures}"
    assert walk(chat) == [end]
    assert sum("🏁" in one for one in chat.seen) == 1
    assert chat.say("/start") == [end]
    assert chat.say("/progress")[-1] == "\n".join(["Слова", *lines, "[Далі]"])


def answers_of(number: int) -> str:
    """So many answers in words."""
    few = number % 10 in {2, 3, 4} and number not in {12, 13, 14}
    return f"{number} {'відповіді' if few else 'відповідей'}"


def test_what_others_have_done_is_not_missed(
    chat: Chat, join: Join, db: Database, another: Callable[..., Chat]
) -> None:
    """Nothing is left of one data set for a newcomer; another one ends with fewer items than it has."""
    join(1, 2, quotas=(None, None), order="sequence")
    walk(chat)
    for number in (8, 9):
        other = another(number)
        other.say("/start link")
        other.tap("Українська")
        walk(other, 1)
        other.tap("Почати")
    late = another(10)
    late.say("/start link")
    late.tap("Українська")
    [end] = walk(late)
    lines = "Слова\n✓ Яке слово довше? — завдань для вас немає\n✓ Кіт чи пес? — 1 з 1"
    assert end == f"{DONE}\n\n{lines}\n\nСьогодні: 1 · загалом: 1"


@pytest.mark.parametrize("order", ["sequence", "interleaved"])
def test_a_programme_costs_no_statement_more(chat: Chat, join: Join, order: str) -> None:
    """What is left was counted before, and the data set of the next item is read together with its queue."""
    join(8, 4, more=("reward: {countdown: yes, emoji: none}",) * 2, order=order)
    walk(chat, 3)
    statements: list[str] = []
    sa.event.listen(chat.db.engine, "before_cursor_execute", lambda *what: statements.append(what[2]))
    assert chat.tap("А")[-1].startswith("5 з 12 · усі разом: 4 з 36\n\n")
    counted = [one for one in statements if not one.lstrip().startswith(NOTED_BY_CHAT)]
    assert len(counted) <= 13, "\n".join(one[:80] for one in counted)


def test_skips_are_done(chat: Chat, join: Join) -> None:
    """Two items are answered, one is skipped."""
    join(2, 1)
    walk(chat, 1)
    chat.tap("Пропустити")
    chat.tap("Не знаю")
    end = walk(chat)[-1]
    lines = "Слова\n✓ Яке слово довше? — 2 з 2\n✓ Кіт чи пес? — 1 з 1"
    assert end == f"{DONE}\n\n{lines}\n\nСьогодні: 3 · загалом: 3"


def test_paused_and_closed_data_sets_are_said_as_they_are(chat: Chat, join: Join, db: Database) -> None:
    """One paused: that may open again; all but one closed; all closed."""
    join(3, 2, 2, order="interleaved")
    walk(chat, 2)
    set_status(db, pause=("p0",), now=chat.now)
    chat.say("/start")
    paused = "‖ Яке слово довше? — 1 · зупинено"
    [end] = walk(chat)
    own = "Сьогодні: 5 · загалом: 5"
    assert end == f"{STOPPED}\n\nСлова\n{paused}\n✓ Кіт чи пес? — 2 з 2\n✓ Назви — 2 з 2\n\n{own}"
    set_status(db, close=("p1", "p2"), now=chat.now)
    [said] = chat.say("/start")
    over = "✓ Кіт чи пес? — 2 · завершено\n✓ Назви — 2 · завершено"
    assert said == f"{STOPPED}\n\nСлова\n{paused}\n{over}\n\n{own}"
    set_status(db, close=("p0",), now=chat.now)
    [said] = chat.say("/start")
    assert said.startswith("🏁 Усе завершено, дякуємо! Новий проєкт відкриється за посиланням від організаторів.\n\n")
    assert said.endswith(own)


def test_a_programme_that_is_stopped_has_its_own_name(chat: Chat, join: Join, db: Database) -> None:
    """Not that of its first data set, also where nothing was answered yet."""
    join(2, 2)
    set_status(db, pause=("p0", "p1"), now=chat.now)
    chat.say("/start")
    assert "«Слова»" in chat.last.text
    assert TITLES[0] not in chat.last.text


def test_an_open_project_follows_the_end_of_a_programme(chat: Chat, join: Join, load: Load) -> None:
    """The end is told, once, and the other project is entered."""
    join(1, 1, quotas=(1, 1))
    load(name="single", title="Окреме", code="other")
    chat.say("/start other")
    chat.tap("Почати")
    chat.say("/projects")
    chat.tap("А")
    first = walk(chat, 1)
    assert first[-1].startswith("✓ Яке слово довше? — 1 з 1\n\nКіт чи пес?")
    shown = walk(chat, 1)
    assert shown[0].startswith(f"{DONE}\n\nСлова\n✓ Яке слово довше? — 1 з 1\n✓ Кіт чи пес? — 1 з 1\n\nСьогодні: 2 ·")
    assert shown[1].startswith("Окреме\n\n")
    assert "✓ Окреме — 2 з 2\n\nСьогодні: 2 · загалом: 2" in walk(chat)[-1]
    assert sum("🏁" in one for one in chat.seen) == 2


@pytest.mark.parametrize(
    ("status", "head", "line"),
    [
        (
            ParticipationStatus.PAUSED,
            f"{STOPPED}\nВашу участь у проєкті «Яке слово довше?»",
            "1 · участь зупинено",
        ),
        (ParticipationStatus.FAILED, DONE, "не пройдено"),
    ],
)
def test_what_was_decided_stands_in_the_lines(
    chat: Chat, join: Join, db: Database, status: ParticipationStatus, head: str, line: str
) -> None:
    """The annotator was paused in one of the projects, which is told above the lines too, or failed its test."""
    join(2, 1)
    walk(chat, 1)
    with db.transaction() as session:
        participation = session.exec(select(models.Participation).where(models.Participation.project_id == 1)).one()
        participation.status = status
        session.add(participation)
    chat.say("/start")
    [end] = walk(chat)
    assert end.startswith(head)
    lines = f"Слова\n– Яке слово довше? — {line}\n✓ Кіт чи пес? — 1 з 1"
    assert end.endswith(f"\n\n{lines}\n\nСьогодні: 2 · загалом: 2")


@pytest.mark.parametrize(
    ("statuses", "told"),
    [
        (
            (ParticipationStatus.PAUSED, ParticipationStatus.EXCLUDED),
            ("«Яке слово довше?» призупинено", "«Кіт чи пес?» завершено"),
        ),
        (
            (ParticipationStatus.FAILED, ParticipationStatus.FAILED),
            ("«Яке слово довше?»: спроби вичерпано", "«Кіт чи пес?»: спроби вичерпано"),
        ),
    ],
)
def test_what_was_decided_is_said_of_each_project(
    chat: Chat, join: Join, db: Database, statuses: tuple[ParticipationStatus, ...], told: tuple[str, ...]
) -> None:
    """Not only of the first, nor only while another project is open."""
    join(2, 2)
    walk(chat, 3)
    with db.transaction() as session:
        participations = session.exec(select(models.Participation).order_by(col(models.Participation.project_id)))
        for own, status in zip(participations, statuses, strict=True):
            own.status = status
            session.add(own)
    [end] = chat.say("/start")
    assert [one for one in told if one not in end] == []


def test_who_left_a_project_reads_nothing_of_it(chat: Chat, join: Join) -> None:
    """Neither in the lines nor at the end."""
    join(2, 1)
    walk(chat, 1)
    chat.say("/withdraw")
    chat.tap("1")
    chat.tap("Так, вийти")
    chat.say("/start")
    assert walk(chat) == [f"{DONE}\n\nСлова\n✓ Кіт чи пес? — 1 з 1\n\nСьогодні: 1 · загалом: 1"]


def test_the_end_of_a_session_shows_the_whole_programme(chat: Chat, join: Join) -> None:
    """All lines; and where the session ends with everything else, there is one end."""
    join(8, 12, more=("reward: {countdown: yes}",) * 2)
    chat.tap("Лише 10")
    assert walk(chat, 10)[-1].split("\n\n")[1:3] == [
        "Слова\n✓ Яке слово довше? — 8 з 8\n▸ Кіт чи пес? — 2 з 12",
        "Сьогодні: 10 · загалом: 10\nУсі разом: 10 з 60, з них ваших — 10\n[Ще 10]\n[Нагадати завтра]\n[Далі]",
    ]
    chat.tap("Ще 10")
    [card] = walk(chat, 10)
    assert card.startswith("🏁 10 завдань")
    [end] = chat.say("/start")
    assert end.startswith(DONE)
    assert end.endswith("Сьогодні: 20 · загалом: 20\nУсі разом: 20 з 60, з них ваших — 20")


def test_a_session_that_ends_with_all_quotas_has_the_end_of_the_programme(chat: Chat, join: Join) -> None:
    """No card comes, as no item does."""
    join(8, 12, quotas=(5, 5))
    chat.tap("Лише 10")
    [end] = walk(chat)
    assert end.startswith(f"{DONE}\n\nСлова\n✓ Яке слово довше? — 5 з 5\n✓ Кіт чи пес? — 5 з 5\n\n")


def test_hidden_items_move_the_line_as_others_do(chat: Chat, join: Join) -> None:
    """The total is the one to be expected with repeats, and once nothing is left, what was shown."""
    join(4, more=("repeats: {share: 1, after: 24 h}",))
    for number in range(1, 4):
        walk(chat, 1)
        assert f"▸ Яке слово довше? — {number} з 8" in chat.say("/progress")[-1]
        chat.tap("Далі")
    assert walk(chat, 1)[-1].startswith(f"{DONE}\n\nСлова\n✓ Яке слово довше? — 4 з 4\n\n")
    chat.now += timedelta(days=2)
    chat.say("/start")
    walk(chat, 1)
    assert "▸ Яке слово довше? — 5 з 8" in chat.say("/progress")[-1]


def test_a_programme_without_an_invitation(chat: Chat, join: Join, db: Database) -> None:
    """Data sets that were not entered yet have no number; looking at them enters none."""
    join(1, 2, open_to_all=True)
    walk(chat, 0)
    chat.tap("Почати")
    assert chat.say("/progress")[-1] == "Слова\n▸ Яке слово довше? — 0 з 1\n· Кіт чи пес?\n[Далі]"
    with db.transaction() as session:
        assert len(session.exec(select(models.Participation)).all()) == 1


@pytest.mark.parametrize("order", ["sequence", "interleaved"])
def test_the_end_asks_once_what_all_data_sets_ask(chat: Chat, join: Join, order: str) -> None:
    """Before the card, by a tap or typed; what one of them asks in other words comes next, and nothing twice.

    Without it whoever does everything in one go would never be asked.
    """
    same = "attestation: {text: Що допомагало?, options: [ніщо, словник]}"
    other = same.replace("?", " ще?")
    join(2, 1, 2, order=order, more=(same, other, same))
    question = walk(chat, 5)[-1]
    assert question == "І наостанок, коротко:\n\nЩо допомагало?\n[ніщо | словник]"
    assert chat.say("/start")[-1] == question
    assert chat.say("словник")[-1] == "І наостанок, коротко:\n\nЩо допомагало ще?\n[ніщо | словник]"
    [end] = chat.tap("ніщо")
    assert end.startswith(DONE)
    assert chat.say("/start")[-1] == end
    assert sum("🏁" in one for one in chat.seen) == 2
    assert list_attested(chat) == [("p0", 1, "словник"), ("p1", 1, "ніщо"), ("p2", 1, "словник")]


def test_what_was_attested_at_a_pause_holds_for_the_other_data_sets(chat: Chat, join: Join) -> None:
    """None of them asks again until something more is answered."""
    more = "attestation: {text: Що допомагало?, options: [ніщо, словник]}"
    join(2, 2, 2, order="interleaved", more=(more,) * 3)
    walk(chat, 3)
    assert chat.say("/pause")[-1] == "І наостанок, коротко:\n\nЩо допомагало?\n[ніщо | словник]"
    chat.tap("ніщо")
    chat.say("/start")
    assert len(list_attested(chat)) == 3
    chat.now += timedelta(hours=1)
    assert chat.say("/start")[-1].startswith("4\n\n")


@pytest.mark.parametrize("word", ["назад", "Змінити", "zmien"])
def test_a_word_for_back_opens_the_answer_before_in_another_data_set(chat: Chat, join: Join, word: str) -> None:
    """The one above on the screen, and not the last one of the same data set."""
    join(3, 3, order="interleaved")
    walk(chat, 4)
    assert chat.last.text.startswith("5\n\nслово 0-2")
    chat.say(word)
    assert "4\n\nслово 1-1" in "\n".join(chat.seen[-3:])


def test_an_item_that_waited_gets_the_next_number(chat: Chat, join: Join) -> None:
    """It was put aside at a pause, and others came before it: the number of the journey only grows."""
    join(4, 4, 4, order="interleaved")
    walk(chat, 4)
    chat.say("/pause")
    chat.say("/start")
    shown = [chat.last.text, *(walk(chat, 1)[-1] for _ in range(7))]
    assert [text.split()[0] for text in shown] == ["5", "6", "7", "8", "9", "10", "11", "12"]


def list_attested(chat: Chat) -> list[tuple[str, int, str]]:
    """The project, the work session and what was used, of each attestation."""
    attestation, project = models.Attestation, models.Project
    with chat.db.reading() as view:
        rows = select(project.name, attestation.work_session, attestation.used).join(attestation)
        return [(name, number, used) for name, number, used in view.exec(rows.order_by(project.name))]
