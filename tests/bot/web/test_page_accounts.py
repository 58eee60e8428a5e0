"""People without Telegram: a link, a code, a cookie, and the same work on the answer page as in the chat."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from sqlmodel import select

from annotation.store import invariants, queries
from annotation.store.models import Annotator, Assignment, Invitation, Judgement, Outbox, SupportMessage
from annotation.vocabulary import FIRST_PAGE_ID
from annotation.workflow.annotators import erasure, invitations, page_accounts, support_messages
from annotation.workflow.conversations import conversation_state
from annotation.workflow.conversations.conversation_state import AnswerDraft
from annotation.workflow.lifecycle import projects, transitions
from bot import application
from bot.web.answer_page.routes import ASSETS

KEY = b"k" * 32
PROJECT = """\
project: pages
title: Сторінки
language: uk
instructions: Читайте уважно.
consent: {file: consent.md, version: 1}
profile: [{name: town, text: "Звідки ви?", type: text}]
question: {type: choice, text: "Правильно?", options: [так, ні]}
items: {file: items.jsonl, id: id, show: text}
overlap: 2
"""


def test_personal_codes() -> None:
    """A code leads to its account however it is typed; a changed one, or one of another deployment, to none."""
    account = page_accounts.make_account_id()
    assert account >= FIRST_PAGE_ID
    code = page_accounts.make_code(account, KEY)
    assert len(code) == 34
    for typed in (code, code.lower(), code.replace("-", " "), f" {code} ", code.replace("O", "0").replace("I", "1")):
        assert page_accounts.read_code(typed, KEY) == account
    changed = ("A" if code[0] != "A" else "B") + code[1:]
    for wrong, key in ((changed, KEY), (code, b"x" * 32), ("", KEY), ("я" * 30, KEY), (code[:-1], KEY)):
        with pytest.raises(page_accounts.BadCode):
            page_accounts.read_code(wrong, key)


@dataclass
class Visitor:
    """Somebody in a browser, with its cookies."""

    chat: Any
    client: TestClient[web.Request, web.Application]
    screen: int = 0

    async def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        """The status and the JSON of a request."""
        async with self.client.request(method, f"/answer/{path}", json=body, headers=headers) as response:
            status, text = response.status, await response.text()
        shown = json.loads(text) if text.startswith("{") else {}
        self.screen = shown.get("screen") or self.screen
        return status, shown

    async def say(self, text: str) -> Any:
        """Send a text as the page does; what it shows then."""
        status, shown = await self.ask("POST", "say", {"text": text, "screen": self.screen})
        assert status == 200
        return shown

    async def tap(self, shown: Any, label: str) -> Any:
        """Tap a button of a message, or an option of the item; what the page shows then."""
        buttons = {one["label"]: one["data"] for message in shown["told"] for row in message["rows"] for one in row}
        if shown["item"]:
            buttons |= {one["label"]: one["data"] for one in shown["item"]["asked"]["options"]}
        status, after = await self.ask("POST", "tap", {"data": buttons[label]})
        assert status == 200
        return after

    async def join(self, code: str, **more: object) -> tuple[int, Any]:
        """Join by the code of a link."""
        return await self.ask("POST", "join", {"code": code, "language": "uk", **more})

    async def reach_item(self, code: str) -> Any:
        """Join, and answer all that comes before the first item."""
        _, shown = await self.join(code)
        shown = await self.tap(shown, "Українська")
        shown = await self.tap(shown, "Погоджуюся")
        shown = await self.say("Львів")
        return await self.tap(shown, "Почати")


@pytest.fixture
async def visit(chat: Any, tmp_path: Path) -> AsyncIterator[Callable[[], Any]]:
    """Makes visitors of the page of a project with three items."""
    rows = [json.dumps({"id": str(number), "text": f"Речення {number}."}) for number in range(3)]
    (tmp_path / "items.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    (tmp_path / "consent.md").write_text("Відповіді опублікують без імен.", "utf-8")
    (tmp_path / "p.yaml").write_text(PROJECT, "utf-8")
    with chat.database.transaction() as session:
        projects.load_project_file(session, tmp_path / "p.yaml", now=chat.now)
        transitions.start_project(session, project=queries.get_project(session, "pages"), now=chat.now)
    clients: list[TestClient[web.Request, web.Application]] = []
    site = web.Application()
    settings = chat.app.workers.settings
    chat.app.workers.settings = replace(settings, conversation=replace(settings.conversation, page_url="http://x/"))
    site.router.add_routes(application.list_page_routes((chat.app,), "http://127.0.0.1/answer/"))
    server = TestServer(site)

    async def visited() -> Visitor:
        clients.append(TestClient(server))
        await clients[-1].start_server()
        return Visitor(chat, clients[-1])

    yield visited
    for client in clients:
        await client.close()


def invite(chat: Any, **options: Any) -> str:
    """The code of a new invitation."""
    with chat.database.transaction() as session:
        target = queries.get_project(session, "pages")
        code = invitations.generate_code()
        invitations.create_invitation(session, target=target, code=code, now=chat.now, **options)
    return code


def read(chat: Any, statement: Any) -> list[Any]:
    """What the database says."""
    with chat.database.reading() as view:
        return list(view.exec(statement).all())


async def test_a_link_leads_to_the_last_item(visit: Callable[[], Any], chat: Any) -> None:
    """Language, consent, profile, task card and items, without Telegram; answers are those of the page."""
    visitor = await visit()
    shown = await visitor.reach_item(invite(chat))
    answered = 0
    while shown["item"]:
        assert shown["menu"]
        shown = await visitor.tap(shown, "так")
        answered += 1
    assert answered == 3
    assert shown["told"]
    judgements = read(chat, select(Judgement))
    assert [(one.response, one.on_page) for one in judgements] == [("так", True)] * 3
    (annotator,) = read(chat, select(Annotator))
    assert annotator.telegram_id >= FIRST_PAGE_ID
    assert annotator.unreachable_at is not None
    assert read(chat, select(Outbox)) == []
    progress = await visitor.say("/progress")
    assert "3" in progress["told"][0]["html"]


async def test_a_text_answers_the_screen_that_asked_for_it(visit: Callable[[], Any], chat: Any) -> None:
    """A text from an older screen of another window is not taken for the answer to a newer question."""
    visitor = await visit()
    _, shown = await visitor.join(invite(chat))
    shown = await visitor.tap(shown, "Українська")
    older = visitor.screen
    chat.now += timedelta(seconds=1)
    shown = await visitor.tap(shown, "Погоджуюся")
    assert "Звідки ви?" in shown["told"][-1]["html"]
    _, early = await visitor.ask("POST", "say", {"text": "Київ", "screen": older})
    assert read(chat, sa.text("SELECT value FROM profile_answer")) == []
    assert early["told"]
    shown = await visitor.say("Львів")
    (town,) = read(chat, sa.text("SELECT value FROM profile_answer"))
    assert "Львів" in str(town)


async def test_codes_that_lead_nowhere_register_nobody(visit: Callable[[], Any], chat: Any) -> None:
    """Unknown, expired, used up, an adjudicator's: a sentence, no cookie, no annotator."""
    used = invite(chat, uses=1)
    first = await visit()
    assert (await first.join(used))[0] == 200
    adjudicator = invite(chat, adjudicates=True)
    for code in ("nothing", used, adjudicator, "x" * 500):
        visitor = await visit()
        status, said = await visitor.join(code)
        assert (status, bool(said["toast"])) == (403, True)
        assert (await visitor.ask("GET", "work"))[0] == 401
    assert len(read(chat, select(Annotator))) == 1
    assert [one.used for one in read(chat, select(Invitation).order_by(Invitation.id))] == [1, 0]  # type: ignore[arg-type]


