"""The command that stores campaigns: load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.campaigns import AsJson, File

if TYPE_CHECKING:
    from annotation.campaigns.lint import Finding
    from annotation.campaigns.programme import Programme
    from annotation.campaigns.project import Campaign
    from annotation.loading.campaign import Contents
    from annotation.workflow.allocation.programmes import Stored
    from annotation.workflow.lifecycle.change_plan import Plan
    from annotation.workflow.lifecycle.projects import Loaded

    Read = Sequence[tuple[Campaign, Contents, tuple[Finding, ...]]]


def load(
    file: File,
    plan: Annotated[bool, typer.Option("--plan", help="Only show what would change, and what may not.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Change a project that is loaded already.")] = False,
    fix: Annotated[
        list[str] | None, typer.Option("--fix", metavar="ID", help="Take over this item only, while people work.")
    ] = None,
    cosmetic: Annotated[bool, typer.Option("--cosmetic", help="With --fix: keep the item's answers.")] = False,
    json: AsJson = False,
) -> None:
    """Store a project with its items, or a programme with its projects.

    Loading the same file again changes nothing; a changed file needs --yes, and what people have met stays as it is,
    but for what --fix names.
    """
    from annotation.campaigns import programme, project
    from annotation.errors import BadInput

    if cosmetic and not fix:
        raise BadInput("--cosmetic says how an item is fixed.", remedy="Name the item with --fix ID.")
    if fix and (plan or yes):
        raise BadInput("--fix changes its items at once.", remedy="Leave --plan and --yes out.")
    if programme.is_one(file):
        if fix:
            raise BadInput("A programme has no items.", remedy="Name the file of the project with --fix.")
        _load_programme(programme.read(file), plan=plan, yes=yes, json=json)
        return
    campaign = project.read(file)
    if fix:
        _fix(campaign, fix, cosmetic=cosmetic, json=json)
        return
    read = _read([campaign])
    if plan:
        _show_plan(campaign, read[0][1], json=json)
        return
    loaded, _ = _store(read, yes=yes, quiet=json)
    _show(loaded[0], json=json)


def _read(campaigns: Sequence[Campaign]) -> Read:
    """Read the items of the campaigns; raises BadInput for the first error of the lint."""
    from annotation.loading import campaign as loading
    from annotation.loading import inspection

    found = []
    for campaign in campaigns:
        contents = loading.contents(campaign)
        findings = inspection.findings(campaign, contents)
        inspection.refuse(findings, campaign, contents)
        found.append((campaign, contents, findings))
    return found


def _store(
    read: Read, *, yes: bool, quiet: bool, programme: Programme | None = None
) -> tuple[list[Loaded], Stored | None]:
    """Store the projects, and the programme behind them, in one transaction."""
    from annotation.workflow.allocation import programmes
    from annotation.workflow.lifecycle import projects
    from bot.commands import console, session

    with (
        console.progress("items", quiet=quiet) as told,
        session.opened(create=True) as database,
        database.transaction() as transaction,
    ):
        now = session.now()
        loaded = [
            projects.load(transaction, campaign, contents, now=now, yes=yes, findings=findings, progress=told)
            for campaign, contents, findings in read
        ]
        stored = None if programme is None else programmes.store(transaction, programme, now=now, yes=yes)
    return loaded, stored


def _show(loaded: Loaded, *, json: bool) -> None:
    from bot.commands import console, findings

    if json:
        console.show_json(_facts(loaded))
        return
    same = "Loaded already, nothing changed:" if loaded.plan.empty else "Changed"
    verb = "Loaded" if loaded.fresh else same
    console.console().print(f"{verb} {loaded.name}: {loaded.items} items, {loaded.golds} with gold.", markup=False)
    findings.show(loaded.findings)


def _facts(loaded: Loaded) -> dict[str, object]:
    from bot.commands import findings

    return {
        "project": loaded.name,
        "items": loaded.items,
        "with gold": loaded.golds,
        "stored": loaded.fresh,
        "changed": not loaded.plan.empty,
        "findings": findings.as_json(loaded.findings),
    }


def _load_programme(programme: Programme, *, plan: bool, yes: bool, json: bool) -> None:
    from bot.commands import console

    read = _read(programme.campaigns)
    if plan:
        _show_plans(programme, read, json=json)
        return
    loaded, stored = _store(read, yes=yes, quiet=json, programme=programme)
    if stored is None:
        raise LookupError("a programme that was stored is there")
    if json:
        told = {"programme": stored.name, "stored": stored.fresh, "changed": bool(stored.keys)}
        console.show_json(told | {"projects": [_facts(one) for one in loaded]})
        return
    for one in loaded:
        _show(one, json=False)
    verb = "Loaded" if stored.fresh else "Changed" if stored.keys else "Loaded already, nothing changed:"
    console.console().print(f"{verb} the programme {stored.name}: {', '.join(stored.projects)}.", markup=False)


def _fix(campaign: Campaign, items: Sequence[str], *, cosmetic: bool, json: bool) -> None:
    from annotation.loading import campaign as loading
    from annotation.workflow.lifecycle import item_fixes
    from bot.commands import console, session

    contents = loading.contents(campaign)
    with session.opened() as database, database.transaction() as transaction:
        now = session.now()
        found = [
            item_fixes.fix(transaction, campaign, contents, item=item, cosmetic=cosmetic, now=now)
            for item in dict.fromkeys(items)
        ]
    columns = ("item", "revision", "changed", "answers excluded")
    if json:
        rows = [(one.item, one.revision, list(one.changed), one.excluded) for one in found]
        console.show_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    shown = [(one.item, one.revision, ", ".join(one.changed), one.excluded) for one in found]
    console.table(f"Fixed in {campaign.name}", columns, shown)


def _show_plans(programme: Programme, read: Read, *, json: bool) -> None:
    from annotation.errors import NotFound
    from annotation.workflow.allocation import programmes
    from bot.commands import console, session

    try:
        with session.opened() as database, database.reading() as view:
            keys = programmes.plan(view, programme)
    except NotFound:
        keys = None
    what = [("everything", "is new")] if keys is None else [("keys of the programme file", ", ".join(keys))]
    what = what if keys is None or keys else []
    if json:
        plans = {campaign.name: _plan_facts(campaign, contents) for campaign, contents, _ in read}
        console.show_json({"changes": dict(what), "projects": plans})
        return
    notes = () if what else ("Nothing.",)
    console.table(f"Loading {programme.file} would change", ("what", "which"), what, notes=notes)
    for campaign, contents, _ in read:
        _show_plan(campaign, contents, json=False)


def _plan_facts(campaign: Campaign, contents: Contents) -> dict[str, dict[str, str]]:
    found = _plan(campaign, contents)
    lines = [("everything", "is new")] if found is None else list(found.lines)
    refused = [] if found is None else [(one.what, one.why) for one in found.refused]
    return {"changes": dict(lines), "refused": dict(refused)}


def _show_plan(campaign: Campaign, contents: Contents, *, json: bool) -> None:
    from bot.commands import console

    facts = _plan_facts(campaign, contents)
    if json:
        console.show_json(facts)
        return
    lines, refused = list(facts["changes"].items()), list(facts["refused"].items())
    notes = () if lines else ("Nothing.",)
    console.table(f"Loading {campaign.file} would change", ("what", "which"), lines, notes=notes)
    if refused:
        console.table("And these may not change", ("what", "why"), refused)


def _plan(campaign: Campaign, contents: Contents) -> Plan | None:
    """What loading would change; None where the project, or the whole database, is not there yet."""
    from annotation.errors import NotFound
    from annotation.workflow.lifecycle import projects
    from bot.commands import session

    try:
        with session.opened() as database, database.reading() as view:
            return projects.plan(view, campaign, contents)
    except NotFound:
        return None
