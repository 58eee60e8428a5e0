"""Rows of items in the spelling that is stored: a file that is saved in another Unicode form changes nothing. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from aggregation import spelling
from annotation.campaigns import project_file, stimulus
from annotation.campaigns.questions import Question
from annotation.store.models import Item
from annotation.workflow.lifecycle import campaign_reader

_SHOWN = ("stimulus", "pieces", "options")
"""The columns that the hash of all that is shown is made of."""


def keep_stored_spelling(
    rows: Mapping[str, dict[str, Any]],
    items: Iterable[Item],
    *,
    definition: project_file.ProjectFile,
    questions: Sequence[Question],
) -> dict[str, dict[str, Any]]:
    """Return the rows by external id, with what is stored where a row differs from it in its spelling alone.

    `rows` are the columns of all items of a file, `items` those that are stored, with the `definition` and `questions`
    of the file.
    """
    stored = {spelling.build_key(item.external_id): item for item in items}
    kept: dict[str, dict[str, Any]] = {}
    for name, row in rows.items():
        item = stored.get(spelling.build_key(name))
        changed = row if item is None else _keep_row(item, row, definition=definition, questions=questions)
        kept[changed["external_id"]] = changed
    return kept


def _keep_row(
    item: Item, row: dict[str, Any], *, definition: project_file.ProjectFile, questions: Sequence[Question]
) -> dict[str, Any]:
    before = {column: getattr(item, column) for column in row}
    kept = {
        column: before[column] if value != before[column] and _spell(value) == _spell(before[column]) else value
        for column, value in row.items()
    }
    if all(kept[column] is row[column] for column in _SHOWN) or any(kept[name] != before[name] for name in _SHOWN):
        return kept
    pieces = campaign_reader.get_pieces(item, definition)
    digest = stimulus.compute_item_digest(pieces, item.stimulus, questions=questions, item_options=item.options)
    return kept | {"stimulus_sha256": digest}


def _spell(value: Any) -> Any:
    """A value of JSON with the key of every text in it."""
    if isinstance(value, str):
        return spelling.build_key(value)
    if isinstance(value, Mapping):
        return {_spell(name): _spell(one) for name, one in value.items()}
    return [_spell(one) for one in value] if isinstance(value, list | tuple) else value
