"""The dashboard over HTTP: who gets in, what pages tell and hide, how changes come, and a database that hangs."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import _hung_databases
import aiohttp
import pytest
from sqlmodel import select

from annotation.errors import BadInput
from annotation.store import database, queries
from annotation.store.models import Annotator, Assignment, LabelStudioBatch
from annotation.vocabulary import Surface
from bot.web import access, live_pages, server, snapshots
from bot.web.access import WrongTokens, build_access, find_address

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from tests.bot.web.conftest import Campaign

    Serve = Callable[..., AbstractAsyncContextManager[str]]

TOKEN = "a-long-random-token"  # noqa: S105  # of a test
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
BASELINE, STORIES = "nine.low", "eval-ua-tion.story-correction"
PROJECT = f"/projects/{BASELINE}"


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """A client that follows no redirect by itself and keeps cookies of addresses."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as opened:
        yield opened


async def fetch(http: aiohttp.ClientSession, address: str, **options: Any) -> tuple[int, str, Any]:
    """The status, the text and the headers of a page, read once the first counting is over."""
    async with asyncio.timeout(30):
        while True:
            async with http.get(address, allow_redirects=False, **options) as response:
                text = await response.text()
                if "Being counted …</h2>" not in text:
                    return response.status, text, response.headers
            await asyncio.sleep(0.05)


async def read_event(lines: aiohttp.StreamReader) -> dict[str, Any]:
    """The next event of a stream."""
    async with asyncio.timeout(60):
        while True:
            line = await lines.readline()
            assert line, "the stream has ended"
            if line.startswith(b"data:"):
                found: dict[str, Any] = json.loads(line[5:])
                return found


async def read_until(lines: aiohttp.StreamReader, section: str, words: str) -> str:
    """The first state of a section that has these words."""
    while True:
        html = str((await read_event(lines))["sections"].get(section, ""))
        if words in html:
            return html


async def test_every_project_is_on_the_first_page_and_nothing_in_it_is_markup(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession
) -> None:
    async with serve(campaign.database, campaign.url) as address:
        status, text, headers = await fetch(http, address)
        assert status == 200
        assert BASELINE in text
        assert STORIES in text
        assert "&lt;b&gt;Оповідання&lt;/b&gt;" in text
        assert "of 100 answers" in text
        assert headers["Content-Type"].startswith("text/html")
        _, ukrainian, _ = await fetch(http, address, headers={"Accept-Language": "uk-UA,en;q=0.5"})
        assert '<html lang="uk">' in ukrainian
        assert "Усі проєкти" in ukrainian
        assert "із 100 відповідей" in ukrainian
        status, _, _ = await fetch(http, f"{address}/projects/nothing")
        assert status == 404


