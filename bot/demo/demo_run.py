"""The demo: items, simulated annotators who answer through the bot, and the published files."""

from __future__ import annotations

import asyncio
import csv
import io
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from bot.conversation.updates_and_calls import ButtonAction, ConversationSettings
from bot.emulator.model import Message
from bot.emulator.request import LocalRequest
from bot.emulator.scripted_people import ScriptedPerson
from bot.emulator.state import Clock as TelegramClock
from bot.emulator.telegram import Telegram

if TYPE_CHECKING:
    from exports.tables import Release


ITEMS_PER_PROJECT = 20
OVERLAP = 5
CONSENT_FILE = "SIMULATED-consent.txt"
CONSENT = """\
Це демонстрація: відповідають скрипти, а не люди.

Відповіді збережуть під псевдонімом і опублікують. Перестати можна будь-коли, /withdraw забере відповіді.
"""

_WORDS = {
    "дерева": "дуб береза сосна липа клен верба ялина тополя вільха каштан",
    "птахи": "горобець синиця лелека ластівка ворона голуб дятел сова журавель зозуля",
    "овочі": "морква буряк капуста огірок гарбуз редиска цибуля часник помідор кабачок",
    "меблі": "стіл стілець шафа ліжко диван крісло полиця комод лавка тумба",
    "одяг": "сорочка спідниця куртка светр сукня пальто штани жилет футболка піжама",
    "транспорт": "автобус трамвай потяг літак човен велосипед тролейбус корабель пором вантажівка",
    "фрукти": "яблуко груша слива абрикос персик банан апельсин лимон виноград айва",
    "звірі": "вовк лисиця ведмідь заєць олень борсук білка видра кабан лось",
    "професії": "лікар учитель кухар пекар столяр пілот актор художник слюсар водій",
    "інструменти": "молоток пилка викрутка сокира рубанок долото дриль кліщі лопата граблі",
}
CATEGORIES: dict[str, tuple[str, ...]] = {name: tuple(words.split()) for name, words in _WORDS.items()}
RELATED_CATEGORIES = (frozenset({"дерева", "фрукти", "овочі"}), frozenset({"птахи", "звірі"}))
"""Categories that can share members: a pear is a tree too, a pumpkin a fruit, and every bird an animal."""


@dataclass(frozen=True, kw_only=True)
class DemoItem:
    """An item: what is shown, the options (none where they are fixed), the right answer."""

    shown: str
    options: tuple[str, ...]
    gold: str


