"""`hromada dashboard`: pages in the browser that show how campaigns get on, while they run."""

from __future__ import annotations

import asyncio
import signal
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson

if TYPE_CHECKING:
    from annotation.settings import Settings
    from annotation.store.database import Database
    from bot.delivery.webhook import ListenAddress
    from bot.web.access import Access

ANSWER_SECONDS = 5.0
"""Seconds that the pages wait for the answer of PostgreSQL to a statement."""
DETAIL_SECONDS = 120.0
"""Seconds that the process beside them waits, which counts everything of a project."""


def dashboard(
    listen: Annotated[
        str, typer.Option(help="The host and port; beyond this machine only with HROMADA_DASHBOARD_TOKEN.")
    ] = "127.0.0.1:8090",
    unblind: Annotated[
        bool,
        typer.Option("--unblind", help="Show results of baselines before they are closed, which is put on record."),
    ] = False,
    json: AsJson = False,
) -> None:
    """Show live campaign progress in the browser.

    Until Ctrl-C. Nothing can be changed there. Results of a baseline that people still answer are hidden.
    """
    from annotation.settings import read_settings
    from bot.commands import database_session
    from bot.delivery.webhook import parse_listen_address
    from bot.web.access import build_access

    settings = read_settings()
    address = parse_listen_address(listen, "--listen")
    token = settings.dashboard_token
    access = build_access(address.host, None if token is None else token.get_secret_value())
    with database_session.open_database(answer_seconds=ANSWER_SECONDS) as opened:
        asyncio.run(_serve(opened, address, access, settings=settings, unblind=unblind, json=json))


async def _serve(
    database: Database, address: ListenAddress, access: Access, *, settings: Settings, unblind: bool, json: bool
) -> None:
    """Serve until a signal comes."""
    from annotation.workflow.monitoring import machine
    from bot import application
    from bot.delivery import delivery_settings
    from bot.web.details import DetailMeter
    from bot.web.live_pages import LivePages
    from bot.web.server import DashboardServer
    from bot.web.snapshots import SnapshotReader

    delivery_settings.configure_logging("WARNING", access.token or "", log_format=settings.log_format)
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    pages = LivePages(
        reader=SnapshotReader(
            database=database,
            unblind=unblind,
            time_zone=settings.time_zone,
            look_at_machine=partial(machine.read_machine_facts, settings),
        ),
        meter=DetailMeter(url=settings.database_url, unblind=unblind, answer_seconds=DETAIL_SECONDS),
        time_zone=settings.time_zone,
    )
    async with DashboardServer(pages=pages, access=access).serve(address) as port:
        _print_address(address.host, port, json=json)
        await ended.wait()
        application.limit_end()


def _print_address(host: str, port: int, *, json: bool) -> None:
    name = f"[{host}]" if ":" in host else host
    url = f"http://{name}:{port}/"
    if json:
        terminal_output.print_json({"address": url})
        return
    terminal_output.print_line(f"The dashboard: {url}")
    terminal_output.print_line("It is read-only, and refreshes itself. Ctrl-C ends it.")
