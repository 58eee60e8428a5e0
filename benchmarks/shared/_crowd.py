"""People who tap a bot that is killed, cut off and refused, and the comparison of their screens with the database."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa
from _faulty_telegram import FaultyTelegram, ObservedPerson

from annotation.store import invariants
from annotation.store.database import Database
from bot.conversation import updates_and_calls
from bot.conversation.updates_and_calls import ButtonAction, CallbackData
from bot.emulator.model import DisplayedEvent, Message
from bot.emulator.server import Server

SPAWNER = Path(__file__).parent / "_bot_spawner.py"
MARK = re.compile(r"✓ [0-9]+ · (\w+)")


@dataclass
class Crowd:
    """People who tap as soon as there is something to tap; some twice, some on old buttons, some change an answer."""

    telegram: FaultyTelegram
    rng: random.Random
    tapping: bool = True
    items: dict[int, int] = field(default_factory=dict)
    """The assignment that a message shows."""
    marks: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """What a message said was stored, in its order."""
    tapped: dict[int, int] = field(default_factory=dict)
    in_flight: set[int] = field(default_factory=set)
    used: list[tuple[Message, str]] = field(default_factory=list)

    def count_marks(self) -> int:
        """How many answers were shown as saved."""
        return sum(map(len, self.marks.values()))

    def watch(self, entry: DisplayedEvent) -> None:
        """What comes onto a screen is answered a moment later."""
        mark = MARK.match(entry.text)
        if entry.kind == "edit" and mark:
            self.marks[entry.message].append(mark[1])
        if entry.kind == "edit":
            self.in_flight.discard(entry.person)
        if entry.kind in {"message", "edit"} and entry.buttons and self.tapping:
            asyncio.get_running_loop().call_later(self.rng.random() * 0.05, self.act, entry.person, entry.message)

    def act(self, who: int, number: int) -> None:
        """Answer a newest message; now and then change what is answered, or tap what was tapped long ago."""
        message = self.telegram.person(who).chat.messages[number]
        presses = [updates_and_calls.decode_callback(data) for _, data in message.buttons]
        if not self.tapping or not presses:
            return
        if presses[0] is not None and presses[0].action is ButtonAction.UNDO and self.rng.random() < 0.7:
            return
        if self.tapped.get(who, 0) >= number and not self._undone(presses):
            return
        self.tapped[who] = max(number, self.tapped.get(who, 0))
        self.in_flight.add(who)
        answers = [
            data
            for _, data in message.buttons
            if (one := updates_and_calls.decode_callback(data)) and one.action is ButtonAction.ANSWER
        ]
        data = self.rng.choice(answers) if answers else message.buttons[0][1]
        if presses[0] is not None and answers:
            self.items[number] = presses[0].row_id
        self._press(message, data)

    @staticmethod
    def _undone(presses: list[CallbackData | None]) -> bool:
        """Whether the message may be tapped again: for an undo, or for the answer after it."""
        first = presses[0]
        return first is not None and (
            first.action is ButtonAction.UNDO or (first.action is ButtonAction.ANSWER and first.get_number(0) > 0)
        )

    def _press(self, message: Message, data: str) -> None:
        person = self.telegram.person(message.chat.id)
        for _ in range(2 if self.rng.random() < 0.2 else 1):
            person.press(data, on=message)
        self.used.append((message, data))
        if self.rng.random() < 0.1:
            old, pressed = self.rng.choice(self.used[-200:])
            self.telegram.person(old.chat.id).press(pressed, on=old)


@dataclass
class BotSpawner:
    """Starts bots, each as a process that is known by its number."""

    process: asyncio.subprocess.Process
    running: list[int] = field(default_factory=list)

    async def start(self, url: str, **options: str | float) -> int:
        """A new bot on a database; its process number. What the options are: `_bot_spawner.run`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"url": url, **options}).encode() + b"\n")
        self.running.append(int(await asyncio.wait_for(self.process.stdout.readline(), 120)))
        return self.running[-1]

    def end(self, number: int, how: signal.Signals = signal.SIGKILL) -> None:
        """End one, by its number; it may have ended by itself."""
        self.running.remove(number)
        os.kill(number, how)


