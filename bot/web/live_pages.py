"""The pages of the dashboard, kept up to date: one reading of the database serves everybody who watches."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import NamedTuple, TypeVar

from aggregation.errors import HromadaError
from annotation.store import processes
from bot.web.details import DetailMeter
from bot.web.overview_page import build_item_page, build_overview
from bot.web.project_page import build_project_page
from bot.web.snapshots import Signature, Snapshot, SnapshotReader, WaitingRows
from bot.web.words import format_clock, use_time_zone
from exports.dashboard.page import LiveSection, render_section
from exports.pages.localization import translate, use_language

log = logging.getLogger(__name__)
Result = TypeVar("Result")
LEAST_SECONDS = 2.0
"""Seconds at least from one reading of the database to the next."""
COST = 20
"""The database is read again after so many times what the last reading took."""
IDLE_SECONDS = 15.0
"""Seconds after which it is read again though nothing was stored: ages grow, and people leave."""
FIRST_SECONDS = 0.1
"""Seconds for which a page waits for the first reading; afterwards it says that it is being counted."""
READ_SECONDS = 10.0
"""Seconds after which a reading counts as one that hangs."""
RECENT_SECONDS = 60.0
"""For so long after a page was opened the database is read, even if nobody watches the page."""


class Page(NamedTuple):
    """What somebody looks at: the first page (no project), a project, or its items from an id on; in a language."""

    language: str
    project: str = ""
    after: str | None = None

    @property
    def query(self) -> str:
        """What addresses of other pages need to keep the language."""
        return f"?lang={self.language}"


class Fragments(NamedTuple):
    """The sections of a page as HTML by id, and the sentence that says when they were counted."""

    sections: dict[str, str]
    refreshed: str


@dataclass(kw_only=True)
class LivePages:
    """Reads the database as often as its cost allows while somebody watches, and renders each page once for all."""

    reader: SnapshotReader
    meter: DetailMeter
    time_zone: str
    snapshot: Snapshot | None = None
    version: int = 0
    _silent_since: datetime | None = None
    _signature: Signature = ()
    _read_at: float = float("-inf")
    _watchers: Counter[Page] = field(default_factory=Counter)
    _recent: float = float("-inf")
    _awake: asyncio.Event = field(default_factory=asyncio.Event)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _rendered: dict[Page, tuple[int, Fragments]] = field(default_factory=dict)
    _rendering: dict[Page, asyncio.Lock] = field(default_factory=dict)
    _readers: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(4, thread_name_prefix="dashboard"))

    async def run(self) -> None:
        """Read the database until cancelled."""
        measuring = asyncio.create_task(self._measure_details())
        try:
            while True:
                await self._wait_for_somebody()
                await self._refresh()
                pause = LEAST_SECONDS if self.snapshot is None else COST * self.snapshot.seconds
                await asyncio.sleep(max(LEAST_SECONDS, pause))
        finally:
            measuring.cancel()
            with suppress(asyncio.CancelledError):
                await measuring
            self.meter.close()
            self._readers.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def watch(self, page: Page) -> Iterator[None]:
        """Keep a page up to date within the block."""
        self._watchers[page] += 1
        self._awake.set()
        try:
            yield
        finally:
            self._watchers[page] -= 1
            self._watchers += Counter()  # drops what nobody watches

    async def wait_for_change(self, version: int, *, seconds: float) -> int:
        """Wait until there is a version after this one, or so many seconds; the version now comes back."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: self.version != version)
        return self.version

    async def open_page(self, page: Page) -> Fragments | None:
        """A page as it is now, None for a project that is not there; the first reading is waited for, but not long."""
        self._recent = monotonic()
        self._awake.set()
        if self.snapshot is None:
            await self.wait_for_change(self.version, seconds=FIRST_SECONDS)
        return await self.render_page(page)

    async def render_page(self, page: Page) -> Fragments | None:
        """The fragments of a page, rendered once for each version; None for a project that is not there."""
        async with self._rendering.setdefault(page, asyncio.Lock()):
            version = self.version
            cached = self._rendered.get(page)
            if cached is not None and cached[0] == version:
                return cached[1]
            sections = await self._build_sections(page)
            if sections is None:
                return None
            with self._speak(page):
                fragments = Fragments({part.id: render_section(part) for part in sections}, self._describe_refresh())
            self._keep(page, version, fragments)
            return fragments

    @contextmanager
    def _speak(self, page: Page) -> Iterator[None]:
        """Write in the language of the page, and times in the time zone of the organisers."""
        with use_language(page.language), use_time_zone(self.time_zone):
            yield

    def _keep(self, page: Page, version: int, fragments: Fragments) -> None:
        """Keep a rendered page until the next version, and forget those of earlier ones."""
        self._rendered = {key: value for key, value in self._rendered.items() if value[0] == self.version}
        self._rendered[page] = (version, fragments)
        self._rendering = {key: lock for key, lock in self._rendering.items() if key in self._rendered or lock.locked()}

    async def _build_sections(self, page: Page) -> tuple[LiveSection, ...] | None:
        snapshot = self.snapshot
        if snapshot is None:
            with self._speak(page):
                return (LiveSection(id="counting", title=translate("Being counted …")),)
        if not page.project:
            with self._speak(page):
                return build_overview(snapshot, page.query)
        project = snapshot.find_project(page.project)
        if project is None:
            return None
        if page.after is not None:
            after = page.after
            items = await self._read(lambda: self.reader.read_items(project.name, after=after))
            with self._speak(page):
                if items is None:
                    return (LiveSection(id="items", title=translate("The items cannot be read now.")),)
                return build_item_page(project, items, after=after, query=page.query)
        rows = await self._read(lambda: self.reader.read_waiting_rows(project.name))
        with self._speak(page):
            details = self.meter.get(project.name)
            return build_project_page(snapshot, project, details, rows or WaitingRows(), page.query)

    def _describe_refresh(self) -> str:
        if self._silent_since is not None:
            return translate("The database has not answered since {time}.", time=format_clock(self._silent_since))
        return "" if self.snapshot is None else translate("Counted at {time}", time=format_clock(self.snapshot.at))

    async def _wait_for_somebody(self) -> None:
        while not self._watchers and monotonic() - self._recent > RECENT_SECONDS:
            self._awake.clear()
            await self._awake.wait()

    async def _refresh(self) -> None:
        """Read the database where it has changed, or where the last reading is old."""
        signature = await self._read(self.reader.read_signature)
        is_old = self.snapshot is None or monotonic() - self._read_at >= IDLE_SECONDS
        if signature is None or (signature == self._signature and not is_old and self._silent_since is None):
            if signature is None:
                await self._publish()
            return
        snapshot = await self._read(self.reader.read_snapshot)
        if snapshot is not None:
            self.snapshot, self._signature, self._silent_since = snapshot, signature, None
            self._read_at = monotonic()
        await self._publish()

    async def _publish(self) -> None:
        self.version += 1
        async with self._changed:
            self._changed.notify_all()

    async def _read(self, read: Callable[[], Result]) -> Result | None:
        """Read on a thread; None where the database does not answer, which the pages then say."""
        try:
            async with asyncio.timeout(READ_SECONDS):
                return await asyncio.get_running_loop().run_in_executor(self._readers, read)
        except (HromadaError, TimeoutError) as failure:
            log.warning("The database cannot be read: %s", type(failure).__name__)
            self._silent_since = self._silent_since or processes.get_machine_time()
            return None

    async def _measure_details(self) -> None:
        """Measure the details of the projects whose pages are watched, as long as anybody watches."""
        while True:
            if self.snapshot is not None:
                looked_at = {page.project for page in self._watchers if page.project and page.after is None}
                names = sorted(name for name in looked_at if self.snapshot.find_project(name) is not None)
                if await self.meter.measure_next(names, self._signature):
                    await self._publish()
                    continue
            await asyncio.sleep(LEAST_SECONDS / 2)
