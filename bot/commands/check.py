"""`hromada check`: what is wrong with a project or programme file, and what is still to be done."""

from __future__ import annotations

from bot.commands.command_line import AllowOutside, AsJson, ProjectFile


def check(file: ProjectFile, allow_outside: AllowOutside = False, json: AsJson = False) -> None:
    """Look for mistakes in a campaign's files; store nothing.

    Says what is wrong with the items, and what has to be done before annotators come: missing items, facts that a
    release has to state.
    """
    from bot.commands import campaign_check, lint_findings, terminal_output

    checked = campaign_check.check_campaign(file, allow_outside=allow_outside)
    if json:
        to_do = {"to do": list(checked.to_do), "to declare": dict(checked.to_declare)}
        terminal_output.print_json(checked.facts | to_do | {"findings": lint_findings.build_json(checked.findings)})
    else:
        verdict = (
            "cannot be loaded yet" if lint_findings.get_worst_severity(checked.findings) == "error" else "can be loaded"
        )
        terminal_output.print_table(f"{file} {verdict}", ("what", "is"), list(checked.facts.items()))
        lint_findings.print_findings(checked.findings)
        for line in checked.to_do:
            terminal_output.print_sentence(f"To do before people come: {line}")
        if checked.to_declare:
            rows = [(f"declared.{name}", says) for name, says in checked.to_declare.items()]
            terminal_output.print_table("A release has to state, and only you know", ("key", "say"), rows)
    checked.refuse()
