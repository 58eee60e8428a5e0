"""The first page of the dashboard: what needs the organisers, every project, and what waits for the bot."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from annotation.vocabulary import ProjectStatus
from annotation.workflow.monitoring.needs import Need
from annotation.workflow.monitoring.progress import PAGE_SIZE, ItemTally, compute_share
from bot.conversation import need_texts
from bot.conversation.texts import Texts, get_organiser_texts
from bot.web.snapshots import ProjectState, Snapshot
from bot.web.words import (
    format_clock,
    format_duration,
    format_number,
    format_recent,
    format_time,
    get_time_zone,
    name_item_state,
    name_state,
)
from exports.dashboard.page import BriefLine, Figure, LiveRow, LiveSection, LiveTable, ProgressBar, TaskLine
from exports.pages.display_text import NO_VALUE, shorten_text
from exports.pages.localization import get_language, translate

MOST_VOTES = 6
MOST_LETTERS = 24
"""How much of a title stands after something that needs the organisers."""
MOST_BRIEF = 4
"""How many projects are named beside the state of the bot."""
FULL = 100


def build_item_page(
    project: ProjectState, items: Sequence[ItemTally], *, after: str, query: str
) -> tuple[LiveSection, ...]:
    """The sections of a page of items, whose ids come after `after`."""
    more = None
    if len(items) == PAGE_SIZE:
        following = f"{query}&" if query else "?"
        address = f"/projects/{quote(project.name)}/items{following}after={quote(items[-1].item_id, safe='')}"
        more = (translate("The next items"), address)
    nothing = translate("No further items.") if after else translate("The project has no items.")
    return (
        LiveSection(
            id="items",
            title=translate("Items"),
            how=_describe_items(project),
            tables=(_build_item_table(translate("Items by id"), project, items, nothing=nothing, more=more),),
        ),
    )


def build_reported_section(project: ProjectState, reported: Sequence[ItemTally], query: str) -> LiveSection:
    return LiveSection(
        id="reported",
        title=translate("Items"),
        how=_describe_items(project),
        tables=(
            _build_item_table(
                translate("Items that somebody reported"),
                project,
                reported,
                nothing=translate("Nobody reported an item."),
                more=(translate("All items"), f"/projects/{quote(project.name)}/items{query}"),
            ),
        ),
    )


def _describe_items(project: ProjectState) -> str:
    words = translate("Time is the median of the answers that count.")
    if project.is_blind:
        return words + " " + translate("Votes are hidden until the baseline is closed.")
    return words


def _build_item_table(
    caption: str,
    project: ProjectState,
    items: Sequence[ItemTally],
    *,
    nothing: str,
    more: tuple[str, str] | None,
) -> LiveTable:
    heads = (
        translate("Item"),
        translate("State"),
        translate("Answers"),
        translate("Time"),
        translate("Skips"),
        translate("Reports"),
    )
    return LiveTable(
        caption=caption,
        heads=heads,
        rows=tuple(_build_item_row(project, item) for item in items),
        nothing=nothing,
        more=more,
    )


def _build_item_row(project: ProjectState, item: ItemTally) -> LiveRow:
    shown = list(item.votes.items())[:MOST_VOTES]
    votes = [f"{shorten_text(vote, max_length=60)} × {number}" for vote, number in shown]
    votes += [translate("{n} others", n=len(item.votes) - MOST_VOTES)] if len(item.votes) > MOST_VOTES else []
    return LiveRow(
        head=item.item_id,
        cells=(
            name_item_state(item.state),
            translate("{right} of {of}", right=format_number(item.done), of=format_number(item.needed)),
            NO_VALUE if item.seconds is None else format_duration(item.seconds),
            format_number(item.skips),
            format_number(item.reports),
        ),
        remark="" if project.is_blind else "; ".join(votes),
    )


def build_overview(snapshot: Snapshot, query: str) -> tuple[LiveSection, ...]:
    """The sections of the first page; `query` is added to the addresses of others, to keep the language."""
    return (
        build_state_section(snapshot, _list_brief_lines(snapshot.projects, query)),
        build_need_section(snapshot.needs, now=snapshot.at),
        *(_build_project_section(project, query) for project in snapshot.projects),
        *([] if snapshot.projects else [_build_empty_section()]),
        build_delivery_section(snapshot),
    )


def build_state_section(snapshot: Snapshot, brief: Sequence[BriefLine]) -> LiveSection:
    """Whether the bot works, and how far projects are."""
    text_id = "bot-works" if snapshot.is_bot_working else "bot-is-off"
    return LiveSection(
        id="now",
        title=translate("Now"),
        state=get_organiser_texts(get_language())(text_id),
        is_well=snapshot.is_bot_working,
        brief=tuple(brief),
    )


def _list_brief_lines(projects: Sequence[ProjectState], query: str) -> list[BriefLine]:
    """How far the most urgent of the projects that are open are, or the only one."""
    is_open = {ProjectStatus.RUNNING.value, ProjectStatus.PAUSED.value}
    shown = [project for project in projects if project.status in is_open or len(projects) == 1][:MOST_BRIEF]
    return [
        BriefLine(project.title, f"/projects/{quote(project.name)}{query}", describe_progress(project))
        for project in shown
    ]


def describe_progress(project: ProjectState) -> str:
    """How far a project is, and when it would be done."""
    percent = build_progress_bar(project).percent
    parts = [translate("{percent}% done", percent=percent)]
    if project.status == ProjectStatus.PAUSED:
        parts.append(name_state(project.status))
    elif project.end is not None:
        parts.append(translate("expected end {time}", time=format_time(project.end)))
    elif percent < FULL:
        parts.append(translate("no pace yet"))
    return " · ".join(parts)


def build_need_section(found: Sequence[Need], *, now: datetime, project: str | None = None) -> LiveSection:
    """What needs the organisers with its number, the most urgent first; the `project` of the page is not named."""
    words = get_organiser_texts(get_language())
    return LiveSection(
        id="needs",
        title=" · ".join([words("needs"), *([format_number(len(found))] if found else [])]),
        how="" if found else words("needs-none"),
        tasks=tuple(_build_task_line(need, words, now=now, is_named=need.project != project) for need in found),
    )


def _build_task_line(need: Need, words: Texts, *, now: datetime, is_named: bool) -> TaskLine:
    what = need_texts.describe_need(need, words, format_moment=format_time, with_since=False)
    about = shorten_text(need.title, max_length=MOST_LETTERS) if need.title and is_named else ""
    since = ""
    if need.since is not None and need.until is None:
        since = translate("since {time}", time=format_recent(need.since, now=now))
    return TaskLine(what, since, about, need_texts.get_command(need))


def build_progress_bar(project: ProjectState) -> ProgressBar:
    """The answers that a project has, of those that it needs."""
    done, needed = project.progress.done, project.progress.needed
    text = translate(
        "{done} of {needed} answers ({share}%); {items_done} of {items} items done",
        share=compute_share(done, needed),
        done=format_number(done),
        needed=format_number(needed),
        items_done=format_number(project.progress.items_done),
        items=format_number(project.progress.items),
    )
    return ProgressBar(done=done, needed=needed, text=text)


def build_pace_figures(project: ProjectState) -> tuple[Figure, ...]:
    """People now, the pace, and the expected end."""
    measured = project.progress
    last = measured.last_answer_at
    return (
        Figure(
            name=translate("People now"),
            value=format_number(measured.people_now),
            note=translate("active in the last 15 minutes"),
        ),
        Figure(
            name=translate("Answers, last hour"),
            value=format_number(measured.hourly[-1]),
            note=translate("{n} in 24 hours", n=format_number(measured.last_day)),
        ),
        Figure(
            name=translate("Last answer"),
            value=NO_VALUE if last is None else format_time(last),
            note="" if last is None else get_time_zone(),
        ),
        Figure(
            name=translate("Expected end"),
            value=NO_VALUE if project.end is None else format_time(project.end),
            note=""
            if project.end is None
            else translate("{zone}, at the pace of the last 24 hours", zone=get_time_zone()),
        ),
    )


def _build_project_section(project: ProjectState, query: str) -> LiveSection:
    return LiveSection(
        id=f"project-{project.name}",
        title=" · ".join([project.title, name_state(project.status)]),
        href=f"/projects/{quote(project.name)}{query}",
        how=" · ".join([project.name, *([translate("SIMULATED")] if project.is_simulated else [])]),
        progress=build_progress_bar(project),
        figures=build_pace_figures(project),
    )


def _build_empty_section() -> LiveSection:
    return LiveSection(
        id="nothing",
        title=translate("No project yet"),
        how=translate("Load one: hromada load project.yaml"),
    )


def build_delivery_section(snapshot: Snapshot) -> LiveSection:
    """What waits for the bot, in the whole database."""
    deliveries, parked = snapshot.deliveries, snapshot.deliveries.parked
    rows = (
        (translate("Updates not yet handled"), deliveries.updates, deliveries.oldest_update),
        (translate("Messages due and not yet sent"), deliveries.messages, deliveries.oldest_message),
        (translate("Updates parked"), parked.updates, None),
        (translate("Messages parked"), parked.messages, None),
        (translate("Set aside in Label Studio"), parked.annotations, None),
        (translate("To be erased in Label Studio"), parked.copies, None),
    )
    return LiveSection(
        id="deliveries",
        title=translate("Deliveries"),
        how=translate("What the bot has still to handle or send, of all projects. Parked ones wait for you."),
        tables=(
            LiveTable(
                caption=translate("What waits"),
                heads=(translate("What"), translate("Waiting"), translate("Since")),
                rows=tuple(
                    LiveRow(
                        head=name, cells=(format_number(number), NO_VALUE if since is None else format_clock(since))
                    )
                    for name, number, since in rows
                ),
            ),
        ),
    )
