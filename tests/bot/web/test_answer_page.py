"""The answer page: who may open it, what it shows, and that an answer there is an answer like any other."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from _faulty_telegram import ObservedPerson
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from sqlmodel import select

from annotation.store import frames, queries
from annotation.store.models import Assignment, Conversation, Item, Judgement
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.emulator.mini_apps import sign_init_data
from bot.web.answer_page.init_data import BadInitData, verify_user_id
from bot.web.answer_page.sessions import SESSION_SECONDS, BadSession, make_session, read_session

TOKEN, AT = "123456:made-up-token-for-the-test-vector", 1_750_000_000
FIELDS = {
    "user": '{"id":987654321,"first_name":"Оля+","last_name":"","language_code":"uk"}',
    "chat_instance": "-1234567890",
    "chat_type": "private",
    "start_param": "a17_r2",
    "auth_date": str(AT),
    "signature": "A" * 86,
}
DATA = sign_init_data(FIELDS, TOKEN)


def test_init_data_of_the_vector() -> None:
    """Its hash is the published one, and it names the person."""
    assert DATA.endswith("hash=97be1d14af7bc5ec00d3cd2f1cc67f7a9ca67558a85dd9dde635b33506eee009")
    assert verify_user_id(DATA, TOKEN, now=AT + 10) == 987654321


@pytest.mark.parametrize(
    ("data", "token", "now", "code"),
    [
        (DATA.replace("987654321", "987654322"), TOKEN, AT, "hash"),
        (DATA, "123456:another", AT, "hash"),
        (DATA, TOKEN, AT + 3601, "stale"),
        (DATA, TOKEN, AT - 61, "stale"),
        (DATA + "&user=%7B%22id%22%3A1%7D", TOKEN, AT, "repeated field"),
        (DATA.rsplit("&hash=", 1)[0], TOKEN, AT, "hash"),
        (DATA.rsplit("&hash=", 1)[0] + "&hash=%D1%8F", TOKEN, AT, "hash"),
        (DATA.replace("&signature=" + "A" * 86, ""), TOKEN, AT, "hash"),
        ("", TOKEN, AT, "length"),
        ("a", TOKEN, AT, "format"),
        (sign_init_data({"auth_date": str(AT)}, TOKEN), TOKEN, AT, "no person"),
        (sign_init_data(FIELDS | {"user": "[]"}, TOKEN), TOKEN, AT, "no person"),
        (sign_init_data(FIELDS | {"user": '{"id":true}'}, TOKEN), TOKEN, AT, "no person"),
    ],
)
def test_bad_init_data(data: str, token: str, now: int, code: str) -> None:
    """Forged, foreign, stale or broken: refused with a code that says nothing of the data."""
    with pytest.raises(BadInitData, match=f"^{code}$"):
        verify_user_id(data, token, now=now)


def test_sessions() -> None:
    """A session ends after its time, and is none of another bot's; any changed character breaks it."""
    session = make_session(5, TOKEN, now=AT)
    assert read_session(session, TOKEN, now=AT + SESSION_SECONDS - 1) == 5
    changed = [session[:at] + ("A" if session[at] != "A" else "B") + session[at + 1 :] for at in (0, 20, 45)]
    cases = [(session, TOKEN, AT + SESSION_SECONDS), (session, "1:other", AT), ("", TOKEN, AT), ("я", TOKEN, AT)]
    for text, token, now in [*cases, *((text, TOKEN, AT) for text in changed)]:
        with pytest.raises(BadSession):
            read_session(text, token, now=now)


TEXT = "Марія поливала <b>городина</b> щоранку."
PROJECT = """\
project: pages
title: Сторінки
language: uk
instructions: Читайте уважно.
question: {question}
items: {{file: items.jsonl, id: id, show: {show}}}
overlap: 2
surface: {{page: [{kind}]}}
"""
QUESTIONS = {
    "choice": '{type: choice, text: "Правильно?", options: [так, ні]}',
    "scale": '{type: scale, text: "Наскільки добре?", options: ["1", "2", "3"], ends: [погано, добре]}',
    "number": '{type: scale, text: "Скільки?", options: {from: 0, to: 100}, ends: [нічого, усе]}',
    "choices": '{type: choices, text: "Що не так?", options: [відмінок, кома, наголос], most: 2}',
    "text": '{type: text, text: "Хто поливав?"}',
    "span": '{type: span, text: "Де помилка?", field: text, none: "Немає"}',
    "edit": '{type: edit, text: "Виправте.", field: text}',
}
ORIGIN = "https://bot.example.org"


