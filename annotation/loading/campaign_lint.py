"""Lints the items of a campaign: converts drafts to lint items, and findings to places in the files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from aggregation import spelling
from annotation.campaigns import lint, project_file
from annotation.campaigns.lint import rules
from annotation.campaigns.markdown.document import list_formulas, parse_markdown
from annotation.campaigns.markdown.mathml import build_mathml
from annotation.campaigns.questions import (
    Question,
)
from annotation.errors import BadInput
from annotation.input_files import JSON_ENDINGS
from annotation.loading import golds
from annotation.loading.campaign import CampaignContents
from annotation.loading.drafts import ItemDraft, VoteDraft, has_own_group, pause_garbage_collection
from annotation.loading.items import item_reader

MAX_SOURCES, MAX_SOURCE = 10, 60
"""How many texts and formulas are named, and how much of a formula."""
_LATEX_WORDS = re.compile(r"\\(?:text\w*|mbox|operatorname\*?|mathrm)\s*\{[^{}]*\}|\\[A-Za-z]+|\{[A-Za-z]+\*?\}")
"""Commands of LaTeX, the words in those for text, and names of environments."""
_TWO_WORDS = re.compile(r"[^\W\d_]{2,}\s+[^\W\d_]{2,}")
"""What formulas do not have, and prices do: `$5 for one; two for US$`."""
_PRICE = re.compile(r"\d[\d.]*(?:[,;:]\s*|\s+\()[A-Z]{1,3}\Z")
"""The beginning of a price behind another one: `$5, US$`."""


def describe_items(ids: Iterable[str], questions: Sequence[Question]) -> Iterator[str]:
    """Yield a sentence about item ids that look alike, and one about the options of each question that do."""
    yield from spelling.describe_lookalikes("item ids", ids)
    for question in questions:
        yield from spelling.describe_lookalikes(f"options of «{question.text}»", question.fixed_options or ())


def describe_votes(votes: Iterable[VoteDraft]) -> Iterator[str]:
    """Yield a sentence about annotators in a file of votes whose names look alike."""
    yield from spelling.describe_lookalikes("annotators", (vote.annotator for vote in votes))


def describe_sources(items: Iterable[ItemDraft]) -> Iterator[str]:
    """Yield a sentence about each text and formula that is perhaps not shown as it is meant, up to MAX_SOURCES."""
    found = [
        f"{item.origin.where(piece.field)}: {problem}"
        for item in items
        for piece in item.pieces
        if piece.markdown
        for problem in _list_problems(piece.text, backslash=_write_backslash(item.origin.file))
    ]
    yield from found[:MAX_SOURCES]
    if len(found) > MAX_SOURCES:
        yield f"{len(found) - MAX_SOURCES} more texts or formulas may not be shown as they are meant."


def _write_backslash(file: Path) -> str:
    """A backslash, as it is written in this file."""
    return "\\\\" if file.suffix.lower() in JSON_ENDINGS else "\\"


def _list_problems(text: str, *, backslash: str) -> Iterator[str]:
    document = parse_markdown(text)
    if document.is_source:
        yield (
            "People see this text as it is written: Markdown would leave a part out, as of a row that is too long."
            f" Inside a table, write {backslash}| for a vertical bar."
        )
    for formula in list_formulas(document.nodes):
        source = " ".join(formula.source.split())
        shown = source if len(source) <= MAX_SOURCE else f"{source[:MAX_SOURCE]}…"
        if build_mathml(formula.latex, is_block=formula.is_block) is None:
            yield f"People see the formula {shown} as it is written: hromada cannot draw it."
        elif _TWO_WORDS.search(_LATEX_WORDS.sub(".", formula.latex)) or _PRICE.match(formula.latex):
            yield f"People see {shown} as a formula. If it is none, write {backslash}$ for each dollar sign."


_OPTION_RULES = {rules.TOO_FEW_OPTIONS, rules.TOO_MANY_OPTIONS, rules.EMPTY_OPTION, rules.DUPLICATE_OPTION}


@pause_garbage_collection()
def lint_campaign(campaign: project_file.CheckedProject, contents: CampaignContents) -> tuple[lint.LintFinding, ...]:
    """Lint the items; Telegram's limits are checked only where items will be assigned (`overlap` is given)."""
    limits = lint.TELEGRAM if campaign.definition.overlap is not None else None
    return lint.lint_items(build_lint_items(campaign, contents), limits=limits)


