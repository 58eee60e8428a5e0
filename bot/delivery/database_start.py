"""The start of a bot: while its database does not answer, or stores nothing, the bot waits as a running one does."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from annotation.errors import Unavailable
from bot.delivery.limits_and_retries import AwaitedService, Backoff, Failure, Watchdog, catch_failure
from bot.delivery.webhook import ListenAddress, build_health_route, serve_http

log = logging.getLogger(__name__)
MIN_WAIT, MAX_WAIT = 1.0, 15.0
"""The shortest and the longest pause in seconds between two attempts to open the database."""
Opened = TypeVar("Opened")


def open_when_available(open_database: Callable[[], Opened], *, health: ListenAddress | None) -> Opened | None:
    """Return what `open_database` returns, as soon as it raises no Unavailable; None if a signal ends the wait.

    The log says once why the bot waits. Meanwhile GET /health responds at the address `health`. Any other error is
    raised, since waiting does not heal it: a wrong address or password, a schema of another version.
    """
    try:
        return open_database()
    except Unavailable as failure:
        log.warning("The bot waits for its database, and starts by itself: %s", failure)
        return asyncio.run(_retry_until_opened(open_database, problem=failure.problem, health=health))


async def _retry_until_opened(
    open_database: Callable[[], Opened], *, problem: str, health: ListenAddress | None
) -> Opened | None:
    """As `open_when_available`, after the first failure, with this problem."""
    ended, backoff = asyncio.Event(), Backoff(first=MIN_WAIT, longest=MAX_WAIT)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    watchdog = Watchdog(write_problem=problem)
    watchdog.await_service(AwaitedService.DATABASE)
    async with nullcontext() if health is None else serve_http([build_health_route(watchdog)], health):
        while not await _is_set_within(ended, backoff.take_pause()):
            outcome = await catch_failure(asyncio.to_thread(open_database))
            if not isinstance(outcome, Failure):
                log.warning("The database answers; the bot starts.")
                return outcome
            if not isinstance(outcome.error, Unavailable):
                raise outcome.error
            watchdog.write_problem = outcome.error.problem
    log.info("The bot ends.")
    return None


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    """Whether the event is set now or within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
