"""Items one by one on the dashboard: answers, time, reports, and the votes where they may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from annotation.workflow.monitoring.item_progress import PAGE_SIZE, ItemTally
from bot.web.snapshots import ProjectState
from bot.web.words import format_duration, format_number, name_item_state
from exports.dashboard import LiveRow, LiveSection, LiveTable
from exports.pages.display_text import NO_VALUE, shorten_text
from exports.pages.translation import translate

MOST_VOTES = 6


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
            name_item_state(item.status),
            translate("{right} of {of}", right=format_number(item.done), of=format_number(item.needed)),
            NO_VALUE if item.seconds is None else format_duration(item.seconds),
            format_number(item.skips),
            format_number(item.reports),
        ),
        remark="" if project.is_blind else "; ".join(votes),
    )