def refuse_errors(
    findings: Iterable[lint.LintFinding],
    campaign: project_file.CheckedProject,
    contents: CampaignContents,
    *,
    where_others: str = "; `hromada check` lists them.",
) -> None:
    """Raise BadInput for the first error of the lint, with the place of its first item and the number of others.

    `where_others` are the words behind that number.
    """
    errors = [finding for finding in findings if finding.rule.severity is lint.Severity.ERROR]
    if not errors:
        return
    worst = errors[0]
    first = next(item for item in contents.items if item.external_id == worst.ids[0])
    others = sum(len(finding.ids) for finding in errors) - 1
    number = "There is 1 more error" if others == 1 else f"There are {others} more errors"
    more = f" {number}{where_others}" if others else ""
    remedy = worst.rule.remedy
    if worst.rule is rules.GOLD_NOT_AN_OPTION and find_columns_as_options(campaign.definition, contents):
        remedy = "These are names of columns: move `options` under `items`."
    raise BadInput(
        worst.first or worst.message,
        where=first.origin.where(_get_column(worst, campaign.definition)),
        remedy=f"{remedy}{more}",
    )


def find_columns_as_options(definition: project_file.ProjectFile, contents: CampaignContents) -> tuple[str, ...]:
    """The options of a choice question where each is the name of a column of the items, else none."""
    if isinstance(definition.items, project_file.ItemsSection):
        columns = contents.items[0].data.keys()
        for question in contents.questions:
            options = question.fixed_options if question.takes_item_options else None
            if options is not None and all(option in columns for option in options):
                return options
    return ()


def build_lint_items(campaign: project_file.CheckedProject, contents: CampaignContents) -> Iterator[lint.LintItem]:
    """Yield the lint item of every item draft."""
    definition = campaign.definition
    role_columns = _list_role_columns(definition)
    checked: tuple[Iterable[str], Iterable[str]] = ((), ())
    hidden_names: list[str] = []
    for draft in contents.items:
        shown = {piece.field: piece.image or piece.text for piece in draft.pieces if piece.step == 1}
        if checked != (draft.data.keys(), shown.keys()):  # most items have the same fields
            checked = (draft.data.keys(), shown.keys())
            hidden_names = [name for name in draft.data if name not in role_columns and name not in shown]
        yield lint.LintItem(
            id=draft.external_id,
            group=None if has_own_group(draft, project=campaign.name) else draft.group,
            pool=draft.pool,
            shown=shown,
            hidden={name: draft.data[name] for name in hidden_names},
            questions=tuple([_build_lint_question(draft, question) for question in contents.questions]),
        )


def _build_lint_question(draft: ItemDraft, question: Question) -> lint.LintQuestion:
    """Build the lint question of a question; an abstention cannot be gold, a tie has no place: both are left out."""
    gold = draft.golds.get(question.name)
    options = question.get_options(draft.options)
    n_options = len(options) - question.last_options
    return lint.LintQuestion(
        name=question.name,
        text=question.text,
        options=options[:n_options],
        labels=question.get_labels(draft.options)[:n_options],
        gold=() if gold is None else question.lint_gold(gold),
        has_shared_options=question.fixed_options is not None,
        free=not question.is_closed,
        min_options=question.min_options,
        compares=bool(question.option_columns),
    )


def _list_role_columns(definition: project_file.ProjectFile) -> set[str]:
    """The columns with a role (id, group, options, gold, …) or the key of votes, which are no hidden fields."""
    if not isinstance(definition.items, project_file.ItemsSection):
        return {"key"}
    section = definition.items
    single = {section.id, section.group, section.accepted, section.explanation, section.revision, section.lineage}
    systems = {column for question in definition.all_questions for column in question.system_columns}
    named = {*single, section.system, *systems, *(section.options or ()), *golds.get_gold_columns(definition).values()}
    if definition.review is not None:
        named.add(definition.review.made_by)
    if definition.lineage is not None:
        named |= {item_reader.LINEAGE_COLUMN, item_reader.GROUP_COLUMN}
    return {name for name in named if name is not None}


def _get_column(finding: lint.LintFinding, definition: project_file.ProjectFile) -> str | None:
    """The column in which to correct the finding."""
    section = definition.items if isinstance(definition.items, project_file.ItemsSection) else None
    if finding.rule is rules.GOLD_NOT_AN_OPTION:
        return golds.get_gold_columns(definition).get(finding.field or "")
    if finding.rule in _OPTION_RULES:
        columns = section.options if section else definition.votes and definition.votes.options
        return columns[0] if columns else None
    if finding.rule is rules.GROUP_IN_POOLS:
        return section.group if section else None
    return finding.field
