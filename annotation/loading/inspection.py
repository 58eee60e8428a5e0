"""A campaign's items before the lint: the one place where drafts become what the lint looks at, and findings places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from annotation.campaigns import lint, project
from annotation.campaigns.lint import rules
from annotation.errors import BadInput
from annotation.loading.campaign import Contents
from annotation.loading.drafts import ItemDraft

_OF_OPTIONS = {rules.TOO_FEW_OPTIONS, rules.TOO_MANY_OPTIONS, rules.EMPTY_OPTION, rules.DUPLICATE_OPTION}


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
        shown = _shown(draft, definition)
        yield lint.LintItem(
            id=draft.external_id,
            group=draft.group if grouped else None,
            shown=shown,
            hidden={name: value for name, value in draft.data.items() if name not in told and name not in shown},
            asked=(_asked(draft, contents),),
        )


def _asked(draft: ItemDraft, contents: Contents) -> lint.Asked:
    choice = contents.choice
    return lint.Asked(
        text=choice.text,
        options=choice.options_of(draft.options),
        labels=choice.labels_of(draft.options),
        gold=() if draft.gold is None else (draft.gold,),
        classes=choice.options is not None,
    )


def _shown(draft: ItemDraft, definition: project.ProjectFile) -> dict[str, str]:
    """The shown fields by column; items made of votes whose columns are not known by name are numbered."""
    section = definition.items if isinstance(definition.items, project.ItemsSection) else definition.votes
    columns = section.show if section is not None and section.show is not None else ()
    if len(columns) != len(draft.shown):
        columns = tuple(name for name in draft.data if name != "key")
    if len(columns) != len(draft.shown):
        columns = tuple(f"shown {number}" for number in range(1, len(draft.shown) + 1))
    return dict(zip(columns, draft.shown, strict=True))


def _told(definition: project.ProjectFile) -> set[str]:
    """The columns that are no fields of the item: id, group, gold, options; and the key of items made of votes."""
    if not isinstance(definition.items, project.ItemsSection):
        return {"key"}
    section = definition.items
    named = {section.id, section.group, section.gold, *(section.options or ())}
    return {name for name in named if name is not None}


def _column(finding: lint.Finding, definition: project.ProjectFile) -> str | None:
    """The column in which a finding is mended."""
    section = definition.items if isinstance(definition.items, project.ItemsSection) else None
    if finding.rule is rules.GOLD_NOT_AN_OPTION:
        named = section or definition.truth
        return named.gold if named else None
    if finding.rule in _OF_OPTIONS:
        columns = section.options if section else definition.votes and definition.votes.options
        return columns[0] if columns else None
    if finding.rule is rules.GROUP_IN_POOLS:
        return section.group if section else None
    return finding.field
