"""Finds items and gold in tables without votes."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from annotation.errors import BadInput
from annotation.input_files import parse_printed_list
from annotation.loading.judgements.other_tools import MAX_ID_CHARACTERS
from annotation.loading.project_drafts.column_names import Role, is_usual, list_option_columns
from annotation.loading.project_drafts.column_profiles import ColumnProfile
from annotation.loading.project_drafts.question_guesses import (
    QuestionGuess,
    guess_item_choice,
    guess_question,
)
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.votes_table import VotesTable, count_items, find_columns
from annotation.loading.project_drafts.yaml_lines import Value, YamlLine

_LETTERS = "ABCDEFGHIJKLMNOPQRST"


@dataclass(frozen=True, kw_only=True)
class ItemsTable:
    """The items of a file: the lines under `items`, the question that their options and gold ask, and their texts."""

    source: SourceFile
    lines: tuple[YamlLine, ...]
    question: QuestionGuess
    texts: Sequence[str]
    used: frozenset[str]

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that nothing reads."""
        return tuple(name for name in self.source.columns if name and name not in self.used)


def read_items(source: SourceFile, *, votes: VotesTable | None) -> ItemsTable:
    """Return the items of a table; with votes the id is the column that has their items."""
    key = _find_id(source, votes)
    chosen = tuple(name for name in source.chosen.get(Role.OPTIONS.value, ()) if name in source.columns)
    lists = [one.name for one in find_columns(source, Role.OPTIONS) if all(cell.startswith("[") for cell in one.counts)]
    options = chosen or list_option_columns(source.columns) or tuple(lists[:1])
    gold = _find_gold(source, without={key.name, *options})
    if not chosen and gold is not None and not _are_options(source, options, gold):
        options = ()
    without = {key.name, *options, gold.name if gold else ""}
    shown = _find_shown(source, key, without=without)
    group = next(
        (one.name for one in find_columns(source, Role.GROUP) if one.name not in without and not one.is_unique), None
    )
    question = guess_with_options(source, options, gold.cells if gold else [""] * len(source.rows))
    is_sure = gold is None or gold.role is Role.GOLD or gold.name in source.chosen.get(Role.GOLD.value, ())
    named = key.role is Role.ITEM or key.name in source.chosen.get(Role.ITEM.value, ())
    lines = [
        YamlLine("id", key.name, count_items(key.n_values), sure=named),
        YamlLine("show", shown if len(shown) > 1 else shown[0]),
        *_write_where(source, shown),
        *([YamlLine("options", options if len(options) > 1 else options[0])] if options else []),
        *(
            [YamlLine("gold", gold.name, "" if is_sure else "taken for the right answers", sure=is_sure)]
            if gold
            else []
        ),
        *([YamlLine("group", group, "nobody meets a group twice in baselines")] if group else []),
    ]
    used = frozenset({key.name, *shown, *options, *([gold.name] if gold else []), *([group] if group else [])})
    texts = [cell for name in shown for cell in source.columns[name].cells]
    return ItemsTable(source=source, lines=tuple(lines), question=question, texts=texts, used=used)


def _write_where(source: SourceFile, shown: Sequence[str]) -> list[YamlLine]:
    """Leave rows out that show nothing."""
    empty = [name for name in shown if not all(source.columns[name].cells)]
    if len(shown) > 1 or not empty:
        return []
    n_empty = source.columns[empty[0]].cells.count("")
    return [YamlLine("where", {empty[0]: "not empty"}, f"{n_empty} rows have nothing to show", sure=False)]


def _are_options(source: SourceFile, options: Sequence[str], gold: ColumnProfile) -> bool:
    """Whether the gold names options: by their words or by their places."""
    if len(options) == 1:
        lists = [parse_printed_list(cell) for cell in source.columns[options[0]].cells]
        return all(cell in [str(one) for one in found] for cell, found in zip(gold.cells, lists, strict=True) if cell)
    return guess_with_options(source, options, gold.cells).keys != () or all(
        not cell or cell in {source.columns[name].cells[row] for name in options} for row, cell in enumerate(gold.cells)
    )


def _find_id(source: SourceFile, votes: VotesTable | None) -> ColumnProfile:
    """The column with ids: the one that has the items of the votes, else one with a value of its own in each row."""
    if votes is not None:
        votes = name_items(votes, source)
        found = max(source.columns.values(), key=lambda column: len(votes.items & column.counts.keys()))
        if len(votes.items & found.counts.keys()) * 2 > len(votes.items):
            return found
        named = (
            f"an item is named like {min(votes.items)!r}, here like {found.cells[0]!r}"
            if votes.items
            else "no column has the values of one here"
        )
        raise BadInput(
            "No column says to which items of the votes the rows belong.",
            where=source.where(),
            remedy=f"In {votes.source.name} {named}. Give both files a column with the same ids.",
        )
    chosen = [source.columns[name] for name in source.chosen.get(Role.ITEM.value, ()) if name in source.columns]
    unique = [column for column in source.columns.values() if column.is_unique and not column.are_times]
    short = [column for column in unique if all(len(value) <= MAX_ID_CHARACTERS for value in column.counts)]
    by_role = [column for role in (Role.ITEM, Role.TEXT) for column in short if column.role is role]
    found_id = next(iter([*chosen, *by_role, *short, *unique]), None)
    if found_id is None:
        raise BadInput(
            "No column has a value of its own in each row, by which the items could be told apart.",
            where=source.where(),
            remedy="Add a column `id`, or name one: --as item=COLUMN. For votes name --as annotator=COLUMN as well.",
        )
    return found_id


