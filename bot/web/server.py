"""The server of the dashboard: pages, the files that they need, and server-sent events for whoever watches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import quote

from aiohttp import web

from bot.delivery import silent_connections
from bot.delivery.webhook import ListenAddress, serve_http
from bot.web.access import COOKIE, HEADERS, LOGIN_PATH, Access
from bot.web.live_pages import Fragments, LivePages, Page
from exports.dashboard.page import NavLink, list_assets, render_frame, render_login
from exports.pages.localization import LANGUAGES, translate, use_language

HEARTBEAT_SECONDS = 15.0
"""Seconds after which a watcher gets a sign of life where nothing has changed."""
WRITE_SECONDS = 10.0
"""Seconds after which a watcher that takes nothing is let go."""
MOST_WATCHERS = 200
LANGUAGE_NAMES = {"en": "English", "uk": "Українська"}


@dataclass(kw_only=True)
class DashboardServer:
    """Answers with the pages as they are, and brings every change of them to those who watch."""

    pages: LivePages
    access: Access
    _watching: int = field(default=0, init=False)

    @asynccontextmanager
    async def serve(self, address: ListenAddress) -> AsyncIterator[int]:
        """Serve until the block ends, and yield the port; raises BadInput where the address cannot be used."""
        reading = asyncio.create_task(self.pages.run())
        try:
            guard = self.access.build_guard()
            async with serve_http(self._list_routes(), address, middlewares=[guard], is_left_early=True) as port:
                yield port
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading

    def _list_routes(self) -> Sequence[web.RouteDef]:
        return (
            web.get("/", self._show_page),
            web.get("/projects/{project}", self._show_page),
            web.get("/projects/{project}/items", self._show_page),
            web.get("/events", self._send_events),
            web.get("/events/projects/{project}", self._send_events),
            web.get("/events/projects/{project}/items", self._send_events),
            web.get(LOGIN_PATH, self._show_login),
            web.post(LOGIN_PATH, self._log_in),
            *(web.get(path, self._send_asset) for path in list_assets()),
        )

    async def _show_page(self, request: web.Request) -> web.Response:
        page = _parse_page(request)
        fragments = await self.pages.open_page(page)
        if fragments is None:
            raise web.HTTPNotFound(text=f"There is no project {page.project}.")
        with use_language(page.language):
            text = _render_page(page, fragments, request, title=self._name_page(page))
        return web.Response(text=text, content_type="text/html")

    def _name_page(self, page: Page) -> str:
        """What a page is about: a project by title, with its name beside it."""
        if not page.project:
            return translate("All projects")
        project = None if self.pages.snapshot is None else self.pages.snapshot.find_project(page.project)
        return page.project if project is None else f"{project.title} · {project.name}"

    async def _send_events(self, request: web.Request) -> web.StreamResponse:
        """Send the sections of a page that changed, each time that any did, until the watcher leaves."""
        if self._watching >= MOST_WATCHERS:
            raise web.HTTPServiceUnavailable(text="Too many people watch already.", headers={"Retry-After": "30"})
        page = _parse_page(request)
        response = web.StreamResponse(
            headers={**HEADERS, "Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
        )
        self._watching += 1
        try:
            with self.pages.watch(page), suppress(ConnectionError, TimeoutError):
                await response.prepare(request)
                await self._follow(page, response)
        finally:
            self._watching -= 1
        return response

    async def _follow(self, page: Page, response: web.StreamResponse) -> None:
        sent: Fragments | None = None
        version = -1
        while True:
            seen = await self.pages.wait_for_change(version, seconds=HEARTBEAT_SECONDS)
            message = b": here\n\n"
            if seen != version:
                version = seen
                fragments = await self.pages.render_page(page)
                if fragments is None:
                    return
                if fragments != sent:
                    message, sent = _build_event(fragments, sent), fragments
            async with asyncio.timeout(WRITE_SECONDS):
                await response.write(message)

    async def _show_login(self, request: web.Request) -> web.Response:
        return self._render_login(request, is_wrong=False)

    async def _log_in(self, request: web.Request) -> web.Response:
        async with asyncio.timeout(silent_connections.REQUEST_SECONDS):
            form = await request.post()
        if not await self.access.check_token(request, str(form.get("token", ""))):
            return self._render_login(request, is_wrong=True)
        response = web.HTTPSeeOther(f"/?lang={_choose_language(request)}")
        response.set_cookie(
            COOKIE, self.access.cookie, httponly=True, samesite="Strict", secure=_came_by_tls(request), path="/"
        )
        raise response

    def _render_login(self, request: web.Request, *, is_wrong: bool) -> web.Response:
        language = _choose_language(request)
        with use_language(language):
            text = render_login(action=f"{LOGIN_PATH}?lang={language}", is_wrong=is_wrong)
        return web.Response(text=text, content_type="text/html", status=403 if is_wrong else 200)

    async def _send_asset(self, request: web.Request) -> web.Response:
        content_type, content = list_assets()[request.path]
        return web.Response(text=content, content_type=content_type)


def _came_by_tls(request: web.Request) -> bool:
    """Whether the browser speaks TLS, with the proxy before this server if not with the server itself."""
    return request.secure or request.headers.get("X-Forwarded-Proto") == "https"


def _build_event(fragments: Fragments, sent: Fragments | None) -> bytes:
    """The event that brings the sections which the watcher does not have, and the order of all."""
    sent_sections = {} if sent is None else sent.sections
    changed = {name: html for name, html in fragments.sections.items() if sent_sections.get(name) != html}
    told = {"sections": changed, "order": [*fragments.sections], "refreshed": fragments.refreshed}
    data = json.dumps(told, ensure_ascii=False)
    return f"data: {data}\n\n".encode()


def _parse_page(request: web.Request) -> Page:
    after = request.query.get("after", "") if request.path.endswith("/items") else None
    return Page(_choose_language(request), request.match_info.get("project", ""), after)


def _choose_language(request: web.Request) -> str:
    """The language that the address names, else the first that the browser wants and pages have, else English."""
    wanted = [request.query.get("lang", "")]
    wanted += [part.partition(";")[0].strip()[:2] for part in request.headers.get("Accept-Language", "").split(",")]
    return next((language for language in wanted if language in LANGUAGES), LANGUAGES[0])


def _render_page(page: Page, fragments: Fragments, request: web.Request, *, title: str) -> str:
    nav = [NavLink(translate("All projects"), f"/{page.query}")] if page.project else []
    if page.after is not None:
        nav.append(NavLink(page.project, f"/projects/{quote(page.project)}{page.query}"))
    nav += [
        NavLink(LANGUAGE_NAMES[language], _build_address(request, language), language)
        for language in LANGUAGES
        if language != page.language
    ]
    return render_frame(
        title=title,
        lead=translate("Read-only, and kept up to date as long as the page is open."),
        nav=nav,
        sections=fragments.sections,
        events="/events" + _build_address(request, page.language).replace("/?", "?", 1),
        refreshed=fragments.refreshed,
    )


def _build_address(request: web.Request, language: str) -> str:
    """The path of a request in a language, with the item to begin after."""
    query = {"lang": language} | ({"after": request.query["after"]} if "after" in request.query else {})
    return str(request.rel_url.with_query(query))
