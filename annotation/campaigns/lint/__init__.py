"""The item lint: finds mistakes in items before annotators answer them, each with ids, severity and remedy.

Pure functions over `LintItem`s, without input or output. The rules are in `rules` and in docs/reference/lint.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from annotation.campaigns.lint import groups, leaks, options, rules, surface_limits, texts
from annotation.campaigns.lint.items import TELEGRAM, LintItem, LintQuestion, SurfaceLimits, group_by_question
from annotation.campaigns.lint.rules import LintFinding, LintRule, Severity

__all__ = ["TELEGRAM", "LintFinding", "LintItem", "LintQuestion", "LintRule", "Severity", "SurfaceLimits", "lint_items"]


def lint_items(items: Iterable[LintItem], *, surface: SurfaceLimits | None = None) -> tuple[LintFinding, ...]:
    """Return all findings, in the order of the rules.

    `surface` has the limits of the place where annotators will answer; None where all answers exist already.
    """
    lint_items_ = tuple(items)
    questions = group_by_question(lint_items_)
    findings = [
        *texts.find_empty_fields(lint_items_),
        *options.find_option_errors(questions),
        *leaks.find_gold_leaks(questions),
        *groups.find_leaking_groups(lint_items_),
        *options.find_gold_position(questions),
        *texts.find_repeated_items(lint_items_),
        *groups.find_missing_groups(lint_items_),
        *texts.find_mixed_scripts(lint_items_),
        *(surface_limits.find_misfits(lint_items_, questions, surface) if surface is not None else ()),
    ]
    return tuple(sorted(findings, key=lambda finding: rules.RULES.index(finding.rule)))
