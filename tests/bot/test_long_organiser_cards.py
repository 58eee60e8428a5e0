"""Cards of organisers that are longer than a message: nothing of them is lost, and there are not too many buttons."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from annotation.campaigns.questions.question_base import count_units
from annotation.store import queries
from annotation.workflow.lifecycle import transitions
from bot.conversation import message_layout
from bot.delivery import limits_and_retries
from tests.bot.test_organisers import ITEMS, ask, begin, find_pseudonym, go, observe, open_admin

if TYPE_CHECKING:
    from tests.bot.conftest import Chat


pytestmark = pytest.mark.usefixtures("no_wait_for_parts")
MANY = 64


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


def load_many(load: Callable[..., Any], number: int, *, title: str = "Слова") -> None:
    """So many campaigns that run."""
    for index in range(number):
        load(*ITEMS, name=f"words{index:02}", title=f"{title} {index:02}")


@pytest.mark.parametrize("title", ["Слова", "Слова " * 20])
async def test_a_long_question_leaves_room_for_whose_it_is(chat: Chat, load: Callable[..., Any], title: str) -> None:
    """The item, the project and the writer stay; the item's text gives way first, then the question."""
    load(("Слово " * 600, ["так", "ні"]), title=title)
    person = await begin(chat, 1)
    await ask(chat, person, "Чому так? " * 349)
    organiser = await open_admin(chat)
    text = await go(chat, organiser, "To answer: 1")
    head, rest = text.split("\n\n", 1)
    *where_lines, stimulus, question = rest.split("\n")  # quotes stand without an empty line
    where = "\n".join(where_lines)
    assert head == "Question · 1 waiting"
    assert re.fullmatch(rf"Слова.* · item 0\nFrom {find_pseudonym(chat, 1)}, just now", where)
    assert stimulus.endswith(" …")
    assert question.startswith("Чому так? Чому")
    assert count_units(question) > 3400
    assert count_units(text) <= message_layout.MAX_UNITS
    assert organiser.messages[-1].buttons[0][0] == "Answer"


async def test_a_long_card_comes_in_parts(chat: Chat, load: Callable[..., Any]) -> None:
    """The first in place of the tapped one, the buttons under the last."""
    load(*ITEMS)
    await begin(chat, 1)
    organiser = await open_admin(chat)
    await go(chat, organiser, "1", "People", "1", "Suspend")
    reason = " ".join(f"причина{number}" for number in range(380))
    await chat.send(organiser, reason)
    for act in ((), ("‹ Back", "1")):
        await go(chat, organiser, *act)
        first, last = organiser.messages[-2:]
        assert first.text.startswith(f"Part 1 of 2\n\n{find_pseudonym(chat, 1)}")
        assert last.text.startswith("Part 2 of 2\n\n")
        said = f"{first.text} {last.text.removeprefix('Part 2 of 2')}".split("Suspended: ")[1]
        assert said.split() == reason.split()
        assert not first.buttons
        assert [label for label, _ in last.buttons] == ["End suspension", "‹ Back"]
    assert "Status: takes part" in await go(chat, organiser, "End suspension")


async def test_campaigns_are_paged_with_the_closed_ones_at_the_end(chat: Chat, load: Callable[..., Any]) -> None:
    """Each can be opened; a page that is not there any more is the last one."""
    load_many(load, 20)
    with chat.database.transaction() as session:
        for name in ("words19", "words18"):
            transitions.close_project(session, project=queries.get_project(session, name), now=chat.now)
    organiser = await open_admin(chat)
    assert [label for label, _ in organiser.messages[-1].buttons[:9]] == [*"12345678", "›"]
    texts = [organiser.messages[-1].text, *[await go(chat, organiser, "›") for _ in range(2)]]
    shown = [re.findall(r"(\d+)\) Слова (\d+) — (\w+)", text) for text in texts]
    last = organiser.messages[-1]
    assert [len(page) for page in shown] == [8, 8, 4]
    order = [*range(17, -1, -1), 19, 18]
    running = [(str(place), f"{number:02}", "running") for place, number in enumerate(order, 1)]
    closed = [(place, number, "closed") for place, number, _ in running[-2:]]
    assert [one for page in shown for one in page] == [*running[:-2], *closed]
    assert "›" not in dict(last.buttons)
    assert (await go(chat, organiser, "20")).startswith("Слова 18 · words18 · closed")
    organiser.press("O:0:zz:campaigns", on=last)
    await chat.deliver()
    assert "20) Слова 18" in organiser.messages[-1].text
    assert "1) Слова 17" in await go(chat, organiser, "‹", "‹")


@pytest.mark.slow
async def test_many_alerts_and_a_long_digest_are_told_whole(chat: Chat, load: Callable[..., Any]) -> None:
    """In several messages, each campaign once, the button under the last."""
    load_many(load, MANY, title="Слова, слова, слова, слова, слова, слова, слова")
    organiser = await open_admin(chat)
    chat.now += timedelta(days=1, hours=1)
    await observe(chat)
    told = [message for message in organiser.messages if "Part " in message.text]
    for words in ("no answer since", "in 24 hours"):
        parts = [message for message in told if words in message.text]
        assert len(parts) > 1
        lines = [line for message in parts for line in message.text.split("\n") if words in line]
        assert sorted({number for line in lines for number in re.findall(r"слова (\d\d)", line)}) == [
            f"{number:02}" for number in range(MANY)
        ]
        assert len(lines) == MANY
        assert [[label for label, _ in message.buttons] for message in parts] == [[]] * (len(parts) - 1) + [["Open"]]
    assert sum("Since yesterday:" in message.text for message in told) == 1
