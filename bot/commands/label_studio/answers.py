"""`hromada label-studio pull` and `watch`: what annotators answered in Label Studio."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, HromadaError, Where
from bot.commands import terminal_output
from bot.commands.command_line import AsJson
from bot.commands.label_studio import batches, connection

if TYPE_CHECKING:
    from annotation.label_studio.sync import PullResult, WebhookListener


def pull(
    project: connection.OptionalProject = None,
    everything: Annotated[bool, typer.Option("--all", help="From the beginning, not only what changed.")] = False,
    drop_drafts: Annotated[
        bool, typer.Option("--drop-drafts", help="Also remove released items that somebody began there.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Take over what changed in Label Studio since the last pull.

    Items that are no longer assigned to somebody leave their queue there, and what forgotten annotators left is erased.
    The exit code is 1 if a batch could not be read or something could not be erased.
    """
    from annotation.label_studio import sync
    from bot.commands import database_session

    with (
        database_session.open_database() as database,
        connection.connect() as client,
        terminal_output.show_progress("pull", quiet=json) as progress,
    ):
        project_id = connection.find_project_id(database, project)
        results = sync.pull_batches(
            database,
            client,
            clock=database_session.make_clock(database),
            project_id=project_id,
            everything=everything,
            drop_drafts=drop_drafts,
            progress=progress,
        )
        erased, refused, names = 0, "", dict[str, str]()
        try:
            names = sync.read_full_names(database, client)
            erased = sync.erase_copies(database, client)
        except HromadaError as failure:
            refused = str(failure)
    if json:
        terminal_output.print_json([result.as_json() for result in results])
    else:
        _print_results(results, names)
        if erased:
            terminal_output.print_sentence(f"Projects and answers of forgotten annotators erased there: {erased}.")
    if refused:
        print(f"hromada: not everything of forgotten annotators is erased there. {refused}", file=sys.stderr)
    if refused or any(result.problem for result in results):
        sys.exit(1)


def _print_results(results: Sequence[PullResult], names: Mapping[str, str]) -> None:
    """Print a table of what was pulled; `names` are full names by pseudonym."""
    named = [(_name_batch(result, names), result) for result in results]
    columns = ("project", "person", "pass", "answered", "changed", "skipped", "deleted", "aside")
    rows = [
        (
            result.project, names.get(result.annotator, result.annotator), result.described_work, result.answered,
            result.changed, result.skipped, result.deleted, sum(number for _, number in result.set_aside),
        )
        for result in results
    ]  # fmt: skip
    notes = [f"{name}: {result.problem}" for name, result in named if result.problem]
    notes += [f"{name}: {line}" for name, result in named for line in _describe_set_aside(result)]
    notes += [f"{name}: {line}" for name, result in named for line in _describe_dropped(result)]
    notes += [
        f"{name}: {terminal_output.format_count(result.unknown_tasks, 'task')} there that hromada did not send."
        for name, result in named
        if result.unknown_tasks
    ]
    notes += [
        f"{name}: {terminal_output.format_count(result.missing, 'task')} deleted there."
        for name, result in named
        if result.missing
    ]
    notes += [f"{name}: {line}" for name, result in named for line in _describe_queue(result, names)]
    notes += [] if results else ["No batch was pushed yet."]
    terminal_output.print_table("Pulled", columns, rows, notes=notes)


def _name_batch(result: PullResult, names: Mapping[str, str]) -> str:
    return f"{result.project}, {names.get(result.annotator, result.annotator)}"


def _describe_set_aside(result: PullResult) -> list[str]:
    """The annotations that are no answers, by reason, with their items."""
    lines = []
    for why, number in result.set_aside:
        items = result.set_aside_items.get(why, ())
        lines.append(f"{number} aside{f' ({batches.name_items(items)})' if items else ''}: {why}")
    return lines


def _describe_dropped(result: PullResult) -> list[str]:
    """That corrections drop most of a text; nothing if none does."""
    if not result.most_dropped:
        return []
    items, remedy = batches.name_items(result.most_dropped), f"hromada export {result.project}"
    return [f"less than half of the text is left: {items}. Ask them, or see stories.html: {remedy}"]


def _describe_queue(result: PullResult, names: Mapping[str, str]) -> list[str]:
    """What changed in an annotator's queue, and what to do about it; `names` are full names by pseudonym."""
    lines = [
        batches.describe_removed(result.queue.removed),
        batches.describe_begun(result.queue.begun, project=result.project),
    ]
    if result.queue.missing:
        missing = batches.name_items(result.queue.missing)
        command = _build_push_command(result, names.get(result.annotator, result.annotator).partition(" ")[0])
        lines.append(f"deleted in Label Studio, or never sent: {missing}. Send again: {command}")
    return [line for line in lines if line]


