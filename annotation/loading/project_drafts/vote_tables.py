"""Finds the votes in a table: one in each row, or a column for each annotator or each item."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from annotation.errors import BadInput
from annotation.loading.project_drafts.column_names import Role, list_option_columns
from annotation.loading.project_drafts.column_profiles import ColumnProfile, depends_on, group_alike
from annotation.loading.project_drafts.question_guesses import QuestionGuess
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.yaml_lines import Line
from annotation.loading.judgements import vote_times

FIRST = "answer"
"""The name of the only question."""
MAX_LISTED = 12
"""The most columns of a wide table that are listed by name; of more, `rest` is written."""
_PAIR_SIGNS = (": ", " - ", "_", ".", ":", "-", " ")
_BRACKETS = re.compile(r"(?P<before>.*?)\[(?P<item>[^\[\]]+)\](?P<after>\s*)", re.DOTALL)
_APPROVED, _NOT_APPROVED = frozenset({"approved", "accepted", "прийнято"}), ("reject", "submit", "відхил", "returned")


@dataclass(frozen=True, kw_only=True)
class VotesTable:
    """The votes of a file: the lines under `votes`, and what else a project file is made from.

    `answers` are the answers to each question by its name; `items` the keys of the items, `texts` what is shown.
    `options` and `gold` are columns about the items; `asked` are the words of the question, if a header has them.
    `used` are the columns that the lines name, `guesses` questions that the file itself describes.
    """

    source: SourceFile
    lines: tuple[Line, ...]
    answers: Mapping[str, Sequence[str]]
    items: frozenset[str] = frozenset()
    texts: Sequence[str] = ()
    options: tuple[str, ...] = ()
    gold: str | None = None
    item_columns: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    guesses: Mapping[str, QuestionGuess] = field(default_factory=dict)
    shows_items: bool = True

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that nothing reads."""
        named = self.used | {*self.options, self.gold or "", *self.item_columns}
        return tuple(name for name in self.source.columns if name and name not in named)


def read_votes(source: SourceFile) -> VotesTable | None:
    """Return the votes of a table, or None if it holds none; raises BadInput for what a person must decide."""
    people = find_columns(source, Role.ANNOTATOR)
    if people:
        by_row = [column for column in people if column.is_unique]
        has_items = any(not one.is_unique for one in find_columns(source, Role.ITEM))
        return _read_form(source, by_row[0]) if by_row and not has_items else _read_long(source, people[0])
    columns = _list_candidates(source)
    if pair := _find_pair(source):
        return _read_long(source, pair[1], item=(pair[0],))
    alike = group_alike(columns)
    times = [column for column in source.columns.values() if column.role is Role.TIME and column.are_times]
    if times and times[0] is next(iter(source.columns.values())) and columns:
        return _read_form(source, times[0])
    if alike and len(alike[0]) > 1 and alike[0][0].are_labels and (item := _find_row_name(source, alike[0])):
        return _read_wide(source, item, alike[0])
    return _refuse_nobody(source)


def _find_pair(source: SourceFile) -> tuple[ColumnProfile, ColumnProfile] | None:
    """Columns of items and of people without usual names: the only two that every row has in its own combination.

    Nearly all combinations of them must have a row, and one other column be left for the answers. There are more items
    than people.
    """
    columns = [column for column in source.columns.values() if column.name and column.counts]
    if len(columns) != 3:
        return None
    found = []
    for pair in itertools.combinations(columns, 2):
        item, person = sorted(pair, key=lambda column: -column.n_values)
        n_rows = len(item.cells)
        is_dense = n_rows >= 0.5 * item.n_values * person.n_values
        if 1 < person.n_values <= item.n_values < n_rows == _count_pairs([item], person) and is_dense:
            found.append((item, person))
    return found[0] if len(found) == 1 else None