async def test_opening_a_link_changes_nothing(visit: Callable[[], Any], chat: Any) -> None:
    """The page and its files are fetched by messengers too."""
    invite(chat)
    visitor = await visit()
    for path in ("", "page.js", "accounts.js"):
        async with visitor.client.get(f"/answer/{path}") as response:
            assert response.status == 200
            assert "Set-Cookie" not in response.headers
    assert read(chat, select(Annotator)) == []


async def test_the_first_page_is_small(visit: Callable[[], Any], chat: Any) -> None:
    """All that a phone loads before the first question: below 40 kB, compressed, and the item compressed as well."""
    visitor = await visit()
    await visitor.reach_item(invite(chat))
    total, headers = 0, {"Accept-Encoding": "gzip"}
    for name in ("", "work", *ASSETS):
        url = f"/answer/{name}?l=uk"
        async with visitor.client.session.get(
            visitor.client.make_url(url), headers=headers, auto_decompress=False
        ) as one:
            assert one.status == 200
            assert one.headers.get("Content-Encoding") == (None if name.endswith(".svg") else "gzip"), name
            total += len(await one.read())
    assert 10_000 < total < 40_000


async def test_a_code_leads_back_and_a_device_forgets(visit: Callable[[], Any], chat: Any) -> None:
    """Another device continues with the personal code; leaving ends one device only."""
    visitor = await visit()
    _, joined = await visitor.join(invite(chat))
    other = await visit()
    assert (await other.ask("POST", "recover", {"code": "AAAA-BBBB"}))[0] == 403
    assert (await other.ask("GET", "work"))[0] == 401
    assert (await other.ask("POST", "recover", {"code": joined["code"].lower()}))[0] == 200
    assert (await other.ask("GET", "code"))[1] == {"code": joined["code"]}
    assert (await visitor.ask("POST", "leave", {}))[0] == 200
    assert [(await one.ask("GET", "work"))[0] for one in (visitor, other)] == [401, 200]


