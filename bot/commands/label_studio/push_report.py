"""What a push did, in sentences: how many items wait where, and why there are no more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from annotation.vocabulary import UnassignedReason

if TYPE_CHECKING:
    from annotation.label_studio.sync import PushResult

MOST_NAMED = 5
REASONS: Mapping[UnassignedReason, str] = {
    UnassignedReason.CONSENT: "they have not agreed to the consent; in Telegram they are asked; on "
    "paper: hromada people agree",
    UnassignedReason.PROFILE: "they have not filled in their profile; in Telegram they are asked, and for answers on "
    "paper: hromada people agree",
    UnassignedReason.WARNING: "they have not confirmed the content warning; in Telegram they are asked, and for a "
    "confirmation on paper: hromada people agree",
    UnassignedReason.NOT_ADMITTED: "the project is by invitation only, and they have none: hromada invite",
    UnassignedReason.NOT_RUNNING: "the project is not running: hromada start, or hromada reopen",
    UnassignedReason.SUSPENDED: "they are suspended: hromada people unsuspend",
    UnassignedReason.PAUSED: "a quality rule paused them: hromada people readmit",
    UnassignedReason.EXCLUDED: "a quality rule excluded them: hromada people readmit",
    UnassignedReason.FAILED: "they did not pass the qualification",
    UnassignedReason.COOL_DOWN: "they failed the qualification, and may try again later",
    UnassignedReason.WITHDRAWN: "they withdrew from the project",
    UnassignedReason.CAP: "they have reached the limit that `caps` in the project file sets",
    UnassignedReason.QUOTA: "they have answered as many as the programme's `quota` of this project allows",
    UnassignedReason.NOTHING_LEFT: "no item is left that they may get: the others are answered, or with somebody",
    UnassignedReason.SEARCHING: "the search for items has not ended: push again",
}
"""Why an annotator gets no more items, and what helps."""


def print_push(result: PushResult) -> None:
    """Print what a push did."""
    from bot.commands import terminal_output

    for line in _describe_push(result):
        terminal_output.print_sentence(line)
    terminal_output.print_line(result.address)


def _describe_push(result: PushResult) -> Iterator[str]:
    recovered = f", {result.recovered} found there again" if result.recovered else ""
    counts = f"{result.assigned} new, {result.sent} sent{recovered}"
    items = "1 item waits" if result.in_hand == 1 else f"{result.in_hand} items wait"
    if result.nothing_assigned is not None:
        yield f"No more now for {result.annotator}: {REASONS[result.nothing_assigned.reason]}."
    by_reason: dict[str, list[str]] = defaultdict(list)
    for item, reason in result.left_out.items():
        by_reason[reason.value].append(item)
    for why, left in by_reason.items():
        named = ", ".join(left[:MOST_NAMED]) + (f" and {len(left) - MOST_NAMED} others" * (len(left) > MOST_NAMED))
        yield f"Not sent, since {why}: {named}."
    if not result.linked:
        yield f"No account is linked; before the pull: hromada label-studio link ACCOUNT --person {result.annotator}"
    if not result.in_hand and result.nothing_assigned is None and not result.left_out:
        yield "None of their answers waits for a second look: pull the first ones before."
    yield f"{items} for {result.annotator} in Label Studio: {counts}. Send them the address:"
