"""The whole job on simulated people: items, the bot, answers, numbers, files, a page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from aggregation.errors import Where
from annotation.errors import BadInput, Conflict
from annotation.store import database, pseudonyms, queries
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.demo import items
from bot.demo.people import CAST, Script
from bot.emulator.clock import Clock as TelegramClock
from bot.emulator.model import Message
from bot.emulator.people import Person
from bot.emulator.request import LocalRequest
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from exports.tables import Release

SEED = 7
KEY = b"the key of the demo, no secret.."
KEY_FILE = "hromada.key"
BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
PUBLISHED = (
    "human_responses.csv",
    "gold.csv",
    "annotators.csv",
    "agreement.json",
    "baselines.csv",
    "human_baseline.csv",
)

Progress = Callable[[str, float], None]
"""Called with what is being done, and the share of it that is done."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What the demo made: the files, and the numbers in them."""

    files: tuple[Path, ...]
    people: int
    answers: int
    release: Release


@dataclass
class Clock:
    """The time of the person whose turn it is; only the scripted people move it on."""

    times: dict[int, datetime] = field(default_factory=dict)
    turn: int = 0

    def __call__(self) -> datetime:
        return self.times.get(self.turn, BEGIN)

    def pass_(self, telegram_id: int, seconds: float = 0.0) -> None:
        """It is this person's turn, and she took so long."""
        self.turn = telegram_id
        self.times[telegram_id] = self() + timedelta(seconds=seconds)


@dataclass
class _Stage:
    """The bot and the people on it."""

    app: application.App
    telegram: Telegram
    clock: Clock
    gold: Mapping[str, str]
    cast: Sequence[tuple[Script, Person]] = field(default_factory=tuple)

    async def deliver(self) -> None:
        """Hand every waiting update to the bot."""
        await self.app.deliver(*self.telegram.take())

    async def play(self, told: Callable[[int], None]) -> int:
        """Everybody starts, then answers in turn until nobody has a question left; the number of answers.

        What is asked before and between items (language, time zone, card, menu) is answered by its first button.
        """
        for script, person in self.cast:
            self.clock.pass_(script.telegram_id)
            person.send("/start")
            await self.deliver()
        answers = 0
        while waiting := [(script, person) for script, person in self.cast if _question(person)]:
            for script, person in waiting:
                shown = _question(person)
                if shown is None:
                    continue
                asked = any(item in shown.text for item in self.gold)
                self.clock.pass_(script.telegram_id, script.seconds(shown) if asked else 1.0)
                person.tap(script.answer(shown, gold=self.gold) if asked else shown.buttons[0][0], on=shown)
                await self.deliver()
                answers += asked
                told(answers)
        return answers


def _question(person: Person) -> Message | None:
    """The newest message, if it has buttons; those above it are done with."""
    newest = person.messages[-1]
    return newest if newest.buttons else None


def run(folder: Path, *, cast: Sequence[Script] = CAST, progress: Progress | None = None) -> Result:
    """Fill `folder` with the demo: project files, a database, the published files and the page.

    The same cast gives the same bytes. Raises Conflict where the folder holds anything but an earlier demo.
    """
    told = progress or (lambda _what, _share: None)
    made = items.projects(seed=SEED)
    _clear(folder, _made(made))
    for project in made:
        (folder / f"{project.name}.yaml").write_text(project.yaml, encoding="utf-8")
        (folder / f"{project.name}.csv").write_text(project.csv, encoding="utf-8")
    with database.opened(sa.URL.create("sqlite", database=str(folder / "hromada.db"))) as db:
        with db.transaction() as session:
            pseudonyms.record(session, KEY, now=BEGIN)
            for project in made:
                projects.load_file(session, folder / f"{project.name}.yaml", now=BEGIN)
                transitions.start(session, project=queries.project(session, project.name), now=BEGIN)
        answers = asyncio.run(_answers(db, made, cast, told))
        return _published(db, folder, people=len(cast), answers=answers, told=told)


async def _answers(
    db: database.Database, made: Sequence[items.DemoProject], cast: Sequence[Script], told: Progress
) -> int:
    clock = Clock()
    telegram = Telegram(clock=TelegramClock(lambda: clock().timestamp()))
    app = application.build(
        token=telegram.token,
        database=db,
        office=application.office(key=KEY, simulated=True),
        clock=clock,
        request=LocalRequest(telegram),
    )
    every = [item for project in made for item in project.items]
    most = len(every) * items.OVERLAP
    stage = _Stage(
        app=app,
        telegram=telegram,
        clock=clock,
        gold={item.shown: item.gold for item in every},
        cast=[(script, telegram.person(script.telegram_id)) for script in cast],
    )
    async with app:
        return await stage.play(lambda number: told("answers", min(1.0, number / most)))


def _published(db: database.Database, folder: Path, *, people: int, answers: int, told: Progress) -> Result:
    from bot import release
    from exports import report, tables

    with db.transaction() as session:
        data = release.data_sets(session)
    made = tables.release(
        data, method="majority", ties="drop", seed=SEED, progress=lambda share: told("numbers", share)
    )
    files = tables.write(made, folder, also={"report.html": report.page(made)})
    return Result(files=files, people=people, answers=answers, release=made)


def _made(projects_: Sequence[items.DemoProject]) -> frozenset[str]:
    """The names of all files that a demo leaves behind."""
    sources = {f"{project.name}{ending}" for project in projects_ for ending in (".yaml", ".csv")}
    state = {"hromada.db", "hromada.db-wal", "hromada.db-shm", KEY_FILE}
    return frozenset(sources | state | {*PUBLISHED, "report.html"})


def _clear(folder: Path, made: frozenset[str]) -> None:
    """Make the folder, or clear an earlier demo's files out of it; anything else is left alone and refused.

    Its files have everyday names, so the demo's own key tells its folder from one where people work with hromada.
    """
    where, mark = Where(file=folder), (KEY.hex() + "\n").encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = sorted(path.name for path in folder.iterdir())
        own = KEY_FILE in there and (folder / KEY_FILE).read_bytes() == mark
        others = [name for name in there if not own or name not in made]
        if others:
            problem = f"This folder holds something that is not of an earlier demo: {others[0]}."
            raise Conflict(problem, where=where, remedy="Name another with --to.")
        for name in sorted(made - {KEY_FILE}):
            (folder / name).unlink(missing_ok=True)
        (folder / KEY_FILE).write_bytes(mark)
    except OSError as failure:
        problem = f"The folder cannot be used: {failure.strerror}."
        raise BadInput(problem, where=where, remedy="Name another with --to.") from None