async def test_who_does_what_in_label_studio_is_in_the_people_of_a_project(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the server they are a pseudonym; the page of a project where nobody works there does not name it."""
    monkeypatch.delenv("HROMADA_LABEL_STUDIO_TOKEN", raising=False)
    with campaign.database.transaction() as session:
        project = queries.get_project(session, STORIES)
        given = session.exec(select(Assignment).where(Assignment.project_id == project.id)).first()
        assert given is not None
        given.surface = Surface.LABEL_STUDIO
        own: dict[str, Any] = {"annotator_id": given.annotator_id, "project_id": project.id, "created_at": NOW}
        session.add_all([given, LabelStudioBatch(**own, server="s", mark="m", remote_id=7)])
        name = session.get_one(Annotator, given.annotator_id).pseudonym
    async with (
        serve(campaign.database, campaign.url) as address,
        http.get(f"{address}/events/projects/{STORIES}") as live,
        http.get(f"{address}/events{PROJECT}") as other,
    ):
        people = await read_until(live.content, "people", "Work in Label Studio")
        assert "Label Studio cannot be asked now" in people
        assert f'<th scope="row">{name}</th>' in people.partition("Work in Label Studio")[2]
        assert "Label Studio" not in await read_until(other.content, "people", "<tbody>")


async def test_times_are_those_of_the_organisers(campaign: Campaign, serve: Serve, http: aiohttp.ClientSession) -> None:
    """Every time is in the time zone of the settings, which the page names; that of counting is seconds ago."""
    async with serve(campaign.database, campaign.url, time_zone="Asia/Tokyo") as address:
        _, text, _ = await fetch(http, address)
        counted = re.search(r"Counted at (\d\d:\d\d:\d\d) \(Asia/Tokyo\)", text)
        assert counted is not None
        now = datetime.now(ZoneInfo("Asia/Tokyo"))
        assert counted[1] in {f"{now - timedelta(seconds=ago):%H:%M:%S}" for ago in range(60)}
        assert "<span>Asia/Tokyo</span>" in text, "the time of the last answer"
        assert "UTC" not in text


async def test_pages_may_do_nothing_but_ask_their_own_server(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession
) -> None:
    async with serve(campaign.database, campaign.url) as address:
        for path in ("/", PROJECT, "/projects/nothing", "/dashboard.js", "/nothing"):
            _, _, headers = await fetch(http, address + path)
            policy = headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'")
            assert "unsafe" not in policy
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Cache-Control"] == "no-store"
        for method in ("POST", "PUT", "DELETE"):
            async with http.request(method, address + PROJECT) as response:
                assert response.status == 405


async def test_on_this_machine_it_answers_to_no_other_name(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession
) -> None:
    """A page elsewhere whose name leads here must not read it."""
    async with serve(campaign.database, campaign.url) as address:
        for host, expected in (
            ("evil.example", 403),
            ("localhost:1", 200),
            ("[::1]:1", 200),
            ("127.0.0.1.evil.com", 403),
            ("[::1", 400),
        ):
            status, text, _ = await fetch(http, address, headers={"Host": host})
            assert status == expected
            assert (BASELINE in text) is (expected == 200)


async def test_with_a_token_nobody_gets_in_without_it(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "WRONG_TOKEN_SECONDS", 0.0)
    monkeypatch.setattr(access, "FREE_TRIES", 99)
    async with serve(campaign.database, campaign.url, token=TOKEN) as address:
        for path in (PROJECT, "/events", f"/events{PROJECT}", "/dashboard.js", f"{PROJECT}/items"):
            for header in ("", "Bearer wrong", f"Basic {TOKEN}", "Bearer "):
                status, text, _ = await fetch(http, address + path, headers={"Authorization": header})
                assert (status, BASELINE in text) == (401, False)
        status, _, headers = await fetch(http, address)
        assert (status, headers["Location"]) == (303, "/login")
        status, text, _ = await fetch(http, address + PROJECT, headers={"Authorization": f"Bearer {TOKEN}"})
        assert status == 200
        assert BASELINE in text


async def test_a_browser_logs_in_once_and_its_cookie_is_not_the_token(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession
) -> None:
    async with serve(campaign.database, campaign.url, token=TOKEN) as address:
        begun = time.monotonic()
        async with http.post(f"{address}/login", data={"token": "wrong"}) as response:
            assert response.status == 403
            assert "This is not the token." in await response.text()
        assert time.monotonic() - begun >= 1, "guessing is slow"
        async with http.post(f"{address}/login", data={"token": TOKEN}, allow_redirects=False) as response:
            assert response.status == 303
            cookie = response.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert TOKEN not in cookie
        status, text, _ = await fetch(http, address + PROJECT)
        assert status == 200
        assert BASELINE in text


async def test_wrong_tokens_shut_their_address_out(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many at once, in forms and headers; then even the right token waits, but not a browser that is logged in."""
    monkeypatch.setattr(access, "WRONG_TOKEN_SECONDS", 0.05)
    async with serve(campaign.database, campaign.url, token=TOKEN) as address:
        other = {"X-Forwarded-For": "203.0.113.7, 198.51.100.9"}  # as a proxy on this machine writes it

        async def guess(number: int) -> int:
            if number % 2:
                async with http.post(f"{address}/login", data={"token": str(number)}, headers=other) as response:
                    return response.status
            bearer = {"Authorization": f"Bearer {number}"}
            async with http.get(f"{address}{PROJECT}", headers={**other, **bearer}) as response:
                return response.status

        statuses = await asyncio.gather(*(guess(number) for number in range(20)))
        assert sorted(statuses).count(429) == 20 - access.FREE_TRIES - 1
        right = {"Authorization": f"Bearer {TOKEN}"}
        status, text, headers = await fetch(http, address + PROJECT, headers={**other, **right})
        assert (status, "Too many wrong tokens" in text, int(headers["Retry-After"]) >= 1) == (429, True, True)
        status, _, _ = await fetch(http, address + PROJECT, headers=right)
        assert status == 200, "another address"
        async with http.post(f"{address}/login", data={"token": TOKEN}) as response:
            assert response.status == 200
        status, _, _ = await fetch(http, address + PROJECT, headers=other)
        assert status == 200, "its cookie"


def test_each_wrong_token_costs_twice_as_long() -> None:
    """To five minutes, and an hour later it is forgotten; of many addresses the quiet ones are."""
    wrong = WrongTokens()
    waits = []
    for _ in range(16):
        wrong.note("192.0.2.1", now=0.0)
        waits.append(wrong.find_wait("192.0.2.1", now=0.0))
    assert waits == [0, 0, 0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]
    assert wrong.find_wait("192.0.2.1", now=299.0) == 1
    wrong.note("192.0.2.1", now=3600.0)
    assert wrong.find_wait("192.0.2.1", now=3600.0) == 0
    for number in range(access.MOST_ADDRESSES + 5):
        wrong.note(str(number), now=3601.0)
    assert len(wrong._addresses) == access.MOST_ADDRESSES


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        ("203.0.113.7", "10.0.0.1", "203.0.113.7"),
        ("127.0.0.1", "10.0.0.1, 203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "", "203.0.113.7"),
        ("127.0.0.1", "unknown", "unknown"),
    ],
)
def test_an_address_is_the_caller_and_not_what_it_says_of_itself(peer: str, forwarded: str, counted: str) -> None:
    assert find_address(peer, {"X-Forwarded-For": forwarded} if forwarded else {}) == counted


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "example.org", "::"])  # noqa: S104  # refused
def test_beyond_this_machine_it_needs_a_token(host: str) -> None:
    with pytest.raises(BadInput, match="no token is set"):
        build_access(host, None)
    assert build_access(host, TOKEN).token == TOKEN
    assert build_access("127.0.0.1", None).token is None


