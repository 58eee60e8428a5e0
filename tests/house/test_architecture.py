"""The map of the house is true: the modules of one tap, counted while it is made, and every name that the page says."""

from __future__ import annotations

import ast
import asyncio
import re
import runpy
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import pytest

from annotation.store import database, queries
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.conversation.updates_and_calls import ConversationSettings
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram

PAGE = Path("docs/explanation/architecture.md")
CHANGES = PAGE.with_name("architecture-changes.md")
PAGES = (
    PAGE,
    CHANGES,
    *(PAGE.with_name(f"{name}.md") for name in ("architecture-words", "queue-and-delivery", "question-types")),
)
PACKAGES = ("aggregation", "annotation", "bot", "exports")
BESIDE = (
    "bot.emulator",
    "bot.delivery.sweeper",
    "bot.delivery.process_lease",
    "annotation.store.processes",
    "annotation.store.migrations",
)
"""What runs beside the bot, and what runs every second whether an update has come or not."""
MOST = 33
"""How many modules may have functions that run from a received update to the next item sent."""
TOKEN = "123:secret"  # noqa: S105  # opens nothing
QUESTION = "Яке слово довше?"
PROJECT = f"""\
project: words
title: Слова
language: uk
instructions: Порахуйте літери.
question: {{type: choice, text: "{QUESTION}", options: [перше, друге]}}
items: {{file: items.csv, id: id, show: text}}
overlap: 1
"""