def _find_row_name(source: SourceFile, people: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column that names the item of each row of a wide table; None if none has a value of its own in each row."""
    others = {name: column for name, column in source.columns.items() if column not in people and name}
    chosen = [others[name] for name in source.chosen.get(Role.ITEM.value, ()) if name in others]
    unique = [column for column in others.values() if column.is_unique]
    by_role = [column for role in (Role.ITEM, Role.TEXT) for column in unique if column.role is role]
    return next(iter([*chosen, *by_role, *unique]), None)


def find_columns(source: SourceFile, role: Role) -> list[ColumnProfile]:
    """Return the columns of a role: those that the option `--as` names, else by their names, the fullest first."""
    chosen = [source.columns[name] for name in source.chosen.get(role.value, ()) if name in source.columns]
    named = {name for names in source.chosen.values() for name in names}
    found = [column for column in source.columns.values() if column.role is role and column.name not in named]
    return chosen or sorted((column for column in found if column.counts), key=lambda column: -column.n_filled)


def _list_candidates(source: SourceFile, *, without: Iterable[str] = ()) -> dict[str, ColumnProfile]:
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


def _refuse_nobody(source: SourceFile) -> None:
    """Raise BadInput for rows that repeat items and have answers, but name no annotator."""
    items = [column for column in find_columns(source, Role.ITEM) if column.n_values < column.n_filled]
    if items and find_columns(source, Role.ANSWER):
        raise BadInput(
            "No column says who answered.",
            where=source.where(),
            remedy=f"Name it: --as annotator=COLUMN. The columns are: {_name(source)}.",
        )


def _name(source: SourceFile) -> str:
    return ", ".join(source.columns)


def _read_long(
    source: SourceFile, annotator: ColumnProfile, *, item: tuple[ColumnProfile, ...] = ()
) -> VotesTable | None:
    """One vote in each row."""
    item = item or _find_item(source, annotator)
    keys = [" | ".join(cells) for cells in zip(*(column.cells for column in item), strict=True)] if item else []
    names = {annotator.name, *(column.name for column in item)}
    answers = _find_answers(source, keys, without=names)
    if not answers:
        return None
    if not item:
        raise BadInput(
            "No column says which item a row is about.",
            where=source.where(),
            remedy=f"Name it: --as item=COLUMN. The columns are: {_name(source)}.",
        )
    of_items = {name: column for name, column in source.columns.items() if depends_on(column, keys)}
    options = _find_options(source, of_items)
    others = names | {column.name for column in answers} | {*options}
    gold = next(
        (one.name for one in find_columns(source, Role.GOLD) if one.name in of_items and one.name not in others), None
    )
    shown = _find_shown(source, of_items, without=others | {gold or ""})
    group = next(
        (one.name for one in find_columns(source, Role.GROUP) if one.name in of_items and one.name not in others), None
    )
    item_names = tuple(column.name for column in item)
    lines = [
        Line(
            "item",
            _unwrap(item_names),
            f"{len(set(keys))} items",
            sure=all(_is_named(source, one, Role.ITEM) for one in item),
        ),
        Line(
            "annotator",
            annotator.name,
            _count_people(annotator.n_values),
            sure=_is_named(source, annotator, Role.ANNOTATOR),
        ),
        *_write_answers(source, answers),
        *([Line("show", _unwrap(shown))] if shown and shown != item_names else []),
        *([Line("options", _unwrap(options))] if options else []),
        *([Line("group", group, "items of one group are resampled together")] if group else []),
        *_write_time(source),
        *_write_status(source),
        *_write_repeats(keys, annotator),
    ]
    by_question = dict(zip(name_questions([column.name for column in answers]), answers, strict=True))
    used = others | {*shown, group or "", *(str(line.value) for line in lines if line.key == "time")}
    used |= {str(line.below[0].value) for line in lines if line.key == "status"}
    return VotesTable(
        source=source,
        lines=tuple(lines),
        answers={name: column.cells for name, column in by_question.items()},
        items=frozenset(keys),
        texts=[cell for name in shown or item_names for cell in source.columns[name].cells],
        options=options,
        gold=gold,
        item_columns=item_names,
        asked={name: column.name for name, column in by_question.items()},
        used=frozenset(used),
    )


def _unwrap(names: Sequence[str]) -> str | tuple[str, ...]:
    return names[0] if len(names) == 1 else tuple(names)


def _count_people(number: int) -> str:
    return "1 person" if number == 1 else f"{number} people"


def _is_named(source: SourceFile, column: ColumnProfile, role: Role) -> bool:
    return column.role is role or column.name in source.chosen.get(role.value, ())


def _find_item(source: SourceFile, annotator: ColumnProfile) -> tuple[ColumnProfile, ...]:
    """The columns that name the item: of those that could, the ones that a person seldom has twice."""
    chosen = [source.columns[name] for name in source.chosen.get(Role.ITEM.value, ()) if name in source.columns]
    if chosen:
        return tuple(chosen)
    named = [*find_columns(source, Role.ITEM), *find_columns(source, Role.TEXT)]
    named = [column for column in named if column.name != annotator.name]
    repeated = [column for column in named if column.n_values < column.n_filled]
    candidates: list[tuple[ColumnProfile, ...]] = [(column,) for column in repeated]
    if not candidates:
        taken = {Role.ANNOTATOR, Role.ANSWER, Role.GOLD, Role.STATUS, Role.REMARK, Role.PROFILE}
        others = [one for one in source.columns.values() if one.name and one.role not in taken and not one.are_times]
        candidates = [(one,) for one in others if 1 < one.n_values < one.n_filled and one is not annotator]
    candidates += [pair for pair in itertools.combinations(repeated, 2) if all(one.role is Role.ITEM for one in pair)]
    fit = {names: _count_pairs(names, annotator) / len(annotator.cells) for names in candidates}
    best = max(candidates, key=lambda names: (round(fit[names], 1), -len(names), -candidates.index(names)), default=())
    return best or tuple(named[:1])


def _count_pairs(item: Sequence[ColumnProfile], annotator: ColumnProfile) -> int:
    return len(set(zip(*(column.cells for column in item), annotator.cells, strict=True)))


def _find_answers(source: SourceFile, keys: Sequence[str], *, without: Iterable[str]) -> list[ColumnProfile]:
    """The column of the answers; of several that could be it, those that `--as` names. Empty if there is none."""
    chosen = [source.columns[name] for name in source.chosen.get(Role.ANSWER.value, ()) if name in source.columns]
    if chosen:
        return chosen
    left = _list_candidates(source, without=without)
    named = [column for column in left.values() if column.role is Role.ANSWER]
    if len(named) == 1:
        return named
    varying = [column for column in named or left.values() if keys and not depends_on(column, keys)]
    found = varying if named and len(varying) == 1 else named or varying or list(left.values())
    if len(found) > 1:
        names = [column.name for column in found]
        raise BadInput(
            f"Several columns could be the answer: {', '.join(names)}.",
            where=source.where(),
            remedy=f"Name one: --as answer={_quote(names[0])}. Name it again for each further question.",
        )
    return found


def _quote(name: str) -> str:
    return name if re.fullmatch(r"[\w.:-]+", name) else f'"{name}"'


def _find_options(source: SourceFile, of_items: Mapping[str, ColumnProfile]) -> tuple[str, ...]:
    """The columns with the options of each item."""
    chosen = tuple(name for name in source.chosen.get(Role.OPTIONS.value, ()) if name in source.columns)
    single = [name for name, column in of_items.items() if column.role is Role.OPTIONS and _holds_lists(column)]
    return chosen or list_option_columns(of_items) or tuple(single[:1])


def _holds_lists(column: ColumnProfile) -> bool:
    return bool(column.counts) and all(cell.startswith("[") for cell in column.counts)


def _find_shown(source: SourceFile, of_items: Mapping[str, ColumnProfile], *, without: set[str]) -> tuple[str, ...]:
    """The columns that are shown: those named as texts, else the longest one with words in it."""
    chosen = tuple(name for name in source.chosen.get(Role.TEXT.value, ()) if name in source.columns)
    texts = tuple(name for name, column in of_items.items() if column.role is Role.TEXT and name not in without)
    long = [column for name, column in of_items.items() if name not in without and _is_prose(column)]
    longest = max(long, key=lambda column: column.mean_length, default=None)
    return chosen or texts or (() if longest is None else (longest.name,))


def _is_prose(column: ColumnProfile) -> bool:
    return (
        column.mean_length >= 15 and column.role in {None, Role.ITEM} and sum(" " in cell for cell in column.counts) > 0
    )


def _write_answers(source: SourceFile, answers: Sequence[ColumnProfile]) -> list[Line]:
    if len(answers) > 1:
        names = name_questions([column.name for column in answers])
        return [Line("answers", {name: column.name for name, column in zip(names, answers, strict=True)})]
    sure = _is_named(source, answers[0], Role.ANSWER)
    return [Line("answer", answers[0].name, "" if sure else "the only column that it can be", sure=sure)]


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


def _write_time(source: SourceFile) -> list[Line]:
    """The column of the time, unless nobody can tell its days from its months."""
    for column in find_columns(source, Role.TIME):
        if column.are_times and all(column.cells):
            return [Line("time", column.name)] if vote_times.can_tell_days(column.counts) else []
    return []


def _write_status(source: SourceFile) -> list[Line]:
    """The column with the state of each row, if some rows are approved and others are not."""
    for column in find_columns(source, Role.STATUS):
        counted = [value for value in column.counts if value.casefold() in _APPROVED]
        if counted and any(value.casefold().startswith(_NOT_APPROVED) for value in column.counts):
            below = (
                Line("column", column.name),
                Line("counts", tuple(counted), "rows in other states are kept, uncounted"),
            )
            return [Line("status", below=below)]
    return []


def _write_repeats(keys: Sequence[str], annotator: ColumnProfile) -> list[Line]:
    n_repeats = len(keys) - len(set(zip(keys, annotator.cells, strict=True)))
    comment = f"{n_repeats} votes repeat one of the same person; last and all are the other rules"
    return [Line("repeats", "first", comment, sure=False)] if n_repeats else []


def _read_wide(source: SourceFile, item: ColumnProfile, people: Sequence[ColumnProfile]) -> VotesTable:
    """A column for each annotator, a row for each item."""
    names = [column.name for column in people]
    others = {name: column for name, column in source.columns.items() if name not in names}
    options = _find_options(source, others)
    gold = next((column.name for column in find_columns(source, Role.GOLD) if column.name in others), None)
    without = {item.name, *options, gold or ""}
    shown = _find_shown(source, others, without=without)
    grid = find_grid(names)
    comment = "each is taken for a person: they have the same labels"
    lines = [
        Line("item", item.name, f"{item.n_values} items", sure=_is_named(source, item, Role.ITEM)),
        *([Line("show", _unwrap(shown))] if shown and shown != (item.name,) else []),
        *_list_columns(
            "annotators", names, grid, "{annotator}", rest=set(others) == {item.name, *shown, *options}, comment=comment
        ),
        *([Line("options", _unwrap(options))] if options else []),
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
        asked={name: word for name, word in zip(name_questions(grid.words), grid.words, strict=True)} if grid else {},
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
) -> list[Line]:
    """The line that says which columns hold votes, and for several questions their words."""
    if grid is not None:
        words = dict(zip(name_questions(grid.words), grid.words, strict=True))
        return [Line(key, f"{place}{grid.sign}{{question}}", comment, sure=False), Line("answers", words)]
    if rest and len(names) > 2:
        return [Line(key, "rest", f"{len(names)} columns: {_shorten(names)}; {comment}", sure=False)]
    return [Line(key, tuple(names), comment, sure=False)]


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


def _read_form(source: SourceFile, annotator: ColumnProfile) -> VotesTable | None:
    """A row for each annotator, a column for each item, as Google Forms writes it."""
    is_person = _is_named(source, annotator, Role.ANNOTATOR)
    left = _list_form_columns(source, annotator)
    if not left:
        return None
    groups = group_alike(left)
    columns = groups[0] if len(groups) == 1 or len(groups[0]) > 1 else list(left.values())
    names = [column.name for column in columns]
    others = [name for name in source.columns if name and name not in names]
    pattern, items, asked = _find_pattern(names, others)
    grid = find_grid(names) if pattern is None else None
    comment = "each is an item; their headers are shown"
    if pattern is not None:
        listed = [Line("wide", pattern, f"{len(names)} items")]
    else:
        listed = _list_columns("wide", names, grid, "{item}", rest=True, comment=comment)
        is_rest = listed[0].value == "rest"
        unread = [
            name for name in others if name not in {annotator.name, *(str(one.value) for one in _write_time(source))}
        ]
        listed += (
            [Line("ignore", _unwrap(unread), "not questions, or with other answers", sure=False)]
            if is_rest and unread
            else []
        )
    note = _count_people(annotator.n_values) if is_person else "no column names people; every row is taken for one"
    time = [line for line in _write_time(source) if line.value != annotator.name]
    lines = [Line("annotator", annotator.name, note, sure=is_person), *time, *listed]
    keys = items or ([name.rpartition(grid.sign)[0] for name in names] if grid else names)
    return VotesTable(
        source=source,
        lines=tuple(lines),
        answers=_collect(columns, grid),
        items=frozenset(keys),
        texts=keys,
        asked={name: word for name, word in zip(name_questions(grid.words), grid.words, strict=True)}
        if grid
        else {FIRST: asked}
        if asked
        else {},
        used=frozenset({annotator.name, *names, *(str(line.value) for line in time)}),
        shows_items=False,
    )


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
