"""What needs the organisers in words: the same on all surfaces, in the languages of the texts for organisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from annotation.workflow.monitoring.needs import Need, NeedKind
from bot.conversation.texts import Texts

MOST_NAMES = 3
"""How many annotators a line names."""
MEGABYTE = 1024**2
COMMANDS = {
    NeedKind.BOT: "hromada bot",
    NeedKind.DISK: "hromada doctor",
    NeedKind.SILENCE: "hromada doctor",
    NeedKind.BACKLOG: "hromada delivery list",
    NeedKind.PARKED: "hromada delivery list",
    NeedKind.STALL: "hromada messages send",
    NeedKind.QUESTION: "hromada messages list {project}",
    NeedKind.REPORT: "hromada messages reports {project}",
    NeedKind.PAUSED: "hromada people readmit {name} --project {project}",
    NeedKind.DISPUTE: "hromada adjudicate {project} --as WHO",
    NeedKind.GOLD_REVIEW: "hromada adjudicate {project} --gold-review --as WHO",
    NeedKind.REVIEW: "hromada review {project} --as WHO",
    NeedKind.LATE: "hromada label-studio status {project}",
    NeedKind.SET_ASIDE: "hromada label-studio pull",
    NeedKind.COPIES: "hromada label-studio pull",
    NeedKind.BROADCAST: "hromada messages waiting",
    NeedKind.BACKUP: "hromada database backup FILE",
    NeedKind.END: "hromada close {project}",
}
"""The command that deals with each kind, or shows more of it."""


def describe_need(need: Need, words: Texts, *, format_moment: Callable[[datetime], str], with_since: bool) -> str:
    """A need in a phrase, with its number; its project is not named. `with_since` adds since when it is so,
    unless it says until when.
    """
    what = _describe(need, words, format_moment)
    if not with_since or need.since is None or need.until is not None:
        return what
    return words("needs-since", what=what, when=format_moment(need.since))


def get_command(need: Need) -> str:
    """The command that deals with a need."""
    name = need.names[0] if len(need.names) == 1 else "WHO"
    return COMMANDS[need.kind].format(project=need.project or "", name=name).strip()


def _describe(need: Need, words: Texts, format_moment: Callable[[datetime], str]) -> str:
    text_id = {
        (NeedKind.BOT, need.since is None): "need-bot-never",
        (NeedKind.DISPUTE, need.part > 0): "need-dispute-ties",
        (NeedKind.BACKUP, not need.names): "need-backup-none",
    }.get((need.kind, True), f"need-{need.kind.value}")
    return words(
        text_id,
        count=need.count,
        ties=need.part,
        items=words("need-late-items", count=need.part),
        names=_join_names(need.names),
        file=", ".join(need.names[:1]),
        free=need.free // MEGABYTE,
        needed=-(-need.needed // MEGABYTE),
        until="" if need.until is None else format_moment(need.until),
        why=_explain_silence(need, words, format_moment) if need.kind is NeedKind.SILENCE else "",
    )


def _explain_silence(need: Need, words: Texts, format_moment: Callable[[datetime], str]) -> str:
    if need.wait is None:
        return words("gap-unknown")
    until = "" if need.wait.until is None else format_moment(need.wait.until)
    return words(f"gap-{need.wait.reason.value}", until=until)


def _join_names(names: Sequence[str]) -> str:
    return ", ".join((*names[:MOST_NAMES], *(("…",) if len(names) > MOST_NAMES else ())))
