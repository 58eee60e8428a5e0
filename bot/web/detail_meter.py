"""Measures the details of projects in a process of its own, as often as their cost allows."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

from aggregation.errors import HromadaError
from bot.web.details import ProjectDetails, measure_details, stand_back
from bot.web.snapshots import Signature

log = logging.getLogger(__name__)
LEAST_SECONDS = 15.0
"""Seconds at least from one measurement of a project to the next."""
COST = 20
"""A measurement is repeated after so many times what it took: it takes a twentieth of one core at most."""
MOST_SECONDS = 600.0
"""Seconds after which a measurement is given up and its process ended."""
RETRY_SECONDS = 15.0


@dataclass
class _Measured:
    """The newest details of a project, of which state of the database, and when they may be measured again."""

    details: ProjectDetails | None
    signature: Signature
    due: float


@dataclass(kw_only=True)
class DetailMeter:
    """Measures the details of the projects that somebody looks at, one at a time."""

    url: str
    unblind: bool
    answer_seconds: float
    _measured: dict[str, _Measured] = field(default_factory=dict)
    _pool: ProcessPoolExecutor | None = None

    def get(self, name: str) -> ProjectDetails | None:
        """The newest details of a project, None until they were measured once."""
        measured = self._measured.get(name)
        return None if measured is None else measured.details

    async def measure_next(self, names: Collection[str], signature: Signature) -> bool:
        """Measure one of the projects whose details are due, and say whether there was one.

        They are due where the database has changed since, as `signature` tells, and enough time has passed.
        """
        for name in names:
            last = self._measured.get(name)
            if last is None or (monotonic() >= last.due and (last.signature != signature or last.details is None)):
                await self._measure(name, signature)
                return True
        return False

    async def _measure(self, name: str, signature: Signature) -> None:
        started = monotonic()
        details = self.get(name)
        try:
            async with asyncio.timeout(MOST_SECONDS):
                details = await asyncio.get_running_loop().run_in_executor(
                    self._get_pool(), _measure_in_process, self.url, name, self.unblind, self.answer_seconds
                )
        except (HromadaError, BrokenProcessPool, TimeoutError) as failure:
            log.warning("The details of %s cannot be measured now: %s", name, type(failure).__name__)
            if not isinstance(failure, HromadaError):
                self.close()
            due = monotonic() + RETRY_SECONDS
        else:
            due = monotonic() + max(LEAST_SECONDS, COST * (monotonic() - started))
        self._measured[name] = _Measured(details=details, signature=signature, due=due)

    def _get_pool(self) -> ProcessPoolExecutor:
        """The process, started at the first use: by spawn, as the threads of this one cannot be forked."""
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=stand_back)
        return self._pool

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._pool is None:
            return
        processes = list((self._pool._processes or {}).values())  # noqa: SLF001  # 3.11 cannot end them otherwise
        for process in processes:
            with suppress(ProcessLookupError, OSError):
                process.kill()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = None


def _measure_in_process(url: str, name: str, unblind: bool, answer_seconds: float) -> ProjectDetails:
    return measure_details(url, name, unblind=unblind, answer_seconds=answer_seconds)
