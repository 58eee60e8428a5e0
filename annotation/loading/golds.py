"""Checks the gold of items against the questions and encodes it as answers are stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aggregation import spelling
from aggregation.scoring import is_number
from annotation import input_files
from annotation.campaigns import project_file
from annotation.campaigns.questions import Question
from annotation.campaigns.sections.sources import TruthSection
from annotation.errors import BadInput, ErrorCollector, Where
from annotation.loading.drafts import ItemDraft, get_cell
from annotation.loading.items.item_reader import read_rows
from annotation.loading.judgements.other_tools import build_item_id, get_item_key
from annotation.vocabulary import Pool

MAX_NAMED = 3
"""How many rows or items a warning names."""


UnusedRow = tuple[str, input_files.FileRow]
"""A row of gold for an item that has no votes, with the words that name its item."""


@dataclass(frozen=True, kw_only=True)
class ReadTruth:
    """The rows of a file of gold: `rows` by external id of their item, with the gold, which is None where it is empty.

    `unused` are the rows for items that have no votes.
    """

    rows: Mapping[str, tuple[input_files.FileRow, str | None]]
    unused: tuple[UnusedRow, ...]


def read_truth(path: Path, section: TruthSection, *, known: Collection[str]) -> ReadTruth:
    """Read a file of gold; `known` are the external ids of the items that have votes.

    A table of votes may repeat the gold of an item in each of its rows. Raises BadInput for an item with two golds, and
    where no row is for an item that has votes.
    """
    rows: dict[str, tuple[input_files.FileRow, str | None]] = {}
    unused: list[UnusedRow] = []
    items, met = spelling.index_names(known), dict[str, str]()
    for number, row in enumerate(read_rows(path, section)):
        if number == 0:
            input_files.require_columns({"truth.item": section.item, "truth.gold": [section.gold]}, row)
        key = get_item_key(row, section.item)
        item_key = spelling.build_key(build_item_id(key))
        gold = spelling.build_key(get_cell(row, section.gold))
        if item_key in items and met.get(item_key, gold) != gold:
            where = row.where(section.item[0])
            raise BadInput("This item has two different golds.", where=where, remedy="Keep one of the rows.")
        met[item_key] = gold
        if item_key in items:
            rows[items[item_key]] = (row, get_cell(row, section.gold).strip() or None)
        else:
            unused.append((_join_key(key), row))
    if not rows:
        raise BadInput(
            "No gold row matches an item with votes.",
            where=Where(file=path, line=1, field=", ".join(section.item)),
            remedy="Check that `truth.item` and `votes.item` name the same columns.",
        )
    return ReadTruth(rows=rows, unused=tuple(unused))


def add_golds(drafts: Iterable[ItemDraft], truth: ReadTruth, *, question: str) -> tuple[ItemDraft, ...]:
    """The items with their gold for the question of this name; a gold that came with the votes stays without one."""
    return tuple(_add_gold(draft, truth, question) if draft.external_id in truth.rows else draft for draft in drafts)


def _add_gold(draft: ItemDraft, truth: ReadTruth, question: str) -> ItemDraft:
    row, gold = truth.rows[draft.external_id]
    golds = draft.golds if gold is None else {**draft.golds, question: gold}
    return draft._replace(gold=golds.get(question), golds=golds, origin=row)


def name_item(data: Mapping[str, Any], external_id: str) -> str:
    """The words that name an item made from votes: the values of its key, from its data."""
    return _join_key(data.get("key") or [external_id])


def _join_key(key: Iterable[str]) -> str:
    return " | ".join(key)


def describe_gaps(unused: Sequence[UnusedRow], *, without_gold: Sequence[str]) -> Iterator[str]:
    """Sentences about rows that are for no item and about items without gold; `without_gold` are the latter's names."""
    if unused:
        number = len(unused)
        words = spelling.quote_words(name for name, _ in unused)
        places = [f"{word[1:-1]} ({row.file.name}:{row.line})" for word, (_, row) in zip(words, unused, strict=True)]
        subject = "1 row of the truth is" if number == 1 else f"{number} rows of the truth are"
        yield f"{subject} for no item that has votes: {_name_first(places)}."
    if without_gold:
        subject = "1 item has" if len(without_gold) == 1 else f"{len(without_gold)} items have"
        yield f"{subject} no gold: {_name_first([word[1:-1] for word in spelling.quote_words(without_gold)])}."


