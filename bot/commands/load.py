"""`hromada load`: store or change a project or programme, or fix items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annotation.errors import BadInput, ErrorCollector, NotFound
from bot.commands import terminal_output
from bot.commands.command_line import AllowOutside, AsJson, ProjectFile

if TYPE_CHECKING:
    from pathlib import Path

    from annotation.campaigns.lint import LintFinding
    from annotation.campaigns.programme_file import CheckedProgramme
    from annotation.campaigns.project_file import CheckedProject
    from annotation.loading.campaign import CampaignContents
    from annotation.workflow.lifecycle.change_plan import ChangePlan
    from annotation.workflow.lifecycle.projects import LoadedProgramme, LoadedProject

    ReadCampaigns = Sequence[tuple[CheckedProject, CampaignContents, tuple[LintFinding, ...]]]


def load(
    file: ProjectFile,
    plan: Annotated[bool, typer.Option("--plan", help="Only show what would change, and what may not.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Change a project that is loaded already.")] = False,
    fix: Annotated[
        list[str] | None, typer.Option("--fix", metavar="ID", help="Take over this item only, while people work.")
    ] = None,
    cosmetic: Annotated[bool, typer.Option("--cosmetic", help="With --fix: keep the item's answers.")] = False,
    allow_outside: AllowOutside = False,
    json: AsJson = False,
) -> None:
    """Store a campaign and its items, or update it.

    Loads a project or a programme. Loading an unchanged file does nothing. To apply changes, add --yes; the output
    lists who will be asked again. Items that annotators have seen stay unchanged unless you name them with --fix.
    """
    from annotation.campaigns import programme_file, project_file

    if cosmetic and not fix:
        raise BadInput("--cosmetic says how an item is fixed.", remedy="Name the item with --fix ID.")
    if fix and (plan or yes):
        raise BadInput("--fix changes its items at once.", remedy="Leave --plan and --yes out.")
    if programme_file.is_programme(file):
        if fix:
            raise BadInput("A programme has no items.", remedy="Name the file of the project with --fix.")
        programme = programme_file.read_programme(file, allow_outside=allow_outside)
        _load_programme(programme, plan=plan, yes=yes, json=json)
        return
    campaign = project_file.read_project(file, allow_outside=allow_outside)
    if fix:
        _fix_items(campaign, fix, cosmetic=cosmetic, json=json)
        return
    read = _read_campaigns([campaign])
    if plan:
        _print_plan(campaign, read[0][1], json=json)
        return
    loaded, _ = _store_campaigns(read, yes=yes, quiet=json)
    _print_loaded(loaded[0], json=json)


def _read_campaigns(campaigns: Sequence[CheckedProject]) -> ReadCampaigns:
    """Read the items of the campaigns; raises BadInput for all that is wrong in any of them."""
    from annotation.loading import campaign_lint
    from annotation.loading.campaign import read_contents

    contents_read, errors = [], ErrorCollector()
    for campaign in campaigns:
        with errors:
            contents = read_contents(campaign)
            findings = campaign_lint.lint_campaign(campaign, contents)
            campaign_lint.refuse_errors(findings, campaign, contents)
            contents_read.append((campaign, contents, findings))
    errors.refuse()
    return contents_read


def _store_campaigns(
    read: ReadCampaigns, *, yes: bool, quiet: bool, programme: CheckedProgramme | None = None
) -> tuple[list[LoadedProject], LoadedProgramme | None]:
    """Store the projects, and the programme behind them, in one transaction."""
    from annotation.workflow.lifecycle import projects
    from bot.commands import database_session

    with (
        terminal_output.show_progress("items", quiet=quiet) as progress,
        database_session.open_database(create=True) as database,
        database.transaction() as transaction,
    ):
        now = database_session.get_time(transaction)
        loaded = [
            projects.load_project(
                transaction, campaign, contents, now=now, confirmed=yes, findings=findings, progress=progress
            )
            for campaign, contents, findings in read
        ]
        stored = None if programme is None else projects.load_programme(transaction, programme, now=now, confirmed=yes)
    return loaded, stored


def _print_loaded(loaded: LoadedProject, *, json: bool) -> None:
    from bot.commands import campaign_check

    if json:
        terminal_output.print_json(_build_json(loaded))
        return
    verb = "Loaded" if loaded.is_new else "Loaded already, nothing changed:" if loaded.plan.empty else "Changed"
    items = terminal_output.format_count(loaded.items, "item")
    terminal_output.print_sentence(f"{verb} {loaded.name}: {items}, {loaded.golds} with gold.")
    if (sample := loaded.sample) is not None:
        terminal_output.print_sentence(f"The overlap sample has {sample.items} of {sample.all_items} main items.")
    _print_texts(loaded.plan)
    campaign_check.print_findings(loaded.findings)


def _build_json(loaded: LoadedProject) -> dict[str, object]:
    from bot.commands import campaign_check

    return {
        "project": loaded.name,
        "items": loaded.items,
        **({} if loaded.sample is None else {"overlap_sample": loaded.sample.items}),
        "with gold": loaded.golds,
        "stored": loaded.is_new,
        "changed": not loaded.plan.empty,
        "texts": _build_texts_json(loaded.plan),
        "findings": campaign_check.build_json(loaded.findings),
    }


def _load_programme(programme: CheckedProgramme, *, plan: bool, yes: bool, json: bool) -> None:
    """Store a programme and its projects and print the result, or with `plan` what would change."""
    read = _read_campaigns(programme.projects)
    if plan:
        _print_programme_plan(programme, read, json=json)
        return
    loaded, stored = _store_campaigns(read, yes=yes, quiet=json, programme=programme)
    if stored is None:
        raise LookupError("a programme that was stored is there")
    if json:
        facts = {"programme": stored.name, "stored": stored.is_new, "changed": not stored.plan.empty}
        facts["texts"] = _build_texts_json(stored.plan)
        terminal_output.print_json(facts | {"projects": [_build_json(project) for project in loaded]})
        return
    for project in loaded:
        _print_loaded(project, json=False)
    verb = "Loaded" if stored.is_new else "Loaded already, nothing changed:" if stored.plan.empty else "Changed"
    terminal_output.print_sentence(f"{verb} the programme {stored.name}: {', '.join(stored.projects)}.")
    _print_texts(stored.plan)


def _fix_items(campaign: CheckedProject, items: Sequence[str], *, cosmetic: bool, json: bool) -> None:
    """Take over these items from the changed file, and print what changed."""
    from annotation.loading.campaign import read_contents
    from annotation.workflow.lifecycle import item_fixes
    from bot.commands import database_session

    contents = read_contents(campaign)
    with database_session.open_database() as database, database.transaction() as transaction:
        now = database_session.get_time(transaction)
        fixes = [
            item_fixes.fix_item(transaction, campaign, contents, item=item, cosmetic=cosmetic, now=now)
            for item in dict.fromkeys(items)
        ]
    columns = ("item", "revision", "changed", "answers excluded")
    if json:
        rows = [(fix.item, fix.revision, list(fix.changed), fix.excluded) for fix in fixes]
        terminal_output.print_json([dict(zip(columns, row, strict=True)) for row in rows])
        return
    shown = [(fix.item, fix.revision, ", ".join(fix.changed), fix.excluded) for fix in fixes]
    terminal_output.print_table(f"Fixed in {campaign.name}", columns, shown)


def _print_programme_plan(programme: CheckedProgramme, read: ReadCampaigns, *, json: bool) -> None:
    """Print what loading a programme would change, in itself and in its projects."""
    from annotation.workflow.lifecycle import projects
    from bot.commands import database_session

    try:
        with database_session.open_database() as database, database.reading() as view:
            plan = projects.plan_programme(view, programme)
    except NotFound:
        plan = None
    facts = _build_plan_json(plan)
    if json:
        plans = {campaign.name: _build_plan_json(_get_plan(campaign, contents)) for campaign, contents, _ in read}
        terminal_output.print_json({**facts, "projects": plans})
        return
    _print_plan_tables(programme.path, facts, plan)
    for campaign, contents, _ in read:
        _print_plan(campaign, contents, json=False)


def _build_plan_json(plan: ChangePlan | None) -> dict[str, Any]:
    """What loading would change, which texts with what follows, and what may not change, with the keys of `--json`."""
    lines = [("everything", "is new")] if plan is None else list(plan.lines)
    refused = [] if plan is None else [(change.what, change.reason) for change in plan.forbidden]
    return {"changes": dict(lines), "texts": _build_texts_json(plan), "refused": dict(refused)}


def _build_texts_json(plan: ChangePlan | None) -> list[dict[str, str | int | None]]:
    changes = () if plan is None else plan.texts
    return [
        {"text": change.text, "language": change.language, "people": change.people, "follows": change.effect}
        for change in changes
    ]


def _print_plan(campaign: CheckedProject, contents: CampaignContents, *, json: bool) -> None:
    plan = _get_plan(campaign, contents)
    facts = _build_plan_json(plan)
    if json:
        terminal_output.print_json(facts)
        return
    _print_plan_tables(campaign.path, facts, plan)


def _print_plan_tables(path: Path, facts: Mapping[str, Mapping[str, str]], plan: ChangePlan | None) -> None:
    lines, refused = list(facts["changes"].items()), list(facts["refused"].items())
    notes = () if lines else ("Nothing.",)
    terminal_output.print_table(f"Loading {path} would change", ("what", "which"), lines, notes=notes)
    _print_texts(plan)
    if refused:
        terminal_output.print_table("And these may not change", ("what", "why"), refused)


def _print_texts(plan: ChangePlan | None) -> None:
    """Print what follows from each changed text, where there are any."""
    if plan is not None and plan.texts:
        rows = [(change.text, change.language, change.people, change.effect) for change in plan.texts]
        terminal_output.print_table("Changed texts", ("text", "language", "people", "what follows"), rows)


def _get_plan(campaign: CheckedProject, contents: CampaignContents) -> ChangePlan | None:
    """What loading would change; None where the project, or the whole database, is not there yet."""
    from annotation.workflow.lifecycle import projects
    from bot.commands import database_session

    try:
        with database_session.open_database() as database, database.reading() as view:
            return projects.plan_project(view, campaign, contents)
    except NotFound:
        return None
