"""`hromada doctor`: whether all that hromada needs is there."""

from __future__ import annotations

import sys

from bot.commands import need_lines, terminal_output
from bot.commands.command_line import AsJson


def doctor(json: AsJson = False) -> None:
    """Check settings, database, keys, backups, disk, clock.

    Lists what needs you first. Exits with 1 if it finds a problem, or if people are not served.
    """
    from bot.commands import local_times, machine_checks, system_checks

    findings = (*system_checks.check_system(), *machine_checks.check_machine())
    needs = machine_checks.list_needs()
    if json:
        checks = [{"what": finding.what, "well": finding.well, "says": finding.says} for finding in findings]
        terminal_output.print_json({"checks": checks, "needs": [need_lines.build_need_json(need) for need in needs]})
    else:
        for part in need_lines.build_need_list(needs):
            terminal_output.get_console().print(part)
        rows = [(finding.what, "well" if finding.well else "to fix", finding.says) for finding in findings]
        notes = [local_times.name_zone()] if need_lines.has_times(needs) else []
        terminal_output.print_table("Doctor", ("what", "is", "says"), rows, notes=notes)
    if not all(finding.well for finding in findings) or any(need.is_fault for need in needs):
        sys.exit(1)
