"""The item lint: what is wrong with items before anybody answers them, each finding with ids, severity and remedy.

Pure functions over `LintItem`s; nothing is read or stored. The rules are in `rules`, and in docs/reference/lint.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from annotation.campaigns.lint import groups, leaks, options, rules, surfaces, texts
from annotation.campaigns.lint.findings import Finding, Rule, Severity
from annotation.campaigns.lint.items import TELEGRAM, Asked, LintItem, Surface, by_question

__all__ = ["TELEGRAM", "Asked", "Finding", "LintItem", "Rule", "Severity", "Surface", "lint"]


def lint(items: Iterable[LintItem], *, surface: Surface | None = None) -> tuple[Finding, ...]:
    """All findings, in the order of the rules; `surface` is where people will answer, None where they did already."""
    known = tuple(items)
    questions = by_question(known)
    found = [
        *texts.empty(known),
        *options.single(questions),
        *leaks.leaking(questions),
        *groups.leaking(known),
        *options.gold_position(questions),
        *texts.repeated(known),
        *groups.missing(known),
        *texts.scripts(known),
        *(surfaces.fitting(known, questions, surface) if surface is not None else ()),
    ]
    return tuple(sorted(found, key=lambda finding: rules.RULES.index(finding.rule)))
