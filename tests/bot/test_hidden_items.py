"""Control items and repeats look like main items, whatever the project file puts above or under an item."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import select

from annotation.campaigns.project_sections import FOOD_EMOJIS
from annotation.store import queries
from annotation.store.models import Assignment
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.texts import get_texts

if TYPE_CHECKING:
    from bot.conversation.texts import Texts
    from bot.emulator.model import Message
    from bot.emulator.scripted_people import ScriptedPerson
    from tests.bot.conftest import Chat

LANGUAGES = {"uk": "Українська", "en": "English", "ru": "Русский"}
COUNTS = {"main": 8, "control": 3, "training": 2, "qualification": 2, "pilot": 2}

HEADERS: Mapping[str, Mapping[str, Any]] = {
    "countdown": {"reward": {"countdown": True}},
    "pages": {"pages": {"items": 4}},
    "stages": {
        "stages": {
            "training": {"pool": {"where": {"pool": "training"}}},
            "qualification": {"pool": {"where": {"pool": "qualification"}}, "pass_mark": "1 of 2"},
            "pilot": {"pool": {"where": {"pool": "pilot"}}},
        }
    },
}
"""The keys of the project file that `bot/conversation/views/items` puts into the header of an item."""


def write_project(folder: Path, *sections: str, language: str) -> Path:
    """A project file with hidden items of both kinds and these sections."""
    rows = [
        {"id": f"{pool}{number}", "text": f"Word {number} of the {pool}", "pool": pool, "gold": "a"}
        for pool, count in COUNTS.items()
        for number in range(count)
    ]
    (folder / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    keys: dict[str, Any] = {
        "project": "p",
        "title": "p",
        "language": language,
        "instructions": "Read.",
        "question": {"type": "choice", "text": "Which?", "options": ["a", "b"]},
        "items": {"file": "p.jsonl", "id": "id", "show": "text", "gold": "gold", "where": {"pool": "main"}},
        "overlap": 1,
        "controls": {"pool": {"where": {"pool": "control"}}, "rate": 0.3},
        "repeats": {"share": 0.9},
    }
    for section in sections:
        keys |= HEADERS[section]
    (folder / "p.yaml").write_text(json.dumps(keys), "utf-8")
    return folder / "p.yaml"


def find_live_kind(chat: Chat) -> str | None:
    """The kind of the item on the screen; None without one."""
    with chat.database.reading() as session:
        live = session.exec(select(Assignment).where(Assignment.status == AssignmentStatus.LIVE)).first()
        if live is None:
            return None
        return "control" if live.is_control else "repeat" if live.is_repeat else live.stage.value


def read_screen(message: Message, texts: Texts) -> str:
    """A message with its buttons, without its numbers, thanks for many items or half, and what its item says.

    Whichever reward there is, it is an apple.
    """
    text = re.sub(r"Word \d+ of the \w+", "Word", message.text)
    for thanks in ("remark-milestone", "remark-halfway"):
        said = re.escape(re.sub(r"\d+", "NUMBER", texts(thanks, number=55))).replace("NUMBER", r"\d+")
        text = re.sub(rf"\n\n{said}", "", text)
    text = re.sub(f"[{''.join(FOOD_EMOJIS)}]", "🍎", text)
    return "\n".join([re.sub(r"\d+", "#", text), *(label for label, _ in message.buttons)])


async def look_at_item(chat: Chat, person: ScriptedPerson, texts: Texts) -> list[str]:
    """Every screen of an item: as it comes, with the reasons to report it, as it was, answered, reopened, and kept."""
    message = person.messages[-1]
    answer = message.buttons[0][0]
    screens = [read_screen(message, texts)]
    for label in (texts("more"), texts("report"), texts("back"), answer, texts("undo"), texts("keep")):
        person.tap(label, on=message)
        await chat.deliver()
        screens.append(read_screen(message, texts))
    return screens


@pytest.mark.parametrize(
    ("sections", "language"),
    [
        pytest.param(
            sections,
            language,
            marks=pytest.mark.slow if len(sections) == 1 and language != "en" else (),
            id=f"{'+'.join(sections)}-{language}",
        )
        for sections in [*((name,) for name in HEADERS), tuple(HEADERS)]
        for language in LANGUAGES
    ],
)
async def test_a_hidden_item_cannot_be_told_by_its_screens(
    chat: Chat, tmp_path: Path, language: str, sections: tuple[str, ...]
) -> None:
    """With every setting that changes the header, alone and together, the screens of all three kinds are the same."""
    file = write_project(tmp_path, *sections, language=language)
    with chat.database.transaction() as session:
        projects.load_project_file(session, file, now=chat.now)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=chat.now)
    person, texts = chat.person(language=language), get_texts(language)
    await chat.send(person, "/start")
    await chat.tap(person, LANGUAGES[language])
    await chat.tap(person, texts("begin"))
    screens: dict[str, set[tuple[str, ...]]] = {}
    while (kind := find_live_kind(chat)) is not None or "repeat" not in screens:
        if kind is None:
            chat.now += timedelta(days=1, hours=1)
            await chat.send(person, "/start")
        elif kind in {"training", "qualification"}:
            await chat.tap(person, person.messages[-1].buttons[0][0])
        else:
            seen = tuple(await look_at_item(chat, person, texts))
            if find_live_kind(chat) is not None:  # where no item follows, the one reopened is the newest of its page
                screens.setdefault(kind, set()).add(seen)
    screens.pop("pilot", None)
    assert screens.keys() == {"main", "control", "repeat"}
    assert len({frozenset(shown) for shown in screens.values()}) == 1, screens
    countdown = texts("shared-count", answered="#", wanted="#")
    assert all((countdown in one[0]) == ("countdown" in sections) for shown in screens.values() for one in shown)


async def test_an_answer_to_a_hidden_item_moves_the_countdown_as_any_other(chat: Chat, tmp_path: Path) -> None:
    """One annotator alone: the own number and the shared one go up by one with each answer, and both totals stay.

    The totals are those to be expected with hidden items; once there were more hidden items, they go on with them.
    """
    file = write_project(tmp_path, "countdown", language="uk")
    with chat.database.transaction() as session:
        projects.load_project_file(session, file, now=chat.now)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=chat.now)
    person = chat.person(language="uk")
    await chat.send(person, "/start")
    await chat.tap(person, LANGUAGES["uk"])
    await chat.tap(person, "Почати")
    seen, headers = set(), []
    while (kind := find_live_kind(chat)) is not None:
        seen.add(kind)
        headers.append([int(number) for number in re.findall(r"\d+", person.messages[-1].text.split("\n")[0])])
        await chat.tap(person, person.messages[-1].buttons[0][0])
    assert {"main", "control"} <= seen
    expected = 8 / 0.7 * 1.9  # main items, with a rate of control items and a share of repeats
    number, total, answered, wanted = headers[0]
    assert (number, answered, total, wanted) == (1, 0, math.ceil(expected), math.ceil(expected))
    assert headers == [[number + step, total, answered + step, wanted] for step in range(len(headers))]
