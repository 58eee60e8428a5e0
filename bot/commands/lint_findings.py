"""The findings of the lint as tables and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.campaigns.lint import LintFinding

MAX_IDS_SHOWN = 3
"""How many ids a table shows; --json gives all."""


def build_json(findings: Sequence[LintFinding]) -> list[dict[str, Any]]:
    """The findings with all ids, with the keys of `--json`."""
    return [
        {
            "rule": finding.rule.name,
            "severity": finding.rule.severity.value,
            "field": finding.field,
            "message": finding.message,
            "first": finding.first,
            "remedy": finding.rule.remedy,
            "ids": list(finding.ids),
        }
        for finding in findings
    ]


def get_worst_severity(findings: Sequence[LintFinding]) -> str | None:
    """The severity of the first finding, which is the worst; None where there is none."""
    return findings[0].rule.severity.value if findings else None


def print_findings(findings: Sequence[LintFinding]) -> None:
    """Print a table, worst first; nothing where there are no findings."""
    from bot.commands import terminal_output

    if findings:
        rows = [
            (finding.rule.severity.value, finding.rule.name, _format_message(finding), _format_ids(finding))
            for finding in findings
        ]
        terminal_output.print_table("What the lint found", ("severity", "rule", "what to know and do", "items"), rows)


def _format_message(finding: LintFinding) -> str:
    return " ".join(part for part in (finding.message, finding.first, finding.rule.remedy) if part)


def _format_ids(finding: LintFinding) -> str:
    shown = ", ".join(finding.ids[:MAX_IDS_SHOWN])
    more = len(finding.ids) - MAX_IDS_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
