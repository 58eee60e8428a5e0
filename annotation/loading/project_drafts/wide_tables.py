"""Finds the votes in a table with a column for each annotator or for each item."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.loading.project_drafts.column_names import Role
from annotation.loading.project_drafts.column_profiles import ColumnProfile, group_alike
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.votes_table import (
    FIRST,
    VotesTable,
    count_items,
    count_people,
    find_columns,
    find_options,
    find_shown,
    is_named,
    name_questions,
    unwrap,
    write_time,
)
from annotation.loading.project_drafts.yaml_lines import YamlLine

MAX_LISTED = 12
"""The most columns of a wide table that are listed by name; of more, `rest` is written."""
MIN_BEGINNING = 15
"""The fewest characters with which the headers of one question begin alike."""
_PAIR_SIGNS = (": ", " - ", "_", ".", ":", "-", " ")
_GOLD_WORDS = re.compile(r"gold|truth|correct|expert|правильн|еталон", re.IGNORECASE)
"""What the name of a column may contain that has the same labels as people's, and is not a person."""
_BRACKETS = re.compile(r"(?P<before>.*?)\[(?P<item>[^\[\]]+)\](?P<after>\s*)", re.DOTALL)


def find_row_name(source: SourceFile, people: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column that names the item of each row of a wide table; None if none has a value of its own in each row."""
    others = {name: column for name, column in source.columns.items() if column not in people and name}
    chosen = [others[name] for name in source.chosen.get(Role.ITEM.value, ()) if name in others]
    unique = [column for column in others.values() if column.is_unique]
    by_role = [column for role in (Role.ITEM, Role.TEXT) for column in unique if column.role is role]
    return next(iter([*chosen, *by_role, *unique]), None)


def read_wide(source: SourceFile, item: ColumnProfile, people: Sequence[ColumnProfile]) -> VotesTable:
    """A column for each annotator, a row for each item."""
    names = [column.name for column in people]
    others = {name: column for name, column in source.columns.items() if name not in names}
    options = find_options(source, others)
    gold = next((column.name for column in find_columns(source, Role.GOLD) if column.name in others), None)
    without = {item.name, *options, gold or ""}
    shown = find_shown(source, others, without=without)
    grid = find_grid(names)
    comment = "each column is taken to be a person, because these columns have the same labels"
    doubtful = next((name for name in names if _GOLD_WORDS.search(name)), None)
    comment += f"; if {doubtful or 'one'} is the gold: --as gold={doubtful or 'COLUMN'}"
    lines = [
        YamlLine(
            "item",
            item.name,
            count_items(item.n_values),
            sure=is_named(source, item, Role.ITEM) or item.role is Role.TEXT,
        ),
        *([YamlLine("show", unwrap(shown))] if shown and shown != (item.name,) else []),
        *_list_columns(
            "annotators", names, grid, "{annotator}", rest=set(others) == {item.name, *shown, *options}, comment=comment
        ),
        *([YamlLine("options", unwrap(options))] if options else []),
    ]
    return VotesTable(
        source=source,
        lines=tuple(lines),
        answers=_collect(people, grid),
        items=frozenset(item.counts),
        texts=[cell for name in shown or (item.name,) for cell in source.columns[name].cells],
        options=options,
        gold=gold,
        item_columns=(item.name,),
        asked=dict(zip(name_questions(grid.words), grid.words, strict=True)) if grid else {},
        used=frozenset({item.name, *shown, *names}),
    )


@dataclass(frozen=True)
class Grid:
    """Columns that are pairs of a person or item and of a question: `sign` is between them."""

    sign: str
    words: tuple[str, ...]


def find_grid(names: Sequence[str]) -> Grid | None:
    """Return how the names are made of two parts, each first part with each second one; None if they are not."""
    for sign in _PAIR_SIGNS:
        pairs = [name.rpartition(sign)[::2] for name in names]
        firsts, seconds = (tuple(dict.fromkeys(pair[place] for pair in pairs)) for place in (0, 1))
        is_full = len(firsts) * len(seconds) == len(names) and min(len(firsts), len(seconds)) > 1
        if is_full and all(firsts) and all(seconds) and not all(word.isdigit() for word in seconds):
            return Grid(sign, seconds)
    return None


def _list_columns(
    key: str, names: Sequence[str], grid: Grid | None, place: str, *, rest: bool, comment: str
) -> list[YamlLine]:
    """The line that says which columns hold votes, and for several questions their words."""
    if grid is not None:
        words = dict(zip(name_questions(grid.words), grid.words, strict=True))
        return [YamlLine(key, f"{place}{grid.sign}{{question}}", comment, sure=False), YamlLine("answers", words)]
    if rest and len(names) > 2:
        return [YamlLine(key, "rest", f"{len(names)} columns: {_shorten(names)}; {comment}", sure=False)]
    return [YamlLine(key, tuple(names), comment, sure=False)]


def _shorten(names: Sequence[str]) -> str:
    shown = ", ".join(name if len(name) <= 30 else f"{name[:30]}…" for name in names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _collect(columns: Sequence[ColumnProfile], grid: Grid | None) -> dict[str, Sequence[str]]:
    """The answers by question."""
    if grid is None:
        return {FIRST: [cell for column in columns for cell in column.cells]}
    return {
        name: [cell for column in columns if column.name.rpartition(grid.sign)[2] == word for cell in column.cells]
        for name, word in zip(name_questions(grid.words), grid.words, strict=True)
    }


def read_form(source: SourceFile, annotator: ColumnProfile) -> VotesTable | None:
    """A row for each annotator, a column for each item, as Google Forms writes it."""
    is_person = is_named(source, annotator, Role.ANNOTATOR)
    left = _list_form_columns(source, annotator)
    if not left:
        return None
    groups = group_alike(left)
    columns = _add_by_header(groups[0], left) if len(groups) == 1 or len(groups[0]) > 1 else list(left.values())
    names = [column.name for column in columns]
    others = [name for name in source.columns if name and name not in names]
    pattern, items, asked = _find_pattern(names, others)
    grid = find_grid(names) if pattern is None else None
    comment = "each is an item; their headers are shown"
    if pattern is not None:
        listed = [YamlLine("wide", pattern, f"{len(names)} items")]
    else:
        listed = _list_columns("wide", names, grid, "{item}", rest=True, comment=comment)
        is_rest = listed[0].value == "rest"
        unread = [
            name for name in others if name not in {annotator.name, *(str(one.value) for one in write_time(source))}
        ]
        listed += (
            [YamlLine("ignore", unwrap(unread), "not questions, or with other answers", sure=False)]
            if is_rest and unread
            else []
        )
    note = count_people(annotator.n_values) if is_person else "no column names people; every row is taken for one"
    time = [line for line in write_time(source) if line.value != annotator.name]
    lines = [YamlLine("annotator", annotator.name, note, sure=is_person), *time, *listed]
    keys = items or ([name.rpartition(grid.sign)[0] for name in names] if grid else names)
    return VotesTable(
        source=source,
        lines=tuple(lines),
        answers=_collect(columns, grid),
        items=frozenset(keys),
        texts=keys,
        asked=dict(zip(name_questions(grid.words), grid.words, strict=True))
        if grid
        else {FIRST: asked}
        if asked
        else {},
        used=frozenset({annotator.name, *names, *(str(line.value) for line in time)}),
        shows_items=False,
    )


def _add_by_header(found: Sequence[ColumnProfile], left: Mapping[str, ColumnProfile]) -> Sequence[ColumnProfile]:
    """The columns with the others of labels whose headers begin with the same words, as those of one question do."""
    alike = itertools.takewhile(lambda signs: len({*signs}) == 1, zip(*(column.name for column in found), strict=False))
    begin = "".join(signs[0] for signs in alike).rpartition(" ")[0]
    if len(found) == 1 or len(begin) < MIN_BEGINNING or " " not in begin:
        return found
    return [
        column for name, column in left.items() if column in found or (name.startswith(begin) and column.are_labels)
    ]


def _list_form_columns(source: SourceFile, annotator: ColumnProfile) -> dict[str, ColumnProfile]:
    """The columns of a form that are questions: all but those about the person or the form itself."""
    about = {Role.TIME, Role.REMARK, Role.PROFILE, Role.ANNOTATOR, Role.STATUS}
    named = {name for role, names in source.chosen.items() if role != Role.ANSWER for name in names}
    return {
        name: column
        for name, column in source.columns.items()
        if name
        and column.counts
        and name not in named
        and column is not annotator
        and column.role not in about
        and not column.are_times
        and not (column.role is Role.ITEM and column.is_unique)
    }


def _find_pattern(names: Sequence[str], others: Sequence[str]) -> tuple[str | None, list[str], str]:
    """The pattern of headers `Question [item]`, the items, and the question; None if the headers are otherwise."""
    found = [_BRACKETS.fullmatch(name) for name in names]
    matches = [one for one in found if one is not None]
    around = {(one["before"], one["after"]) for one in matches}
    if len(matches) < len(names) or len(around) != 1 or len(names) < 2:
        return None, [], ""
    before, after = around.pop()
    if "{" in before + after or any(name.startswith(before) for name in others):
        return None, [], ""
    items = [one["item"].strip() for one in matches]
    return f"{before}[{{item}}]{after}", items, re.sub(r"^\d+[.)]\s*", "", before).strip()