@dataclass
class Page:
    """The page of one bot, with somebody who has opened it from the chat."""

    chat: Any
    client: TestClient[web.Request, web.Application]
    person: ObservedPerson
    headers: dict[str, str] = field(default_factory=dict)
    opened: dict[str, Any] = field(default_factory=dict)

    async def open(self, user: int | None = None) -> int:
        """Open a session as this user; the status."""
        fields = {"user": json.dumps({"id": user or self.person.id}), "auth_date": str(int(self.chat.now.timestamp()))}
        data = {"init_data": sign_init_data(fields, self.chat.telegram.token)}
        async with self.client.post("/answer/session", json=data) as response:
            if response.status == 200:
                self.opened = await response.json()
                self.headers["Authorization"] = f"Bearer {self.opened['token']}"
            return response.status

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        """The status and the JSON of a request with the session."""
        async with self.client.request(
            method, f"/answer/{path}", json=body, headers=self.headers | headers
        ) as response:
            status, text = response.status, await response.text()
        await self.chat.app.sender.wait_until_idle()
        await self.chat.app.receipts.save()
        return status, json.loads(text) if text.startswith("{") else text

    async def read(self) -> Any:
        """The item to answer now."""
        return (await self.ask("GET", "work"))[1]["item"]

    def judgements(self) -> list[Judgement]:
        """What is stored, oldest first."""
        with self.chat.database.reading() as view:
            return list(view.exec(select(Judgement).order_by(Judgement.id)).all())  # type: ignore[arg-type]


