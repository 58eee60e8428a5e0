"""The item lint: finds mistakes in items before annotators answer them, each with ids, severity and remedy.

Pure functions over `LintItem`s, without input or output. The rules are in `rules` and in docs/reference/lint.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from annotation.campaigns.lint import leaks, options, rules, texts
from annotation.campaigns.lint.items import TELEGRAM, LintItem, LintQuestion, SurfaceLimits, pair_items_with_questions
from annotation.campaigns.lint.rules import LintFinding, LintRule, Severity

__all__ = ["TELEGRAM", "LintFinding", "LintItem", "LintQuestion", "LintRule", "Severity", "SurfaceLimits", "lint_items"]


def lint_items(items: Iterable[LintItem], *, limits: SurfaceLimits | None = None) -> tuple[LintFinding, ...]:
    """Return all findings, in the order of the rules.

    `limits` are those of the surface (such as Telegram) on which annotators will answer; None where all answers exist
    already, and no limit is checked.
    """
    all_items = tuple(items)
    pairs_by_question = pair_items_with_questions(all_items)
    findings = [
        *texts.find_empty_fields(all_items),
        *options.find_option_errors(pairs_by_question),
        *leaks.find_gold_leaks(pairs_by_question),
        *leaks.find_leaking_groups(all_items),
        *options.find_frequent_gold_positions(pairs_by_question),
        *texts.find_repeated_items(all_items),
        *leaks.find_missing_groups(all_items),
        *texts.find_mixed_scripts(all_items),
        *(texts.find_exceeded_limits(all_items, pairs_by_question, limits) if limits is not None else ()),
    ]
    return tuple(sorted(findings, key=lambda finding: rules.RULES.index(finding.rule)))
