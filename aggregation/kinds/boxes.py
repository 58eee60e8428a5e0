"""Any number of boxes: each one is a yes or no of its own, and an item's label is what is ticked of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pandas as pd

from aggregation import schema
from aggregation.consensus import Consensus, Method, Ties, consensus, from_gold
from aggregation.dawid_skene import Stop
from aggregation.errors import Refused
from aggregation.kinds.answers import OPEN_BOXES, Answers
from aggregation.multilabel import NO, YES

BETWEEN = "\x1f"  # joins the names of an item and a box, which have no such sign
Found = Mapping[str, Consensus]


def decisions(answers: Answers) -> schema.Votes:
    """Every box of every answer as a vote of its own, yes or no, on the item and box together.

    Yes and no mean the same on every box, so these votes have classes even where the boxes differ from item to item.
    """
    frame = pd.DataFrame(
        [
            (_joined(item, box), annotator, YES if box in ticked else NO)
            for item, annotator, ticked in _ticked(answers)
            for box in answers.boxes_of(item)
        ],
        columns=list(schema.COLUMNS),
        dtype=object,
    )
    groups, golds = answers.votes.items["group"].to_dict(), answers.votes.items["gold"].to_dict()
    rows = {
        _joined(str(item), box): (group, _said(golds[item], box), 2)
        for item, group in groups.items()
        for box in answers.boxes_of(str(item))
    }
    items = pd.DataFrame.from_dict(rows, orient="index", columns=list(schema.ITEM_COLUMNS)).astype(object)
    return schema.votes(frame, items=items.rename_axis("item"), classes=(YES, NO))


def box_consensus(
    answers: Answers, *, method: Method, ties: Ties, seed: int = 0, anchors: bool = False, stop: Stop = "crowdkit"
) -> Consensus:
    """The consensus on each box by itself; a tied box that no rule settles leaves its item without a label.

    An item's label is the JSON list of the boxes whose consensus is yes, in their order; its confidence is that of the
    least certain box, and `tied` names the boxes that tie. Raises Refused for anything but the majority where the boxes
    differ from item to item.
    """
    if answers.boxes is None:
        if method != "majority":
            raise Refused(f"{OPEN_BOXES}, so what people say of one tells nothing of another.", remedy="Use majority.")
        found: Found = {"": consensus(decisions(answers), method=method, ties=ties, seed=seed)}
    else:
        found = {}
        for box in answers.boxes:
            votes = _of_box(answers, box)
            known, skills = from_gold(votes, method=method, anchors=anchors)
            found[box] = consensus(votes, method=method, ties=ties, seed=seed, anchors=known, skills=skills, stop=stop)
    first = next(iter(found.values()))
    return Consensus(
        method=method,
        version=f"{first.version}, of each box by itself",
        ties=ties,
        seed=seed,
        labels=_labels(answers, found),
        n_anchors=first.n_anchors,
        warnings=_warnings(found),
    )


def _ticked(answers: Answers) -> Iterator[tuple[str, str, frozenset[str]]]:
    for item, annotator, stored in answers.votes.frame.itertuples(index=False):
        yield str(item), str(annotator), frozenset(json.loads(str(stored)))


def _joined(item: str, box: str) -> str:
    return f"{item}{BETWEEN}{box}"


def _said(gold: object, box: str) -> str | None:
    return None if not isinstance(gold, str) else YES if box in json.loads(gold) else NO


def _of_box(answers: Answers, box: str) -> schema.Votes:
    votes = answers.votes
    said = [YES if box in ticked else NO for _, _, ticked in _ticked(answers)]
    gold = pd.Series([_said(one, box) for one in votes.items["gold"]], index=votes.items.index, dtype=object)
    items = votes.items.assign(gold=gold, n_options=2)
    return replace(votes, frame=votes.frame.assign(answer=said), items=items, classes=(YES, NO))


def _labels(answers: Answers, found: Found) -> pd.DataFrame:
    rows = {box: one.labels.to_dict("index") for box, one in found.items()}
    voted = sorted(set(answers.votes.frame["item"]))
    counts = answers.votes.frame["item"].value_counts()
    made = []
    for item in voted:
        boxes = answers.boxes_of(item)
        of_boxes = [rows[box][item] if box in rows else rows[""][_joined(item, box)] for box in boxes]
        is_open = any(one["label"] is None for one in of_boxes)
        ticked = [box for box, one in zip(boxes, of_boxes, strict=True) if one["label"] == YES]
        made.append(
            {
                "label": None if is_open else json.dumps(ticked, ensure_ascii=False),
                "confidence": min((one["confidence"] for one in of_boxes), default=1.0),
                "tie": any(one["tie"] for one in of_boxes),
                "tied": tuple(sorted(box for box, one in zip(boxes, of_boxes, strict=True) if one["tie"])),
                "n_votes": int(counts[item]),
            }
        )
    return pd.DataFrame(made, index=pd.Index(voted, name="item", dtype=object))


def _warnings(found: Found) -> tuple[str, ...]:
    """Every warning once, behind the boxes that it is of."""
    said: dict[str, list[str]] = {}
    for box, one in found.items():
        for warning in one.warnings:
            said.setdefault(warning, []).append(box)
    return tuple(f"{', '.join(boxes)}: {warning}" for warning, boxes in said.items())
