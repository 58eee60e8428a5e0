"""Who may open the dashboard: whoever brings the token, or without one this machine alone."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from annotation.errors import BadInput, Where

COOKIE = "hromada_dashboard"
LOGIN_PATH, OPEN_PATHS = "/login", ("/dashboard.css",)
WRONG_TOKEN_SECONDS = 1.0
"""Seconds that the response to a wrong token takes."""
FREE_TRIES = 4
"""So many wrong tokens of one address are only answered late; each further one shuts the address out."""
LONGEST_SECONDS = 300.0
"""Seconds that an address is shut out at most: 2 after the first token beyond the free ones, then each time twice."""
FORGET_SECONDS = 3600.0
"""Seconds after which a wrong token is forgotten."""
MOST_ADDRESSES = 10_000
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


@dataclass
class WrongTokens:
    """How often each address brought a wrong token, and until when it is shut out for that."""

    _addresses: dict[str, tuple[int, float]] = field(default_factory=dict)
    """The number of wrong tokens, and the time of the last one; the address of the latest one is at the end."""

    def find_wait(self, address: str, *, now: float) -> float:
        """Seconds for which no token of this address is looked at; 0 if it may try."""
        tries, last = self._addresses.get(address, (0, now))
        shut = min(2.0 ** (tries - FREE_TRIES), LONGEST_SECONDS) if tries > FREE_TRIES else 0.0
        return max(0.0, last + shut - now)

    def note(self, address: str, *, now: float) -> None:
        """Count a wrong token; of too many addresses the one that has been quiet for longest is forgotten."""
        tries, last = self._addresses.pop(address, (0, now))
        self._addresses[address] = (tries + 1 if now - last < FORGET_SECONDS else 1, now)
        if len(self._addresses) > MOST_ADDRESSES:
            del self._addresses[next(iter(self._addresses))]


@dataclass(frozen=True)
class Access:
    """Lets in whoever brings the token or its cookie; without a token, whoever calls this machine by its own name.

    Each process makes a cookie of its own, which says nothing about the token: who guesses the token does not know it.
    """

    token: str | None = field(repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_hex(32), repr=False)
    wrong_tokens: WrongTokens = field(default_factory=WrongTokens, repr=False)

    def build_guard(self) -> Middleware:
        """The guard before every route."""

        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guard(request, handler)

        return guard

    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request that may come in; others get 401, 429 after wrong tokens, 403 or 400 for a wrong host."""
        try:
            response = await self._answer(request, handler)
        except web.HTTPException as failure:
            failure.headers.update(HEADERS)
            raise
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        host = parse_host(request.headers.get("Host", ""))
        if self.token is None:
            if not is_loopback(host):
                raise web.HTTPForbidden(text="This dashboard is for its own machine alone.")
            return await handler(request)
        if request.path in OPEN_PATHS or request.path == LOGIN_PATH or await self._is_known(request):
            return await handler(request)
        if request.path == "/":
            raise web.HTTPSeeOther(LOGIN_PATH)
        raise web.HTTPUnauthorized(text="The dashboard needs its token.")

    async def _is_known(self, request: web.Request) -> bool:
        if _are_equal(request.cookies.get(COOKIE, ""), self.cookie):
            return True
        scheme, _, brought = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and bool(brought) and await self.check_token(request, brought)

    async def check_token(self, request: web.Request, brought: str) -> bool:
        """Whether this is the token; a wrong one is answered late. Raises HTTPTooManyRequests after too many."""
        address = find_address(request.remote or "", request.headers)
        wait = self.wrong_tokens.find_wait(address, now=monotonic())
        if wait > 0:  # even the right token is not looked at: else guessing would go on
            raise web.HTTPTooManyRequests(
                text=f"Too many wrong tokens. Try again in {wait:.0f} seconds.",
                headers={"Retry-After": f"{wait + 1:.0f}"},
            )
        if self.token is not None and _are_equal(brought, self.token):
            return True
        self.wrong_tokens.note(address, now=monotonic())  # before the pause, as others may try meanwhile
        await asyncio.sleep(WRONG_TOKEN_SECONDS)
        return False


def _are_equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(errors="surrogateescape"), other.encode())


def find_address(peer: str, headers: Mapping[str, str]) -> str:
    """Whose tries are counted together: an IPv4 address or the first half of an IPv6 one.

    Behind a proxy on this machine it is the caller that the proxy names last, as callers can write the earlier ones.
    """
    if is_loopback(peer):
        peer = headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or peer
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return peer[:64]
    if isinstance(address, ipaddress.IPv6Address):
        return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def parse_host(header: str) -> str:
    """The host of a `Host` header without its port; raises HTTPBadRequest for one that is no host, such as `[::1`."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        raise web.HTTPBadRequest(text="The Host of this request is not one.") from None


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
            f"{host} can be reached from other machines, and no token is set.",
            where=Where(field="HROMADA_DASHBOARD_TOKEN"),
            remedy="Put a long random token into .env, and run the dashboard behind a TLS proxy.",
        )
    return Access(token)
