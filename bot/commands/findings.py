"""What the lint found, as commands show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.campaigns.lint import Finding

MOST = 3
"""How many ids a table shows; --json gives all."""


def as_json(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """Every finding with all its ids."""
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
        for finding in found
    ]


def worst(found: Sequence[Finding]) -> str | None:
    """The severity of the first finding, which is the worst; None where there is none."""
    return found[0].rule.severity.value if found else None


def show(found: Sequence[Finding]) -> None:
    """A table, worst first; nothing where nothing was found."""
    from bot.commands import console

    if found:
        rows = [(finding.rule.severity.value, finding.rule.name, _words(finding), _ids(finding)) for finding in found]
        console.table("What the lint found", ("severity", "rule", "what to know and do", "items"), rows)


def _words(finding: Finding) -> str:
    return " ".join(part for part in (finding.message, finding.first, finding.rule.remedy) if part)


def _ids(finding: Finding) -> str:
    shown = ", ".join(finding.ids[:MOST])
    more = len(finding.ids) - MOST
    return f"{shown} and {more} more" if more > 0 else shown