async def test_a_baseline_that_people_answer_shows_no_votes_scores_or_agreement(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession
) -> None:
    """Counts, pace, people and flags are there; of control items only how many. After the end everything is."""
    campaign.ask_people()
    async with (
        serve(campaign.database, campaign.url) as address,
        http.get(f"{address}/events{PROJECT}") as live,
    ):
        people = await read_until(live.content, "people", "<tbody>")
        assert "Control items</th>" in people
        assert not re.search(r"\d of \d", people)
        _, page, _ = await fetch(http, address + PROJECT)
        assert "Hidden until the baseline is closed" in page
        assert "Krippendorff" not in page
        _, items, _ = await fetch(http, f"{address}{PROJECT}/items")
        assert "×" not in page + items, "votes"
        assert "low-" in items
        campaign.close(BASELINE)
        agreement = await read_until(live.content, "agreement", "95 %, these people and new items")
        assert "Computed at" in agreement
        _, items, _ = await fetch(http, f"{address}{PROJECT}/items")
        assert re.search(r"\w × \d", items)
    assert campaign.list_records() == []


async def test_unblind_shows_them_and_is_recorded_once(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession
) -> None:
    campaign.ask_people()
    async with (
        serve(campaign.database, campaign.url, unblind=True) as address,
        http.get(f"{address}/events{PROJECT}") as live,
    ):
        await read_until(live.content, "agreement", "95 %, these people and new items")
        _, items, _ = await fetch(http, f"{address}{PROJECT}/items")
        assert re.search(r"\w × \d", items)
        campaign.simulation.run(steps=30)
        await read_event(live.content)
    assert campaign.list_records() == [BASELINE], "a story campaign is no baseline"


async def test_changes_come_by_themselves_and_only_what_changed(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession
) -> None:
    async with (
        serve(campaign.database, campaign.url) as address,
        http.get(f"{address}/events?lang=en") as live,
    ):
        first = await read_event(live.content)
        while f"project-{BASELINE}" not in first["sections"]:
            first = await read_event(live.content)
        before = first["sections"][f"project-{BASELINE}"]
        await asyncio.to_thread(campaign.simulation.run, steps=60)
        after = await read_event(live.content)
        while f"project-{BASELINE}" not in after["sections"]:
            after = await read_event(live.content)
        assert after["sections"][f"project-{BASELINE}"] != before
        assert "deliveries" not in after["sections"]


async def test_one_reading_serves_everybody_and_none_is_made_for_nobody(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = []
    original = snapshots.SnapshotReader.read_snapshot

    def read(self: Any) -> Any:
        readings.append(1)
        return original(self)

    monkeypatch.setattr(snapshots.SnapshotReader, "read_snapshot", read)
    monkeypatch.setattr(live_pages, "RECENT_SECONDS", 0.0)
    async with serve(campaign.database, campaign.url) as address:
        await asyncio.sleep(0.5)
        assert readings == []
        streams = [await http.get(f"{address}/events") for _ in range(8)]
        for stream in streams:
            await read_event(stream.content)
        await asyncio.sleep(1)
        assert len(readings) <= 2
        for stream in streams:
            stream.close()


async def test_too_many_watchers_are_told_to_come_later(
    campaign: Campaign, serve: Serve, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_WATCHERS", 1)
    async with serve(campaign.database, campaign.url) as address, http.get(f"{address}/events") as live:
        await read_event(live.content)
        async with http.get(f"{address}/events") as refused:
            assert refused.status == 503
        live.close()
        await asyncio.sleep(0.2)  # far less than until the next event
        async with http.get(f"{address}/events") as again:
            assert again.status == 200, "the place is free as soon as the browser has left"


async def test_a_database_that_hangs_leaves_pages_up_with_the_time(
    postgresql_url: str, serve: Serve, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages answer at once, say since when the database is silent, and go on when it answers again."""
    monkeypatch.setattr(live_pages, "READ_SECONDS", 2.0)
    async with _hung_databases.swallowing_proxy(postgresql_url) as proxy:
        with ExitStack() as stack:
            opening = database.open_database(proxy.url, answer_seconds=2.0)
            opened = await asyncio.to_thread(stack.enter_context, opening)
            async with serve(opened, proxy.url) as address, http.get(f"{address}/events") as live:
                while "No project yet" not in str(await read_event(live.content)):
                    pass
                proxy.swallows = True
                while "has not answered since" not in (await read_event(live.content))["refreshed"]:
                    pass
                begun = time.monotonic()
                _, text, _ = await fetch(http, address)
                assert time.monotonic() - begun < 0.5
                assert "The database has not answered since" in text
                assert "No project yet" in text
                proxy.swallows = False
                while "Counted at" not in (await read_event(live.content))["refreshed"]:
                    pass
