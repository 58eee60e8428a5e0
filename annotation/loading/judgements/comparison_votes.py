"""Votes that compare two systems in each row, as crowd-kit, evalica, Chatbot Arena and MT-bench write them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from aggregation.sides import BOTH_BAD, SIDES, TIE
from annotation import input_files
from annotation.campaigns.sections.sources import TableKeys, VotesSection
from annotation.errors import BadInput
from annotation.input_files import FileRow
from annotation.loading import tables
from annotation.loading.drafts import get_cell
from annotation.loading.judgements.other_tools import Compared, RawVote, get_annotator, get_item_key
from annotation.loading.judgements.tool_rows import format_answer

MODEL_COLUMNS = ("model_a", "model_b")
"""The columns that each row of votes has for its two systems, whatever the file calls them."""
LEFT, RIGHT = "left", "right"
_WORDS: Mapping[str, str] = {
    "left": LEFT, "model_a": LEFT, "a": LEFT, "first": LEFT, "right": RIGHT, "model_b": RIGHT, "b": RIGHT,
    "second": RIGHT, "tie": TIE, "draw": TIE, "tie (bothbad)": BOTH_BAD, "bothbad": BOTH_BAD, "both_bad": BOTH_BAD,
    "both bad": BOTH_BAD,
}  # fmt: skip
PEOPLE = ("judge", "worker", "annotator", "user")
ITEMS = ("question_id", "item_id", "item", "task", "prompt")
TURN = "turn"


class Layout(NamedTuple):
    """The columns of a file: its two systems in the order shown, who won, the person, and what makes an item."""

    left: str
    right: str
    answer: str
    annotator: str | None
    item: tuple[str, ...]


class Comparison(NamedTuple):
    """A row: the systems in the order shown, the answer (LEFT, RIGHT, a tie, or empty), the person and the item.

    `annotator` is empty, and `item` has no part, if the file does not say.
    """

    row: FileRow
    left: str
    right: str
    answer: str
    annotator: str
    item: tuple[str, ...]


def find_layout(columns: Iterable[str]) -> Layout | None:
    """The layout of a file with these columns, or None if its rows compare no systems."""
    names = list(columns)
    systems = next((pair for pair in (MODEL_COLUMNS, (LEFT, RIGHT)) if {*pair} <= {*names}), None)
    answer = next((name for name in ("winner", "label") if name in names), None)
    if systems is None or answer is None:
        return None
    item = next((name for name in ITEMS if name in names), None)
    return Layout(
        left=systems[0],
        right=systems[1],
        answer=answer,
        annotator=next((name for name in PEOPLE if name in names), None),
        item=() if item is None else (item, TURN) if TURN in names else (item,),
    )


def read_comparisons(path: Path, section: TableKeys = TableKeys()) -> Iterator[Comparison]:  # noqa: B008  # it is frozen
    """Read the rows of a file in file order; raises BadInput for columns or answers of no known layout.

    A `VotesSection` can name the columns of the answer, the person and the item.
    """
    layout: Layout | None = None
    checked: Iterable[str] = ()
    for row in tables.read_rows(path, section):
        if layout is None or row.values.keys() != checked:
            layout, checked = _choose_columns(row, section), row.values.keys()
        left, right = get_cell(row, layout.left).strip(), get_cell(row, layout.right).strip()
        yield Comparison(
            row=row,
            left=left,
            right=right,
            answer=_read_answer(row, layout.answer, left, right),
            annotator="" if layout.annotator is None else format_answer(row.values.get(layout.annotator)).strip(),
            item=tuple([get_cell(row, column).strip() for column in layout.item]),
        )


def _choose_columns(row: FileRow, section: TableKeys) -> Layout:
    """The columns of the file, those that the project file names before the usual ones."""
    found = find_layout(row.values)
    if found is None:
        raise BadInput(
            "No row compares two systems.",
            where=row.where(),
            remedy="The columns are `model_a`, `model_b` and `winner`, or `left`, `right` and `label` or `winner`. It"
            f" has: {input_files.format_columns(row.values)}.",
        )
    if not isinstance(section, VotesSection):
        return found
    named = row._replace(values={**dict.fromkeys((LEFT, RIGHT)), **row.values})  # added to rows without them
    input_files.require_columns(section.required_columns, named)
    return found._replace(
        answer=section.answer or found.answer,
        annotator=section.annotator or found.annotator,
        item=section.item or found.item,
    )


def _read_answer(row: FileRow, column: str, left: str, right: str) -> str:
    """Which side won: a word for it, or the name of its system; empty if the cell is."""
    written = get_cell(row, column).strip()
    meant = _WORDS.get(written.casefold())
    named = None if left == right else LEFT if written == left else RIGHT if written == right else None
    if not written:
        return ""
    found = meant or named
    if found is not None and (named is None or named == found):
        return found
    problem = "can mean either side" if meant else "is neither a side nor one of the two systems"
    raise BadInput(
        f"The winner {written!r} {problem}.",
        where=row.where(column),
        remedy="Write model_a, model_b, tie or both_bad.",
    )


def read_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read the votes of a file in file order, with the systems of each pair in the order of their names.

    So the votes on one pair have the same item, whatever side each system was on: columns that end in `_a` and `_b`
    change places with the systems, and `MODEL_COLUMNS` are added, as are `left` and `right` with the same names where
    the file has no such columns: a file without texts has nothing else to compare. Without `votes.item` an item is a
    question with its pair.
    """
    for found in read_comparisons(path, section):
        row, is_swapped = found.row, found.left > found.right
        if section.annotator is None and not found.annotator:
            raise BadInput(
                "The row does not say who answered.",
                where=row.where("votes.annotator"),
                remedy=f"Name the column as `votes.annotator`. It has: {input_files.format_columns(row.values)}.",
            )
        if not found.item:
            raise BadInput(
                "The row does not say what was compared.",
                where=row.where("votes.item"),
                remedy=f"Name the columns as `votes.item`. It has: {input_files.format_columns(row.values)}.",
            )
        systems = (found.right, found.left) if is_swapped else (found.left, found.right)
        values = _swap_columns(row.values) if is_swapped else row.values
        sides = dict(zip((RIGHT, LEFT) if is_swapped else (LEFT, RIGHT), SIDES[:2], strict=True))
        names = dict(zip((LEFT, RIGHT), systems, strict=True))
        own = get_item_key(row, section.item) if section.item is not None else (*found.item, *systems)
        yield RawVote(
            key=own,
            annotator=found.annotator if section.annotator is None else get_annotator(row, section.annotator),
            answer=sides.get(found.answer, found.answer),
            row=row._replace(values={**names, **values, **dict(zip(MODEL_COLUMNS, systems, strict=True))}),
            compared=Compared(systems=systems, is_swapped=is_swapped, question=found.item[0]),
        )


def _swap_columns(values: Mapping[str, object]) -> dict[str, object]:
    """The row as if the systems had been on the other sides."""
    others = {LEFT: RIGHT, RIGHT: LEFT}
    for column in values:
        if column.endswith(("_a", "_b")):
            others[column] = f"{column[:-1]}{'b' if column.endswith('_a') else 'a'}"
    return {column: values.get(others.get(column, column), value) for column, value in values.items()}
