"""What needs the organisers, as lines and as JSON, for `hromada status` and `hromada doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.commands import local_times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from annotation.workflow.monitoring.needs import Need


def build_need_list(needs: Sequence[Need]) -> Sequence[RenderableType]:
    """Each need with the command that deals with it, the most urgent first; or that there is nothing to do.

    Where it has times, the screen has the note of `local_times.name_zone` (`has_times`).
    """
    from rich.table import Table
    from rich.text import Text

    from bot.conversation import need_texts
    from bot.conversation.texts import get_organiser_texts

    words = get_organiser_texts("en")
    if not needs:
        return Text(words("needs-none")), Text()
    lines = Table.grid(padding=(0, 1, 0, 0))  # what does not fit a line goes on below its beginning
    for need in needs:
        about = need.project or need.title
        what = need_texts.describe_need(need, words, format_moment=local_times.format_short, with_since=True)
        lines.add_row("•", Text(what if about is None else f"{about}: {what}"))
        lines.add_row("", Text(f"  {need_texts.get_command(need)}", style="dim"))
    return Text(words("needs"), style="bold"), lines, Text()


def has_times(needs: Sequence[Need]) -> bool:
    """Whether the list says since when something waits, or until when."""
    return any(need.since is not None or need.until is not None for need in needs)


def build_need_json(need: Need) -> dict[str, Any]:
    """A need with the keys of `--json`."""
    from bot.conversation import need_texts

    return {
        "kind": need.kind.value,
        "count": need.count,
        "project": need.project,
        "since": None if need.since is None else need.since.isoformat(),
        "until": None if need.until is None else need.until.isoformat(),
        "part": need.part,
        "names": list(need.names),
        "why": None if need.wait is None else need.wait.facts,
        "command": need_texts.get_command(need),
    }