@pytest.fixture
async def begin(chat: Any, tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Starts a project with one question, and brings somebody to its first item."""
    clients: list[TestClient[web.Request, web.Application]] = []

    async def begun(
        kind: str, *, page_url: str | None = f"{ORIGIN}/answer/", show: str = "text", end: str = ""
    ) -> Page:
        rows = [json.dumps({"id": str(number), "text": f"{TEXT} {number}{end}"}) for number in range(3)]
        (tmp_path / "items.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
        surface = "scale" if kind == "number" else kind
        project = PROJECT.format(question=QUESTIONS[kind], kind=surface, show=show)
        (tmp_path / "p.yaml").write_text(project, "utf-8")
        with chat.database.transaction() as session:
            projects.load_project_file(session, tmp_path / "p.yaml", now=chat.now)
            session.connection().execute(sa.update(Item).values(queue_position=Item.rank + 10**9))
            transitions.start_project(session, project=queries.get_project(session, "pages"), now=chat.now)
        settings = chat.app.workers.settings
        conversation = replace(settings.conversation, page_url=page_url)
        chat.app.workers.settings = replace(settings, conversation=conversation)
        site = web.Application()
        site.router.add_routes(application.list_page_routes((chat.app,), f"{ORIGIN}/answer/"))
        clients.append(TestClient(TestServer(site)))
        await clients[0].start_server()
        page = Page(chat, clients[0], chat.person(1))
        await join(page.chat, page.person)
        return page

    yield begun
    for client in clients:
        await client.close()


async def join(chat: Any, person: ObservedPerson) -> None:
    """Begin to work, up to the first item."""
    await chat.send(person, "/start")
    await chat.tap(person, "Українська")
    await chat.tap(person, "Почати")


def list_pages(page: Page) -> list[str]:
    """The addresses of pages that buttons of the last message open."""
    markup = [*page.person.chat.visible()][-1].content.markup
    return [key.page for key in markup.buttons if key.page] if markup else []


ANSWERS: dict[str, tuple[Any, str]] = {
    "choice": (None, "так"),
    "scale": (None, "1"),
    "number": ("42", "42"),
    "choices": ([0, 2], '["відмінок", "наголос"]'),
    "text": (" Марія ", "Марія"),
    "span": ([{"start": 0, "end": 5}], '[{"start": 0, "end": 5, "text": "Марія"}]'),
    "edit": (f"{TEXT.replace('городина', 'городину')} 0", f"{TEXT.replace('городина', 'городину')} 0"),
}


@pytest.mark.parametrize("kind", ANSWERS)
async def test_an_answer_on_the_page(begin: Callable[..., Any], kind: str) -> None:
    """It is stored with its surface, the card becomes ✓, the next item is on both, a replay stores nothing."""
    page = await begin(kind)
    (address,) = list_pages(page)
    assert await page.open() == 200
    item = await page.read()
    assert address == f"{ORIGIN}/answer/?a={item['assignment']}&l=uk"
    entered, stored = ANSWERS[kind]
    sent = (
        {"data": item["asked"]["options"][0]["data"]}
        if entered is None
        else {"data": item["asked"]["done"], "entered": entered}
    )
    status, told = await page.ask("POST", "tap", sent)
    assert (status, told["item"]["assignment"] != item["assignment"]) == (200, True)
    (judgement,) = page.judgements()
    assert (judgement.response, judgement.on_page) == (stored, True)
    shown = [message.text for message in page.person.chat.visible()]
    assert any(text.startswith("✓ 1") for text in shown)
    assert list_pages(page) == [f"{ORIGIN}/answer/?a={told['item']['assignment']}&l=uk"]
    status, again = await page.ask("POST", "tap", sent)
    assert (status, len(page.judgements())) == (200, 1)
    assert again["toast"]
    with page.chat.database.reading() as view:
        frame = frames.read_responses(view, queries.get_project(view, "pages"))
    assert list(frame["surface"]) == ["answer page"]


async def test_a_command_opens_the_page(begin: Callable[..., Any]) -> None:
    """`/page` is in the menu of commands, its button leads to the item in hand; without an address it is unknown."""
    page = await begin("choice")
    scopes = page.chat.telegram.commands.items()
    (menu,) = [[one["command"] for one in commands] for (scope, _), commands in scopes if "1" in scope]
    assert "page" in menu
    await page.chat.send(page.person, "/page")
    (address,) = list_pages(page)
    assert address == f"{ORIGIN}/answer/?a=0&l=uk"
    page.chat.app.workers.settings = replace(
        page.chat.app.workers.settings,
        conversation=replace(page.chat.app.workers.settings.conversation, page_url=None),
    )
    await page.chat.send(page.person, "/page")
    assert "Такої команди немає" in page.person.screen
    assert list_pages(page) == []


async def test_answers_of_the_chat_have_its_surface(begin: Callable[..., Any]) -> None:
    """A tap in the chat is stored as one there, and the page shows what comes next."""
    page = await begin("choice")
    await page.open()
    first = await page.read()
    assert page.opened["item"] == first  # it came with the session, and needed no request
    await page.chat.tap(page.person, "ні")
    assert (await page.read())["assignment"] != first["assignment"]
    assert [(one.response, one.on_page) for one in page.judgements()] == [("ні", False)]
    status, told = await page.ask("POST", "tap", {"data": first["asked"]["options"][0]["data"]})
    assert (status, [one.response for one in page.judgements()]) == (200, ["ні"])
    assert told["toast"]


async def test_a_card_on_its_way_is_marked_too(begin: Callable[..., Any]) -> None:
    """Whoever answers on the page before Telegram has taken the card finds it as ✓ in the chat."""
    page = await begin("choice")
    await page.open()
    telegram = page.chat.telegram
    work = {"item": await page.read()}
    telegram.faults.stall()
    for _ in range(2):
        sent = {"data": work["item"]["asked"]["options"][0]["data"]}
        async with page.client.post("/answer/tap", json=sent, headers=page.headers) as response:
            work = await response.json()
    telegram.faults.resume()
    await page.chat.app.sender.wait_until_idle()
    await page.chat.app.receipts.save()
    marked = [message.text[:9] for message in page.person.messages if message.text.startswith("✓")]
    assert marked == ["✓ 1 · так", "✓ 2 · так"]
    assert [one.response for one in page.judgements()] == ["так", "так"]


async def test_a_card_is_not_sent_again_once_it_is_answered(begin: Callable[..., Any]) -> None:
    """A bot was killed after it had sent a card, and before it noted so; meanwhile the item was answered."""
    page = await begin("choice")
    await page.open()
    work = {"item": await page.read()}
    sender = page.chat.app.sender
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(page.chat.app.receipts), "add", lambda *_, **__: None)  # the killed bot notes nothing
        sent = {"data": work["item"]["asked"]["options"][0]["data"]}
        async with page.client.post("/answer/tap", json=sent, headers=page.headers) as response:
            work = await response.json()
        await sender.wait_until_idle()
    shown = [message.text for message in page.person.messages]
    sent = {"data": work["item"]["asked"]["options"][0]["data"]}
    async with page.client.post("/answer/tap", json=sent, headers=page.headers) as response:
        assert response.status == 200
    await sender.wait_until_idle()
    await page.chat.app.receipts.save()
    page.chat.now += timedelta(minutes=1)
    await page.chat.app.recover()
    await sender.wait_until_idle()
    came = [message.text for message in page.person.messages][len(shown) :]
    assert [text.splitlines()[0] for text in came] == ["3"]
    assert len(page.judgements()) == 2


async def test_the_page_waits_until_a_killed_bot_is_recovered(begin: Callable[..., Any]) -> None:
    """What the killed process left behind is sent first; until then the page is told to come again."""
    page = await begin("choice")
    await page.open()
    page.chat.app.workers.waits_for_recovery = True
    assert (await page.ask("GET", "work"))[0] == 503
    await page.chat.app.recover()
    assert (await page.ask("GET", "work"))[0] == 200


async def test_change_on_the_page(begin: Callable[..., Any]) -> None:
    """Undo opens the item with its answer, and the next answer is a revision; skip and pause work as in the chat."""
    page = await begin("span")
    await page.open()
    item = await page.read()
    _, told = await page.ask("POST", "tap", {"data": item["asked"]["done"], "entered": [{"start": 0, "end": 5}]})
    _, reopened = await page.ask("POST", "tap", {"data": told["undo"]["data"]})
    assert (reopened["item"]["assignment"], reopened["item"]["revision"]) == (item["assignment"], 1)
    assert reopened["item"]["asked"]["value"] == [{"start": 0, "end": 5}]
    _, after = await page.ask("POST", "tap", {"data": reopened["item"]["asked"]["done"], "entered": []})
    assert [(one.revision, one.response) for one in page.judgements()][-1] == (1, "[]")
    _, skipped = await page.ask("POST", "tap", {"data": (await page.read())["actions"]["skip"][0]["data"]})
    assert skipped["item"]["assignment"] not in {item["assignment"], told["item"]["assignment"]}
    assert page.judgements()[-1].skip_reason
    _, paused = await page.ask("POST", "tap", {"data": skipped["item"]["actions"]["pause"]["data"]})
    assert paused["item"] is None
    assert after["item"] is not None


async def test_a_number_has_its_ends_and_stays_when_it_is_changed(begin: Callable[..., Any]) -> None:
    """As in the chat: what the lowest and the highest point mean, and what is no point is refused."""
    page = await begin("number")
    await page.open()
    asked = (await page.read())["asked"]
    assert (asked["kind"], asked["ends"], asked["value"]) == ("number", ["0 — нічого", "100 — усе"], None)
    _, refused = await page.ask("POST", "tap", {"data": asked["done"], "entered": "101"})
    assert refused["toast"].startswith("Дайте відповідь числом від 0 до 100.")
    _, told = await page.ask("POST", "tap", {"data": asked["done"], "entered": "42"})
    _, reopened = await page.ask("POST", "tap", {"data": told["undo"]["data"]})
    assert reopened["item"]["asked"]["value"] == "42"


@pytest.mark.parametrize("kind", ["span", "edit"])
@pytest.mark.parametrize("end", ["", " ", "\n"])
async def test_a_text_in_the_question_is_shown_once(begin: Callable[..., Any], kind: str, end: str) -> None:
    """With its title, and whatever blanks it ends with in the file; one with a marked passage stands above as well."""
    page = await begin(kind, show="[{field: text, title: Переклад}]", end=end)
    await page.open()
    item = await page.read()
    assert (item["blocks"], item["asked"]["heading"]) == ([], "Переклад")


BAD = [
    ("span", [{"start": 1, "end": 5}]), ("span", [{"start": 0, "end": 5, "text": "x"}]), ("span", "Марія"),
    ("span", [{"start": False, "end": 5}]), ("choices", [3]), ("choices", [True]), ("choices", "так"), ("edit", 5),
    ("text", "a\0"), ("choices", [0, 1, 2]), ("text", ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "entered"), BAD)
async def test_bad_input_changes_nothing(begin: Callable[..., Any], kind: str, entered: object) -> None:
    """What is no answer is refused in words, and the same question is asked."""
    page = await begin(kind)
    await page.open()
    item = await page.read()
    status, told = await page.ask("POST", "tap", {"data": item["asked"]["done"], "entered": entered})
    assert (status, page.judgements(), told["item"]["asked"]["name"]) == (200, [], item["asked"]["name"])
    assert told["toast"]


async def test_drafts(begin: Callable[..., Any]) -> None:
    """A draft is stored in order, renews the lease, is no judgement, and is gone with the answer."""
    page = await begin("edit")
    await page.open()
    item = await page.read()
    sent = {"assignment": item["assignment"], "revision": 0, "question": item["asked"]["name"], "base": 0}

    def lease() -> object:
        with page.chat.database.reading() as view:
            return view.get(Assignment, item["assignment"]).lease_until

    before = lease()
    page.chat.now = page.chat.now.replace(minute=page.chat.now.minute + 9)
    mine = sent | {"device": "one", "seq": 2, "value": "друге"}
    assert await page.ask("PUT", "draft", mine) == (200, {"version": 1})
    assert lease() > before  # type: ignore[operator]
    assert await page.ask("PUT", "draft", mine | {"seq": 1, "value": "перше"}) == (200, {"version": 1})
    status, other = await page.ask("PUT", "draft", sent | {"device": "two", "seq": 1, "value": "інше"})
    assert (status, other["draft"]["value"]) == (409, "друге")
    assert await page.ask("PUT", "draft", sent | {"base": 1, "device": "two", "seq": 1, "value": "інше"}) == (
        200,
        {"version": 2},
    )
    stored = (await page.ask("GET", "work"))[1]["draft"]
    assert (stored["value"], stored["seen"]) == ("інше", {"one": 2, "two": 1})
    for number in range(20):
        another = {"base": 2 + number, "device": f"d{number}", "seq": 1, "value": "інше"}
        async with page.client.put("/answer/draft", json=sent | another, headers=page.headers) as response:
            assert response.status == 200
    async with page.client.put("/answer/draft", json=sent | {"base": 1} | mine, headers=page.headers) as response:
        assert (response.status, response.headers["Content-Encoding"]) == (409, "deflate")
        assert len((await response.json())["draft"]["seen"]) < 10
    assert page.judgements() == []
    assert (await page.ask("PUT", "draft", sent | {"device": 1, "seq": 1}))[0] == 400
    await page.ask("POST", "tap", {"data": item["asked"]["done"], "entered": f"{TEXT}!"})
    assert (await page.ask("PUT", "draft", mine | {"seq": 9}))[0] == 410
    assert (await page.ask("GET", "work"))[1]["draft"] is None


async def test_strangers_are_refused(begin: Callable[..., Any]) -> None:
    """No session, a stranger's, another's item, another site, another type of content: nothing is done."""
    page = await begin("choice")
    assert (await page.ask("GET", "work"))[0] == 401
    assert await page.open(777) == 200
    assert page.opened.keys() == {"token"}
    assert (await page.ask("GET", "work"))[0] == 401
    await page.open()
    tap = {"data": (await page.read())["asked"]["options"][0]["data"]}
    for headers, status in (({"Origin": "https://evil.example"}, 403), ({"Sec-Fetch-Site": "cross-site"}, 403)):
        assert (await page.ask("POST", "tap", tap, **headers))[0] == status
    async with page.client.post("/answer/tap", data=json.dumps(tap), headers=page.headers) as response:
        assert response.status == 415
    other = page.chat.person(2)
    await join(page.chat, other)
    await page.open(2)
    status, told = await page.ask("POST", "tap", tap)
    assert (status, page.judgements()) == (200, [])
    assert told["item"]["asked"]["options"][0]["data"] != tap["data"]
    async with page.client.post("/answer/session", json={"init_data": DATA}) as response:
        assert response.status == 403
        policy = response.headers["Content-Security-Policy"]
    assert "frame-ancestors https://web.telegram.org" in policy


async def test_forgotten_people_are_out(begin: Callable[..., Any]) -> None:
    """A session ends with the erasure of its person, and their draft is deleted."""
    page = await begin("text")
    await page.open()
    item = await page.read()
    sent = {"assignment": item["assignment"], "revision": 0, "question": item["asked"]["name"], "base": 0}
    assert (await page.ask("PUT", "draft", sent | {"device": "one", "seq": 1, "value": "таємне"}))[0] == 200
    await page.chat.send(page.person, "/forget")
    await page.chat.tap(page.person, [*page.person.chat.visible()][-1].buttons[0][0])
    assert (await page.ask("GET", "work"))[0] == 401
    with page.chat.database.reading() as view:
        kept = [json.dumps(data, ensure_ascii=False) for data in view.exec(select(Conversation.data)).all()]
    assert "таємне" not in "".join(kept)


async def test_any_item_can_be_opened_under_more(begin: Callable[..., Any]) -> None:
    """Under ⋯, whatever the project lists; not without an address."""
    page = await begin("choice")
    await page.chat.tap(page.person, "⋯")
    (address,) = list_pages(page)
    assert address.startswith(f"{ORIGIN}/answer/?a=")
    settings = page.chat.app.workers.settings
    page.chat.app.workers.settings = replace(settings, conversation=replace(settings.conversation, page_url=None))
    await page.chat.tap(page.person, "‹ Назад")
    await page.chat.tap(page.person, "⋯")
    assert list_pages(page) == []


async def test_nothing_is_offered_without_an_address(begin: Callable[..., Any]) -> None:
    """Without a public address the chat has no button."""
    page = await begin("span", page_url=None)
    assert list_pages(page) == []