def _find_gold(source: SourceFile, *, without: set[str]) -> ColumnProfile | None:
    by_role = [*find_columns(source, Role.GOLD), *find_columns(source, Role.ANSWER)]
    found = [column for column in by_role if column.name not in without]
    named = [column for column in found if column.role is Role.GOLD] or found
    named = [column for column in named if is_usual(column.name)] or named
    if len(named) > 1 and Role.GOLD.value not in source.chosen:
        names = [column.name for column in named]
        raise BadInput(
            f"Several columns could be the right answers: {', '.join(names)}.",
            where=source.where(),
            remedy=f'Name one: --as gold="{names[0]}"',
        )
    return next(iter(named), None)


def _find_shown(source: SourceFile, key: ColumnProfile, *, without: set[str]) -> tuple[str, ...]:
    """The columns that are shown: those named as texts, else the longest, else the id itself."""
    chosen = tuple(name for name in source.chosen.get(Role.TEXT.value, ()) if name in source.columns)
    texts = tuple(
        name
        for name, column in source.columns.items()
        if column.role is Role.TEXT and name not in without and column.counts
    )
    left = [
        column
        for name, column in source.columns.items()
        if name and name not in without and column.role in {None, Role.ITEM}
    ]
    longest = max(left, key=lambda column: column.mean_length, default=None)
    is_longer = longest is not None and longest.mean_length > key.mean_length
    return chosen or texts or ((longest.name,) if longest is not None and is_longer else (key.name,))


def guess_with_options(
    source: SourceFile, options: Sequence[str], answers: Sequence[str], *, column: str = ""
) -> QuestionGuess:
    """Return the question that rows with these columns of options and these answers, one per row, ask."""
    if not options:
        return guess_question(answers, column=column)
    question = guess_item_choice(answers)
    if len(options) < 2 or not any(answers):
        return question
    texts = [{source.columns[name].cells[row] for name in options} for row in range(len(answers))]
    if all(cell in found or not cell for cell, found in zip(answers, texts, strict=True)):
        return question
    positions = find_positions({*filter(None, answers)}, options)
    if positions is None:
        return question
    line = YamlLine("labels", positions, "an answer names an option by its place")
    return QuestionGuess(
        type=YamlLine("type", "choice", "each item has its own options"), keys=(line,), item_options=True
    )


def find_positions(answers: Set[str], options: Sequence[str]) -> Value | None:
    """Return the codes under which options are named by their place: letters, numbers or the names of their columns."""
    letters, numbers = list(_LETTERS[: len(options)]), [str(number) for number in range(len(options) + 1)]
    codes: list[tuple[Value, Sequence[str]]] = [
        ("positions", numbers[:-1]),
        *(({"positions": known}, known) for known in (letters, [*map(str.lower, letters)], numbers[1:], [*options])),
    ]
    return next((value for value, known in codes if answers <= {*known}), None)


def name_items(votes: VotesTable, source: SourceFile) -> VotesTable:
    """Return the votes of a tool with the column as their item whose values another file has; unchanged if none is."""
    if votes.items or not votes.columns:
        return votes
    others = [column for column in source.columns.values() if column.is_unique]
    pairs = [(len(one.counts.keys() & other.counts.keys()), one) for one in votes.columns.values() for other in others]
    most, found = max(pairs, key=lambda pair: pair[0] / max(1, pair[1].n_values), default=(0, None))
    if found is None or most * 2 <= found.n_values or found.name in votes.asked.values():
        return votes
    line = YamlLine("item", found.name, f"{found.n_values} items, as {source.name} names them")
    lines = (line, *(one for one in votes.lines if one.key != "item"))
    return replace(votes, items=frozenset(found.counts), lines=lines, item_columns=(found.name,))


def read_gold(source: SourceFile, votes: VotesTable) -> tuple[tuple[YamlLine, ...], str] | None:
    """Return the lines under `truth` for gold of the items of votes, and the column; None if it is no such file."""
    columns = [column for column in source.columns.values() if column.name]
    keys, known = _find_keys(columns, votes)
    if not keys:
        return None
    others = [column for column in columns if column.name not in keys]
    found = _find_gold(source, without={*keys}) or (others[0] if len(others) == 1 else None)
    if found is None:
        return None
    sure = found.role is Role.GOLD or found.name in source.chosen.get(Role.GOLD.value, ())
    comment = "" if sure else "taken for the right answers"
    n_items = len(votes.items or votes.keys)
    item = YamlLine("item", keys if len(keys) > 1 else keys[0], f"{known} of {n_items} items have gold")
    return (item, YamlLine("gold", found.name, comment, sure=sure)), found.name


def _find_keys(columns: Sequence[ColumnProfile], votes: VotesTable) -> tuple[tuple[str, ...], int]:
    """The columns that name items of the votes, a row for each, and how many of the items they name."""
    for column in columns:
        known = len(votes.items & column.counts.keys())
        if known * 2 > min(len(votes.items), column.n_values) and column.n_filled == column.n_values:
            return (column.name,), known
    parts = [{key[place] for key in votes.keys} for place in range(len(min(votes.keys, default=())))]
    fit = [_find_fitting(columns, part) for part in parts]
    chosen = [column for column in fit if column is not None]
    if not chosen or len(chosen) < len(parts) or votes.items:
        return (), 0
    rows = set(zip(*(column.cells for column in chosen), strict=True))
    known = len(rows & votes.keys)
    is_unique = len(rows) == len(chosen[0].cells)
    return (tuple(column.name for column in chosen), known) if is_unique and known * 2 > len(votes.keys) else ((), 0)


def _find_fitting(columns: Sequence[ColumnProfile], values: Set[str]) -> ColumnProfile | None:
    """The column with most of these values, and of several with the fewest others; None if none has half of them."""
    best = max(columns, key=lambda column: (len(values & column.counts.keys()), -column.n_values), default=None)
    return best if best is not None and len(values & best.counts.keys()) * 2 > len(values) else None
