"""`hromada label-studio push`, `move-items` and `open`: the work of an annotator in Label Studio."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from annotation.errors import BadInput, NotFound
from annotation.vocabulary import UnassignedReason
from bot.commands import terminal_output
from bot.commands.command_line import AsJson, ProjectName
from bot.commands.label_studio import connection

if TYPE_CHECKING:
    from annotation.label_studio.client import Client
    from annotation.label_studio.sync import PushResult
    from annotation.store.database import Database


MOST_NAMED = 5
AGREE = "hromada people agree {person} --project {project} --how 'signed, folder 3'"
REASONS: Mapping[UnassignedReason, str] = {
    UnassignedReason.CONSENT: f"they have not agreed to the consent; in Telegram they are asked; on paper: {AGREE}"
    " (and --profile FIELD=ANSWER for each field of a profile)",
    UnassignedReason.PROFILE: "they have not filled in their profile; in Telegram they are asked, and for answers on "
    f"paper: {AGREE} --profile FIELD=ANSWER",
    UnassignedReason.WARNING: "they have not confirmed the content warning; in Telegram they are asked, and for a "
    f"confirmation on paper: {AGREE}",
    UnassignedReason.NOT_ADMITTED: "the project is by invitation only, and they have none: hromada invite",
    UnassignedReason.NOT_RUNNING: "the project is not running: hromada start, or hromada reopen",
    UnassignedReason.SUSPENDED: "they are suspended: hromada people unsuspend {person}",
    UnassignedReason.PAUSED: "a quality rule paused them: hromada people readmit {person}",
    UnassignedReason.EXCLUDED: "a quality rule excluded them: hromada people readmit {person}",
    UnassignedReason.FAILED: "they did not pass the qualification",
    UnassignedReason.COOL_DOWN: "they failed the qualification, and may try again later",
    UnassignedReason.WITHDRAWN: "they withdrew from the project",
    UnassignedReason.CAP: "they have reached the limit that `caps` in the project file sets",
    UnassignedReason.QUOTA: "they have had as many items as `quota` in the programme file allows",
    UnassignedReason.NOTHING_LEFT: "all other items are taken, or they have had them",
    UnassignedReason.SEARCHING: "the search for items has not ended: push again",
}
"""Why an annotator gets no more items, and what helps."""


def name_items(items: Sequence[str]) -> str:
    """The first of these ids, and how many others there are."""
    n_others = len(items) - MOST_NAMED
    rest = f" and {terminal_output.format_count(n_others, 'other')}" if n_others > 0 else ""
    return ", ".join(items[:MOST_NAMED]) + rest


def describe_removed(items: Sequence[str]) -> str:
    """That items left a queue; empty if none did."""
    return f"left the queue, no longer assigned: {name_items(items)}." if items else ""


def describe_begun(items: Sequence[str], *, project: str) -> str:
    """That items stay in a queue because of a draft, and the command that removes them; empty if there are none."""
    if not items:
        return ""
    remedy = f"hromada label-studio pull {project} --drop-drafts"
    return f"no longer assigned, but a draft there keeps it in the queue: {name_items(items)}. Remove it: {remedy}"


def print_push(result: PushResult, *, written: str, names: Mapping[str, str]) -> None:
    """Print what a push did for somebody who was named as it is `written`; `names` are full names by pseudonym."""
    person = result.annotator if written == result.annotator else f"{written} ({result.annotator})"
    if result.in_hand:
        recovered = f", {result.recovered} found there again" if result.recovered else ""
        items = "1 item waits" if result.in_hand == 1 else f"{result.in_hand} items wait"
        counted = ", as of the last pull" if result.in_hand > result.assigned else ""
        terminal_output.print_sentence(
            f"{items} for {person} in Label Studio{counted}: {result.assigned} new, {result.sent} sent{recovered}."
            " Send them the address:"
        )
        terminal_output.print_line(result.address)
    else:
        terminal_output.print_sentence(f"Nothing waits for {person} in Label Studio.")
    for line in _describe_push(result, written, names):
        terminal_output.print_sentence(line)


def _describe_push(result: PushResult, written: str, names: Mapping[str, str]) -> Iterator[str]:
    if result.nothing_assigned is not None:
        reason = REASONS[result.nothing_assigned.reason].format(person=written, project=result.project)
        further = "; when they have done these, pull and push again" if result.before_main and result.in_hand else ""
        amount = "no more" if result.in_hand else "none"
        yield f"They get {amount} now: {reason}{further}."
    elif not result.in_hand and not result.left_out:
        yield "None of their answers waits for a second look: pull the first ones before."
    by_reason: dict[str, list[str]] = defaultdict(list)
    for item, reason in result.left_out.items():
        by_reason[reason.value].append(item)
    for why, left in by_reason.items():
        yield f"Not sent, since {why}: {name_items(left)}."
    if result.sent_again:
        items = name_items(result.sent_again)
        yield f"Sent, since they were deleted there, or an earlier push did not get so far: {items}."
    for person, changes in result.queues.items():
        for line in (describe_removed(changes.removed), describe_begun(changes.begun, project=result.project)):
            if line:
                yield f"{names.get(person, person)}: {line}"
    if not result.linked:
        yield f"No account is linked; before the pull: hromada label-studio link ACCOUNT --person {result.annotator}"


DEFAULT_NUMBER = 50


def push(
    project: ProjectName,
    person: Annotated[list[str], typer.Option("--person", help=f"{connection.WHO} Repeatable.", show_default=False)],
    number: Annotated[
        int | None, typer.Option(min=1, help="How many items are to wait for each, in all; 50 if not said.")
    ] = None,
    item: Annotated[list[str] | None, typer.Option("--item", help="Just this item, by its id. Repeatable.")] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="Just the items that meet it, like `stratum = long`; several must all hold."),
    ] = None,
    second: connection.SecondPass = False,
    handed_over: Annotated[
        bool, typer.Option("--handed-over", help="Only items that move-items took out of Telegram.")
    ] = False,
    days: Annotated[int, typer.Option(min=1, help="How many days they stay assigned.")] = 14,
    anew: Annotated[bool, typer.Option("--anew", help="Begin a new project there; the old one is left alone.")] = False,
    json: AsJson = False,
) -> None:
    """Send items to annotators' Label Studio batches.

    Repeated, it adds nothing while they wait; after a failure it goes on where it stopped.
    """
    from datetime import timedelta

    from annotation.label_studio import sync
    from bot.commands import database_session

    if (item or where) and (number is not None or second or handed_over):
        raise BadInput(
            "--item and --where say already which items are sent.",
            remedy="Leave out --number, --second and --handed-over.",
        )
    order = sync.PushOrder(
        project=database_session.resolve_project_name(project),
        annotator="",
        number=number or DEFAULT_NUMBER,
        items=tuple(item or ()),
        where=tuple(where or ()),
        second=second,
        handed_over=handed_over,
        anew=anew,
        lease=timedelta(days=days),
    )
    pushed = []
    with database_session.open_database() as database, connection.connect() as client:
        connection.warn_of_version(client)
        for annotator, written in connection.find_annotators(database, client, person).items():
            with terminal_output.show_progress("push", quiet=json) as progress:
                result = sync.push_batch(
                    database,
                    client,
                    replace(order, annotator=annotator),
                    clock=database_session.make_clock(database),
                    progress=progress,
                )
            pushed.append(result)
            if not json:
                print_push(result, written=written, names=sync.read_full_names(database, client))
    if json:
        facts = [result.as_json() for result in pushed]
        terminal_output.print_json(facts[0] if len(person) == 1 else facts)


def move_items(
    project: ProjectName,
    reported: Annotated[bool, typer.Option("--reported", help="Items that annotators reported.")] = False,
    too_long: Annotated[bool, typer.Option("--too-long", help="Items that are too long for a phone.")] = False,
    json: AsJson = False,
) -> None:
    """Mark items for Label Studio instead of Telegram.

    `push --handed-over` then sends them there.
    """
    from annotation.workflow import assignments
    from bot.commands import database_session

    if not (reported or too_long):
        raise BadInput("Which items?", remedy="Say --reported, --too-long, or both.")
    with database_session.open_database() as database, database.transaction() as transaction:
        loaded = database_session.get_project(transaction, project)
        name = loaded.name
        ids: set[int] = set()
        ids |= assignments.list_reported_items(transaction, project_id=loaded.id or 0) if reported else set()
        ids |= assignments.list_long_items(transaction, project_id=loaded.id or 0) if too_long else set()
        moved = assignments.move_items(
            transaction, project=loaded, item_ids=ids, now=database_session.get_time(transaction)
        )
    if json:
        terminal_output.print_json({"project": name, "chosen": len(ids), "handed_over": moved})
    else:
        found = terminal_output.format_count(len(ids), "item")
        terminal_output.print_sentence(f"Found in {name}: {found}. Moved to Label Studio now: {moved}.")


def open_(
    project: ProjectName,
    person: connection.AnnotatorOption,
    second: connection.SecondPass = False,
    print_only: Annotated[bool, typer.Option("--print", help="Only print the address.")] = False,
) -> None:
    """Open an annotator's batch in the browser."""
    import webbrowser

    from bot.commands import database_session

    with database_session.open_database() as database, connection.connect() as client:
        (pseudonym,) = connection.find_annotators(database, client, [person])
        address = _find_address(database, client, project, pseudonym=pseudonym, written=person, second=second)
    terminal_output.print_sentence(address)
    if not print_only:
        webbrowser.open(address)


def _find_address(
    database: Database, client: Client, project: str, *, pseudonym: str, written: str, second: bool
) -> str:
    """The address of an annotator's batch; raises NotFound, naming them as `written`, if there is none."""
    from annotation.label_studio import sync
    from annotation.vocabulary import BatchWork
    from annotation.workflow.annotators import roster
    from bot.commands import database_session

    sync.adopt_server(database, client)
    with database.reading() as view:
        loaded = database_session.get_project(view, project)
        annotator = roster.get_annotator(view, pseudonym)
        rows = sync.list_batches(view, server=client.server_id, project_id=loaded.id, annotator_id=annotator.id)
        answered = [batch for batch, _, _ in rows if batch.work is BatchWork.ANSWERS]
        remote_id = next((batch.remote_id for batch in answered if batch.second == second), None)
        if remote_id is None:
            remedy = f"Fill it: hromada label-studio push {loaded.name} --person {written}{' --second' * second}"
            raise NotFound(f"{written} has no such batch in {loaded.name}.", remedy=remedy)
        return client.build_work_address(remote_id)
