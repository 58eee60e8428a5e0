"""The command that says how campaigns stand: status."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands.campaigns import AsJson

if TYPE_CHECKING:
    from rich.console import RenderableType

    from annotation.workflow.monitoring.campaign_status import Overview
    from bot.commands.console import Cell

SECONDS = 2.0
COLUMNS = ("project", "state", "items", "overlap", "answers", "items done", "in hand", "free places", "annotators")


def status(
    project: Annotated[
        str | None, typer.Argument(help="One project, with all that is known.", show_default=False)
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show it anew every two seconds, until Ctrl-C.")] = False,
    json: AsJson = False,
) -> None:
    """How far each project is, or one of them with people, control items and precision."""
    from annotation.errors import BadInput
    from bot.commands import console

    if watch and json:
        raise BadInput("--watch is for people, --json for machines.", remedy="Leave one of them out.")
    if watch:
        _watch(lambda: _screen(_found(project), whole=project is not None))
        return
    found = _found(project)
    if json:
        facts = [_facts(one) for one in found]
        console.show_json(facts[0] if project is not None else facts)
        return
    with console.pipe():
        for part in _screen(found, whole=project is not None):
            console.console().print(part)


def _found(project: str | None) -> list[Overview]:
    from annotation.store import queries
    from annotation.workflow.monitoring import campaign_status
    from bot.commands import session

    with session.opened() as database, database.reading() as view:
        chosen = queries.projects(view) if project is None else [queries.project(view, session.project_name(project))]
        return [campaign_status.of(view, one) for one in chosen]


def _watch(screen: Callable[[], Sequence[RenderableType]]) -> None:
    """Show the screen anew until somebody has enough, resting at least as long as it took."""
    from rich.console import Group
    from rich.live import Live

    from bot.commands import console

    ended = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: ended.set())  # an exception could be lost where it struck
    try:
        with Live(Group(*screen()), console=console.console(), auto_refresh=False) as live:
            while not ended.is_set():
                begun = time.monotonic()
                live.update(Group(*screen()), refresh=True)
                ended.wait(max(SECONDS, time.monotonic() - begun))
    finally:
        signal.signal(signal.SIGINT, before)


def _screen(found: Sequence[Overview], *, whole: bool) -> Sequence[RenderableType]:
    from bot.commands import console

    if whole:
        one = found[0]
        return console.framed(f"{one.project.name}: {one.project.title}", ("what", "is"), _lines(one))
    notes = () if found else ["Nothing is loaded yet: hromada load project.yaml"]
    return console.framed("Projects", COLUMNS, [_row(one) for one in found], notes=notes)


def _row(one: Overview) -> tuple[Cell, ...]:
    items = one.items
    return (
        one.project.name, one.project.status.value, items.number, _overlap(one), one.answers, items.done,
        items.in_hand, items.free, one.annotators,
    )  # fmt: skip


def _overlap(one: Overview) -> Cell:
    least, most = one.project.overlap, one.project.overlap_max
    return least if most in {None, least} else f"{least}–{most}"


def _facts(one: Overview) -> dict[str, Any]:
    """Everything that is known, for machines."""
    controls, tried = one.controls, one.qualification
    return dict(zip(COLUMNS, _row(one), strict=True)) | {
        "started": None if one.project.started_at is None else one.project.started_at.isoformat(),
        "closed": None if one.project.closed_at is None else one.project.closed_at.isoformat(),
        "items paused": one.items.paused,
        "excluded": dict(one.excluded),
        "people": dict(one.people),
        "funnel": vars(one.steps),
        "pilot": None if one.pilot is None else vars(one.pilot),
        "controls": None if controls is None else vars(controls),
        "qualification": None if tried is None else vars(tried),
        "planned": None if one.planned is None else dict(one.planned),
        "half width": one.half_width,
        "post hoc": list((one.project.frozen or {}).get("post_hoc", ())),
    }


def _lines(one: Overview) -> list[tuple[str, Cell]]:
    """Everything that is known, for people."""
    lines: list[tuple[str, Cell]] = list(zip(COLUMNS[1:], _row(one)[1:], strict=True))
    lines += [("items paused", one.items.paused)] if one.items.paused else []
    lines += [(f"answers not counted: {reason}", number) for reason, number in one.excluded.items()]
    lines += [(f"people: {standing}", number) for standing, number in one.people.items()]
    steps = {name: number for name, number in vars(one.steps).items() if number is not None}
    lines += [(f"people who {_DID[name]}", number) for name, number in steps.items()]
    if one.pilot is not None:
        lines += [("pilot items", one.pilot.number), ("pilot items done", one.pilot.done)]
        lines += [("people in the pilot", one.pilot.newcomers)]
        lines += [("pilot places that wait for newcomers", one.pilot.free)] if one.pilot.free else []
    if one.controls is not None:
        lines += [("control items", one.controls.number), ("left for whoever met most of them", one.controls.left)]
        lines += [("people who met all of them", one.controls.people_without)]
        lines += [("pages without one", one.controls.pages_without)]
    if one.qualification is not None:
        lines += [(f"qualification: {name}", number) for name, number in vars(one.qualification).items()]
    return [*lines, *_precision(one)]


_DID = {"invited": "came by invitation", "consented": "agreed", "started": "began", "finished": "had all there was"}


def _precision(one: Overview) -> list[tuple[str, Cell]]:
    from annotation.workflow.lifecycle import precision

    lines: list[tuple[str, Cell]] = []
    if one.planned is not None:
        lines.append(("planned", precision.words(one.planned)))
    if one.half_width is not None:
        lines.append(("half of the 95 % interval now", one.half_width))
    changes = (one.project.frozen or {}).get("post_hoc", ())
    return lines + [("post hoc", f"{change['at'][:16]} {change['what']}") for change in changes]
