"""Pictures on the answer page: their addresses, who gets them, and for how long."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from _pictures import write_project
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from sqlmodel import col

from annotation.store import queries
from annotation.store.models import Annotator, Assignment, Item
from annotation.vocabulary import AssignmentStatus
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.conversation.picture_addresses import PICTURE_SECONDS, is_picture_address, make_picture_address
from bot.conversation.updates_and_calls import NewPhoto
from bot.emulator.mini_apps import sign_init_data
from bot.web.answer_page import screens

ORIGIN = "https://bot.example.org"
KEY, NOW = b"k" * 32, datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
NAME = "0" * 64 + ".png"


def check(address: str, *, key: bytes = KEY, now: datetime = NOW, parts: dict[str, str] | None = None) -> bool:
    """Whether an address holds, with some parts changed."""
    _, assignment_id, until, signature, name = address.split("/")
    found = {"name": name, "assignment_id": assignment_id, "until": until, "signature": signature} | (parts or {})
    return is_picture_address(**found, key=key, now=now)


def test_an_address_is_for_one_picture_of_one_assignment() -> None:
    """It holds for five minutes, for the deployment that made it."""
    address = make_picture_address(NAME, assignment_id=7, key=KEY, now=NOW)
    last = NOW + timedelta(seconds=PICTURE_SECONDS)
    assert check(address)
    assert check(address, now=last - timedelta(seconds=1))
    assert not check(address, now=last)
    assert not check(address, key=b"x" * 32)
    signature = address.split("/")[3]
    for parts in (
        {"name": NAME.replace("0", "1", 1)}, {"assignment_id": "8"}, {"assignment_id": "07"}, {"until": "9999999999"},
        {"signature": ""}, {"signature": "я"}, {"signature": signature[:-1]}, {"signature": signature.upper()},
        {"until": "", "assignment_id": ""}, {"name": "\ud800"},
    ):  # fmt: skip
        assert not check(address, parts=parts)


@dataclass
class Page:
    """The page of one bot, with somebody who has opened it from the chat."""

    chat: Any
    client: TestClient[web.Request, web.Application]
    headers: dict[str, str] = field(default_factory=dict)

    async def read(self) -> Any:
        """The item to answer now."""
        async with self.client.get("/answer/work", headers=self.headers) as response:
            return (await response.json())["item"]

    async def get(self, address: str, **headers: str) -> tuple[int, bytes, Any]:
        """The status, the content and the headers of what is at an address; as a browser asks for a picture."""
        async with self.client.get(f"/answer/{address}", headers=headers) as response:
            return response.status, await response.read(), response.headers

    def change(self, statement: Any) -> None:
        """Change the database."""
        with self.chat.database.transaction() as session:
            session.connection().execute(statement)


@pytest.fixture
async def page(chat: Any, tmp_path: Path) -> AsyncIterator[Page]:
    """A project of pictures, and somebody at its first item, the owl."""
    with chat.database.transaction() as session:
        projects.load_project_file(session, write_project(tmp_path / "birds"), now=chat.now)
        session.connection().execute(sa.update(Item).values(queue_position=Item.rank + 10**9))
        transitions.start_project(session, project=queries.get_project(session, "birds"), now=chat.now)
    settings = chat.app.workers.settings
    conversation = replace(settings.conversation, page_url=f"{ORIGIN}/answer/")
    chat.app.workers.settings = replace(settings, conversation=conversation)
    site = web.Application()
    site.router.add_routes(application.list_page_routes((chat.app,), f"{ORIGIN}/answer/"))
    async with TestClient(TestServer(site)) as client:
        person = chat.person(1)
        await chat.send(person, "/start")
        await chat.tap(person, "English")
        await chat.tap(person, "Begin")
        fields = {"user": json.dumps({"id": person.id}), "auth_date": str(int(chat.now.timestamp()))}
        data = {"init_data": sign_init_data(fields, chat.telegram.token)}
        async with client.post("/answer/session", json=data) as response:
            opened = Page(chat, client, {"Authorization": f"Bearer {(await response.json())['token']}"})
        yield opened


async def test_the_item_has_its_picture(page: Page, tmp_path: Path) -> None:
    """With words for those who do not see it, its size, and an address that needs no header; nothing is kept."""
    item = await page.read()
    title, block, text = item["blocks"]
    assert [run["text"] for run in title["runs"]] == ["The bird"]
    assert [run["text"] for run in text["runs"]] == ["It sits."]
    picture = block["picture"]
    assert (picture["alt"], picture["width"], picture["height"]) == ("Picture 1: The bird", 400, 300)
    status, content, headers = await page.get(picture["src"])
    assert (status, content) == (200, (tmp_path / "birds" / "pictures" / "owl.png").read_bytes())
    assert headers["Content-Type"] == "image/png"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert hashlib.sha256(content).hexdigest() in picture["src"]
    assert "owl" not in json.dumps(item["blocks"])


async def test_an_address_ends_and_is_made_again(page: Page) -> None:
    """After five minutes the page asks for the item again."""
    before = (await page.read())["blocks"][1]["picture"]["src"]
    page.chat.now += timedelta(seconds=PICTURE_SECONDS)
    assert (await page.get(before))[0] == 404
    assert (await page.get((await page.read())["blocks"][1]["picture"]["src"]))[0] == 200


async def test_a_picture_goes_with_its_assignment(page: Page) -> None:
    """It is there while the item is in hand and once it is answered; not after a skip, nor for suspended people."""
    item = await page.read()
    address, option = item["blocks"][1]["picture"]["src"], item["asked"]["options"][0]["data"]
    async with page.client.post("/answer/tap", json={"data": option}, headers=page.headers) as response:
        after = (await response.json())["item"]
    assert (await page.get(address))[0] == 200
    assert after["blocks"][1]["picture"]["src"].endswith(".jpg")
    of_owl = col(Assignment.id) == item["assignment"]
    for status in (AssignmentStatus.SKIPPED, AssignmentStatus.EXPIRED):
        page.change(sa.update(Assignment).where(of_owl).values(status=status))
        assert (await page.get(address))[0] == 404
    page.change(sa.update(Assignment).where(of_owl).values(status=AssignmentStatus.DONE))
    page.change(sa.update(Annotator).values(suspended_at=page.chat.now))
    assert (await page.get(address))[0] == 404


async def test_no_address_can_be_made_up(page: Page) -> None:
    """Nor one of another picture of the project, by changing a part; what is not there is as what is not theirs."""
    address = (await page.read())["blocks"][1]["picture"]["src"]
    kind, assignment, until, signature, name = address.split("/")
    other = "1" * 64 + ".png"
    for wrong in (
        f"{kind}/{assignment}/{until}/{signature}/{other}",
        f"{kind}/{int(assignment) + 1}/{until}/{signature}/{name}",
        f"{kind}/{assignment}/{int(until) + 1}/{signature}/{name}",
        f"{kind}/{assignment}/{until}/{'0' * 64}/{name}",
        make_picture_address(other, assignment_id=int(assignment), key=KEY, now=page.chat.now),
        make_picture_address(name, assignment_id=99_999, key=KEY, now=page.chat.now),
    ):
        assert (await page.get(wrong))[0] == 404


async def test_the_chat_offers_the_page(page: Page) -> None:
    """Under the item, which has a line in the place of the picture, although no question type asks for it."""
    shown = [*page.chat.person(1).chat.visible()][-1]
    assert [key.page for key in shown.content.markup.buttons if key.page]
    assert "The bird\n\n🖼 Picture 1" in shown.text


def test_people_without_telegram_see_it_among_messages(chat: Any) -> None:
    """In the second pass, which they read as messages; a photo for another chat is none of theirs."""
    photo = NewPhoto(chat_id=5, picture=NAME, caption="The bird", assignment_id=7)
    calls = [photo, replace(photo, chat_id=6)]
    with chat.database.transaction() as session:
        told, hidden = (
            screens.show_calls(session, calls, chat_id=5, now=NOW, after=0, with_item=with_item, key=KEY)["told"]
            for with_item in (True, False)
        )
    source = make_picture_address(NAME, assignment_id=7, key=KEY, now=NOW)
    picture = {"src": source, "alt": "The bird"}
    assert (told, hidden) == ([{"html": "", "rows": [], "hint": None, "picture": picture}], [])
