"""Organisers in the chat with a programme: its card, pausing it whatever its data sets do, its link, and its people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import select

from annotation.campaigns import programme_file
from annotation.store import models, queries
from annotation.vocabulary import ProjectStatus
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.notices import announcements
from bot.delivery import limits_and_retries
from tests.bot.test_organisers import ITEMS, begin, collect, find_pseudonym, go, list_acts, open_admin

if TYPE_CHECKING:
    from _faulty_telegram import ObservedPerson

    from tests.bot.conftest import Chat

RUNNING, PAUSED, CLOSED, LOADED = (
    ProjectStatus.RUNNING, ProjectStatus.PAUSED, ProjectStatus.CLOSED, ProjectStatus.LOADED,
)  # fmt: skip
LoadProgramme = Callable[..., None]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices to one chat do not wait for each other."""
    monkeypatch.setattr(limits_and_retries, "CHAT_SECONDS", 0.0)


@pytest.fixture
def load_programme(chat: Chat, load: Callable[..., Any], tmp_path: Path) -> LoadProgramme:
    """Loads the programme "Мова" of data sets with these statuses, each with other items, and a project beside it."""

    def loaded(*statuses: ProjectStatus) -> None:
        load(*ITEMS, name="beside", title="Поруч")
        for number, status in enumerate(statuses):
            items = [(f"Набір {number}, {text}", options) for text, options in ITEMS]
            load(*items, name=f"set{number}", title=f"Набір {number}", start=status is not LOADED)
        lines = [f"- {{file: set{number}.yaml}}" for number in range(len(statuses))]
        file = tmp_path / "programme.yaml"
        file.write_text("\n".join(["programme: language", "title: Мова", "language: uk", "projects:", *lines]), "utf-8")
        with chat.database.transaction() as session:
            projects.load_programme(session, programme_file.read_programme(file), now=chat.now)
            for number, status in enumerate(statuses):
                project = queries.get_project(session, f"set{number}")
                if status is PAUSED:
                    transitions.pause_project(session, project=project, now=chat.now)
                elif status is CLOSED:
                    transitions.close_project(session, project=project, now=chat.now)

    return loaded


def list_statuses(chat: Chat) -> list[ProjectStatus]:
    """The statuses of the data sets, in order."""
    with chat.database.reading() as view:
        programme = view.exec(select(models.Programme)).one()
        return [project.status for project in queries.list_programme_projects(view, programme)]


async def invite(chat: Chat, organiser: ObservedPerson) -> str:
    """The code of a new link from the card on which an organiser is."""
    await go(chat, organiser, "Invite", "New link", "Make the link")
    return organiser.messages[-1].text.rsplit("start=", 1)[1].split(" ")[0]


async def join(chat: Chat, number: int, code: str) -> ObservedPerson:
    """Somebody who follows a link and begins."""
    person = chat.person(number)
    await chat.send(person, f"/start {code}")
    await chat.tap(person, "Українська")
    await chat.tap(person, "Почати")
    return person


async def test_a_programme_is_one_campaign_with_a_line_for_each_data_set(
    chat: Chat, load_programme: LoadProgramme
) -> None:
    """Its status is that of its most lively data set; each data set has a card of its own."""
    load_programme(PAUSED, RUNNING, CLOSED, LOADED)
    organiser = await open_admin(chat)
    code = await invite(chat, await open_programme(chat, organiser))
    person = await join(chat, 1, code)
    await chat.tap(person, "так")
    await chat.send(organiser, "/admin")
    text = organiser.messages[-1].text
    assert text == "Campaigns\n\nNothing needs you now.\n\n1) Мова — running, 2%\n2) Поруч — running, 0%"
    text = await go(chat, organiser, "1")
    assert text.split("\n") == [
        "Мова · language · running", "", "Data sets", "", "1) Набір 0 — paused, 0%", "2) Набір 1 — running, 8%",
        "3) Набір 2 — closed, 0%", "4) Набір 3 — not started, 0%",
    ]  # fmt: skip
    labels = [label for label, _ in organiser.messages[-1].buttons]
    assert labels == ["1", "2", "3", "4", "Pause", "Invite", "Write to all", "Refresh", "‹ All campaigns"]
    assert await go(chat, organiser, "Refresh") == text
    text = await go(chat, organiser, "2")
    assert text.startswith("Набір 1 · set1 · running\n\n1 of 12 answers (8%)")
    assert (await go(chat, organiser, "People")).endswith(f"1) {find_pseudonym(chat, 1)} · 1 · just now")


async def open_programme(chat: Chat, organiser: ObservedPerson) -> ObservedPerson:
    """The organiser, with the card of the programme."""
    await chat.send(organiser, "/admin")
    assert (await go(chat, organiser, "1")).startswith("Мова · language")
    return organiser


