"""A campaign's items before the lint: the one place where drafts become what the lint looks at, and findings places."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from annotation.campaigns import lint, project
from annotation.campaigns.lint import rules
from annotation.campaigns.questions import Choice, Choices, Edit, Question, Scale, SpanOf
from annotation.errors import BadInput
from annotation.loading import bulk, golds
from annotation.loading.campaign import Contents
from annotation.loading.drafts import ItemDraft
from annotation.loading.items import reader

_OF_OPTIONS = {rules.TOO_FEW_OPTIONS, rules.TOO_MANY_OPTIONS, rules.EMPTY_OPTION, rules.DUPLICATE_OPTION}


@bulk.uncollected()
def findings(campaign: project.Campaign, contents: Contents) -> tuple[lint.Finding, ...]:
    """What the lint finds; items that nobody will be shown here are not measured against Telegram's limits."""
    surface = lint.TELEGRAM if campaign.definition.overlap is not None else None
    return lint.lint(items(campaign, contents), surface=surface)


def refuse(found: Iterable[lint.Finding], campaign: project.Campaign, contents: Contents) -> None:
    """Raise BadInput for the first error of the lint, naming its first item's place and how many more there are."""
    errors = [finding for finding in found if finding.rule.severity is lint.Severity.ERROR]
    if not errors:
        return
    worst = errors[0]
    first = next(item for item in contents.items if item.external_id == worst.ids[0])
    others = sum(len(finding.ids) for finding in errors) - 1
    more = f" There are {others} more errors; `hromada check` lists them." if others else ""
    raise BadInput(
        worst.first or worst.message,
        where=first.origin.where(_column(worst, campaign.definition)),
        remedy=f"{worst.rule.remedy}{more}",
    )


def items(campaign: project.Campaign, contents: Contents) -> Iterator[lint.LintItem]:
    """Every item as the lint sees it."""
    definition = campaign.definition
    section = definition.items if isinstance(definition.items, project.ItemsSection) else None
    grouped = section is not None and section.group is not None
    told = _told(definition)
    for draft in contents.items:
        shown = {piece.field: piece.text for piece in draft.pieces if piece.step == 1}
        yield lint.LintItem(
            id=draft.external_id,
            group=draft.group if grouped else None,
            pool=draft.pool.value,
            shown=shown,
            hidden={name: value for name, value in draft.data.items() if name not in told and name not in shown},
            asked=tuple(_asked(draft, question) for question in contents.questions),
        )


def _asked(draft: ItemDraft, question: Question) -> lint.Asked:
    """A question as the lint sees it; an abstention is no option that could be gold."""
    gold = (draft.golds[question.name],) if question.name in draft.golds else ()
    own = draft.options
    if isinstance(question, Choice):
        options = question.substantive(own)
        return lint.Asked(
            name=question.name,
            text=question.text,
            options=options,
            labels=question.labels_of(own)[: len(options)],
            gold=gold,
            classes=question.options is not None,
        )
    if isinstance(question, Choices | Scale):
        options = question.options_of(own) if isinstance(question, Choices) else question.options
        return lint.Asked(
            name=question.name,
            text=question.text,
            options=options,
            labels=options,
            gold=tuple(json.loads(gold[0])) if gold and isinstance(question, Choices) else gold,
            classes=question.options is not None,
            least=1 if isinstance(question, Choices) else 2,
        )
    return lint.Asked(name=question.name, text=question.text, gold=_written(question, gold), free=True)


def _written(question: Question, gold: tuple[str, ...]) -> tuple[str, ...]:
    """Gold in words. That a corrected text is the shown one gives nothing away: it may need no correction."""
    if isinstance(question, SpanOf):
        return tuple(span["text"] for one in gold for span in json.loads(one))
    return () if isinstance(question, Edit) else gold


def _told(definition: project.ProjectFile) -> set[str]:
    """The columns that are no fields of the item: id, group, options, gold and what explains it; the key of votes."""
    if not isinstance(definition.items, project.ItemsSection):
        return {"key"}
    section = definition.items
    single = {section.id, section.group, section.accepted, section.explanation, section.revision, section.lineage}
    named = {*single, *(section.options or ()), *golds.columns(definition).values()}
    if definition.lineage is not None:
        named.add(reader.LINEAGE)
    return {name for name in named if name is not None}


def _column(finding: lint.Finding, definition: project.ProjectFile) -> str | None:
    """The column in which a finding is mended."""
    section = definition.items if isinstance(definition.items, project.ItemsSection) else None
    if finding.rule is rules.GOLD_NOT_AN_OPTION:
        return golds.columns(definition).get(finding.field or "")
    if finding.rule in _OF_OPTIONS:
        columns = section.options if section else definition.votes and definition.votes.options
        return columns[0] if columns else None
    if finding.rule is rules.GROUP_IN_POOLS:
        return section.group if section else None
    return finding.field
