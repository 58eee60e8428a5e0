"""What the item lint found: each rule with its sentence, its items and its remedy, the most serious first."""

from __future__ import annotations

from exports.facts import LintFact, ProjectFacts
from exports.pages.display_text import format_count, shorten_text
from exports.pages.reasons import translate_reason
from exports.pages.scaffold import TableRow
from exports.pages.translation import mark_text, translate
from exports.release_state import ReleaseState
from exports.report.chapters import Chapter, ChapterTable

NAMED_ITEMS = 8
"""How many ids of items a row names; lint.csv has all."""
MOST_LETTERS = 40
SEVERITIES = ("error", "warning", "note")
HOW = mark_text(
    "Checks of all items by rules, made when they were loaded: gold that can be guessed or is shown, options that stand"
    " twice, repeated questions, texts too long for a phone. A note needs nothing to be done; a warning is for the"
    " organiser to judge. lint.csv has every item."
)
NOTHING = mark_text("The lint found nothing.")


def build_lint_chapter(state: ReleaseState) -> Chapter:
    """A table of the findings of each project; of a project without any a row that says so."""
    heads = (translate("Rule"), translate("Severity"), translate("Items"))
    tables = tuple(
        ChapterTable(project.name, heads, tuple(_list_rows(project)))
        for project in state.facts.projects
        if state.list_results(project)
    )
    return Chapter(id="lint", title=translate("What the item lint found"), how=translate(HOW), tables=tables)


def _list_rows(project: ProjectFacts) -> list[TableRow]:
    found = sorted(project.lint, key=lambda one: (SEVERITIES.index(one.severity), one.rule))
    if not found:
        return [TableRow(head=translate(NOTHING), cells=("", ""))]
    return [_build_row(finding) for finding in found]


def _build_row(finding: LintFact) -> TableRow:
    named = [shorten_text(item, max_length=MOST_LETTERS) for item in finding.items[:NAMED_ITEMS]]
    more = len(finding.items) - len(named)
    names = ", ".join(named) + (f" … (+{more})" if more else "")
    message, remedy = translate_reason(finding.message), translate_reason(finding.remedy)
    return TableRow(
        head=finding.rule,
        cells=(translate_reason(finding.severity), format_count(len(finding.items), "item")),
        remark=" ".join(part for part in (message, remedy, f"{names}." if names else "") if part),
    )