async def test_cookies(visit: Callable[[], Any], chat: Any) -> None:
    """For the browser's session unless the device is remembered; not for scripts or other sites; no forged one."""
    code = invite(chat)
    for remember, lasts in ((False, False), (True, True)):
        visitor = await visit()
        body = {"code": code, "language": "uk", "remember": remember}
        async with visitor.client.post("/answer/join", json=body) as response:
            cookie = response.headers["Set-Cookie"]
        assert ("Max-Age" in cookie) == lasts
        assert {"HttpOnly", "SameSite=Lax", "Path=/answer/"} <= set(cookie.split("; "))
    forged = await visit()
    forged.client.session.cookie_jar.update_cookies({"hromada": "x" * 80})
    assert (await forged.ask("GET", "work"))[0] == 401
    status, _ = await visitor.ask("POST", "say", {"text": "/forget", "screen": 0}, Origin="https://evil.example")
    assert status == 403


async def test_forgotten_people_are_gone(visit: Callable[[], Any], chat: Any) -> None:
    """Erasure says goodbye, ends the session and the code, and a later request registers nobody again."""
    visitor = await visit()
    _, joined = await visitor.join(invite(chat))
    shown = await visitor.tap(joined, "Українська")
    shown = await visitor.say("/forget")
    label = shown["told"][-1]["rows"][0][0]["label"]
    shown = await visitor.tap(shown, label)
    assert shown["is_gone"]
    assert (await visitor.ask("POST", "say", {"text": "/start", "screen": 0}))[0] == 401
    assert (await visitor.ask("POST", "recover", {"code": joined["code"]}))[0] == 403
    assert [one.telegram_id for one in read(chat, select(Annotator))] in ([], [None])


async def test_organisers_answers_are_told_on_the_page(visit: Callable[[], Any], chat: Any) -> None:
    """A question goes to the organisers, and their answer comes with what the person does next, once."""
    visitor = await visit()
    shown = await visitor.reach_item(invite(chat))
    await visitor.say("/ask")
    await visitor.say("Що робити з комою?")
    (question,) = read(chat, select(SupportMessage))
    with chat.database.transaction() as session:
        support_messages.answer_message(session, message_id=question.id, text="Лишіть її.", now=chat.now)
    await chat.deliver()
    assert read(chat, select(Outbox)) == []
    shown = await visitor.tap(shown, "так")
    assert [message for message in shown["told"] if "Лишіть її." in message["html"]]
    shown = await visitor.tap(shown, "так")
    assert not [message for message in shown["told"] if "Лишіть її." in message["html"]]