def _build_push_command(result: PullResult, person: str) -> str:
    """The command that sends what is missing in this batch; to answer, it assigns nothing new."""
    if result.work == "answers":
        second = " --second" if result.second else ""
        number = result.queue.waiting
        return f"hromada label-studio push {result.project} --person {person} --number {number}{second}"
    command = "review" if result.work == "review" else "adjudicate"
    gold_review = " --gold-review" if result.work == "gold review" else ""
    question = f" --question {result.question}" if result.question else ""
    return f"hromada {command} {result.project} --label-studio --as {person}{question}{gold_review}"


def watch(
    project: connection.OptionalProject = None,
    every: Annotated[int, typer.Option(min=1, help="Seconds between two pulls.")] = 30,
    listen: Annotated[
        str | None, typer.Option(help="HOST:PORT where Label Studio's webhooks wake it, like 127.0.0.1:8765.")
    ] = None,
    address: Annotated[str | None, typer.Option(help="How Label Studio reaches that, where it runs elsewhere.")] = None,
) -> None:
    """Pull repeatedly until Ctrl-C; with --listen, also whenever Label Studio calls."""
    from annotation.label_studio import sync
    from bot.commands import database_session

    problems: dict[str, str] = {}
    printed: dict[int | None, list[str]] = {}
    names: dict[str, str] = {}

    def print_news(results: Sequence[PullResult]) -> None:
        problems.pop("", None)
        if any(result.annotator not in names for result in results):
            names.update({result.annotator: result.annotator for result in results})
            with suppress(HromadaError):  # the next pull says that the server does not answer
                names.update(sync.read_full_names(database, client))
        for result in results:
            name = _name_batch(result, names)
            if result.changes:
                terminal_output.print_sentence(f"{name}: {_describe_changes(result)}.")
            _print_problem_once(problems, str(result.remote_id), result.problem)
            lines, earlier = _describe_queue(result, names), printed.get(result.remote_id, [])
            lines += _describe_set_aside(result)
            printed[result.remote_id] = lines
            for line in lines:
                if line not in earlier:
                    terminal_output.print_sentence(f"{name}: {line}")
            for line in _describe_dropped(result):
                terminal_output.print_sentence(f"{name}: {line}")

    def print_failure(failure: HromadaError) -> None:
        _print_problem_once(problems, "", str(failure))

    with database_session.open_database() as database, connection.connect() as client:
        project_id = connection.find_project_id(database, project)
        receiver = _parse_receiver(listen, address)
        seconds = terminal_output.format_count(every, "second")
        calls = "" if listen is None else f", and when Label Studio calls {listen}"
        terminal_output.print_sentence(f"Pulling every {seconds}{calls}; what changed is printed. Ctrl-C ends it.")

        def start(stop: asyncio.Event) -> Awaitable[None]:
            return sync.watch_batches(
                database,
                client,
                clock=database_session.make_clock(database),
                stop=stop,
                on_results=print_news,
                on_failure=print_failure,
                every=every,
                receiver=receiver,
                project_id=project_id,
            )

        asyncio.run(_run_until_signal(start))


async def _run_until_signal(start: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Run what `start` returns until SIGINT or SIGTERM sets its event."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await start(stop)


def _parse_receiver(listen: str | None, address: str | None) -> WebhookListener | None:
    """Where webhooks come in; None without --listen. Raises BadInput for an address without a port."""
    from annotation.label_studio.sync import WebhookListener

    if listen is None:
        return None
    host, _, port = listen.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        where = Where(field="--listen")
        raise BadInput(f"{listen!r} has no port.", where=where, remedy="Write it like 127.0.0.1:8765.")
    return WebhookListener(host=host or "127.0.0.1", port=int(port), address=address)


def _print_problem_once(problems: dict[str, str], name: str, problem: str | None) -> None:
    """Print a problem on the error stream, and not again until it was gone; `problems` are those printed, by name."""
    if problem is None:
        problems.pop(name, None)
    elif problems.get(name) != problem:
        problems[name] = problem
        print(f"hromada: {problem}", file=sys.stderr, flush=True)


def _describe_changes(result: PullResult) -> str:
    counts = {
        "answered": result.answered,
        "changed": result.changed,
        "skipped": result.skipped,
        "deleted": result.deleted,
    }
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number)
