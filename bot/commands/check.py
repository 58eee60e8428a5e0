"""`hromada check`: what is wrong with a project or programme file, and what is still to be done."""

from __future__ import annotations

from bot.commands import terminal_output
from bot.commands.command_line import AllowOutside, AsJson, ProjectFile


def check(file: ProjectFile, allow_outside: AllowOutside = False, json: AsJson = False) -> None:
    """Check a campaign's files for mistakes; store nothing.

    Says what is wrong with the items, and what has to be done before annotators come: missing items, facts that a
    release has to state.
    """
    from annotation.workflow.monitoring import progress
    from bot.commands import added_texts, campaign_check, other_projects

    added_texts.use_added_texts()
    checked = campaign_check.check_campaign(file, allow_outside=allow_outside)
    others = other_projects.compare_campaigns(checked.campaigns)
    shared = [f"{other.campaign.name}: {what.note}" for other in others for what in other.shared]
    asked = (campaign.definition for campaign, _ in checked.campaigns if campaign.definition.overlap is not None)
    languages = dict.fromkeys(definition.language for definition in asked)
    untranslated = [sentence for sentence in map(added_texts.explain_missing_language, languages) if sentence]
    unread = list(dict.fromkeys(other.unread for other in others if other.unread))
    if json:
        notes: dict[str, object] = {"to do": list(checked.to_do), "weak": list(checked.weak)}
        notes |= {
            "warnings": [*checked.warnings, *untranslated, *unread, *shared],
            "to declare": dict(checked.to_declare),
        }
        notes["closed by exposure"] = {
            other.campaign.name: {
                closed.annotator: {"items": closed.number, "why": dict(closed.reasons)} for closed in other.closed
            }
            for other in others
        }
        findings = {"findings": campaign_check.build_json(checked.findings)}
        terminal_output.print_json(checked.flat_facts | notes | findings)
    else:
        verdict = (
            "cannot be loaded yet"
            if campaign_check.get_worst_severity(checked.findings) == "error"
            else "can be loaded"
        )
        terminal_output.print_table(f"{file} {verdict}", ("what", "is"), list(checked.facts.items()))
        if checked.projects:
            columns = tuple(dict.fromkeys(what for facts in checked.projects.values() for what in facts))
            rows = [(name, *(facts.get(what) for what in columns)) for name, facts in checked.projects.items()]
            terminal_output.print_table("Its projects", ("project", *columns), rows)
        campaign_check.print_findings(checked.findings)
        for other in others:
            if other.closed:
                terminal_output.print_table(
                    f"Closed by exposure in {other.campaign.name}",
                    ("annotator", "items"),
                    progress.describe_closed_items(other.closed),
                )
        for line in (*checked.warnings, *untranslated, *unread, *shared):
            terminal_output.print_sentence(f"Warning: {line}")
        for line in checked.to_do:
            terminal_output.print_sentence(f"To do before people come: {line}")
        for line in checked.weak:
            terminal_output.print_sentence(f"Weak: {line}")
        if checked.to_declare:
            terminal_output.print_sentence(
                f"To declare before a release, under `declared`: {', '.join(checked.to_declare)}. What each has to say"
                " is in --json, and in docs/reference/project-file.md of hromada’s repository."
            )
    checked.refuse("." if json else "; `--json` lists them all.")
    other_projects.refuse_same_texts(others)