def is_running(number: int) -> bool:
    """Whether the bot with this process number has not ended; its number is kept for it (state Z) when it has."""
    return Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"


@asynccontextmanager
async def start_spawner(server: Server) -> AsyncIterator[BotSpawner]:
    """A process that starts bots; it is ended with all of them."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, SPAWNER, server.url, server.telegram.token, stdin=pipe, stdout=pipe
    )
    found = BotSpawner(process)
    try:
        yield found
    finally:
        for number in tuple(found.running):
            found.end(number)
        process.kill()
        await process.wait()


async def wait_until(
    condition: Callable[[], object], *, seconds: float = 300, who: ObservedPerson | None = None
) -> None:
    """Wait for something to become true; the failure shows the screen of whoever is waited for."""
    try:
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError("it does not come" if who is None else who.screen[-1500:]) from None


async def wait_for_marks(crowd: Crowd, number: int) -> None:
    """Wait until so many answers were shown as saved; on a slow machine longer, as long as there are ever more."""
    while (seen := crowd.count_marks()) < number:
        await wait_until(lambda seen=seen: crowd.count_marks() > seen)  # type: ignore[misc]


async def answer_once_more(crowd: Crowd, person: ObservedPerson) -> None:
    """Nobody is stuck: /start leads to an item, and a tap on it is stored, marked and followed."""
    asked = person.messages[-1]
    person.send("/start")
    while True:
        last = asked.id
        await wait_until(lambda last=last: person.messages[-1].id > last and person.messages[-1].buttons, who=person)  # type: ignore[misc]
        asked = person.messages[-1]
        data = asked.buttons[0][1]
        press = updates_and_calls.decode_callback(data)
        person.press(data, on=asked)
        crowd.used.append((asked, data))
        if press is not None and press.action is ButtonAction.ANSWER:
            break
    crowd.items[asked.id] = press.row_id
    await wait_until(lambda: crowd.marks[asked.id], who=person)


def count_waiting(db: Database, telegram: FaultyTelegram) -> tuple[int, int, int]:
    """How many updates wait at Telegram, and how much lies in the boxes.

    An update that waits at Telegram may be a tap of long ago; where updates come in any order, it comes at any time.
    """
    with db.reading() as view:  # takes no lock for writing, which the bots need
        connection = view.connection()
        came = connection.execute(sa.text("SELECT count(*) FROM inbox WHERE done_at IS NULL")).scalar_one()
        goes = connection.execute(sa.text("SELECT count(*) FROM outbox")).scalar_one()
        return len(telegram.queue.waiting), came, goes


def compare_screens(db: Database, crowd: Crowd) -> dict[int, list[str]]:
    """Whatever a screen said is stored; the last that it said stands; nothing is stored that no screen said, nor a
    revision for which nobody tapped.

    Returns the stored answers by assignment; raises AssertionError where they differ.
    """
    tapped = {
        (press.row_id, press.get_number(updates_and_calls.REVISION))
        for press in (updates_and_calls.decode_callback(data) for _, data in crowd.used)
        if press is not None and press.action is ButtonAction.ANSWER
    }
    with db.reading() as view:
        assert invariants.list_violations(view) == ()
        found = view.connection().execute(
            sa.text("SELECT assignment_id, revision, response FROM judgement ORDER BY assignment_id, revision")
        )
        stored: dict[int, list[str]] = defaultdict(list)
        for assignment, revision, response in found:
            assert len(stored[assignment]) == revision
            assert (assignment, revision) in tapped
            stored[assignment].append(response)
    said: dict[int, list[list[str]]] = defaultdict(list)
    for number, marks in crowd.marks.items():
        said[crowd.items[number]].append(marks)
    assert said.keys() == stored.keys()
    for assignment, screens in said.items():
        assert {one for marks in screens for one in marks} == set(stored[assignment])
        assert stored[assignment][-1] in {marks[-1] for marks in screens}, (stored[assignment], screens)
    return stored
