"""Commands that bring campaigns in: check, load, import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from annotation.campaigns.project import Campaign
    from annotation.loading.campaign import Contents
    from annotation.workflow.imports import Imported
    from annotation.workflow.plans import Plan

File = Annotated[Path, typer.Argument(help="The project file (YAML).", show_default=False, readable=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]


def check(file: File, json: AsJson = False) -> None:
    """Check a project or programme file, with items and votes; store nothing.

    Says what is wrong with the items, and what is still to be done before people come: items that are missing, facts
    that a release will have to state.
    """
    from bot.commands import checking, console, findings

    found = checking.checked(file)
    if json:
        told = {"to do": list(found.to_do), "to declare": dict(found.to_declare)}
        console.show_json(found.facts | told | {"findings": findings.as_json(found.findings)})
    else:
        verdict = "cannot be loaded yet" if findings.worst(found.findings) == "error" else "can be loaded"
        console.table(f"{file} {verdict}", ("what", "is"), list(found.facts.items()))
        findings.show(found.findings)
        for line in found.to_do:
            console.console().print(f"To do before people come: {line}", markup=False)
        if found.to_declare:
            rows = [(f"declared.{name}", says) for name, says in found.to_declare.items()]
            console.table("A release has to state, and only you know", ("key", "say"), rows)
    found.refuse()


def load(
    file: File,
    plan: Annotated[bool, typer.Option("--plan", help="Only show what would change, and what may not.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Change a project that is loaded already.")] = False,
    json: AsJson = False,
) -> None:
    """Store a project with its items.

    Loading the same file again changes nothing; a changed file needs --yes, and what people have met stays as it is.
    """
    from annotation.campaigns import project
    from annotation.loading import campaign as loading
    from annotation.loading import inspection
    from annotation.workflow import projects
    from bot.commands import console, findings, session

    campaign = project.read(file)
    with console.progress("items", quiet=json) as told:
        contents = loading.contents(campaign)
        found = inspection.findings(campaign, contents)
        inspection.refuse(found, campaign, contents)
        if plan:
            _show_plan(campaign, contents, json=json)
            return
        with session.opened(create=True) as database, database.transaction() as transaction:
            loaded = projects.load(
                transaction, campaign, contents, now=session.now(), yes=yes, findings=found, progress=told
            )
    facts: dict[str, console.Cell] = {
        "project": loaded.name,
        "items": loaded.items,
        "with gold": loaded.golds,
        "stored": loaded.fresh,
        "changed": not loaded.plan.empty,
    }
    if json:
        console.show_json(facts | {"findings": findings.as_json(loaded.findings)})
        return
    same = "Loaded already, nothing changed:" if loaded.plan.empty else "Changed"
    verb = "Loaded" if loaded.fresh else same
    console.console().print(f"{verb} {loaded.name}: {loaded.items} items, {loaded.golds} with gold.", markup=False)
    findings.show(loaded.findings)


def _show_plan(campaign: Campaign, contents: Contents, *, json: bool) -> None:
    from bot.commands import console

    found = _plan(campaign, contents)
    lines = [("everything", "is new")] if found is None else list(found.lines)
    refused = [] if found is None else [(one.what, one.why) for one in found.refused]
    if json:
        console.show_json({"changes": dict(lines), "refused": dict(refused)})
        return
    notes = () if lines else ("Nothing.",)
    console.table(f"Loading {campaign.file} would change", ("what", "which"), lines, notes=notes)
    if refused:
        console.table("And these may not change", ("what", "why"), refused)


def _plan(campaign: Campaign, contents: Contents) -> Plan | None:
    """What loading would change; None where the project, or the whole database, is not there yet."""
    from annotation.errors import NotFound
    from annotation.workflow import projects
    from bot.commands import session

    try:
        with session.opened() as database, database.reading() as view:
            return projects.plan(view, campaign, contents)
    except NotFound:
        return None


def import_(
    project: Annotated[str, typer.Argument(help="The project's name, or its file.", show_default=False)],
    file: Annotated[
        Path | None,
        typer.Argument(help="The file of votes; by default the one that the project file names.", readable=False),
    ] = None,
    json: AsJson = False,
) -> None:
    """Import votes from another tool.

    The project's `votes` section says how the file is read. A file that was imported before is refused.
    """
    from annotation.settings import settings
    from annotation.store import pseudonyms, queries
    from annotation.workflow import imports
    from bot.commands import console, session

    with session.opened() as database, console.progress("votes", quiet=json) as told:
        with database.reading() as view:
            found = queries.project(view, session.project_name(project))
            ballot = imports.read_votes(view, found, path=file)
        with database.transaction() as transaction:
            key = pseudonyms.key(transaction, file=settings().key_file, now=session.now())
            result = imports.store_votes(transaction, found, ballot, key=key, now=session.now(), progress=told)
    changed = [[raw, label, times] for (raw, label), times in sorted(result.changed.items())]
    if json:
        facts = {"project": result.project, "votes": result.votes, "retained": result.retained}
        facts |= {"annotators": result.annotators, "repeats": result.repeats, "policy": result.policy.value}
        facts |= {"answered_controls": result.judged.people, "failed_controls": _failed(result)}
        console.show_json(facts | {"excluded": dict(result.excluded), "changed": changed})
        return
    facts_shown: list[Sequence[console.Cell]] = [
        ("votes", result.votes),
        ("that count", result.retained),
        ("annotators", result.annotators),
        (f"repeats (policy: {result.policy.value})", result.repeats),
        *([("annotators who answered control items", result.judged.people)] if result.judged.people else []),
        *((f"annotators with {rule}", people) for rule, people in _failed(result).items()),
        *((f"not counted: {reason}", times) for reason, times in result.excluded.items()),
        *((f"label {raw!r} became {label!r}", times) for (raw, label), times in sorted(result.changed.items())),
    ]
    console.table(f"Imported into {result.project}", ("what", "number"), facts_shown)


def _failed(result: Imported) -> dict[str, int]:
    """How many people failed each rule about control items."""
    judged = result.judged
    return {rule: len(people) for rule, people in sorted({**judged.flagged, **judged.excluded}.items())}
