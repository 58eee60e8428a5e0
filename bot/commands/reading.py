"""The commands that read desks: `hromada label-studio pull` and `watch`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from annotation.label_studio.sync import Pulled, Receiver
    from annotation.store.database import Database

AnyName = Annotated[str | None, typer.Argument(help="A project, by name or file; all without it.")]


def pull(
    project: AnyName = None,
    everything: Annotated[bool, typer.Option("--all", help="From the beginning, not only what changed.")] = False,
    json: AsJson = False,
) -> None:
    """Take over what people did at their desks since the last pull.

    The exit code is 1 where a desk could not be read; the others are.
    """
    from annotation.label_studio import sync
    from bot.commands import console, label_studio, session

    with session.opened() as database, label_studio.client() as server, console.progress("pull", quiet=json) as told:
        number = _number(database, project)
        found = sync.pull(database, server, clock=session.now, project_id=number, everything=everything, progress=told)
    if json:
        console.show_json([{**vars(one), "aside": dict(one.aside)} for one in found])
    else:
        _show(found)
    if any(one.problem for one in found):
        sys.exit(1)


def _number(database: Database, project: str | None) -> int | None:
    from annotation.store import queries
    from bot.commands import session

    if project is None:
        return None
    with database.reading() as view:
        return queries.project(view, session.project_name(project)).id


def _show(found: Sequence[Pulled]) -> None:
    from bot.commands import console

    columns = ("project", "person", "pass", "answered", "changed", "skipped", "deleted", "aside")
    rows = [
        (
            one.project, one.person, 2 if one.second else 1, one.answered, one.changed, one.skipped, one.deleted,
            sum(number for _, number in one.aside),
        )
        for one in found
    ]  # fmt: skip
    notes = [f"{one.project}, {one.person}: {one.problem}" for one in found if one.problem]
    notes += [f"{one.project}, {one.person}: {number} aside: {why}" for one in found for why, number in one.aside]
    notes += [f"{one.project}, {one.person}: {one.missing} tasks were deleted there." for one in found if one.missing]
    notes += [f"{one.project}, {one.person}: {one.strange} tasks there are not ours." for one in found if one.strange]
    console.table("Pulled", columns, rows, notes=notes or ([] if found else ["There are no desks yet."]))


def watch(
    project: AnyName = None,
    every: Annotated[int, typer.Option(min=1, help="Seconds between two pulls.")] = 30,
    listen: Annotated[
        str | None, typer.Option(help="HOST:PORT where Label Studio's webhooks wake it, like 127.0.0.1:8765.")
    ] = None,
    address: Annotated[str | None, typer.Option(help="How Label Studio reaches that, where it runs elsewhere.")] = None,
) -> None:
    """Pull again and again, until Ctrl-C. Without --listen it looks every so many seconds."""
    from annotation.errors import HromadaError
    from annotation.label_studio import sync
    from bot.commands import console, label_studio, session

    said: dict[str, str] = {}

    def told(found: Sequence[Pulled]) -> None:
        said.pop("", None)
        for one in found:
            if one.news:
                console.said(f"{one.project}, {one.person}: {_news(one)}.")
            _once(said, f"{one.project}, {one.person}", one.problem)

    def failed(failure: HromadaError) -> None:
        _once(said, "", str(failure))

    with session.opened() as database, label_studio.client() as server:
        number = _number(database, project)
        where = _receiver(listen, address)

        def watching(stop: asyncio.Event) -> Awaitable[None]:
            return sync.watch(
                database, server, clock=session.now, stop=stop, told=told, failed=failed, every=every, receiver=where,
                project_id=number,
            )  # fmt: skip

        asyncio.run(_until_stopped(watching))


async def _until_stopped(watching: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Watch until a signal that cannot be lost."""
    stop = asyncio.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(one, stop.set)
    await watching(stop)


def _receiver(listen: str | None, address: str | None) -> Receiver | None:
    from annotation.errors import BadInput, Where
    from annotation.label_studio.sync import Receiver

    if listen is None:
        return None
    host, _, port = listen.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        where = Where(field="--listen")
        raise BadInput(f"{listen!r} has no port.", where=where, remedy="Write it like 127.0.0.1:8765.")
    return Receiver(host=host or "127.0.0.1", port=int(port), address=address)


def _once(said: dict[str, str], what: str, sentence: str | None) -> None:
    """Say what is wrong once, and not again until it was well."""
    if sentence is None:
        said.pop(what, None)
    elif said.get(what) != sentence:
        said[what] = sentence
        print(f"hromada: {sentence}", file=sys.stderr, flush=True)


def _news(one: Pulled) -> str:
    counted = {"answered": one.answered, "changed": one.changed, "skipped": one.skipped, "deleted": one.deleted}
    return ", ".join(f"{number} {name}" for name, number in counted.items() if number)