@dataclass(frozen=True, kw_only=True)
class DemoProject:
    """A project with its items, as an organiser would write it."""

    name: str
    title: str
    instructions: str
    fixed: tuple[str, ...]
    items: tuple[DemoItem, ...]

    @property
    def yaml(self) -> str:
        """The project file."""
        width = len(self.items[0].options)
        columns = ", ".join(f"option_{number}" for number in range(1, width + 1))
        fixed = f"\n  options: [{', '.join(self.fixed)}]" if self.fixed else ""
        shuffle = "" if self.fixed else "\n  shuffle: true"
        own = "" if self.fixed else f"\n  options: [{columns}]"
        return f"""\
# Made by `hromada demo`: the items are ours, the people who answer them are simulated.
project: {self.name}
title: {self.title}
language: uk
instructions: {self.instructions}
question:
  type: choice
  text: {self.title}{fixed}{shuffle}
consent: {{file: {CONSENT_FILE}, version: "1"}}
items:
  file: {self.name}.csv
  id: id
  show: text{own}
  gold: gold
  gold_origin: construction
overlap: {OVERLAP}
declared:
  recruitment: nobody was recruited, the answers are simulated
  pay: nobody was paid, the answers are simulated
  ethics: not sought, no people took part
  population: no people, scripted annotators of different skill
  ai_use: not applicable, every answer is made by a script
  licence: the items are ours and free to use
"""

    @property
    def csv(self) -> str:
        """The items file."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        width = len(self.items[0].options)
        rows.writerow(["id", "text", *(f"option_{number}" for number in range(1, width + 1)), "gold"])
        for number, item in enumerate(self.items, start=1):
            rows.writerow([f"{number:02}", item.shown, *item.options, item.gold])
        return out.getvalue()


def build_projects(*, seed: int) -> tuple[DemoProject, ...]:
    """The three projects; the same seed makes the same items."""
    rng = random.Random(seed)  # noqa: S311  # items, not secrets
    return (
        DemoProject(
            name="SIMULATED-longer-word",
            title="Яке слово довше?",
            instructions="Порахуйте літери в кожному слові й торкніться довшого.",
            fixed=(),
            items=tuple(_build_longer_word_items(rng)),
        ),
        DemoProject(
            name="SIMULATED-odd-one-out",
            title="Яке слово зайве?",
            instructions="Чотири слова з п’яти належать до однієї групи. Торкніться того, що не належить.",
            fixed=(),
            items=tuple(_build_odd_one_out_items(rng)),
        ),
        DemoProject(
            name="SIMULATED-same-category",
            title="Чи всі слова належать до названої групи?",
            instructions="Якщо бодай одне слово не належить до групи, торкніться «ні».",
            fixed=("так", "ні"),
            items=tuple(_build_same_category_items(rng)),
        ),
    )


def _build_longer_word_items(rng: random.Random) -> Iterator[DemoItem]:
    words = [word for group in CATEGORIES.values() for word in group]
    rng.shuffle(words)
    pairs = [(one, other) for one, other in zip(words[::2], words[1::2], strict=True) if len(one) != len(other)]
    for place, (one, other) in zip(_pick_gold_places(rng, 2), pairs[:ITEMS_PER_PROJECT], strict=True):
        short, long = sorted((one, other), key=len)
        options = (long, short) if place == 0 else (short, long)
        yield DemoItem(shown=f"{options[0]} — {options[1]}", options=options, gold=long)


def _build_odd_one_out_items(rng: random.Random) -> Iterator[DemoItem]:
    names = sorted(CATEGORIES)
    for number, place in enumerate(_pick_gold_places(rng, 5)):
        name = names[number % len(names)]
        odd = _pick_outside_word(rng, name)
        options = rng.sample(CATEGORIES[name], 4)
        options.insert(place, odd)
        yield DemoItem(shown=", ".join(options), options=tuple(options), gold=odd)


def _build_same_category_items(rng: random.Random) -> Iterator[DemoItem]:
    names = sorted(CATEGORIES)
    for number, place in enumerate(_pick_gold_places(rng, 2)):
        name = names[number % len(names)]
        words = rng.sample(CATEGORIES[name], 4)
        if place == 1:
            words[rng.randrange(4)] = _pick_outside_word(rng, name)
        yield DemoItem(shown=f"{name}: {', '.join(words)}", options=(), gold="ні" if place else "так")


def _pick_outside_word(rng: random.Random, name: str) -> str:
    """A word that clearly does not belong to the category."""
    related = next((groups for groups in RELATED_CATEGORIES if name in groups), {name})
    return rng.choice(CATEGORIES[rng.choice(sorted(CATEGORIES.keys() - related))])


def _pick_gold_places(rng: random.Random, width: int) -> Sequence[int]:
    """The position of the gold in each item: every position equally often, in random order."""
    places = [number % width for number in range(ITEMS_PER_PROJECT)]
    rng.shuffle(places)
    return places


@dataclass(frozen=True, kw_only=True)
class ScriptedAnnotator:
    """One annotator: the chance of a right answer and the median seconds of an answer, seeded with `telegram_id`.

    `overrides` are fixed answers by the text of the item.
    """

    telegram_id: int
    skill: float
    pace: float
    overrides: Mapping[str, str] = field(default_factory=dict)

    def answer(self, shown: Message, *, gold: Mapping[str, str]) -> str:
        """The label of the button to tap; `gold` is the right option by the text of the item."""
        item = next(text for text in gold if text in shown.text)
        options = _read_options(shown)
        if item in self.overrides:
            return options[self.overrides[item]]
        rng, right = self._rng(item), gold[item]
        wrong = [option for option in options if option != right]
        return options[right if rng.random() < self.skill else rng.choice(wrong)]

    def seconds(self, shown: Message) -> float:
        """How many seconds the answer takes."""
        return round(self._rng("time " + shown.text).lognormvariate(0, 0.4) * self.pace, 1)

    def _rng(self, about: str) -> random.Random:
        return random.Random(f"{self.telegram_id} {about}")  # noqa: S311  # a simulation, not a secret


def _read_options(shown: Message) -> Mapping[str, str]:
    """The options with the labels of their buttons: options on buttons, or listed with the letters that stand there."""
    labels = [label for label, data in shown.buttons if data.startswith(f"{ButtonAction.ANSWER}:")]
    listed = re.findall(r"^(\w{1,2})\) (.+)$", shown.text, re.MULTILINE)
    if not listed:
        return {label: label for label in labels}
    return {option: next(label for label in labels if label.split(" · ")[0] == letter) for letter, option in listed}


SCRIPTED_ANNOTATORS: Sequence[ScriptedAnnotator] = (
    ScriptedAnnotator(telegram_id=101, skill=0.99, pace=6.0),
    ScriptedAnnotator(telegram_id=102, skill=0.96, pace=4.5),
    ScriptedAnnotator(telegram_id=104, skill=0.90, pace=3.5),
    ScriptedAnnotator(telegram_id=105, skill=0.82, pace=2.5),
    ScriptedAnnotator(telegram_id=106, skill=0.65, pace=1.2),
)


SEED = 7
KEY = b"the key of the demo, no secret.."
KEY_FILE = "hromada.key"
START_TIME = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
PUBLISHED_FILES = (
    "human_responses.csv",
    "gold.csv",
    "human_items.csv",
    "label_distributions.jsonl",
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
    demo_projects = build_projects(seed=SEED)
    _clear_folder(folder, _list_file_names(demo_projects))
    (folder / CONSENT_FILE).write_text(CONSENT, encoding="utf-8")
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
    demo_projects: Sequence[DemoProject],
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
    n_answers = len(all_items) * OVERLAP
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


def _list_file_names(demo_projects: Sequence[DemoProject]) -> frozenset[str]:
    """The names of all files of a demo."""
    sources = {f"{project.name}{ending}" for project in demo_projects for ending in (".yaml", ".csv")}
    state = {"hromada.db", "hromada.db-wal", "hromada.db-shm", KEY_FILE}
    return frozenset(sources | state | {*PUBLISHED_FILES, "report.html", "report.uk.html", CONSENT_FILE})


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
        (folder / KEY_FILE).chmod(0o600)
    except OSError as failure:
        problem = f"The folder cannot be used: {failure.strerror}."
        refusal = BadInput(problem, where=where, remedy="Name another with --to.")
        raise (explain_disk(failure, where=where) or refusal) from None