async def test_strangers_are_slowed_down(visit: Callable[[], Any], chat: Any) -> None:
    """Codes can be tried so often in a minute, by all together."""
    visitor = await visit()
    statuses = [(await visitor.join("nothing"))[0] for _ in range(62)]
    assert (statuses[0], statuses[-1]) == (403, 429)


async def test_somebody_moves_to_telegram(visit: Callable[[], Any], chat: Any) -> None:
    """The code of the page leads a newcomer of the chat to what they did; the page and its code end."""
    visitor = await visit()
    shown = await visitor.reach_item(invite(chat))
    shown = await visitor.tap(shown, "так")
    (before,) = read(chat, select(Annotator))
    code = (await visitor.ask("GET", "code"))[1]["code"]
    assert shown["move"] == f"https://t.me/hromada_bot?start={code.replace('-', '')}"
    person = chat.person(1)
    await chat.send(person, f"/start {code.replace('-', '')}")
    assert (await visitor.ask("GET", "work"))[0] == 401
    assert (await visitor.ask("POST", "recover", {"code": code}))[0] == 403
    moved = {one.pseudonym: one for one in read(chat, select(Annotator))}[before.pseudonym]
    assert (moved.telegram_id, moved.unreachable_at) == (person.id, None)
    await chat.send(person, "/start")
    await chat.tap(person, "ні")
    assert [(one.response, one.on_page) for one in read(chat, select(Judgement).order_by(Judgement.id))] == [  # type: ignore[arg-type]
        ("так", True),
        ("ні", False),
    ]
    await chat.send(person, f"/start {code}")
    assert len({one.assignment_id for one in read(chat, select(Judgement))}) == 2


async def test_somebody_who_takes_part_confirms_that_both_are_theirs(visit: Callable[[], Any], chat: Any) -> None:
    """The chat asks first, once; of two answers to an item the earlier counts, and then the page knows nobody."""
    code = invite(chat)
    visitor = await visit()
    shown = await visitor.reach_item(code)
    for _ in range(3):
        shown = await visitor.tap(shown, "так")
    own = (await visitor.ask("GET", "code"))[1]["code"]
    person = chat.person(1)
    await join_in_chat(chat, person, code)
    await chat.tap(person, "ні")
    await chat.send(person, f"/start {own}")
    asked = person.messages[-1]
    confirm = asked.buttons[0][1]
    assert "лише якщо обидва — ваші" in asked.text
    await chat.tap(person, "Ні, не об’єднувати")
    assert (await visitor.ask("GET", "work"))[0] == 200
    person.press(confirm, on=asked)
    await chat.deliver()
    assert (await visitor.ask("GET", "work"))[0] == 200  # it is not asked any more
    await chat.send(person, f"/start {own}")
    question = person.messages[-1]
    other = chat.person(2)
    await chat.send(other, "/start")
    other.press(confirm, on=other.messages[-1])
    await chat.deliver()
    assert (await visitor.ask("GET", "work"))[0] == 200  # another's tap
    await chat.send(person, "так")
    assert "тепер у вас один обліковий запис" in "".join(message.text for message in person.messages[-2:])
    assert (await visitor.ask("GET", "work"))[0] == 401
    assert (await visitor.ask("POST", "recover", {"code": own}))[0] == 403
    answers = read(chat, select(Judgement).order_by(Judgement.id))  # type: ignore[arg-type]
    assert [(one.response, one.on_page, one.excluded_reason) for one in answers] == [
        *[("так", True, None)] * 3,
        ("ні", False, "repeat: the same person answered earlier, with another account"),
    ]
    assert [one.used for one in read(chat, select(Invitation))] == [1]
    person.press(confirm, on=question)
    await chat.send(person, "/start")
    assert len(read(chat, select(Judgement))) == 4
    with chat.database.reading() as view:
        assert invariants.list_violations(view) == ()


