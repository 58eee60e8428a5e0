"""What needs the organisers, as lines and as JSON, for `hromada status` and `hromada doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.commands import local_times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from annotation.workflow.monitoring.needs import Need


def build_need_list(needs: Sequence[Need]) -> Sequence[RenderableType]:
    """Each need with the command that deals with it, the most urgent first; or that there is nothing to do."""
    from rich.text import Text

    from bot.conversation import need_texts
    from bot.conversation.texts import get_organiser_texts

    words = get_organiser_texts("en")
    lines = [Text(words("needs"), style="bold")] if needs else [Text(words("needs-none"))]
    for need in needs:
        about = need.project or need.title
        what = need_texts.describe_need(need, words, format_moment=local_times.format_short, with_since=True)
        lines.append(Text(f"• {what}" if about is None else f"• {about}: {what}"))
        lines.append(Text(f"    {need_texts.get_command(need)}", style="dim"))
    return (*lines, Text())


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
