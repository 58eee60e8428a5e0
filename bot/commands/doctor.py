"""`hromada doctor`: whether all that hromada needs is there."""

from __future__ import annotations

import sys

from bot.commands import terminal_output
from bot.commands.command_line import AsJson


def doctor(json: AsJson = False) -> None:
    """Check this machine: settings, database, keys, backups, disk, clock, webhook.

    The exit code is 1 where something is to be mended.
    """
    from bot.commands import machine_checks, system_checks

    findings = (*system_checks.check_system(), *machine_checks.check_machine())
    if json:
        terminal_output.print_json(
            [{"what": finding.what, "well": finding.well, "says": finding.says} for finding in findings]
        )
    else:
        rows = [(finding.what, "well" if finding.well else "to mend", finding.says) for finding in findings]
        terminal_output.print_table("Doctor", ("what", "is", "says"), rows)
    if not all(finding.well for finding in findings):
        sys.exit(1)
