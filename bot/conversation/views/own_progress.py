"""An annotator's progress as lines: one for each project, those of a programme below its title."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from annotation.workflow.assignments import OwnProgress, ProgressState
from bot.conversation import message_layout
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.views.items import STAGE_TEXTS

MARKS = {
    ProgressState.WAITING: "·",
    ProgressState.BEGUN: "▸",
    ProgressState.DONE: "✓",
    ProgressState.PAUSED: "‖",
    ProgressState.CLOSED: "✓",
    ProgressState.STOPPED: "–",
}
"""How a line begins."""
STATE_TEXTS = {
    ProgressState.PAUSED: "progress-paused",
    ProgressState.CLOSED: "progress-closed",
    ProgressState.STOPPED: "progress-stopped",
}
"""The ids of the texts that end a line."""
MAX_TITLE = 24
"""How much of a project's title stands in a line, in UTF-16 units."""
_NO_BREAK = "\u00a0"
"""The space inside a count, so that a phone breaks the line between counts."""


def build_progress_blocks(listed: Sequence[OwnProgress], translate: Texts) -> list[TextBlock]:
    """The lines of all projects; a programme's title stands above its own, bold."""
    blocks = []
    for programme, group in groupby(listed, key=lambda progress: progress.programme):
        lines = [format_progress(progress, translate) for progress in group]
        head = message_layout.shorten_text(programme or "", 2 * MAX_TITLE)
        bold = ((0, len(head)),) if head else ()
        blocks.append(TextBlock("\n".join([head, *lines] if head else lines), bold))
    return blocks


def format_progress(progress: OwnProgress, translate: Texts) -> str:
    """One line: the project, how many items of how many are done, and the answers of all where they are shown.

    Before the pilot or the main stage it names the stage alone.
    """
    line = f"{MARKS[progress.state]} {message_layout.shorten_text(progress.title, MAX_TITLE)}"
    is_unknown = progress.state is ProgressState.WAITING and progress.total is None
    return line if is_unknown else f"{line} — {_format_counts(progress, translate)}"


def _format_counts(progress: OwnProgress, translate: Texts) -> str:
    if progress.state is ProgressState.DONE and not progress.done:
        return translate("progress-nothing")
    if progress.preparing is not None:
        return translate(STAGE_TEXTS[progress.preparing])
    total = progress.total
    parts = [str(progress.done) if total is None else translate("own-count", number=progress.done, total=total)]
    if progress.state in STATE_TEXTS:
        parts.append(translate(STATE_TEXTS[progress.state]))
    if progress.answered is not None and progress.wanted is not None:
        parts.append(translate("shared-count", answered=progress.answered, wanted=progress.wanted))
    return " · ".join(part.replace(" ", _NO_BREAK) for part in parts)