async def join_in_chat(chat: Any, person: Any, code: str) -> None:
    """Join by the code of a link, and answer all that comes before the first item."""
    await chat.send(person, f"/start {code}")
    for label in ("Українська", "Погоджуюся"):
        await chat.tap(person, label)
    await chat.send(person, "Львів")
    await chat.tap(person, "Почати")


async def ask_to_unite(visit: Callable[[], Any], chat: Any) -> Any:
    """Somebody with an item on the page and one in the chat, who is asked there whether both accounts are theirs."""
    code = invite(chat)
    visitor = await visit()
    await visitor.reach_item(code)
    own = (await visitor.ask("GET", "code"))[1]["code"]
    person = chat.person(1)
    await join_in_chat(chat, person, code)
    await chat.send(person, f"/start {own}")
    return person


async def test_a_draft_of_the_page_goes_along(visit: Callable[[], Any], chat: Any) -> None:
    """An item that was begun on the page is asked in the chat once the one in hand there is answered."""
    person = await ask_to_unite(visit, chat)
    await chat.tap(person, "Так, обидва мої")
    with chat.database.reading() as view:
        assert invariants.list_violations(view) == ()
    await chat.send(person, "/start")
    for _ in range(3):
        await chat.tap(person, "так")
    assert [one.response for one in read(chat, select(Judgement))] == ["так"] * 3


async def test_a_draft_of_an_item_of_both_stays(visit: Callable[[], Any], chat: Any) -> None:
    """The item is in hand in both; what was entered on the page is asked for the one that stays."""
    code = invite(chat)
    visitor = await visit()
    shown = await visitor.reach_item(code)
    own = (await visitor.ask("GET", "code"))[1]["code"]
    person = chat.person(1)
    await join_in_chat(chat, person, code)
    with chat.database.transaction() as session:
        page, other = session.exec(select(Assignment).order_by(Assignment.id)).all()  # type: ignore[arg-type]
        page.item_id = other.item_id
        account = session.get_one(Annotator, page.annotator_id)
        found = conversation_state.find_conversation(session, telegram_id=account.telegram_id or 0)
        assert found is not None
        begun = AnswerDraft(assignment_id=page.id or 0, revision=0, page={"seq": 1})
        state = found[1].state.with_draft(begun, assignment_id=page.id or 0)
        conversation_state.save_state(session, annotator_id=page.annotator_id, state=state, now=datetime.now(UTC))
        stays = other.id
    assert shown is not None
    await chat.send(person, f"/start {own}")
    await chat.tap(person, "Так, обидва мої")
    with chat.database.transaction() as session:
        joined = conversation_state.find_conversation(session, telegram_id=person.id)
        assert joined is not None
        assert [(one.assignment_id, one.page) for one in joined[1].state.drafts] == [(stays, {"seq": 1})]


async def test_a_question_about_an_account_that_is_gone_ends(visit: Callable[[], Any], chat: Any) -> None:
    """What is typed afterwards answers the item."""
    person = await ask_to_unite(visit, chat)
    with chat.database.transaction() as session:
        page = session.exec(select(Annotator).where(Annotator.telegram_id != person.id)).one()
        erasure.erase_annotator(session, annotator_id=page.id or 0, now=datetime.now(UTC))
    await chat.tap(person, "Так, обидва мої")
    assert "Такого коду немає" in person.messages[-1].text
    await chat.send(person, "/start")
    await chat.send(person, "так")
    assert [one.response for one in read(chat, select(Judgement))] == ["так"]


async def test_a_code_of_nobody_moves_nothing(visit: Callable[[], Any], chat: Any) -> None:
    """Although it is signed."""
    await visit()
    other = chat.person(2)
    await chat.send(other, f"/start {page_accounts.make_code(page_accounts.make_account_id(), KEY)}")
    assert "Такого коду немає" in other.messages[-1].text