@pytest.mark.parametrize(
    ("statuses", "paused", "resumed", "changed"),
    [
        ([RUNNING, RUNNING], [PAUSED, PAUSED], [RUNNING, RUNNING], (2, 2)),
        (
            [RUNNING, PAUSED, CLOSED, LOADED],
            [PAUSED, PAUSED, CLOSED, LOADED],
            [RUNNING, RUNNING, CLOSED, LOADED],
            (1, 2),
        ),
    ],
    ids=["all run", "mixed"],
)
async def test_a_programme_is_paused_and_goes_on(
    chat: Chat,
    load_programme: LoadProgramme,
    statuses: list[ProjectStatus],
    paused: list[ProjectStatus],
    resumed: list[ProjectStatus],
    changed: tuple[int, int],
) -> None:
    """Its running data sets, then its paused ones; neither those that are closed, nor those that have not begun."""
    load_programme(*statuses)
    organiser = await open_programme(chat, await open_admin(chat))
    card = organiser.messages[-1]
    organiser.tap("Pause", on=card)
    organiser.tap("Pause", on=card)
    await chat.deliver()
    assert list_statuses(chat) == paused
    assert organiser.messages[-1].text.startswith("Campaigns\n\nNothing needs you now.\n\n1) Мова — paused")
    assert "2) Поруч — running" in organiser.messages[-1].text
    assert (await go(chat, organiser, "1", "Go on")).startswith("Мова · language · running")
    assert list_statuses(chat) == resumed
    assert [act for act, *_ in list_acts(chat)] == ["pause"] * changed[0] + ["resume"] * changed[1]


@pytest.mark.parametrize(("status", "said"), [(CLOSED, "closed"), (LOADED, "not started")])
async def test_a_programme_in_which_nothing_runs_has_nothing_to_pause(
    chat: Chat, load_programme: LoadProgramme, status: ProjectStatus, said: str
) -> None:
    """It is shown all the same, closed ones after the others; a forged tap changes nothing."""
    load_programme(status, status)
    organiser = await open_admin(chat)
    place = "2" if status is CLOSED else "1"
    assert f"{place}) Мова — {said}" in organiser.messages[-1].text
    assert (await go(chat, organiser, place)).startswith(f"Мова · language · {said}")
    assert not {"Pause", "Go on"} & dict(organiser.messages[-1].buttons).keys()
    for act in ("pause", "resume"):
        organiser.press(f"O:1:1:{act}", on=organiser.messages[-1])
        await chat.deliver()
        assert organiser.toasts[-1].startswith("That question is closed.")
    assert list_statuses(chat) == [status, status]
    assert list_acts(chat) == []


async def test_whoever_follows_the_link_of_a_programme_takes_part_in_all_of_it(
    chat: Chat, load_programme: LoadProgramme
) -> None:
    """Nobody else does from then on; the cards of its data sets say that there is such a link."""
    load_programme(RUNNING, RUNNING)
    organiser = await open_programme(chat, await open_admin(chat))
    assert "Invitations to “Мова”\n\nThere are none yet" in await go(chat, organiser, "Invite")
    await open_programme(chat, organiser)
    code = await invite(chat, organiser)
    person = await join(chat, 1, code)
    for _ in range(8):
        assert "Набір" in person.messages[-1].text
        await chat.tap(person, "так" if "так" in dict(person.messages[-1].buttons) else "Почати")
    await open_programme(chat, organiser)
    text = await go(chat, organiser, "Invite")
    assert f"start={code} — used 1, until 05.12" in text
    await open_programme(chat, organiser)
    text = await go(chat, organiser, "1", "Invite")
    assert text == (
        "Invitations to “Набір 0”\n\nThere are none for this data set alone."
        " Invitations to the whole programme also work here."
    )
    stranger = await begin(chat, 2)
    assert "Набір" not in stranger.screen
    assert [act for act, *_ in list_acts(chat)] == ["invite", "invite"]


async def test_a_message_to_a_programme_reaches_its_people_once_each(chat: Chat, load_programme: LoadProgramme) -> None:
    """Whoever takes part in several of its data sets, or in one; not those of the project beside it."""
    load_programme(RUNNING, PAUSED, RUNNING)
    organiser = await open_programme(chat, await open_admin(chat))
    code = await invite(chat, organiser)
    people = [await join(chat, number, code) for number in (1, 2)]
    outsider = await begin(chat, 3)
    await open_programme(chat, organiser)
    await go(chat, organiser, "Write to all")
    await chat.send(organiser, "Завтра останній день!")
    assert organiser.messages[-1].text.startswith("2 people get this")
    assert (await go(chat, organiser, "Send")).startswith("It goes to 2 people, about 29 per second.")
    chat.now += announcements.WORK_LASTS  # nobody is at work any more
    await collect(chat)
    await collect(chat)
    for person in people:
        told = [message.text for message in person.messages if "останній день" in message.text]
        assert told == ["«Мова»: повідомлення від організаторів\n\nЗавтра останній день!"]
    assert "останній день" not in outsider.screen
    await chat.send(organiser, "/admin")
    await go(chat, organiser, "2", "Write to all")
    await chat.send(organiser, "Вітаємо!")
    assert organiser.messages[-1].text.startswith("1 person gets this")
    with chat.database.reading() as view:
        assert view.exec(select(models.Announcement.programme_id)).all() == [1, None]
