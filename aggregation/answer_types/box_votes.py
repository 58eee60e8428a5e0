"""Votes for boxes: which boxes each annotator ticked, and each box as a separate yes or no."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from aggregation.answers import Answers
from aggregation.errors import HromadaError
from aggregation.schema import (
    ITEM_COLUMNS,
    VOTE_COLUMNS,
    Votes,
    check_item_ids,
    check_items,
    check_rows,
    check_votes,
)

YES, NO = "yes", "no"
ITEM_BOX_SEPARATOR = "\x1f"  # joins the ids of an item and a box, which never contain it


@dataclass(frozen=True, kw_only=True, eq=False)
class Selections:
    """Which boxes each annotator ticked on each item.

    `frame` has the text columns item and annotator, one row per vote in the order of assignment; `ticked` says which
    boxes (votes × boxes, in declared order); `items` has the index item and the column group. To tick none is an
    answer too.
    """

    frame: pd.DataFrame
    ticked: NDArray[np.bool_]
    boxes: tuple[str, ...]
    items: pd.DataFrame

    def build_votes(self, box: str) -> Votes:
        """The votes for one box, yes or no, without gold."""
        answers = np.where(self.ticked[:, self.boxes.index(box)], YES, NO)
        items = self.items.assign(gold=None, n_options=2)
        return check_votes(self.frame.assign(answer=answers), items=items, classes=(YES, NO))

    def first_votes(self, number: int) -> Selections:
        """The first `number` votes of each item in the order of assignment."""
        kept = (self.frame.groupby("item").cumcount() < number).to_numpy()
        return replace(self, frame=self.frame.loc[kept].reset_index(drop=True), ticked=self.ticked[kept])


def check_selections(frame: pd.DataFrame, *, items: pd.DataFrame, boxes: Sequence[str]) -> Selections:
    """Check votes (`frame`: item, annotator, answer as an iterable of boxes) on items (index item; group).

    Raises HromadaError for a missing column, an empty cell, an unknown item, and a box that is not declared.
    """
    rows = check_rows(frame, VOTE_COLUMNS)
    checked_items = check_items(items, ("group",))
    names = rows[["item", "annotator"]].astype(str).astype(object)
    check_item_ids(names, checked_items)
    ticked = np.zeros((len(rows), len(boxes)), dtype=bool)
    for row, answer in enumerate(rows["answer"]):
        for box in answer:
            if box not in boxes:
                raise HromadaError(f"A vote contains {box!r}, which is not one of the declared boxes.")
            ticked[row, list(boxes).index(box)] = True
    return Selections(frame=names, ticked=ticked, boxes=tuple(boxes), items=checked_items)


def read_selections(answers: Answers) -> Selections:
    """The votes for boxes that must be the same on every item."""
    frame = answers.votes.frame.assign(answer=[json.loads(stored) for stored in answers.votes.frame["answer"]])
    return check_selections(frame, items=answers.votes.items, boxes=answers.boxes or ())


def build_pooled_box_votes(answers: Answers) -> Votes:
    """Every box of every answer as a separate vote, yes or no, whose item id is made of item and box.

    Yes and no mean the same for every box, so these votes have classes even where the boxes differ from item to item.
    """
    frame = pd.DataFrame(
        [
            (join_item_and_box(item, box), annotator, YES if box in ticked else NO)
            for item, annotator, ticked in _iterate_ticked(answers)
            for box in answers.get_boxes(item)
        ],
        columns=list(VOTE_COLUMNS),
        dtype=object,
    )
    groups, gold = answers.votes.items["group"].to_dict(), answers.votes.items["gold"].to_dict()
    rows = {
        join_item_and_box(str(item), box): (group, _get_box_gold(gold[item], box), 2)
        for item, group in groups.items()
        for box in answers.get_boxes(str(item))
    }
    items = pd.DataFrame.from_dict(rows, orient="index", columns=list(ITEM_COLUMNS)).astype(object)
    return check_votes(frame, items=items.rename_axis("item"), classes=(YES, NO))


def build_box_votes(answers: Answers, box: str) -> Votes:
    """The votes for one box, yes or no, with its gold."""
    votes = answers.votes
    given = [YES if box in ticked else NO for _, _, ticked in _iterate_ticked(answers)]
    gold = pd.Series(
        [_get_box_gold(stored, box) for stored in votes.items["gold"]], index=votes.items.index, dtype=object
    )
    items = votes.items.assign(gold=gold, n_options=2)
    return replace(votes, frame=votes.frame.assign(answer=given), items=items, classes=(YES, NO))


def join_item_and_box(item: str, box: str) -> str:
    """The id of an item and a box together, as `build_pooled_box_votes` uses it."""
    return f"{item}{ITEM_BOX_SEPARATOR}{box}"


def _iterate_ticked(answers: Answers) -> Iterator[tuple[str, str, frozenset[str]]]:
    for item, annotator, stored in answers.votes.frame.itertuples(index=False):
        yield str(item), str(annotator), frozenset(json.loads(str(stored)))


def _get_box_gold(gold: object, box: str) -> str | None:
    return None if not isinstance(gold, str) else YES if box in json.loads(gold) else NO
