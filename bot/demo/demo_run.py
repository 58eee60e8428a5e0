"""The demo: items, simulated annotators who answer through the bot, and the published files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from aggregation.errors import Where, explain_disk
from annotation.errors import BadInput, Conflict
from annotation.store import database, pseudonyms, queries
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.demo import items
from bot.demo.scripted_annotators import SCRIPTED_ANNOTATORS, ScriptedAnnotator
from bot.emulator.model import Message
from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import Clock as TelegramClock
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from exports.tables import Release

SEED = 7
KEY = b"the key of the demo, no secret.."
KEY_FILE = "hromada.key"
START_TIME = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
PUBLISHED_FILES = (
    "human_responses.csv",
    "gold.csv",
    "human_items.csv",
    "annotators.csv",
    "agreement.json",
    "baselines.csv",
    "human_baseline.csv",
    "class_scores.csv",
    "confusion_matrix.csv",
    "order_effects.csv",
    "trivial_baselines.csv",
)

Progress = Callable[[str, float], None]
"""Called with the step (first `answers`, then `numbers`) and the share of it that is done."""


@dataclass(frozen=True, kw_only=True)
class DemoResult:
    """The files of the demo, and the numbers in them."""

    files: tuple[Path, ...]
    people: int
    answers: int
    release: Release


@dataclass
class DemoClock:
    """The time of the annotator whose turn it is; only their answers move it on."""

    times: dict[int, datetime] = field(default_factory=dict)
    turn: int = 0

    def __call__(self) -> datetime:
        return self.times.get(self.turn, START_TIME)

    def advance(self, telegram_id: int, seconds: float = 0.0) -> None:
        """Make it the turn of an annotator, so many seconds later."""
        self.turn = telegram_id
        self.times[telegram_id] = self() + timedelta(seconds=seconds)


@dataclass
class _DemoStage:
    """The bot, and the annotators who use it."""

    app: application.BotApplication
    telegram: Telegram
    clock: DemoClock
    gold: Mapping[str, str]
    annotators: Sequence[tuple[ScriptedAnnotator, ScriptedPerson]] = field(default_factory=tuple)

    async def deliver(self) -> None:
        """Deliver all waiting updates to the bot."""
        await self.app.deliver(*self.telegram.take())

    async def play(self, report: Callable[[int], None]) -> int:
        """Let all annotators start, then answer in turn until no question is left; the number of answers.

        Other questions (language, time zone, card, menu) are answered by their first button.
        """
        for script, person in self.annotators:
            self.clock.advance(script.telegram_id)
            person.send("/start")
            await self.deliver()
        answers = 0
        while asked_annotators := [(script, person) for script, person in self.annotators if _find_question(person)]:
            for script, person in asked_annotators:
                message = _find_question(person)
                if message is None:
                    continue
                is_item = any(item in message.text for item in self.gold)
                self.clock.advance(script.telegram_id, script.seconds(message) if is_item else 1.0)
                person.tap(script.answer(message, gold=self.gold) if is_item else message.buttons[0][0], on=message)
                await self.deliver()
                answers += is_item
                report(answers)
        return answers


def _find_question(person: ScriptedPerson) -> Message | None:
    """The newest message, if it has buttons."""
    newest = person.messages[-1]
    return newest if newest.buttons else None


def run_demo(
    folder: Path, *, annotators: Sequence[ScriptedAnnotator] = SCRIPTED_ANNOTATORS, progress: Progress | None = None
) -> DemoResult:
    """Fill `folder` with the demo: project files, a database, the published files and the page.

    The same annotators give the same bytes. Raises Conflict where the folder holds anything but an earlier demo.
    """
    report_progress = progress or (lambda _what, _share: None)
    demo_projects = items.build_projects(seed=SEED)
    _clear_folder(folder, _list_file_names(demo_projects))
    (folder / items.CONSENT_FILE).write_text(items.CONSENT, encoding="utf-8")
    for project in demo_projects:
        (folder / f"{project.name}.yaml").write_text(project.yaml, encoding="utf-8")
        (folder / f"{project.name}.csv").write_text(project.csv, encoding="utf-8")
    with database.open_database(sa.URL.create("sqlite", database=str(folder / "hromada.db"))) as db:
        with db.transaction() as session:
            pseudonyms.record_key(session, KEY, now=START_TIME)
            for project in demo_projects:
                projects.load_project_file(session, folder / f"{project.name}.yaml", now=START_TIME)
                transitions.start_project(session, project=queries.get_project(session, project.name), now=START_TIME)
        answers = asyncio.run(_collect_answers(db, demo_projects, annotators, report_progress))
        return _write_results(db, folder, people=len(annotators), answers=answers, progress=report_progress)


async def _collect_answers(
    db: database.Database,
    demo_projects: Sequence[items.DemoProject],
    annotators: Sequence[ScriptedAnnotator],
    progress: Progress,
) -> int:
    clock = DemoClock()
    telegram = Telegram(clock=TelegramClock(lambda: clock().timestamp()))
    app = application.build_application(
        token=telegram.token,
        database=db,
        settings=application.build_delivery_settings(ConversationSettings(key=KEY, simulated=True)),
        clock=clock,
        request=LocalRequest(telegram),
    )
    all_items = [item for project in demo_projects for item in project.items]
    n_answers = len(all_items) * items.OVERLAP
    stage = _DemoStage(
        app=app,
        telegram=telegram,
        clock=clock,
        gold={item.shown: item.gold for item in all_items},
        annotators=[(script, telegram.person(script.telegram_id)) for script in annotators],
    )
    async with app:
        return await stage.play(lambda number: progress("answers", min(1.0, number / n_answers)))


def _write_results(db: database.Database, folder: Path, *, people: int, answers: int, progress: Progress) -> DemoResult:
    from bot import release
    from exports import report, tables

    with db.transaction() as session:
        data = release.build_data_sets(session)
    published = tables.build_release(
        data, method="majority", ties="drop", seed=SEED, progress=lambda share: progress("numbers", share)
    )
    files = tables.write_release(published, folder, extra_files=report.build_report_pages(published))
    return DemoResult(files=files, people=people, answers=answers, release=published)


def _list_file_names(demo_projects: Sequence[items.DemoProject]) -> frozenset[str]:
    """The names of all files of a demo."""
    sources = {f"{project.name}{ending}" for project in demo_projects for ending in (".yaml", ".csv")}
    state = {"hromada.db", "hromada.db-wal", "hromada.db-shm", KEY_FILE}
    return frozenset(sources | state | {*PUBLISHED_FILES, "report.html", "report.uk.html", items.CONSENT_FILE})


def _clear_folder(folder: Path, demo_files: frozenset[str]) -> None:
    """Create the folder, or remove the files of an earlier demo; raises Conflict where it holds anything else.

    The key file of the demo tells its folder from the folder of a real campaign.
    """
    where, mark = Where(file=folder), (KEY.hex() + "\n").encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names = sorted(path.name for path in folder.iterdir())
        is_demo = KEY_FILE in names and (folder / KEY_FILE).read_bytes() == mark
        others = [name for name in names if not is_demo or name not in demo_files]
        if others:
            problem = f"This folder holds something that is not of an earlier demo: {others[0]}."
            raise Conflict(problem, where=where, remedy="Name another with --to.")
        for name in sorted(demo_files - {KEY_FILE}):
            (folder / name).unlink(missing_ok=True)
        (folder / KEY_FILE).write_bytes(mark)
    except OSError as failure:
        problem = f"The folder cannot be used: {failure.strerror}."
        refusal = BadInput(problem, where=where, remedy="Name another with --to.")
        raise (explain_disk(failure, where=where) or refusal) from None
