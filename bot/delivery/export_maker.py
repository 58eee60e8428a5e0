"""The maker of exports that organisers asked for: a child process writes the files, and the chat gets them as one.

The bot's process itself computes nothing, and needs none of the libraries for it. One process makes exports at a time,
by a lease; where it ends, another one begins anew. A child that takes too long is ended.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import Session

from annotation.errors import Unavailable
from annotation.store import mailbox
from annotation.workflow.organisers import people
from annotation.workflow.organisers.people import ClaimedExport
from bot.conversation.updates_and_calls import ExportFailure, TelegramCalls
from bot.delivery import telegram_payloads
from bot.delivery.delivery_settings import format_trace
from bot.delivery.limits_and_retries import Failure, catch_failure
from bot.delivery.process_lease import LeaseKeeper
from bot.delivery.transaction_runner import TransactionRunner

log = logging.getLogger(__name__)
CHECK_SECONDS = 2.0
"""Seconds between two looks whether an export was asked for, and between two renewals of the lease."""
MOST_SECONDS = 900.0
"""Seconds that an export may take."""
MOST_BYTES = 49_000_000
"""The largest file that a bot may send is one of 50 MB."""
MOST_ERROR_BYTES = 4000
"""How much of what a failed child says is read."""

ExportWords = Callable[[ClaimedExport, bytes | ExportFailure], TelegramCalls]
"""A function that returns the calls that send the zipped files, or say why there are none."""


@dataclass(kw_only=True)
class ExportMaker:
    """Makes the exports of one process; `describe_export` returns the calls that follow from one.

    `seconds` is how long an export may take. `bot_id` is the bot that sends it to an organiser who belongs to no other.
    """

    runner: TransactionRunner
    lease: LeaseKeeper
    describe_export: ExportWords
    bot_id: int
    seconds: float = MOST_SECONDS

    async def run(self) -> None:
        """Make exports as they are asked for, until cancelled; a failure is logged, and the next look tries again."""
        while True:
            outcome = await catch_failure(self.make_next())
            if isinstance(outcome, Failure) and not isinstance(outcome.error, Unavailable):
                log.error("An export could not be made: %s", format_trace(outcome.error))
            await asyncio.sleep(CHECK_SECONDS)

    async def make_next(self) -> None:
        """Make the export that was asked for first, if any; what follows is stored in the outbox."""
        if not await asyncio.to_thread(self._has_requests) or not await self.lease.acquire():
            return
        claimed = await self.runner.run(people.claim_request)
        if claimed is None:
            return
        made = ExportFailure(kind="given-up") if claimed.is_given_up else await self._run_export(claimed.project)
        if made is not None:
            await self.runner.run(lambda session: self._store_result(session, claimed, made))

    def _has_requests(self) -> bool:
        with self.runner.database.reading() as view:
            return people.has_requests(view)

    def _store_result(self, session: Session, claimed: ClaimedExport, made: bytes | ExportFailure) -> None:
        if not people.end_request(session, request_id=claimed.request_id):
            return
        calls = self.describe_export(claimed, made)
        drafts = telegram_payloads.build_outbox_drafts(calls, chat_id=0, protect=False, find_message_id=lambda _: None)
        mailbox.store_messages(session, [*drafts], bot_id=self.bot_id, now=self.runner.database_clock())

    async def _run_export(self, project: str) -> bytes | ExportFailure | None:
        """The zipped files of a project, or why there are none; None where another process has the lease meanwhile."""
        with tempfile.TemporaryDirectory(prefix="hromada-export-") as folder:
            child = await asyncio.create_subprocess_exec(
                *([shutil.which("nice") or "nice", "-n", "10"] if shutil.which("nice") else []),
                *(sys.executable, "-m", "bot.cli", "export", project, "--to", str(Path(folder) / project), "--json"),
                env=os.environ | {"HROMADA_DATABASE_URL": self._get_database_address()},
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            try:
                errors = await self._await_child(child)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, 9)
                await child.wait()
            if errors is None:
                return None if not self.lease.held else ExportFailure(kind="too-slow")
            if child.returncode:
                lines = errors[-MOST_ERROR_BYTES:].decode("utf-8", "replace").strip().splitlines()
                told = [line.removeprefix("hromada: ") for line in lines if line.startswith("hromada: ")]
                return ExportFailure(kind="failed", reason=(" ".join(told) or "hromada export"))
            zipped = Path(folder) / f"{project}.zip"
            await asyncio.to_thread(_zip_folder, Path(folder) / project, zipped)
            size = zipped.stat().st_size
            if size > MOST_BYTES:
                return ExportFailure(kind="too-large", megabytes=size // 1_000_000)
            return await asyncio.to_thread(zipped.read_bytes)

    async def _await_child(self, child: asyncio.subprocess.Process) -> bytes | None:
        """What the child wrote to its error stream; None where it takes too long, or the lease is lost."""
        reading = asyncio.create_task(child.communicate())
        ends_at = asyncio.get_running_loop().time() + self.seconds
        try:
            while asyncio.get_running_loop().time() < ends_at and await self.lease.acquire():
                await asyncio.wait([reading], timeout=min(CHECK_SECONDS, self.seconds))
                if reading.done():
                    return reading.result()[1]
            return None
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    def _get_database_address(self) -> str:
        return self.runner.database.engine.url.render_as_string(hide_password=False)


def _zip_folder(folder: Path, zipped: Path) -> None:
    """Write a folder as one zip file on disk: it may be too large for the memory, and for Telegram."""
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder.parent))
