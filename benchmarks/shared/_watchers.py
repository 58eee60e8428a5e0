"""A dashboard in a process of its own, and people who watch its pages, for benchmarks."""

from __future__ import annotations

import asyncio
import json
import os
import sysconfig
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

START_SECONDS = 60.0


@dataclass
class Watcher:
    """Somebody who watches a page: how many events came, and the newest as it was sent."""

    events: int = 0
    newest: bytes = b""


@asynccontextmanager
async def run_dashboard(url: str, *options: str) -> AsyncIterator[str]:
    """A dashboard on this database, on a free port; its address without a slash at the end."""
    process = await asyncio.create_subprocess_exec(
        f"{sysconfig.get_path('scripts')}/hromada",
        "dashboard",
        "--listen",
        "127.0.0.1:0",
        "--json",
        *options,
        stdout=asyncio.subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "HROMADA_DATABASE_URL": url},
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_SECONDS):
            told = b"".join([await process.stdout.readline() for _ in range(3)])
        yield str(json.loads(told)["address"]).rstrip("/")
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def watch_pages(address: str, pages: Sequence[str], *, number: int) -> AsyncIterator[list[Watcher]]:
    """So many people watch these pages in turn; all of them have got something when the block begins."""
    watchers = [Watcher() for _ in range(number)]
    tasks = [
        asyncio.create_task(_watch(address, pages[place % len(pages)], watcher))
        for place, watcher in enumerate(watchers)
    ]
    try:
        async with asyncio.timeout(START_SECONDS):
            while not all(watcher.events for watcher in watchers):
                await asyncio.sleep(0.05)
        yield watchers
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError, ConnectionError):
                await task


async def _watch(address: str, page: str, watcher: Watcher) -> None:
    """Read the events of a page until cancelled, as a browser would, without making anything of them."""
    host = urlsplit(address)
    reader, writer = await asyncio.open_connection(host.hostname, host.port, limit=2**24)
    try:
        path = f"/events{page}".rstrip("/")
        writer.write(f"GET {path}?lang=en HTTP/1.1\r\nHost: {host.netloc}\r\n\r\n".encode())
        while line := await reader.readline():
            if line.startswith(b"data:"):
                watcher.events += 1
                watcher.newest = line
    finally:
        writer.close()
