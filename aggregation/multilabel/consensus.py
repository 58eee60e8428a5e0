"""Consensus on any number of boxes: each box is a yes or no of its own, and an item's label is the ticked boxes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from aggregation.answers import Answers
from aggregation.consensus import Consensus, TieRule
from aggregation.dawid_skene import StopRule
from aggregation.errors import Refused
from aggregation.labels.consensus import Method, build_label_consensus, derive_anchors_and_skills
from aggregation.multilabel.votes import BOXES_DIFFER, YES, build_box_votes, build_pooled_box_votes, join_item_and_box

ConsensusByBox = Mapping[str, Consensus]
"""The consensus of each declared box; the one of all boxes together under the empty name where boxes differ."""


def build_box_consensus(
    answers: Answers,
    *,
    method: Method,
    ties: TieRule,
    seed: int = 0,
    anchors: bool = False,
    stop: StopRule = "crowdkit",
) -> Consensus:
    """The consensus on each box by itself; a tied box that the rule leaves open leaves its item without a label.

    An item's label is the JSON list of the boxes whose consensus is yes, in their order; its confidence is that of the
    least certain box, and `tied` names the tied boxes; each vote settles all of them at once (`Consensus.settled`).
    Raises Refused for any method but the majority where the boxes differ from item to item.
    """
    if answers.boxes is None:
        if method != "majority":
            raise Refused(
                f"{BOXES_DIFFER}, so what people say of one tells nothing of another.", remedy="Use majority."
            )
        votes = build_pooled_box_votes(answers)
        by_box: ConsensusByBox = {"": build_label_consensus(votes, method=method, ties=ties, seed=seed)}
    else:
        by_box = {}
        for box in answers.boxes:
            votes = build_box_votes(answers, box)
            known, skills = derive_anchors_and_skills(votes, method=method, anchors=anchors)
            by_box[box] = build_label_consensus(
                votes, method=method, ties=ties, seed=seed, anchors=known, skills=skills, stop=stop
            )
    first = next(iter(by_box.values()))
    return Consensus(
        method=method,
        version=f"{first.version}, of each box by itself",
        ties=ties,
        seed=seed,
        labels=_join_labels(answers, by_box),
        settled=_settle_ties(answers, by_box),
        n_anchors=first.n_anchors,
        warnings=_join_warnings(by_box),
    )


def _list_rows(answers: Answers, by_box: ConsensusByBox) -> Iterator[tuple[str, Sequence[str], list[dict[str, Any]]]]:
    """Each item with votes, sorted, with its boxes and the row of `Consensus.labels` of each of them."""
    rows_by_box: dict[str, Any] = {box: consensus.labels.to_dict("index") for box, consensus in by_box.items()}
    for item in sorted(set(answers.votes.frame["item"])):
        boxes = answers.get_boxes(item)
        yield (
            item,
            boxes,
            [
                rows_by_box[box][item] if box in rows_by_box else rows_by_box[""][join_item_and_box(item, box)]
                for box in boxes
            ],
        )


def _settle_ties(answers: Answers, by_box: ConsensusByBox) -> dict[str, tuple[str, ...]]:
    """By item with a tied box, the ticked boxes where each of its votes decides all that are tied."""
    said = answers.votes.frame.groupby("item")["answer"]
    settled = {}
    for item, boxes, rows in _list_rows(answers, by_box):
        if any(row["tie"] for row in rows):
            votes = [json.loads(answer) for answer in said.get_group(item)]
            settled[item] = tuple(
                json.dumps(
                    [
                        box
                        for box, row in zip(boxes, rows, strict=True)
                        if (box in vote if row["tie"] else row["label"] == YES)
                    ],
                    ensure_ascii=False,
                )
                for vote in votes
            )
    return settled


def _join_labels(answers: Answers, by_box: ConsensusByBox) -> pd.DataFrame:
    """The columns of `Consensus.labels` from those of each box."""
    items = []
    counts = answers.votes.frame["item"].value_counts()
    labels = []
    for item, boxes, rows in _list_rows(answers, by_box):
        items.append(item)
        is_open = any(row["label"] is None for row in rows)
        ticked = [box for box, row in zip(boxes, rows, strict=True) if row["label"] == YES]
        labels.append(
            {
                "label": None if is_open else json.dumps(ticked, ensure_ascii=False),
                "confidence": min((row["confidence"] for row in rows), default=1.0),
                "tie": any(row["tie"] for row in rows),
                "tied": tuple(sorted(box for box, row in zip(boxes, rows, strict=True) if row["tie"])),
                "n_votes": int(counts[item]),
            }
        )
    return pd.DataFrame(labels, index=pd.Index(items, name="item", dtype=object))


def _join_warnings(by_box: ConsensusByBox) -> tuple[str, ...]:
    """Every different warning once, after the names of the boxes that it is about."""
    boxes_by_warning: dict[str, list[str]] = {}
    for box, consensus in by_box.items():
        for warning in consensus.warnings:
            boxes_by_warning.setdefault(warning, []).append(box)
    return tuple(f"{', '.join(boxes)}: {warning}" for warning, boxes in boxes_by_warning.items())