@contextmanager
def recorded_modules() -> Iterator[set[str]]:
    """The modules of the packages of which a function is called, on any thread; not `BESIDE`."""
    names: set[str] = set()

    def record(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith(PACKAGES) and not name.startswith(BESIDE):
            names.add(name)

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        yield names
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until it holds, for half a minute at the most."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


async def list_modules_of_a_tap(folder: Path) -> set[str]:
    """The modules that run from the update of an answer to the next item on the screen, over HTTP, by long polling."""
    (folder / "project.yaml").write_text(PROJECT, "utf-8")
    (folder / "items.csv").write_text("id,text\n" + "".join(f"{n},слово {n}\n" for n in range(9)), "utf-8")
    with recorded_modules() as names, database.open_database(f"sqlite:///{folder / 'bot.db'}") as db:
        with db.transaction() as session:
            projects.load_project_file(session, folder / "project.yaml", now=datetime.now(UTC))
            transitions.start_project(session, project=queries.get_project(session, "words"), now=datetime.now(UTC))
        async with Server(Telegram(token=TOKEN)) as server:
            app = application.build_application(
                token=TOKEN,
                database=db,
                settings=application.build_delivery_settings(ConversationSettings(key=b"k" * 32)),
                base_url=f"{server.url}/bot",
            )
            async with application.poll_in_background(app):
                annotator = server.telegram.person(1, language="uk")

                def count_displayed() -> int:
                    return len(server.telegram.display_log.list_events(1, "message", "edit"))

                annotator.send("/start")
                while not annotator.messages or QUESTION not in annotator.messages[-1].text:
                    await wait_until(lambda: bool(annotator.messages and annotator.messages[-1].buttons))
                    newest, seen = annotator.messages[-1], count_displayed()
                    if QUESTION not in newest.text:
                        annotator.tap(newest.buttons[0][0], on=newest)
                        await wait_until(lambda n=seen: count_displayed() > n)  # type: ignore[misc]
                await app.workers.wait_until_idle()
                taps = []
                for _ in range(3):  # what the bot does by the clock (a lease, a sweep) may fall into one of them
                    names.clear()
                    shown = len(annotator.messages)
                    annotator.tap(annotator.messages[-1].buttons[0][0])
                    await wait_until(lambda n=shown: len(annotator.messages) > n)  # type: ignore[misc]
                    taps.append(set(names))
                    await app.workers.wait_until_idle()
                return min(taps, key=len)


async def test_a_tap_runs_through_few_modules(tmp_path: Path) -> None:
    """From an update to the next item sent: at most 33 modules, and the page says how many, and names each of them."""
    names = await list_modules_of_a_tap(tmp_path)
    assert {"bot.delivery.sender", "annotation.workflow.assignments.submission"} <= names
    assert len(names) <= MOST, sorted(names)
    page = PAGE.read_text("utf-8")
    [quoted] = re.findall(r"functions from (\d+) modules run", page)
    assert int(quoted) == len(names), sorted(names)
    assert [name for name in sorted(names) if f"`{name.replace('.', '/')}`" not in page] == []


def check_page(script: str) -> None:
    """Run a script that writes a page in this process, so that it only checks it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [script, "--check"])
        runpy.run_path(script, run_name="__main__")


def test_the_reference_of_commands_is_what_they_say() -> None:
    """It is made of the help of every command (`make reference`), and is as that is."""
    check_page("docs/reference/list_commands.py")


def test_the_reference_of_the_library_is_what_docstrings_say() -> None:
    """It is made of the docstrings of what a notebook imports, and is as they are."""
    check_page("docs/reference/list_library.py")


def test_the_reference_of_keys_is_what_the_models_say() -> None:
    """It has every key of a project file with its kind of value and its default."""
    check_page("docs/reference/list_keys.py")


def test_the_reference_of_columns_is_what_the_writers_write() -> None:
    """It has the columns of every published table."""
    check_page("docs/reference/list_columns.py")


def test_the_gallery_is_what_the_examples_say() -> None:
    """It has every campaign in examples/ with its published figures."""
    check_page("docs/reference/list_gallery.py")


@pytest.mark.parametrize(
    ("script", "page"),
    [
        ("reference/list_commands.py", "commands.md"),
        ("reference/list_keys.py", "project-keys.md"),
        ("reference/list_columns.py", "columns.md"),
        ("reference/list_library.py", "library.md"),
    ],
)
def test_an_old_page_is_an_error(tmp_path: Path, script: str, page: str) -> None:
    """Where one line of it is not what it was made of, it is named with what to type."""
    copy = shutil.copytree(Path("docs", script).parent, tmp_path / "pages") / Path(script).name
    lines = (copy.parent / page).read_text("utf-8").splitlines()
    (copy.parent / page).write_text("\n".join(lines[:-1]) + "\n", "utf-8")
    with pytest.raises(SystemExit, match=f"{Path(page).name} is old. Renew it: make"):
        check_page(str(copy))


def test_an_old_gallery_is_an_error(tmp_path: Path) -> None:
    """It is made of examples/, so one more of them makes it old."""
    (tmp_path / "docs/reference").mkdir(parents=True)
    for name in ("docs/reference/list_gallery.py", "docs/gallery.md"):
        shutil.copy(name, tmp_path / name)
    examples = shutil.copytree("examples", tmp_path / "examples")
    script = str(tmp_path / "docs/reference/list_gallery.py")
    check_page(script)
    shutil.copy(examples / "tape/chegeka.yaml", examples / "tape/another.yaml")
    with pytest.raises(SystemExit, match=r"gallery\.md is old. Renew it: make reference"):
        check_page(script)


def test_the_pages_name_only_what_is_there() -> None:
    """Every path in backquotes that begins with a package is a module or a folder of it."""
    page = "\n".join(page.read_text("utf-8") for page in PAGES)
    paths = re.findall(rf"`((?:{'|'.join(PACKAGES)})/[\w/]+)/?`", page)
    assert len(paths) > 60
    assert [path for path in paths if find_spec(path.rstrip("/").replace("/", ".")) is None] == []


def parse_modules() -> Iterator[tuple[str, ast.Module]]:
    """Every module of the packages as it is imported here, by its path without the ending."""
    for package in PACKAGES:
        spec = find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        root = Path(spec.origin).parent
        for file in sorted(root.rglob("*.py")):
            name = str(file.relative_to(root.parent).with_suffix("")).removesuffix("/__init__")
            yield name, ast.parse(file.read_text("utf-8"))


def is_kept_by_the_process(node: ast.AST) -> bool:
    """Whether a statement at the top of a module makes something that grows while the process runs."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    if any("cache" in ast.unparse(decorator) for decorator in decorators):
        return True
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if not isinstance(value, ast.Call):
        return isinstance(value, ast.Dict | ast.List) and not ast.unparse(value).strip("{}[]")
    maker = ast.unparse(value.func).split(".")[-1]
    return maker in {"defaultdict", "OrderedDict", "Counter", "deque", "DefinitionCache", "local"} or (
        maker in {"dict", "list", "set"} and not value.args
    )


def test_somebody_reads_the_page() -> None:
    """It stays short enough for that."""
    assert len(PAGE.read_text("utf-8").splitlines()) <= 250


def test_the_page_says_what_a_process_keeps() -> None:
    """Each cache stands in the table with its reason, and what stands there has one."""
    section = CHANGES.read_text("utf-8").split("## What is passed on, and what a process keeps")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = {path for row in rows for path in re.findall(r"`([\w/]+)`", row)}
    found = {name for name, module in parse_modules() if any(is_kept_by_the_process(node) for node in module.body)}
    assert found == listed


def test_nothing_is_kept_in_a_session() -> None:
    """What one function has loaded or locked for another is passed on as a value."""
    found = [
        name
        for name, module in parse_modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and node.attr == "info" and "session" in ast.unparse(node.value).lower()
    ]
    assert found == []
