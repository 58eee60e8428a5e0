"""A real Label Studio for the whole run, and the items of projects as the database has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from _label_studio import OWNER, PASSWORD, PROGRAM, Studio, program, server
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlmodel import col, select

from annotation.campaigns import project_file as project_files
from annotation.campaigns.project_file import ProjectFile
from annotation.store.database import Database
from annotation.store.models import Item
from annotation.workflow.lifecycle import projects

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
Stored = Callable[[Path], tuple[ProjectFile, list[Item]]]


@pytest.fixture(scope="session")
def studio_program() -> Path:
    """The server's program; without it, the tests that need it are skipped and counted."""
    found = program()
    if found is None:
        pytest.skip(f"Label Studio: `make servers` was not run, and {PROGRAM} names no program")
    return found


@pytest.fixture(scope="session")
def label_studio(studio_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A server of one's own; every test makes its own projects and people in it."""
    with server(studio_program, tmp_path_factory.mktemp("label-studio")) as studio:
        yield studio


@pytest.fixture
def stored(db: Database) -> Stored:
    """Loads a project file; its definition, and its items as the database keeps them."""

    def load(file: Path) -> tuple[ProjectFile, list[Item]]:
        with db.transaction() as session:
            projects.load_project_file(session, file, now=NOW)
            items = list(session.exec(select(Item).order_by(col(Item.project_id).desc(), col(Item.rank))))
            session.expunge_all()
        definition = project_files.read_project(file).definition
        return definition, [item for item in items if item.project_id == items[0].project_id]

    return load


@dataclass(frozen=True, kw_only=True)
class Board:
    """A project in Label Studio."""

    studio: Studio
    number: int
    tasks: list[int]

    def results(self) -> list[list[dict[str, Any]]]:
        """The result of each task's only annotation, in the order of the tasks; empty for one that has none."""
        with self.studio.api() as api:
            found = [api.get(f"/api/tasks/{task}").json()["annotations"] for task in self.tasks]
        assert all(len(annotations) < 2 for annotations in found)
        return [annotations[0]["result"] if annotations else [] for annotations in found]


@pytest.fixture
def put(label_studio: Studio) -> Callable[..., Board]:
    """Makes a project of a definition and its tasks, as they would be pushed."""

    def made(definition: ProjectFile, tasks: list[dict[str, Any]], *, second_pass: bool = False) -> Board:
        number, found = label_studio.project(definition, tasks, second_pass=second_pass)
        return Board(studio=label_studio, number=number, tasks=found)

    return made


@dataclass(frozen=True)
class Visitor:
    """Somebody at a screen; `asked` are the hosts that the browser asked for."""

    page: Page
    asked: set[str]

    def come(self, studio: Studio, *, email: str = OWNER) -> None:
        """Log in as people do."""
        self.page.goto(f"{studio.url}/user/login/")
        self.page.locator("input[name=email]").fill(email)
        self.page.locator("input[name=password]").fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()
        self.page.wait_for_url(re.compile(r"/(projects)?/?$"))

    def begin(self, board: Board) -> None:
        """Open the first task that waits."""
        self.page.goto(board.studio.stream(board.number))
        self.page.locator(".hr-page .lsf-richtext__container").first.wait_for()

    def submit(self) -> None:
        """Hand the answer in, and wait until it is taken."""
        with self.page.expect_response(lambda answer: "/annotations" in answer.url and answer.request.method == "POST"):
            self.page.get_by_role("button", name="Submit current annotation").click()

    def submit_refused(self, words: str) -> None:
        """Try to hand the answer in; Label Studio refuses with these words, which are then closed."""
        self.page.get_by_role("button", name="Submit current annotation").click()
        told = self.page.locator(".ant-modal-confirm", has_text=words)
        told.wait_for()
        expect(told).not_to_have_class(re.compile("ant-zoom"))  # a press while it still grows may be lost
        told.get_by_role("button", name="OK").click()
        told.wait_for(state="hidden")

    def mark(self, part: str) -> None:
        """Drag over a part of the text to mark in, as a mouse does."""
        spots = self.page.locator(".hr-text .lsf-richtext__container").evaluate(
            """(box, part) => {
                const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), nodes = []
                let whole = ""
                for (let node; node = walker.nextNode(); whole += node.data) nodes.push([node, whole.length])
                const spot = (at, last) => {
                    const [node, from] = nodes.findLast(([one, from]) => from <= at)
                    const range = document.createRange()
                    range.setStart(node, at - from); range.setEnd(node, at - from + 1)
                    const box = range.getClientRects()[0]
                    return [last ? box.right - 1 : box.left + 1, box.top + box.height / 2]
                }
                const at = whole.indexOf(part)
                return [spot(at, false), spot(at + part.length - 1, true)]
            }""",
            part,
        )
        self.page.mouse.move(*spots[0])
        self.page.mouse.down()
        self.page.mouse.move(*spots[1], steps=4)
        self.page.mouse.up()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Opens a browser window of that width for somebody new."""
    opened: list[BrowserContext] = []

    def at(width: int = 1280) -> Visitor:
        opened.append(browser.new_context(viewport={"width": width, "height": 900}, locale="uk"))
        asked: set[str] = set()
        page = opened[-1].new_page()
        page.on("request", lambda request: asked.add(str(urlsplit(request.url).hostname)))
        return Visitor(page, asked)

    yield at
    for one in opened:
        one.close()
