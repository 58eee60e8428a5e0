"""A project at work by chat and by command: who finished, and what follows from texts that are changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from annotation.store import queries
from annotation.workflow.lifecycle import projects, transitions
from bot.conversation.texts import get_texts
from tests.bot.conftest import in_file_order

if TYPE_CHECKING:
    from _command import Hromada

    from bot.emulator.scripted_people import ScriptedPerson
    from tests.bot.conftest import Chat

PROJECT: dict[str, Any] = {
    "project": "p",
    "title": "Words",
    "language": "en",
    "instructions_file": "instructions.md",
    "consent": {"file": "consent.md", "version": "1"},
    "content_warning": "Some are sad.",
    "question": {"type": "choice", "text": "Which?", "options": ["x", "y"]},
    "items": {"file": "p.jsonl", "id": "id", "show": "text"},
    "overlap": 3,
}
TEXTS = get_texts("en")


@pytest.fixture
def run(hromada: Hromada, sqlite_url: str) -> Callable[..., str]:
    """The command on the database of the bot; what it printed, or complained of where it is to fail."""

    def ran(*arguments: str, code: int = 0) -> str:
        done = hromada(*arguments, env={"HROMADA_DATABASE_URL": sqlite_url})
        assert done.code == code, (done.out, done.err)
        return done.err if code else done.out

    return ran


def write(folder: Path, **keys: Any) -> Path:
    """The project file and its items; texts are written where they are missing."""
    rows = [{"id": str(number), "text": f"word {number}"} for number in range(2)]
    (folder / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for name, text in (("instructions.md", "Read."), ("consent.md", "I agree to all.")):
        if not (folder / name).exists():
            (folder / name).write_text(text, "utf-8")
    (folder / "p.yaml").write_text(json.dumps(PROJECT | keys), "utf-8")
    return folder / "p.yaml"


@pytest.fixture
def begun(chat: Chat, tmp_path: Path) -> Chat:
    """The bot with the running project."""
    with chat.database.transaction() as session:
        projects.load_project_file(session, write(tmp_path), now=chat.now)
        in_file_order(session)
        transitions.start_project(session, project=queries.get_project(session, "p"), now=chat.now)
    return chat


async def come(chat: Chat, number: int) -> ScriptedPerson:
    """Somebody goes through consent, warning and card to the first item."""
    person = chat.person(number, language="en")
    await chat.send(person, "/start")
    await chat.tap(person, "English")
    for label in ("agree", "go-on", "begin"):
        await chat.tap(person, TEXTS(label))
    return person


async def answer(chat: Chat, person: ScriptedPerson) -> None:
    """Answer the item on the screen."""
    await chat.tap(person, person.messages[-1].buttons[0][0])


async def test_three_people_who_answered_everything_finished(begun: Chat, run: Callable[..., str]) -> None:
    """They have it with their last answer, whoever gave it, and not before."""
    people = [await come(begun, number) for number in (1, 2, 3)]
    for person in people:
        await answer(begun, person)
    assert json.loads(run("status", "p", "--json"))["funnel"]["finished"] == 0
    for person in people:
        await answer(begun, person)
    assert json.loads(run("status", "p", "--json"))["funnel"]["finished"] == 3
    line = next(line for line in run("status", "p").splitlines() if "people who finished" in line)
    assert line.split()[-1] == "3"


async def test_changed_texts_are_named_and_taken_only_with_yes(
    begun: Chat, tmp_path: Path, run: Callable[..., str]
) -> None:
    """Of three who agreed two have met an item: the numbers are theirs; then everybody is asked as was said."""
    people = [await come(begun, number) for number in (1, 2)]
    third = begun.person(3, language="en")
    await begun.send(third, "/start")
    await begun.tap(third, "English")
    await begun.tap(third, TEXTS("agree"))
    (tmp_path / "instructions.md").write_text("Read twice.", "utf-8")
    (tmp_path / "consent.md").write_text("I agree to more.", "utf-8")
    refused = run("load", "p.yaml", code=2)
    assert "texts: instructions (en), consent (en)" in refused
    assert "instructions (en): 2 people: they read it again before their next item." in refused
    assert "consent (en): 3 people: they agree to it before their next item." in refused
    assert "--yes" in refused
    await begun.send(people[0], "/start")
    assert "word" in people[0].messages[-1].text  # nothing changed: the item, and no question
    plan = json.loads(run("load", "p.yaml", "--plan", "--json"))
    assert [(one["text"], one["language"], one["people"]) for one in plan["texts"]] == [
        ("instructions", "en", 2), ("consent", "en", 3),
    ]  # fmt: skip
    assert plan["changes"] == {"texts": "instructions (en), consent (en)"}
    assert "they agree to it before their next item" in run("load", "p.yaml", "--plan")
    done = run("load", "p.yaml", "--yes")
    assert "Changed p" in done
    assert "nothing changed" not in done
    await begun.send(people[0], "/start")
    assert "I agree to more." in people[0].messages[-1].text
    await begun.tap(people[0], TEXTS("agree"))
    assert "Read twice." in people[0].messages[-1].text
    assert json.loads(run("load", "p.yaml", "--plan", "--json"))["texts"] == []
    assert json.loads(run("load", "p.yaml", "--json"))["changed"] is False
    (tmp_path / "consent.md").write_text("I agree to all.", "utf-8")  # one has agreed to both, nobody is asked again
    plan = json.loads(run("load", "p.yaml", "--plan", "--json"))
    assert [(one["text"], one["people"]) for one in plan["texts"]] == [("consent", 0)]


@pytest.mark.parametrize(
    ("keys", "text", "people"),
    [
        ({"content_warning": "Some are very sad."}, "content warning", 1),
        ({"content_warning": None}, "content warning", None),
        ({"examples": {"good": ["x: so"]}}, "examples", 1),
        ({"title": "Longer words"}, "title", None),
        ({"attestation": {"text": "Tools?", "options": ["none", "a book"]}}, "attestation", None),
        ({"profile": [{"name": "age", "text": "Age?", "type": "number"}]}, "profile questions", 1),
        ({"consent": None}, "consent", None),
    ],
)
async def test_every_text_that_people_meet_is_named(
    begun: Chat, tmp_path: Path, run: Callable[..., str], keys: dict[str, Any], text: str, people: int | None
) -> None:
    """Texts that stand in the project file too, with how many are asked because of them."""
    await come(begun, 1)
    write(tmp_path, **keys)
    plan = json.loads(run("load", "p.yaml", "--plan", "--json"))
    assert [(one["text"], one["language"], one["people"]) for one in plan["texts"]] == [(text, "en", people)]
    assert f"{text} (en)" in run("load", "p.yaml", code=2)
