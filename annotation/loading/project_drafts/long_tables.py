"""Finds the votes in a table with one vote in each row."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Sequence

from annotation import input_files
from annotation.errors import BadInput
from annotation.loading.project_drafts.column_names import Role, find_role
from annotation.loading.project_drafts.column_profiles import ColumnProfile, depends_on
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.votes_table import (
    VotesTable,
    count_items,
    count_people,
    find_columns,
    find_options,
    find_shown,
    is_named,
    list_candidates,
    name_questions,
    unwrap,
    write_time,
)
from annotation.loading.project_drafts.yaml_lines import YamlLine

_APPROVED, _NOT_APPROVED = frozenset({"approved", "accepted", "прийнято"}), ("reject", "submit", "відхил", "returned")


def find_pair(source: SourceFile) -> tuple[ColumnProfile, ColumnProfile] | None:
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
        if 1 < person.n_values <= item.n_values < n_rows == count_pairs([item], person) and is_dense:
            found.append((item, person))
    return found[0] if len(found) == 1 else None


def read_long(
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
            remedy=f"Name it: --as item=COLUMN. It has: {input_files.format_columns(source.columns)}.",
        )
    of_items = {name: column for name, column in source.columns.items() if depends_on(column, keys)}
    options = find_options(source, of_items)
    others = names | {column.name for column in answers} | {*options}
    gold = _find_of_items(source, Role.GOLD, of_items, without=others)
    shown = find_shown(source, of_items, without=others | {gold or ""})
    if shown and Role.TEXT.value not in source.chosen:
        shown = (*(column.name for column in item if column.role is Role.TEXT), *shown)  # an id that people read, too
    group = _find_of_items(source, Role.GROUP, of_items, without=others)
    item_names = tuple(column.name for column in item)
    lines = [
        *_write_item_and_annotator(source, item, annotator, n_items=len(set(keys))),
        *_write_answers(source, answers),
        *([YamlLine("show", unwrap(shown))] if shown and shown != item_names else []),
        *([YamlLine("options", unwrap(options))] if options else []),
        *([YamlLine("group", group, "items of one group are resampled together")] if group else []),
        *write_time(source),
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


def _find_of_items(source: SourceFile, role: Role, of_items: Container[str], *, without: Container[str]) -> str | None:
    """The first column of this role that says the same in all rows of an item."""
    found = (column.name for column in find_columns(source, role))
    return next((name for name in found if name in of_items and name not in without), None)


def _write_item_and_annotator(
    source: SourceFile, item: Sequence[ColumnProfile], annotator: ColumnProfile, *, n_items: int
) -> tuple[YamlLine, YamlLine]:
    """The lines of the columns that say which item and which annotator a row is of."""
    names = tuple(column.name for column in item)
    is_sure = all(is_named(source, column, Role.ITEM) or column.role is Role.TEXT for column in item)
    is_known = _is_certain(source, annotator) and not _list_other_names(source, annotator)
    return (
        YamlLine("item", unwrap(names), count_items(n_items), sure=is_sure),
        YamlLine("annotator", annotator.name, _describe_people(source, annotator), sure=is_known),
    )


def _describe_people(source: SourceFile, annotator: ColumnProfile) -> str:
    others = _list_other_names(source, annotator)
    more = count_pairs(others, annotator)
    counted = count_people(annotator.n_values)
    return (
        f"{counted}, but {more} with {', '.join(one.name for one in others)}: are they told apart?"
        if others
        else counted
    )


def _is_certain(source: SourceFile, annotator: ColumnProfile) -> bool:
    """Whether the name of the column says that it has people, or `--as` does, not only addresses in its cells."""
    return find_role(annotator.name) is Role.ANNOTATOR or annotator.name in source.chosen.get(Role.ANNOTATOR.value, ())


def _list_other_names(source: SourceFile, annotator: ColumnProfile) -> list[ColumnProfile]:
    """Other columns that name people, by which there would be more of them, such as surnames beside names."""
    others = [one for one in find_columns(source, Role.ANNOTATOR) if one.name != annotator.name]
    return (
        others
        if Role.ANNOTATOR.value not in source.chosen and count_pairs(others, annotator) > annotator.n_values
        else []
    )


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
    fit = {names: count_pairs(names, annotator) / len(annotator.cells) for names in candidates}
    best = max(candidates, key=lambda names: (round(fit[names], 1), -len(names), -candidates.index(names)), default=())
    return _add_texts(best, source, annotator) or tuple(named[:1])


def _add_texts(
    item: tuple[ColumnProfile, ...], source: SourceFile, annotator: ColumnProfile
) -> tuple[ColumnProfile, ...]:
    """The item with the texts that differ between its rows, such as several hypotheses of one premise."""
    keys = ["\x1f".join(cells) for cells in zip(*(column.cells for column in item), strict=True)]
    texts = [column for column in find_columns(source, Role.TEXT) if keys and not depends_on(column, keys)]
    n_pairs = count_pairs(item, annotator)
    more = [one for one in texts if one is not annotator and count_pairs((*item, one), annotator) > n_pairs]
    are_repeated = [one for one in more if one.n_values < 0.7 * one.n_filled]
    return (*item, *are_repeated)


def count_pairs(item: Sequence[ColumnProfile], annotator: ColumnProfile) -> int:
    return len(set(zip(*(column.cells for column in item), annotator.cells, strict=True)))


def _find_answers(source: SourceFile, keys: Sequence[str], *, without: Iterable[str]) -> list[ColumnProfile]:
    """The column of the answers; of several that could be it, those that `--as` names. Empty if there is none."""
    chosen = [source.columns[name] for name in source.chosen.get(Role.ANSWER.value, ()) if name in source.columns]
    if chosen:
        return chosen
    people = [column.name for column in source.columns.values() if column.role is Role.ANNOTATOR]
    left = list_candidates(source, without=[*without, *people])
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


def _write_answers(source: SourceFile, answers: Sequence[ColumnProfile]) -> list[YamlLine]:
    if len(answers) > 1:
        names = name_questions([column.name for column in answers])
        return [YamlLine("answers", {name: column.name for name, column in zip(names, answers, strict=True)})]
    sure = is_named(source, answers[0], Role.ANSWER)
    return [
        YamlLine("answer", answers[0].name, "" if sure else "the only column that differs between people", sure=sure)
    ]


def _write_status(source: SourceFile) -> list[YamlLine]:
    """The column with the state of each row, if some rows are approved and others are not."""
    for column in find_columns(source, Role.STATUS):
        counted = [value for value in column.counts if value.casefold() in _APPROVED]
        if counted and any(value.casefold().startswith(_NOT_APPROVED) for value in column.counts):
            below = (
                YamlLine("column", column.name),
                YamlLine("counts", tuple(counted), "rows in other states are kept, uncounted"),
            )
            return [YamlLine("status", below=below)]
    return []


def _write_repeats(keys: Sequence[str], annotator: ColumnProfile) -> list[YamlLine]:
    n_repeats = len(keys) - len(set(zip(keys, annotator.cells, strict=True)))
    comment = f"{n_repeats} votes repeat one of the same person; last and all are the other rules"
    return [YamlLine("repeats", "first", comment, sure=False)] if n_repeats else []
