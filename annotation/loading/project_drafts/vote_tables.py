"""Tells which kind of table of votes a file is, if any."""

from __future__ import annotations

from annotation import input_files
from annotation.errors import BadInput
from annotation.loading.project_drafts.column_names import Role
from annotation.loading.project_drafts.column_profiles import group_alike
from annotation.loading.project_drafts.long_tables import find_pair, read_long
from annotation.loading.project_drafts.source_files import SourceFile
from annotation.loading.project_drafts.votes_table import (
    VotesTable,
    find_columns,
    list_candidates,
)
from annotation.loading.project_drafts.wide_tables import find_row_name, read_form, read_wide


def read_votes(source: SourceFile) -> VotesTable | None:
    """Return the votes of a table, or None if it holds none; raises BadInput for what a person must decide."""
    people = find_columns(source, Role.ANNOTATOR)
    if people:
        by_row = [column for column in people if column.is_unique]
        has_items = any(not one.is_unique for one in find_columns(source, Role.ITEM))
        return read_form(source, by_row[0]) if by_row and not has_items else read_long(source, people[0])
    columns = list_candidates(source)
    if pair := find_pair(source):
        return read_long(source, pair[1], item=(pair[0],))
    alike = group_alike(columns)
    times = [column for column in source.columns.values() if column.role is Role.TIME and column.are_times]
    if times and times[0] is next(iter(source.columns.values())) and columns:
        return read_form(source, times[0])
    if alike and len(alike[0]) > 1 and alike[0][0].are_labels and (item := find_row_name(source, alike[0])):
        return read_wide(source, item, alike[0])
    return _refuse_nobody(source)


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
            remedy=f"Name it: --as annotator=COLUMN. It has: {input_files.format_columns(source.columns)}.",
        )
