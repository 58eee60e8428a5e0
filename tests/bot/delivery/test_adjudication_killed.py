"""Adjudicators who share a queue while the bot is killed: what their cards say is what is stored, each item once."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from _crowd import count_waiting, start_spawner, wait_until
from _faulty_telegram import FaultyTelegram

from annotation.store import invariants, queries
from annotation.vocabulary import CaseReason
from annotation.workflow.annotators import invitations
from annotation.workflow.review import cases
from bot.emulator.model import DisplayedEvent
from bot.emulator.server import Server

if TYPE_CHECKING:
    from annotation.store.database import Database

PEOPLE = 3
WHOLE = pytest.mark.slow
"""Of the tests that are killed most often."""
STORED = """
SELECT annotator.telegram_id, item.external_id, adjudication.number, adjudication.labels
FROM adjudication JOIN item ON item.id = adjudication.item_id
JOIN annotator ON annotator.id = adjudication.annotator_id
"""


@dataclass
class Panel:
    """Adjudicators who decide as soon as a card comes; some twice, some on a card of long ago."""

    telegram: FaultyTelegram
    rng: random.Random
    said: dict[tuple[int, str], str] = field(default_factory=dict)
    """What a card said was decided, by person and item."""
    pressed: list[tuple[int, int, str]] = field(default_factory=list)

    def watch(self, entry: DisplayedEvent) -> None:
        """A card is decided a moment after it comes; what it says then is noted."""
        if entry.kind == "edit" and entry.text.startswith("✓"):
            self.said[entry.person, entry.text.split("слово ")[1].split()[0]] = entry.text.split()[1]
        if entry.kind == "message" and entry.buttons:
            asyncio.get_running_loop().call_later(self.rng.random() * 0.05, self.act, entry.person, entry.message)

    def act(self, who: int, number: int) -> None:
        """Choose the language, or one of the candidates."""
        person = self.telegram.person(who)
        message = person.chat.messages[number]
        choices = [data for _, data in message.buttons if data[0] in "Dl"]
        if not choices:
            return
        data = self.rng.choice(choices)
        for _ in range(2 if self.rng.random() < 0.2 else 1):
            person.press(data, on=message)
        if self.pressed and self.rng.random() < 0.1:
            old_who, old_number, old = self.rng.choice(self.pressed)
            self.telegram.person(old_who).press(old, on=self.telegram.person(old_who).chat.messages[old_number])
        self.pressed.append((who, number, data))


def count_decisions(db: Database) -> int:
    """How many rows there are."""
    with db.reading() as view:  # takes no lock for writing, which the bots need
        found: int = view.connection().execute(sa.text("SELECT count(*) FROM adjudication")).scalar_one()
        return found


@pytest.mark.process
@pytest.mark.parametrize(
    ("url", "items", "kills"),
    [pytest.param("sqlite", 40, 6, marks=WHOLE), pytest.param("postgresql", 40, 6, marks=WHOLE)],
    indirect=["url"],
)
async def test_no_decision_is_lost_or_doubled(
    url: str, db: Database, load_items: Callable[..., None], items: int, kills: int
) -> None:
    """Three people at one queue, killed again and again with updates in flight."""
    load_items(items=items)
    with db.transaction() as session:
        project, now = queries.get_project(session, "words"), datetime.now(UTC)
        doubts = {str(number): {CaseReason.TIE} for number in range(items)}
        cases.refresh_cases(session, project=project, question="answer", doubts=doubts, now=now)
        invitations.create_invitation(session, target=project, code="judge", now=now, adjudicates=True)
    telegram = FaultyTelegram()
    telegram.faults.latency = 0.02
    panel = Panel(telegram, random.Random(5))  # noqa: S311
    telegram.display_log.watchers.append(panel.watch)
    for number in range(1, PEOPLE + 1):
        telegram.person(number).send("/start judge")
    async with Server(telegram) as server, start_spawner(server) as bots:
        await bots.start(url)
        for kill in range(kills):
            await bots.start(url)  # it stands by until the other is gone
            target = (kill + 1) * items // (kills + 2)
            await wait_until(lambda target=target: count_decisions(db) >= target, seconds=30, who=telegram.person(1))  # type: ignore[misc]
            await asyncio.sleep(panel.rng.random() * 0.1)
            bots.end(bots.running[0])
            telegram.faults.duplicate(panel.rng.randrange(3))
        await wait_until(lambda: count_decisions(db) == items, seconds=60, who=telegram.person(1))
        await wait_until(lambda: count_waiting(db, telegram) == (0, 0, 0))
    with db.reading() as view:
        assert invariants.list_violations(view) == ()
        rows = view.connection().execute(sa.text(STORED)).all()
    assert sorted(int(item) for _, item, _, _ in rows) == list(range(items))
    assert {number for _, _, number, _ in rows} == {0}
    stored = {
        (who, item): (json.loads(labels) if isinstance(labels, str) else labels)[0] for who, item, _, labels in rows
    }
    assert panel.said == stored
