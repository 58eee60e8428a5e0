"""Items of Markdown in the chat, as Telegram receives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from _markdown import PROJECT, TEXT, write_project

from annotation.store import queries
from annotation.workflow.lifecycle import projects, transitions


async def join(chat: Any, folder: Path, *texts: str) -> list[Any]:
    """Begin to work in a project of these texts; the messages that are there."""
    file = write_project(folder, project=PROJECT, texts=texts)
    with chat.database.transaction() as session:
        projects.load_project_file(session, file, now=chat.now)
        transitions.start_project(session, project=queries.get_project(session, "sums"), now=chat.now)
    person = chat.person(1)
    await chat.send(person, "/start")
    await chat.tap(person, "English")
    await chat.tap(person, "Begin")
    return list(person.chat.visible())


def list_entities(message: Any) -> list[tuple[str, str]]:
    """The formatted parts of a message."""
    text = message.text.encode("utf-16-le")
    return [
        (one.type, text[2 * one.offset : 2 * one.end].decode("utf-16-le"))
        for one in message.content.body.entities
        if one.type in {"bold", "italic", "code", "pre"}
    ]


async def test_tables_and_code_have_a_fixed_width(chat: Any, tmp_path: Path) -> None:
    """And formulas are text, or code with their source; nothing of the item is a link of ours or raw HTML."""
    *_, card = await join(chat, tmp_path / "sums", TEXT)
    entities = list_entities(card)
    assert [text.split("\n")[0] for kind, text in entities if kind == "pre"] == [
        "name | long word | a third column of the table  |  n",
        "def solve(first_argument, second_argument, third_argument):",
        "$$",
    ]
    assert [text for kind, text in entities if kind == "code"] == [r"$\frac{a}{b}$", "$x_{n+1}$", r"$\foo{y}$"]
    assert ("bold", "find") in entities
    assert "For x₁ ≤ 5 and find" in card.text
    assert '[rules](https://a.b/c_d_e) and <b onclick="x">it</b>.' in card.text
    await chat.tap(chat.person(1), "yes")
    assert chat.answers() == ["yes"]


async def test_long_code_comes_in_parts(chat: Any, tmp_path: Path) -> None:
    """With every line and blank of it."""
    code = "\n".join(f"{' ' * (number % 9)}line {number}" for number in range(600))
    messages = await join(chat, tmp_path / "sums", f"Read:\n\n```\n{code}\n```")
    listings = [text for message in messages for kind, text in list_entities(message) if kind == "pre"]
    assert len(listings) == 2
    assert "\n".join(listings) == code
