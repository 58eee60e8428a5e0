"""`hromada import`: votes that another tool collected."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands import terminal_output
from bot.commands.command_line import AsJson, ProjectName

if TYPE_CHECKING:
    from annotation.workflow.imports.vote_import import ImportedVotes

REPEATS = {
    "first": "repeated votes, of which the first counts",
    "last": "repeated votes, of which the last counts",
    "all": "repeated votes, which all count",
}
"""What the repeated votes of a person on an item are called, by the policy for them."""


def import_(
    project: ProjectName,
    file: Annotated[
        Path | None,
        typer.Argument(help="The file of votes; by default the one that the project file names.", readable=False),
    ] = None,
    json: AsJson = False,
) -> None:
    """Import votes from a file.

    The project's `votes` section says how the file is read. A file that was imported before is refused; of a corrected
    or longer one, only rows that are new are stored.
    """
    from aggregation import spelling
    from annotation.settings import read_settings
    from annotation.store import pseudonyms
    from annotation.workflow.imports import vote_import, vote_source
    from bot.commands import database_session

    with database_session.open_database() as database, terminal_output.show_progress("votes", quiet=json) as progress:
        with database.reading() as view:
            loaded = database_session.get_project(view, project)
            vote_file = vote_import.read_vote_file(view, loaded, path=file)
            warnings = vote_source.list_truth_gaps(view, loaded)
        with database.transaction() as transaction:
            key = pseudonyms.ensure_key(
                transaction, file=read_settings().key_file, now=database_session.get_time(transaction)
            )
            result = vote_import.store_votes(
                transaction, loaded, vote_file, key=key, now=database_session.get_time(transaction), progress=progress
            )
        differing = vote_source.describe_differing_votes(result.differing, policy=result.policy, project=loaded)
        warnings = differing + warnings + vote_file.alike
    changed = [[raw, label, times] for (raw, label), times in sorted(result.changed.items())]
    if json:
        facts: dict[str, object] = {"project": result.project, "votes": result.votes, "imported_before": result.known}
        facts |= {"retained": result.retained, "annotators": result.annotators}
        facts |= {"repeats": result.repeats, "policy": result.policy.value}
        facts |= {
            "answered_controls": result.control_results.annotators,
            "failed_controls": _count_failed_rules(result),
        }
        facts |= {"excluded": dict(result.excluded), "not_kept": dict(vote_file.contents.dropped)}
        facts |= {"changed": changed, "warnings": list(warnings)}
        terminal_output.print_json(facts)
        return
    rows: list[Sequence[terminal_output.Cell]] = [
        ("votes", result.votes),
        *([("imported before, not stored again", result.known)] if result.known else []),
        ("new ones that count" if result.known else "that count", result.retained),
        ("annotators", result.annotators),
        (REPEATS[result.policy.value], result.repeats),
        *(
            [("annotators who answered control items", result.control_results.annotators)]
            if result.control_results.annotators
            else []
        ),
        *((f"annotators with {rule}", people) for rule, people in _count_failed_rules(result).items()),
        *((f"not counted: {reason}", times) for reason, times in result.excluded.items()),
        *((f"not kept: {reason}", times) for reason, times in vote_file.contents.dropped.items()),
        *(
            (f"label {' became '.join(spelling.quote_words(pair))}", times)
            for pair, times in sorted(result.changed.items())
        ),
    ]
    terminal_output.print_table(f"Imported into {result.project}", ("what", "number"), rows)
    for line in warnings:
        terminal_output.print_sentence(f"Warning: {line}")


def _count_failed_rules(result: ImportedVotes) -> dict[str, int]:
    """How many annotators failed each rule about control items."""
    controls = result.control_results
    return {rule: len(failed) for rule, failed in sorted({**controls.flagged, **controls.excluded}.items())}
