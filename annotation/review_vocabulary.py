"""The values of reviews and adjudications that are stored in the database, and the words that follow from them."""

from __future__ import annotations

import re
from enum import StrEnum

from annotation.vocabulary import Exclusion, ExclusionKind


class ReviewDecision(StrEnum):
    """A decision on an answer; `undone` takes the decision before it back."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDONE = "undone"


class AdjudicationDecision(StrEnum):
    """A decision on an item: right answers, or that the item is broken; `undone` takes the decision before it back."""

    LABEL = "label"
    BROKEN = "broken"
    UNDONE = "undone"


class CaseReason(StrEnum):
    """Why an item waits for an adjudicator."""

    TIE = "tie"
    LOW_CONFIDENCE = "low confidence"
    RULE_CONFLICT = "rule conflict"
    REPORT = "report"


class BatchWork(StrEnum):
    """What a batch in Label Studio is for: answers to items, or decisions on items or on answers."""

    ANSWERS = "answers"
    ADJUDICATION = "adjudication"
    GOLD_REVIEW = "gold review"
    REVIEW = "review"


class GoldStratum(StrEnum):
    """The strata of a gold review.

    Items on which the majority of people says otherwise than the gold; of the others those on which the majority of
    models does; and the rest, of which a random sample is reviewed.
    """

    PEOPLE = "people"
    MODELS = "models"
    REST = "rest"


def build_rejection(reason: str) -> Exclusion:
    """The exclusion of an answer that a reviewer rejected for this reason; it is empty once they are erased."""
    return Exclusion(ExclusionKind.REJECTED, f"rejected in review: {reason}" if reason else "rejected in review")


def name_next_version(version: str | None, *, has_gold: bool) -> str:
    """The version of gold that an adjudicator decides, after the declared gold with this version.

    Without declared gold it is 1, after gold without a version 2; 3 follows 2, v3 follows v2, and x.2 any other x.
    """
    if not has_gold:
        return "1"
    match = re.fullmatch(r"(v?)(\d{1,6})", version or "1")
    return f"{version}.2" if match is None else f"{match[1]}{int(match[2]) + 1}"
