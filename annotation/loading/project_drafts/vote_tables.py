"""Tells which kind of table of votes a file is, if any."""

from __future__ import annotations

from annotation import input_files
from annotation.errors import BadInput
from annotation.loading.project_drafts.column_names import Role, find_role, is_numbering
from annotation.loading.project_drafts.column_profiles import ColumnProfile, group_alike
from annotation.loading.project_drafts.long_tables import find_pair, read_long
from annotation.loading.project_drafts.odd_rows import refuse_odd_rows
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.votes_table import (
    VotesTable,
    find_columns,
    list_candidates,
)
from annotation.loading.project_drafts.wide_tables import find_row_name, read_form, read_wide


def read_votes(source: SourceFile) -> VotesTable | None:
    """Return the votes of a table, or None if it holds none; raises BadInput for what a person must decide."""
    _refuse_nested(source)
    refuse_odd_rows(source)
    raters = _find_raters(source)
    people = sorted(find_columns(source, Role.ANNOTATOR), key=lambda one: -one.n_values)
    people = [column for column in people if column not in raters]
    has_items = any(not one.is_unique or _is_named_for_votes(source, one) for one in find_columns(source, Role.ITEM))
    row_name = _find_form_row(source)
    if people and not (row_name and people[0].n_values == 1 and not has_items):
        by_row = [column for column in people if column.is_unique]
        return read_form(source, by_row[0]) if by_row and not has_items else read_long(source, people[0])
    columns = list_candidates(source)
    if pair := find_pair(source):
        return read_long(source, pair[1], item=(pair[0],))
    alike = group_alike(columns)
    if row_name and columns:
        return read_form(source, row_name)
    if alike and len(alike[0]) > 1 and alike[0][0].are_labels and (item := find_row_name(source, alike[0])):
        return read_wide(source, item, alike[0])
    _refuse_nobody(source)
    return None


def _find_raters(source: SourceFile) -> list[ColumnProfile]:
    """Columns named as that of annotators is, but with the labels of two others, or more: one rater each."""
    chosen = source.chosen.get(Role.ANNOTATOR.value, ())
    named = [column for column in find_columns(source, Role.ANNOTATOR) if column.name not in chosen]
    if not named or find_columns(source, Role.ANSWER):
        return []
    (alike, *_) = group_alike(list_candidates(source)) or [[]]
    is_wide = len([column for column in alike if column not in named]) > 1 and find_row_name(source, alike)
    return [one for one in named if is_wide and one in alike and one.are_labels and not one.are_whole_numbers]


def _is_named_for_votes(source: SourceFile, item: ColumnProfile) -> bool:
    """Whether a column of items is no number of a form's row, and one of answers is beside it."""
    return not is_numbering(item.name) and len(find_columns(source, Role.ANSWER)) == 1


def _refuse_nested(source: SourceFile) -> None:
    """Raise BadInput for rows that hold lists of votes, each an object that names its annotator."""
    for row in source.rows[:1]:
        for name, value in row.values.items():
            first = value[0] if isinstance(value, list) and value else None
            if isinstance(first, dict) and any(find_role(key) is Role.ANNOTATOR for key in first):
                raise BadInput(
                    "Each row holds a list of votes.",
                    where=source.where(name),
                    remedy="Write a row for each vote, with the item, the annotator and the answer.",
                )


def _find_form_row(source: SourceFile) -> ColumnProfile | None:
    """The column that tells the rows of an anonymous form apart: its number or its time; None for any other table.

    A form begins with a time, or with a number and a time, and has no texts but those in its headers.
    """
    first, *others = source.columns.values()
    if first.are_times and first.role is Role.TIME:
        return first
    is_numbered = first.is_unique and first.role is Role.ITEM and bool(others) and others[0].are_times
    return first if is_numbered and others[0].role is Role.TIME else None


def _refuse_nobody(source: SourceFile) -> None:
    """Raise BadInput for rows that repeat items and have answers, but name no annotator."""
    named = [*find_columns(source, Role.ITEM), *find_columns(source, Role.TEXT)]
    items = [column for column in named if column.n_values < column.n_filled]
    if any(column.is_unique for column in named):
        return
    if items and find_columns(source, Role.ANSWER):
        raise BadInput(
            "No column says who answered.",
            where=source.where(),
            remedy="Name the column: --as annotator=COLUMN, or add one with a word for each person. It has: "
            f"{input_files.format_columns(source.columns)}.",
        )
