"""`hromada status PROJECT --item ID`: the way of one item."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotation.workflow.monitoring.item_history import ItemHistory

COLUMNS = ("when", "who", "what", "answer")
LONGEST_ANSWER = 60


def print_item_way(project: str, item: str, *, as_json: bool) -> None:
    """Print what happened to an item, without answers while the project is blind."""
    from annotation.workflow.monitoring import blindness, item_history
    from bot.commands import database_session, terminal_output

    with database_session.open_database() as database, database.reading() as view:
        loaded = database_session.get_project(view, project)
        is_blind = blindness.is_blind(view, loaded)
        history = item_history.get_item_history(view, loaded, item, with_votes=not is_blind)
    if as_json:
        terminal_output.print_json(_build_json(history))
        return
    rows = [
        (f"{event.at:%Y-%m-%d %H:%M}" if event.at else None, event.who, event.what, _shorten(event.answer))
        for event in history.events
    ]
    notes = [] if rows else ["Nobody has had it yet."]
    notes += ["Answers are hidden until the baseline is closed."] if is_blind and rows else []
    terminal_output.print_table(_build_title(history, project=loaded.name), COLUMNS, rows, notes=notes)


def _build_title(history: ItemHistory, *, project: str) -> str:
    from annotation.loading.drafts import name_group

    tally = history.tally
    state = "done" if tally.status == "open" and 0 < tally.needed <= tally.done else tally.status
    parts = [f"{tally.item_id}: {state}", f"{tally.done} of {tally.needed} answers"]
    parts += [f"pool {history.pool}"] if history.pool != "main" else []
    parts += (
        [f"group {history.group}"] if history.group != name_group(None, project=project, item=tally.item_id) else []
    )
    parts += [f"revision {history.revision}"] if history.revision > 1 else []
    return ", ".join(parts)


def _build_json(history: ItemHistory) -> dict[str, object]:
    """The way of an item with the keys of `--json`."""
    facts = asdict(history.tally) | {"pool": history.pool, "group": history.group, "revision": history.revision}
    events = [asdict(event) | {"at": None if event.at is None else event.at.isoformat()} for event in history.events]
    return facts | {"events": events}


def _shorten(answer: str) -> str:
    line = " ".join(answer.split())
    return line if len(line) <= LONGEST_ANSWER else line[: LONGEST_ANSWER - 1] + "…"
