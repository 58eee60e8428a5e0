"""`hromada status`: how far the projects are."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annotation.errors import BadInput
from bot.commands import local_times, need_lines, terminal_output
from bot.commands.command_line import AsJson
from bot.commands.terminal_output import Cell

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import RenderableType

    from annotation.workflow.monitoring.campaign_status import CampaignStatus, ControlItemCounts
    from annotation.workflow.monitoring.item_history import ItemEvent, ItemHistory
    from annotation.workflow.monitoring.needs import Need
    from annotation.workflow.monitoring.progress import Progress


ITEM_COLUMNS = ("when", "who", "what", "answer")
LONGEST_ANSWER = 60


def print_item_history(project: str, item: str, *, as_json: bool) -> None:
    """Print what happened to an item, without answers while the project is blind."""
    from annotation.workflow.monitoring import blindness, item_history
    from bot.commands import database_session

    with database_session.open_database() as database, database.reading() as view:
        loaded = database_session.get_project(view, project)
        is_blind = blindness.is_blind(view, loaded)
        history = item_history.get_item_history(view, loaded, item, with_votes=not is_blind)
    if as_json:
        terminal_output.print_json(_build_item_json(history))
        return
    rows = [_build_event_row(event) for event in history.events]
    notes = [local_times.name_zone()] if rows else ["Nobody has had it yet."]
    if any("Label Studio" in event.what for event in history.events):
        notes.append(f"Their e-mails: hromada label-studio status {loaded.name}")
    notes += ["Answers are hidden until the baseline is closed."] if is_blind and rows else []
    terminal_output.print_table(_build_title(history, project=loaded.name), ITEM_COLUMNS, rows, notes=notes)


def _build_event_row(event: ItemEvent) -> tuple[str | None, str | None, str, str]:
    at, until = (local_times.format_minute(one) if one else None for one in (event.at, event.until))
    return at, event.who, event.what + (f", until {until}" if until else ""), _shorten(event.answer)


def _build_title(history: ItemHistory, *, project: str) -> str:
    from annotation.loading.drafts import name_group

    tally = history.tally
    parts = [f"{tally.item_id}: {tally.state}", f"{tally.done} of {tally.needed} answers"]
    parts += [f"pool {history.pool}"] if history.pool != "main" else []
    parts += (
        [f"group {history.group}"] if history.group != name_group(None, project=project, item=tally.item_id) else []
    )
    parts += [f"revision {history.revision}"] if history.revision > 1 else []
    return ", ".join(parts)


def _build_item_json(history: ItemHistory) -> dict[str, object]:
    """The way of an item with the keys of `--json`."""
    facts = asdict(history.tally) | {"pool": history.pool, "group": history.group, "revision": history.revision}
    events = [
        asdict(event)
        | {name: one.isoformat() if one else None for name, one in (("at", event.at), ("until", event.until))}
        for event in history.events
    ]
    return facts | {"events": events}


def _shorten(answer: str) -> str:
    line = " ".join(answer.split())
    return line if len(line) <= LONGEST_ANSWER else line[: LONGEST_ANSWER - 1] + "…"


WATCH_SECONDS = 2.0
COLUMNS = ("project", "state", "items", "overlap", "answers", "items done", "in hand", "free places", "annotators")

SHORT_COLUMNS = ("project", "state", "items done", "answers", "people", "last answer", "expected end")
"""The columns of the list of projects, which are as narrow as a terminal."""


def status(
    project: Annotated[
        str | None,
        typer.Argument(help="One project, with everything about it; or a programme.", show_default=False),
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", help="The history of this item: who had it, where, what they answered.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show it again every two seconds, until Ctrl-C.")] = False,
    json: AsJson = False,
) -> None:
    """Show campaign progress.

    Of one project also its annotators, control items and precision; of a programme its projects.
    """
    if item is not None:
        if watch or project is None:
            raise BadInput("--item shows one item of one project.", remedy="Name the project, and leave out --watch.")
        print_item_history(project, item, as_json=json)
        return
    if watch and json:
        raise BadInput("--watch is for people, --json for machines.", remedy="Leave one of them out.")
    if watch:
        _watch_screen(lambda: _build_screen(_read_report(project)))
        return
    report = _read_report(project)
    if json:
        facts = [_build_json(campaign, report) for campaign in report.campaigns]
        terminal_output.print_json(facts if report.title is not None else facts[0])
        return
    with terminal_output.allow_closed_pipe():
        for part in _build_screen(report):
            terminal_output.get_console().print(part)


@dataclass(frozen=True, kw_only=True)
class StatusReport:
    """What `status` shows: a title, None if one project was named; the projects by urgency, with their progress by
    name; what needs the organisers; and since when the log may hold something that was erased.
    """

    title: str | None
    at: datetime
    campaigns: Sequence[CampaignStatus]
    progress: Mapping[str, Progress]
    needs: Sequence[Need]
    erased_at: datetime | None

    def get_progress(self, campaign: CampaignStatus) -> Progress:
        """How far a project is."""
        return self.progress[campaign.project.name]

    def estimate_end(self, campaign: CampaignStatus) -> datetime | None:
        """When a project would be done."""
        return self.get_progress(campaign).estimate_end(campaign.project.status, now=self.at)


def _read_report(name: str | None) -> StatusReport:
    """Read the status of all projects, of those of a programme, or of the one of this name."""
    from annotation.settings import read_settings
    from annotation.store import erasure_log, processes, queries
    from annotation.workflow.monitoring import campaign_status, machine, needs
    from annotation.workflow.monitoring.progress import measure_progress
    from bot.commands import database_session

    settings = read_settings()
    with database_session.open_database() as database, database.reading() as view:
        programme = None if name is None else queries.find_programme(view, database_session.resolve_name(name))
        heading = None if programme is None else f"{programme.name}: {programme.title}"
        projects = queries.list_projects(view) if name is None else database_session.list_projects(view, name)
        now = processes.get_database_time(view)
        measured = {project.id or 0: measure_progress(view, project, now=now) for project in projects}
        found = needs.list_needs(
            view,
            now=now,
            default_zone=settings.time_zone,
            machine=machine.read_machine_facts(settings),
            measured=measured,
        )
        return StatusReport(
            title="Projects" if name is None else heading,
            at=now,
            campaigns=[
                campaign_status.get_campaign_status(view, project, with_closed=name is not None)
                for project in needs.rank_projects(found, projects)
            ],
            progress={project.name: measured[project.id or 0] for project in projects},
            needs=found if name is None else needs.select_needs(found, [project.name for project in projects]),
            erased_at=erasure_log.find_erasure(view),
        )


def _watch_screen(screen: Callable[[], Sequence[RenderableType]]) -> None:
    """Show the screen anew until Ctrl-C, with a pause at least as long as it took to build."""
    from rich.console import Group
    from rich.live import Live

    stop = threading.Event()
    previous_handler = signal.signal(signal.SIGINT, lambda *_: stop.set())  # an exception could be lost where it struck
    try:
        with Live(Group(*screen()), console=terminal_output.get_console(), auto_refresh=False) as live:
            while not stop.is_set():
                started = time.monotonic()
                live.update(Group(*screen()), refresh=True)
                stop.wait(max(WATCH_SECONDS, time.monotonic() - started))
    finally:
        signal.signal(signal.SIGINT, previous_handler)


def _build_screen(report: StatusReport) -> Sequence[RenderableType]:
    """What needs the organisers; then a line for each project, or everything about the only one."""
    from annotation.store import erasure_log

    notes = [] if report.erased_at is None else [erasure_log.describe_wait(local_times.format_moment(report.erased_at))]
    notes += [note for campaign in report.campaigns for note in _describe_retention(campaign)]
    notes += [local_times.name_zone()] if report.campaigns or need_lines.has_times(report.needs) else []
    parts = need_lines.build_need_list(report.needs)
    if report.title is None:
        campaign = report.campaigns[0]
        title, lines = f"{campaign.project.name}: {campaign.project.title}", _build_lines(campaign, report)
        return (*parts, *terminal_output.build_table(title, ("what", "is"), lines, notes=notes))
    notes += [] if report.campaigns else ["Nothing is loaded yet: hromada load project.yaml"]
    rows = [_build_short_row(campaign, report) for campaign in report.campaigns]
    return (*parts, *terminal_output.build_table(report.title, SHORT_COLUMNS, rows, notes=notes))


def _describe_retention(campaign: CampaignStatus) -> Sequence[str]:
    """When the people of a closed project are to be detached, while there are some who can be found."""
    if campaign.detach_by is None:
        return []
    name = campaign.project.name
    command = f"hromada people detach {name}"
    return [
        f"{name}: what tells whose its answers are is to go by {local_times.format_day(campaign.detach_by)}: {command}"
    ]


def _build_row(campaign: CampaignStatus) -> tuple[Cell, ...]:
    items = campaign.items
    return (
        campaign.project.name, campaign.project.status.value, items.number, _format_overlap(campaign), campaign.answers,
        items.done, items.in_hand, items.free, campaign.annotators,
    )  # fmt: skip


def _build_short_row(campaign: CampaignStatus, report: StatusReport) -> tuple[Cell, ...]:
    items, known = campaign.items, report.get_progress(campaign)
    return (
        campaign.project.name, campaign.project.status.value, f"{items.done}/{items.number}", campaign.answers,
        campaign.annotators, _format_time(known.last_answer_at), _format_time(report.estimate_end(campaign)),
    )  # fmt: skip


def _format_overlap(campaign: CampaignStatus) -> Cell:
    least, most = campaign.project.overlap, campaign.project.overlap_max
    if campaign.sample is not None:
        return f"{least} / {most}"
    return least if most in {None, least} else f"{least}–{most}"


def _build_json(campaign: CampaignStatus, report: StatusReport) -> dict[str, Any]:
    """The status of a project with the keys of `--json`."""
    from annotation.workflow.monitoring import needs

    last, end = report.get_progress(campaign).last_answer_at, report.estimate_end(campaign)
    own = needs.select_needs(report.needs, [campaign.project.name])
    controls, qualification = campaign.controls, campaign.qualification
    return dict(zip(COLUMNS, _build_row(campaign), strict=True)) | {
        "started": None if campaign.project.started_at is None else campaign.project.started_at.isoformat(),
        "closed": None if campaign.project.closed_at is None else campaign.project.closed_at.isoformat(),
        "detach by": None if campaign.detach_by is None else campaign.detach_by.isoformat(),
        "last answer": None if last is None else last.isoformat(),
        "expected end": None if end is None else end.isoformat(),
        "needs": [need_lines.build_need_json(need) for need in own],
        "erased in the log since": None if report.erased_at is None else report.erased_at.isoformat(),
        "items paused": campaign.items.paused,
        "excluded": dict(campaign.excluded),
        "people": dict(campaign.by_status),
        "funnel": vars(campaign.funnel),
        "pilot": None if campaign.pilot is None else vars(campaign.pilot),
        "second pass": None if campaign.second_pass is None else vars(campaign.second_pass),
        "controls": None if controls is None else _build_controls_json(controls),
        "qualification": None if qualification is None else vars(qualification),
        **({"overlap sample": vars(campaign.sample)} if campaign.sample is not None else {}),
        **({"panels": {name: vars(counts) for name, counts in campaign.panels.items()}} if campaign.panels else {}),
        "planned": None if campaign.planned is None else dict(campaign.planned),
        "post hoc": list((campaign.project.frozen or {}).get("post_hoc", ())),
        "closed by exposure": None
        if campaign.closed is None
        else {person.annotator: {"items": person.number, "why": dict(person.reasons)} for person in campaign.closed},
    }


def _build_controls_json(controls: ControlItemCounts) -> dict[str, int]:
    return {
        "number": controls.number,
        "left": controls.remaining,
        "people_without": controls.annotators_without,
        "pages_without": controls.pages_without,
    }


def _build_lines(campaign: CampaignStatus, report: StatusReport) -> list[tuple[str, Cell]]:
    """The status of a project as rows of a table."""
    lines: list[tuple[str, Cell]] = list(zip(COLUMNS[1:], _build_row(campaign)[1:], strict=True))
    lines += [("last answer", _format_time(report.get_progress(campaign).last_answer_at))]
    lines += [("expected end", _format_time(report.estimate_end(campaign)))]
    lines += [("items paused", campaign.items.paused)] if campaign.items.paused else []
    lines += [(f"answers not counted: {reason}", number) for reason, number in campaign.excluded.items()]
    lines += [(f"people: {name}", number) for name, number in campaign.by_status.items()]
    steps = {name: number for name, number in vars(campaign.funnel).items() if number is not None}
    lines += [(f"people who {_FUNNEL_STEPS[name]}", number) for name, number in steps.items()]
    if campaign.pilot is not None:
        lines += [("pilot items", campaign.pilot.number), ("pilot items done", campaign.pilot.done)]
        lines += [("people in the pilot", campaign.pilot.newcomers)]
        lines += [("pilot places that wait for newcomers", campaign.pilot.free)] if campaign.pilot.free else []
    if (sample := campaign.sample) is not None:
        lines += [
            (f"overlap sample, {sample.of} answers each", f"{sample.sampled_done} of {sample.sampled} items done")
        ]
        lines += [(f"other items, {sample.each} each", f"{sample.others_done} of {sample.others} items done")]
    for name, counts in campaign.panels.items():
        wanted = "" if counts.wanted is None else f" of {counts.wanted}"
        lines.append((f"panel {name}", f"{counts.answers}{wanted} answers, {counts.people} people"))
    if campaign.second_pass is not None:
        done, number = campaign.second_pass.done, campaign.second_pass.items
        lines += [("second pass done", f"{done} of {number} items")]
    if campaign.controls is not None:
        lines += [
            ("control items", campaign.controls.number),
            ("left for the annotator who met most of them", campaign.controls.remaining),
        ]
        lines += [("people who met all of them", campaign.controls.annotators_without)]
        lines += [("pages without one", campaign.controls.pages_without)]
    if campaign.qualification is not None:
        lines += [(f"qualification: {name}", number) for name, number in vars(campaign.qualification).items()]
    return [*lines, *_build_closed_lines(campaign), *_build_precision_lines(campaign)]


def _format_time(at: datetime | None) -> str | None:
    return None if at is None else local_times.format_short(at)


_FUNNEL_STEPS = {
    "invited": "came by invitation",
    "by_friends": "invited by friends",
    "consented": "agreed",
    "started": "began",
    "finished": "finished",
}


def _build_closed_lines(campaign: CampaignStatus) -> list[tuple[str, Cell]]:
    """What is closed to whom because they met it in another project, which free places do not tell."""
    from annotation.workflow.monitoring import progress

    lines = progress.describe_closed_items(campaign.closed or ())
    return [(f"closed by exposure to {who}", words) for who, words in lines]


def _build_precision_lines(campaign: CampaignStatus) -> list[tuple[str, Cell]]:
    from annotation.workflow.lifecycle import precision

    lines: list[tuple[str, Cell]] = []
    if campaign.planned is not None:
        lines.append(("planned", precision.describe_plan(campaign.planned)))
    changes = (campaign.project.frozen or {}).get("post_hoc", ())
    return lines + [("post hoc", f"{local_times.format_moment(change['at'])} {change['what']}") for change in changes]
