"""The items on which people failed most often, or agreed least, with their votes and the reasons of skips."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from exports.facts import LintFact, ProjectFacts
from exports.pages.display_text import NO_VALUE, format_count, shorten_text
from exports.pages.localization import localize_number, mark_text, show_finding, translate, translate_count
from exports.pages.scaffold import TableRow
from exports.release_state import ReleaseState
from exports.report.page import Chapter, ChapterTable
from exports.results import DataSetResult

NAMED_ITEMS = 8
"""How many ids of items a row names; lint.csv has all."""
MOST_LINT_LETTERS = 40
SEVERITIES = ("error", "warning", "note")
HOW_LINTED = mark_text(
    "Checks of all items by rules, made when they were loaded: gold that can be guessed or is shown, duplicate"
    " options, repeated questions, texts too long for a phone. A note needs nothing to be done; a warning is for the"
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
    return Chapter(id="lint", title=translate("Results of the item lint"), how=translate(HOW_LINTED), tables=tables)


def _list_rows(project: ProjectFacts) -> list[TableRow]:
    findings = sorted(project.lint, key=lambda finding: (SEVERITIES.index(finding.severity), finding.rule))
    if not findings:
        return [TableRow(head=translate(NOTHING), cells=("", ""))]
    return [_build_row(finding) for finding in findings]


def _build_row(finding: LintFact) -> TableRow:
    named = [shorten_text(item, max_length=MOST_LINT_LETTERS) for item in finding.items[:NAMED_ITEMS]]
    more = len(finding.items) - len(named)
    names = ", ".join(named) + (f" … (+{more})" if more else "")
    message, remedy = show_finding(finding.message), show_finding(finding.remedy)
    return TableRow(
        head=finding.rule,
        cells=(translate(finding.severity), format_count(len(finding.items), "item")),
        remark=" ".join(part for part in (message, remedy, f"{names}." if names else "") if part),
    )


MOST_ITEMS, MOST_LETTERS, MOST_VOTES = 10, 300, 6
HOW = mark_text(
    "Items with the lowest accuracy come first; without gold, items with the least agreement. Ties are in the order of"
    " ids. Only answers that count are shown, with the reasons of skips; human_items.csv has every item. The gold of a"
    " hard item can also be wrong: a gold review finds out."
)


class _ItemVotes(NamedTuple):
    """An item with its votes, the share that is right (or says the most frequent answer), and its skip reasons."""

    item_id: str
    gold: str | None
    share: float
    votes: Counter[str]
    skips: Counter[str]


def build_hard_item_chapter(state: ReleaseState) -> Chapter:
    """A table of the hardest items of each data set."""
    shown = {
        task.data.name: dict(zip(task.texts["item_id"], task.texts["stimulus"], strict=True))
        for task in state.inputs.benchmark.tasks
        if not task.hidden
    }
    tables = [_build_table(result, shown.get(result.data.name, {})) for result in state.results]
    return Chapter(
        id="hard-items",
        title=translate("The hardest items"),
        how=translate(HOW),
        tables=tuple(table for table in tables if table.rows),
    )


def _build_table(result: DataSetResult, shown: Mapping[str, str]) -> ChapterTable:
    items = sorted(_list_items(result), key=lambda item: (item.share, item.item_id))
    hard = [item for item in items if item.share < 1][:MOST_ITEMS]
    rows = tuple(
        TableRow(
            head=item.item_id,
            cells=(
                localize_number(f"{100 * item.share:.0f} %"),
                NO_VALUE if item.gold is None else shorten_text(item.gold, max_length=40),
            ),
            remark=_describe_item(item, shown.get(item.item_id, "")),
        )
        for item in hard
    )
    what = translate("Right") if result.performance is not None else translate("Agree")
    caption = translate("{name}: the hardest of {n} answered items", name=result.data.name, n=len(items))
    return ChapterTable(caption, (translate("Item"), what, translate("Gold")), rows)


def _list_items(result: DataSetResult) -> list[_ItemVotes]:
    data = result.data
    golds = dict(zip(data.items["item_id"], data.list_scoring_gold(), strict=True))
    votes: dict[str, Counter[str]] = {}
    skips: dict[str, Counter[str]] = {}
    counted, skipped = data.list_counted_answers(), data.list_counted_skips()
    for item, answer in zip(counted["item_id"], counted["response"], strict=True):
        votes.setdefault(item, Counter())[answer] += 1
    for item, reason in zip(skipped["item_id"], skipped["skip_reason"], strict=True):
        skips.setdefault(item, Counter())[str(reason)] += 1
    items = []
    for item, gold in golds.items():
        own, passed = votes.get(item, Counter()), skips.get(item, Counter())
        total = own.total() + (passed.total() if gold is not None else 0)
        if not total:
            continue
        right = (
            sum(count for answer, count in own.items() if data.is_right(item, answer, gold))
            if gold is not None
            else max(own.values(), default=0)
        )
        items.append(_ItemVotes(item, gold, right / total, own, passed))
    return items


def _describe_item(item: _ItemVotes, shown: str) -> str:
    ordered = sorted(item.votes.items(), key=lambda vote: (-vote[1], vote[0]))
    parts = [f"{shorten_text(answer, max_length=60)} × {count}" for answer, count in ordered[:MOST_VOTES]]
    more = len(ordered) - MOST_VOTES
    parts += [translate_count("{n} more answer", "{n} more answers", more)] if more > 0 else []
    parts += [
        translate("skipped, {reason} × {count}", reason=reason, count=count)
        for reason, count in sorted(item.skips.items())
    ]
    text = shorten_text(" ".join(shown.split()), max_length=MOST_LETTERS)
    return f"{'; '.join(parts)}. {text}".strip()