def _name_first(names: Sequence[str]) -> str:
    """The first names with commas between them, and how many more there are."""
    return spelling.join_first(names, most=MAX_NAMED)


POOLS_WITH_GOLD = {Pool.TRAINING, Pool.QUALIFICATION, Pool.CONTROL, Pool.FEW_SHOT}


def check_golds(
    drafts: Sequence[ItemDraft], questions: Sequence[Question], definition: project_file.ProjectFile
) -> tuple[ItemDraft, ...]:
    """Return the items with encoded gold; raises BadInput, with the places, for gold that is no possible answer.

    The gold of a choice is kept as the option is spelled, or as written if no option has it: the lint checks that.
    """
    by_name = {question.name: question for question in questions}
    columns = get_gold_columns(definition)
    section = definition.items
    accepted_column = section.accepted if isinstance(section, project_file.ItemsSection) else None
    checked_items = []
    errors = ErrorCollector()
    for item in drafts:
        with errors:
            golds = {
                name: _encode_gold(item, by_name[name], text, columns.get(name)) for name, text in item.golds.items()
            }
            if item.pool in POOLS_WITH_GOLD and not golds:
                raise BadInput(
                    f"The {item.pool.value} item has no gold.",
                    where=item.origin.where(next(iter(columns.values()), None)),
                    remedy="Write its right answer, or take it out of the pool.",
                )
            first = golds.get(questions[0].name)
            _refuse_no_numbers(item, questions, golds, columns, accepted_column=accepted_column)
            accepted = tuple(_spell_accepted(item, questions[0]))
            same = (golds, first, accepted) == (item.golds, item.gold, item.accepted)
            checked_items.append(item if same else item._replace(golds=golds, gold=first, accepted=accepted))
    errors.refuse()
    return tuple(checked_items)


def _spell_accepted(item: ItemDraft, first: Question) -> Iterator[str]:
    """Further right answers to a choice, spelled as the options are."""
    for answer in item.accepted:
        yield first.spell_label(answer, item.options)


def _encode_gold(item: ItemDraft, question: Question, text: str, column: str | None) -> str:
    try:
        return question.read_gold(text, item.content)
    except BadInput as refusal:
        raise BadInput(
            f"The gold cannot be an answer: {refusal.problem}",
            where=item.origin.where(column),
            remedy=refusal.remedy,
        ) from None


def _refuse_no_numbers(
    item: ItemDraft,
    questions: Sequence[Question],
    golds: Mapping[str, str],
    columns: Mapping[str, str],
    *,
    accepted_column: str | None,
) -> None:
    """Raise BadInput for a right answer that is no number where answers are compared as numbers."""
    for number, question in enumerate(questions):
        if question.normalisation != "number":
            continue
        right = [(golds[question.name], columns.get(question.name))] if question.name in golds else []
        right += [(answer, accepted_column) for answer in item.accepted if number == 0]
        for answer, column in right:
            if not is_number(answer):
                raise BadInput(
                    f"{answer[:40]!r} is not a number, and «{question.text}» compares its answers as numbers.",
                    where=item.origin.where(column),
                    remedy="Write it in digits, like -6 or 3,5, or leave `normalise: number` out.",
                )


def get_gold_columns(definition: project_file.ProjectFile) -> dict[str, str]:
    """Return the columns of gold by question name."""
    first = definition.all_questions[0].name
    if isinstance(definition.items, project_file.ItemsSection):
        return ({first: definition.items.gold} if definition.items.gold is not None else {}) | definition.items.golds
    return {first: definition.truth.gold} if definition.truth else {}
