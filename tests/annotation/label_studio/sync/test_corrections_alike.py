"""A story corrected in the chat and the same story corrected in Label Studio are published alike."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation.campaigns import template_files
from annotation.store import queries
from annotation.workflow.lifecycle import projects, transitions
from bot import application, release
from bot.conversation.updates_and_calls import ConversationSettings
from bot.emulator.server import Server
from bot.emulator.telegram import Telegram
from exports import corrections, tables, writers

if TYPE_CHECKING:
    import pandas as pd

    from bot.emulator.model import Message
    from bot.emulator.scripted_people import ScriptedPerson
    from tests.annotation.label_studio.sync.conftest import Workspace

TEMPLATE = Path(template_files.__file__).parent / "templates/story-correction/uk"
TOKEN = "123:secret"  # noqa: S105  # opens nothing
SENTENCE = "Лисиця знайшла в лісі дзеркало, подивився в нього й засміявся. "
STORY = "\n\n".join([
    "  " + SENTENCE * 12,
    "Вовк запитала: «Що там смішного?»\u00a0— і лисиця «віддала» йому 2 < 3 & дзеркало.",
    SENTENCE * 14 + "\r\nА потім пішов додому\u2026",
    SENTENCE * 20 + "Кінець. \n",
])  # fmt: skip
WRONG, RIGHT = ("подивився", "засміявся", "запитала", "пішов"), ("подивилася", "засміялася", "запитав", "пішла")
DIFFERENT = {"annotator", "answered_at", "seconds", "shown_at", "active_seconds", "surface"}
"""What a row says of the person, the time and the place, and nothing of the answer."""
REMARK = "Гарна казка, «+».\nДва рядки."


def correct(text: str) -> str:
    """The text as everybody corrects it."""
    for wrong, right in zip(WRONG, RIGHT, strict=True):
        text = text.replace(wrong, right)
    return text


def region(name: str, kind: str, **value: Any) -> dict[str, Any]:
    """A control of an annotation as the browser writes it."""
    return {"from_name": name, "to_name": "item:shown", "type": kind, "value": value}


async def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until it holds, for half a minute at the most."""
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.02)


async def correct_in_chat(workspace: Workspace) -> None:
    """Answer the story in the bot, paragraph by paragraph; each is copied from the message in which it stands."""
    async with Server(Telegram(token=TOKEN)) as server:
        app = application.build_application(
            token=TOKEN,
            database=workspace.db,
            settings=application.build_delivery_settings(ConversationSettings(key=b"k" * 32)),
            base_url=f"{server.url}/bot",
        )
        async with application.poll_in_background(app):
            person = server.telegram.person(1, language="uk")

            async def do(action: Callable[[], object]) -> None:
                before = list_texts(person)
                action()
                await wait_until(lambda: list_texts(person) != before and is_complete(person.messages[-1]))
                await app.workers.wait_until_idle()

            await do(lambda: person.send("/start"))
            while not any("придатне" in label for row in person.messages[-1].buttons for label in row):
                await do(lambda: person.tap(person.messages[-1].buttons[0][0]))
            await do(lambda: person.tap(next(one[0] for one in person.messages[-1].buttons if one[0] == "придатне")))
            while "Ви переглянули весь текст" not in person.messages[-1].text:
                message = person.messages[-1]
                copied = next(one for one in message.entities if one.type == "pre")
                units = message.text.encode("utf-16-le")
                paragraph = units[2 * copied.offset : 2 * (copied.offset + copied.length)].decode("utf-16-le")
                assert not message.protected
                await do(partial(person.send, correct(paragraph)))
            await do(lambda: person.tap("Зберегти"))
            await do(lambda: person.tap("Нічого з цього"))
            await asyncio.sleep(1.1)  # a text of the same second as a change of the message may be older than it
            await do(lambda: person.send(REMARK))
            await do(lambda: person.tap("Зберегти"))


def list_texts(person: ScriptedPerson) -> list[str]:
    """What the bot's messages say now, and their buttons."""
    return [f"{message.text} {message.buttons}" for message in person.messages]


def is_complete(message: Message) -> bool:
    """Whether nothing more follows the message: it has buttons, or is the last one of the campaign."""
    return bool(message.buttons) or "Поки що це все" in message.text


def correct_in_label_studio(workspace: Workspace) -> None:
    """Answer the story as the browser does, and pull it."""
    workspace.push("olha", 1)
    [task] = workspace.tasks()
    result = [
        region("result", "choices", choices=["придатне"]),
        region("fixed", "textarea", text=[correct(STORY)]),
        region("comment", "textarea", text=[REMARK]),
    ]
    workspace._post("olha", task, {"result": result, "lead_time": 90.0})
    workspace.pull()


def test_a_story_is_published_alike(workspace: Workspace) -> None:
    """The rows of both people differ in nothing but who answered, and when."""
    assert len(STORY) > 3000
    workspace.person("taras", linked=False)
    workspace.person("olha")
    load_story(workspace)
    asyncio.run(correct_in_chat(workspace))
    correct_in_label_studio(workspace)
    with workspace.db.reading() as session:
        (project,) = release.read_projects(session, ["p"])
        for name in ("result", "fixed", "comment"):
            frame = tables.build_response_table(project.read_data_set(name))
            first, second = list_rows(frame)
            assert first == second, name
            if name == "fixed":
                assert correct(STORY) in first.values()
        assert project.joint_answers is not None
        files = corrections.build_correction_files([project.joint_answers])
    pairs = str(files["stories.csv"])
    one, other = csv.DictReader(io.StringIO(pairs))
    assert {key: value for key, value in one.items() if key not in DIFFERENT} == {
        key: value for key, value in other.items() if key not in DIFFERENT
    }


def load_story(workspace: Workspace) -> None:
    """The campaign of the template `story-correction`, with one story for two people."""
    folder = workspace.folder / "p"
    shutil.copytree(TEMPLATE, folder)
    text = (folder / "project.yaml").read_text("utf-8")
    text = text.replace("project: story-correction", "project: p").replace("overlap: 1", "overlap: 2")
    (folder / "project.yaml").write_text(text, "utf-8")
    (folder / "items.jsonl").write_text(json.dumps({"id": "s1", "story": STORY}) + "\n", "utf-8")
    now = datetime.now(UTC)
    with workspace.db.transaction() as session:
        projects.load_project_file(session, folder / "project.yaml", now=now)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=now)


def list_rows(frame: pd.DataFrame) -> list[dict[str, str]]:
    """The published rows without what may differ."""
    rows = csv.DictReader(io.StringIO(writers.format_csv(frame)))
    return [{key: value for key, value in row.items() if key not in DIFFERENT} for row in rows]
