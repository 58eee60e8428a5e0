"""Who may open the dashboard: whoever is on this machine, or has the token; and what browsers may do with its pages."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from annotation.errors import BadInput, Where

COOKIE = "hromada_dashboard"
LOGIN_PATH, OPEN_PATHS = "/login", ("/dashboard.css",)
WRONG_TOKEN_SECONDS = 1.0
"""Seconds that the response to a wrong token takes."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:;"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Access:
    """Lets in whoever brings the token or its cookie; without a token, whoever calls this machine by its own name."""

    token: str | None = field(repr=False)

    @property
    def cookie(self) -> str:
        """What a browser keeps in place of the token."""
        return hmac.new((self.token or "").encode(), b"hromada dashboard", hashlib.sha256).hexdigest()

    def build_guard(self) -> Middleware:
        """The guard before every route."""

        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guard(request, handler)

        return guard

    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request that may come in; others get 401, or 403 where this machine is called by another name."""
        try:
            response = await self._answer(request, handler)
        except web.HTTPException as failure:
            failure.headers.update(HEADERS)
            raise
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if self.token is None:
            if not is_loopback(urlsplit(f"//{request.headers.get('Host', '')}").hostname or ""):
                raise web.HTTPForbidden(text="This dashboard is for its own machine alone.")
            return await handler(request)
        if request.path in OPEN_PATHS or request.path == LOGIN_PATH or self._is_known(request):
            return await handler(request)
        if request.path == "/":
            raise web.HTTPSeeOther(LOGIN_PATH)
        raise web.HTTPUnauthorized(text="The dashboard needs its token.")

    def _is_known(self, request: web.Request) -> bool:
        scheme, _, brought = request.headers.get("Authorization", "").partition(" ")
        has_token = scheme.lower() == "bearer" and _are_equal(brought, self.token or "")
        return has_token or _are_equal(request.cookies.get(COOKIE, ""), self.cookie)

    async def check_token(self, brought: str) -> bool:
        """Whether this is the token; a wrong one is answered late."""
        if self.token is not None and _are_equal(brought, self.token):
            return True
        await asyncio.sleep(WRONG_TOKEN_SECONDS)
        return False


def _are_equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(errors="surrogateescape"), other.encode())


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def build_access(host: str, token: str | None) -> Access:
    """The access of a dashboard that listens on a host; raises BadInput for one beyond this machine without a token."""
    if token is None and not is_loopback(host):
        raise BadInput(
            f"{host} can be reached from other machines, and there is no token.",
            where=Where(field="HROMADA_DASHBOARD_TOKEN"),
            remedy="Write a long random one into .env, and put a proxy with TLS before the dashboard.",
        )
    return Access(token)
