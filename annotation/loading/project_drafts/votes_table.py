"""The votes that were found in a file, and what all kinds of tables of votes share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.loading.judgements import vote_times
from annotation.loading.project_drafts.column_names import Role, list_option_columns, normalise_name
from annotation.loading.project_drafts.column_profiles import ColumnProfile
from annotation.loading.project_drafts.question_guesses import QuestionGuess
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.yaml_lines import YamlLine

FIRST = "answer"
"""The name of the only question."""


@dataclass(frozen=True, kw_only=True)
class VotesTable:
    """The votes of a file: the lines under `votes`, and what else a project file is made from.

    `answers` are the answers to each question by its name; `items` the keys of the items, `texts` what is shown.
    `options` and `gold` are columns about the items; `asked` are the words of the question, if a header has them.
    `used` are the columns that the lines name, `guesses` questions that the file itself describes. `columns` are those
    of a tool's rows, one of which may be the item; `keys` name its items where no column does.
    """

    source: SourceFile
    lines: tuple[YamlLine, ...]
    answers: Mapping[str, Sequence[str]]
    items: frozenset[str] = frozenset()
    texts: Sequence[str] = ()
    options: tuple[str, ...] = ()
    gold: str | None = None
    item_columns: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    guesses: Mapping[str, QuestionGuess] = field(default_factory=dict)
    columns: Mapping[str, ColumnProfile] = field(default_factory=dict)
    keys: frozenset[tuple[str, ...]] = frozenset()
    shows_items: bool = True

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that nothing reads."""
        named = self.used | {*self.options, self.gold or "", *self.item_columns}
        return tuple(name for name in self.source.columns if name and name not in named)


def find_columns(source: SourceFile, role: Role) -> list[ColumnProfile]:
    """Return the columns of a role: those that the option `--as` names, else by their names, the fullest first."""
    chosen = [source.columns[name] for name in source.chosen.get(role.value, ()) if name in source.columns]
    named = {name for names in source.chosen.values() for name in names}
    found = [column for column in source.columns.values() if column.role is role and column.name not in named]
    return chosen or sorted((column for column in found if column.counts), key=lambda column: -column.n_filled)


def list_candidates(source: SourceFile, *, without: Iterable[str] = ()) -> dict[str, ColumnProfile]:
    """The columns that could hold answers, by name."""
    others = {
        Role.ITEM,
        Role.GOLD,
        Role.TIME,
        Role.TEXT,
        Role.OPTIONS,
        Role.GROUP,
        Role.STATUS,
        Role.REMARK,
        Role.PROFILE,
    }
    left_out = {*without, *list_option_columns(source.columns)}
    left_out |= {name for role, names in source.chosen.items() if role != Role.ANSWER for name in names}
    return {
        name: column
        for name, column in source.columns.items()
        if name and name not in left_out and column.role not in others and column.counts and not column.are_times
    }


def unwrap(names: Sequence[str]) -> str | tuple[str, ...]:
    return names[0] if len(names) == 1 else tuple(names)


def count_people(number: int) -> str:
    return "1 person" if number == 1 else f"{number} people"


def count_items(number: int) -> str:
    return "1 item" if number == 1 else f"{number} items"


def is_named(source: SourceFile, column: ColumnProfile, role: Role) -> bool:
    return column.role is role or column.name in source.chosen.get(role.value, ())


def find_options(source: SourceFile, of_items: Mapping[str, ColumnProfile]) -> tuple[str, ...]:
    """The columns with the options of each item."""
    chosen = tuple(name for name in source.chosen.get(Role.OPTIONS.value, ()) if name in source.columns)
    single = [name for name, column in of_items.items() if column.role is Role.OPTIONS and _holds_lists(column)]
    return chosen or list_option_columns(of_items) or tuple(single[:1])


def _holds_lists(column: ColumnProfile) -> bool:
    return bool(column.counts) and all(cell.startswith("[") for cell in column.counts)


def find_shown(source: SourceFile, of_items: Mapping[str, ColumnProfile], *, without: set[str]) -> tuple[str, ...]:
    """The columns that are shown: those named as texts, else the longest one with words in it."""
    chosen = tuple(name for name in source.chosen.get(Role.TEXT.value, ()) if name in source.columns)
    texts = tuple(name for name, column in of_items.items() if column.role is Role.TEXT and name not in without)
    long = [column for name, column in of_items.items() if name not in without and _is_prose(column)]
    longest = max(long, key=lambda column: column.mean_length, default=None)
    return chosen or texts or (() if longest is None else _list_sides(longest.name, [column.name for column in long]))


def _list_sides(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """The column with those named like it but for the last word, such as two answers that are compared."""
    words = normalise_name(name).split()
    alike = [other for other in names if normalise_name(other).split()[:-1] == words[:-1]]
    return tuple(alike) if len(words) > 1 else (name,)


def _is_prose(column: ColumnProfile) -> bool:
    return (
        column.mean_length >= 15 and column.role in {None, Role.ITEM} and sum(" " in cell for cell in column.counts) > 0
    )


def name_questions(columns: Sequence[str]) -> list[str]:
    """Return names of questions for columns or words: Latin letters and digits, each once."""
    if len(columns) == 1:
        return [FIRST]
    names: list[str] = []
    for number, column in enumerate(columns, start=1):
        slug = re.sub(r"[^A-Za-z0-9]+", "_", column).strip("_").lower()[:40]
        is_whole = bool(slug) and column.isascii() and slug not in names
        names.append(slug if is_whole else f"q{number}")
    return names


def write_time(source: SourceFile) -> list[YamlLine]:
    """The column of the time, unless nobody can tell its days from its months."""
    for column in find_columns(source, Role.TIME):
        if column.are_times and all(column.cells):
            return [YamlLine("time", column.name)] if vote_times.can_tell_days(column.counts) else []
    return []
